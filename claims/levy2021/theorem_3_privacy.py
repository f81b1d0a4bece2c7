"""Theorem 3, privacy: Algorithm 3 with any first-order method is (ε, δ)-user-level DP for ε ≤ 1, δ > 0.

Each of T answers is (ε′, δ′)-DP with ε′ = ε/(2√(2T log(2/δ))), δ′ = δ/(2T) (Algorithm 3, line 2; Theorem
2), and answers are chosen adaptively. The best (ε, δ) of such a composition is known exactly (Kairouz, Oh
and Viswanath 2015): it decides the statement for each (T, ε, δ), if Algorithm 2 keeps what it promises at
(ε′, δ′), which it does since ε′ ≤ 8 log(1/δ′) (theorem-2-privacy:corrected; checked here as well). How far
ε may go beyond 1 is reported.

The slack is large: the noise could be several times smaller, reported as the factor by which ε′ may grow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import composition, first_order


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    steps, epsilon, delta = int(point["T"]), float(point["epsilon"]), float(point["delta"])
    step_epsilon, step_delta = first_order.query_budget(epsilon, delta, steps, "paper")
    best, _ = first_order.query_budget(epsilon, delta, steps, "tuned")
    beyond = 1.0  # largest power of 1.25 at which the split still works
    while beyond < 1e4:
        e, s = composition.printed_query_budget(1.25 * beyond, delta, steps)
        if composition.composition_delta(1.25 * beyond, e, s, steps) > delta:
            break
        beyond *= 1.25
    return {
        "delta_composed": composition.composition_delta(epsilon, step_epsilon, step_delta, steps),
        "inner": step_epsilon / (8.0 * math.log(1.0 / step_delta)),
        "growth": best / step_epsilon,
        "epsilon_limit": beyond,
    }


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {"T": int(row.T), "epsilon": float(row.epsilon), "delta": float(row.delta)}
        evidence.append(at_most("δ of the composition of T answers", row.delta_composed, row.delta, point))
        evidence.append(at_most("ε′ / (8 log(1/δ′))", row.inner, 1.0, point))
    evidence.append(exact_evidence("smallest factor by which ε′ could grow", float(rows["growth"].min())))
    evidence.append(exact_evidence("largest factor by which ε′ could grow", float(rows["growth"].max())))
    note = "the split is private up to about this ε at every grid point"
    evidence.append(exact_evidence("ε beyond 1", float(rows["epsilon_limit"].min()), note=note))
    return evidence


def _grid(steps: tuple[int, ...], deltas: tuple[float, ...]) -> list[dict[str, float | int]]:
    return [
        {"T": t, "epsilon": e, "delta": delta} for t in steps for e in (0.01, 0.3, 1.0) for delta in deltas
    ]


CLAIM = Claim(
    id="levy2021/theorem-3-privacy",
    kind=Kind.PRIVACY,
    title="Algorithm 3 is (ε, δ)-user-level DP for ε ≤ 1",
    statement=r"For $\varepsilon\le1$ and $\delta\in(0,1)$, $T$ adaptive answers, each "
    r"$(\varepsilon/(2\sqrt{2T\log(2/"
    r"\delta)}),\delta/(2T))$-DP, are $(\varepsilon,\delta)$-DP.",
    how="Exact: the optimal composition theorem.",
    source=source("Theorem 3", "section 4, Algorithm 3"),
    bound=Bound.UPPER,
    expected=Verdict.CONFIRMED,
    tiers={
        "smoke": Tier(points=_grid((1, 100), (1e-6, 0.5))),
        "ci": Tier(points=_grid((1, 2, 10, 100, 1000), (1e-9, 1e-6, 0.01, 0.5, 0.99))),
        "full": Tier(
            points=_grid((1, 2, 3, 10, 100, 1000, 30_000), (1e-12, 1e-9, 1e-6, 0.01, 0.1, 0.5, 0.99))
        ),
    },
    measure=measure,
    judge=judge,
)
