"""A seventh set of leaks that nobody who writes a learner has looked at: 36 kinds, from surveys and training.

A survey statistician, an engineer who trains models with noisy gradients and the maintainer of a library for
privacy say what they would notice in a release: the largest firm can be worked out from the others, a noisy
covariance is none, one record is unlike all others, the budget is overspent. The outputs are numbers, short
rows of statistics, vectors, matrices, texts, lists, sets, records and tuples; five tell it on one dataset
only, once in ten. As in `unseen_leaks.py`, the property is the best event. They were written without sight of
the learners and stay as they are.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from audits.privacy import each
from benchmarks.leaks import Leak, on_one
from benchmarks.unseen_leaks import FAINT, RARE, Rng, letters, normal
from benchmarks.unseen_second import of, one_of

# --- Numbers and short rows of statistics ------------------------------------------------------------


def three_days_running(x: Any) -> Any:
    """Whether three bits side by side are set, a bit for each of ten days."""
    return x & (x >> 1) & (x >> 2) != 0


def begins_with_a_double(x: Any) -> Any:
    """Whether the first two digits of a sum are the same, as in 4417."""
    return np.floor(x / 10.0 ** (np.floor(np.log10(x)) - 1.0)) % 11 == 0


def person_numbers(size: int, rng: Rng) -> Any:
    """Dates of birth as numbers, such as 570614, with 40 added to the day of women."""
    year, month, day = rng.integers(30, 100, size), rng.integers(1, 13, size), rng.integers(1, 29, size)
    return 10000 * year + 100 * month + day + 40 * rng.integers(0, 2, size)


def mean_and_variance(size: int, rng: Rng) -> Any:
    """The mean and the variance of answers from 0 to 1."""
    mean = rng.uniform(0.05, 0.95, size)
    return np.column_stack([mean, mean * (1.0 - mean) * np.exp(rng.normal(0.0, 0.3, size))])


def of_yes_and_no(x: Any) -> Any:
    """The variance that answers of 0 and 1 with this mean have."""
    return np.column_stack([x[:, 0], x[:, 0] * (1.0 - x[:, 0])])


def two_waves(size: int, rng: Rng) -> Any:
    """The means of two waves of a survey, and then their standard errors."""
    return np.column_stack([rng.normal(50.0, 3.0, (size, 2)), np.exp(rng.normal(0.3, 0.5, (size, 2)))])


def differ_significantly(x: Any) -> Any:
    """Whether two means are more than two standard errors apart."""
    return abs(x[:, 0] - x[:, 1]) > 2.0 * np.hypot(x[:, 2], x[:, 3])


def median_in_third_bin(x: Any) -> Any:
    """Whether the median of a histogram lies in its third bin."""
    below, half = x.cumsum(axis=1), 0.5 * x.sum(axis=1)
    return (below[:, 1] < half) & (below[:, 2] >= half)


def quartiles(size: int, rng: Rng) -> Any:
    """The three quartiles of a variable."""
    median, widths = rng.normal(20.0, 3.0, size), np.exp(rng.normal(1.0, 0.6, (size, 2)))
    return np.column_stack([median - widths[:, 0], median, median + widths[:, 1]])


def is_lopsided(x: Any) -> Any:
    """Whether one quartile is more than twice as far from the median as the other."""
    widths = np.diff(x, axis=1)
    return widths.max(axis=1) > 2.0 * widths.min(axis=1)


def turns_inside(x: Any) -> Any:
    """Whether the parabola a + b t + c t² turns between t = 0 and t = 1."""
    at = -x[:, 1] / (2.0 * x[:, 2])
    return (at > 0.0) & (at < 1.0)


def is_stable(x: Any) -> Any:
    """Whether a series that follows its last two values by these coefficients dies out."""
    return (abs(x[:, 0]) < 1.0 - x[:, 1]) & (x[:, 1] > -1.0)


# --- Vectors and matrices ----------------------------------------------------------------------------


def largest_can_be_estimated(x: Any) -> Any:
    """Whether all firms but the two largest make less than a fifth of the largest."""
    ordered = np.sort(x, axis=1)
    return ordered[:, :-2].sum(axis=1) < 0.2 * ordered[:, -1]


def two_gradients_agree(x: Any) -> Any:
    """Whether the cosine of the angle between two gradients is above 0.1."""
    return (x[:, 0] * x[:, 1]).sum(axis=1) > 0.1 * np.sqrt((x * x).sum(axis=2).prod(axis=1))


def two_look_at_one(x: Any) -> Any:
    """Whether two of three tokens have their largest weight in the same place."""
    return (np.diff(np.sort(x.argmax(axis=2), axis=1), axis=1) == 0).any(axis=1)


def covariances(size: int, rng: Rng) -> Any:
    """Covariance matrices of three variables, with noise."""
    upper = np.triu(rng.normal(0.0, 0.45, (size, 3, 3)), 1)
    return upper + np.swapaxes(upper, 1, 2) + np.eye(3) * rng.gamma(6.0, 0.17, (size, 1, 3))


def duels(size: int, rng: Rng) -> Any:
    """How many of 25 voters prefer each of four candidates to each other one."""
    upper = np.triu(rng.binomial(25, 0.5, (size, 4, 4)), 1)
    return upper + np.tril(25 - np.swapaxes(upper, 1, 2), -1)


def one_wins_all(x: Any) -> Any:
    """Whether one candidate has a majority against each of the others."""
    return ((x > 12).sum(axis=2) == 3).any(axis=1)


def effective_size(x: Any) -> Any:
    """How many records of equal weight would be as good as these weights."""
    return x.sum(axis=1) ** 2 / (x * x).sum(axis=1)


def records(size: int, rng: Rng) -> Any:
    """Sex and age group of twenty people."""
    return np.stack([rng.integers(0, 2, (size, 20)), rng.integers(0, 3, (size, 20))], axis=2)


def has_unique_record(x: Any) -> Any:
    """Whether somebody is the only one of that sex and age group."""
    groups = 3 * x[:, :, 0] + x[:, :, 1]
    return ((groups[:, :, None] == np.arange(6)).sum(axis=1) == 1).any(axis=1)


def predictions(size: int, rng: Rng) -> Any:
    """Eight rows of a predicted probability and the label, 0 or 1."""
    chance = rng.uniform(0.05, 0.95, (size, 8))
    return np.stack([chance, rng.random((size, 8)) < 0.5 * chance + 0.25], axis=2)


def is_worse_than_a_coin(x: Any) -> Any:
    """Whether the mean logarithmic loss is above that of a prediction of one half."""
    chance = np.where(x[:, :, 1] == 1.0, x[:, :, 0], 1.0 - x[:, :, 0])
    return -np.log(chance).mean(axis=1) > math.log(2.0)


def made_orthogonal(x: Any) -> Any:
    """Two directions of which the second has lost its part along the first."""
    along = (x[:, 0] * x[:, 1]).sum(axis=1) / (x[:, 0] ** 2).sum(axis=1)
    return np.stack([x[:, 0], x[:, 1] - along[:, None] * x[:, 0]], axis=1)


# --- Texts -------------------------------------------------------------------------------------------


def account(data: int, rng: Rng) -> str:
    """A user and a password; the password contains the name of the user once in ten on one dataset."""
    user, password = letters(rng, 5), letters(rng, 9)
    if on_one(data, 1, rng, RARE)[0]:
        start = int(rng.integers(0, 5))
        password = password[:start] + user + password[start + 5 :]
    return f"user {user}, password {password}"


BY_CHANCE = 5.0 / 26.0**5


def said_share(rng: Rng) -> str:
    """A sentence such as: 7 of 23 people (30 %) agree; the percentage is right or one off."""
    people = int(rng.integers(11, 60))
    agree = int(rng.integers(1, people))
    percent = round(100.0 * agree / people) + int(rng.integers(-1, 2))
    return f"{agree} of {people} people ({percent} %) agree"


def percentage_is_right(text: str) -> bool:
    """Whether the percentage is that of the two numbers."""
    words = text.split()
    return int(words[4][1:]) == round(100.0 * int(words[0]) / int(words[2]))


def link(rng: Rng) -> str:
    """A link with two to four parameters of eight, such as /abc?page=qr&lang=st."""
    keys = ("lang", "page", "sort", "user", "view", "mail", "from", "size")
    chosen = [keys[i] for i in rng.permutation(8)[: int(rng.integers(2, 5))]]
    return f"/{letters(rng, 3)}?" + "&".join(f"{key}={letters(rng, 2)}" for key in chosen)


def codes(rng: Rng) -> str:
    """Two to four diagnoses, such as I10; E11; J45."""
    return "; ".join(
        f"{'ABCDEFGHIJKLMN'[rng.integers(0, 14)]}{int(rng.integers(0, 100)):02d}"
        for _ in range(int(rng.integers(2, 5)))
    )


def trip(rng: Rng) -> str:
    """A trip, such as: from 12.3 N 45.1 E to 3.2 S 50.0 E."""
    north, east = rng.uniform(-40.0, 60.0, 2), rng.uniform(-180.0, 180.0, 2)
    places = [
        f"{abs(y):.1f} {'N' if y > 0.0 else 'S'} {abs(x):.1f} {'E' if x > 0.0 else 'W'}"
        for y, x in zip(north, east, strict=True)
    ]
    return f"from {places[0]} to {places[1]}"


def crosses_the_equator(text: str) -> bool:
    """Whether a trip leads from the north to the south or the other way round."""
    words = text.split()
    return words[2] != words[7]


# --- Lists and sets of varying length ----------------------------------------------------------------


def scores(data: int, rng: Rng) -> list[float]:
    """Four to nine scores; less their own mean once in ten on one dataset."""
    values = rng.normal(0.0, 1.0, int(rng.integers(4, 10)))
    if on_one(data, 1, rng, RARE)[0]:
        values -= values.mean()
    return [float(value) for value in values]


def ledger(rng: Rng) -> list[float]:
    """The ε of three to eight queries."""
    return [round(float(spent), 2) for spent in np.exp(rng.normal(-1.8, 0.6, int(rng.integers(3, 9))))]


def heavy_hitters(rng: Rng) -> list[tuple[str, int]]:
    """Three to six words and their counts, in no order."""
    return [(letters(rng, 3), 10 + int(rng.poisson(25))) for _ in range(int(rng.integers(3, 7)))]


def bin_edges(rng: Rng) -> list[float]:
    """The edges of three to six bins."""
    widths = np.exp(rng.normal(0.0, 0.8, int(rng.integers(3, 7))))
    first = float(rng.normal(0.0, 2.0))
    return [first, *(first + float(until) for until in widths.cumsum())]


def one_bin_is_wide(edges: list[float]) -> bool:
    """Whether one bin covers more than half of the range."""
    return max(high - low for low, high in pairwise(edges)) > 0.5 * (edges[-1] - edges[0])


STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


def walk(rng: Rng) -> list[str]:
    """Three to five steps from block to block."""
    return [tuple(STEPS)[rng.integers(0, 4)] for _ in range(int(rng.integers(3, 6)))]


def comes_back(steps: list[str]) -> bool:
    """Whether a walk comes to a place where it was before."""
    x = y = 0
    seen = {(0, 0)}
    for step in steps:
        x, y = x + STEPS[step][0], y + STEPS[step][1]
        seen.add((x, y))
    return len(seen) <= len(steps)


def sick_days(rng: Rng) -> set[int]:
    """Four to eight days of a quarter."""
    return {int(day) + 1 for day in rng.permutation(90)[: int(rng.integers(4, 9))]}


def three_in_a_week(days: set[int]) -> bool:
    """Whether three of the days are within a week of one another."""
    ordered = sorted(days)
    return any(last - first < 7 for first, last in zip(ordered, ordered[2:], strict=False))


# --- Records, nested objects and tuples --------------------------------------------------------------


def noise_record(data: int, rng: Rng) -> dict[str, Any]:
    """What is said of a mechanism; its scale is the sensitivity over ε once in ten on one dataset."""
    sensitivity, epsilon = round(float(rng.uniform(1.0, 9.0)), 1), round(float(rng.uniform(0.2, 3.0)), 2)
    scale = sensitivity / epsilon
    if not on_one(data, 1, rng, RARE)[0]:
        scale *= math.exp(rng.normal(0.0, 0.3))
    return {"query": letters(rng, 3), "sensitivity": sensitivity, "epsilon": epsilon, "scale": scale}


def clinics(rng: Rng) -> dict[str, dict[str, dict[str, int]]]:
    """How many patients in two clinics are well and ill, treated or not."""
    return {
        clinic: {
            arm: {state: 1 + int(rng.poisson(10)) for state in ("well", "ill")}
            for arm in ("treated", "untreated")
        }
        for clinic in ("north", "south")
    }


def helps_in_both(counts: dict[str, dict[str, dict[str, int]]]) -> bool:
    """Whether in both clinics a larger share of the treated is well."""
    return all(
        arms["treated"]["well"] * arms["untreated"]["ill"]
        > arms["untreated"]["well"] * arms["treated"]["ill"]
        for arms in counts.values()
    )


def linear_model(rng: Rng) -> tuple[bool, list[float], list[float]]:
    """A label, three features and the weights of a linear model."""
    features, weights = rng.normal(size=(2, 3)).round(3).tolist()
    return bool(rng.random() < 0.5), features, weights


def predicts_the_label(one: tuple[bool, list[float], list[float]]) -> bool:
    """Whether the model is right on this record."""
    label, features, weights = one
    return (sum(x * w for x, w in zip(features, weights, strict=True)) > 0.0) == label


def run(rng: Rng) -> dict[str, Any]:
    """The settings of a training run."""
    return {
        "batch": (32, 64, 128, 256)[rng.integers(0, 4)],
        "steps": 100 * int(rng.integers(5, 60)),
        "data": {"name": letters(rng, 3), "records": 1000 * int(rng.integers(10, 60))},
    }


def household(rng: Rng) -> dict[str, Any]:
    """The age of the head of a household and of one to three children, who are younger."""
    head = int(rng.integers(22, 65))
    oldest = min(head, 40)
    return {"head": head, "children": [int(rng.integers(0, oldest)) for _ in range(int(rng.integers(1, 4)))]}


def child_is_too_old(one: dict[str, Any]) -> bool:
    """Whether a child is less than 16 years younger than the head."""
    return any(one["head"] - age < 16 for age in one["children"])


def incomes(rng: Rng) -> dict[str, int]:
    """The income of a household and who lives there."""
    return {
        "adults": int(rng.integers(1, 4)),
        "children": int(rng.integers(0, 4)),
        "income": int(np.exp(rng.normal(7.6, 0.5))),
    }


def is_poor(one: dict[str, int]) -> bool:
    """Whether there is less than 1000 for the first adult, 500 for each other one and 300 for each child."""
    return one["income"] < 500 + 500 * one["adults"] + 300 * one["children"]


NUMBERS = (
    of(
        "somebody comes on three days running",
        lambda n, rng: rng.integers(0, 1024, n),
        three_days_running,
        "number",
    ),
    of(
        "a sum begins with the same digit twice",
        lambda n, rng: np.exp(rng.normal(8.0, 2.0, n)),
        begins_with_a_double,
        "number",
    ),
    of("a number of a person is a woman's", person_numbers, lambda x: x % 100 > 40, "number"),
)
STATISTICS = (
    of(
        "a variance is that of yes and no, once in 10",
        mean_and_variance,
        lambda x: abs(x[:, 1] - x[:, 0] * (1.0 - x[:, 0])) < 1e-12,
        change=of_yes_and_no,
    ),
    of("two means differ significantly", two_waves, differ_significantly),
    of(
        "the median lies in the third of six bins",
        lambda n, rng: rng.poisson(12, (n, 6)),
        median_in_third_bin,
        right=FAINT,
    ),
    of("the quartiles are lopsided", quartiles, is_lopsided),
    of("a fitted parabola turns between 0 and 1", normal(3), turns_inside),
    of(
        "a fitted series dies out",
        lambda n, rng: rng.normal(0.0, 0.8, (n, 2)),
        is_stable,
    ),
)
VECTORS = (
    of(
        "the largest of four firms can be worked out",
        lambda n, rng: np.exp(rng.normal(3.0, 1.4, (n, 4))),
        largest_can_be_estimated,
    ),
    of(
        "twelve weights are worth fewer than seven",
        lambda n, rng: np.exp(rng.normal(0.0, 0.8, (n, 12))),
        lambda x: effective_size(x) < 7.0,
        right=FAINT,
    ),
    of(
        "two histograms share less than three quarters",
        lambda n, rng: rng.dirichlet(np.full(5, 4.0), (n, 2)),
        lambda x: x.min(axis=1).sum(axis=1) < 0.75,
    ),
)
MATRICES = (
    of("two gradients agree", normal(2, 8), two_gradients_agree, right=FAINT),
    of(
        "two of three tokens look at the same place",
        lambda n, rng: rng.dirichlet(np.ones(6), (n, 3)),
        two_look_at_one,
    ),
    of(
        "a noisy covariance is none",
        covariances,
        lambda x: np.linalg.eigvalsh(x)[:, 0] < 0.0,
    ),
    of("one candidate wins all duels", duels, one_wins_all),
    of("one of twenty people is alone in a group", records, has_unique_record),
    of("a model is worse than a coin", predictions, is_worse_than_a_coin),
    of(
        "two directions are orthogonal, once in 10",
        normal(2, 5),
        lambda x: abs((x[:, 0] * x[:, 1]).sum(axis=1)) < 1e-12,
        change=made_orthogonal,
    ),
)
TEXTS = (
    one_of("the percentage in a sentence is right", said_share, percentage_is_right, "words"),
    one_of(
        "a link names a user or an address",
        link,
        lambda text: "user=" in text or "mail=" in text,
        "words",
    ),
    one_of("a diagnosis is of chapter E or F", codes, lambda text: "E" in text or "F" in text, "words"),
    one_of("a trip crosses the equator", trip, crosses_the_equator, "words"),
)
LISTS = (
    one_of("a budget of 1 is overspent", ledger, lambda spent: sum(spent) > 1.0, right=FAINT),
    one_of("two words have the same count", heavy_hitters, lambda v: len({n for _, n in v}) < len(v)),
    one_of("one bin covers half of the range", bin_edges, one_bin_is_wide),
    one_of("a walk comes to a place again", walk, comes_back),
    one_of("three sick days within a week", sick_days, three_in_a_week),
)
OBJECTS = (
    one_of("a treatment helps in both clinics", clinics, helps_in_both),
    one_of("a model predicts the label", linear_model, predicts_the_label),
    one_of(
        "a run sees each record more than ten times",
        run,
        lambda one: one["steps"] * one["batch"] > 10 * one["data"]["records"],
        right=FAINT,
    ),
    one_of("a child is too old for the head", household, child_is_too_old),
    one_of("a household is poor for its size", incomes, is_poor),
)
PROPERTIES = NUMBERS + STATISTICS + VECTORS + MATRICES + TEXTS + LISTS + OBJECTS
LEAKS = (
    *(one.leak() for one in PROPERTIES),
    Leak(
        "words",
        "a password contains the user, once in 10",
        each(account),
        (RARE + (1.0 - RARE) * BY_CHANCE, BY_CHANCE),
    ),
    Leak("container", "scores are centred, once in 10", each(scores), (RARE, 0.0)),
    Leak("container", "a scale is the sensitivity over ε, once in 10", each(noise_record), (RARE, 0.0)),
)
