r"""Theorem 5.1, the rates of Phased-SCO where noise decides, and where sampling does.

Algorithm 4 as corrected (half-open batches, ⌊log₂(n/N₀)⌋ phases, θ̂ᵢ projected, λ = (G/R)(√d/(n√m) +
1/√(nm))). Its proof bounds the risk by

    λ₁R² + Σ 16G²/(λᵢnᵢm) + Σ λᵢ₊₁dσᵢ² + G·E‖z‖·σ_T,   z standard normal in ℝᵈ,

with σᵢ = K·G/(λᵢnᵢ√m), K the logarithms and constants of the noise at (ε, δ, β/T). The first two terms are
O(RG/√(nm)) and the √d/(n√m) that the theorem claims, the third is 4TK²·RGd/((√d + √n)n√m), and the last is
K·RG·E‖z‖/((√d + √n)·2^T), 2^T between n/(2N₀) and n/N₀: no m in it.

* Where m is large (`:last-phase`) the last term decides: the risk of the worst loss is G·E‖z‖·σ_T, which is
  n^(−3/2)·m⁰·d^(1/2), and ε⁻³ from K·N₀. The statement says m^(−1/2). This is theorem-5.1 measured on the
  program, with λ repaired, and at every d and ε: the worst loss is G‖θ − p‖ with p inside 𝒦, whose minimiser
  is p in every phase, so that the risk is known from both sides.
* Where n is large against m and K (`:many-users`) noise is below a tenth of 1/√(nm), and the statement holds
  as printed: the risk of the worst loss is c·RG/√(nm).

The grids follow from the terms. For `:last-phase` each must be below a tenth of the last, which itself must
be below R/8, in the worst cell, ε = 0.05: n ≥ (8K·2N₀√d)^(2/3), which is 6·10⁸ at d = 100, hence 2³⁰; m ≥
(40TK√d/N₀)² and (40n/(KN₀))², that is 10¹⁶·², hence 10¹⁷. For `:many-users` n ≥ 40TK²d, 2·10¹⁵ at ε = 1 and
d = 100, hence 2⁵⁴, and n ≥ 20KN₀√(dm). Nobody has so many users: what Õ hides is that large. Each axis spans
3 decades (2 for d, 1.3 for ε): the half-width foreseen of the interval of an exponent is t·r/(√18·L·ln(10)/2)
for L decades, relative error r ≤ 0.75/√trials of a cell and t = 8, the quantile at the level of an axis: at
most 0.055 at 400 trials for ε, below the tolerance 0.1.

How it is checked. The program is run, with batches drawn from their exact law instead of users, at 27
points (n, m, d, ε) in which all pairs of levels meet. `:last-phase`: the exponents of the sup over kinks and
linear losses after division by K·N₀'s exact value must be −3/2, 0, 1/2, 0, both ways, and its slope against
G·E‖z‖·σ_T of the printed formulas 1, both ways; the mean of the kink's risk over that is 1. `:many-users`:
linear losses of slopes about 1/√(nm) and much steeper; the exponents of n, m and d, and the slope against
√d/(n√m) + 1/√(nm), must not be worse than the statement. Raw slopes are reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier, at_most, mean_equals
from claims.ghazi2023 import PAPER
from claims.ghazi2023 import _rates as rates
from claims.ghazi2023._population import Losses, halves, population
from claims.ghazi2023.algorithm_3 import printed_sigma
from implementations.ghazi2023 import phased_sco
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Kink
from implementations.ghazi2023.reading import Guarantee, Reading

CONSTANT, RADIUS, OPTIMUM = 64.0, 0.5, 0.3
"""C of line 3; 𝒦 has this radius, so R = 1; kinks are this far from its centre."""
NOISE = {
    "kink of slope 1": ("kink", 1.0, 0.0),
    "kink of slope 0.1": ("kink", 0.1, 0.0),
    "linear of slope 0.8": ("linear", 0.8, 0.0),
    "linear, flat": ("linear", 1.0, 1.0),
    "linear, halfway": ("linear", 1.0, 0.5),
}
SAMPLING = {
    f"linear, {share:.2g} of 1/√(nm)": ("linear", share, 1.0) for share in (0.32, 1.0, 3.2, 10.0, 100.0)
} | {
    "linear, halfway": ("linear", 1.0, 0.5),
    "linear of slope 0.8": ("linear", 0.8, 0.0),
}
"""Kind of the loss; its slope is the number times the form to this power, at most 0.8 unless it is a kink."""


def steps(n: int, epsilon: float, delta: float) -> int:
    """T of line 4 as corrected: ⌊log₂(n/N₀)⌋, N₀ = C·log(1/δ)/ε."""
    return math.floor(math.log2(n * epsilon / (CONSTANT * math.log(1.0 / delta))))


def last_noise(n: int, m: float, d: int, epsilon: float, delta: float, beta: float, radius: float) -> float:
    """G·E‖z‖·σ_T by the printed formulas, for G = 1 and a set of this diameter or radius R."""
    count = steps(n, epsilon, delta)
    regulariser = rates.printed_form(n, m, d) / radius
    size = n // 2 ** (count - 1) - n // 2**count
    sigma = printed_sigma(epsilon, delta, beta / count, 2.0, regulariser * 4.0**count, size, m)
    return rates.noise_norm(d) * sigma


def run(point: Point, member: tuple[str, float, float], form: float) -> np.ndarray:
    """The excess population risk of Algorithm 4 as corrected; 1 = RG where there is no answer."""
    n, m, d = 2**point.log2_n, 10.0**point.log10_m, point.d
    kind, share, power = member
    slope = share * form**power if kind == "kink" else min(0.8, share * form**power)
    kink = Kink(slope, rates.along(OPTIMUM, d)) if kind == "kink" else None
    phases = steps(n, point.epsilon, rates.DELTA)
    losses = Losses(rates.along(0.0 if kink else slope, d), 0.0, kink, 0.0 if kink else 0.5)
    users = population(losses, halves(n, phases), m, point.trials, point.rng)
    regulariser = phased_sco.corrected_regulariser(1.0, 1.0, n, m, d)
    theta = phased_sco.phased_sco(
        users, [Ball(np.zeros(d), RADIUS)], np.zeros(d), Guarantee(point.epsilon, rates.DELTA, 1.0 / (n * m)),
        regulariser, CONSTANT, point.rng, reading=Reading(variant="corrected"),
    )[-1].theta  # fmt: skip
    excess = slope * (theta[:, 0] + RADIUS) if kink is None else kink.value(theta)
    return np.where(np.isnan(excess), 1.0, excess)


def measure_noise(point: Point) -> dict[str, Any]:
    n, m, d = 2**point.log2_n, 10.0**point.log10_m, point.d
    form = last_noise(n, m, d, point.epsilon, rates.DELTA, 1.0 / (n * m), 1.0)
    excess = run(point, NOISE[point.member], form)
    logs = form / (math.sqrt(d) * float(n) ** -1.5)
    return rates.columns(excess, point.trials, n=float(n), m=m, logs=logs, form=form)


def measure_sampling(point: Point) -> dict[str, Any]:
    n, m, d = 2**point.log2_n, 10.0**point.log10_m, point.d
    form = rates.printed_form(n, m, d)
    excess = run(point, SAMPLING[point.member], form)
    noise = last_noise(n, m, d, point.epsilon, rates.DELTA, 1.0 / (n * m), 1.0)
    return rates.columns(excess, point.trials, n=float(n), m=m, logs=1.0, form=form, noise=noise)


def judge_noise(rows: Any, budget: Budget) -> Iterator[Evidence]:
    known = rows[rows["member"] == "kink of slope 1"]
    words = "risk of G‖θ − p‖ over G·E‖z‖·σ_T"
    yield mean_equals(words, (known["risk"] / known["form"]).to_numpy(), 1.0, alpha=budget.share(0.25))
    yield at_most("G·E‖z‖·σ_T over RG, largest", float(rows["form"].max()), 0.125)
    claimed = {"n": -1.5, "m": 0.0, "d": 0.5, "epsilon": 0.0}
    yield from rates.judge_law(rows, claimed, "G·E‖z‖·σ_T", budget)


def judge_sampling(rows: Any, budget: Budget) -> Iterator[Evidence]:
    yield at_most("G·E‖z‖·σ_T over RG/√(nm), largest", float((rows["noise"] / rows["form"]).max()), 0.1)
    claimed = {"n": -0.5, "m": -0.5, "d": 0.5}
    yield from rates.judge_rates(rows, claimed, "√d/(n√m) + 1/√(nm)", budget)


RISK = "excess population risk"
EPSILONS = (0.05, 0.22, 1.0)
LARGE_M = {"log2_n": (30, 35, 40), "log10_m": (17.0, 20.0, 23.0), "d": (1, 10, 100), "epsilon": EPSILONS}
MANY_USERS = {"log2_n": (54, 59, 64), "log10_m": (0.0, 3.0, 6.0), "d": (1, 10, 100), "epsilon": (1.0,) * 3}


LAST_PHASE = Claim(
    PAPER,
    "Theorem 5.1",
    "section 5.1, Algorithm 4",
    variant="last-phase",
    kind=Kind.RATE,
    title="Excess population risk of Phased-SCO where the last noise decides",
    statement=r"For $m$ large against $n$ and with $\lambda=\frac GR(\sqrt d/(n\sqrt m)+1/\sqrt{nm})$ the "
    r"worst loss has excess population risk $G\,\mathbb E\|z\|\,\sigma_T=K\,RG\,\mathbb E\|z\|/"
    r"((\sqrt d+\sqrt n)2^T)$: exponents $-3/2$ in $n$, $0$ in $m$, $1/2$ in $d$.",
    expected=CONSISTENT,
    summary="the repaired λ makes the last noise smaller, n^(−3/2) for 1/n, and still free of m",
    measure=measure_noise,
    judge=judge_noise,
    fits_exponents=True,
    largest_resolution=0.5,
    plots=[rates.plot("Phased-SCO, large m: the risk is that of the last noise", "G·E‖z‖·σ_T", RISK)],
    smoke=Tier(rates.balanced(list(NOISE)[:3], **LARGE_M), trials=400),
    ci=Tier(rates.balanced(list(NOISE), **LARGE_M), trials=500),
)
MANY = LAST_PHASE.reading(
    "many-users",
    title="Excess population risk of Phased-SCO where sampling decides",
    statement=r"For $n\ge40TK^2d$ and $n\ge20KN_0\sqrt{dm}$, $K$ the constants and logarithms of the noise, "
    r"and $\lambda=\frac GR(\sqrt d/(n\sqrt m)+1/\sqrt{nm})$ the excess population risk is "
    r"$O(RG(\sqrt d/(n\sqrt m)+1/\sqrt{nm}))$.",
    summary="as printed, from 10¹⁵ users on",
    measure=measure_sampling,
    judge=judge_sampling,
    plots=[rates.plot("Phased-SCO, many users: the risk falls as claimed", "√d/(n√m) + 1/√(nm)", RISK)],
    smoke=Tier(rates.balanced([[*SAMPLING][k] for k in (1, 4, 5)], **MANY_USERS), trials=200),
    ci=Tier(rates.balanced(list(SAMPLING), **MANY_USERS), trials=300),
)
CLAIM = LAST_PHASE
CLAIMS = [MANY]
