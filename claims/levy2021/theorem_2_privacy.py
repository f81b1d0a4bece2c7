"""Theorem 2, privacy: WinsorizedMeanHighD is (ε, δ)-DP in one user.

Each of the d coordinates is ε′-DP with ε′ = ε/√(8 d log(1/δ)) (Theorem 1; the rotation does not depend on
the data), and strong composition should give (ε, δ) (Levy et al. 2021, Theorem 2). The printed statement
names no range of ε and δ.

Checked exactly. The best bound that composition can give is known in closed form (Kairouz, Oh and Viswanath
2015), and it decides the statement from above: δ(ε) of d mechanisms that are ε′-DP. It stays below δ for
all ε ≤ 8 log(1/δ) (the corrected claim), and rises above it soon after when d is large.

**The printed claim falls** outside that range. For d = 1 the algorithm is Algorithm 1 with ε′ = ε/√(8
log(1/δ)), which exceeds ε as soon as δ > e^{−1/8} = 0.8825. One user at ±B among users at 0 moves the
clipped mean by the whole interval, and the exact output law (a mixture of Laplaces) has a hockey-stick
divergence above δ. For larger d a violation with the signs ω known is shown for δ = ½ as well: the count of
the coordinates above the middle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims._claim import Claim, Kind, Plot, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations import privacy
from implementations.levy2021 import winsorized_mean_1d, winsorized_mean_highd
from implementations.levy2021.constants import PAPER

if TYPE_CHECKING:
    from audits.laws import Mixture


def _output_law(x: np.ndarray, plan: winsorized_mean_highd.Plan) -> Mixture:
    """The exact output law of Algorithm 2 for d = 1: the sign ω is fair, so x and −x are mixed."""
    from audits.laws import Laplace, Mixture

    plus = winsorized_mean_1d.winsorized_mean_1d_law(x, plan.epsilon, plan.tau, plan.bound, plan.constants)
    minus = winsorized_mean_1d.winsorized_mean_1d_law(-x, plan.epsilon, plan.tau, plan.bound, plan.constants)
    weights = 0.5 * np.concatenate((plus.weights, minus.weights))
    centres = np.concatenate((plus.centres, -minus.centres))
    parts = [Laplace(float(c), plus.scale) for c in centres]
    return Mixture(tuple(weights / weights.sum()), tuple(parts))


def measure_printed(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    from audits.divergence import hockey_stick

    d, epsilon, delta, n = int(point["d"]), float(point["epsilon"]), float(point["delta"]), 100
    plan = winsorized_mean_highd.highd_plan(n, d, epsilon, delta, 1.0, 150.0, 0.01, PAPER)
    bound = math.exp(privacy.log_pure_composition_delta(epsilon, plan.epsilon, plan.dimension))
    if d == 1:
        x = np.zeros(n)
        low, high = x.copy(), x.copy()
        low[0], high[0] = -plan.bound, plan.bound
        attained = float(hockey_stick(_output_law(high, plan), _output_law(low, plan), epsilon))
    else:
        # ω known: user 0 at ±B e₁, the others at 0. Every rotated coordinate moves from one end of its
        # interval to the other, s scales apart; it falls on its own side of the middle with probability
        # 1 − ½ e^{−s/2}.
        s = (
            2.0
            * PAPER.half_length
            * plan.tau
            / n
            / winsorized_mean_1d.noise_scale(n, plan.epsilon, plan.tau, PAPER)
        )
        wrong = 0.5 * math.exp(-s / 2.0)
        attained = math.exp(privacy.log_pure_composition_delta(epsilon, math.log((1.0 - wrong) / wrong), d))
    return {"delta_composed": bound, "delta_attained": attained}


def measure_corrected(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    d, delta = int(point["d"]), float(point["delta"])
    rows = []
    for share in (0.01, 0.1, 0.3, 0.6, 0.9, 1.0):
        epsilon = share * 8.0 * math.log(1.0 / delta)
        plan = winsorized_mean_highd.highd_plan(100, d, epsilon, delta, 1.0, 150.0, 0.01, PAPER)
        log_delta = privacy.log_pure_composition_delta(epsilon, plan.epsilon, plan.dimension)
        rows.append((epsilon, share, log_delta - math.log(delta)))
    epsilon, share, excess = np.array(rows).T
    return {"epsilon": epsilon, "share": share, "ratio": np.exp(np.minimum(excess, 700.0))}


def judge_printed(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {"d": int(row.d), "epsilon": float(row.epsilon), "delta": float(row.delta)}
        if row.d == 1:
            note = "n = 100: one user at B against −B, 99 users at 0; exact output law"
            evidence.append(
                at_most("δ at ε, attained", row.delta_attained, row.delta, point, note, decides=False)
            )
            if row.delta_composed <= row.delta:
                evidence.append(at_most("δ at ε, optimal composition", row.delta_composed, row.delta, point))
        else:
            note = "signs ω known: one user at B e₁ against −B e₁"
            evidence.append(
                exact_evidence(
                    "δ at ε, attained", row.delta_attained, bound=row.delta, point=point, note=note
                )
            )
            evidence.append(
                exact_evidence(
                    "δ at ε, optimal composition", row.delta_composed, bound=row.delta, point=point
                )
            )
    return evidence


def judge_corrected(rows: Any, alpha: float) -> list[Evidence]:
    return [
        at_most(
            "δ of the optimal composition over δ",
            row.ratio,
            1.0,
            {"d": int(row.d), "epsilon": float(row.epsilon), "delta": float(row.delta)},
        )
        for row in rows.itertuples()
    ]


_PRINTED = [
    {"d": 1, "epsilon": 1.0, "delta": 1e-5},
    {"d": 1, "epsilon": 13.0, "delta": 0.99},
    {"d": 256, "epsilon": 150.0, "delta": 0.5},
    {"d": 256, "epsilon": 1.0, "delta": 1e-5},
]
_DELTAS = (1e-12, 1e-9, 1e-5, 0.01, 0.1, 0.5, 0.9, 0.99)


def _grid(powers: tuple[int, ...]) -> list[dict[str, float | int]]:
    return [{"d": 2**k, "delta": delta} for k in powers for delta in _DELTAS]


CLAIMS = [
    Claim(
        id="levy2021/theorem-2-privacy",
        kind=Kind.PRIVACY,
        title="WinsorizedMeanHighD is (ε, δ)-DP (no range of ε and δ)",
        statement=r"Algorithm 2 is $(\varepsilon,\delta)$-DP under replacement of one user, for all "
        r"$\varepsilon,"
        r"\delta>0$.",
        how="Exact: optimal composition from above; for d = 1 the exact law on an adversarial pair "
        "from below.",
        source=source("Theorem 2", "section 3"),
        bound=Bound.UPPER,
        expected=Verdict.REFUTED,
        tiers={tier: Tier(points=_PRINTED) for tier in ("smoke", "ci", "full")},
        measure=measure_printed,
        judge=judge_printed,
    ),
    Claim(
        id="levy2021/theorem-2-privacy:corrected",
        kind=Kind.PRIVACY,
        title="WinsorizedMeanHighD is (ε, δ)-DP for ε ≤ 8 log(1/δ)",
        statement=r"Algorithm 2 is $(\varepsilon,\delta)$-DP under replacement of one user for "
        r"$\varepsilon\le 8\log"
        r"(1/\delta)$.",
        how="Exact: the optimal composition of d mechanisms that are ε′-DP, d up to 2²⁰.",
        source=source("Theorem 2", "section 3, corrected"),
        bound=Bound.UPPER,
        expected=Verdict.CONFIRMED,
        tiers={
            "smoke": Tier(points=_grid((0, 3, 10))),
            "ci": Tier(points=_grid((0, 1, 2, 4, 7, 10, 14, 17))),
            "full": Tier(points=_grid(tuple(range(21)))),
        },
        measure=measure_corrected,
        judge=judge_corrected,
        plots=[
            Plot(
                kind="curve",
                title="δ of the optimal composition over the promised δ",
                x="share",
                y="ratio",
                x_label="ε / (8 log(1/δ))",
                y_label="δ attained / δ",
                series="d",
                log_y=True,
                select={"delta": 1e-5},
            )
        ],
    ),
]
