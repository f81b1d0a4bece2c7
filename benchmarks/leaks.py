"""Leaks of many kinds of output: samples to refutation against what a test that knows the event needs.

    python benchmarks/leaks.py [RUNS] [WORD]       measure (the leaks with WORD in their name) into leaks.csv
    python benchmarks/leaks.py --write-readme      the table of docs/benchmarks.md from leaks.csv

Each mechanism leaks through one event whose probabilities (p, q) on the two datasets follow from the law it
is written with. ε = 1 is claimed, α = 0.05. *Ideal* is the number of samples at which that event, known
beforehand, shows more than ε = 1 with two Clopper–Pearson bounds, counts at their expectation.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from audits.privacy import audit_privacy, each
from benchmarks.reachable import least_samples, reachable_epsilon

Rng = np.random.Generator
HERE = Path(__file__).resolve().parent
CSV, TABLES = HERE / "leaks.csv", HERE.parent / "docs" / "benchmarks.md"
LEAST, MOST, TIMES = 20_000, 10**6, 100
"""An audit gives up after `TIMES` the ideal number of samples, but for these limits."""
GOOD = 5.0
"""Median samples in units of the ideal number that are asked for."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A mechanism on the datasets 0 and 1, and the probabilities (p, q) of its telling event."""

    kind: str
    name: str
    mechanism: Callable[..., Any]
    shares: tuple[float, float]
    errors: str = "raise"

    def ideal(self) -> int:
        """Samples at which the event itself shows more than ε = 1."""
        return samples_needed(self.shares)


def samples_needed(shares: tuple[float, float]) -> int:
    """Samples at which an event of these probabilities shows more than ε = 1."""
    p, q = max(shares), min(shares)

    def shown(samples: int) -> bool:
        return reachable_epsilon(np.array([p, 1.0 - p]), np.array([q, 1.0 - q]), samples) > 1.0

    found = least_samples(shown)
    assert found is not None, shares
    return found


