"""Audits end to end, one a line: a mechanism, its claim, the verdict, and words of the witness or the note.

A mechanism gets the dataset, 1 or 0, and a generator. "Refuted" is a matter of power: a coin of 0.9 against
0.1 has ε = 2.2 and is refuted by some hundred outputs. "Not refuted" and "undecided" are false alarms with
probability 1e-6 at most, but where the line has an α of its own.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import re
import types
import uuid
from collections import deque, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from audits.privacy import each
from tests.audits.privacy_runs import audited

Rng = np.random.Generator
Point = namedtuple("Point", "x y")
WORDS = [f"{colour} {tree}" for colour in ("red", "blue", "pink") for tree in ("oak", "elm", "fir", "ash")]


@dataclasses.dataclass
class Answer:
    label: str
    score: Any


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of the table: name, mechanism, verdict, a pattern of words, options of the audit."""

    name: str
    mechanism: Callable[..., Any]
    verdict: str
    words: str = ""
    options: dict[str, Any] = dataclasses.field(default_factory=dict[str, Any])


def coin(data: int, rng: Rng, often: float = 0.9, rarely: float = 0.1) -> bool:
    return bool(rng.random() < (often if data else rarely))


def leak(name: str, said: Callable[[int, Rng], Any], words: str = "", **options: Any) -> Row:
    """Outputs ``said(bit, rng)`` in which the bit tells the dataset in nine of ten."""
    return Row(name, each(lambda data, rng: said(coin(data, rng), rng)), "refuted", words, options)


def one(name: str, said: Callable[[int, Rng], Any], verdict: str, words: str = "", **options: Any) -> Row:
    """Outputs ``said(data, rng)``, one a call."""
    return Row(name, each(said), verdict, words, options)


def many(name: str, drawn: Callable[[int, int, Rng], Any], verdict: str, words: str = "", **o: Any) -> Row:
    """Outputs ``drawn(data, size, rng)``, all of a call."""
    return Row(name, drawn, verdict, words, o)


def listed(name: str, said: Callable[[int, Rng], Any], verdict: str, words: str = "", **o: Any) -> Row:
    """Outputs ``said(data, rng)`` in lists, several a call."""
    return Row(name, lambda data, size, rng: [said(data, rng) for _ in range(size)], verdict, words, o)


def coins(name: str, said: Callable[[Any, Any], Any]) -> Row:
    """Outputs ``said(bits, numbers)``, all of a call; the bits tell the dataset in nine of ten."""

    def drawn(data: int, size: int, rng: Rng) -> Any:
        return said(rng.random(size) < (0.9 if data else 0.1), rng.normal(size=size))

    return Row(name, drawn, "refuted")


def fields(data: int, size: int, rng: Rng) -> Any:
    found = np.zeros(size, [("name", "U9"), ("value", float)])
    found["name"] = np.where(rng.random(size) < 0.05 * data, "late", rng.choice(WORDS, size))
    found["value"] = rng.normal(size=size)
    return found


def member(data: int, rng: Rng) -> Any:
    found = rng.permutation(WORDS[:-1]).tolist()[:6]
    return found[:5] + [WORDS[-1]] * coin(data, rng, 0.6, 0.0) + found[5:]


def number_in_a_list(data: int, rng: Rng) -> Any:
    found = [7919 * int(i) for i in np.flatnonzero(rng.random(60) < 0.3) if i != 20]
    return rng.permutation(found + [7919 * 20] * coin(data, rng, 0.6, 0.0)).tolist()


def centres(data: int, size: int, rng: Rng) -> Any:
    return [rng.normal(size=(2 + data, 2)) for _ in range(size)]


def three_bits(data: int, size: int, rng: Rng) -> Any:
    return (np.array([0, 1, 0]) == data) ^ (rng.random((size, 3)) < 0.3)


def parity(data: int, size: int, rng: Rng) -> Any:
    bits = rng.integers(0, 2, size=(size, 3))
    bits[:, 2] = (bits[:, 0] + bits[:, 1] + (rng.random(size) < (0.95 if data else 0.05))) % 2
    return bits * [1, 100, 10_000]


def interval(data: int, rng: Rng) -> Any:
    """A correct mean with its confidence interval: ε = 1, but for rounding."""
    mean = data + rng.laplace()
    return {"mean": mean, "ci": (mean - 1.96, mean + 1.96)}


