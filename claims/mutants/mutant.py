"""What a planted bug is: one function of ours with one plausible mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A planted bug.

    name      of the bug, unique ("song2021-half-noise").
    bug       one sentence: what is wrong, and why somebody would write it.
    replaces  "package.module:function" or "package.module:Class.method", the reference it stands in for.
    by        the function with the bug, same signature; or
    swap      (old, new): the reference's own source with the text `old`, which occurs in it once, replaced.
    caught_by ids of the claims of which at least one must change its verdict while the bug is planted.

    Raises ValueError unless exactly one of `by` and `swap` is given.
    """

    name: str
    bug: str
    replaces: str
    by: Callable[..., Any] | None = None
    swap: tuple[str, str] | None = None
    caught_by: tuple[str, ...]

    def __post_init__(self) -> None:
        if (self.by is None) == (self.swap is None):
            raise ValueError(f"{self.name}: give either by (a function) or swap (old text, new text)")


AxisBug = tuple[str, str, tuple[str, str]]
"""A wrong exponent: what is wrong, the reference, and (its text, the text with the bug)."""


def axis_bugs(
    paper: str, by_claim: Mapping[str, Mapping[str, AxisBug]], short: Mapping[str, str] | None = None
) -> list[Mutant]:
    """One bug for each claim and axis of a paper, for which that claim alone answers.

    short  words for axes that are formulas, as a name of a bug needs them.
    """
    words = short or {}
    return [
        Mutant(
            name=f"{paper}-{claim.replace(':', '-')}-axis-{words.get(axis, axis).replace('_', '-')}",
            bug=bug,
            replaces=where,
            swap=swap,
            caught_by=(f"{paper}/{claim}",),
        )
        for claim, axes in by_claim.items()
        for axis, (bug, where, swap) in axes.items()
    ]
