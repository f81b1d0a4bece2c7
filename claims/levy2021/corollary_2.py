r"""Corollary 2: E‖θ̂ − θ*_S‖² = Õ(σ²d²/(μ²n²mε²)) for μ-strongly convex losses after T = Õ(H/μ) steps.

Read with n = Ω̃(√(dH/μ)/ε): the text prints no 1/ε, but Theorem 3, of which this is a corollary, has it (n =
Ω̃(√(dT)/ε) with T = H/μ), and without it few users fail as in Theorem 4. And T =
(H/μ)·log(n²m(G/G̃²)μRε²/d). The logarithm holds what the noise leaves of the distance R of the start; here R
is that distance and G = HR the slope there, so that the printed T follows from R, and R from T.

How it is checked. Algorithm 3 itself, with its printed constants and the printed T, inside the hypotheses (ε
≤ 1, Tβ ≤ 0.001): the noise of the answers, and the squared distance from the minimiser, must equal what the
printed ν² gives, from both sides. Over six decades of n and four of ε and μ its steps have the answers of A′
of Theorem 2, T = 2κ, κ = H/μ: exponents in n, m, d, ε, μ, κ of the mean squared distance, from the minimiser
and from distance R, must not be worse than −2, −1, 2, −2, −2, 0 by more than 0.05 after division by the
printed log factors. From the minimiser the distance is known for every T, and the exponent of T must not be
above that of ν²/(μ²T)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier
from claims.levy2021 import PAPER
from claims.levy2021 import _first_order as shared
from claims.levy2021._strongly_convex import START, far_points, spectral, weights
from implementations.levy2021 import first_order


def start_of(s: shared.Setting, mu: float, condition: float) -> float:
    """R at which the printed T is s.steps: e^{T/κ} = n²m(G/G̃²)μRε²/d with G = κμR and G̃² = σ²d."""
    return (
        s.sigma
        * s.d
        * math.exp(s.steps / (2.0 * condition))
        / (mu * s.n * s.epsilon * math.sqrt(s.m * condition))
    )


def measure(point: Point) -> dict[str, Any]:
    mu, condition = point.strong_convexity, point.condition
    s = shared.setting(point)
    method = first_order.strongly_convex_sgd(lambda t: t, condition * mu, mu, s.steps)
    spectrum = np.full(s.d, mu)
    starts = {"from the minimiser": 0.0, "from distance R": start_of(s, mu, condition)}
    losses = [spectral(name, s, mu, condition, spectrum, start, True) for name, start in starts.items()]
    return shared.columns(point, s, losses, method, s.logs, s.rate**2 / mu**2)


def over_bound(steps: int) -> float:
    """Σ_s w_s²·ν²/μ² over ν²/(μ²T), the largest over κ: from the minimiser an answer's noise adds w."""
    return max(steps * float((weights(steps, 1.0, k, 1.0) ** 2).sum()) for k in (1.0, 2.0, 4.0))


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    noisy, far = rows[rows["regime"] == "noise"], rows[rows["regime"] == "far"]
    claimed = {"n": -2.0, "m": -1.0, "d": 2.0, "epsilon": -2.0, "strong_convexity": -2.0, "condition": 0.0}
    return [
        *shared.rate(far, claimed, budget.share(0.5)),
        *shared.without_a_logarithm(far, claimed),
        shared.horizon(over_bound, 0.0, "exponent of T of the exact squared distance over ν²/(μ²T)"),
        *shared.noise_rate(rows, budget.share(0.2)),
        *shared.tie(rows, budget.share(0.3)),
        shared.hidden_constant(noisy, "largest squared distance over ν²/(μ²T)"),
    ]


BASE = START | {"condition": 1}
ARMS = {**shared.ARMS, "steps": (3, 4), "strong_convexity": (0.1, 10.0)}
NOISE = shared.star(BASE, **ARMS)
NOISE += shared.enough_users([BASE | {"condition": k, "steps": 2 * k} for k in (2, 3, 4)])
FAR = far_points(BASE, 16, (8, 32, 64, 128))

CLAIM = Claim(
    PAPER,
    "Corollary 2",
    "section 4",
    kind=Kind.RATE,
    title="Localisation of the minimiser",
    uses=("theorem-3-strongly-convex",),
    statement=r"For $n=\tilde\Omega(\sqrt{dH/\mu}/\varepsilon)$ and $\mu$-strongly convex losses, Algorithm "
    r"3 with $T=\tilde O(H/\mu)$ steps has "
    r"$\mathbb E\|\hat\theta-\theta^*_S\|^2=\tilde O\big(\frac{\sigma^2d^2}{\mu^2n^2m\varepsilon^2}\big)$.",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(shared.few(NOISE), trials=1000),
    ci=Tier(NOISE + FAR, trials=400),
    full=Tier(NOISE + FAR, trials=15000, chunk=400),
    measure=measure,
    judge=judge,
    plots=[shared.plot("Squared distance to the minimiser", "ν²/(μ²T)", "squared distance")],
)
