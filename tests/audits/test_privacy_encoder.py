"""What is seen of an output is a function of that output alone, whatever comes before it and beside it.

Bets on the next outputs are placed on columns of an encoder. Were an output to look different among other
outputs, two datasets with one law would look different too.
"""

from __future__ import annotations

import copy
import datetime
import enum
import functools
import math
from collections import deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from audits.privacy import each
from audits.privacy.draw.draws import stack
from audits.privacy.outputs import encoder, leaves
from audits.privacy.outputs.describe import column_words, place_words, symbol_words
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.leaves import objects
from audits.privacy.outputs.outputs import Encoded, row_keys
from tests.audits import privacy_runs
from tests.audits.test_values import EVERY

Rng = np.random.Generator
Point = namedtuple("Point", "x y")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Ratio(float, enum.Enum):
    HALF = 0.5
    WHOLE = 1.0


@dataclass(frozen=True)
class Record:
    a: Any
    b: Any


ATOMS: list[Any] = [
    *EVERY,
    *(2**63 + 5, -(2**63), 1e308, float("-inf"), "bb", "0", b"a\0", bytearray(b"a"), 1j),
    *(np.float16(0.5), np.longdouble("0.1"), np.int8(1), np.uint64(2**63 + 1), np.complex64(1 + 2j)),
    *(np.bool_(True), np.str_("a"), np.bytes_(b"a"), np.bytes_(b"a\0"), Decimal("1.50"), Decimal("NaN")),
    *(datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC), datetime.time(12), pd.Timestamp("2020-01-01")),
    *(np.datetime64("2020-01-01"), np.datetime64("2020-01-01T12"), np.datetime64("NaT"), pd.NaT),
    *(np.datetime64("2020-01-01T12:30:01.5", "ns"), np.datetime64("2020"), np.timedelta64(1, "D")),
    *(np.timedelta64(3, "ps"), np.timedelta64(2), Level.LOW, Level.HIGH, Ratio.HALF, Ratio.WHOLE),
]


def atom(rng: Rng) -> Any:
    return ATOMS[rng.integers(len(ATOMS))]


def several(rng: Rng, part: Callable[[Rng], Any]) -> list[Any]:
    return [part(rng) for _ in range(rng.integers(0, 4))]


def array(rng: Rng) -> Any:
    kinds = float, int, bool, "U2", "S2", complex, np.float32, np.uint64, "M8[D]", "M8[h]", object
    shape = tuple(rng.integers(0, 3, rng.integers(0, 3)))
    found = rng.integers(0, 3, shape).astype(kinds[rng.integers(len(kinds))])
    return np.ma.masked_array(found, rng.random(shape) < 0.5) if rng.random() < 0.2 else np.asarray(found)


def table(rng: Rng) -> Any:
    """A Series or a DataFrame, now and then of other types, with labels that repeat, or categories."""
    rows = int(rng.integers(0, 4))
    index = rng.choice(["u", "v", "w"], rows)
    values = [rng.integers(0, 3, rows), rng.normal(size=rows).round(1), rng.choice(["a", "b"], rows)]
    series = pd.Series(values[rng.integers(3)], index=index, name=["n", None][rng.integers(2)])
    if rng.random() < 0.3:
        series = series.astype("category")
    if rng.random() < 0.5:
        return series
    return pd.concat([series] * int(rng.integers(1, 3)), axis=1)


def records(rng: Rng) -> Any:
    found = np.zeros(tuple(rng.integers(0, 3, rng.integers(0, 2))), [("a", "f8"), ("b", "i4", (2,))])
    found["a"] = rng.integers(3)
    return found


def mapping(rng: Rng, part: Callable[[Rng], Any]) -> Any:
    keys = rng.permutation(["a", "b", "c", "d"])[: rng.integers(0, 5)]
    return {str(key): part(rng) for key in keys}


