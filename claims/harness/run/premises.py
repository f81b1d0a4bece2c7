"""A verdict is never stronger than what it rests on: CONFIRMED above a CONSISTENT premise is CONSISTENT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from audits.evidence import Verdict, combine
from claims.harness.claim import Claim
from claims.harness.run.result import ClaimResult

STRENGTH = {Verdict.INCONCLUSIVE: 0, Verdict.CONSISTENT: 1, Verdict.CONFIRMED: 2}
"""How much a passing verdict says; REFUTED is no degree of passing."""
Standing = tuple[Verdict | None, str]
"""A verdict (None for a crash), and what is to be said of the premises."""


def held_by_premises(results: Sequence[ClaimResult], catalogue: Sequence[Claim]) -> list[ClaimResult]:
    """The results, in the same order, with each passing verdict lowered to the weakest of its premises.

    A premise that is not among the results counts with its expected verdict. A refuted premise lowers
    nothing, since the evidence of the claim does not speak of it; `caveat` names it. Premises of premises
    count. An id that the catalogue does not hold is passed over; `dpclaims check` reports it.
    """
    claims = {c.id: c for c in catalogue}
    own = {r.id: None if r.error is not None else combine(r.evidence) for r in results}
    rests_on = {c.id: c.rests_on for c in catalogue} | {r.id: r.rests_on for r in results}
    settled: dict[str, Standing] = {}

    def settle(claim_id: str) -> Standing:
        if claim_id not in settled:
            verdict = own[claim_id] if claim_id in own else claims[claim_id].expected
            settled[claim_id] = verdict, ""  # a claim that rests on itself counts with its own verdict
            known = [p for p in rests_on[claim_id] if p in rests_on]
            settled[claim_id] = _lowered(verdict, {p: settle(p)[0] for p in known})
        return settled[claim_id]

    return [replace(r, verdict=settle(r.id)[0], caveat=settle(r.id)[1]) for r in results]


def _lowered(own: Verdict | None, premises: Mapping[str, Verdict | None]) -> Standing:
    """A verdict as its premises leave it.

    >>> _lowered(Verdict.CONFIRMED, {"a/b": Verdict.CONSISTENT})[1]
    'CONFIRMED by its own evidence, and rests on a/b, which is CONSISTENT'
    """
    said = [f"rests on {p}, which is REFUTED" for p, v in premises.items() if v is Verdict.REFUTED]
    passing = [(STRENGTH[v], p, v) for p, v in premises.items() if v in STRENGTH and v is not None]
    if own is None or own not in STRENGTH or not passing:
        return own, "; ".join(said)
    strength, weakest, verdict = min(passing)
    if strength >= STRENGTH[own]:
        return own, "; ".join(said)
    lowered = f"{own} by its own evidence, and rests on {weakest}, which is {verdict}"
    return verdict, "; ".join([lowered, *said])