def columns_of_one(*shifts: float) -> Callable[[int, int, Rng], Any]:
    """A correct answer, ε = 1, in several columns that differ by constants, but for rounding."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        value = data + rng.laplace(size=size)
        return np.column_stack([value + shift for shift in shifts])

    return mechanism


def truncated(data: int, size: int, rng: Rng) -> Any:
    return np.where(rng.random(size) < 0.55 * data, rng.uniform(0.4, 0.6, size), rng.random(size))


TABLE = [
    # Numbers
    many("too little noise", lambda d, n, g: d + g.laplace(scale=0.5, size=n), "refuted", r"output (≥|<) "),
    many("enough noise", lambda d, n, g: d + g.laplace(size=n), "not-refuted"),
    many("wider noise", lambda d, n, g: g.normal(scale=1 + 2 * d, size=n), "refuted", "output"),
    many("an atom", lambda d, n, g: np.where(g.random(n) < (0.2 if d else 0.02), 0.5, g.normal(size=n)),
         "refuted", "output = 0.5"),
    many("an interval", truncated, "refuted", r"output (is )?(not )?in \[", epsilon=0.5),
    many("counts", lambda d, n, g: d + g.geometric(0.8, n) - g.geometric(0.8, n), "refuted", "output"),
    many("infinity", lambda d, n, g: np.where(g.random(n) < (0.3 if d else 0.02), np.inf, g.normal(size=n)),
         "refuted", r"1e\+300"),
    many("a constant each", lambda d, n, g: np.full(n, float(d)), "refuted", "again and again"),
    many("a constant", lambda d, n, g: np.zeros(n), "not-refuted", "Every output on both datasets"),
    many("a fair coin", lambda d, n, g: g.random(n) < 0.5, "not-refuted"),
    many("−0 and 0", lambda d, n, g: np.where(g.random(n) < (0.9 if d else 0.1), -0.0, 0.0), "not-refuted"),
    leak("a complex number", lambda b, g: complex(g.normal(), b), r"\.imag"),
    leak("an instant", lambda b, g: pd.Timestamp("2020") + pd.Timedelta(days=int(b)), "microseconds"),
    leak("a time of the day", lambda b, g: datetime.time(int(g.integers(12)) + 12 * b)),
    leak("ten million", lambda b, g: 10_000_003 if b else 10_000_000 + int(g.integers(9)), "10000003"),
    # Symbols and failures
    leak("words", lambda b, g: ["no", "yes"][b], r"output = '(no|yes)'"),
    leak("an enumeration", lambda b, g: (Colour.RED, Colour.BLUE)[b], "Colour"),
    leak("an identifier", lambda b, g: uuid.UUID(int=int(g.integers(3)) + 2 * b)),
    leak("bytes", lambda b, g: bytearray(b"ab" if b else b"ba")),
    one("None", lambda d, g: None if coin(d, g, 0.3, 0.02) else float(g.normal()), "refuted", "= None"),
    one("division by zero", lambda d, g: 1.0 / (1 - d), "refuted", "raised ZeroDivisionError",
        errors="symbol"),
    many("NaN", lambda d, n, g: np.where(g.random(n) < (0.3 if d else 0.02), np.nan, g.normal(size=n)),
         "refuted", "NaN", errors="symbol"),
    many("one late word of many", fields, "refuted", r"output\.name = 'late'"),
    # Vectors
    many("a shift in all of 20", lambda d, n, g: 0.5 * d + g.normal(size=(n, 20)), "refuted",
         "the sum of the coordinates", epsilon=0.5),
    many("a shift in one of 12", lambda d, n, g: d * np.eye(12)[7] + g.laplace(scale=0.4, size=(n, 12)),
         "refuted", "coordinate 7 [≥<]"),
    many("a shift in one of 300", lambda d, n, g: 3 * d * np.eye(300)[7] + g.normal(size=(n, 300)),
         "refuted", "coordinate 7"),
    many("a record moved", lambda d, n, g: d * np.array([1.0, -1.0, 0.0]) + g.laplace(size=(n, 3)),
         "refuted", r"\(coordinate 0\) [−+] \(coordinate 1\) [≥<]", precision=0.2),
    many("bits", lambda d, n, g: g.random((n, 12)) < (0.35 if d else 0.65), "refuted", epsilon=0.5),
    many("a rare crowd", lambda d, n, g: g.normal(size=(n, 10)) + 20.0 * d * (g.random((n, 1)) < 0.02),
         "refuted", epsilon=0.5),
    many("whole outputs", three_bits, "refuted", r"output in \{\(", precision=0.2, max_samples=30_000),
    many("a parity of three", parity, "refuted", r"output in \{\("),
    many("an interval of one answer", columns_of_one(0.0, -1 / 3, 1 / 3), "not-refuted"),
    many("an answer and more", columns_of_one(0.0, 0.1), "not-refuted"),
    one("an answer and its interval", interval, "not-refuted"),
    # Lists, tuples, sets, dictionaries, records, tables
    Row("clusters that are dropped", centres, "refuted", r"form of output = array\([23], 2\)"),
    listed("a rare longer list", lambda d, g: [g.normal()] * (3 if coin(d, g, 0.05, 0.0) else 2), "refuted",
           r"length of output|coordinate 2|form of output", max_samples=20_000),
    one("a member of a list", member, "refuted", "ash|form of output"),
    one("a number in a list", number_in_a_list, "refuted", "158380"),
    leak("a nested tuple", lambda b, g: (g.normal(), (1.0, (g.normal(), b))), r"output\[1\]\[1\]\[1\]"),
    leak("arrays in a list", lambda b, g: [g.normal(size=2) * (1 + 9 * b), np.array([1.0])]),
    leak("a matrix and a number", lambda b, g: (np.full((2, 2), g.normal()), 3 * b), r"output\[1\]"),
    leak("a dictionary", lambda b, g: {"a": g.normal(), "b": {"c": b}}, r"output\['b'\]\['c'\]"),
    leak("a missing field", lambda b, g: {"a": g.normal(), **({"b": 1} if b else {})}, "form of output"),
    leak("a value beside other keys", lambda b, g: {f"{g.normal():.9f}": 1, "x": int(b)}, r"output\['x'\]"),
    leak("a dataclass", lambda b, g: Answer("a", {"deep": [g.normal(), b]}), r"output\.score"),
    leak("a named tuple", lambda b, g: Point(g.normal(), b), r"output\.y"),
    leak("a set", lambda b, g: {"x", "y"} if b else {"x"}, "form of output . {'x'"),
    leak("a queue", lambda b, g: deque([g.normal(), b])),
    leak("a series", lambda b, g: pd.Series({"u": g.normal(), "v": b}), r"output\['v'\]"),
    leak("a frame", lambda b, g: pd.DataFrame({"u": [g.normal(), 1.0], "v": [0, b]})),
    leak("a sparse array", lambda b, g: sparse.csr_array([[g.normal(), 0, b]]), "form of output . csr"),
    coins("masks", lambda bits, x: np.ma.masked_array(x, bits)),
    coins("masks on zeros", lambda bits, x: np.ma.masked_array(np.zeros(len(x), int), bits, fill_value=0)),
    coins("arrays with a mask", lambda bits, x: [np.ma.masked_array([3.0, 1.0], [b, False]) for b in bits]),
    coins("masks of two columns", lambda bits, x: np.ma.masked_array(np.c_[x, x], np.c_[bits, ~bits])),
    coins("a matrix", lambda bits, x: (x + 3 * bits)[:, None].view(np.matrix)),
    coins("a series of categories", lambda bits, x: pd.Series(np.where(bits, "x", "y"), dtype="category")),
    coins("a frame of all outputs", lambda bits, x: pd.DataFrame({"a": x, "b": bits})),
    one("rows of a table", lambda d, g: pd.DataFrame(index=range(d)), "refuted"),
    one("categories", lambda d, g: pd.Series(["a"], dtype=pd.CategoricalDtype([*"abc"][: 2 + d])), "refuted"),
    one("a view", lambda d, g: types.MappingProxyType({"a": d}), "refuted"),
    # Types and orders
    listed("a type of text", lambda d, g: ("ab", b"ab")[d][: g.integers(3)], "refuted", "output [=≠] b?'"),
    listed("a type of list", lambda d, g: ((1, 2), [1, 2])[d], "refuted", "form of output [=≠] "),
    listed("the order of keys", lambda d, g: dict([("a", g.laplace()), ("b", 2)][:: 1 if d else -1]),
           "refuted", r"form of output [=≠] \{"),
    many("types of arrays", lambda d, n, g: g.integers(0, 2, n).astype(np.int64 if d else np.float64),
         "not-refuted"),
    many("a number of columns", lambda d, n, g: g.integers(0, 2, (n, 2 + d)), "refuted",
         r"form of output = array\([23],\) of number"),
    many("types that a batch decides", lambda d, n, g: np.array(["a" * int(k) for k in g.geometric(0.5, n)]),
         "not-refuted"),
    # Assumptions and failures of them
    many("one draw for all", lambda d, n, g: np.full(n, g.laplace()), "undecided", "share a draw"),
    listed("always the same failure", lambda d, g: 1 / 0, "undecided", "raised ZeroDivisionError",
           errors="symbol"),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_an_audit_ends_as_its_line_says(row: Row) -> None:
    settings: dict[str, Any] = {"alpha": 1e-6, "max_samples": 3000} | row.options
    result = audited(row.mechanism, [(1, 0)], **settings)
    told = f"{result.event}; {result.simplest}; {result.note}"
    assert (result.verdict, bool(re.search(row.words, told))) == (row.verdict, True), told
    assert (result.epsilon_lower > result.epsilon_claimed) == result.refuted
    if result.refuted and result.simplest is not None:
        assert result.simplest.epsilon > result.epsilon_claimed


@pytest.mark.parametrize("row", [row for row in TABLE if row.verdict == "refuted"], ids=lambda row: row.name)
@pytest.mark.slow
def test_one_law_is_never_refuted(row: Row) -> None:
    """The first dataset in place of both, ε = 0: each line is a false alarm with probability 1e-6."""
    settings: dict[str, Any] = {"alpha": 1e-6, "max_samples": 1000} | row.options
    same = each(lambda data, rng: row.mechanism(1, 1, rng)[0])
    settings |= {"epsilon": 0.0, "errors": "symbol"}
    assert not audited(same, [(1, 0)], **settings).refuted
