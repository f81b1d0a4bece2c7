"""Domains of data, each with a Hypothesis strategy for its members.

Members begin with edges: bounds, extremes of the type, ±0, subnormal numbers, no record, one record, repeated
records, texts that no number is made of.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from audits.values import key

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

REPEATS = (1, 1, 1, 1, 2, 3, 4, 9, 100)
"""How often a record may stand in a row."""
BLOCKS = 6
"""Different records of a dataset, at most."""
WORDS = ("a", "b", "", "0", "-1", "2.5", "nan", "1e400", "true", " 1", "é", "x" * 40)
INTEGERS = {f"{sign}{bits}": bits for sign in "iu" for bits in (8, 16, 32, 64, 128)}
REALS = (0.5, -0.0, 0.1, 1 / 3, 1e-9, 1e9, 2.0**53, 5e-324, 2.0**-149, math.inf, -math.inf)


@dataclass(frozen=True, slots=True)
class Atom:
    """Single values of one type: "i32", "u8", "f64", "bool", "String".

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

    @property
    def dtype(self) -> str:
        """The name of NumPy's type."""
        names = {"i": "int", "u": "uint", "f": "float"}
        return f"{names[self.kind[0]]}{self.kind[1:]}" if self.is_number else "object"

    @property
    def is_number(self) -> bool:
        return self.values is None and (self.is_float or self.kind in INTEGERS)

    def limits(self) -> tuple[Any, Any]:
        """The least and the greatest number: the bounds, else the extremes of the type."""
        if self.is_float:
            least, most = -math.inf, math.inf
        else:
            bits, unsigned = INTEGERS[self.kind], self.kind[0] == "u"
            least, most = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return least if self.low is None else self.low, most if self.high is None else self.high

    def holds(self, value: Any) -> bool:
        """Whether a value of the right type is a member."""
        if value is None:
            return self.nullable
        if not self.is_number:
            return self.values is None or value in self.values
        if self.is_float and math.isnan(value):
            return self.nan
        low, high = self.limits()
        return low <= value <= high and (self.kind != "f32" or single(value) == value)

    def strategy(self) -> SearchStrategy[Any]:
        from hypothesis import strategies as st

        found = st.sampled_from(self.edges())
        if self.is_number:
            found |= self._numbers()
        elif self.kind == "String" and self.values is None:
            found |= st.text("ab01", max_size=3)
        return found | st.none() if self.nullable else found

    def _numbers(self) -> SearchStrategy[Any]:
        from hypothesis import strategies as st

        low, high = self.limits()
        if not self.is_float:
            return st.integers(low, high)
        width = 32 if self.kind == "f32" else 64
        ends = [
            end if abs(end) < math.inf and (width == 64 or single(end) == end) else None
            for end in (low, high)
        ]
        return st.floats(*ends, width=width, allow_nan=False).filter(self.holds)

    def edges(self) -> list[Any]:
        """Simple members, the ends of the domain, and others that arithmetic stumbles over."""
        if not self.is_number:
            return [False, True] if self.kind == "bool" else [*(self.values or WORDS)]
        low, high = self.limits()
        if not self.is_float:
            return [n for n in dict.fromkeys([0, 1, low, high, high - 1, 2, 3, -1]) if low <= n <= high]
        near = [0, 1, low, high, math.nextafter(high, low), low / 2, high / 2, 2, 3, -1]
        found = [*map(float, (*near, *REALS)), *([math.nan] if self.nan else [])]
        return [*filter(self.holds, map(single, found) if self.kind == "f32" else found)]

    def __str__(self) -> str:
        bounds = "" if self.low is None and self.high is None else f" in [{self.low}, {self.high}]"
        more = (", NaN" if self.nan and self.is_float else "") + (", null" if self.nullable else "")
        named = "" if self.values is None else f" of {len(self.values)} categories"
        return f"{self.kind}{bounds}{named}{more}"


