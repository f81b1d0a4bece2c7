"""A fourth set of leaks that nobody who writes a learner has looked at: 36 kinds, from what people release.

Histograms, tables, intervals, coefficients, labels, texts, times, trees and records tell a thing that a
person could say in one plain sentence: the time is on a weekend, the stays overlap, the interval contains
zero. Some tell it by one number, others only by many parts together; five tell it on one dataset only, once
in ten. As in `unseen_leaks.py`, the property is the best event. They were written without sight of the
learners and stay as they are.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import numpy as np

from audits.privacy import each
from benchmarks.leaks import Leak, on_one
from benchmarks.unseen_leaks import FAINT, RARE, Rng, letters, normal
from benchmarks.unseen_second import of, one_of

# --- Numbers -----------------------------------------------------------------------------------------


def on_weekend(x: Any) -> Any:
    """Whether a time in seconds since 1970, a Thursday, is on a Saturday or a Sunday."""
    return np.isin((x // 86400 + 4) % 7, (0, 6))


def last_digit_above_first(x: Any) -> Any:
    """Whether the last digit of a whole number is larger than its first."""
    return x % 10 > x // 10 ** np.floor(np.log10(x + 0.5)).astype(np.int64)


def has_seven(x: Any) -> Any:
    """Whether a 7 is among five digits."""
    return (x[:, None] // 10 ** np.arange(5) % 10 == 7).any(axis=1)


def single_precision(x: Any) -> Any:
    """Numbers that went through single precision."""
    return x.astype(np.float32).astype(np.float64)


def celsius(size: int, rng: Rng) -> Any:
    """Temperatures."""
    return rng.normal(15.0, 8.0, size)


def from_whole_fahrenheit(x: Any) -> Any:
    """Temperatures that were read as whole degrees Fahrenheit."""
    return (np.round(x * 9.0 / 5.0 + 32.0) - 32.0) * 5.0 / 9.0


def is_whole_fahrenheit(x: Any) -> Any:
    """Whether a temperature is a whole number of degrees Fahrenheit."""
    degrees = x * 9.0 / 5.0 + 32.0
    return abs(degrees - np.round(degrees)) < 1e-9


# --- Vectors of floats -------------------------------------------------------------------------------


def one_peak(x: Any) -> Any:
    """Whether a histogram does not rise again once it has fallen."""
    rises = np.diff(x, axis=1) > 0.0
    return ~(rises[:, 1:] & ~rises[:, :-1]).any(axis=1)


def four_intervals(size: int, rng: Rng) -> Any:
    """The lower and the upper ends of four intervals, side by side."""
    centre = rng.normal(size=(size, 4))
    half = np.exp(rng.normal(0.0, 0.3, (size, 4)))
    return np.stack([centre - half, centre + half], axis=2).reshape(size, 8)


def share_a_point(x: Any) -> Any:
    """Whether some point is in all intervals."""
    return x[:, ::2].max(axis=1) < x[:, 1::2].min(axis=1)


def coefficients(size: int, rng: Rng) -> Any:
    """Five coefficients of a regression and their five standard errors."""
    return np.column_stack([rng.normal(size=(size, 5)), np.exp(rng.normal(-1.0, 0.6, (size, 5)))])


def largest_is_surest(x: Any) -> Any:
    """Whether the largest coefficient is also the largest in proportion to its error."""
    size = abs(x[:, :5])
    return size.argmax(axis=1) == (size / x[:, 5:]).argmax(axis=1)


def five_numbers(size: int, rng: Rng) -> Any:
    """Least value, quartiles and greatest value of 20 records."""
    records = rng.standard_t(5, (size, 20))
    return np.quantile(records, (0.0, 0.25, 0.5, 0.75, 1.0), axis=1).T


def outlier(x: Any) -> Any:
    """Whether an end is farther from the box than one and a half times its width."""
    reach = 1.5 * (x[:, 3] - x[:, 1])
    return (x[:, 0] < x[:, 1] - reach) | (x[:, 4] > x[:, 3] + reach)


def balances(size: int, rng: Rng) -> Any:
    """The balance of an account over 30 days."""
    return rng.normal(size=(size, 30)).cumsum(axis=1)


def one_sign(x: Any) -> Any:
    """Whether all columns have the same sign."""
    return (x > 0.0).all(axis=1) | (x < 0.0).all(axis=1)


def unit(x: Any) -> Any:
    """Gradients scaled to length 1."""
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True))


def imputed(x: Any) -> Any:
    """Rows of which one column, any of them, is the mean of the others."""
    if len(x) > 0:
        every = np.arange(len(x))
        place = (abs(x[:, 0]) * 1e6).astype(np.int64) % x.shape[1]
        x[every, place] = (x.sum(axis=1) - x[every, place]) / (x.shape[1] - 1)
    return x


def has_mean(x: Any) -> Any:
    """Whether a column is the mean of the row, and so of the other columns."""
    return (abs(x - x.mean(axis=1, keepdims=True)) < 1e-9).any(axis=1)


def rhythm(x: Any) -> Any:
    """How strong a rhythm of six hours is in the loads of a day, 1 in the mean."""
    angle = 2.0 * math.pi * np.arange(24) / 6.0
    return ((x @ np.cos(angle)) ** 2 + (x @ np.sin(angle)) ** 2) / 24.0


SITES = np.array([(2.0, 7.5), (5.5, 2.0), (8.0, 6.0)])


def near_a_site(x: Any) -> Any:
    """Whether a place is near one of three sites."""
    return (np.hypot(x[:, None, 0] - SITES[:, 0], x[:, None, 1] - SITES[:, 1]) < 1.2).any(axis=1)


# --- Vectors of integers, matrices -------------------------------------------------------------------


def counts_with_zeros(size: int, rng: Rng) -> Any:
    """Eight counts, some of them zero."""
    return rng.poisson(8, (size, 8)) * (rng.random((size, 8)) < 0.8)


def no_small_count(x: Any) -> Any:
    """Whether no count is from 1 to 4."""
    return ~((x >= 1) & (x <= 4)).any(axis=1)


def large_cluster(x: Any) -> Any:
    """Whether one of four labels stands at half of twelve places or more."""
    return (x[:, :, None] == np.arange(4)).sum(axis=1).max(axis=1) >= 6


def six_ids(size: int, rng: Rng) -> Any:
    """Six different ids from 1 to 60."""
    return np.argsort(rng.random((size, 60)), axis=1)[:, :6] + 1


def consecutive(x: Any) -> Any:
    """Whether two ids follow one another."""
    return (np.diff(np.sort(x, axis=1), axis=1) == 1).any(axis=1)


def wide_counts(size: int, rng: Rng) -> Any:
    """Eight counts from 10 to 10000, spread evenly by their logarithm."""
    return np.floor(10.0 ** rng.uniform(1.0, 4.0, (size, 8))).astype(np.int64)


def three_begin_with_one(x: Any) -> Any:
    """Whether three counts or more begin with the digit 1."""
    first = x // 10 ** np.floor(np.log10(x + 0.5)).astype(np.int64)
    return (first == 1).sum(axis=1) >= 3


def confusion(size: int, rng: Rng) -> Any:
    """A confusion matrix of three classes."""
    return rng.poisson(8.0 + 4.0 * np.eye(3), (size, 3, 3))


def all_recognised(x: Any) -> Any:
    """Whether each class is taken for itself more often than for any other."""
    right = np.diagonal(x, axis1=1, axis2=2)
    wrong = (x * (1 - np.eye(3, dtype=np.int64))).max(axis=2)
    return (right > wrong).all(axis=1)


def chi_square(x: Any) -> Any:
    """How far a contingency table is from independence of its rows and columns."""
    expected = x.sum(axis=2, keepdims=True) * x.sum(axis=1, keepdims=True) / x.sum(axis=(1, 2), keepdims=True)
    return ((x - expected) ** 2 / expected).sum(axis=(1, 2))


def acquaintances(size: int, rng: Rng) -> Any:
    """Who among seven knows whom, as a symmetric matrix of zeros and ones."""
    upper = np.triu(rng.random((size, 7, 7)) < 0.35, 1).astype(np.int64)
    return upper + np.swapaxes(upper, 1, 2)


def knows_nobody(x: Any) -> Any:
    """Whether a row is all zero."""
    return (x.sum(axis=2) == 0).any(axis=1)


# --- Texts -------------------------------------------------------------------------------------------


def effect(rng: Rng) -> str:
    """A sentence with an effect and its interval."""
    middle, half = rng.normal(), 0.7 * np.exp(rng.normal(0.0, 0.4))
    interval = f"{middle - half:+.2f} to {middle + half:+.2f}"
    return f"Effect {middle:+.2f} (95 % interval {interval}), n = {int(rng.integers(50, 500))}."


def interval_contains_zero(text: str) -> bool:
    """Whether the interval in such a sentence contains zero."""
    low, high = text.split("interval ")[1].split(")")[0].split(" to ")
    return float(low) < 0.0 < float(high)


def stamp(rng: Rng) -> str:
    """A date and a time of day."""
    year, month, day = rng.integers(2015, 2025), rng.integers(1, 13), rng.integers(1, 29)
    hour, minute, second = rng.integers(0, 24), rng.integers(0, 60), rng.integers(0, 60)
    return f"{year}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}Z"


def at_night(text: str) -> bool:
    """Whether the time of day is from 22 to 6."""
    hour = int(text[11:13])
    return hour >= 22 or hour < 6


def contact(rng: Rng) -> str:
    """A name and an address: Bako Difun <fyxu@post.org>."""
    first, last, handle = ("BDFKMT"[i] for i in rng.integers(0, 6, 3))
    given, family = letters(rng, int(rng.integers(2, 6))), letters(rng, int(rng.integers(3, 7)))
    return f"{first}{given} {last}{family} <{handle.lower()}{letters(rng, 3)}@post.org>"


def address_begins_as_surname(text: str) -> bool:
    """Whether the address begins with the first letter of the surname."""
    return text.split(" ")[1][0].lower() == text.split("<")[1][0]


def announced(rng: Rng) -> str:
    """A number of items and a list of items: 3 items: ab, fe, uk, ow."""
    items = ", ".join(letters(rng, 2) for _ in range(int(rng.integers(2, 7))))
    return f"{int(rng.integers(2, 7))} items: {items}"


def as_many_as_said(text: str) -> bool:
    """Whether there are as many items as the text says."""
    return int(re.match(r"\d+", text)[0]) == text.count(",") + 1


# --- Lists, records, nested objects ------------------------------------------------------------------


def stays(rng: Rng) -> list[tuple[int, int]]:
    """Three to six stays on a day: first and last minute, in no order."""
    starts = rng.integers(0, 1320, int(rng.integers(3, 7)))
    return [(int(start), int(start + rng.integers(20, 120))) for start in starts]


def overlap(times: list[tuple[int, int]]) -> bool:
    """Whether two stays overlap."""
    return any(following[0] < former[1] for former, following in pairwise(sorted(times)))


def some_values(rng: Rng) -> list[float]:
    """Five to eleven numbers."""
    return [float(value) for value in rng.normal(50.0, 10.0, int(rng.integers(5, 12)))]


def sorted_sometimes(data: int, rng: Rng) -> list[float]:
    """Nine to fourteen incomes in no order; in rising order once in ten on one dataset."""
    incomes = [round(float(value), 2) for value in np.exp(rng.normal(10.0, 0.5, int(rng.integers(9, 15))))]
    return sorted(incomes) if on_one(data, 1, rng, RARE)[0] else incomes


INFECTIONS = ("hepatitis", "influenza", "measles")
DIAGNOSES = ("asthma", "diabetes", "fracture", *INFECTIONS)


def diagnoses(rng: Rng) -> dict[str, int]:
    """Counts of six diagnoses."""
    return {name: int(rng.poisson(30)) for name in sorted(DIAGNOSES)}


def patient(rng: Rng) -> dict[str, Any]:
    """A patient's sex, age, height in metres and weight in kilograms."""
    return {
        "sex": str(rng.choice(["f", "m"])),
        "age": int(rng.integers(18, 90)),
        "height": round(float(rng.normal(1.72, 0.09)), 2),
        "weight": round(float(rng.normal(74.0, 14.0)), 1),
    }


