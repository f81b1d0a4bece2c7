"""What is known to fall, in the order in which it matters, each slip once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claims.harness.index import Entry


def has_fallen(claim: Entry) -> bool:
    """Whether this is a printed statement, a step of a proof or a reading of either that is known to fall."""
    return claim.role != "control" and claim.expected == "REFUTED" and claim.finding is not None


def by_weight(fallen: Sequence[Entry]) -> list[Entry]:
    """What falls, the heaviest first; what falls by the slip of another claim stands under that claim."""
    slips = {c.id: slip_of(c, {e.id: e for e in fallen}) for c in fallen}

    def place(claim: Entry) -> tuple[int, str, bool, str]:
        slip = slips[claim.id]
        return (rank(slip), slip.id, claim.id != slip.id, claim.id)

    return sorted(fallen, key=place)


def rank(claim: Entry) -> int:
    """The rank of the weight of a finding, 0 for the heaviest."""
    assert claim.finding is not None
    return claim.finding.weight.rank


def slip_of(claim: Entry, fallen: Mapping[str, Entry]) -> Entry:
    """The claim that states the slip by which this claim falls; itself where the slip is its own."""
    seen = {claim.id}
    while claim.finding is not None and (above := fallen.get(claim.finding.follows_from)) is not None:
        if above.id in seen:
            return claim
        seen.add(above.id)
        claim = above
    return claim