@dataclass(frozen=True, slots=True)
class Row:
    """Records of several values, at most `norm` from `origin` in the norm of that order where it is given."""

    atoms: tuple[Atom, ...]
    norm: float | None = None
    order: int = 2
    origin: tuple[float, ...] = ()

    def holds(self, row: Any) -> bool:
        if not all(atom.holds(value) for atom, value in zip(self.atoms, row, strict=True)):
            return False
        if self.norm is None:
            return True
        import numpy as np

        return bool(np.linalg.norm(np.array(row) - np.array(self.origin), ord=self.order) <= self.norm)

    def strategy(self) -> SearchStrategy[tuple[Any, ...]]:
        from hypothesis import strategies as st

        if self.norm is None:
            return st.tuples(*map(_few, self.atoms))
        size = len(self.atoms)
        parts = [self.norm / part for part in (1, 2, size, math.sqrt(size))]
        offsets = st.tuples(*[st.sampled_from([0.0, *parts, *(-part for part in parts)])] * size)
        moved = offsets.map(lambda row: tuple(a + b for a, b in zip(self.origin, row, strict=True)))
        return moved.filter(self.holds)

    def __str__(self) -> str:
        within = "" if self.norm is None else f" within {self.norm:g} in the norm of order {self.order}"
        return f"rows ({', '.join(map(str, self.atoms))}){within}"


def _few(atom: Atom) -> SearchStrategy[Any]:
    """Often one of three values, so that groups have several rows."""
    from hypothesis import strategies as st

    few = [one for one in atom.edges() if one in (0, 1, 2, "a", "b", "")]
    return st.sampled_from(few) | atom.strategy() if few else atom.strategy()


@dataclass(frozen=True, slots=True)
class Margin:
    """What is promised of the groups by some columns (their places in a row).

    With `invariant` it promises something of each *pair* of neighbours: that they have the same groups
    ("keys"), or groups of the same lengths ("lengths"). No map speaks of pairs that break a promise.
    """

    by: tuple[int, ...]
    max_length: int | None = None
    max_groups: int | None = None
    invariant: str | None = None

    def groups(self, rows: Any) -> Counter[Any]:
        return Counter(key([row[i] for i in self.by]) for row in rows)

    def holds(self, rows: Any) -> bool:
        lengths = self.groups(rows)
        return (self.max_length is None or max(lengths.values(), default=0) <= self.max_length) and (
            self.max_groups is None or len(lengths) <= self.max_groups
        )

    def together(self, first: Any, second: Any) -> bool:
        a, b = self.groups(first), self.groups(second)
        return {"keys": a.keys() == b.keys(), "lengths": a == b}.get(self.invariant or "", True)


@dataclass(frozen=True, slots=True)
class Vector:
    """Lists of members of `element`, of any length where `size` is None; frames have margins."""

    element: Any
    size: int | None = None
    margins: tuple[Margin, ...] = ()

    def holds(self, value: Any) -> bool:
        fits = self.size is None or len(value) == self.size
        return fits and all(map(self.element.holds, value)) and all(m.holds(value) for m in self.margins)

    def together(self, first: Any, second: Any) -> bool:
        """Whether two members may be neighbours: the promises about pairs."""
        return all(margin.together(first, second) for margin in self.margins)

    def strategy(self) -> SearchStrategy[list[Any]]:
        from hypothesis import strategies as st

        element, size = self.element.strategy(), self.size
        if size is not None and size <= BLOCKS:
            return st.lists(element, min_size=size, max_size=size)

        @st.composite
        def runs(draw: DrawFn) -> list[Any]:
            block = st.tuples(element, st.sampled_from(REPEATS))
            blocks = draw(st.lists(block, min_size=0 if size is None else 1, max_size=BLOCKS))
            records = [record for record, times in blocks for _ in range(times)]
            return records if size is None else (records + [records[-1]] * size)[:size]

        return runs().filter(self.holds) if self.margins else runs()

    def __str__(self) -> str:
        size = "" if self.size is None else f", length {self.size}"
        return f"lists of {self.element}{size}" + (
            f", {len(self.margins)} margins kept" if self.margins else ""
        )


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
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
