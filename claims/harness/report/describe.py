"""One piece of evidence in one line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audits.evidence import Evidence

if TYPE_CHECKING:
    from claims.harness.claim import Claim
    from claims.harness.run.result import ClaimResult


def describe(evidence: Evidence) -> str:
    """One line on one piece of evidence.

    >>> from audits.judge import at_most
    >>> describe(at_most("δ at ε = 1", 0.05, 0.01))
    'δ at ε = 1: 0.05 (exact), claimed 0.01 → REFUTED'
    """
    method = evidence.method + (f", {evidence.samples:,} samples" if evidence.samples else "")
    exact = evidence.confidence == 1.0 and evidence.low == evidence.high
    low, high = f"{evidence.low:.4g}", f"{evidence.high:.4g}"
    # A bound that only exceeds the claim is shown as beyond it.
    beyond = evidence.claimed is not None and evidence.low > evidence.claimed
    opening = "(" if beyond and low == f"{evidence.claimed:.4g}" else "["
    interval = f"({method})" if exact else f"{opening}{low}, {high}] ({method})"
    text = f"{evidence.quantity}: {evidence.estimate:.4g} {interval}"
    if evidence.claimed is not None:
        text += f", claimed {evidence.claimed:.4g}"
    if evidence.point:
        text += " at " + ", ".join(f"{k}={v}" for k, v in evidence.point.items())
    if evidence.resolution is not None:
        text += f", resolution {evidence.resolution:.3g}"
    if evidence.verdict is not None:
        text += f" → {evidence.verdict}"
    return text + (f" ({evidence.note})" if evidence.note else "")


def believed(claim: Claim, result: ClaimResult | None) -> str:
    """What was run, how large a violation would have been seen, and which planted bugs the check catches."""
    from claims.harness.mutation.named import noticing

    said: list[str] = []
    if result is not None and result.evidence:
        sampled = sum(bool(e.samples) for e in result.evidence)
        exact = len(result.evidence) - sampled
        counts = [f"{n} {words}" for n, words in ((exact, "computed"), (sampled, "from samples")) if n]
        said.append(f"{len(result.evidence)} values, {' and '.join(counts)}")
    if result is not None and result.resolution is not None:
        said.append(f"resolution {result.resolution:.3g}, the least violation seen in 9 of 10 runs")
    if bugs := noticing().get(claim.id):
        more = f" and {len(bugs) - 1} more" if len(bugs) > 1 else ""
        said.append(f"it notices planted bugs: {bugs[0]}{more}")
    return "; ".join(said)