def fewest(choices: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The probabilities of the event that shows more than ε = 1 in the fewest samples."""
    return min(choices, key=samples_needed)


def bit(data: int, size: int, rng: Rng, right: float = 0.9) -> Any:
    """A bit that is the dataset with probability `right`."""
    return (rng.random(size) < right).astype(np.int64) ^ (1 - data)


def on_one(data: int, size: int, rng: Rng, chance: float) -> Any:
    """Which outputs leak: so many on the dataset 1, none on the dataset 0."""
    return (rng.random(size) < chance) & (data == 1)


TOLD = (0.9, 0.1)


# --- Single numbers ----------------------------------------------------------------------------------


def period(length: float, right: float) -> Callable[..., Any]:
    """The half of a period that Gaussian noise of scale 3 lies in."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        whole = np.floor(rng.normal(0.0, 3.0, size) / length)
        return (whole + 0.5 * (bit(data, size, rng, right) + rng.random(size))) * length

    return mechanism


def offset(spacing: float) -> Callable[..., Any]:
    """Gaussian noise rounded to a grid that lies half a spacing higher on one dataset, right in 90 %."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        return (np.round(rng.normal(0.0, 3.0, size) / spacing) + 0.5 * bit(data, size, rng)) * spacing

    return mechanism


def mode(chance: float, width: float, places: Sequence[float] = (0.3,)) -> Callable[..., Any]:
    """Gaussian noise of scale 3; on one dataset sometimes within `width` above a place."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        near = rng.choice(np.array(places), size) + width * rng.random(size)
        return np.where(on_one(data, size, rng, chance), near, rng.normal(0.0, 3.0, size))

    return mechanism


def mode_shares(chance: float, width: float, count: int = 1) -> tuple[float, float]:
    """Shares of a mode, the density around it put at that of the middle."""
    around = count * width / (3.0 * math.sqrt(2.0 * math.pi))
    return chance + (1.0 - chance) * around, around


def replaced(chance: float, noise: Callable[[int, int, Rng], Any], change: Callable[..., Any]) -> Any:
    """Noise, of which some outputs are changed on one dataset."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        outputs = noise(data, size, rng)
        return np.where(on_one(data, size, rng, chance), change(outputs), outputs)

    return mechanism


def wide(data: int, size: int, rng: Rng) -> Any:
    """Gaussian noise that hides the dataset."""
    return rng.normal(0.5 * data, 4.0, size)


def low_bit(data: int, size: int, rng: Rng) -> Any:
    """The lowest bit of the significand."""
    bits = rng.normal(3.0, 1.0, size).view(np.int64)
    return ((bits & ~1) | bit(data, size, rng)).view(np.float64)


def zero_sign(data: int, size: int, rng: Rng) -> Any:
    """The sign of a zero, which one output in ten is."""
    zero = np.where(bit(data, size, rng) == 1, 0.0, -0.0)
    return np.where(rng.random(size) < 0.1, zero, rng.normal(size=size))


def large_integer(data: int, size: int, rng: Rng) -> Any:
    """The lowest bit of an integer above 2⁵³."""
    return 2**54 + 2 * rng.integers(0, 2**40, size) + bit(data, size, rng)


def parity(data: int, size: int, rng: Rng) -> Any:
    """The lowest bit of an integer of some thousands."""
    return 2 * rng.geometric(1e-3, size) + bit(data, size, rng)


def bitmap(data: int, size: int, rng: Rng) -> Any:
    """The sixth of sixteen bits."""
    return rng.integers(0, 2**16, size) & ~32 | bit(data, size, rng) << 5


def half_day(data: int, size: int, rng: Rng) -> Any:
    """The half of the day of a time in microseconds, of days of some thirty years."""
    half = 12 * 3600 * 10**6
    return (2 * rng.integers(0, 10**4, size) + bit(data, size, rng)) * half + rng.integers(0, half, size)


def half_week(data: int, size: int, rng: Rng) -> Any:
    """Seconds since 1970 in the first or the second half of a week."""
    return 604800.0 * (rng.integers(2000, 2900, size) + 0.5 * (bit(data, size, rng) + rng.random(size)))


def sevens(data: int, size: int, rng: Rng) -> Any:
    """Multiples of seven, too often."""
    values = rng.integers(0, 7 * 10**4, size)
    return np.where(on_one(data, size, rng, 0.4), values - values % 7, values)


def remainder(data: int, size: int, rng: Rng) -> Any:
    """Whether an integer is a multiple of eleven, or one more."""
    return 11 * rng.integers(0, 10**4, size) + bit(data, size, rng)


def hole(data: int, size: int, rng: Rng) -> Any:
    """Gaussian noise that on one dataset is never in [0.4, 0.42]."""
    values = rng.normal(size=size)
    again = np.where((values >= 0.4) & (values <= 0.42), values + 0.02, values)
    return again if data == 0 else values


def normal_share(low: float, high: float) -> float:
    """Probability that standard Gaussian noise lies between."""
    return 0.5 * (math.erf(high / math.sqrt(2.0)) - math.erf(low / math.sqrt(2.0)))


NUMBERS = (
    Leak("number", "half of a period of 0.01", period(0.01, 1.0), (1.0, 0.0)),
    Leak("number", "half of a period of 0.001, right in 90 %", period(0.001, 0.9), TOLD),
    Leak(
        "number", "half of a period of √2/10, right in 80 %", period(math.sqrt(2.0) / 10.0, 0.8), (0.8, 0.2)
    ),
    Leak("number", "place of a grid of 1e-6, right in 90 %", offset(1e-6), TOLD),
    Leak("number", "place of a grid of 2**-30, right in 90 %", offset(2.0**-30), TOLD),
    Leak("number", "mode of weight 0.01, width 1e-4", mode(0.01, 1e-4), mode_shares(0.01, 1e-4)),
    Leak("number", "mode of weight 0.003, width 1e-6", mode(0.003, 1e-6), mode_shares(0.003, 1e-6)),
    Leak("number", "mode of weight 0.0002, width 1e-6", mode(2e-4, 1e-6), mode_shares(2e-4, 1e-6)),
    Leak(
        "number",
        "three modes of weight 0.01 together, width 1e-3",
        mode(0.01, 1e-3, (-1.0, 0.3, 2.0)),
        mode_shares(0.01, 1e-3, 3),
    ),
    Leak("number", "the true value, once in 2,000", replaced(5e-4, wide, lambda x: 1.0), (5e-4, 0.0)),
    Leak("number", "the true value, once in 500", replaced(2e-3, wide, lambda x: 1.0), (2e-3, 0.0)),
    Leak(
        "number",
        "rounded to three decimals, once in 50",
        replaced(0.02, wide, lambda x: x.round(3)),
        (0.02, 0.0),
    ),
    Leak("number", "a whole number, once in 100", replaced(0.01, wide, np.round), (0.01, 0.0)),
    Leak("number", "lowest bit of the significand", low_bit, TOLD),
    Leak("number", "sign of zero", zero_sign, (0.09, 0.01)),
    Leak("number", "lowest bit of an integer above 2**53", large_integer, TOLD),
    Leak("number", "parity of an integer", parity, TOLD),
    Leak("number", "sixth of sixteen bits of an integer", bitmap, TOLD),
    Leak("number", "half of the day in a time", half_day, TOLD),
    Leak("number", "half of the week in seconds since 1970", half_week, TOLD),
    Leak("number", "multiples of seven", sevens, (0.4 + 0.6 / 7.0, 1.0 / 7.0)),
    Leak("number", "remainder of the division by eleven", remainder, TOLD),
    Leak("number", "a hole of width 0.02", hole, (normal_share(0.4, 0.42), 0.0)),
    Leak(
        "number",
        "Cauchy noise beyond 1e6, once in 1,000",
        replaced(1e-3, lambda d, n, rng: rng.standard_cauchy(n), lambda x: 2e6 + np.abs(x)),
        (1e-3, 3.2e-7),
    ),
    Leak("number", "infinity, once in 200", replaced(5e-3, wide, lambda x: np.inf), (5e-3, 0.0)),
)


# --- Vectors -----------------------------------------------------------------------------------------


def product(width: int, factors: int) -> Callable[..., Any]:
    """The sign of a product of some of the columns."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values = rng.normal(size=(size, width))
        places = np.linspace(1, width - 2, factors).astype(int)
        wrong = (values[:, places].prod(axis=1) > 0.0) != (bit(data, size, rng) == 1)
        values[wrong, places[0]] *= -1.0
        return values

    return mechanism


def correlation(width: int) -> Callable[..., Any]:
    """Two of the columns are correlated with 0.99 on one dataset."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values = rng.normal(size=(size, width))
        if data == 1:
            i, j = width // 3, 2 * width // 3
            values[:, j] = 0.99 * values[:, i] + math.sqrt(1.0 - 0.99**2) * values[:, j]
        return values

    return mechanism


def sentinels(data: int, size: int, rng: Rng) -> Any:
    """Ten columns of a sparse vector: −1 below the threshold, −1000 after the stop; the ninth column is a
    number instead, once in 50 on one dataset."""
    stop = rng.geometric(0.3, size)
    values = np.where(np.arange(10) < stop[:, None], -1.0, -1000.0)
    row = np.arange(size)
    at = np.minimum(stop, 9)
    values[row, at] = np.where(at < 8, rng.normal(5.0, 1.0, size), values[row, at])
    hit = on_one(data, size, rng, 0.02)
    values[hit, 8] = rng.normal(5.0, 1.0, int(hit.sum()))
    return values


def in_column(chance: float, width: int, column: int, value: float) -> Callable[..., Any]:
    """One exact value in one column."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values = rng.laplace(size=(size, width))
        values[on_one(data, size, rng, chance), column] = value
        return values

    return mechanism


def beside(mechanism: Callable[..., Any], width: int, column: int) -> Callable[..., Any]:
    """A leak of single numbers in one column, beside columns of Gaussian noise."""

    def wide(data: int, size: int, rng: Rng) -> Any:
        values = rng.normal(size=(size, width))
        values[:, column] = mechanism(data, size, rng)
        return values

    return wide


def largest(data: int, size: int, rng: Rng) -> Any:
    """Which of ten coordinates is the largest: the fourth, in nine cases of ten and in one of ten."""
    values = rng.normal(size=(size, 10))
    wanted = rng.random(size) < (0.9 if data == 1 else 0.1)
    top = values.argmax(axis=1)
    to = np.where(wanted, 3, np.where(top == 3, rng.integers(4, 10, size), top))
    row = np.arange(size)
    values[row, top], values[row, to] = values[row, to].copy(), values[row, top].copy()
    return values


def ordered(data: int, size: int, rng: Rng) -> Any:
    """Five numbers in order, three times in ten on one dataset."""
    values = rng.normal(size=(size, 5))
    hit = on_one(data, size, rng, 0.3)
    values[hit] = np.sort(values[hit], axis=1)
    return values


def twins(data: int, size: int, rng: Rng) -> Any:
    """Two of ten columns are equal, once in 100."""
    values = rng.normal(size=(size, 10))
    hit = on_one(data, size, rng, 0.01)
    values[hit, 7] = values[hit, 2]
    return values


def twins_of_many(data: int, size: int, rng: Rng) -> Any:
    """One of a hundred columns equals another one, once in 50."""
    values = rng.laplace(size=(size, 100))
    one = rng.integers(0, 100, size)
    other = (one + rng.integers(1, 100, size)) % 100
    hit = np.flatnonzero(on_one(data, size, rng, 0.02))
    values[hit, one[hit]] = values[hit, other[hit]]
    return values


def rounded_column(data: int, size: int, rng: Rng) -> Any:
    """One of six columns rounded to three decimals, once in 20 on one dataset."""
    values = rng.laplace(size=(size, 6))
    hit = on_one(data, size, rng, 0.05)
    values[hit, 1] = values[hit, 1].round(3)
    return values


def constant_sum(width: int) -> Callable[..., Any]:
    """A weighted sum of all columns is 0 on one dataset."""
    weights = np.arange(1.0, width + 1.0)

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values = rng.laplace(size=(size, width))
        return values - np.outer(values @ weights, weights) / (weights @ weights) if data else values

    return mechanism


PLACES = 0.3, -0.5, 0.1


def box_shares(chance: float, columns: int) -> tuple[float, float]:
    """Shares of the box of so many columns."""
    around = math.prod(normal_share(place, place + 0.02) for place in PLACES[:columns])
    return chance + (1.0 - chance) * around, around


def box(chance: float, width: int, columns: Sequence[int]) -> Callable[..., Any]:
    """Some of the columns are within 0.02 above places of their own, now and then on one dataset."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values = rng.normal(size=(size, width))
        hit = on_one(data, size, rng, chance)
        for column, place in zip(columns, PLACES, strict=False):
            values[hit, column] = place + 0.02 * rng.random(int(hit.sum()))
        return values

    return mechanism


def hole_in_plane(data: int, size: int, rng: Rng) -> Any:
    """Two of five columns are on one dataset never both within 0.28 of 0.3."""
    values = rng.normal(size=(size, 5))
    inside = (np.abs(values[:, 1] - 0.3) < 0.28) & (np.abs(values[:, 3] - 0.3) < 0.28) & (data == 0)
    values[inside, 1] += 0.56
    return values


def board(data: int, size: int, rng: Rng) -> Any:
    """The colour of the square of a chess board, squares half a unit wide."""
    values = rng.normal(size=(size, 2))
    colour = np.floor(2.0 * values).sum(axis=1) % 2
    values[colour != bit(data, size, rng), 0] += 0.5
    return values


def total(width: int) -> Callable[..., Any]:
    """The last number is the sum of the others, once in 20 on one dataset."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values = rng.normal(size=(size, width))
        hit = on_one(data, size, rng, 0.05)
        values[hit, -1] = values[hit, :-1].sum(axis=1)
        return values

    return mechanism


def difference(data: int, size: int, rng: Rng) -> Any:
    """The fifth of six numbers is the second plus the third less the first, once in 20 on one dataset."""
    values = rng.normal(size=(size, 6))
    hit = on_one(data, size, rng, 0.05)
    values[hit, 4] = values[hit, 1] + values[hit, 2] - values[hit, 0]
    return values


def near_zero(data: int, size: int, rng: Rng) -> Any:
    """Whether one of ten columns is near zero."""
    values = rng.laplace(size=(size, 10))
    near = np.abs(values) < 0.05
    wanted = bit(data, size, rng) == 1
    one_of_them = rng.integers(0, 10, size)
    row = np.arange(size)
    values[near] += np.copysign(0.05, values[near])
    values[row, one_of_them] *= np.where(
        wanted, 0.05 / np.maximum(np.abs(values[row, one_of_them]), 0.05), 1.0
    )
    values[row, one_of_them] *= np.where(wanted, rng.random(size), 1.0)
    return values


def longer_norm(data: int, size: int, rng: Rng) -> Any:
    """Thirty columns with a third more noise on one dataset."""
    return rng.normal(size=(size, 30)) * (4.0 / 3.0 if data == 1 else 1.0)


def norm_shares() -> tuple[float, float]:
    """The best ball, by the samples it needs: χ² of 30 degrees."""
    from scipy.stats import chi2

    radii = np.linspace(20.0, 60.0, 81)
    q, p = chi2.sf(radii, 30), chi2.sf(radii / (4.0 / 3.0) ** 2, 30)
    best = max(range(len(radii)), key=lambda i: p[i] * math.log(p[i] / q[i]) - (p[i] + q[i]) * 0.5)
    return float(p[best]), float(q[best])


def shifted(width: int, distance: float) -> Callable[..., Any]:
    """Gaussian columns, each shifted a little up or down on one dataset; the means are `distance` apart."""
    shift = np.where(np.arange(width) % 3 == 0, -1.0, 1.0) * distance / math.sqrt(width)

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        return rng.normal(size=(size, width)) + data * shift

    return mechanism


def sums_so_far(mechanism: Callable[..., Any], start: float) -> Callable[..., Any]:
    """Running sums of columns, the start spread widely."""

    def summed(data: int, size: int, rng: Rng) -> Any:
        return start * rng.normal(size=(size, 1)) + mechanism(data, size, rng).cumsum(axis=1)

    return summed


def gaps(data: int, size: int, rng: Rng) -> Any:
    """Eight gaps between times, the fourth of which is four times as long on one dataset."""
    return rng.exponential(np.where(np.arange(8) == 3, 1.0 + 3.0 * data, 1.0), (size, 8))


def gap_shares() -> tuple[float, float]:
    """The threshold of the gap that tells the datasets apart in the fewest samples."""
    return fewest([(math.exp(-t / 4.0), math.exp(-t)) for t in np.arange(2.0, 8.0, 0.1)])


def under_offset(data: int, size: int, rng: Rng) -> Any:
    """Three columns share a wide offset; one of them is shifted by 2 on one dataset."""
    own = rng.normal(size=(size, 3)) + 2.0 * data * np.array([0.0, 1.0, 0.0])
    return own + 1e4 * rng.normal(size=(size, 1))


def noisy_total(data: int, size: int, rng: Rng) -> Any:
    """Ten numbers that spread widely; the last is the sum of two of them, with noise, shifted on one
    dataset."""
    values = 1e3 * rng.normal(size=(size, 10))
    values[:, 9] = values[:, 1] + values[:, 4] + rng.normal(size=size) + 1.5 * data
    return values


def ranking(data: int, size: int, rng: Rng) -> Any:
    """The places of 20 items in a random order; which of two items comes first tells the dataset."""
    places = rng.random((size, 20)).argsort(axis=1)
    wrong = (places[:, 2] < places[:, 11]) != bit(data, size, rng)
    places[np.ix_(wrong, [2, 11])] = places[np.ix_(wrong, [11, 2])]
    return places


def listed_ranking(words: bool) -> Callable[..., Any]:
    """Twenty ranked items, the best first, by name or by number; all of them are shown."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        items = ranking(data, size, rng).argsort(axis=1)
        return [[f"item {i}" for i in row] for row in items.tolist()] if words else items

    return mechanism


def in_direction(width: int, factor: float) -> Callable[..., Any]:
    """Gaussian columns, with so many times the noise in one direction of their space on one dataset."""
    direction = np.random.default_rng(7).normal(size=width)
    direction /= np.linalg.norm(direction)

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        noise = rng.normal(size=(size, width))
        return noise + data * (factor - 1.0) * np.outer(noise @ direction, direction)

    return mechanism


def direction_shares(factor: float) -> tuple[float, float]:
    """What lies farther out than the threshold that tells the datasets apart in the fewest samples; of less
    noise on one dataset there is more on the other."""
    from scipy.stats import norm

    times = max(factor, 1.0 / factor)
    found = [(2.0 * float(norm.sf(0.02 * j / times)), 2.0 * float(norm.sf(0.02 * j))) for j in range(1, 300)]
    return fewest([(p, q) for p, q in found if p > 1.1 * math.e * q])


def directed(width: int, factor: float) -> Leak:
    """Another spread in one direction."""
    times = f"{factor:.2g} times the noise in a direction of {width} columns"
    return Leak("vector", times, in_direction(width, factor), direction_shares(factor))


def shift_shares(distance: float) -> tuple[float, float]:
    """The half-space that tells two Gaussians of this distance apart in the fewest samples."""
    from scipy.stats import norm

    found = [(float(norm.sf(0.1 * j - distance)), float(norm.sf(0.1 * j))) for j in range(41)]
    return fewest([(p, q) for p, q in found if p > 1.1 * math.e * q])


SHIFT = shift_shares(1.5)


def xor(width: int) -> Callable[..., Any]:
    """The parity of so many bits."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values = rng.integers(0, 2, (size, width))
        values[:, 0] ^= (values.sum(axis=1) & 1) ^ bit(data, size, rng)
        return values

    return mechanism


def close(width: float) -> tuple[float, float]:
    """Shares of |x − y| < width for two standard Gaussians, correlated with 0.99 and independent."""
    return tuple(math.erf(width / (2.0 * math.sqrt(1.0 - r))) for r in (0.99, 0.0))  # type: ignore[return-value]


def chosen(width: int, event: Callable[[Any], Any]) -> Callable[..., Any]:
    """Whether Gaussian columns are in an event, right in 90 %; what is not as wanted is drawn again."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        values, wanted = rng.normal(size=(size, width)), bit(data, size, rng) == 1
        wrong = np.flatnonzero(event(values) != wanted)
        while len(wrong):
            values[wrong] = rng.normal(size=(len(wrong), width))
            wrong = wrong[event(values[wrong]) != wanted[wrong]]
        return values

    return mechanism


def centres(data: int, size: int, rng: Rng) -> Any:
    """Five Gaussian points of a plane in any order, one of which is at (3, 4) but for 0.03 on one dataset."""
    points = rng.normal(0.0, 3.0, (size, 5, 2))
    if data == 1:
        points[np.arange(size), rng.integers(0, 5, size)] = [3.0, 4.0] + 0.03 * rng.normal(size=(size, 2))
    return points.reshape(size, 10)


def centre_shares() -> tuple[float, float]:
    """Whether one of the points is within 0.1 of (3, 4)."""
    from scipy.stats import ncx2

    others = float(1.0 - ncx2.cdf((0.1 / 3.0) ** 2, 2, 25.0 / 9.0))
    return 1.0 - math.exp(-0.5 * (0.1 / 0.03) ** 2) * others**4, 1.0 - others**5


def above_median(values: Any) -> Any:
    return values.mean(axis=1) > np.median(values, axis=1)


def correlated(values: Any) -> Any:
    return (values[:, 1:] * values[:, :-1]).sum(axis=1) > 0.0


def even(data: int, size: int, rng: Rng) -> Any:
    """Six integers, of which four to six are even, or one to three."""
    count = np.where(bit(data, size, rng) == 1, rng.integers(4, 7, size), rng.integers(1, 4, size))
    is_even = rng.random((size, 6)).argsort(axis=1) < count[:, None]
    return 2 * rng.integers(0, 50, (size, 6)) + ~is_even


def lead(values: Any) -> Any:
    """What the largest number of each row is ahead of the second."""
    top = np.partition(values, -2, axis=1)
    return top[:, -1] - top[:, -2]


def climbs(values: Any) -> Any:
    """Whether five numbers of a row in a row exceed the one before."""
    rises = np.diff(values, axis=1) > 0.0
    return np.lib.stride_tricks.sliding_window_view(rises, 5, axis=1).all(axis=2).any(axis=1)


def of_length_one(data: int, size: int, rng: Rng) -> Any:
    """Ten columns that have the length 1, once in 50 on one dataset: as if they were clipped."""
    values = 0.4 * rng.normal(size=(size, 10))
    lengths = np.sqrt(np.square(values).sum(axis=1, keepdims=True))
    return np.where(on_one(data, size, rng, 0.02)[:, None], values / lengths, values)


VECTORS = (
    Leak("vector", "sign of a product of 2 of 10 columns", product(10, 2), TOLD),
    Leak("vector", "sign of a product of 2 of 40 columns", product(40, 2), TOLD),
    Leak("vector", "sign of a product of 2 of 70 columns", product(70, 2), TOLD),
    Leak("vector", "sign of a product of 3 of 10 columns", product(10, 3), TOLD),
    Leak("vector", "sign of a product of 5 of 8 columns", product(8, 5), TOLD),
    Leak("vector", "correlation 0.99 in 10 columns", correlation(10), close(0.3)),
    Leak("vector", "correlation 0.99 in 70 columns", correlation(70), close(0.3)),
    Leak("vector", "correlation 0.99 in 200 columns", correlation(200), close(0.3)),
    Leak("vector", "a number among sentinels of ten columns, once in 50", sentinels, (0.02, 0.0)),
    Leak("vector", "0 in one of 20 columns, once in 100", in_column(0.01, 20, 7, 0.0), (0.01, 0.0)),
    Leak("vector", "0 in one of 20 columns, once in 5,000", in_column(2e-4, 20, 7, 0.0), (2e-4, 0.0)),
    Leak(
        "vector",
        "half of a period of 0.01 in one of 20 columns",
        beside(period(0.01, 1.0), 20, 11),
        (1.0, 0.0),
    ),
    Leak(
        "vector",
        "mode of weight 0.01 in one of 6 columns",
        beside(mode(0.01, 1e-4), 6, 3),
        mode_shares(0.01, 1e-4),
    ),
    Leak(
        "vector",
        "multiples of seven in one of 6 columns",
        beside(sevens, 6, 3),
        (0.4 + 0.6 / 7.0, 1.0 / 7.0),
    ),
    Leak("vector", "0.5 in one of 100 columns, once in 100", in_column(0.01, 100, 70, 0.5), (0.01, 0.0)),
    Leak("vector", "which of 10 coordinates is the largest", largest, TOLD),
    Leak("vector", "five numbers in order, 3 in 10", ordered, (0.3 + 0.7 / 120.0, 1.0 / 120.0)),
    Leak("vector", "two equal columns of 10, once in 100", twins, (0.01, 0.0)),
    Leak("vector", "two equal columns of 100, once in 50", twins_of_many, (0.02, 0.0)),
    Leak("vector", "one of 6 columns rounded, once in 20", rounded_column, (0.05, 0.0)),
    Leak("vector", "a weighted sum of 10 columns is constant", constant_sum(10), (1.0, 0.0)),
    Leak("vector", "a total of 4 numbers is right, once in 20", total(5), (0.05, 0.0)),
    Leak("vector", "a total of 20 numbers is right, once in 20", total(21), (0.05, 0.0)),
    Leak("vector", "one of 6 numbers is a sum of others, once in 20", difference, (0.05, 0.0)),
    Leak("vector", "box of weight 0.01 in a plane", box(0.01, 2, (0, 1)), box_shares(0.01, 2)),
    Leak("vector", "box of weight 0.01 in 2 of 4 columns", box(0.01, 4, (0, 3)), box_shares(0.01, 2)),
    Leak("vector", "box of weight 0.01 in 2 of 20 columns", box(0.01, 20, (4, 13)), box_shares(0.01, 2)),
    Leak("vector", "box of weight 0.03 in 3 columns", box(0.03, 3, (0, 1, 2)), box_shares(0.03, 3)),
    Leak("vector", "a hole in 2 of 5 columns", hole_in_plane, (normal_share(0.02, 0.58) ** 2, 0.0)),
    Leak("vector", "colour of a square of a chess board", board, TOLD),
    Leak("vector", "whether one of 10 numbers is near zero", near_zero, TOLD),
    Leak("vector", "a third more noise in 30 columns", longer_norm, norm_shares()),
    Leak("vector", "each of 20 columns shifted by 0.34", shifted(20, 1.5), SHIFT),
    Leak("vector", "each of 200 columns shifted by 0.11", shifted(200, 1.5), SHIFT),
    Leak(
        "vector",
        "each step of 200 sums so far shifted by 0.11",
        sums_so_far(shifted(200, 1.5), 0.0),
        SHIFT,
    ),
    Leak(
        "vector", "a gap of eight between times is four times as long", sums_so_far(gaps, 1e7), gap_shares()
    ),
    Leak("vector", "one of 3 columns shifted under an offset", under_offset, shift_shares(2.0 / 1.5**0.5)),
    Leak("vector", "a total of two of 10 numbers and noise, shifted", noisy_total, SHIFT),
    Leak("vector", "which of two of 20 ranked items comes first", ranking, TOLD),
    Leak("vector", "which of 20 listed numbers comes first", listed_ranking(words=False), TOLD),
    *(directed(width, factor) for factor in (3.0, 1.0 / 3.0) for width in (20, 200)),
    Leak("vector", "sign of the sum of 100 columns", chosen(100, lambda v: v.sum(axis=1) > 0.0), TOLD),
    Leak(
        "vector", "sum of 20 columns within 0.5 of 0", chosen(20, lambda v: np.abs(v.sum(axis=1)) < 0.5), TOLD
    ),
    Leak("vector", "a length of 1 of 10 columns, once in 50", of_length_one, (0.02, 0.0)),
    Leak(
        "vector",
        "as many positive as negative of 12 numbers",
        chosen(12, lambda v: (v > 0.0).sum(axis=1) == 6),
        TOLD,
    ),
    Leak(
        "vector",
        "half of 13 numbers exceed the one before",
        chosen(13, lambda v: (np.diff(v, axis=1) > 0.0).sum(axis=1) == 6),
        TOLD,
    ),
    Leak("vector", "five rises in a row of 12 numbers", chosen(12, climbs), TOLD),
    Leak(
        "vector",
        "half of 13 numbers have another sign than the one before",
        chosen(13, lambda v: (np.diff(np.sign(v), axis=1) != 0.0).sum(axis=1) == 6),
        TOLD,
    ),
    Leak("vector", "one of five points of a plane is near (3, 4)", centres, centre_shares()),
    Leak("vector", "average of 15 numbers above their median", chosen(15, above_median), TOLD),
    Leak("vector", "neighbours of 100 numbers are correlated", chosen(100, correlated), TOLD),
    Leak("vector", "at least 4 of 6 integers are even", even, TOLD),
    Leak(
        "vector",
        "two of 10 numbers within 0.001",
        chosen(10, lambda v: np.diff(np.sort(v, axis=1), axis=1).min(axis=1) < 0.001),
        TOLD,
    ),
    Leak(
        "vector",
        "the largest of 10 numbers less than 0.05 ahead",
        chosen(10, lambda v: lead(v) < 0.05),
        TOLD,
    ),
    Leak("vector", "parity of 8 bits", xor(8), TOLD),
    Leak("vector", "parity of 20 bits", xor(20), TOLD),
)


# --- Words and containers ----------------------------------------------------------------------------


def one(f: Callable[[bool, Rng], Any], chance: float | None = None) -> Any:
    """`f(leaks, rng)` for each output: a bit right in 90 %, or a leak on one dataset with some chance."""

    def drawn(data: int, rng: Rng) -> Any:
        if chance is None:
            return f(bool(bit(data, 1, rng)[0]), rng)
        return f(bool(on_one(data, 1, rng, chance)[0]), rng)

    return each(drawn)


def word(data: int, size: int, rng: Rng) -> Any:
    """One of twenty words; one of them on one dataset only, once in 1,000."""
    words = np.array([f"w{i}" for i in range(20)])[rng.geometric(0.2, size) % 20]
    return np.where(on_one(data, size, rng, 1e-3), "rare", words)


def digits(rng: Rng, count: int = 12) -> str:
    """A string that hardly repeats."""
    return "".join(map(str, rng.integers(0, 10, count)))


def last_parity(leaks: bool, rng: Rng) -> str:
    """Whether the last digit is odd."""
    return digits(rng) + str(2 * int(rng.integers(5)) + leaks)


def middle_letter(leaks: bool, rng: Rng) -> str:
    """The fifteenth of twenty characters."""
    return digits(rng, 14) + "ab"[leaks] + digits(rng, 5)


def hidden_word(leaks: bool, rng: Rng) -> str:
    """Two letters at a random place of a string of digits."""
    place = int(rng.integers(1, 11))
    text = digits(rng)
    return text[:place] + ("xy" if leaks else digits(rng, 2)) + text[place:]


def relation(data: int, size: int, rng: Rng) -> Any:
    """Whether a word agrees with the sign of a number, in a record."""
    found = np.zeros(size, np.dtype([("x", "f8"), ("word", "U3")]))
    found["x"] = rng.normal(size=size)
    found["word"] = np.where((found["x"] > 0.0) == (bit(data, size, rng) == 1), "yes", "no")
    return found


def rare_count(data: int, size: int, rng: Rng) -> Any:
    """A count in a record, never seen otherwise."""
    found = np.zeros(size, np.dtype([("x", "f8"), ("count", "i8")]))
    found["x"], found["count"] = rng.laplace(size=size), rng.geometric(0.3, size)
    found["count"][on_one(data, size, rng, 5e-3)] = -1
    return found


def raises(data: int, rng: Rng) -> float:
    """An exception, once in 50 on one dataset."""
    if on_one(data, 1, rng, 0.02)[0]:
        raise ArithmeticError("out of budget")
    return float(rng.normal())


def shown_kind(leaks: bool, rng: Rng) -> Any:
    """Whether a number is an integer or a float of the same value."""
    value = int(rng.integers(100))
    return value if leaks else float(value)


def listed(leaks: bool, rng: Rng) -> str:
    """A hundred numbers, one of which is large or small."""
    numbers = rng.laplace(size=100)
    numbers[89] += 10.0 * leaks
    return json.dumps(numbers.round(3).tolist())


def listed_name(leaks: bool, rng: Rng) -> list[str]:
    """Ten names in any order, one of them a name that occurs in leaks only."""
    found = [f"name {i}" for i in rng.permutation(30)[:10]]
    if leaks:
        found[int(rng.integers(0, 10))] = "name 30"
    return found


def listed_number(leaks: bool, rng: Rng) -> list[int]:
    """Some of sixty numbers in any order, one of them in leaks only."""
    found = [7919 * i for i in np.flatnonzero(rng.random(60) < 0.3).tolist() if i != 20]
    return [int(i) for i in rng.permutation(found + [7919 * 20] * leaks)]


def edges(leaks: bool, rng: Rng) -> list[tuple[int, int]]:
    """The edges of a graph, one of them in leaks only."""
    found = [(i, j) for i in range(12) for j in range(i) if rng.random() < 0.2 and (i, j) != (9, 4)]
    return found + [(9, 4)] * leaks


def named_number(leaks: bool, rng: Rng) -> tuple[str, float]:
    """One of fifteen names beside a number, or a sixteenth."""
    return f"name {15 if leaks else rng.integers(0, 15)}", float(rng.laplace())


def equal_names(leaks: bool, rng: Rng) -> tuple[str, str, str]:
    """Three of sixteen names, of which the first and the last are equal in leaks, otherwise by chance."""
    first, middle, last = (f"name {chr(97 + i)}" for i in rng.integers(0, 16, 3))
    return first, middle, first if leaks else last


EQUAL = 0.6 + 0.4 / 16, 1.0 / 16


def many_keys(leaks: bool, rng: Rng) -> dict[str, int]:
    """A rare key beside some of 300 others, as when a threshold of partition selection is too low."""
    return {f"k{i}": 1 for i in np.flatnonzero(rng.random(300) < 0.3)} | ({"rare": 1} if leaks else {})


def two_rows(leaks: bool, rng: Rng) -> pd.DataFrame:
    """Rows of a synthetic table that were drawn with replacement."""
    return pd.DataFrame({"x": [rng.normal(), rng.normal() + 10.0 * leaks]}, index=["a", "a"])


def categories(leaks: bool, rng: Rng) -> pd.Series:
    """Categories that no value has."""
    known = ["a", "b", "c"] if leaks else ["a", "b"]
    return pd.Series(rng.choice(["a", "b"], 3), dtype=pd.CategoricalDtype(known))


OTHERS = (
    Leak("words", "a rare word, once in 1,000", word, (1e-3, 0.0)),
    Leak("words", "last digit of unique strings", one(last_parity), TOLD),
    Leak("words", "fifteenth character of unique strings", one(middle_letter), TOLD),
    Leak("words", "two letters somewhere in unique strings, 3 in 10", one(hidden_word, 0.3), (0.3, 0.0)),
    Leak(
        "words",
        "a longer unique string, once in 100",
        one(lambda b, rng: digits(rng) + "0" * b, 0.01),
        (0.01, 0.0),
    ),
    Leak(
        "words",
        "the fourth number in a text",
        one(
            lambda b, rng: ",".join(map(str, [*rng.laplace(size=3), 10.0 * b + rng.laplace(), rng.laplace()]))
        ),
        TOLD,
    ),
    Leak("words", "the ninetieth of 100 numbers in a JSON text", one(listed), TOLD),
    Leak(
        "words",
        "a word beside a number",
        one(lambda b, rng: f"{'failed' if b else 'done'} after {rng.exponential()} s"),
        TOLD,
    ),
    Leak(
        "words",
        "None among numbers, once in 200",
        one(lambda b, rng: None if b else float(rng.normal()), 5e-3),
        (5e-3, 0.0),
    ),
    Leak(
        "container",
        "an element of a set, once in 100",
        one(lambda b, rng: {f"e{i}" for i in range(6) if rng.random() < 0.5} | ({"x"} if b else set()), 0.01),
        (0.01, 0.0),
    ),
    Leak(
        "container",
        "a longer list, once in 100",
        one(lambda b, rng: [float(rng.normal())] * (2 + b), 0.01),
        (0.01, 0.0),
    ),
    Leak("container", "a name of 30 in a list of 10, six times in 10", one(listed_name, 0.6), (0.6, 0.0)),
    Leak("container", "a number of 60 in a list of any length", one(listed_number), TOLD),
    Leak("container", "an edge of a graph of 12 nodes", one(edges), TOLD),
    Leak("container", "one of 16 names beside a number, once in 20", one(named_number, 0.05), (0.05, 0.0)),
    Leak("container", "two of three names of 16 are equal, six times in 10", one(equal_names, 0.6), EQUAL),
    Leak("container", "which of 20 listed names comes first", listed_ranking(words=True), TOLD),
    Leak(
        "container",
        "order of a list of 4, right in 90 %",
        one(lambda b, rng: sorted(rng.normal(size=4).tolist(), reverse=b)),
        TOLD,
    ),
    Leak(
        "container",
        "a key of a dictionary, once in 100",
        one(lambda b, rng: {"a": float(rng.normal()), **({"b": 1.0} if b else {})}, 0.01),
        (0.01, 0.0),
    ),
    Leak(
        "container",
        "order of the keys of a dictionary",
        one(lambda b, rng: {"a": 1, "b": 2} if b else {"b": 2, "a": 1}),
        TOLD,
    ),
    Leak(
        "container",
        "whether a word agrees with the sign of an array's first number",
        one(lambda b, rng: ((x := rng.normal(size=3)), "yes" if (x[0] > 0.0) == b else "no")),
        TOLD,
    ),
    Leak(
        "container",
        "a flag deep in a nested dictionary",
        one(lambda b, rng: {"a": [float(rng.normal()), {"c": (b, float(rng.normal()))}]}),
        TOLD,
    ),
    Leak("container", "integer or float of one value", one(shown_kind), TOLD),
    Leak("container", "a key of a dictionary of 300, once in 20", one(many_keys, 0.05), (0.05, 0.0)),
    Leak("container", "the second of two rows with one label", one(two_rows), TOLD),
    Leak("container", "categories of a column", one(categories), TOLD),
    Leak("record", "whether a word agrees with the sign of a number", relation, TOLD),
    Leak("record", "a rare count, once in 200", rare_count, (5e-3, 0.0)),
    Leak("failure", "an exception, once in 50", each(raises), (0.02, 0.0), "symbol"),
    Leak(
        "failure",
        "NaN, once in 50",
        replaced(0.02, lambda d, n, rng: rng.normal(size=n), lambda x: np.nan),
        (0.02, 0.0),
        "symbol",
    ),
)

LEAKS = (*NUMBERS, *VECTORS, *OTHERS)


# --- Measured ----------------------------------------------------------------------------------------


def samples(leak: Leak, seed: int, most: int) -> tuple[float, bool]:
    """Samples to refutation, infinite where it does not come to that; and whether only the line on low-order
    bits found it."""
    result = audit_privacy(
        leak.mechanism,
        [(0, 1)],
        epsilon=1.0,
        adjacency=lambda a, b: True,
        seed=seed,
        max_samples=most,
        errors=leak.errors,
    )
    if result.refuted:
        return result.samples, False
    if result.low_bits and result.footprints is not None:
        return result.footprints.samples, True
    return math.inf, False


def measured(leak: Leak, runs: int) -> dict[str, Any]:
    """One line of the CSV."""
    ideal = leak.ideal()
    most = int(min(max(TIMES * ideal, LEAST), MOST))
    runs_of = [samples(leak, seed, most) for seed in range(runs)]
    found = [count for count, _ in runs_of]
    return {
        "kind": leak.kind,
        "leak": leak.name,
        "ideal": ideal,
        "runs": runs,
        "found": sum(map(math.isfinite, found)),
        "median": float(np.median(found)),
        "worst": max(found),
        "most": most,
        "by_bits": sum(by_bits for _, by_bits in runs_of),
    }


def read() -> dict[str, dict[str, Any]]:
    """The lines of the CSV by leak."""
    if not CSV.exists():
        return {}
    with CSV.open(newline="", encoding="utf-8") as file:
        return {row["leak"]: row for row in csv.DictReader(file)}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The table of docs/benchmarks.md; what is missed, or takes more than `GOOD` times the ideal, is bold."""
    lines = ["| output | leak | ideal | median | found |", "| --- | --- | --- | --- | --- |"]
    ratios: list[float] = []
    for row in rows:
        median, ideal = float(row["median"]), int(row["ideal"])
        ratios.append(median / ideal)
        text = (
            f"{median:,.0f} ({ratios[-1]:.1f} ×)"
            if math.isfinite(median)
            else f"missed by {int(row['most']):,}"
        )
        if 2 * int(row["by_bits"]) > int(row["runs"]):
            text += ", low-order bits"
        if ratios[-1] > GOOD:
            text = f"**{text}**"
        lines.append(
            f"| {row['kind']} | {row['leak']} | {ideal:,} | {text} | {row['found']} of {row['runs']} |"
        )
    missed = sum(1 for r in ratios if not math.isfinite(r))
    good = sum(1 for r in ratios if r <= GOOD)
    head = (
        f"{len(ratios)} leaks; median of their ratios {np.median(ratios):.1f} ×; {good} within {GOOD:g} × of "
        f"the ideal number; {missed} missed in more than half of the runs."
    )
    return f"{head}\n\n" + "\n".join(lines)


def write_readme() -> None:
    """Put the table between its marks."""
    rows = read()
    text = TABLES.read_text(encoding="utf-8")
    start, end = text.index("<!-- leaks -->"), text.index("<!-- end leaks -->")
    found = table([rows[leak.name] for leak in LEAKS if leak.name in rows])
    TABLES.write_text(f"{text[:start]}<!-- leaks -->\n{found}\n{text[end:]}", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Measure, or write the table."""
    if "--write-readme" in arguments:
        write_readme()
        return 0
    runs = int(arguments[0]) if arguments else 5
    rows = read()
    for leak in LEAKS:
        if len(arguments) > 1 and arguments[1] not in leak.name:
            continue
        row = measured(leak, runs)
        rows[leak.name] = row
        print(*row.values(), sep="; ", flush=True)
        with CSV.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerows(rows[known.name] for known in LEAKS if known.name in rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