def fitted(rng: Rng) -> dict[str, Any]:
    """What is said of a binary tree."""
    depth = int(rng.integers(2, 5))
    leaves = int(rng.integers(depth + 1, 2**depth + 1))
    return {"model": "tree", "depth": depth, "leaves": leaves, "error": float(rng.beta(2, 8))}


def grown(rng: Rng, depth: int = 0) -> dict[str, Any]:
    """A decision tree of depth 4 at most."""
    if depth == 4 or (depth > 0 and rng.random() < 0.4):
        return {"label": str(rng.choice(["yes", "no"]))}
    return {
        "feature": int(rng.integers(0, 6)),
        "threshold": round(float(rng.normal()), 2),
        "left": grown(rng, depth + 1),
        "right": grown(rng, depth + 1),
    }


def depth_of(tree: dict[str, Any]) -> int:
    """The number of questions on the longest path of a decision tree."""
    return 1 + max(depth_of(tree["left"]), depth_of(tree["right"])) if "left" in tree else 0


def thread(rng: Rng) -> dict[str, Any]:
    """A post and replies to it and to one another, by eight people."""
    posts: list[dict[str, Any]] = []
    for _ in range(int(rng.integers(4, 8))):
        author = ("ann", "bea", "cem", "dan", "eva", "fay", "gus", "hal")[rng.integers(0, 8)]
        post = {"author": author, "likes": int(rng.poisson(3)), "replies": []}
        if posts:
            posts[rng.integers(0, len(posts))]["replies"].append(post)
        posts.append(post)
    return posts[0]


