r"""Theorem 5.3, the rates of Strongly-Convex-SCO where noise decides, and where sampling does.

Algorithm 6 as corrected: θ₀ with noise σ₀ = K₀G/(μn√m) and half of the budget, R′ = σ₀(√d + √(2 log(1/β))) +
30G√(log(2/β))/(μ√(nm)), then Phased-SCO as in theorem-5.1:last-phase on 𝒦′ = 𝒦 ∩ B(θ₀, R′) with the other
half, so its risk is that of Theorem 5.1 with R′ for R:

    O(R′G/√(nm)) + 4TK²·R′Gd/((√d + √n)n√m) + K·R′G·E‖z‖/((√d + √n)·2^T).

* Where m is large (`:last-phase`) the last term decides. R′ falls like 1/√m, and so does the risk, for every
  n, d and ε, where the statement says 1/m. The worst loss is known: a kink at its optimum p, (1/2)‖θ − p‖ +
  (μ/2)‖θ − p‖², of which every minimiser of the algorithm is p.
* Where n is large (`:many-users`) noise is below a tenth of 1/√(nm) of R′, and the risk is O(R′G/√(nm)) =
  Õ(G²/(μnm)), as stated.

The grids follow from the terms as in theorem-5.1:last-phase, at ε/2, δ/2 and β = 1/(2n²m). The terms of
`:last-phase` have R′ in common, so that K ≤ 1.5·10⁸ and N₀ ≤ 7,700 make the difference: n ≥ (8K·2N₀√d)^(2/3)
is 3·10⁹, hence 2³², and m ≥ (40TK√d/N₀)² is 2·10¹⁶, hence 10¹⁷. For `:many-users` the second term is below a
tenth of G²/(μnm), where R′ is 30√(log(2/β)) ≤ 330 of G/(μ√(nm)), for n ≥ 40TK²d·330, 2·10¹⁹ at d = 100, hence
2⁶⁵. Nobody has so many users. Half-widths are foreseen as there.

How it is checked. The program is run, with batches drawn from their exact law instead of users, at 27
points (n, m, d, ε) in which all pairs of levels meet. `:last-phase`: the exponents of the sup over the family
divided by all factors of the form but n^(−2)·m^(−1/2)·d^(1/2), and its slope against the form, both ways; the
mean of the kink's risk over the form is 1. `:many-users`: squared losses with the optimum at the centre,
inside and on the boundary of 𝒦, the last with slopes about G/√(nm) there; exponents of n, m and d, and the
slope against d/(n²m) + 1/(nm), must not be worse than the statement. Raw slopes are reported.
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
from claims.ghazi2023.theorem_5_1_rates import CONSTANT, EPSILONS, RISK, last_noise, steps
from implementations.ghazi2023 import strongly_convex_sco
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Kink
from implementations.ghazi2023.reading import Guarantee, Reading

MU = 0.1
NOISE = {"kink of slope 1/2": (0.5, 0.0), "kink of slope 0.05": (0.05, 0.0), "smooth": (0.0, 0.0)}
SAMPLING = {"optimum at the centre": (0.0, 0.0), "optimum inside": (0.0, 0.5)} | {
    f"optimum on the boundary, {slope:g}/√(nm)": (slope, 1.0) for slope in (0.5, 2.0, 8.0)
}
"""(slope, distance of the optimum from the centre of the unit ball): the slope of the kink, or that of the
loss at the boundary times √(nm)."""


def radius(n: int, m: float, d: int, epsilon: float, beta: float) -> float:
    """R′ of line 4 as corrected, G = 1."""
    sigma = printed_sigma(epsilon / 2.0, rates.DELTA / 2.0, beta, 1.0, MU, n, m)
    noise = sigma * (math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / beta)))
    return noise + 30.0 * math.sqrt(math.log(2.0 / beta)) / (MU * math.sqrt(n * m))


def last_term(n: int, m: float, d: int, epsilon: float) -> float:
    """G·E‖z‖·σ_T of line 7 by the printed formulas."""
    beta = 1.0 / (2.0 * float(n) ** 2 * m)
    reach = radius(n, m, d, epsilon, beta)
    return last_noise(n, m, d, epsilon / 2.0, rates.DELTA / 2.0, beta, reach)


def run(
    point: Point, optimum: np.ndarray, gradient: float, kink: Kink | None, deviation: float
) -> tuple[np.ndarray, np.ndarray]:
    """(excess population risk of Algorithm 6 as corrected, whether there is an answer).

    The population loss has this gradient along −optimum at the optimum, beside the kink.
    """
    n, m, d = 2**point.log2_n, 10.0**point.log10_m, point.d
    ball = [Ball(np.zeros(d), 1.0)]
    slope = -(MU + gradient) * optimum
    phases = steps(n, point.epsilon / 2.0, rates.DELTA / 2.0)
    users = population(Losses(slope, MU, kink, deviation), halves(n, phases), m, point.trials, point.rng)
    theta = strongly_convex_sco.strongly_convex_sco(
        users, ball, Guarantee(point.epsilon, rates.DELTA, 1.0 / (2.0 * float(n) ** 2 * m)), CONSTANT,
        point.rng, reading=Reading(variant="corrected"),
    ).theta  # fmt: skip
    shift = theta - optimum
    excess = 0.5 * MU * (shift**2).sum(axis=1) - gradient * (shift @ optimum)
    return excess + (0.0 if kink is None else kink.value(theta)), np.asarray(np.isfinite(theta).all(axis=1))


def measure_noise(point: Point) -> dict[str, Any]:
    n, m, d = 2**point.log2_n, 10.0**point.log10_m, point.d
    slope, _ = NOISE[point.member]
    kink = Kink(slope, np.zeros(d)) if slope else None
    excess, answered = run(point, np.zeros(d), 0.0, kink, 0.0)
    # The worst loss has slope 1/2 at its optimum: G is 1 on the unit ball.
    form = 0.5 * last_term(n, m, d, point.epsilon)
    logs = form / (math.sqrt(d / m) * float(n) ** -2.0)
    risk = np.where(answered, excess, 1.0)
    share = 2.0 * form / radius(n, m, d, point.epsilon, 1.0 / (2.0 * float(n) ** 2 * m))
    return rates.columns(risk, point.trials, n=float(n), m=m, logs=logs, form=form, share=share)


def measure_sampling(point: Point) -> dict[str, Any]:
    n, m, d = 2**point.log2_n, 10.0**point.log10_m, point.d
    slope, distance = SAMPLING[point.member]
    unit = 1.0 / math.sqrt(n * m)
    excess, answered = run(point, rates.along(distance, d), slope * unit, None, 0.5)
    form = (d / float(n) ** 2 / m + 1.0 / (n * m)) / MU
    noise = last_term(n, m, d, point.epsilon) / form
    return rates.columns(
        np.where(answered, excess, 1.0), point.trials, n=float(n), m=m, logs=1.0, form=form, noise=noise
    )


def judge_noise(rows: Any, budget: Budget) -> Iterator[Evidence]:
    known = rows[rows["member"] == "kink of slope 1/2"]
    words = "risk of (1/2)‖θ − p‖ + (μ/2)‖θ − p‖² over (G/2)·E‖z‖·σ_T"
    yield mean_equals(words, (known["risk"] / known["form"]).to_numpy(), 1.0, alpha=budget.share(0.25))
    yield at_most("G·E‖z‖·σ_T over R′G, largest", float(rows["share"].max()), 0.125)
    claimed = {"n": -2.0, "m": -0.5, "d": 0.5, "epsilon": 0.0}
    yield from rates.judge_law(rows, claimed, "(G/2)·E‖z‖·σ_T", budget)


def judge_sampling(rows: Any, budget: Budget) -> Iterator[Evidence]:
    yield at_most("G·E‖z‖·σ_T over G²/(μnm), largest", float(rows["noise"].max()), 0.1)
    claimed = {"n": -1.0, "m": -1.0, "d": 1.0}
    yield from rates.judge_rates(rows, claimed, "(G²/μ)(d/(n²m) + 1/(nm))", budget)


LARGE_M = {"log2_n": (32, 37, 42), "log10_m": (17.0, 20.0, 23.0), "d": (1, 10, 100), "epsilon": EPSILONS}
MANY_USERS = {"log2_n": (65, 70, 75), "log10_m": (0.0, 3.0, 6.0), "d": (1, 10, 100), "epsilon": (1.0,) * 3}
LAST_PHASE = Claim(
    PAPER,
    "Theorem 5.3",
    "section 5.2, Algorithm 6",
    variant="last-phase",
    kind=Kind.RATE,
    title="Excess population risk of Strongly-Convex-SCO where the last noise decides",
    statement=r"For $m$ large against $n$ and with $\lambda=\frac G{R'}(\sqrt d/(n\sqrt m)+1/\sqrt{nm})$ a "
    r"strongly convex loss with a kink of slope $1/2$ has excess population risk $\frac12\mathbb "
    r"E\|z\|\,\sigma_T=\frac12K\,R'G\,\mathbb E\|z\|/((\sqrt d+\sqrt n)2^T)$: exponent $-1/2$ in $m$, "
    r"not $-1$.",
    expected=CONSISTENT,
    summary="the risk falls like R′, hence like 1/√m, at every n, d and ε",
    measure=measure_noise,
    judge=judge_noise,
    fits_exponents=True,
    largest_resolution=0.5,
    plots=[
        rates.plot("Strongly-Convex-SCO, large m: the risk is that of the last noise", "(G/2)·E‖z‖·σ_T", RISK)
    ],
    smoke=Tier(rates.balanced(list(NOISE), **LARGE_M), trials=400),
    ci=Tier(rates.balanced(list(NOISE), **LARGE_M), trials=500),
)
MANY = LAST_PHASE.reading(
    "many-users",
    title="Excess population risk of Strongly-Convex-SCO where sampling decides",
    statement=r"For $n$ so large that noise is below a tenth of $G^2/(\mu nm)$ and "
    r"$\lambda=\frac G{R'}(\sqrt d/(n\sqrt m)+1/\sqrt{nm})$ the excess population risk is "
    r"$O(\frac{G^2}\mu(\frac d{n^2m}+\frac1{nm}))$.",
    summary="as printed, from 10¹⁹ users on",
    measure=measure_sampling,
    judge=judge_sampling,
    plots=[
        rates.plot(
            "Strongly-Convex-SCO, many users: the risk falls as claimed", "(G²/μ)(d/(n²m) + 1/(nm))", RISK
        )
    ],
    smoke=Tier(rates.balanced(list(SAMPLING)[2:4], **MANY_USERS), trials=100),
    ci=Tier(rates.balanced(list(SAMPLING), **MANY_USERS), trials=250),
)
CLAIM = LAST_PHASE
CLAIMS = [MANY]
