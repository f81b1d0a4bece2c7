"""What is known to fall, in the order in which it matters, each slip once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claims.harness.claim import Claim


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
