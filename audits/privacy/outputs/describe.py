"""Descriptions: texts with marks where the user's own words belong, which are put in once, at the end.

Who learns on columns knows their numbers only. `column_words`, `place_words` and `symbol_words` stand for
what only the encoder has words for; `Encoder.said` puts these in.

>>> rendered(f"{column_words(3)} ≥ 0.7 where {place_words(0)} = {symbol_words(2)}")
'column 3 ≥ 0.7 where place 0 = symbol 2'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

MARK = re.compile("\0(column|place|symbol|output) (\\d+)\0")
OUTPUT = "\0output 0\0"
"""The whole of an output."""
SHOWN = 6
"""Parts of a description that are spelled out, at most: cells, coefficients."""


def column_words(number: int) -> str:
    """What is in a column of numbers."""
    return f"\0column {number}\0"


def place_words(number: int) -> str:
    """The place in an output that a column of symbols is of."""
    return f"\0place {number}\0"


def symbol_words(number: int) -> str:
    """A symbol."""
    return f"\0symbol {number}\0"


def _numbered(kind: str, number: int) -> str:
    return kind if kind == "output" else f"{kind} {number}"


def rendered(text: str, name: Callable[[str, int], str] = _numbered) -> str:
    """The description with words in place of its marks: ``name(kind, number)`` has them."""
    return MARK.sub(lambda found: name(found[1], int(found[2])), text)


def joined(cells: Sequence[str], others: int = 0) -> str:
    """The union of cells, neighbouring intervals and sets merged; of all but `SHOWN`, and of `others`, only
    how many.

    >>> joined(["{1}", "{4}", "[5, 6)", "[6, 8)"], 1)
    '{1, 4} ∪ [5, 8) and 1 more cell'
    """
    merged: list[str] = []
    for cell in cells:
        # [a, b) ∪ [b, c) reads better as [a, c).
        low, _, high = cell.partition(", ")
        start, _, end = merged[-1].partition(", ") if merged else ("", "", "")
        if cell[0] == start[:1] == "[" and end[:-1] == low[1:]:
            merged[-1] = f"{start}, {high}"
        else:
            merged.append(cell)
    hidden = max(len(merged) - SHOWN, 0) + others
    shown = " ∪ ".join(merged[:SHOWN]).replace("} ∪ {", ", ") or "∅"
    return shown + (f" and {hidden} more cell{'s' if hidden > 1 else ''}" if hidden else "")


def weighted(terms: Iterable[tuple[str, float]]) -> str:
    """A weighted sum, from (what, weight).

    >>> weighted([("u", 1.0), ("v", -0.5)])
    '(u) − 0.5·(v)'
    """
    parts: list[str] = []
    for what, weight in terms:
        sign = "− " if weight < 0 else "+ " if parts else ""
        parts.append(f"{sign}{'' if abs(weight) == 1.0 else f'{abs(weight):.4g}·'}({what})")
    return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an output, and what of it a column holds.

    path  from the output on, as Python writes it; "" for the output itself.
    item  the number of an item there, None for the place itself.
    length  whether a column holds how many items are there.
    unit  of the numbers of a time.
    """

    path: str
    item: int | None = None
    length: bool = False
    unit: str = ""

    def in_full(self) -> Place:
        """The same with the item as a part of the path."""
        return self if self.item is None else replace(self, path=f"{self.path}[{self.item}]", item=None)

    def __str__(self) -> str:
        item = "" if self.item is None else f"[{self.item}]"
        where = f"output{self.path}{item}" if self.path or not item else f"coordinate {self.item}"
        return f"length of {where}" if self.length else where
