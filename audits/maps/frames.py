"""LazyFrames of OpenDP: their domains with margins, as lists of rows, and their outputs as lists of rows.

A margin promises something of each frame (how long a group is, how many groups there are), and with
`invariant` of every *pair* of neighbours: that they have the same groups, or groups of the same lengths. The
maker of neighbours keeps both, as no map speaks of pairs that break them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from audits.maps.distances import compared
from audits.maps.domains import Atom, Opaque, Vector

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

TYPES = {
    **{f"i{bits}": f"Int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"UInt{bits}" for bits in (8, 16, 32, 64)},
    "f32": "Float32", "f64": "Float64", "bool": "Boolean", "String": "String", "datetime": "Datetime",
    "date": "Date",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """Tuples of one member of each column."""

    columns: tuple[tuple[str, Atom], ...]

    def holds(self, row: Any) -> bool:
        return all(atom.holds(value) for (_, atom), value in zip(self.columns, row, strict=True))

    def strategy(self) -> SearchStrategy[tuple[Any, ...]]:
        from hypothesis import strategies as st

        return st.tuples(*[_few(atom) for _, atom in self.columns])

    def __str__(self) -> str:
        return f"rows ({', '.join(f'{name}: {atom}' for name, atom in self.columns)})"


def _few(atom: Atom) -> Any:
    """Mostly one of few values, so that groups have several rows."""
    from hypothesis import strategies as st

    if atom.kind in TYPES and atom.kind not in ("bool", "datetime", "date") and atom.values is None:
        few = ["a", "b", ""] if atom.kind == "String" else [*map(float if atom.is_float else int, (0, 1, 2))]
        if few := [one for one in few if atom.holds(one)]:
            return st.one_of(st.sampled_from(few), st.sampled_from(few), atom.strategy())
    return atom.strategy()


@dataclass(frozen=True, slots=True)
class Margin:
    """What is promised of the groups by some columns (their places in a row)."""

    by: tuple[int, ...]
    max_length: int | None = None
    max_groups: int | None = None
    invariant: str | None = None

    def groups(self, rows: Any) -> Counter[Any]:
        return Counter(compared([row[i] for i in self.by]) for row in rows)

    def holds(self, rows: Any) -> bool:
        lengths = self.groups(rows)
        return (self.max_length is None or max(lengths.values(), default=0) <= self.max_length) and (
            self.max_groups is None or len(lengths) <= self.max_groups
        )

    def together(self, first: Any, second: Any) -> bool:
        a, b = self.groups(first), self.groups(second)
        return {"keys": a.keys() == b.keys(), "lengths": a == b}.get(self.invariant or "", True)


@dataclass(frozen=True, slots=True)
class Frame:
    """Frames as lists of rows, within their margins."""

    element: Row
    margins: tuple[Margin, ...] = ()
    size: None = None

    def holds(self, rows: Any) -> bool:
        return all(map(self.element.holds, rows)) and all(margin.holds(rows) for margin in self.margins)

    def together(self, first: Any, second: Any) -> bool:
        """Whether two frames may be neighbours: the promises about pairs."""
        return all(margin.together(first, second) for margin in self.margins)

    def strategy(self) -> SearchStrategy[Any]:
        return Vector(self.element).strategy().map(lambda rows: rows[:40]).filter(self.holds)

    def __str__(self) -> str:
        more = f", {len(self.margins)} margins kept" if self.margins else ""
        return f"frames of {self.element}{more}"


def frame_domain(domain: Any, read: Callable[[Any], Any], identifier: str | None) -> Any:
    """The record of an OpenDP LazyFrameDomain, the column of the identifier first; `Opaque` where unknown."""
    names = [*domain.columns]
    names.sort(key=lambda name: name != identifier)
    columns: list[tuple[str, Atom]] = []
    for name in names:
        series = domain.get_series_domain(name)
        atom = read(series.element_domain)
        if not isinstance(atom, Atom) or atom.kind not in TYPES:
            return Opaque(f"a frame whose column {name!r} is {atom}")
        # Whose record has no identifier is not said: identifiers are never null here, nor NaN.
        nan, null = (name != identifier and known for known in (atom.nan, series.nullable))
        columns.append((name, Atom(atom.kind, atom.low, atom.high, nan, null, atom.values)))
    margins: list[Margin] = []
    written = re.search(r"margins=\[(.*)\]\)$", str(domain), re.DOTALL)
    for group in re.findall(r"\{([^{}]*)\}", written[1] if written else ""):
        by = re.findall(r'col\("([^"]*)"\)', group)
        if group.strip(", ") != ", ".join(f'col("{name}")' for name in by):
            return Opaque(f"a frame with a margin by {group}, which is no column")
        known = domain.get_margin(by)
        margins.append(
            Margin(
                tuple(names.index(name) for name in by), known.max_length, known.max_groups, known.invariant
            )
        )
    return Frame(Row(tuple(columns)), tuple(margins))


def made(domain: Any, order: list[str]) -> Callable[[Any], Any]:
    """Rows → a LazyFrame with the columns in the order of the domain."""

    def frame(rows: Any) -> Any:
        import polars as pl  # type: ignore

        schema = {name: getattr(pl, TYPES[atom.kind]) for name, atom in domain.element.columns}
        return pl.LazyFrame(rows, schema=schema, orient="row").select(order)

    return frame


def code(domain: Any, order: list[str]) -> Callable[[Any], str]:
    """The same in Python."""
    names = [name for name, _ in domain.element.columns]

    def written(rows: Any) -> str:
        columns = {name: [row[names.index(name)] for row in rows] for name in order}
        schema = ", ".join(f"{n!r}: pl.{TYPES[dict(domain.element.columns)[n].kind]}" for n in order)
        text = (
            re.sub(r"\b(nan|inf)\b", r"float('\1')", repr(columns)) if _has_float(columns) else repr(columns)
        )
        return f"pl.LazyFrame({text}, schema={{{schema}}})"

    return written


def _has_float(columns: Any) -> bool:
    return any(isinstance(value, float) for column in columns.values() for value in column)


def rows_of(found: Any, identifier: str | None = None) -> list[Any]:
    """The rows of a frame that is released or transformed, sorted; the identifier's column first."""
    frame = found.collect() if hasattr(found, "collect") else found
    if identifier is not None and identifier in frame.columns:
        frame = frame.select([identifier, *(name for name in frame.columns if name != identifier)])
    return sorted(frame.rows(), key=lambda row: [(value is None, repr(type(value)), value) for value in row])


def bound_of(stated: Any) -> Any:
    """The distance of whole frames among the bounds of a FrameDistance; infinity where there is none."""
    if not isinstance(stated, list):
        return stated
    whole = [bound.per_group for bound in stated if not len(bound.by) and bound.per_group is not None]
    return min(whole, default=float("inf"))
