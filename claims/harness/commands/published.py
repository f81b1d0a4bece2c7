"""What `run`, `audit`, `trace` and `canaries` found, as cases for other tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from claims.harness import exchange
from claims.harness.exchange import Case, Outputs
from claims.harness.report.describe import describe

if TYPE_CHECKING:
    from audits.canaries import CanaryResult
    from audits.maps import MapResult
    from audits.privacy import AuditResult
    from audits.trace import TraceResult
    from claims.harness.claim import Claim
    from claims.harness.run.result import ClaimResult, RunResult

_OUTCOMES = {
    "not-refuted": exchange.PASSED,
    "no-pair-found": exchange.PASSED,
    "rounding": exchange.PASSED,
    "nothing-found": exchange.PASSED,
    "refuted": exchange.FAILED,
    "leak": exchange.FAILED,
    "ledger-exceeds": exchange.FAILED,
    "undecided": exchange.UNDECIDED,
    "lost": exchange.UNDECIDED,
}


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


def publish_audits(results: Mapping[str, AuditResult], place: tuple[str, int], outputs: Outputs) -> None:
    """One case a mechanism (and adjacency), by its name."""
    cases = [
        Case(
            group="dpclaims.audit", name=name, title=name, outcome=_OUTCOMES[result.verdict],
            verdict=result.verdict, message=result.summary(), seconds=result.seconds, place=place,
            numbers=audit_numbers(result),
        )
        for name, result in results.items()
    ]  # fmt: skip
    exchange.publish("dpclaims audit", "dpclaims audit", cases, outputs)


def audit_numbers(result: AuditResult) -> dict[str, Any]:
    """The fields that scripts read: the claim, the bound, samples and resolution."""
    return {
        "epsilon_claimed": result.epsilon_claimed, "delta": result.delta,
        "unit": result.claim.unit, "claimed": result.claim.value, "lower": result.lower,
        "epsilon_lower": result.epsilon_lower, "confidence": result.confidence, "samples": result.samples,
        "resolution": result.resolution.epsilon,
    }  # fmt: skip


def publish_canaries(file: str, result: CanaryResult, outputs: Outputs) -> None:
    """One case, by the name of the table."""
    case = Case(
        group="dpclaims.canaries", name=file, title=file, outcome=_OUTCOMES[result.verdict],
        verdict=result.verdict, message=result.summary().splitlines()[0], text=result.summary(),
        place=(exchange.from_here(file), 1),
        numbers={key: value for key, value in result.to_dict().items() if isinstance(value, int | float)},
    )  # fmt: skip
    exchange.publish("dpclaims canaries", "dpclaims canaries", [case], outputs)


def publish_map(target: str, result: MapResult, place: tuple[str, int], outputs: Outputs) -> None:
    """One case: the object whose map was checked."""
    case = Case(
        group="dpclaims.map", name=target, title=target, outcome=_OUTCOMES[result.verdict],
        verdict=result.verdict, message=result.summary().splitlines()[0], text=result.summary(),
        seconds=result.seconds, place=place,
        numbers={
            "pairs": result.pairs, "ratio": result.ratio, "stated": result.stated, "found": result.found,
        },
    )  # fmt: skip
    exchange.publish("dpclaims map", "dpclaims map", [case], outputs)


def publish_traces(results: Mapping[str, TraceResult], place: tuple[str, int], outputs: Outputs) -> None:
    """One case a traced program, by its name; an annotation stands at the line that leaks, or is lost, or
    costs most."""
    exchange.publish("dpclaims trace", "dpclaims trace", list(_traces(results, place)), outputs)


def _traces(results: Mapping[str, TraceResult], place: tuple[str, int]) -> Iterator[Case]:
    for name, result in results.items():
        dearest = sorted(result.ledger, key=lambda line: -(line.share or 0.0))
        named = (*result.findings, *(result.lost if result.verdict == "lost" else dearest))
        found = [(exchange.from_here(one.file), one.line) for one in named if one.line]
        yield Case(
            group="dpclaims.trace", name=name, title=name, outcome=_OUTCOMES[result.verdict],
            verdict=result.verdict, message=result.summary().splitlines()[0],
            text=f"{result.summary()}\n{result.table()}", seconds=result.seconds,
            place=next((p for p in found if p[0]), place),
            numbers={
                "epsilon_claimed": result.epsilon_claimed, "delta": result.delta,
                "epsilon_ledger": result.epsilon_ledger, "pairs": result.pairs, "draws": result.draws,
            },
        )  # fmt: skip
