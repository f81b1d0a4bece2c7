"""What a mutant is: one function of a reference implementation, with one plausible bug."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A planted bug.

    name      of the bug, unique ("song2021-dp-gd-half-noise").
    bug       one sentence: what is wrong, and why somebody would write it.
    replaces  "package.module:function", the reference that it stands in for.
    by        the function with the bug, same signature.
    caught_by ids of the claims whose verdict must change while it is planted.
    """

    name: str
    bug: str
    replaces: str
    by: Callable[..., Any]
    caught_by: tuple[str, ...]
