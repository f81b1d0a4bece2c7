"""The stock of pairs: each is a pair of neighbours; the search finds the one that shows a planted bug."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from audits import each
from audits.privacy.claims import Pure
from audits.privacy.draw.pairs import take_pairs
from audits.stock import ADJACENCIES, Schema, search, stock

SCHEMAS = [
    Schema(),
    Schema(n=2, low=-3.0, high=-1.0, nan=True),
    Schema(features=2, classes=2, batch=2, nan=True),
    Schema(features=1, classes=3),
    Schema(categories=3),
    Schema(features=2, categories=2, batch=3),
    Schema(n=4, categories=2, classes=2),
]


def relation(adjacency: str) -> str:
    return "replace" if adjacency == "replace" else "add-remove"


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_pair_is_one_of_neighbours(schema: Schema, adjacency: str) -> None:
    pairs = stock(schema, adjacency)
    assert len({one.name for one in pairs}) == len(pairs) >= 3
    for one in pairs:
        checked, _ = take_pairs([one.pair], np.random.default_rng(0), relation(adjacency))
        lengths = [len(d[0]) if isinstance(d, tuple) else len(d) for d in checked[0]]
        assert lengths[1] - lengths[0] == {"replace": 0, "add": 1, "remove": -1}[adjacency]


def test_what_the_stock_holds() -> None:
    names = " ".join(one.name for one in stock(SCHEMAS[2], "replace"))
    for word in ("out of bounds", "NaN", "duplicate", "label", "only record of a class", "batches of 2"):
        assert word in names
    values = [np.concatenate([one.first[0], one.second[0]]) for one in stock(SCHEMAS[2], "replace")]
    assert any(np.isnan(v).any() for v in values)
    assert any((v > 100.0).any() for v in values)
    sizes = {len(one.first[0]) for one in stock(SCHEMAS[2], "add")}
    assert sizes == {1, 2, 4}  # a batch of two less one, one batch, two of them (as many as n − 1)
    (labels,) = (one for one in stock(SCHEMAS[2], "replace") if one.name == "a label changes")
    assert np.array_equal(labels.first[0], labels.second[0])
    assert (labels.first[1] != labels.second[1]).sum() == 1


def test_categories() -> None:
    pairs = {one.name: one for one in stock(SCHEMAS[4], "remove")}
    empty, unknown = pairs["an empty category"], pairs["a category that nobody listed"]
    assert set(empty.first) == {0, 1}
    assert set(empty.second) == {0}
    assert set(unknown.first) == {0, 3}
    assert empty.first.dtype.kind == "i"
    mixed = {one.name: one for one in stock(SCHEMAS[5], "add")}
    assert mixed["an empty category"].second.shape == (5, 3)
    assert set(mixed["an empty category"].second[:, 2]) == {0.0, 1.0}
    assert not set(mixed["a value out of bounds"].second[:, 2]) - {0.0, 1.0}


def test_a_range_and_a_number_of_values_that_are_read_from_the_data() -> None:
    for adjacency in ADJACENCIES:
        pairs = {one.name: one for one in stock(Schema(), adjacency)}
        ranges = [np.ptp(d) for d in pairs["the range is read from the data"].pair]
        assert ranges[0] != ranges[1]
        distinct = [len(set(d)) - len(d) for d in pairs["a duplicate of one record"].pair]
        assert distinct[0] != distinct[1]


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"n": 1}, "n must be a whole number ≥ 2, got 1"),
        ({"n": 1e9}, "n must be a whole number ≥ 2, got 1000000000.0"),
        ({"features": 2.5}, "features must be a whole number ≥ 0, got 2.5"),
        ({"batch": -1}, "batch must be a whole number ≥ 0, got -1"),
        ({"low": 1.0, "high": 1.0}, "bounds must be finite numbers, low < high, got 1.0, 1.0"),
        ({"high": float("inf")}, "bounds must be finite numbers"),
        ({"low": "a"}, "bounds must be finite numbers, low < high, got 'a', 1.0"),
        ({"nan": 2}, "nan must be 0 or 1, got 2"),
    ],
)
def test_bad_schemas(bad: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=re.escape(named)):
        Schema(**bad)


def test_the_search_finds_the_pair_of_a_planted_bug() -> None:
    # Values are clipped only from above: the pair below the bounds is the one that shows it. The sum moves by
    # 1000 there, where the noise has scale 1: that any other pair looks stronger has probability below 1e-9.
    def clipped(data: Any, rng: np.random.Generator) -> float:
        return float(np.minimum(data, 1.0).sum() + rng.laplace())

    found = search(
        each(clipped),
        stock(Schema(), "replace"),
        Pure(1.0),
        rng=np.random.default_rng(0),
        samples=64,
        keep=1,
    )
    assert [one.name for one in found] == ["a value out of bounds, below"]


def test_a_pair_on_whose_datasets_the_mechanism_fails_is_left_out_and_said() -> None:
    def fragile(data: Any, rng: np.random.Generator) -> float:
        if not np.any((data > 0.0) & (data < 1.0)):
            raise OverflowError("nothing inside")
        return float(np.sum(data) + rng.laplace())

    said: list[str] = []
    pairs, rng = stock(Schema(), "replace"), np.random.default_rng(0)
    found = search(each(fragile), pairs, Pure(1.0), rng=rng, samples=64, say=said.append)
    failing = ("all at the lower bound, an upper bound", "all at the upper bound, a lower bound")
    assert not {one.name for one in found} & set(failing)
    for name, sentence in zip(failing, said, strict=True):
        assert f'"{name}" is left out' in sentence
        assert "OverflowError(nothing inside)" in sentence

    def never(data: Any, rng: np.random.Generator) -> float:
        raise TypeError("no floats")

    with pytest.raises(ValueError, match=r"fails on every pair of the stock: .*no floats"):
        search(each(never), pairs, Pure(1.0), rng=rng)


def test_a_pair_on_one_dataset_of_which_the_mechanism_fails_shows_a_leak() -> None:
    def fragile(data: Any, rng: np.random.Generator) -> float:
        if np.max(data) > 100.0:
            raise OverflowError("too much")
        return float(rng.laplace())

    said: list[str] = []
    pairs, rng = stock(Schema(), "replace"), np.random.default_rng(0)
    for errors in ("raise", "symbol"):
        found = search(
            each(fragile), pairs, Pure(1.0), rng=rng, samples=64, keep=1, errors=errors, say=said.append
        )
        assert found[0].name == "a value out of bounds"
    assert not said


def test_the_search_keeps_what_is_asked() -> None:
    with pytest.raises(ValueError, match="keep"):
        search(each(lambda data, rng: 0.0), [], Pure(1.0), rng=np.random.default_rng(0), keep=0)
