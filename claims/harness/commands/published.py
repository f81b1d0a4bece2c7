"""What `run` found, as cases for other tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from claims.harness import exchange
from claims.harness.exchange import Case, Outputs
from claims.harness.report.describe import describe

if TYPE_CHECKING:
    from claims.harness.claim import Claim
    from claims.harness.run.result import ClaimResult, RunResult


def publish_run(run: RunResult, claims: Sequence[Claim], outputs: Outputs) -> None:
    """One case a claim: a verdict that differs is a failure, a crash and a broken file an error."""
    files = {claim.id: claim.file for claim in claims}
    cases = [claim_case(c, exchange.from_here(files.get(c.id))) for c in run.claims]
    cases += [
        Case(
            group="files", name=problem.split(" ")[0], title=problem.split(" ")[0], verdict="broken",
            outcome=exchange.ERROR, message=problem,
        )
        for problem in run.problems
    ]  # fmt: skip
    expected = sum(c.ok for c in run.claims)
    exchange.publish(
        "dpclaims", f"dpclaims: {expected} of {len(run.claims)} claims as expected", cases, outputs
    )


def claim_case(claim: ClaimResult, file: str) -> Case:
    """A claim of a run, with the deciding evidence."""
    paper, _, name = claim.id.partition("/")
    deciding = describe(claim.evidence[0]) if claim.evidence else ""
    if claim.error is not None:
        outcome, message = exchange.ERROR, claim.error.strip().splitlines()[-1]
    elif claim.ok:
        outcome, message = exchange.PASSED, deciding
    else:
        outcome, message = exchange.FAILED, f"{claim.verdict} where {claim.expected} was expected: {deciding}"
    return Case(
        group=paper, name=name, title=claim.id, outcome=outcome, verdict=claim.verdict or "crashed",
        expected=claim.expected, message=message, text=claim.error or deciding, seconds=claim.seconds,
        place=(file, 1 if file else 0),
        numbers={
            "samples": sum(e.samples for e in claim.evidence), "resolution": claim.resolution,
            "alpha_spent": claim.alpha_spent,
        },
    )  # fmt: skip
