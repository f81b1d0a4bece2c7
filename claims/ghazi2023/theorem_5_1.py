r"""Theorem 5.1: a private mechanism has excess population risk Õ(RG(√d/(n√m) + 1/√(nm))), for every m.

The theorem says that a mechanism exists. Algorithm 4, which the text takes for it, does not have this risk
for large m (algorithm-4-utility). Phased-SCO with T = ⌈log₂(nm)⌉ phases on equal disjoint batches of n/T
users, with λ = (G/R)(√d/(n√m) + 1/√(nm)), has it, and its condition n/T ≥ 8κ + 2 is the one that the
theorem prints, n ≥ Õ(log(1/δ)· log(m)/ε). Each phase has the whole budget, since no user is in two. With σᵢ
= K·T·G/(λᵢn√m) (K: logarithms and constants of the noise for n/T users) and θ̂ᵢ projected onto 𝒦 the
analysis of the text gives

    λ₁R² + Σ 16G²/(λᵢ(n/T)m) + Σ λᵢ₊₁·min(R², dσᵢ²) + G√d·σ_T

(lemma-5.2:on-the-batch with theorem-3.1 for each batch). The first two are at most (4 + 16T/3)·RG(√d/(n√m)
+ 1/√(nm)); in the third the terms rise by 4 until √d·σᵢ = R, where λᵢR² = K·T·RG√d/(n√m), and fall by 4
from there; and 4^T ≥ nm makes the last one K·T·RG√d/(n√m)·O(1/√m). So the risk is Õ(RG(√d/(n√m) + 1/√(nm)))
with the factor K·T, powers of log(1/δ), log(nm) and 1/ε. Privacy and rate hold for all n, m; the price is
the factor T for the batches.

How it is checked. The four terms from the printed formulas, over K·T·√d/(n√m) + T/√(nm), at every cell. And
the program is run, with batches drawn from their exact law instead of users, at 27 points (n, m, d, ε, δ)
in which all pairs of levels meet: linear and kinked losses with slopes half a decade apart about
K·T·√d/(n√m), where the form is met, and one much steeper loss; the exponents of the sup over the family
after division by K·T·E‖z‖/√d must not be worse than −1, −1/2, 1/2, 0, nor that of ln(1/δ) above 0, nor its
slope against K·T·RG·E‖z‖/(n√m) below 1. Raw slopes are reported. Runs without an answer count as RG.

What it does not see. The bound is one-sided: a program with half the noise would pass here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from audits.rates import family
from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier, at_most, equals
from claims.ghazi2023 import PAPER
from claims.ghazi2023 import _rates as rates
from claims.ghazi2023._population import Losses, population
from claims.ghazi2023.algorithm_3 import printed_sigma
from implementations.ghazi2023 import equal_batches, phased_sco
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Kink
from implementations.ghazi2023.reading import Guarantee

RADIUS, OPTIMUM = 0.5, 0.3
"""𝒦 has this radius, so R = 1; kinks are this far from its centre."""
MEMBERS = {
    f"{kind} {level:+g}": (kind, level, 1.0)
    for kind, level in (("linear", -0.5), ("linear", 0.0), ("linear", 0.5), ("kink", 0.0))
} | {"linear halfway": ("linear", 0.0, 0.5)}
"""Kind of the loss; its slope is 10^level times the form K·T·E‖z‖/(n√m) to this power, at most 0.8."""
FEW = ("linear +0", "kink +0")


def steps(n: int, m: float) -> int:
    """T = ⌈log₂(nm)⌉."""
    return math.ceil(math.log2(n) + math.log2(m))


def factor(n: int, m: float, epsilon: float, delta: float) -> float:
    """K·T, with σᵢ = K·T·G/(λᵢn√m): the noise of n/T users at (ε, δ), β = 1/(nm) for all phases."""
    count = steps(n, m)
    sigma = printed_sigma(epsilon, delta, 1.0 / (n * m * count), 2.0, 1.0, n // count, m)
    return sigma * n * math.sqrt(m)


def proof_terms(n: int, m: float, d: int, epsilon: float, delta: float) -> float:
    """The four terms of the analysis in units of RG."""
    count, scale = steps(n, m), factor(n, m, epsilon, delta) / (n * math.sqrt(m))
    base = rates.printed_form(n, m, d)
    regularisers = [base * 4.0**i for i in range(1, count + 1)]
    noises = [scale * math.sqrt(d) / x for x in regularisers]  # √d·σᵢ/R
    sampling = sum(16.0 / (x * (n // count) * m) for x in regularisers)
    later = sum(x * min(1.0, s**2) for x, s in zip(regularisers[1:], noises[:-1], strict=True))
    return regularisers[0] + sampling + later + noises[-1]


def measure(point: Point) -> dict[str, Any]:
    n, m, d, epsilon = round(point.n), 10.0**point.log10_m, point.d, point.epsilon
    delta = math.exp(-point.level)
    noise = factor(n, m, epsilon, delta) / (n * math.sqrt(m))
    form = noise * rates.noise_norm(d)
    kind, level, power = MEMBERS[point.member]
    slope = min(0.8, 10.0**level * form**power)
    kink = Kink(slope, rates.along(OPTIMUM, d)) if kind == "kink" else None
    losses = Losses(rates.along(0.0 if kink else slope, d), 0.0, kink, 0.0 if kink else 0.5)
    count = steps(n, m)
    size = n // count
    bounds = (n, *(size * k for k in range(count, -1, -1)))
    users = population(losses, tuple(sorted(set(bounds), reverse=True)), m, point.trials, point.rng)
    guarantee = Guarantee(epsilon, delta, 1.0 / (n * m))
    regulariser = phased_sco.corrected_regulariser(1.0, 1.0, n, m, d)
    phases = equal_batches.phased_sco(
        users, [Ball(np.zeros(d), RADIUS)], np.zeros(d), guarantee, regulariser, point.rng
    )
    theta = phases[-1].theta
    excess = slope * (theta[:, 0] + RADIUS) if kink is None else kink.value(theta)
    bound = noise * math.sqrt(d) + count / math.sqrt(n * m)
    return rates.columns(
        np.where(np.isnan(excess), 1.0, excess),
        0,
        logs=form / (math.sqrt(d) / (n * math.sqrt(m))),
        form=form,
        terms=proof_terms(n, m, d, epsilon, delta) / bound,
        phases=abs(len(phases) - count),
        budget=abs(phases[0].users - size),
    )


def judge(rows: Any, budget: Budget) -> Iterator[Evidence]:
    yield at_most(
        "terms of the analysis over K·T·√d/(n√m) + T/√(nm), largest", float(rows["terms"].max()), 8.0
    )
    yield equals("phases, and users of a phase, that are not ⌈log₂(nm)⌉ and ⌊n/T⌋",
                 float(rows["phases"].max() + rows["budget"].max()), 0.0)  # fmt: skip
    yield at_most(
        "√10·K·T·E‖z‖/(n√m) in the worst cell, a slope", math.sqrt(10.0) * float(rows["form"].max()), 0.8
    )
    claimed = {"n": -1.0, "m": -0.5, "d": 0.5, "epsilon": 0.0, "level": 0.0}
    yield from rates.judge_rates(rows, claimed, "K·T·RG·E‖z‖/(n√m)", budget, steepest=-2.0)


LEVELS: dict[str, tuple[float, ...]] = {
    "n": (1e7, 1e9, 1e11),
    "log10_m": (14.0, 17.0, 20.0),
    "d": (1, 10, 100),
    "epsilon": (0.05, 0.22, 1.0),
}
LOG_DELTA = (0.7, 7.0, 70.0)
"""ln(1/δ): δ = 0.5, 9·10⁻⁴, 4·10⁻³¹."""


def points(members: Sequence[str]) -> list[dict[str, Any]]:
    """27 cells on five axes: n, m, d have levels i, j, k, ε has i + j + k and ln(1/δ) i + 2j + k, mod 3."""
    cells = family.fraction(**LEVELS)
    for cell in cells:
        i, j, k = (LEVELS[axis].index(cell[axis]) for axis in ("n", "log10_m", "d"))
        cell["level"] = LOG_DELTA[(i + 2 * j + k) % 3]
    return [cell | {"member": member} for cell in cells for member in members]


CLAIM = Claim(
    PAPER,
    "Theorem 5.1",
    "section 5.1",
    kind=Kind.RATE,
    title="A private mechanism with the excess population risk √d/(n√m) + 1/√(nm)",
    statement=r"For $G$-Lipschitz convex losses and $n\ge\tilde O(\log(1/\delta)\log(m)/\varepsilon)$ there "
    r"is an $(\varepsilon,\delta)$-DP mechanism with excess population risk $\tilde O_\varepsilon(RG(\sqrt "
    r"d/(n\sqrt m)+1/\sqrt{nm}))$; measured: Phased-SCO on $\lceil\log_2(nm)\rceil$ equal batches.",
    uses={"theorem-3.1": "", "lemma-5.2": "", "theorem-4.1": "its analysis", "algorithm-4": "its privacy"},
    expected=CONSISTENT,
    summary="by equal batches in place of the halving ones of Algorithm 4, for every m",
    rests_on=("ghazi2023/lemma-5.2:on-the-batch", "ghazi2023/theorem-3.1"),
    measure=measure,
    judge=judge,
    fits_exponents=True,
    largest_resolution=0.5,
    plots=[rates.plot("Phased-SCO on equal batches", "K T RG E‖z‖/(n√m)", "excess population risk")],
    smoke=Tier(points(FEW), trials=120),
    ci=Tier(points([*MEMBERS]), trials=150),
)
