"""Ordinary habits of libraries and their users: data changed in place, (X, y), NaN, types of every kind."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import enum
import functools
import os
import random
import uuid
from collections import deque, namedtuple
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audits.privacy import AuditResult, audit_privacy, each, unseeded
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import stack
from audits.privacy.draw.pairs import take_pairs
from audits.privacy.outputs.describe import Column
from audits.privacy.outputs.encoder import Encoder
from audits.values import copier, digest

PAIR = [(0, 1)]
ZONES = datetime.UTC, datetime.timezone(datetime.timedelta(hours=1))
RNG = np.random.default_rng(0)


def anything(a: Any, b: Any) -> bool:
    return True


def audited(mechanism: Any, pairs: Any = PAIR, **options: Any) -> AuditResult:
    settings = {"epsilon": 1.0, "adjacency": anything, "alpha": 1e-6, "max_samples": 30_000, **options}
    return audit_privacy(mechanism, pairs, **settings)


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


def test_a_refutation_on_outputs_that_never_change_says_so() -> None:
    @functools.cache
    def answer(data: float) -> float:
        return data + float(np.random.default_rng(int(data)).laplace())

    kept = audited(each(unseeded(answer)), [(0.0, 1.0)])
    assert kept.refuted
    assert "the same output again and again" in kept.note
    drawn = audited(lambda data, size, rng: 9.0 * data + rng.laplace(size=size), [(0.0, 1.0)])
    assert drawn.refuted
    assert not drawn.note


@pytest.mark.parametrize("method", ["sequential", "clopper-pearson"])
@pytest.mark.parametrize("width", [8, 30])
def test_the_smallest_doubles_are_numbers_like_others(width: int, method: str) -> None:
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Any:
        return 5e-324 * np.round(5.0 * rng.normal(size=(size, width)) + data)

    assert audited(mechanism, max_samples=2000, method=method).verdict in ("refuted", "not-refuted")


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


@pytest.mark.parametrize(
    "data",
    [
        3,
        "text",
        (1, (2.0, "a")),
        [1, 2],
        np.arange(3),
        [np.arange(3), np.ones(2)],
        (np.eye(2), np.arange(2)),
        {"a": [1]},
        pd.DataFrame({"a": [1, 2]}),
        pd.Series([1.0]),
    ],
)
def test_copies_equal_the_dataset_and_share_nothing_that_can_change(data: Any) -> None:
    fresh = copier(data)(data)
    assert digest(fresh) == digest(data)
    if isinstance(fresh, np.ndarray):
        fresh[0] = 7
    elif isinstance(fresh, list) and isinstance(fresh[0], np.ndarray):
        fresh[0][0] = 7
    elif isinstance(fresh, list):
        fresh[0] = 7
    elif isinstance(fresh, dict):
        fresh["a"].append(2)
    elif isinstance(fresh, pd.DataFrame):
        fresh.iloc[0, 0] = 7
    elif isinstance(fresh, pd.Series):
        fresh.iloc[0] = 7.0
    elif isinstance(fresh, tuple) and isinstance(fresh[0], np.ndarray):
        fresh[0][0, 0] = 7
    else:
        return
    assert digest(fresh) != digest(data)


# --- Datasets ----------------------------------------------------------------------------------------

X = RNG.normal(size=(50, 3))
Y = RNG.integers(0, 2, 50)
OTHER = X.copy()
OTHER[7] += 1.0
NANS = np.array([1.0, np.nan, 3.0])


@pytest.mark.parametrize("pack", [tuple, list])
def test_columns_are_zipped_into_records(pack: Any) -> None:
    assert refusal((pack([X, Y]), pack([OTHER, Y])), "replace") == ""
    assert "one different record, got 50" in refusal((pack([X, Y]), pack([X + 1.0, Y])), "replace")
    labels = Y.copy()
    labels[9] = 1 - labels[9]
    assert "one different record, got 2" in refusal((pack([X, Y]), pack([OTHER, labels])), "replace")
    assert refusal((pack([X, Y]), pack([X[:-1], Y[:-1]])), "add-remove") == ""
    assert "one length" in refusal((pack([X, Y]), pack([X, Y[:-1]])), "replace")


def test_columns_of_one_dimension_are_zipped_in_a_tuple_and_never_guessed_in_a_list() -> None:
    a, b = np.arange(5.0), np.arange(5.0) + 10.0
    assert "one different record, got 5" in refusal(((a, b), (a, b + 1.0)), "replace")
    assert "may hold 2 records or 5 of 2 columns" in refusal(([a, b], [a, b + 1.0]), "replace")
    changed = b.copy()
    changed[2] = 0.0
    assert refusal(([a, b], [a, changed]), "replace") == ""
    assert refusal(([a, b], [a, b, a]), "add-remove") == ""  # rows: three columns are no neighbour of two
    assert refusal(([a, b], [a[:-1], b[:-1]]), "add-remove") == ""  # columns: rows keep their length
    assert "may hold" in refusal((([1, 2, 3], [4, 5, 6]), ([1, 2, 3], [7, 8, 9])), "replace")


def test_rows_in_lists_stay_records() -> None:
    assert refusal(([[1, 2], [3, 4]], [[1, 2], [9, 9]]), "replace") == ""
    assert refusal(([(1, "a"), (2, "b")], [(1, "a"), (3, "c")]), "replace") == ""
    assert refusal((((1, 2), (3, 4)), ((1, 2), (9, 9))), "replace") == ""
    assert "one different record, got 2" in refusal(([[1, 2], [3, 4]], [[5, 6], [9, 9]]), "replace")


def test_what_is_no_dataset_is_refused_in_one_sentence() -> None:
    assert "arrays of equal length" in refusal(((X, 3.0), (OTHER, 3.0)), "replace")
    assert "a dictionary" in refusal(({"a": 1}, {"a": 2}), "replace")


def test_nan_equals_itself() -> None:
    changed = NANS.copy()
    changed[0] = 2.0
    assert refusal((NANS, changed), "replace") == ""
    assert refusal((NANS, NANS[:-1]), "add-remove") == ""
    assert refusal(([1.0, float("nan")], [2.0, float("nan")]), "replace") == ""
    rows = np.column_stack([NANS, NANS])
    assert refusal((rows, rows[:-1]), "add-remove") == ""


def test_frames_and_series_hold_rows() -> None:
    frame = pd.DataFrame(
        {"x": NANS, "name": ["a", "b", None], "when": pd.to_datetime(["2020", None, "2021"])}
    )
    changed = frame.copy()
    changed.loc[0, "x"] = 9.0
    assert refusal((frame, changed), "replace") == ""
    assert refusal((frame, frame.iloc[:-1]), "add-remove") == ""
    both = changed.copy()
    both.loc[2, "name"] = "z"
    assert "got 2" in refusal((frame, both), "replace")
    assert refusal((frame["x"], changed["x"]), "replace") == ""
    assert refusal(((frame, frame["x"]), (changed, frame["x"])), "replace") == ""


@pytest.mark.parametrize("data", [X, (X, Y), [1, 2], NANS, pd.DataFrame(X)])
def test_a_pair_of_equals_is_refused(data: Any) -> None:
    for adjacency in ("replace", anything):
        with pytest.raises(ValueError, match="nothing differs between D and D′"):
            take_pairs([(data, data)], np.random.default_rng(0), adjacency)


# --- Outputs -----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Answer:
    label: str
    score: Any


Point = namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def coin(data: int, rng: np.random.Generator) -> bool:
    """Says which dataset it was in 90 % of the cases: ε = 2.2."""
    return bool(rng.random() < (0.9 if data else 0.1))


def build(kind: str, heads: bool, rng: np.random.Generator) -> Any:
    """An output of some kind that holds the coin somewhere among noise."""
    noise = float(rng.normal())
    many = int(rng.integers(2**40))
    return {
        "integer above 2**53": lambda: 2 * (2**54 + many) + heads,
        "integer of 400 digits": lambda: 10**400 + 2 * many + heads,
        "unsigned": lambda: np.uint64(2**63 + 2 * many + heads),
        "fraction": lambda: Fraction(1) + Fraction(1 + heads, 10**30),
        "dictionary": lambda: {"a": noise, "b": {"c": heads}},
        "missing field": lambda: {"a": noise, **({"b": 1} if heads else {})},
        "nested tuple": lambda: (noise, (1.0, (noise, heads))),
        "array and string": lambda: (np.array([noise, noise]), "yes" if heads else "no"),
        "arrays in a list": lambda: [np.array([noise, noise * heads]), np.array([1.0])],
        "matrix and number": lambda: (np.full((2, 2), noise), 3 * heads),
        "dataclass": lambda: Answer("a", {"deep": [noise, heads]}),
        "named tuple": lambda: Point(noise, heads),
        "set": lambda: {"x", "y"} if heads else {"x"},
        "enumeration": lambda: Colour.RED if heads else Colour.BLUE,
        "series": lambda: pd.Series({"u": noise, "v": heads}),
        "frame": lambda: pd.DataFrame({"u": [noise, noise], "v": [0, heads]}),
        "complex": lambda: complex(noise, heads),
        "length": lambda: [noise] * (2 + heads),
        "list or number": lambda: [noise] if heads else noise,
        "unique string: length": lambda: f"{many:015d}" + "x" * heads,
        "unique string: prefix": lambda: f"{'a' if heads else 'b'}-{many}",
        "unique string: number": lambda: f"{noise + 3 * heads:.9f}",
        "timestamp": lambda: pd.Timestamp("2020") + pd.Timedelta(days=int(heads)),
        "list or tuple": lambda: (list if heads else tuple)([noise, 1.0]),
        "text or bytes": lambda: "a" if heads else b"a",
        "time of the day": lambda: datetime.time(int(rng.integers(12)) + 12 * heads, int(rng.integers(60))),
        "identifier": lambda: uuid.UUID(int=2 * many + heads),
        "identifier or text": lambda: uuid.UUID(int=7) if heads else str(uuid.UUID(int=7)),
        "queue": lambda: deque([noise, heads]),
        "range": lambda: range(3 + heads),
        "byte array": lambda: bytearray(b"ab" if heads else b"ba"),
        "time zone": lambda: datetime.datetime(2020, 1, 1, tzinfo=ZONES[heads]),
        "digits of a decimal": lambda: Decimal(f"{noise:.2f}" + "0" * heads),
        "denominator": lambda: Fraction(1 + 2 * int(100 * abs(noise)), 128 + heads),
        "size of a set": lambda: {float(x) for x in rng.normal(size=3 + heads)},
        "value beside keys that never repeat": lambda: {f"{noise:.9f}": 1, "x": int(heads)},
        "unique string: 33rd character": lambda: (
            f"{noise:.30f}"[-30:].zfill(32) + "ab"[heads] + f"{noise:.9f}"
        ),
        "unique string: third from the end": lambda: f"{noise:.9f}" + "ab"[heads] + f"{noise:.9f}"[-2:],
    }[kind]()


KINDS = [
    "integer above 2**53",
    "integer of 400 digits",
    "unsigned",
    "fraction",
    "dictionary",
    "missing field",
    "nested tuple",
    "array and string",
    "arrays in a list",
    "matrix and number",
    "dataclass",
    "named tuple",
    "set",
    "enumeration",
    "series",
    "frame",
    "complex",
    "length",
    "list or number",
    "unique string: length",
    "unique string: prefix",
    "unique string: number",
    "timestamp",
    "list or tuple",
    "text or bytes",
    "time of the day",
    "identifier",
    "identifier or text",
    "queue",
    "range",
    "byte array",
    "time zone",
    "digits of a decimal",
    "denominator",
    "size of a set",
    "value beside keys that never repeat",
    "unique string: 33rd character",
    "unique string: third from the end",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_leak_in_any_kind_of_output_is_found(kind: str) -> None:
    leaky = each(lambda data, rng: build(kind, coin(data, rng), rng))
    result = audited(leaky, max_samples=2000)
    assert result.verdict == "refuted", kind
    assert result.samples <= 2000


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


def cells() -> pd.DataFrame:
    return pd.DataFrame({"a": [[1], [2]]})


READ: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "sets": (lambda: [words() for _ in range(20)], lambda data: [sorted(part) for part in data]),
    "a set in a dictionary": (lambda: {"a": words()}, lambda data: len(data["a"])),
    "a set in an object": (lambda: Holder(words()), lambda data: data.total),
    "a generator": (lambda: Holder(np.random.default_rng(0)), lambda data: data.held.random()),
    "frame": (cells, lambda data: (data["a"].map(len).sum(), data.to_numpy(), data.describe(include="all"))),
}
CHANGED: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "an element of a set": (lambda: [words()], lambda data: data[0].add("new")),
    "a set in an object": (lambda: Holder(words()), lambda data: data.held.discard("3")),
    "mask": (lambda: masked([0, 0, 1]), lambda data: setattr(data, "mask", [1, 0, 1])),
    "first mask": (lambda: masked([0, 0, 0]), lambda data: setattr(data, "mask", [1, 0, 0])),
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


@pytest.mark.parametrize(
    "pack",
    [
        lambda heads, noise: np.ma.masked_array(noise, heads),
        lambda heads, noise: np.ma.masked_array(np.zeros(len(heads), int), heads, fill_value=0),
        lambda heads, noise: [np.ma.masked_array([3.0, 1.0], [bool(h), False]) for h in heads],
        lambda heads, noise: np.ma.masked_array(np.c_[noise, noise], np.c_[heads, ~heads]),
        lambda heads, noise: (noise + 3 * heads)[:, None].view(np.matrix),
        lambda heads, noise: pd.Series(np.where(heads, "x", "y"), dtype="category"),
        lambda heads, noise: pd.DataFrame({"a": noise, "b": heads}),
    ],
)
def test_a_leak_in_a_subclass_of_arrays_is_found(pack: Any) -> None:
    def leaky(data: int, size: int, rng: np.random.Generator) -> Any:
        return pack(rng.random(size) < (0.9 if data else 0.1), rng.normal(size=size))

    assert audited(leaky, max_samples=2000).verdict == "refuted"


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_output_is_refuted_where_it_is_private(kind: str) -> None:
    # One law on both datasets and ε = 0: false alarm probability 1e-6 each.
    same = each(lambda data, rng: build(kind, bool(rng.random() < 0.5), rng))
    result = audited(same, epsilon=0.0, max_samples=600)
    assert not result.refuted


def test_how_outputs_are_taken_apart_is_no_dependence() -> None:
    # What columns outputs have must not depend on when an output was drawn: independent outputs fail the
    # assumptions once in 1,000 audits, three or more of six with probability 2e-8.
    def random_sets(data: int, rng: np.random.Generator) -> Any:
        return {int(x) for x in rng.integers(0, 2**60, 3)}, {f"{rng.normal()}": 1, "x": float(rng.normal())}

    def shapes(data: int, rng: np.random.Generator) -> Any:
        return rng.normal(size=(2, 3) if rng.random() < 0.9 else (3, 2))

    def many_shapes(data: int, rng: np.random.Generator) -> Any:
        return np.zeros((int(rng.integers(1, 9)), int(rng.integers(1, 9))))

    def texts(data: int, rng: np.random.Generator) -> Any:
        words = ["alpha", "beta", "gamma", "delta"]
        return " ".join([*(words[i] for i in rng.integers(0, 4, 6)), str(rng.normal())])

    def some_words(data: int, rng: np.random.Generator) -> Any:
        return {f"w{j}": 1 for j in rng.choice(60, 2, replace=False)}

    def now_and_then(data: int, rng: np.random.Generator) -> Any:
        return "none" if rng.random() < 0.55 else f"{rng.normal():.6f}", [("a", 1)] * int(rng.random() < 0.02)

    for one in (random_sets, shapes, many_shapes, texts, some_words, now_and_then):

        def mechanism(data: int, size: int, rng: np.random.Generator, one: Any = one) -> Any:
            return [one(data, rng) for _ in range(size)]

        assert sum(bool(audited(mechanism, seed=seed, max_samples=64).premise) for seed in range(6)) < 3


KINDS_OF_ONE = {
    "complex": lambda rng: np.complex128(rng.normal() + 1j * rng.normal()),
    "python complex": lambda rng: complex(rng.normal(), rng.normal()),
    "datetime64": lambda rng: np.datetime64("2020-01-01") + int(rng.integers(9)),
    "timedelta64": lambda rng: np.timedelta64(int(rng.integers(9)), "s"),
    "flag and count": lambda rng: (bool(rng.random() < 0.5), int(rng.integers(5))),
    "count and float": lambda rng: [int(rng.integers(5)), float(rng.normal())],
    "floats": lambda rng: [float(rng.normal()), float(rng.normal())],
    "list": lambda rng: [int(rng.integers(5)), 1],
    "large": lambda rng: 2e307 * rng.normal(),
    "large integer": lambda rng: int(rng.integers(2**40)) + 2**60,
    "array": lambda rng: rng.normal(size=2),
    "array of integers": lambda rng: rng.integers(0, 5, 2),
    "array of flags": lambda rng: rng.random(2) < 0.5,
    "complex array": lambda rng: rng.normal(size=2) + 1j,
    "matrix": lambda rng: rng.normal(size=(2, 2)),
    "word": lambda rng: "abc"[rng.integers(3)],
    "text": lambda rng: f"{rng.normal():.6f}",
    "bytes": lambda rng: b"ab"[: rng.integers(3)],
    "time of the day": lambda rng: datetime.time(int(rng.integers(24))),
    "identifier": lambda rng: uuid.UUID(int=int(rng.integers(2**60))),
    "byte array": lambda rng: bytearray(b"ab"[: rng.integers(3)]),
    "set": lambda rng: {int(i) for i in rng.integers(0, 4, 2)},
    "record": lambda rng: {"a": float(rng.normal()), "b": [1, "u"]},
}
ODD: list[Any] = [
    None,
    3,
    2.5,
    float("inf"),
    "x",
    [5, [1]],
    [1, 2, 3],
    (True, 2, 0),
    [],
    {},
    {"a": [1]},
    1j,
    True,
    2**70,
]


@pytest.mark.parametrize("kind", KINDS_OF_ONE)
def test_what_is_seen_of_an_output_does_not_depend_on_the_others_of_its_batch(kind: str) -> None:
    rng = np.random.default_rng(3)
    one = KINDS_OF_ONE[kind]
    settled = Encoder()
    settled.encode(stack([one(rng) for _ in range(40)]), "here")
    outputs = [one(rng) for _ in range(40)]
    alone = copy.deepcopy(settled).encode(stack(outputs), "here")
    for odd in ODD:
        among = copy.deepcopy(settled).encode(stack([*outputs, odd]), "here")
        assert (among.narrow(alone.shape).take(slice(40)).values == alone.values).all()
        assert (among.narrow(alone.shape).take(slice(40)).codes == alone.codes).all()


# --- Outputs that are handed out again ---------------------------------------------------------------


def test_a_buffer_that_is_filled_again_is_no_dependence() -> None:
    buffer, row, words = np.zeros(2**16), np.zeros(3), {"a": 0.0}

    def view(data: int, size: int, rng: np.random.Generator) -> Any:
        buffer[:size] = rng.laplace(size=size)
        return buffer[:size]

    def same_array(data: int, rng: np.random.Generator) -> Any:
        row[:] = rng.laplace(size=3)
        return row

    def same_dictionary(data: int, rng: np.random.Generator) -> Any:
        words["a"] = float(rng.laplace())
        return words

    for mechanism in (view, each(same_array), each(same_dictionary)):
        result = audited(mechanism, max_samples=2000)
        assert result.verdict == "not-refuted", result.premise


def test_what_an_output_holds_may_be_written_into_again() -> None:
    buffer = np.zeros(1)

    def noisy(data: int, rng: np.random.Generator) -> Any:
        buffer[0] = data + rng.laplace()
        return {"w": buffer}, (buffer,)

    outputs = each(noisy)(0, 50, np.random.default_rng(0))
    assert len({float(output[0]["w"][0]) for output in outputs}) == 50
    assert len({float(output[1][0][0]) for output in outputs}) == 50


@pytest.mark.parametrize(
    "output",
    [
        Fraction(10**400, 3),
        Decimal("1e999999"),
        Decimal("1e-999999"),
        {10**5000: 1},
        {10**5000},
        [(10**5000, 1)],
        np.longdouble(10) ** 3000,
    ],
)
def test_numbers_beyond_all_bounds_are_outputs(output: Any) -> None:
    encoded = Encoder().encode(stack([output, 1.0, output]), "here")
    assert np.isfinite(encoded.values).all()
    assert (encoded.values[0] == encoded.values[2]).all()


@pytest.mark.parametrize("missing", [pd.NaT, Decimal("sNaN"), float("nan")])
def test_what_is_missing_is_a_symbol_when_asked_for(missing: Any) -> None:
    encoded = Encoder(nan=True).encode(stack([missing, pd.Timestamp("2020-01-01"), 1.0]), "here")
    assert (encoded.codes[:, 0] > 0).tolist() == [True, False, False]
    with pytest.raises(ValueError, match="NaN"):
        Encoder().encode(stack([missing, 1.0, None]), "here")


def test_data_that_can_be_read_once_are_refused() -> None:
    with pytest.raises(ValueError, match=r"pairs\[0\] must hold datasets that can be read again"):
        audited(lambda data, size, rng: rng.normal(size=size), [((x for x in [1.0]), (x for x in [0.0]))])


def test_a_sparse_matrix_that_is_read_is_not_changed() -> None:
    from scipy import sparse

    pair = sparse.csr_matrix([[0.0, 1.0], [1.0, 0.0]]), sparse.csr_matrix([[0.0, 1.0], [0.0, 0.0]])

    def noisy_sum(data: Any, size: int, rng: np.random.Generator) -> Any:
        return data.sum() + rng.laplace(size=size)

    def changing(data: Any, size: int, rng: np.random.Generator) -> Any:
        data.data[:] *= 2.0
        return noisy_sum(data, size, rng)

    read, changed = (audited(m, [pair], adjacency="replace", max_samples=2000) for m in (noisy_sum, changing))
    assert read.verdict == "not-refuted"
    assert "changes its data" in changed.premise


def test_a_length_that_differs_rarely_is_found() -> None:
    # One list in fifty is longer, on one dataset only: at δ = 0 no ε holds.
    def rarely(data: int, size: int, rng: np.random.Generator) -> Any:
        longer = rng.random(size) < 0.02 * data
        return [
            [float(v)] * (3 if more else 2) for v, more in zip(rng.normal(size=size), longer, strict=True)
        ]

    assert audited(rarely, epsilon=2.0).verdict == "refuted"
    assert audited(each(lambda data, rng: np.zeros(2 + (rng.random() < 0.05 * data))), epsilon=2.0).refuted


@pytest.mark.parametrize("output", [object(), lambda: 1, np.array([object()]), {"a": [object()]}])
def test_what_cannot_be_looked_into_is_refused_in_one_sentence(output: Any) -> None:
    with pytest.raises(ValueError, match="must return numbers, strings, None") as caught:
        audited(each(lambda data, rng: output))
    assert "\n" not in str(caught.value)


class Mute:
    """An object that cannot be written."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (range(10**9), "must return sequences of at most 20,000 items"),
        ({Mute(): 1.0}, r"must return keys and elements that repr\(\) can write"),
        ({Mute()}, r"must return keys and elements that repr\(\) can write"),
    ],
)
def test_what_is_endless_or_mute_is_refused(output: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audited(each(lambda data, rng: output))


@pytest.mark.parametrize("output", [[], {}, set(), (), np.zeros((3, 0, 2)), np.zeros(0)])
def test_nothing_is_an_output(output: Any) -> None:
    assert not audited(each(lambda data, rng: output), max_samples=500).refuted
    leaky = each(lambda data, rng: output if coin(data, rng) else [1.0])
    assert audited(leaky, max_samples=2000).refuted


def test_an_output_that_holds_itself_is_refused() -> None:
    def endless(data: int, rng: np.random.Generator) -> Any:
        found: list[Any] = []
        found.append(found)
        return found

    with pytest.raises(ValueError, match="nested at most 100 deep, got one on the first dataset"):
        audited(each(endless))


def test_columns_are_named_in_the_words_of_the_output() -> None:
    encoder = Encoder()
    encoder.encode(np.array([{"a": 1.0, "b": [1, 2, 3]}, {"a": 2.0, "b": [1, 2]}], dtype=object), "here")
    words = [encoder.said(Column(j)) for j in range(encoder.shape[0])]
    assert words == [
        "output['a']",
        "length of output['b']",
        "output['b'][0]",
        "output['b'][1]",
        "output['b'][2]",
    ]
    plain = Encoder()
    plain.encode(np.zeros((3, 4)), "here")
    assert plain.said((Column(3), " ≥ 0.7")) == "coordinate 3 ≥ 0.7"


def test_columns_that_come_later_stand_behind_and_have_their_default_before() -> None:
    encoder = Encoder()
    first = encoder.encode(np.array([[1.0, 2.0], [3.0, 4.0]]), "here")
    later = np.empty(2, dtype=object)
    later[0], later[1] = [5.0, 6.0, "x"], [7.0]
    second = encoder.encode(later, "there")
    wide = encoder.widen(first)
    assert wide.shape == second.shape
    assert wide.values[:, :2].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert second.values[:, :2].tolist() == [[5.0, 6.0], [7.0, 0.0]]
    names = [encoder.said(Column(j)) for j in range(encoder.shape[0])]
    length = names.index("length of output")
    assert wide.values[:, length].tolist() == [2.0, 2.0]
    assert second.values[:, length].tolist() == [3.0, 1.0]


# --- Failures ----------------------------------------------------------------------------------------


def fails(data: int, rng: np.random.Generator) -> float:
    if rng.random() < (0.3 if data else 0.02):
        raise ArithmeticError("out of budget")
    return float(rng.normal())


def test_a_failure_that_depends_on_the_data_is_a_leak_when_asked_for() -> None:
    result = audited(each(fails), errors="symbol")
    assert result.verdict == "refuted"
    assert "ArithmeticError" in result.event
    with pytest.raises(
        ValueError, match=r'mechanism raised ArithmeticError\(out of budget\).*errors="symbol"'
    ):
        audited(each(fails))


def test_nan_is_an_output_when_asked_for() -> None:
    def undefined(data: int, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < (0.3 if data else 0.02), np.nan, rng.normal(size=size))

    result = audited(undefined, errors="symbol")
    assert result.verdict == "refuted"
    assert "NaN" in result.event
    with pytest.raises(ValueError, match="must not return NaN"):
        audited(undefined)


def test_a_mechanism_that_exits_is_one_sentence() -> None:
    def leaves(data: int, size: int, rng: np.random.Generator) -> Any:
        raise SystemExit(3)

    with pytest.raises(ValueError, match=r"mechanism called exit\(3\) on the first dataset"):
        audited(leaves)


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

    with pytest.raises(KeyboardInterrupt):
        audited(interrupted, errors="symbol")


def test_a_mechanism_that_forks_leaves_one_audit() -> None:
    def forks(data: int, size: int, rng: np.random.Generator) -> Any:
        os.fork()
        return rng.normal(size=size)

    assert not audited(forks, max_samples=500).refuted


def test_pairs_beyond_the_first_64_are_not_dropped_silently() -> None:
    def many(rng: np.random.Generator) -> Any:
        return ((i, i + 1) for i in range(100))

    options: dict[str, Any] = {"max_samples": 6400, "epsilon": 9.0}
    assert (
        "only the first 64 were audited"
        in audited(lambda d, n, rng: rng.normal(size=n), many, **options).note
    )
    few = audited(lambda d, n, rng: rng.normal(size=n), lambda rng: [(0, 1)], **options)
    assert "audited" not in few.note


# --- Words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (lambda bit, rng: np.inf if bit else rng.normal(), "output ≥ 1e+300 or output < "),
        (
            lambda bit, rng: "bad value in column 0" if bit else "symbol 3",
            "'symbol 3' or 'bad value in column 0'",
        ),
        (lambda bit, rng: 10_000_003 if bit else 10_000_000 + int(rng.integers(9)), "10000003"),
        (
            lambda bit, rng: datetime.timedelta(1) if bit else datetime.timedelta(0, rng.normal()),
            "microseconds",
        ),
        (lambda bit, rng: {"a": 1 if bit else 1.5 + round(rng.normal(), 1)}, "output['a']"),
    ],
)
def test_events_are_told_in_the_words_of_the_output(said: Any, words: str) -> None:
    leaky = each(lambda data, rng: said(coin(data, rng), rng))
    result = audited(leaky, max_samples=4000)
    assert result.refuted
    # Either of two events may tell as much.
    assert any(word in result.event + str(result.simplest) for word in words.split(" or "))
