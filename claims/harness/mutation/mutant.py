"""What a planted bug is: one function of ours with one plausible mistake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
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
    axis      the axis whose exponent the bug changes, for bugs that one claim and axis answer for.
    file      where the bug is written down; None for a mechanical bug.
    """

    name: str
    bug: str
    replaces: str
    by: Callable[..., Any] | None = None
    swap: tuple[str, str] | None = None
    caught_by: tuple[str, ...]
    axis: str | None = None
    file: Path | None = None

    @property
    def place(self) -> str:
        """The file, where there is one, and the name: how errors name a bug."""
        return f"{self.file.name}, [{self.name}]" if self.file else self.name
