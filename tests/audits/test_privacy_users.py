"""What users hand over without a second thought: their words, their data and their mistakes."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audits.privacy import AuditResult, audit_privacy, each
from audits.privacy.draw.datasets import Dataset
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.leaves import objects
from audits.privacy.tuning import TUNING

Rng = np.random.Generator
PAIR = [(0, 1)]


def audited(mechanism: Callable[..., Any], **options: Any) -> AuditResult:
    settings: dict[str, Any] = {"epsilon": 1.0, "adjacency": lambda a, b: True, "alpha": 1e-6}
    settings |= {"max_samples": 5000, "simplest": False} | options
    return audit_privacy(mechanism, settings.pop("pairs", PAIR), **settings)


# --- Mistakes ----------------------------------------------------------------------------------------


def test_a_mechanism_that_always_fails_is_undecided() -> None:
    def typo(data: int, rng: Rng) -> float:
        return data + rng.laplace() + undefined  # type: ignore[name-defined] # noqa: F821

    result = audited(each(typo), errors="symbol")
    assert result.verdict == "undecided"
    assert "Every call of the mechanism raised NameError." in result.note
    with pytest.raises(ValueError, match="NameError") as caught:
        audited(each(typo))
    assert "errors=" not in str(caught.value)  # exceptions that are meant are no typos


def test_a_failure_on_one_dataset_alone_is_a_leak() -> None:
    def fails(data: int, rng: Rng) -> float:
        return 1.0 / data

    assert audited(each(fails), errors="symbol").refuted


def test_two_kinds_of_failure_are_a_leak() -> None:
    def fails(data: int, rng: Rng) -> float:
        raise KeyError if data else ValueError

    assert audited(each(fails), errors="symbol").refuted


@pytest.mark.parametrize("mechanism", [lambda data: data, lambda: 0.0, type("Empty", (), {})])
def test_another_signature_is_told_from_a_failure(mechanism: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"is called as mechanism\(data, size, rng\): audits.each"):
        audited(mechanism)


def test_a_type_error_inside_a_mechanism_is_its_own() -> None:
    def inside(data: int, size: int, rng: Rng) -> Any:
        return data + None  # type: ignore[operator]

    with pytest.raises(ValueError, match='errors="symbol"'):
        audited(inside)


def test_a_generator_is_no_output() -> None:
    with pytest.raises(ValueError, match=r"objects of type generator; return list\(…\) of it"):
        audited(each(lambda data, rng: (data for _ in range(2))), errors="symbol")


# Outputs that cannot be copied are looked at as they are: each of these is the dataset itself.
@pytest.mark.parametrize(
    "mechanism",
    [
        lambda data, rng: {data: 1}.keys(),
        lambda data, rng: types.MappingProxyType({"a": data}),
        lambda data, rng: memoryview(bytes([data])),
    ],
)
def test_what_cannot_be_copied_is_looked_at(mechanism: Callable[..., Any]) -> None:
    assert audited(each(mechanism), errors="symbol").refuted


# --- Several pairs, and the size of a violation --------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_and_the_pair_that_is_named_belong_together(seed: int) -> None:
    # On the second pair the true ε is 0.01.
    result = audited(
        lambda data, size, rng: data + rng.laplace(size=size),
        pairs=[(0.0, 1.0), (0.99, 1.0)],
        max_samples=100_000,
        seed=seed,
    )
    assert result.epsilon_lower > 0.5
    assert result.pair == (0.0, 1.0)


def test_a_refuted_claim_lies_below_the_bound() -> None:
    result = audited(lambda data, size, rng: data + rng.laplace(scale=0.9, size=size), max_samples=10**6)
    assert result.refuted
    assert result.epsilon_lower > 1.0
    assert "ε > 1, claimed 1 " in result.summary()
    evidence = result.evidence()
    assert evidence.low > 1.0
    assert evidence.estimate > 1.05  # the true ε is 1.11


# --- Tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda data, rng: pd.DataFrame({"v": [data, rng.normal()]}, index=["a", "a"]),
        lambda data, rng: pd.Series([data, rng.normal()], index=["a", "a"]),
        lambda data, rng: pd.DataFrame([[data, rng.normal()]], columns=["a", "a"]),
        lambda data, rng: pd.Series([rng.normal()], name=f"of {data}"),
        lambda data, rng: pd.Series(["a"], dtype=pd.CategoricalDtype(["a", "b", "c"][: 2 + data])),
        lambda data, rng: pd.DataFrame({"v": [1, 2]}, dtype=["int32", "int64"][data]),
        lambda data, rng: pd.DataFrame(index=range(data)),
    ],
    ids=["rows", "labels", "columns", "name", "categories", "type", "length"],
)
def test_a_table_that_holds_the_dataset_is_refuted(mechanism: Callable[..., Any]) -> None:
    assert audited(each(mechanism)).refuted


INDEXES: dict[str, Any] = {
    "days": pd.date_range("2020", periods=3),
    "words": pd.Index(list("abc")),
    "categories": pd.CategoricalIndex(list("abc")),
    "levels": pd.MultiIndex.from_arrays([[1, 2, 3], list("abc")], names=["x", "y"]),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_to_read_a_table_is_not_to_change_it(index: Any) -> None:
    data = pd.DataFrame({"v": [1.0, 2.0, 3.0]}, index=index)
    dataset, mine = Dataset(data), Dataset(data).fresh()
    mine.groupby(mine.index).sum()
    mine.index.is_unique, mine.index.is_monotonic_increasing, mine.index.get_indexer(index)
    if isinstance(index, pd.DatetimeIndex):
        mine.loc["2020-01-02":].sum()
        mine.resample("D").sum()
    assert not dataset.differs(mine)
    mine.index = index[::-1]
    assert dataset.differs(mine)


class Lossy:
    """Data that lose a cache when they are copied, as scikit-learn's `Bunch` does."""

    def __init__(self) -> None:
        self.values = np.zeros(3)
        self.cache = {"a": 1}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"cache": {}})


def test_data_that_lose_something_in_a_copy_are_watched() -> None:
    data = Lossy()
    dataset = Dataset(data)
    mine = dataset.fresh()
    assert not dataset.differs(mine)
    mine.values[0] = 1.0
    assert dataset.differs(mine)


# --- Words that occur equally often ---------------------------------------------------------------------


def test_columns_do_not_depend_on_the_order_of_the_outputs() -> None:
    # More patterns than are told apart, all of them equally often: which are told apart must not depend on
    # those that came first, or the permutation test of independence would not be exact.
    rng = np.random.default_rng(0)
    words = [f"{chr(97 + i % 26)}{chr(97 + i // 26)}#" for i in range(2 * TUNING.few_values)] * 3
    looks: list[dict[str, bytes]] = []
    for _ in range(3):
        order = rng.permutation(len(words))
        found = Encoder().encode(objects([words[i] for i in order]), "here")
        rows = (found.values[row].tobytes() for row in range(len(words)))
        looks.append(dict(zip([words[i] for i in order], rows, strict=True)))
    assert looks[0] == looks[1] == looks[2]
