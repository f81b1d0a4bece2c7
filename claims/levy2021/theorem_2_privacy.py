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

**Read for every ε and δ it falls** (`:every-delta`). For d = 1 the algorithm is Algorithm 1 with ε′ = ε/√(8
log(1/δ)), which exceeds ε as soon as δ > e^{−1/8} = 0.8825. One user at ±B among users at 0 moves the clipped
mean by the whole interval, and the exact output law (a mixture of Laplaces) has a hockey-stick divergence
above δ. For larger d a violation with the signs ω known is shown for δ = ½ as well: the count of the
coordinates above the middle.

How it is checked. Exactly: the optimal composition from above, d up to 2²⁰; for d = 1 the exact output law on
an adversarial pair from below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from claims import (
    CONFIRMED,
    REFUTED,
    Claim,
    Evidence,
    Finding,
    Kind,
    Plot,
    Point,
    Weight,
    at_most,
    grid,
    reported,
)
from claims.levy2021 import PAPER
from implementations import privacy
from implementations.levy2021 import winsorized_mean_1d, winsorized_mean_highd
from implementations.levy2021.constants import PAPER as PRINTED

if TYPE_CHECKING:
    from audits.laws import Mixture

N = 100


def plan_of(d: int, epsilon: float, delta: float) -> winsorized_mean_highd.Plan:
    """The parameters that Algorithm 2 prescribes for n = 100 users."""
    return winsorized_mean_highd.highd_plan(N, d, epsilon, delta, 1.0, 150.0, 0.01, PRINTED)


def output_law(x: np.ndarray, plan: winsorized_mean_highd.Plan) -> Mixture:
    """The exact output law of Algorithm 2 for d = 1: the sign ω is fair, so x and −x are mixed."""
    from audits.laws import Laplace, Mixture

    plus, minus = (
        winsorized_mean_1d.winsorized_mean_1d_law(
            sign * x, plan.epsilon, plan.tau, plan.bound, plan.constants
        )
        for sign in (1.0, -1.0)
    )
    weights = 0.5 * np.concatenate((plus.weights, minus.weights))
    centres = np.concatenate((plus.centres, -minus.centres))
    return Mixture(tuple(weights / weights.sum()), tuple(Laplace(float(c), plus.scale) for c in centres))


def attained_in_one_dimension(point: Point, plan: winsorized_mean_highd.Plan) -> float:
    """δ at ε on the pair of one user at B or at −B among users at 0, by the exact law."""
    from audits.divergence import hockey_stick

    low, high = np.zeros(N), np.zeros(N)
    low[0], high[0] = -plan.bound, plan.bound
    return float(hockey_stick(output_law(high, plan), output_law(low, plan), point.epsilon))


def attained_with_known_signs(point: Point, plan: winsorized_mean_highd.Plan) -> float:
    """δ at ε of the count of coordinates above the middle, one user at ±B e₁, ω known.

    Every rotated coordinate moves from one end of its interval to the other, s scales apart; it falls on its
    own half with probability 1 − ½ e^{−s/2}.
    """
    scale = winsorized_mean_1d.noise_scale(N, plan.epsilon, plan.tau, PRINTED)
    s = 2.0 * PRINTED.half_length * plan.tau / N / scale
    wrong = 0.5 * math.exp(-s / 2.0)
    per_coordinate = math.log((1.0 - wrong) / wrong)
    return math.exp(privacy.log_pure_composition_delta(point.epsilon, per_coordinate, point.d))


def check_every_delta(point: Point) -> Iterator[Evidence]:
    plan = plan_of(point.d, point.epsilon, point.delta)
    composed = math.exp(privacy.log_pure_composition_delta(point.epsilon, plan.epsilon, plan.dimension))
    if point.d > 1:
        note = "signs ω known: one user at B e₁ against −B e₁"
        attained = attained_with_known_signs(point, plan)
        yield reported("δ at ε, attained with ω known", attained, claimed=point.delta, note=note)
        yield reported("δ at ε, optimal composition", composed, claimed=point.delta)
        return
    note = "n = 100: one user at B against −B, 99 users at 0; exact output law"
    attained = attained_in_one_dimension(point, plan)
    yield at_most("δ at ε, attained", attained, point.delta, decides=False, note=note)
    if composed <= point.delta:
        yield at_most("δ at ε, optimal composition", composed, point.delta)


def check(point: Point) -> Iterator[Evidence]:
    epsilon = point.share * 8.0 * math.log(1.0 / point.delta)
    plan = plan_of(point.d, epsilon, point.delta)
    log_delta = privacy.log_pure_composition_delta(epsilon, plan.epsilon, plan.dimension)
    ratio = math.exp(min(log_delta - math.log(point.delta), 700.0))
    yield at_most("δ of the optimal composition over δ", ratio, 1.0)


SHARES = (0.01, 0.1, 0.3, 0.6, 0.9, 1.0)
DELTAS = (1e-12, 1e-9, 1e-5, 0.01, 0.1, 0.5, 0.9, 0.99)
CASES = [
    *grid(d=1, epsilon=1.0, delta=1e-5),
    *grid(d=1, epsilon=13.0, delta=0.99),
    *grid(d=256, epsilon=150.0, delta=0.5),
    *grid(d=256, epsilon=1.0, delta=1e-5),
]

CLAIM = Claim(
    PAPER,
    "Theorem 2",
    "section 3",
    name="theorem-2-privacy",
    kind=Kind.PRIVACY,
    title="WinsorizedMeanHighD is (ε, δ)-DP for ε ≤ 8 log(1/δ)",
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
EVERY_DELTA = CLAIM.reading(
    "every-delta",
    title="WinsorizedMeanHighD is (ε, δ)-DP for every ε and δ",
    statement=r"Algorithm 2 is $(\varepsilon,\delta)$-DP under replacement of one user, for all "
    r"$\varepsilon,\delta>0$: no range is printed.",
    expected=REFUTED,
    finding=Finding(
        Weight.CORNER,
        what="no range of ε and δ is printed: at d = 1, ε = 13, δ = 0.99 the exact δ of Algorithm 2 is 0.993",
        favour="nobody promises privacy with δ near 1; ε ≤ 1 and δ ≤ 1/n² are the range of Algorithm 4",
        survives="the statement for all ε ≤ 8·log(1/δ), with a proof of three lines "
        "(`levy2021/theorem-2-privacy`)",
    ),
    check=check_every_delta,
    smoke=CASES,
    ci=CASES,
    full=CASES,
    plots=(),
)
CLAIMS = [EVERY_DELTA]
