"""Ordinary habits of libraries and their users: data changed in place, (X, y), NaN, types of every kind."""

from __future__ import annotations

import dataclasses
import functools
import os
import random
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from audits import bridge_worker
from audits.privacy import each, unseeded
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.pairs import take_pairs
from audits.values import digest
from tests.audits import privacy_runs
from tests.audits.privacy_runs import anything

RNG = np.random.default_rng(0)


audited = functools.partial(privacy_runs.audited, alpha=1e-6, max_samples=30_000)


def refusal(pair: Any, adjacency: str) -> str:
    """Why a pair is no neighbouring pair, which must be one line; empty where it is one."""
    try:
        take_pairs([pair], np.random.default_rng(0), adjacency)
    except ValueError as error:
        return str(error)
    return ""


# --- Data that are changed in place ------------------------------------------------------------------


@dataclasses.dataclass
class Query:
    """Data that bring their own generator."""

    total: float
    generator: Any


class TorchGenerator:
    """Copied as PyTorch's generators are: with their state."""

    def __init__(self, seed: int) -> None:
        self._inner = random.Random(seed)

    def random(self) -> float:
        return self._inner.random()


TorchGenerator.__name__, TorchGenerator.__module__ = "Generator", "torch._C"


@pytest.mark.parametrize(
    "generator", [np.random.default_rng, random.Random, np.random.RandomState, TorchGenerator]
)
def test_a_generator_among_the_data_is_not_copied(generator: Any) -> None:
    # Copies of the generator would all draw the same noise: the outputs on a dataset would be equal.
    def release(query: Query) -> float:
        uniform = [query.generator.random() for _ in range(2)]
        return query.total + float(np.log(uniform[0] / uniform[1]))

    for mechanism in (each(unseeded(release)), each(lambda query, rng: release(query))):
        pair = [(Query(1.0, generator(1)), Query(0.0, generator(2)))]
        result = audited(mechanism, pair, max_samples=2000)
        assert result.verdict == "not-refuted"
        assert not result.note
    plain = audited(lambda query, size, rng: [release(query) for _ in range(size)], pair, max_samples=2000)
    assert plain.verdict == "not-refuted"
    leaky = audited(each(unseeded(release)), [(Query(4.0, generator(1)), Query(0.0, generator(2)))])
    assert leaky.refuted


def in_place(data: Any, rng: np.random.Generator) -> float:
    """Releases the sum with noise for ε = 5 and clears the data, as a careless normalisation would."""
    total = float(sum(data))
    for i in range(len(data)):
        data[i] = 0.0
    return total + float(rng.laplace(scale=0.2))


@pytest.mark.parametrize("data", [[1.0, 0.0], np.array([1.0, 0.0])])
def test_a_mechanism_that_changes_its_data_cannot_hide_a_violation(data: Any) -> None:
    other = type(data)([0.0, 0.0]) if isinstance(data, list) else np.zeros(2)
    before = digest(data)
    result = audited(each(in_place), [(data, other)], adjacency="replace", max_samples=3000)
    assert result.verdict == "refuted"
    assert "changes its data" in result.note
    assert digest(data) == before  # the user's own data are left alone


# --- Datasets ----------------------------------------------------------------------------------------

X = RNG.normal(size=(50, 3))
Y = RNG.integers(0, 2, 50)
OTHER = X.copy()
OTHER[7] += 1.0
LABELS = np.where(np.arange(50) == 9, 1 - Y, Y)
NANS, CHANGED_NANS = np.array([1.0, np.nan, 3.0]), np.array([2.0, np.nan, 3.0])
A, B = np.arange(5.0), np.arange(5.0) + 10.0
B_CHANGED = np.where(np.arange(5) == 2, 0.0, B)
FRAME = pd.DataFrame({"x": NANS, "name": ["a", "b", None], "when": pd.to_datetime(["2020", None, "2021"])})
ONE, TWO = FRAME.assign(x=CHANGED_NANS), FRAME.assign(x=CHANGED_NANS, name=["a", "b", "z"])
DIFFERENT = "one different record, got"


