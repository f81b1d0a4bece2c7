"""What several numbers of an output tell together, against the directions and pairs that were planted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audits import audit_privacy, each
from audits.privacy.learners.families import lags, listed_orders, order_statistics, rows, spreads
from audits.privacy.learners.search import View, best_of
from audits.privacy.outputs.describe import rendered
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded


def encoded(*sides: Any) -> list[Encoded]:
    encoder = Encoder()
    return [encoder.encode(np.asarray(side), "a dataset") for side in sides]


def said(view: View) -> str:
    return rendered(view.words)


@pytest.mark.parametrize("factor", [4.0, 0.25])
@pytest.mark.parametrize("correlated", [False, True])
def test_the_direction_of_another_variance_is_found(factor: float, correlated: bool) -> None:
    rng = np.random.default_rng(3)
    width = 30
    mix = rng.normal(size=(width, width)) / np.sqrt(width) + np.eye(width) if correlated else np.eye(width)
    direction = rng.normal(size=width)
    direction /= np.linalg.norm(direction)
    noise = rng.normal(size=(2, 2000, width))
    noise[1] += (factor - 1.0) * np.outer(noise[1] @ direction, direction)
    a, b = encoded(*(noise @ mix))
    # The numbers are the mixed noise, so that the inverse of the mix gives the direction back.
    told = np.abs((a.values @ np.linalg.inv(mix)) @ direction)
    (candidates,) = spreads(a, b)
    view = candidates.view(int(candidates.surprise.argmax()))
    assert np.corrcoef(view.of(a), told)[0, 1] > 0.9


def test_no_direction_is_told_where_variances_are_equal() -> None:
    # Odds against chance of e^2 a case (approximate): more than 24 of 40 with probability below 1e-6.
    rng = np.random.default_rng(5)
    told = 0
    for size in (60, 300) * 20:
        a, b = encoded(*rng.standard_cauchy(size=(2, size, 12)))
        told += best_of([spreads], a, b) is not None
    assert told <= 24


def ranked(words: bool, shown: int) -> Any:
    def ranking(data: int, rng: np.random.Generator) -> Any:
        items = rng.permutation(12).tolist()
        first, second = sorted((items.index(2), items.index(5)))
        # Item 2 comes before item 5 nine times of ten on the dataset 1 and once of ten on the dataset 0.
        before = (rng.random() < 0.9) == bool(data)
        items[first], items[second] = (2, 5) if before else (5, 2)
        return [f"item {i}" if words else i for i in items[:shown]]

    return each(ranking)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("shown", [12, 8])
def test_which_of_two_listed_items_comes_first_is_found(words: bool, shown: int) -> None:
    # Power, not level: a test that knows the pair needs 30 samples, more where a third of the lists hide it.
    result = audit_privacy(
        ranked(words, shown),
        [(0, 1)],
        epsilon=1.0,
        adjacency=lambda a, b: True,
        alpha=1e-6,
        max_samples=3_000,
    )
    assert result.refuted
    assert result.samples < 1_000
    name = "'item 2' comes before 'item 5'" if words else "2 comes before 5"
    other = "'item 5' comes before 'item 2'" if words else "5 comes before 2"
    assert name in result.event or other in result.event


def test_items_are_compared_by_the_places_that_brute_force_finds() -> None:
    rng = np.random.default_rng(9)
    lists = [rng.integers(0, 6, size=(400, 5)) for _ in range(2)]
    lists[1][:, :2] = 4, 1
    a, b = encoded(*lists)
    view = best_of([listed_orders], a, b)
    assert view is not None
    early, late = (int(word) for word in rendered(view.words)[len("(1 where ") : -1].split(" comes before "))
    for side, values in zip((a, b), lists, strict=True):
        places = [
            [row.index(item) if item in row else 5 for item in (early, late)] for row in values.tolist()
        ]
        assert view.of(side).tolist() == [float(one < other) for one, other in places]


@pytest.mark.parametrize("lag", [1, 3, 5])
def test_the_lag_at_which_numbers_go_together_is_found(lag: int) -> None:
    rng = np.random.default_rng(lag)
    drawn = rng.normal(size=(2, 500, 12))
    drawn[1][:, lag:] += drawn[1][:, :-lag].copy()
    a, b = encoded(*drawn)
    view = best_of([lags], a, b)
    assert view is not None
    words = said(view)
    assert words.endswith("the one before" if lag == 1 else f"the one {lag} before")
    assert words.startswith("the correlation")
    # By brute force, one row after the other.
    for row, found in zip(drawn[1], view.of(b), strict=True):
        z = row - row.mean()
        products = sum(z[j] * z[j - lag] for j in range(lag, 12))
        assert found == pytest.approx(products / np.square(z).sum())


def test_order_statistics_are_those_of_sorted_rows() -> None:
    rng = np.random.default_rng(4)
    drawn = rng.normal(size=(2, 400, 10))
    drawn[1, :, 3] = drawn[1, :, 7] + 1e-4
    ordered, sizes = np.sort(drawn[1], axis=1), np.sort(np.abs(drawn[1]), axis=1)
    a, b = encoded(*drawn)
    (candidates,) = order_statistics(a, b)
    found = [candidates.view(j) for j in range(len(candidates.surprise))]
    expected = {
        "the 2nd smallest number": ordered[:, 1],
        "the 3rd largest number": ordered[:, -3],
        "the largest number less the second": ordered[:, -1] - ordered[:, -2],
        "the 4th smallest number but for its sign": sizes[:, 3],
    }
    for words, values in expected.items():
        view = next(view for view in found if said(view) == words)
        np.testing.assert_allclose(view.of(b), values)
    view = best_of([order_statistics], a, b)
    assert view is not None
    assert said(view) == "the smallest difference between two numbers"


def test_a_row_that_occurs_anywhere_is_found_and_counted() -> None:
    rng = np.random.default_rng(11)
    tables = rng.integers(0, 8, size=(2, 800, 10, 3)).astype(float)
    hit = rng.random(800) < 0.2
    tables[0][hit, rng.integers(0, 10, hit.sum())] = 1.0, 5.0, 2.0
    a, b = encoded(*tables.reshape(2, 800, 30))
    view = best_of([rows], a, b)
    assert view is not None
    assert said(view) == "how often (1, 5, 2) occurs in a row"
    np.testing.assert_array_equal(view.of(a), (tables[0] == [1.0, 5.0, 2.0]).all(axis=2).sum(axis=1))


def test_no_lag_order_or_row_is_told_where_there_is_none() -> None:
    # Odds against chance of e^2 a case (approximate): more than 40 of 90 with probability below 1e-6.
    rng = np.random.default_rng(12)
    told = 0
    for size in (60, 300, 1000) * 10:
        a, b = encoded(*rng.integers(0, 4, size=(2, size, 12)).astype(float))
        told += sum(best_of([one], a, b) is not None for one in (lags, order_statistics, rows))
    assert told <= 40