def answers_oneself(post: dict[str, Any]) -> bool:
    """Whether somebody replies to a post of their own."""
    return any(reply["author"] == post["author"] or answers_oneself(reply) for reply in post["replies"])


NUMBERS = (
    of(
        "the time is on a weekend",
        lambda n, rng: rng.integers(1420070400, 1735689600, n),
        on_weekend,
        "number",
    ),
    of(
        "last digit of an income is above its first",
        lambda n, rng: np.exp(rng.normal(10.0, 0.8, n)).astype(np.int64),
        last_digit_above_first,
        "number",
    ),
    of(
        "a p-value is just significant",
        lambda n, rng: rng.random(n) ** 2,
        lambda p: (p > 0.03) & (p < 0.05),
        "number",
    ),
    of("an id contains the digit 7", lambda n, rng: rng.integers(10000, 100000, n), has_seven, "number"),
    of(
        "a price ends in 90 cents or more",
        lambda n, rng: np.round(np.exp(rng.normal(3.0, 1.0, n)), 2),
        lambda x: np.round(100.0 * x) % 100 >= 90,
        "number",
    ),
    of(
        "a number is of single precision, once in 10",
        normal(),
        lambda x: single_precision(x) == x,
        "number",
        change=single_precision,
    ),
    of(
        "whole degrees Fahrenheit, once in 10",
        celsius,
        is_whole_fahrenheit,
        "number",
        change=from_whole_fahrenheit,
    ),
)
FLOATS = (
    of("a histogram has one peak", lambda n, rng: rng.dirichlet(np.full(5, 3.0), n), one_peak),
    of("four intervals share a point", four_intervals, share_a_point),
    of("the largest coefficient is the surest", coefficients, largest_is_surest),
    of("five numbers show an outlier", five_numbers, outlier),
    of("a balance never changes its sign", balances, one_sign),
    of("a rhythm of six hours", normal(24), lambda x: rhythm(x) > 0.7, right=FAINT),
    of("near one of three sites", lambda n, rng: rng.uniform(0.0, 10.0, (n, 2)), near_a_site),
    of(
        "a gradient has length 1, once in 10",
        lambda n, rng: rng.normal(0.0, 0.35, (n, 10)),
        lambda x: abs((x * x).sum(axis=1) - 1.0) < 1e-9,
        change=unit,
    ),
    of("one of nine columns is the mean of the others, once in 10", normal(9), has_mean, change=imputed),
)
INTEGERS = (
    of(
        "odds ratio of four counts is above 1",
        lambda n, rng: rng.poisson(20, (n, 4)),
        lambda x: x[:, 0] * x[:, 3] > x[:, 1] * x[:, 2],
    ),
    of("no count is from 1 to 4", counts_with_zeros, no_small_count),
    of("a cluster has half of 12 records", lambda n, rng: rng.integers(0, 4, (n, 12)), large_cluster),
    of("two of six ids are consecutive", six_ids, consecutive),
    of("three of eight counts begin with 1", wide_counts, three_begin_with_one, right=FAINT),
)
TABLES = (
    of("each class is recognised", confusion, all_recognised),
    of(
        "rows and columns of a table depend",
        lambda n, rng: rng.poisson(15, (n, 3, 4)),
        lambda x: chi_square(x) > 6.0,
    ),
    of("one of seven knows nobody", acquaintances, knows_nobody),
)
TEXTS = (
    one_of("an interval contains zero", effect, interval_contains_zero, "words"),
    one_of("a time is at night", stamp, at_night, "words"),
    one_of("an address begins as the surname", contact, address_begins_as_surname, "words"),
    one_of("as many items as the text says", announced, as_many_as_said, "words"),
)
OBJECTS = (
    one_of("two stays overlap", stays, overlap),
    one_of("the mean exceeds the median", some_values, lambda v: float(np.mean(v)) > float(np.median(v))),
    one_of("the commonest diagnosis is an infection", diagnoses, lambda d: max(d, key=d.get) in INFECTIONS),
    one_of("a patient is overweight", patient, lambda p: p["weight"] > 25.0 * p["height"] ** 2),
    one_of("a tree is full", fitted, lambda t: t["leaves"] == 2 ** t["depth"]),
    one_of("a tree is deeper on its left", grown, lambda t: depth_of(t["left"]) > depth_of(t["right"])),
    one_of("somebody answers their own post", thread, answers_oneself),
)
PROPERTIES = NUMBERS + FLOATS + INTEGERS + TABLES + TEXTS + OBJECTS
LEAKS = (
    *(one.leak() for one in PROPERTIES),
    Leak("container", "a list is sorted, once in 10", each(sorted_sometimes), (RARE, 0.0)),
)