class Tensor:
    """What an array of PyTorch has of an array, and what it has not: rows that are hashed by identity."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        self.shape, self.ndim = self.values.shape, self.values.ndim

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> Any:
        return Tensor(self.values[place])

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.values

    def detach(self) -> Any:
        return self

    def cpu(self) -> Any:
        return self


NEIGHBOURS = [
    (Tensor(X), Tensor(OTHER), "replace", ""),
    (Tensor(A), Tensor(A[:-1]), "add-remove", ""),
    (Tensor(X), Tensor(X + 1.0), "replace", f"{DIFFERENT} 50"),
    ((Tensor(X), Tensor(Y)), (Tensor(OTHER), Tensor(Y)), "replace", ""),
    ([Tensor(A), Tensor(A[:3])], [Tensor(A)], "add-remove", ""),
    # Columns of equal length, one of several dimensions, are zipped into records.
    ((X, Y), (OTHER, Y), "replace", ""),
    ([X, Y], [OTHER, Y], "replace", ""),
    ((X, Y), (X + 1.0, Y), "replace", f"{DIFFERENT} 50"),
    ([X, Y], [OTHER, LABELS], "replace", f"{DIFFERENT} 2"),
    ((X, Y), (X[:-1], Y[:-1]), "add-remove", ""),
    ([X, Y], [X, Y[:-1]], "replace", "one length"),
    # Columns of one dimension are zipped in a tuple, and never guessed in a list.
    ((A, B), (A, B + 1.0), "replace", f"{DIFFERENT} 5"),
    ([A, B], [A, B + 1.0], "replace", "may hold 2 records or 5 of 2 columns"),
    ([A, B], [A, B_CHANGED], "replace", ""),
    ([A, B], [A, B, A], "add-remove", ""),  # rows: three columns are no neighbour of two
    ([A, B], [A[:-1], B[:-1]], "add-remove", ""),  # columns: rows keep their length
    (([1, 2, 3], [4, 5, 6]), ([1, 2, 3], [7, 8, 9]), "replace", "may hold"),
    # Rows in lists and tuples stay records.
    ([[1, 2], [3, 4]], [[1, 2], [9, 9]], "replace", ""),
    ([(1, "a"), (2, "b")], [(1, "a"), (3, "c")], "replace", ""),
    (((1, 2), (3, 4)), ((1, 2), (9, 9)), "replace", ""),
    ([[1, 2], [3, 4]], [[5, 6], [9, 9]], "replace", f"{DIFFERENT} 2"),
    # What is no dataset.
    ((X, 3.0), (OTHER, 3.0), "replace", "arrays of equal length"),
    ({"a": 1}, {"a": 2}, "replace", "a dictionary"),
    (sparse.csr_matrix(np.eye(2)), sparse.csr_matrix([[1.0, 0.0], [0.0, 0.0]]), "replace", ""),
    # NaN equals itself.
    (NANS, CHANGED_NANS, "replace", ""),
    (NANS, NANS[:-1], "add-remove", ""),
    ([1.0, float("nan")], [2.0, float("nan")], "replace", ""),
    (X.view(np.matrix), OTHER.view(np.matrix), "replace", ""),
    (np.column_stack([NANS, NANS]), np.column_stack([NANS, NANS])[:-1], "add-remove", ""),
    # Frames and series hold rows.
    (FRAME, ONE, "replace", ""),
    (FRAME, FRAME.iloc[:-1], "add-remove", ""),
    (FRAME, TWO, "replace", "got 2"),
    (FRAME["x"], ONE["x"], "replace", ""),
    ((FRAME, FRAME["x"]), (ONE, FRAME["x"]), "replace", ""),
]


@pytest.mark.parametrize(("first", "second", "adjacency", "words"), NEIGHBOURS)
def test_two_datasets_are_neighbours_or_one_sentence_says_why_not(
    first: Any, second: Any, adjacency: str, words: str
) -> None:
    found = refusal((first, second), adjacency)
    assert bool(found) == bool(words)
    assert words in found


@pytest.mark.parametrize("data", [X, (X, Y), [1, 2], NANS, pd.DataFrame(X)])
def test_a_pair_of_equals_is_refused(data: Any) -> None:
    for adjacency in ("replace", anything):
        with pytest.raises(ValueError, match="nothing differs between D and D′"):
            take_pairs([(data, data)], np.random.default_rng(0), adjacency)


# --- Outputs -----------------------------------------------------------------------------------------


class Holder:
    """An object that holds anything, with a property that is worked out when it is first read."""

    def __init__(self, held: Any) -> None:
        self.held = held
        self.label = lambda: "a function"

    @functools.cached_property
    def total(self) -> int:
        return len(self.held)


class Rows(list[int]):
    pass


def words() -> set[str]:
    return {str(i) for i in range(40)}


def masked(mask: list[int]) -> Any:
    return np.ma.masked_array([1, 2, 3], mask)


def entries() -> Any:
    return sparse.csr_matrix([[0.0, 1.0], [1.0, 0.0]])


def cells() -> pd.DataFrame:
    return pd.DataFrame({"a": [[1], [2]]})


READ: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "sets": (lambda: [words() for _ in range(20)], lambda data: [sorted(part) for part in data]),
    "a set in a dictionary": (lambda: {"a": words()}, lambda data: len(data["a"])),
    "a set in an object": (lambda: Holder(words()), lambda data: data.total),
    "a generator": (lambda: Holder(np.random.default_rng(0)), lambda data: data.held.random()),
    "a sparse matrix": (entries, lambda data: data.sum()),
    "frame": (cells, lambda data: (data["a"].map(len).sum(), data.to_numpy(), data.describe(include="all"))),
}
CHANGED: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "an element of a set": (lambda: [words()], lambda data: data[0].add("new")),
    "a set in an object": (lambda: Holder(words()), lambda data: data.held.discard("3")),
    "mask": (lambda: masked([0, 0, 1]), lambda data: setattr(data, "mask", [1, 0, 1])),
    "first mask": (lambda: masked([0, 0, 0]), lambda data: setattr(data, "mask", [1, 0, 0])),
    "an entry of a sparse matrix": (entries, lambda data: data.data.fill(2.0)),
    "attributes of a frame": (cells, lambda data: data.attrs.update(seen=1)),
    "a list in a cell": (cells, lambda data: data["a"].iloc[0].append(5)),
    "a list in a cell of a part": (lambda: (cells(), [1]), lambda data: data[0]["a"].iloc[0].append(5)),
    "rows of a frame": (cells, lambda data: setattr(data, "index", [4, 5])),
    "name of a series": (lambda: pd.Series([1, 2]), lambda data: setattr(data, "name", "seen")),
    "attribute of a list": (lambda: Rows([1, 2]), lambda data: setattr(data, "seen", 1)),
}


@pytest.mark.parametrize("case", READ)
def test_data_that_are_only_read_are_not_changed(case: str) -> None:
    make, read = READ[case]
    for _ in range(20):
        dataset = Dataset(make())
        copied = dataset.fresh()
        assert not dataset.differs(copied)
        read(copied)
        assert not dataset.differs(copied)


@pytest.mark.parametrize("case", CHANGED)
def test_changes_of_a_copy_are_seen_and_stay_in_it(case: str) -> None:
    make, change = CHANGED[case]
    data = make()
    dataset, before = Dataset(data), digest(data)
    copied = dataset.fresh()
    change(copied)
    assert dataset.differs(copied)
    assert not dataset.differs(dataset.fresh())
    assert digest(data) == before


# --- Outputs that are handed out again ---------------------------------------------------------------


def test_a_buffer_that_is_filled_again_is_no_dependence() -> None:
    buffer = np.zeros(2**16)

    def view(data: int, size: int, rng: np.random.Generator) -> Any:
        buffer[:size] = rng.laplace(size=size)
        return buffer[:size]

    result = audited(view, max_samples=2000)
    assert result.verdict == "not-refuted", result.premise


@pytest.mark.parametrize("one_by_one", [each, bridge_worker.each])
def test_what_an_output_holds_may_be_written_into_again(one_by_one: Any) -> None:
    buffer = np.zeros(1)
    held = {"w": buffer}

    def noisy(data: int, rng: np.random.Generator) -> Any:
        buffer[0] = held["v"] = data + rng.laplace()
        return held, (buffer,)

    outputs = one_by_one(noisy)(0, 50, np.random.default_rng(0))
    for read in (lambda o: o[0]["v"], lambda o: o[0]["w"][0], lambda o: o[1][0][0]):
        assert len({float(read(output)) for output in outputs}) == 50


# --- Failures ----------------------------------------------------------------------------------------


class PanicException(BaseException):
    """What a panic of Rust is in Python: no `Exception`."""


def test_a_panic_is_a_failure_like_others() -> None:
    def panics(data: int, size: int, rng: np.random.Generator) -> Any:
        if data == 1 and rng.random() < 0.5:
            raise PanicException("\x1b[31munwrap on None")
        return rng.normal(size=size)

    def always(data: int, size: int, rng: np.random.Generator) -> Any:
        raise PanicException("\x1b[31munwrap on None")

    with pytest.raises(
        ValueError, match=r"mechanism raised PanicException\(.\[31munwrap on None\) on the"
    ) as e:
        audited(always)
    assert str(e.value).isprintable()
    # Half of the outputs of one dataset against none: a leak, with or without being asked for as an output.
    assert audited(panics).verdict == "refuted"
    assert audited(panics, errors="symbol").verdict == "refuted"

    def interrupted(data: int, size: int, rng: np.random.Generator) -> Any:
        raise KeyboardInterrupt

    # Ctrl-C is told from a mechanism that raises its exception by Python's own handler.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            audited(interrupted, errors="symbol")
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_mechanism_that_forks_leaves_one_audit() -> None:
    def forks(data: int, size: int, rng: np.random.Generator) -> Any:
        os.fork()
        return rng.normal(size=size)

    assert not audited(forks, max_samples=500).refuted
