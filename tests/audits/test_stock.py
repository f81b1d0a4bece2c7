"""The stock of pairs: each is a pair of neighbours; the search finds the one that shows a planted bug."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audits import each
from audits.privacy.pairs import take_pairs
from audits.stock import ADJACENCIES, Schema, derived, search, stock

SCHEMAS = [
    Schema(),
    Schema(n=2, low=-3.0, high=-1.0, nan=True),
    Schema(features=2, classes=2, batch=2, nan=True),
    Schema(features=1, classes=3),
]


def relation(adjacency: str) -> str:
    return "replace" if adjacency == "replace" else "add-remove"


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_pair_is_one_of_neighbours(schema: Schema, adjacency: str) -> None:
    pairs = stock(schema, adjacency)
    assert len({one.name for one in pairs}) == len(pairs) >= 7
    for one in pairs:
        checked = take_pairs([one.pair], np.random.default_rng(0), relation(adjacency))
        lengths = [len(d[0]) if isinstance(d, tuple) else len(d) for d in checked[0]]
        assert lengths[1] - lengths[0] == {"replace": 0, "add": 1, "remove": -1}[adjacency]


def test_what_the_stock_holds() -> None:
    names = " ".join(one.name for one in stock(SCHEMAS[2], "replace"))
    for word in ("out of bounds", "NaN", "duplicate", "label", "only record of a class", "batches of 2"):
        assert word in names
    values = [np.concatenate([one.first[0], one.second[0]]) for one in stock(SCHEMAS[2], "replace")]
    assert any(np.isnan(v).any() for v in values)
    assert any((v > 100.0).any() for v in values)


@pytest.mark.parametrize(
    "pair",
    [
        (np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 3.0])),
        (np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0])),
        (["a", "b"], ["a", "b", "b"]),
        ((np.eye(3), np.array([0, 1, 1])), (np.eye(3), np.array([0, 1, 0]))),
    ],
)
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_pairs_of_the_other_adjacency(pair: Any, adjacency: str) -> None:
    found = derived(pair, adjacency)
    take_pairs([found], np.random.default_rng(0), relation(adjacency))


def test_what_cannot_be_derived() -> None:
    with pytest.raises(ValueError, match="arrays, lists"):
        derived((1.0, 2.0), "add")
    with pytest.raises(ValueError, match="all records are equal"):
        derived(([1, 1], [1]), "replace")
    with pytest.raises(ValueError, match="smaller dataset"):
        derived(([1], []), "replace")
    with pytest.raises(ValueError, match="adjacency must be one of"):
        derived(([1], [2]), "both")
    with pytest.raises(ValueError, match="adjacency must be one of"):
        stock(Schema(), "both")


@pytest.mark.parametrize("bad", [{"n": 1}, {"low": 1.0, "high": 1.0}, {"high": float("inf")}, {"batch": -1}])
def test_bad_schemas(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Schema(**bad)


def test_the_search_finds_the_pair_of_a_planted_bug() -> None:
    # Values are clipped only from above: the pair below the bounds is the one that shows it. The sum moves by
    # 1000 there, where the noise has scale 1: that any other pair looks stronger has probability below 1e-9.
    def clipped(data: Any, rng: np.random.Generator) -> float:
        return float(np.minimum(data, 1.0).sum() + rng.laplace())

    found = search(
        each(clipped),
        stock(Schema(), "replace"),
        epsilon=1.0,
        rng=np.random.default_rng(0),
        samples=64,
        keep=1,
    )
    assert [one.name for one in found] == ["a value out of bounds, below"]


def test_the_search_keeps_what_is_asked() -> None:
    with pytest.raises(ValueError, match="keep"):
        search(each(lambda data, rng: 0.0), [], epsilon=1.0, rng=np.random.default_rng(0), keep=0)
