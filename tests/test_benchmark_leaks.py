"""The leaks of `benchmarks/leaks.py`: their events have the probabilities that the ideal numbers rest on."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audits.privacy import audit_privacy
from benchmarks import leaks

SIZE = 20_000
ALPHA = 1e-8
"""False-alarm probability of each count: some 80 counts, below 1e-6 in all; the seed is fixed."""
Event = Callable[[Any], Any]
OTHER = SIZE // 10


def _sorted(values: Any) -> Any:
    return (np.diff(values, axis=1) > 0.0).all(axis=1)


def _longest_rise(row: Any) -> int:
    """By counting."""
    run = longest = 0
    for before, after in itertools.pairwise(row):
        run = run + 1 if after > before else 0
        longest = max(longest, run)
    return longest


def _closest(row: Any) -> float:
    return min(abs(a - b) for a, b in itertools.combinations(row.tolist(), 2))


def _within(values: Any, place: float) -> Any:
    return (values >= place) & (values <= place + 0.02)


EVENTS: dict[str, Event] = {
    "half of a period of 0.01": lambda x: np.mod(x, 0.01) >= 0.005,
    "half of a period of √2/10, right in 80 %": lambda x: np.mod(x, math.sqrt(0.02)) >= math.sqrt(0.005),
    "mode of weight 0.01, width 1e-4": lambda x: (x >= 0.3) & (x <= 0.3001),
    "the true value, once in 500": lambda x: x == 1.0,
    "rounded to three decimals, once in 50": lambda x: x == np.round(x, 3),
    "a whole number, once in 100": lambda x: x == np.round(x),
    "lowest bit of the significand": lambda x: x.view(np.int64) & 1 == 1,
    "sign of zero": lambda x: (x == 0.0) & ~np.signbit(x),
    "lowest bit of an integer above 2**53": lambda x: x & 1 == 1,
    "parity of an integer": lambda x: x % 2 == 1,
    "multiples of seven": lambda x: x % 7 == 0,
    "remainder of the division by eleven": lambda x: x % 11 == 1,
    "a hole of width 0.02": lambda x: (x >= 0.4) & (x <= 0.42),
    "infinity, once in 200": np.isinf,
    "sign of a product of 2 of 40 columns": lambda x: x[:, 1] * x[:, 38] > 0.0,
    "sign of a product of 3 of 10 columns": lambda x: x[:, 1] * x[:, 4] * x[:, 8] > 0.0,
    "correlation 0.99 in 70 columns": lambda x: np.abs(x[:, 23] - x[:, 46]) < 0.3,
    "a number among sentinels of ten columns, once in 50": lambda x: x[:, 8] > -1.0,
    "0 in one of 20 columns, once in 100": lambda x: x[:, 7] == 0.0,
    "which of 10 coordinates is the largest": lambda x: x.argmax(axis=1) == 3,
    "five numbers in order, 3 in 10": _sorted,
    "two equal columns of 10, once in 100": lambda x: x[:, 2] == x[:, 7],
    "a total of 4 numbers is right, once in 20": lambda x: np.isclose(
        x[:, :4].sum(axis=1), x[:, 4], rtol=1e-12
    ),
    "one of 6 numbers is a sum of others, once in 20": lambda x: np.isclose(
        x[:, 1] + x[:, 2] - x[:, 0], x[:, 4], rtol=1e-12
    ),
    "sign of the sum of 100 columns": lambda x: x.sum(axis=1) > 0.0,
    "a length of 1 of 10 columns, once in 50": lambda x: np.isclose(
        np.square(x).sum(axis=1), 1.0, rtol=1e-12
    ),
    "five rises in a row of 12 numbers": lambda x: np.array([_longest_rise(row) >= 5 for row in x]),
    "half of 13 numbers have another sign than the one before": lambda x: (
        (x[:, 1:] * x[:, :-1] < 0.0).sum(axis=1) == 6
    ),
    "two of 10 numbers within 0.001": lambda x: np.array([_closest(row) < 0.001 for row in x]),
    "the largest of 10 numbers less than 0.05 ahead": lambda x: (
        (x > x.max(axis=1, keepdims=True) - 0.05).sum(axis=1) >= 2
    ),
    "box of weight 0.01 in a plane": lambda x: _within(x[:, 0], 0.3) & _within(x[:, 1], -0.5),
    "a hole in 2 of 5 columns": lambda x: (np.abs(x[:, 1] - 0.3) < 0.28) & (np.abs(x[:, 3] - 0.3) < 0.28),
    "colour of a square of a chess board": lambda x: np.floor(2.0 * x).sum(axis=1) % 2 == 1,
    "parity of 20 bits": lambda x: x.sum(axis=1) % 2 == 1,
    "a rare word, once in 1,000": lambda x: x == "rare",
    "last digit of unique strings": lambda x: np.array([int(s[-1]) % 2 == 1 for s in x]),
    "order of a list of 4, right in 90 %": lambda x: np.array([v[0] > v[-1] for v in x]),
    "whether a word agrees with the sign of a number": lambda x: (x["x"] > 0.0) == (x["word"] == "yes"),
    "NaN, once in 50": np.isnan,
}


@pytest.mark.parametrize("name", EVENTS)
def test_the_event_has_its_probabilities(name: str) -> None:
    leak = next(leak for leak in leaks.LEAKS if leak.name == name)
    size = OTHER if leak.kind in ("words", "container") else SIZE
    for data, share in ((1, leak.shares[0]), (0, leak.shares[1])):
        hits = int(np.sum(EVENTS[name](leak.mechanism(data, size, np.random.default_rng(data)))))
        assert stats.binomtest(hits, size, share).pvalue > ALPHA, (data, hits / size, share)


def test_the_ball_of_longer_norms_has_its_probabilities() -> None:
    p, q = leaks.norm_shares()
    radius = stats.chi2.isf(q, 30)
    assert stats.chi2.sf(radius / (4.0 / 3.0) ** 2, 30) == pytest.approx(p)


def test_the_ideal_number_is_the_first_that_shows_more_than_the_claim() -> None:
    leak = leaks.Leak("number", "half", lambda *_: 0.0, (0.9, 0.1))
    bounds = [
        math.log(
            stats.beta.ppf(0.025, 0.9 * n, 0.1 * n + 1.0) / stats.beta.ppf(0.975, 0.1 * n + 1.0, 0.9 * n)
        )
        for n in (leak.ideal() - 1, leak.ideal())
    ]
    assert bounds[0] <= 1.0 < bounds[1]


def test_the_measured_leaks_are_those_of_the_script() -> None:
    with leaks.CSV.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    known = {leak.name: leak for leak in leaks.LEAKS}
    assert len(known) == len(leaks.LEAKS) >= 50
    for row in rows:
        assert int(row["ideal"]) == known[row["leak"]].ideal()
    shown = leaks.TABLES.read_text(encoding="utf-8")
    assert leaks.table(rows) in shown


@pytest.mark.parametrize(
    "name",
    [
        "half of a period of √2/10, right in 80 %",
        "parity of an integer",
        "sign of a product of 3 of 10 columns",
        "a hole in 2 of 5 columns",
        "colour of a square of a chess board",
    ],
)
def test_the_method_of_a_fixed_size_looks_everywhere(name: str) -> None:
    leak = next(leak for leak in leaks.LEAKS if leak.name == name)
    result = audit_privacy(
        leak.mechanism,
        [(1, 0)],
        epsilon=1.0,
        adjacency=lambda a, b: True,
        alpha=1e-6,
        max_samples=30_000,
        method="clopper-pearson",
        simplest=False,
    )
    assert result.refuted
