"""Claims: one folder a paper, one module a result. Everything that an author needs is named here.

    from claims import Claim, Paper, grid, at_most, CONFIRMED

Each name is loaded from where it stands when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__distribution__ = "dpclaims"

if TYPE_CHECKING:
    from audits.evidence import Evidence, Side, Verdict
    from audits.judge import (
        at_least,
        at_most,
        constant,
        deciding_first,
        decisive,
        drawn_from,
        equals,
        mean_at_least,
        mean_at_most,
        mean_equals,
        reported,
        sample_mean,
        sandwich,
        undecided,
        worst_member,
    )
    from audits.privacy import audit_privacy
    from audits.rates import fit_rate, slope_against
    from claims.harness.claim import Budget, Claim, Paper, Plot, Point, Tier, grid
    from claims.harness.discover import load
    from claims.harness.finding import Finding, Weight
    from claims.harness.run.runner import run
    from claims.harness.words import Kind
    from implementations.interfaces import Adjacency

    CONFIRMED = Verdict.CONFIRMED
    CONSISTENT = Verdict.CONSISTENT
    REFUTED = Verdict.REFUTED
    INCONCLUSIVE = Verdict.INCONCLUSIVE

HOMES = {
    "Adjacency": "implementations.interfaces",
    "Budget": "claims.harness.claim",
    "Claim": "claims.harness.claim",
    "Evidence": "audits.evidence",
    "Finding": "claims.harness.finding",
    "Kind": "claims.harness.words",
    "Paper": "claims.harness.claim",
    "Plot": "claims.harness.claim",
    "Point": "claims.harness.claim",
    "Side": "audits.evidence",
    "Tier": "claims.harness.claim",
    "Verdict": "audits.evidence",
    "Weight": "claims.harness.finding",
    "at_least": "audits.judge",
    "at_most": "audits.judge",
    "audit_privacy": "audits.privacy",
    "constant": "audits.judge",
    "deciding_first": "audits.judge",
    "decisive": "audits.judge",
    "drawn_from": "audits.judge",
    "equals": "audits.judge",
    "fit_rate": "audits.rates",
    "grid": "claims.harness.claim",
    "load": "claims.harness.discover",
    "mean_at_least": "audits.judge",
    "mean_at_most": "audits.judge",
    "mean_equals": "audits.judge",
    "reported": "audits.judge",
    "run": "claims.harness.run.runner",
    "sample_mean": "audits.judge",
    "sandwich": "audits.judge",
    "slope_against": "audits.rates",
    "undecided": "audits.judge",
    "worst_member": "audits.judge",
}
"""Where each public name stands. The digest of a claim's sources follows it, so it holds constants only."""
VERDICTS = ("CONFIRMED", "CONSISTENT", "REFUTED", "INCONCLUSIVE")

__all__ = [
    "CONFIRMED",
    "CONSISTENT",
    "INCONCLUSIVE",
    "REFUTED",
    "Adjacency",
    "Budget",
    "Claim",
    "Evidence",
    "Finding",
    "Kind",
    "Paper",
    "Plot",
    "Point",
    "Side",
    "Tier",
    "Verdict",
    "Weight",
    "at_least",
    "at_most",
    "audit_privacy",
    "constant",
    "deciding_first",
    "decisive",
    "drawn_from",
    "equals",
    "fit_rate",
    "grid",
    "load",
    "mean_at_least",
    "mean_at_most",
    "mean_equals",
    "reported",
    "run",
    "sample_mean",
    "sandwich",
    "slope_against",
    "undecided",
    "worst_member",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name in VERDICTS:
        from audits.evidence import Verdict

        return Verdict[name]
    if name not in HOMES:
        raise AttributeError(f"module 'claims' has no attribute {name!r}")
    return getattr(importlib.import_module(HOMES[name]), name)