CONTAINERS: list[Callable[[Rng, Callable[[Rng], Any]], Any]] = [
    several,
    lambda rng, part: tuple(several(rng, part)),
    lambda rng, part: deque(several(rng, part)),
    lambda rng, part: Point(part(rng), part(rng)),
    lambda rng, part: Record(part(rng), part(rng)),
    mapping,
    mapping,
    lambda rng, part: {["a", 1, 2.5, None, (1, "x")][i] for i in rng.integers(0, 5, 3)},
    lambda rng, part: frozenset("ab"[: rng.integers(3)]),
    lambda rng, part: array(rng),
    lambda rng, part: array(rng),
    lambda rng, part: pd.Series(rng.integers(0, 3, 2), index=["u", "v"]),
    lambda rng, part: pd.DataFrame({"u": rng.normal(size=rng.integers(0, 3))}),
    lambda rng, part: table(rng),
    lambda rng, part: records(rng),
    lambda rng, part: sparse.csr_matrix(rng.integers(0, 2, (2, 2)).astype(["f8", "i4"][rng.integers(2)])),
    lambda rng, part: [[0.5, 1.5, [2, 2.0, math.nan, "b"][rng.integers(4)]], part(rng)],
    lambda rng, part: range(rng.integers(4)),
]


def anything(rng: Rng, depth: int = 3) -> Any:
    if depth == 0 or rng.random() < 0.35:
        return atom(rng)
    return CONTAINERS[rng.integers(len(CONTAINERS))](rng, lambda inner: anything(inner, depth - 1))


def batch(rng: Rng, pool: list[Any]) -> tuple[list[int], Any]:
    """Some outputs of a pool, mostly of few kinds, as they come from a mechanism."""
    some = rng.choice(len(pool), rng.integers(1, 4))
    numbers = [int(i) for i in rng.choice(some, rng.integers(1, 8))]
    return numbers, stack([copy.deepcopy(pool[i]) for i in numbers])


def assert_alike(found: Encoded, numbers: list[int], seen: dict[int, bytes], pool: list[Any]) -> None:
    """Each output of these numbers of the pool looks as it did before."""
    for row, number in enumerate(numbers):
        looks = found.values[row].tobytes() + found.codes[row].tobytes()
        assert seen.setdefault(number, looks) == looks, (pool[number], [pool[i] for i in numbers])


# Of mechanisms that ignore their data: ε = 0.
audited = functools.partial(privacy_runs.audited, epsilon=0.0, simplest=False)


