"""Whether a printed result holds, in one word, from the verdicts of all its readings; and what falls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


# --- What falls, in the order in which it matters, each slip once -----------------------------------------


def has_fallen(claim: Claim) -> bool:
    """Whether this is a printed statement, a step of a proof or a reading of either that is known to fall."""
    return claim.role != "control" and claim.expected == "REFUTED" and claim.finding is not None


def by_weight(fallen: Sequence[Claim]) -> list[Claim]:
    """What falls, of each paper in the order of its list of findings, what it does not name by weight.

    Papers stand by the weight of their first finding; what falls by another claim's slip stands under it.
    """
    known = {e.id: e for e in fallen}
    slips = {c.id: slip_of(c, known) for c in fallen}
    own = sorted({e.id: e for e in slips.values()}.values(), key=lambda e: (named(e), rank(e), e.id))
    first = sorted(own, key=lambda e: (named(e), rank(e), e.paper.key))
    papers = list(dict.fromkeys(e.paper.key for e in first))
    order = {e.id: (papers.index(e.paper.key), number) for number, e in enumerate(own)}
    return sorted(fallen, key=lambda c: (*order[slips[c.id].id], c is not slips[c.id], c.id))


def named(claim: Claim) -> int:
    """Where the paper's list of findings names it, from 0; the length of the list where it does not."""
    findings = claim.paper.findings
    return findings.index(claim.id) if claim.id in findings else len(findings)


def rank(claim: Claim) -> int:
    """The rank of the weight of a finding, 0 for the heaviest."""
    assert claim.finding is not None
    return claim.finding.weight.rank


def slip_of(claim: Claim, fallen: Mapping[str, Claim]) -> Claim:
    """The claim that states the slip by which this claim falls; itself where the slip is its own."""
    seen = {claim.id}
    while claim.finding is not None and (above := fallen.get(claim.finding.follows_from)) is not None:
        if above.id in seen:
            return claim
        seen.add(above.id)
        claim = above
    return claim
