"""Whether a printed result holds, in one word, from the verdicts of all its readings."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from claims.harness.claim import Claim
from claims.harness.finding import Weight
from claims.harness.ids import result_of

MATTERS = (Weight.THEOREM, Weight.ALGORITHM)
"""The weights of a fallen reading for which "the result holds" would mislead; nobody claims a wider range."""
SMALL = (Weight.LOGARITHM, Weight.CONSTANT, Weight.TYPO, Weight.CORNER)
"""The weights of a fallen statement for which "the result falls" would mislead."""


class Standing(StrEnum):
    """What a reader who asks "does Theorem 3.1 hold?" is told first."""

    HOLDS = "holds"
    NEARLY = "holds but for a detail"
    LETTER_ONLY = "holds to the letter only"
    FALLS = "falls"
    OPEN = "open"

    @property
    def mark(self) -> str:
        """One sign for it."""
        return "✓≈≠✗?"[list(Standing).index(self)]

    @property
    def word(self) -> str:
        """One word for it, which style sheets have."""
        return {Standing.NEARLY: "nearly", Standing.LETTER_ONLY: "letter"}.get(self, self.value)

    @property
    def badge(self) -> tuple[str, str, str]:
        """The class of its badge on a page, its mark, its words."""
        return self.word, self.mark, self.value


def readings_of(result: str, claims: Sequence[Claim]) -> list[Claim]:
    """All claims about one printed result: the statement, its readings, the steps of its proof."""
    return [c for c in claims if result_of(c.id) == result]


def standing(readings: Sequence[Claim]) -> Standing:
    """How a printed result stands by the expected verdicts of its readings.

    It falls where the statement as printed does, and nearly holds where that is for a small reason. It holds
    to the letter only where the statement passes and a reading that matters falls: the theorem for the
    algorithm that is private, say.
    """
    printed = [e for e in readings if e.role in ("printed", "control", "program")] or list(readings)
    refuted = [e for e in printed if e.expected == "REFUTED"]
    if any(e.role == "control" or e.finding is None or e.finding.weight not in SMALL for e in refuted):
        return Standing.FALLS
    if refuted:
        return Standing.NEARLY
    if any(e.expected == "INCONCLUSIVE" for e in printed):
        return Standing.OPEN
    fallen = (e.finding for e in readings if e.role == "reading" and e.expected == "REFUTED")
    if any(finding is not None and finding.weight in MATTERS for finding in fallen):
        return Standing.LETTER_ONLY
    return Standing.HOLDS
