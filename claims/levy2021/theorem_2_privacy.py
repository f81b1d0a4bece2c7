r"""Theorem 2, privacy: WinsorizedMeanHighD is (ε, δ)-DP in one user.

Each of the d coordinates is ε′-DP with ε′ = ε/√(8 d log(1/δ)) (Theorem 1; the rotation does not depend on the
data), and strong composition should give (ε, δ) (Levy et al. 2021, Theorem 2). The printed statement names no
range of ε and δ.

The best bound that composition can give is known in closed form (Kairouz, Oh and Viswanath 2015), and it
decides the statement from above: δ(ε) of d mechanisms that are ε′-DP. It stays below δ for all ε ≤ 8
log(1/δ), which is where a privacy guarantee is of use, and rises above it soon after when d is large.

Proof for all d and δ. Each coordinate is ε′-DP, hence ε′²/2-zCDP (Bun and Steinke 2016), and d of them
compose to ρ = dε′²/2 = ε²/(16L) with L = log(1/δ). That is (ρ + 2√(ρL), δ)-DP, and ρ + 2√(ρL) = ε²/(16L) +
ε/2 ≤ ε if and only if ε ≤ 8L. The grid below is the arithmetic check of this, by the optimal composition.

How it is checked. Exactly, by the optimal composition, d up to 2²⁰.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from audits.judge import at_most
from claims import CONFIRMED, Claim, Evidence, Kind, Plot, Point, grid
from claims.levy2021 import PAPER
from implementations import privacy
from implementations.levy2021 import winsorized_mean_highd
from implementations.levy2021.constants import PAPER as PRINTED

N = 100


def plan_of(d: int, epsilon: float, delta: float) -> winsorized_mean_highd.Plan:
    """The parameters that Algorithm 2 prescribes for n = 100 users."""
    return winsorized_mean_highd.highd_plan(N, d, epsilon, delta, 1.0, 150.0, 0.01, PRINTED)


def check(point: Point) -> Iterator[Evidence]:
    epsilon = point.share * 8.0 * math.log(1.0 / point.delta)
    plan = plan_of(point.d, epsilon, point.delta)
    log_delta = privacy.log_pure_composition_delta(epsilon, plan.epsilon, plan.dimension)
    ratio = math.exp(min(log_delta - math.log(point.delta), 700.0))
    yield at_most("δ of the optimal composition over δ", ratio, 1.0)


SHARES = (0.01, 0.1, 0.3, 0.6, 0.9, 1.0)
DELTAS = (1e-12, 1e-9, 1e-5, 0.01, 0.1, 0.5, 0.9, 0.99)

CLAIM = Claim(
    PAPER,
    "Theorem 2",
    "section 3",
    name="theorem-2-privacy",
    kind=Kind.PRIVACY,
    title="WinsorizedMeanHighD is (ε, δ)-DP for ε ≤ 8 log(1/δ)",
    uses=("theorem-1-privacy",),
    statement=r"Algorithm 2 is $(\varepsilon,\delta)$-DP under replacement of one user for $\varepsilon\le "
    r"8\log(1/\delta)$ (the range in which $\varepsilon$ and $\delta$ are used; none is printed).",
    expected=CONFIRMED,
    summary="ε ≤ 8·log(1/δ)",
    check=check,
    smoke=grid(d=(1, 8, 1024), delta=DELTAS, share=SHARES),
    ci=grid(d=[2**k for k in (0, 1, 2, 4, 7, 10, 14, 17)], delta=DELTAS, share=SHARES),
    full=grid(d=[2**k for k in range(21)], delta=DELTAS, share=SHARES),
    plots=[
        Plot(
            kind="curve",
            title="δ of the optimal composition over the promised δ",
            x="share",
            y="value",
            x_label="ε / (8 log(1/δ))",
            y_label="δ attained / δ",
            series="d",
            log_y=True,
            select={"delta": 1e-5},
        )
    ],
)
