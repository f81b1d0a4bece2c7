"""Descriptions as data: places in an output, symbols and intervals, put into words once, at the end.

Who learns on columns knows their numbers only. What it says of them is a tree: text, with `Column`, `Mark`
and `Symbol` where the user's own words belong. `Encoder.said` makes the words.

>>> rendered((Column(3), " ≥ 0.7 where ", (Mark(0), " = ", Symbol(2))))
'column 3 ≥ 0.7 where code 0 = symbol 2'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Column:
    """What is in a column of numbers."""

    number: int

    def __str__(self) -> str:
        return f"column {self.number}"


@dataclass(frozen=True, slots=True)
class Mark:
    """The place in the output that a column of symbols is of."""

    number: int

    def __str__(self) -> str:
        return f"code {self.number}"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol, by its number."""

    number: int

    def __str__(self) -> str:
        return f"symbol {self.number}"


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole output, as `words`; `beside` is said where its columns hold more than the user's numbers."""

    words: str
    beside: str

    def __str__(self) -> str:
        return self.words


OUTPUT = Whole("output", "columns of output")
NUMBERS = Whole("", " (where lengths, types and the like are numbers, too)")
"""Stands behind what looks at all numbers of an output."""


@dataclass(frozen=True, slots=True)
class Interval:
    """{low ≤ x < high}; the ends in words, so that equal ends are written alike."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"[{self.low}, {self.high})"


Node: TypeAlias = Column | Mark | Symbol | Whole | Interval
Words: TypeAlias = "str | Node | tuple[Words, ...]"
"""A description: text, nodes, and sequences of both."""


def rendered(words: Words, name: Callable[[Node], str] = str) -> str:
    """The description as one text; `name` has the words for nodes."""
    if isinstance(words, tuple):
        return "".join(rendered(part, name) for part in words)
    return words if isinstance(words, str) else name(words)


def listed(parts: Iterable[Words], between: str = ", ") -> Words:
    """Descriptions one after the other.

    >>> rendered(listed([Column(1), Column(2)], " and "))
    'column 1 and column 2'
    """
    return tuple(word for part in parts for word in (between, part))[1:]


def weighted(terms: Iterable[tuple[Words, float]]) -> Words:
    """A weighted sum, from (what, weight).

    >>> rendered(weighted([(Column(0), 1.0), (Column(4), -0.5)]))
    '(column 0) − 0.5·(column 4)'
    """
    parts: list[Words] = []
    for what, weight in terms:
        sign = "− " if weight < 0 else "+ " if parts else ""
        times = "" if abs(weight) == 1.0 else f"{abs(weight):.4g}·"
        parts.append((f"{sign}{times}(", what, ")"))
    return listed(parts, " ")


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at of a place in an output, in words that end with a preposition.

    characters  whether its numbers are those of characters.
    """

    words: str
    characters: bool = False


LENGTH, TYPE, REST, KIND = Look("length of "), Look("type of "), Look("rest of "), Look("kind of number of ")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an output, and what of it a column holds.

    path    from the output on, as Python writes it; "" for the output itself.
    item    the number of an item there, None for the place itself.
    look    what is looked at; None for what is there.
    unit    of the numbers of a time.
    values  what some of the numbers stand for.
    """

    path: str
    item: int | None = None
    look: Look | None = None
    unit: str = ""
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The place alone."""
        item = "" if self.item is None else f"[{self.item}]"
        where = f"output{self.path}{item}" if self.path or not item else f"coordinate {self.item}"
        return where if self.look is None else f"{self.look.words}{where}"

    def fully(self) -> str:
        """The place, with what its numbers mean."""
        told = f" ({', '.join(self.values)})" if self.values else ""
        return f"{self}{self.unit}{told}"
