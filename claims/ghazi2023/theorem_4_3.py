r"""Theorem 4.3: Strongly-Convex-ERM has excess empirical risk Õ(G²d/(μn²m)) on randomly permuted data.

Algorithm 5: θ₀ with noise σ₀ = K₀G/(μn√m), then Phased-ERM on a ball of radius R′ of order √d·σ₀, so the
risk is at most of the order K·K₀·G²d/(μn²m), K and K₀ being the log factors and constants of the noise with
and without the division of the budget into phases. For smooth losses the second step gains nothing: θ₀ has
error dσ₀² and excess (μ/2)dσ₀² already. The algorithm is run with θ₀ and θ̂ᵢ projected onto 𝒦 and R′ =
σ₀(√d + √(2 log(1/β))) (algorithm-5:corrected, algorithm-3:feasible-sets-corrected).

How it is checked. The implementation is run on ⟨a, θ⟩ + (μ/2)‖θ‖² with the optimum at the centre, half-way
out and outside the unit ball; the sup, chosen and measured on different trials; exponents of n, m, d after
division by K·K₀ not worse than −2, −1, 1, nor the slope against K·K₀·G²(√d + √(2 log(1/β)))²/(μn²m), the
same up to a logarithm, below 1. Runs without an
answer count as RG.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023 import _rates as rates
from implementations.ghazi2023 import strongly_convex_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import regularised_minimiser

MU = 0.1
OPTIMA = (0.0, 0.5, 3.0)
"""Distance of the unconstrained optimum from the centre of the unit ball."""


def measure(point: Point) -> dict[str, Any]:
    n, m, d = point.n, 10.0**point.log10_m, point.d
    beta = 1.0 / (2.0 * n**2 * m)
    phases = math.ceil(math.log(n * m))
    half = (rates.EPSILON / 2.0, rates.DELTA / 2.0)
    factor = rates.noise_factor(n, m, phases, *half, beta) * rates.noise_factor(n, m, 1, *half, beta)
    # R′² in units of σ₀²: d up to logarithms. At small d the logarithm in it is the larger part.
    form = (math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / beta))) ** 2 / (MU * n**2 * m)
    users = rates.sloped_users(MU * point.member, n, m, d, point.trials, MU, point.rng)
    ball = [Ball(np.zeros(d), 1.0)]
    done = strongly_convex_erm.strongly_convex_erm(
        users, ball, rates.EPSILON, rates.DELTA, beta, point.rng, variant="corrected"
    )
    best = regularised_minimiser(users, 0.0, np.zeros((point.trials, d)), ball)
    # Near the optimum a difference of losses is lost to rounding: take it about the optimum.
    shift, slope = done.theta - best, users.mean + MU * best
    excess = 0.5 * MU * (shift**2).sum(axis=1) + np.maximum(0.0, (shift * slope).sum(axis=1))
    excess = np.where(np.isnan(excess), 1.0, excess)
    return rates.columns(excess, point.trials, logs=factor, form=factor * form)


def judge(rows: Any, budget: Budget) -> Iterator[Evidence]:
    rows = rows.assign(m=10.0 ** rows["log10_m"].astype(float))
    yield from rates.judge_rates(rows, ["n", "m", "d"], {"n": -2.0, "m": -1.0, "d": 1.0}, budget)
    yield reported(
        "largest excess over K·K₀·G²(√d + √(2 log(1/β)))²/(μn²m)", float((rows["risk"] / rows["form"]).max())
    )


def _cells(d: tuple[int, ...], optima: tuple[float, ...]) -> list[dict[str, Any]]:
    return [
        {"n": n, "log10_m": log10_m, "d": each, "member": member}
        for n in (16_000, 60_000, 240_000)
        for log10_m in (15.0, 16.5, 18.0)
        for each in d
        for member in optima
    ]


CLAIM = Claim(
    PAPER,
    "Theorem 4.3",
    "section 4.2, appendix B.1",
    kind=Kind.RATE,
    title="Excess empirical risk of Strongly-Convex-ERM",
    statement=r"For $G$-Lipschitz $\mu$-strongly convex losses and "
    r"$n\ge\tilde\Omega(\log(1/\delta)\log(m)/\varepsilon)$ "
    r"an $(\varepsilon,\delta)$-DP mechanism (Algorithm 5, $\beta=1/(2n^2m)$) has excess empirical risk "
    r"$\tilde O(G^2d/(\mu n^2m))$ on randomly permuted data.",
    expected=CONSISTENT,
    finding="with projections and a radius that holds the noise",
    measure=measure,
    judge=judge,
    fits_exponents=True,
    largest_resolution=0.5,
    smoke=Tier(_cells((2, 4, 8), OPTIMA[1:]), trials=400),
    ci=Tier(_cells((4, 12, 36), OPTIMA), trials=1000),
)
