"""Claims: one folder a paper, one module a result. Everything that an author needs is named here.

    from claims import Claim, Paper, grid, at_most, CONFIRMED

Each name is loaded from where it stands when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from implementations.lazy import lazy

__distribution__ = "dpclaims"

if TYPE_CHECKING:
    from audits.evidence import Evidence as Evidence
    from audits.evidence import Side as Side
    from audits.evidence import Verdict as Verdict
    from audits.judge import at_least as at_least
    from audits.judge import at_most as at_most
    from audits.judge import constant as constant
    from audits.judge import deciding_first as deciding_first
    from audits.judge import decisive as decisive
    from audits.judge import drawn_from as drawn_from
    from audits.judge import equals as equals
    from audits.judge import mean_at_least as mean_at_least
    from audits.judge import mean_at_most as mean_at_most
    from audits.judge import mean_equals as mean_equals
    from audits.judge import reported as reported
    from audits.judge import sample_mean as sample_mean
    from audits.judge import sandwich as sandwich
    from audits.judge import undecided as undecided
    from audits.privacy import audit_privacy as audit_privacy
    from audits.rates import fit_rate as fit_rate
    from audits.rates.family import worst_member as worst_member
    from claims.harness.claim import Budget as Budget
    from claims.harness.claim import Claim as Claim
    from claims.harness.claim import Paper as Paper
    from claims.harness.claim import Plot as Plot
    from claims.harness.claim import Point as Point
    from claims.harness.claim import Tier as Tier
    from claims.harness.claim import grid as grid
    from claims.harness.discover import load as load
    from claims.harness.finding import Finding as Finding
    from claims.harness.finding import Misprint as Misprint
    from claims.harness.finding import Weight as Weight
    from claims.harness.run.runner import run as run
    from claims.harness.symmetric import symmetric as symmetric
    from claims.harness.words import Kind as Kind
    from implementations.interfaces import Adjacency as Adjacency

    CONFIRMED = Verdict.CONFIRMED
    CONSISTENT = Verdict.CONSISTENT
    REFUTED = Verdict.REFUTED
    INCONCLUSIVE = Verdict.INCONCLUSIVE
else:
    HOMES, __all__, __getattr__ = lazy(__name__, __file__)