@pytest.mark.parametrize("seed", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_an_output_looks_the_same_in_every_batch(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(150):
        # Outputs of a mechanism are mostly alike: few of all kinds, several times.
        pool = [anything(rng) for _ in range(rng.integers(2, 7))]
        encoder, seen = Encoder(nan=True), dict[int, bytes]()
        for _ in range(7):
            numbers, outputs = batch(rng, pool)
            assert_alike(encoder.encode(outputs, "here"), numbers, seen, pool)


# --- What single outputs look like ---


class Mute:
    """An object that cannot be written."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


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
    encoder = Encoder(nan=True)
    encoded = encoder.encode(stack([missing, pd.Timestamp("2020-01-01"), 1.0]), "here")
    assert encoder.said(symbol_words(int(encoded.codes[0, 0]))) == "NaN"
    assert encoded.codes[0, 0] not in encoded.codes[1:, 0]
    with pytest.raises(ValueError, match="NaN"):
        Encoder().encode(stack([missing, 1.0, None]), "here")


ITSELF: list[Any] = []
ITSELF.append(ITSELF)
OPAQUE, MUTE = "must return numbers, strings, None", r"must return keys and elements that repr\(\) can write"


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (object(), OPAQUE),
        (lambda: 1, OPAQUE),
        (np.array([object()]), OPAQUE),
        ({"a": [object()]}, OPAQUE),
        (range(10**9), "must return sequences of at most 20,000 items"),
        ({Mute(): 1.0}, MUTE),
        ({Mute()}, MUTE),
        (ITSELF, "nested at most 100 deep, got one on the first dataset"),
    ],
)
def test_what_is_opaque_endless_or_mute_is_refused_in_one_sentence(output: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        audited(each(lambda data, rng: output))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("output", [[], {}, set(), (), np.zeros((3, 0, 2)), np.zeros(0)])
def test_nothing_is_an_output(output: Any) -> None:
    assert not audited(each(lambda data, rng: output), max_samples=500).refuted
    leaky = each(lambda data, rng: output if rng.random() < (0.9 if data else 0.1) else [1.0])
    assert audited(leaky, max_samples=2000).refuted


def test_columns_are_named_in_the_words_of_the_output() -> None:
    encoder = Encoder()
    outputs = [{"a": 1.0, "b": [1, 2, 3]}, {"a": 2.0, "b": [1, 2]}] * 2
    found = encoder.encode(objects(outputs), "here")
    words = [encoder.said(column_words(j)) for j in range(found.shape[0])]
    assert words == [
        "output['a']",
        "output['b'][0]",
        "output['b'][1]",
        "output['b'][2]",
        "length of output['b']",
    ]
    # Both forms are as frequent: the first in the alphabet is the usual one.
    told = encoder.said(f"{place_words(0)} = {symbol_words(int(found.codes[1, 0]))}")
    assert told == "form of output = {'a': number, 'b': [number, number]}"
    plain = Encoder()
    plain.encode(np.zeros((3, 4)), "here")
    assert plain.said(f"{column_words(3)} ≥ 0.7") == "coordinate 3 ≥ 0.7"


def test_encoder_keeps_symbols_and_numbers_apart() -> None:
    encoder = Encoder()
    outputs = np.array([1.5, None, "fail", 2.0, None], dtype=object)
    encoded = encoder.encode(outputs, "here")
    assert encoded.values[:, 0].tolist() == [1.5, 0.0, 0.0, 2.0, 0.0]
    none, fail = encoded.codes[1:3, 0].tolist()
    assert encoded.codes[:, 0].tolist() == [0, none, fail, 0, none]
    assert encoder.said(f"{symbol_words(none)} ∪ {symbol_words(fail)}") == "None ∪ 'fail'"
    again = encoder.encode(np.array([3.0, 4.0]), "there")
    assert again.values.shape == (2, 1)
    assert again.codes.tolist() == [[0], [0]]


def test_equal_keys_that_are_written_differently_are_fields_of_their_own() -> None:
    encoder = Encoder()
    keys: list[Any] = [True, 1, 0.0, -0.0, "1"]
    found = encoder.encode(objects([{key: float(j)} for j, key in enumerate(keys)] * 2), "here")
    names = {encoder.said(column_words(j)) for j in range(found.shape[0])}
    assert {f"output[{key!r}]" for key in keys} <= names


def test_sets_are_read_alike_in_whatever_order_they_came() -> None:
    one, other = {0, 8}, {8, 0}
    assert str(one) != str(other)
    rows = Encoder().encode(objects([one, other] * 2), "here")
    assert (rows.values == rows.values[0]).all()
    assert not rows.codes[:, 0].any()


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25us", "10ns"])
def test_times_of_any_unit_count_microseconds(unit: str) -> None:
    moment = np.datetime64("2024-05-06T07:08:09.123456", unit)
    same = moment.astype("M8[us]").astype(datetime.datetime)
    assert leaves.number(moment) == leaves.number(same)


def test_symbols_beyond_the_most_that_are_told_apart_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audits.privacy.outputs.encoder.MOST_SYMBOLS", 8)
    encoder = Encoder()
    for _ in range(2):
        codes = encoder.encode(objects([bytes([j]) for j in range(30)]), "here").codes[:, 0]
        assert len({*codes[:7].tolist()}) == 7
        assert len({*codes[8:].tolist()}) == 1


def test_of_many_rare_keys_the_commonest_have_columns_and_the_form_has_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoder, "MOST_RARE", 5)
    rng = np.random.default_rng(0)
    made = [{f"k{k}": 1.0 for k in sorted(rng.choice(12, 2, replace=False))} for _ in range(200)]
    outputs = objects([output | {"always": 2.0} for output in made])
    encoded = Encoder().encode(outputs, "D")
    assert encoded.shape[0] <= 6
    keys = row_keys(encoded).tolist()
    assert len({*keys}) == len({*zip(keys, map(repr, outputs), strict=True)}) == len({*map(repr, outputs)})
