"""Domains of data as frozen records, each with a Hypothesis strategy for its members.

Members begin with edges: bounds, extremes of the type, ±0, subnormal numbers, no record, one record, repeated
records, texts that no number is made of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

REPEATS = (1, 1, 1, 1, 2, 3, 4, 9, 100)
"""How often a record may stand in a row."""
BLOCKS = 6
"""Different records of a dataset, at most."""
WORDS = ("", "a", "b", "c", "A", "0", "1", "-1", "2.5", "nan", "1e400", "true", " 1", "é", "a,b", "x" * 40)
INTEGERS = {f"{sign}{bits}": bits for sign in "iu" for bits in (8, 16, 32, 64, 128)}


@dataclass(frozen=True, slots=True)
class Atom:
    """Single values of one type: "i32", "u8", "f64", "bool", "String", "datetime", "date".

    low, high    bounds, both included; None where there is none.
    nan          whether NaN is a member; nullable: whether None is.
    values       the only members, where they are named (categories).
    """

    kind: str
    low: Any = None
    high: Any = None
    nan: bool = False
    nullable: bool = False
    values: tuple[Any, ...] | None = None

    @property
    def is_float(self) -> bool:
        return self.kind in ("f32", "f64")

    def limits(self) -> tuple[Any, Any]:
        """The least and the greatest number: the bounds, else the extremes of the type."""
        if self.is_float:
            return (
                -math.inf if self.low is None else float(self.low),
                math.inf if self.high is None else float(self.high),
            )
        bits = INTEGERS[self.kind]
        least, most = (0, 2**bits - 1) if self.kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return (least if self.low is None else int(self.low)), (most if self.high is None else int(self.high))

    def holds(self, value: Any) -> bool:
        """Whether a value of the right type is a member."""
        if value is None:
            return self.nullable
        if self.values is not None:
            return value in self.values
        if self.is_float and math.isnan(value):
            return self.nan
        if self.kind in INTEGERS or self.is_float:
            low, high = self.limits()
            return low <= value <= high and (self.kind != "f32" or single(value) == value)
        return True

    def strategy(self) -> SearchStrategy[Any]:
        from hypothesis import strategies as st

        values = self._values(st)
        return st.one_of(values, st.none()) if self.nullable else values

    def _values(self, st: Any) -> SearchStrategy[Any]:
        if self.values is not None:
            return st.sampled_from(list(self.values))
        if self.kind == "bool":
            return st.booleans()
        if self.kind == "datetime":
            return st.datetimes()
        if self.kind == "date":
            return st.dates()
        if self.kind == "String":
            return st.one_of(st.sampled_from(WORDS), st.text("ab01", max_size=3))
        low, high = self.limits()
        edges = self.edges()
        if not self.is_float:
            near = st.integers(max(low, min(-8, high)), min(high, max(8, low)))
            return st.one_of(near, st.sampled_from(edges), st.integers(low, high))
        width = 32 if self.kind == "f32" else 64
        if width == 32:
            low, high = (bound if single(bound) == bound else None for bound in (low, high))
        wide = st.floats(
            None if low == -math.inf else low,
            None if high == math.inf else high,
            width=width,
            allow_nan=False,
        ).filter(self.holds)
        plain = st.integers(-8, 8).map(float).filter(self.holds)
        return st.one_of(plain if any(map(self.holds, range(-8, 9))) else wide, st.sampled_from(edges), wide)

    def edges(self) -> list[Any]:
        """Members at the ends of the domain, and others that arithmetic stumbles over; the ends first."""
        if self.values is not None:
            return list(self.values[:2])
        if not self.is_float and self.kind not in INTEGERS:
            return {"bool": [False, True], "String": ["", "a", "1"]}.get(self.kind, [])
        return [*filter(self.holds, self._edges())]

    def _edges(self) -> list[Any]:
        low, high = self.limits()
        if not self.is_float:
            return [*{low: 0, high: 0, low + 1: 0, high - 1: 0, 0: 0, 1: 0, -1: 0, (low + high) // 2: 0}]
        tiny = float.fromhex("0x1p-149") if self.kind == "f32" else 5e-324
        largest = float.fromhex("0x1.fffffep127") if self.kind == "f32" else 1.7976931348623157e308
        near = [low, high, math.nextafter(high, low), math.nextafter(low, high), low / 2, high / 2]
        usual = [0.0, -0.0, tiny, -tiny, 1.0, -1.0, 0.1, 1 / 3, 1e-9, 1e9, 2.0**53, largest, -largest, 0.5]
        if self.kind == "f32":
            usual, near = [*map(single, usual)], [*map(single, near)]
        return [*near, *usual, math.inf, -math.inf, *([math.nan] if self.nan else [])]

    def __str__(self) -> str:
        bounds = "" if self.low is None and self.high is None else f" in [{self.low}, {self.high}]"
        more = (", NaN" if self.nan and self.is_float else "") + (", null" if self.nullable else "")
        named = "" if self.values is None else f" of {len(self.values)} categories"
        return f"{self.kind}{bounds}{named}{more}"


@dataclass(frozen=True, slots=True)
class Vector:
    """Lists of members of `element`, of any length where `size` is None."""

    element: Any
    size: int | None = None

    def holds(self, value: Any) -> bool:
        return (self.size is None or len(value) == self.size) and all(map(self.element.holds, value))

    def strategy(self) -> SearchStrategy[list[Any]]:
        from hypothesis import strategies as st

        element = self.element.strategy()
        if self.size is not None and self.size <= BLOCKS:
            return st.lists(element, min_size=self.size, max_size=self.size)

        @st.composite
        def runs(draw: DrawFn) -> list[Any]:
            least = 0 if self.size is None else 1
            blocks = draw(
                st.lists(st.tuples(element, st.sampled_from(REPEATS)), min_size=least, max_size=BLOCKS)
            )
            records = [record for record, times in blocks for _ in range(times)]
            if self.size is not None:
                records = (records + [records[-1]] * self.size)[: self.size]
            return records

        return runs()

    def __str__(self) -> str:
        return f"lists of {self.element}" + ("" if self.size is None else f", length {self.size}")


@dataclass(frozen=True, slots=True)
class Mapping:
    """Dictionaries from members of `key` to members of `value`."""

    key: Atom
    value: Atom

    def holds(self, value: Any) -> bool:
        return all(self.key.holds(k) and self.value.holds(v) for k, v in value.items())

    def strategy(self) -> SearchStrategy[dict[Any, Any]]:
        from hypothesis import strategies as st

        return st.dictionaries(self.key.strategy(), self.value.strategy(), max_size=BLOCKS)

    def __str__(self) -> str:
        return f"dictionaries of {self.key} to {self.value}"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A domain that this module cannot draw from, and why, in words."""

    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Drawn:
    """The members that a strategy of the user draws; what else is a member is not known."""

    draws: Any

    def holds(self, value: Any) -> bool:
        return True

    def strategy(self) -> SearchStrategy[Any]:
        return self.draws

    def __str__(self) -> str:
        return f"what {self.draws!r} draws"


def single(value: float) -> float:
    """The nearest number of 32 bits."""
    import struct

    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
