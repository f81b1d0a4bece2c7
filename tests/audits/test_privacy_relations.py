"""What several numbers of an output tell together, against the directions and pairs that were planted."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from audits import audit_privacy, each
from audits.privacy.learners.families import listed_orders, members, parities, spreads, windows
from audits.privacy.learners.search import View, best_of, of_signs
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


def test_a_row_that_occurs_anywhere_is_found_and_counted() -> None:
    rng = np.random.default_rng(11)
    tables = rng.integers(0, 8, size=(2, 800, 10, 3)).astype(float)
    hit = rng.random(800) < 0.2
    tables[0][hit, rng.integers(0, 10, hit.sum())] = 1.0, 5.0, 2.0
    flat = tables.reshape(2, 800, 30)
    a, b = encoded(*flat)
    view = best_of([windows], a, b)
    assert view is not None
    assert said(view) == "how often (1, 5, 2) stands in the numbers in output"
    runs = np.lib.stride_tricks.sliding_window_view(flat[0], 3, axis=1)
    np.testing.assert_array_equal(view.of(a), (runs == [1.0, 5.0, 2.0]).all(axis=2).sum(axis=1))


def test_no_row_or_member_is_told_where_there_is_none() -> None:
    # Odds against chance of e^3 a case (approximate): more than 20 of 60 with probability below 1e-6.
    rng = np.random.default_rng(12)
    told = 0
    for size in (60, 300, 1000) * 10:
        a, b = encoded(*rng.integers(0, 4, size=(2, size, 12)).astype(float))
        told += sum(best_of([one], a, b) is not None for one in (members, windows))
    assert told <= 20


@pytest.mark.parametrize(("width", "chosen"), [(14, (3, 7, 12, 13)), (20, (0, 19)), (34, (5, 20, 33))])
def test_the_sign_of_a_product_is_found_among_all_of_two_to_four_columns(
    width: int, chosen: tuple[int, ...]
) -> None:
    # Each number keeps a symmetric law, so that only the sign of the product tells the datasets apart.
    rng = np.random.default_rng(11)
    x = rng.normal(size=(2, 400, width))
    wrong = (np.sign(x[..., list(chosen)]).prod(axis=2) > 0.0) != (rng.random((2, 400)) < [[0.8], [0.2]])
    x[..., chosen[0]] *= np.where(wrong, -1.0, 1.0)
    x -= x.mean(axis=(0, 1))
    a, b = encoded(*x)
    *_, few = parities(a, b)
    best = few.view(int(few.surprise.argmax()))
    assert said(best) == f"how many of {', '.join(f'column {j}' for j in chosen)} are positive"
    odd = [[sum(v > 0.0 for v in row[list(chosen)]) % 2 for row in side] for side in x]
    assert [best.of(a).tolist(), best.of(b).tolist()] == odd
    # Four columns are looked at where their pairs are few.
    sizes = (2, 3, 4) if width < 33 else (2, 3)
    assert len(few.surprise) == sum(comb(width, size) for size in sizes)
    columns = [c for size in sizes for c in combinations(range(width), size)]
    signs = np.where(x > 0.0, 1.0, -1.0)
    averages = np.array([signs[..., list(c)].prod(axis=2).mean(axis=1) for c in columns]).T
    np.testing.assert_allclose(np.sort(few.surprise), np.sort(of_signs(*averages, 400)), rtol=1e-5, atol=1e-9)
