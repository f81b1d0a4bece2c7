"""Trees of places: what they average, by enumeration; where they look, and that they say nothing of noise."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import beta

from audits.privacy.learners import trees
from audits.privacy.outputs.describe import rendered
from audits.privacy.outputs.outputs import Encoded
from audits.privacy.tuning import TUNING

EQUAL = 0.5


def encoded(values: Any) -> Encoded:
    return Encoded(np.asarray(values, dtype=float), np.zeros((len(values), 0), dtype=np.int64))


def grown(pooled: Any, columns: Any) -> Any:
    return trees._grown(pooled, columns)  # pyright: ignore[reportPrivateUsage]


def weighted(counts: Any) -> Any:
    return trees._weighted(counts)  # pyright: ignore[reportPrivateUsage]


def levels(leaves: Any) -> list[Any]:
    """Counts (2, leaves) of the leaves, and of all places above them."""
    found = [np.asarray(leaves)]
    while found[-1].shape[1] > 1:
        found.append(found[-1].reshape(2, -1, 2).sum(axis=2))
    return found


def place(x: int, y: int) -> tuple[float, float]:
    """How likely the labels of a place are, and the expected share of the first dataset there."""
    equal = EQUAL * 0.5 ** (x + y)
    other = (1.0 - EQUAL) * beta(x + 0.5, y + 0.5) / math.pi
    return equal + other, (equal * 0.5 + other * (x + 0.5) / (x + y + 1.0)) / (equal + other)


def prunings(depth: int, first: int = 0) -> list[tuple[float, list[tuple[int, int]]]]:
    """All trees on 2^depth leaves from `first` on: their weight, and the runs of leaves that are a place."""
    whole = [(first, first + 2**depth)]
    if depth == 0:
        return [(1.0, whole)]
    halves = itertools.product(prunings(depth - 1, first), prunings(depth - 1, first + 2 ** (depth - 1)))
    return [(0.5, whole)] + [(0.5 * a * b, left + right) for (a, left), (b, right) in halves]


def averaged(leaves: Any, depth: int, most: int) -> tuple[float, Any]:
    """The average over all trees that halve at most so often, and the share expected in each leaf."""
    total, shares = 0.0, np.zeros(2**depth)
    for weight, places in prunings(most):
        scale = 2 ** (depth - most)
        known = [(a * scale, b * scale) for a, b in places]
        found = [place(*map(int, leaves[:, a:b].sum(axis=1))) for a, b in known]
        likely = weight * math.prod(p for p, _ in found)
        total += likely
        for (a, b), (_, share) in zip(known, found, strict=True):
            shares[a:b] += likely * share
    return total, shares / total


@pytest.mark.parametrize("seed", range(5))
def test_the_average_over_all_trees_is_that_of_an_enumeration(seed: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(trees, "TUNING", type(TUNING)(parts=2))
    leaves = np.random.default_rng(seed).integers(0, 6, (2, 8))
    ratio, sure = weighted(levels(leaves))
    whole, shares = averaged(leaves, 3, 3)
    coarse, _ = averaged(leaves, 3, 1)
    np.testing.assert_allclose(ratio, np.log(shares / (1.0 - shares)))
    assert sure == pytest.approx(math.log(whole / coarse))


@pytest.mark.parametrize("columns", [(0,), (1, 0), (0, 1, 2)])
def test_leaves_hold_as_many_rows_each(columns: tuple[int, ...]) -> None:
    pooled = np.random.default_rng(1).normal(size=(1000, 3))
    tree = grown(pooled[:, list(columns)], columns)
    sizes = np.bincount(tree.leaf(pooled), minlength=2 ** len(tree.cuts))
    assert len(sizes) == 64
    assert sizes.min() >= 13
    # The first cut is the median of the first column.
    assert np.mean(pooled[:, columns[0]] >= tree.cuts[0][0]) == pytest.approx(0.5, abs=0.03)


def test_equal_rows_share_a_leaf() -> None:
    pooled = np.random.default_rng(2).integers(0, 3, (500, 2)).astype(float)
    leaf = grown(pooled, (0, 1)).leaf(pooled)
    for row in np.unique(pooled, axis=0):
        assert len(np.unique(leaf[(pooled == row).all(axis=1)])) == 1


def test_intervals_are_those_of_the_score() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=(2, 4000, 1))
    first[(first > 0.3) & (first < 0.5)] += 1.0
    score = trees.tree(encoded(first), encoded(second))
    assert score is not None
    for threshold in np.unique(score.evaluate(encoded(first)))[::7]:
        for upper in (True, False):
            words = rendered(score.describe(float(threshold), upper))
            if " more cell" in words:
                continue
            parts = words.removeprefix("output in ").replace("∞", "inf").replace("−", "-").split(" ∪ ")
            ends = [[float(end) for end in part.strip("[)").split(", ")] for part in parts if part != "∅"]
            values = rng.normal(size=2000)
            said = np.any([(values >= a) & (values < b) for a, b in ends] or [values != values], axis=0)
            true = (score.evaluate(encoded(values[:, None])) >= threshold - 1e-9) == upper
            # Ends are written with six digits.
            assert np.count_nonzero(said != true) <= 2


@pytest.mark.parametrize("width", [1, 2, 6, 14, 30])
def test_it_finds_a_box_and_says_nothing_of_noise(width: int) -> None:
    rng = np.random.default_rng(width)
    first, second = rng.normal(size=(2, 6000, width))
    assert trees.tree(encoded(first), encoded(second)) is None
    some, other = width // 2, width - 1
    inside = (np.abs(first[:, some]) < 0.5) & (np.abs(first[:, other]) < 0.5)
    first[inside, some] += 1.0
    score = trees.tree(encoded(first), encoded(second))
    assert score is not None
    # Fresh rows of the second dataset: those in the hole have low scores, as they are never of the first.
    fresh = rng.normal(size=(4000, width))
    hole = (np.abs(fresh[:, some]) < 0.4) & (np.abs(fresh[:, other]) < 0.4)
    found = score.evaluate(encoded(fresh))
    assert found[hole].mean() < found[~hole].mean() - 0.5
