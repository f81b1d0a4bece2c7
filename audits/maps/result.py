"""The answer of `check_map`."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from audits.maps.subject import written

FORMAT = "dpclaims-map/1"
REFUTED, ROUNDING, NOTHING, UNDECIDED = "refuted", "rounding", "no-pair-found", "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class MapResult:
    """What was found of the claim that an object carries.

    verdict    "refuted"; "rounding", where the stated distance is exceeded by rounding only, under numerics
               that the library calls idealised; "no-pair-found", which is no proof; "undecided", where
               nothing could be driven, or one of two neighbours raises.
    pair, d_in   the smallest pair that was found, and how far apart its datasets are, at most.
    stated, found   the stated distance (or loss), and the measured one, in words.
    program    Python that shows the violation and imports the library alone; "" where there is none.
    certain    a proof, not an inference from samples.
    pairs      how many pairs were compared; `ratio` is the largest share of the stated distance among them.
    searched, skipped   what was driven, and what was not, with the reason: sentences.
    """

    verdict: str
    name: str
    pair: tuple[Any, Any] | None = None
    d_in: Any = None
    stated: Any = None
    found: str = ""
    program: str = ""
    certain: bool = False
    pairs: int = 0
    ratio: float = 0.0
    searched: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0
    seed: int = 0
    alpha: float | None = None

    @property
    def headline(self) -> str:
        return self.verdict.replace("-", " ").upper() + " ONLY" * (self.verdict == ROUNDING)

    def summary(self) -> str:
        """The answer in plain words, some lines."""
        lines = [f"{self.headline}: {self._sentence()}"]
        lines += [f"  {line}" for line in (*self.searched, *(f"not searched: {s}" for s in self.skipped))]
        if self.program:
            lines += ["", textwrap.indent(self.program.rstrip(), "    ")]
        return "\n".join(lines)

    def _sentence(self) -> str:
        if self.verdict == UNDECIDED:
            return self.found or "nothing could be driven."
        if self.verdict == NOTHING:
            best = f"; at most {self.ratio:.3g} of what is stated" if self.ratio > 0.0 else ""
            return f"{self.pairs:,} pairs in {self.seconds:.1f} s{best}. This is no proof."
        first, second = self.pair or (None, None)
        how = "a proof" if self.certain else "strong evidence from samples"
        if self.alpha is not None:
            how = f"refuted at α = {self.alpha:g}"
        if self.verdict == ROUNDING:
            how = "no accusation: the library proves its map for real numbers"
        return (
            f"stated {self.stated} at d_in = {self.d_in}, found {self.found} ({how}).\n"
            f"  D  = {_brief(first)}\n  D′ = {_brief(second)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The result for JSON; datasets as Python writes them."""
        pair = None if self.pair is None else [*map(written, self.pair)]
        plain = {name: _plain(getattr(self, name)) for name in ("d_in", "stated")}
        return {"format": FORMAT} | asdict(self) | {"pair": pair} | plain


def _brief(value: Any) -> str:
    text = written(value)
    return text if len(text) <= 200 else f"{text[:150]} … {text[-40:]}"


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | float | str) else repr(value)
