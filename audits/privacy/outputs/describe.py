"""Descriptions as data: places in an output, symbols and intervals, put into words once, at the end.

Who learns on columns knows their numbers only. What it says of them is a tree: text, with `Column`, `Mark`
and `Symbol` where the user's own words belong. `Encoder.said` makes the words.

>>> rendered((Column(3), " ≥ 0.7 where ", (Mark(0), " = ", Symbol(2))))
'column 3 ≥ 0.7 where code 0 = symbol 2'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Node:
    """What the encoder has words for: "column", what is in a column of numbers; "code", the place that a
    column of symbols is of; "symbol"; "output", the whole of it."""

    kind: str
    number: int = 0

    def __str__(self) -> str:
        return self.kind if self == OUTPUT else f"{self.kind} {self.number}"


Column, Mark, Symbol = partial(Node, "column"), partial(Node, "code"), partial(Node, "symbol")
OUTPUT = Node("output")


@dataclass(frozen=True, slots=True)
class Interval:
    """{low ≤ x < high}; the ends in words, so that equal ends are written alike."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"[{self.low}, {self.high})"


@dataclass(frozen=True, slots=True)
class Elements:
    """A set, by its elements."""

    elements: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """An output by its columns: its numbers in words, its codes, and whether there are further numbers."""

    numbers: tuple[str, ...]
    codes: tuple[int, ...]
    more: bool = False


SHOWN = 6
"""Parts of a description that are spelled out, at most: cells, coefficients."""
Words: TypeAlias = "str | Node | Interval | Elements | Row | tuple[Words, ...]"
"""A description: text, nodes, and sequences of both."""


def rendered(words: Words, name: Callable[[Node], str] = str, places: Sequence[int] = range(0)) -> str:
    """The description as one text.

    name    has the words for nodes.
    places  for each column of codes the column of numbers that is of the same place, −1 for the form of the
            whole output.
    """
    if isinstance(words, Elements):
        return f"{{{rendered(listed(words.elements), name, places)}}}"
    if isinstance(words, Row):
        symbols = {place: code for place, code in zip(places, words.codes, strict=False) if code}
        parts = [
            name(Symbol(symbols[j])) if j in symbols else number for j, number in enumerate(words.numbers)
        ]
        form = f" as {name(Symbol(symbols[-1]))}" if -1 in symbols else ""
        whole = f"({', '.join(parts)}{', …' if words.more else ''})" if len(parts) > 1 else parts[0]
        return whole + form
    if isinstance(words, tuple):
        return "".join(rendered(part, name, places) for part in words)
    return name(words) if isinstance(words, Node) else str(words)


def listed(parts: Iterable[Words], between: str = ", ") -> Words:
    """Descriptions one after the other.

    >>> rendered(listed([Column(1), Column(2)], " and "))
    'column 1 and column 2'
    """
    return tuple(word for part in parts for word in (between, part))[1:]


def joined(parts: Sequence[Words], others: int = 0) -> Words:
    """The union of cells, neighbouring intervals and sets merged; of all but `SHOWN`, and of `others`, only
    how many.

    >>> rendered(joined([Elements(("1",)), Elements(("4",)), Interval("5", "6"), Interval("6", "8")], 1))
    '{1, 4} ∪ [5, 8) and 1 more cell'
    """
    merged: list[Words] = []
    for part in parts:
        # [a, b) ∪ [b, c) reads better as [a, c).
        before = merged[-1] if merged else None
        if isinstance(part, Interval) and isinstance(before, Interval) and before.high == part.low:
            merged[-1] = Interval(before.low, part.high)
        else:
            merged.append(part)
    hidden = max(len(merged) - SHOWN, 0) + others
    shown: list[Words] = []
    for part in merged[:SHOWN]:
        before = shown[-1] if shown else None
        if isinstance(part, Elements) and isinstance(before, Elements):
            shown[-1] = Elements(before.elements + part.elements)
        else:
            shown.append(part)
    more = f" and {hidden} more cell{'s' if hidden > 1 else ''}" if hidden else ""
    return (listed(shown, " ∪ ") if shown else "∅", more)


def weighted(terms: Iterable[tuple[Words, float]]) -> Words:
    """A weighted sum, from (what, weight).

    >>> rendered(weighted([(Column(0), 1.0), (Column(4), -0.5)]))
    '(column 0) − 0.5·(column 4)'
    """
    parts: list[Words] = []
    for what, weight in terms:
        sign = "− " if weight < 0 else "+ " if parts else ""
        parts.append((sign, "" if abs(weight) == 1.0 else f"{abs(weight):.4g}·", "(", what, ")"))
    return listed(parts, " ")


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at of a place in an output, in words that end with a preposition."""

    words: str


LENGTH = Look("length of ")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an output, and what of it a column holds.

    path  from the output on, as Python writes it; "" for the output itself.
    item  the number of an item there, None for the place itself.
    look  what is looked at; None for what is there.
    unit  of the numbers of a time.
    """

    path: str
    item: int | None = None
    look: Look | None = None
    unit: str = ""

    def in_full(self) -> Place:
        """The same with the item as a part of the path."""
        return self if self.item is None else replace(self, path=f"{self.path}[{self.item}]", item=None)

    def __str__(self) -> str:
        item = "" if self.item is None else f"[{self.item}]"
        where = f"output{self.path}{item}" if self.path or not item else f"coordinate {self.item}"
        return where if self.look is None else f"{self.look.words}{where}"
