r"""Theorem 4.3: Strongly-Convex-ERM has excess empirical risk Õ(G²d/(μn²m)) on randomly permuted data.

Algorithm 5: θ₀ with noise σ₀ = K₀G/(μn√m), then Phased-ERM on 𝒦′ = 𝒦 ∩ B(θ₀, R′), K and K₀ being the log
factors and constants of the noise with and without the division of the budget into phases. The algorithm is
run with θ₀ and θ̂ᵢ projected and R′ = σ₀(√d + √(2 log(1/β))) (algorithm-5, algorithm-3:feasible-
sets-corrected).

The form. With probability 1 − β over the noise of θ₀ the optimum lies in 𝒦′, by concentration of the norm:
that is why R′ has √d + √(2 log(1/β)) and not √d. On this event theorem-4.1 on 𝒦′, of diameter at most 2R′,
gives a constant times K·R′·G·E‖z‖/(n√m), z standard normal in ℝᵈ (there: the √d of the proof is E‖z‖ ≤ √d);
off it the risk is at most RG, with probability β = 1/(2n²m). Together K·K₀·G²·E‖z‖·(√d + √(2
log(1/β)))/(μn²m): G²d/(μn²m) up to logarithms, which are the larger part of the second factor at small d.

For smooth losses the second step gains little: θ₀ has error dσ₀² and excess (μ/2)dσ₀² already, a small part
of the form. The form is met, up to a factor near 2, by non-smooth losses s·‖θ − p‖ + (μ/2)‖θ − p‖² with s at
the scale K·G√d/(n√m) of the noise of the second step; with s = 1/2 the answer is at the kink.

The grid follows from the hypotheses and from the power asked for, as in theorem-4.1, at half of the budget
and β = 1/(2n²m): ε = 0.01, 0.1, 1 and d = 1, 10, 100; n ≥ 8κ + 2 at ε = 0.01 from 10⁷ on; the slopes of the
family up to 2^(3/2)·K·G√d/(n√m) are at most 1/2 in the worst cell from m = 10¹⁷ on. Radii fall by 4 from
phase to phase, so that a worst slope recurs with period 4; slopes a factor √2 apart cover a whole period (the
smaller tier leaves one out). Where a radius lies between two worst slopes the risk may be a factor √2 off the
form either way, at most a standard deviation of 0.2 in the logarithm where cells differ in no order, and r is
0.1. At 27 points the half-width of an exponent over 2 decades would be 8·0.22/(√18·2.3) = 0.18, above the
tolerance 0.1; at all 81 it is 6.3·0.22/(√54·2.3) = 0.08: hence all 81 (27 came out INCONCLUSIVE for d). Kinks
are at the origin, since at 1/2 the rounding of coordinates is above the error of the answer in the last
cells.

What is not measured. As in theorem-4.1: losses with another Hessian than cI, and trials without a
certificate.

How it is checked. The implementation is run on ⟨a, θ⟩ + (μ/2)‖θ‖² with the optimum at the centre, half-way
out and outside the unit ball, and on the non-smooth losses, at all 81 points (n, m, d, ε); the sup, chosen
and measured on different trials. Exponents of n, m, d, ε after division by all factors of the form but
d/(n²m) must not be worse than −2, −1, 1, 0, nor the slope against the form below 1; raw slopes are reported.
Runs without an answer count as RG.

What it does not see. The bound is one-sided: a program with half the noise would pass here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier, at_most, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023 import _rates as rates
from implementations.ghazi2023 import strongly_convex_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Kink, regularised_minimiser
from implementations.ghazi2023.reading import Guarantee, Reading

MU = 0.1
SHARES = (2.0**-0.5, 1.0, 2.0**0.5, 2.0, 2.0**1.5)
"""Radii fall by 4 from phase to phase: slopes by less than 4 apart are needed to meet the worst one."""
MEMBERS: dict[str, tuple[float, float | None]] = {
    "optimum at 0": (0.0, None),
    "optimum at 0.5": (0.5, None),
    "optimum at 3": (3.0, None),
    "kink of slope 1/2": (0.0, math.inf),
} | {f"kink of slope {share:.2g}K√d/(n√m)": (0.0, share) for share in SHARES}
"""Distance of the unconstrained optimum from the centre of the unit ball; the slope s of a kink there over
K·G√d/(n√m), at most 1/2."""
FEW = tuple(tuple(MEMBERS)[k] for k in (5, 6, 8))
HARMLESS = tuple(MEMBERS)[:4]


def measure(point: Point) -> dict[str, Any]:
    n, m, d, epsilon = round(point.n), 10.0**point.log10_m, point.d, point.epsilon
    beta = 1.0 / (2.0 * n**2 * m)
    phases, trials = math.ceil(math.log(n * m)), rates.trials_of(point, HARMLESS)
    delta = rates.delta_of(point)
    half = (epsilon / 2.0, delta / 2.0)
    later = rates.noise_factor(n, m, phases, *half, beta)
    reach = math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / beta))
    # 1/2: line 3 of Algorithm 5 runs SCOutputPert with G, not with the 2G of a phase.
    factor = later * 0.5 * rates.noise_factor(n, m, 1, *half, beta) * rates.noise_norm(d) * reach
    distance, share = MEMBERS[point.member]
    optimum = rates.along(-distance, d)
    kink = None
    if share is not None:
        kink = Kink(min(0.5, share * later * math.sqrt(d) / (n * math.sqrt(m))), optimum)
    users = rates.users_about(-MU * optimum, n, m, trials, MU, point.rng, kink)
    ball = [Ball(np.zeros(d), 1.0)]
    done = strongly_convex_erm.strongly_convex_erm(
        users, ball, Guarantee(epsilon, delta, beta), point.rng, reading=Reading(variant="corrected")
    )
    best = regularised_minimiser(users, 0.0, np.zeros((trials, d)), ball)
    # Near the optimum a difference of losses is lost to rounding: take it about the optimum.
    shift, slope = done.theta - best, users.mean + MU * best
    excess = 0.5 * MU * (shift**2).sum(axis=1) + np.maximum(0.0, (shift * slope).sum(axis=1))
    if kink is not None:
        excess = 0.5 * MU * (shift**2).sum(axis=1) + kink.value(done.theta)
    excess = np.where(np.isnan(excess), 1.0, excess)
    scale = later * math.sqrt(d) / (n * math.sqrt(m))
    return rates.columns(excess, 0, logs=factor / d, form=factor / (MU * n**2 * m), scale=scale)


def judge(rows: Any, budget: Budget) -> Iterator[Evidence]:
    steepest = SHARES[-1] * float(rows["scale"].max())
    yield at_most("2^(3/2)·K·√d/(n√m) in the worst cell, a slope of the family", steepest, 0.5)
    claimed = {"n": -2.0, "m": -1.0, "d": 1.0, "epsilon": 0.0}
    form = "K·K₀·G²·E‖z‖(√d + √(2 log(1/β)))/(μn²m)"
    yield from rates.judge_rates(rows, claimed, form, budget, steepest=-5.0)


LEVELS: dict[str, tuple[float, ...]] = {
    "n": (1e7, 1e9, 1e11),
    "log10_m": (17.0, 20.0, 23.0),
    "d": (1, 10, 100),
    "epsilon": (0.01, 0.1, 1.0),
}
CLAIM = Claim(
    PAPER,
    "Theorem 4.3",
    "section 4.2, appendix B.1",
    kind=Kind.RATE,
    title="Excess empirical risk of Strongly-Convex-ERM",
    statement=r"For $G$-Lipschitz $\mu$-strongly convex losses and "
    r"$n\ge\tilde\Omega(\log(1/\delta)\log(m)/\varepsilon)$ "
    r"an $(\varepsilon,\delta)$-DP mechanism (Algorithm 5, $\beta=1/(2n^2m)$) has excess empirical risk "
    r"$\tilde O_\varepsilon(G^2d/(\mu n^2m))$ on randomly permuted data.",
    uses=("theorem-3.1", "theorem-4.1"),
    expected=CONSISTENT,
    summary="with projections and a radius that holds the noise",
    measure=measure,
    judge=judge,
    fits_exponents=True,
    largest_resolution=0.5,
    plots=[
        rates.plot(
            "Excess empirical risk of Strongly-Convex-ERM",
            "K K₀ G² E‖z‖ (√d + √(2 log(1/β))) / (μ n² m)",
            "excess empirical risk",
        )
    ],
    smoke=Tier(grid(member=FEW, **LEVELS), trials=90),
    ci=Tier(grid(member=tuple(MEMBERS), **LEVELS), trials=120),
)
DELTA = CLAIM.reading(
    "delta",
    title="Excess empirical risk of Strongly-Convex-ERM, δ from 0.3 to 10⁻⁹⁰",
    statement=r"The same for $n=10^9$, $m=10^{23}$, $d=\varepsilon=1$ and $\delta\to0$: the risk grows like "
    r"the product $K\,K_0$ of the factors of the noise of a phase and of line 3.",
    judge=rates.judge_delta,
    summary="δ enters by the factors K and K₀ of the noise alone",
    plots=[],
    smoke=Tier(grid(n=1e9, log10_m=23.0, d=1, epsilon=1.0, member=FEW, delta=rates.DELTAS), trials=200),
    ci=Tier(
        grid(n=1e9, log10_m=23.0, d=1, epsilon=1.0, member=tuple(MEMBERS), delta=rates.DELTAS), trials=300
    ),
)
CLAIMS = [DELTA]
