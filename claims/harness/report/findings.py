"""What fell, for the pages of the report: the heaviest finding first, with what falls by the same slip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claims.harness.claim import Claim
from claims.harness.entry import Entry, entry_of
from claims.harness.fallen import by_weight, has_fallen, slip_of
from claims.harness.run.result import ClaimResult


def shown_findings(
    results: Sequence[ClaimResult], claims: Mapping[str, Claim]
) -> list[tuple[Entry, list[Entry]]]:
    """(a claim that states a slip, the claims that fall by the same slip), by weight.

    Only claims that this run refutes count: a finding is about what was found.
    """
    refuted = [r.id for r in results if r.verdict == "REFUTED" and r.id in claims]
    fallen = by_weight([e for e in (entry_of(claims[c]) for c in refuted) if has_fallen(e)])
    known = {e.id: e for e in fallen}
    below: dict[str, list[Entry]] = {}
    for each in fallen:
        below.setdefault(slip_of(each, known).id, []).append(each)
    return [(known[slip], [e for e in found if e.id != slip]) for slip, found in below.items()]
