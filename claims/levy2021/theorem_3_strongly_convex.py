r"""Theorem 3, strongly convex losses: excess empirical risk Õ(GR·e^{−μT/H} + G̃²d/(μn²mε²)), G̃ = σ√d.

For μ-strongly convex, H-smooth losses. The method (Proposition 4) is reconstructed: T/2 steps of size 1/H,
which reach GR·e^{−μT/H}, then decaying steps whose iterates are averaged, which bring the noise down to
ν²/(μT), where ν² = O(T·G̃²d/(n²mε²)) is the variance of one answer.

How it is checked. Algorithm 3 itself, with its printed constants, inside the hypotheses (ε ≤ 1, Tβ ≤ 0.001):
the noise of the answers, and the excess from the minimiser, must equal what the printed ν² gives, from both
sides. Over six decades of n and four of ε and μ its steps have the answers of A′ of Theorem 2, T = 2κ, κ =
H/μ: exponents in n, m, d, ε, μ, κ of the excess of a quadratic with the spectrum μ, the harder of two, must
not be worse than −2, −1, 2, −2, −1, 0 by more than 0.05 after division by the printed log factors. Where m is
so large that the noise vanishes, the excess must be below GR·e^{−μT/H}. From the minimiser the excess is
known for every T, and the exponent of T must not be above that of ν²/(μT).

What it does not see. The gradient noise of a user is the same at all θ, so that the uniformity in θ of
Proposition 1 is not put to the test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier, grid
from claims.levy2021 import PAPER
from claims.levy2021 import _first_order as shared
from claims.levy2021._strongly_convex import START, far_points, spectral, weights
from implementations.levy2021 import first_order


def measure(point: Point) -> dict[str, Any]:
    mu, condition, quiet = point.strong_convexity, point.condition, point.regime == "quiet"
    s = shared.setting(point, slope=condition * mu if quiet else 0.0)
    method = first_order.strongly_convex_sgd(lambda t: t, condition * mu, mu, s.steps)
    lowest, mixed = np.full(s.d, mu), mu * np.linspace(1.0, condition, s.d)
    start = 1.0 if quiet else 0.0
    losses = [spectral("spectrum μ", s, mu, condition, lowest, start, False)]
    if point.regime == "noise":
        losses.append(spectral("spectrum μ … H", s, mu, condition, mixed, start, False))
    bound = condition * mu * math.exp(-s.steps / condition) if quiet else s.rate**2 / mu
    return shared.columns(point, s, losses, method, s.logs, bound)


def over_bound(steps: int) -> float:
    """½μ·Σ_s w_s²·ν² over ν²/(μT), the largest over κ: from the minimiser an answer's noise adds w."""
    return max(0.5 * steps * float((weights(steps, 1.0, k, 1.0) ** 2).sum()) for k in (1.0, 2.0, 6.0))


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    noisy, quiet, far = (rows[rows["regime"] == name] for name in ("noise", "quiet", "far"))
    claimed = {"n": -2.0, "m": -1.0, "d": 2.0, "epsilon": -2.0, "strong_convexity": -1.0, "condition": 0.0}
    return [
        *shared.rate(far, claimed, budget.share(0.4)),
        shared.horizon(over_bound, 0.0, "exponent of T of the exact excess over ν²/(μT)"),
        *shared.noise_rate(rows[rows["regime"] != "quiet"], budget.share(0.2)),
        shared.below_bound(quiet, budget.share(0.1), "excess risk without noise over GR·exp(−μT/H)"),
        *shared.tie(rows, budget.share(0.3)),
        shared.hidden_constant(noisy, "largest excess risk over ν²/(μT)"),
    ]


BASE = START | {"condition": 2}
NOISE = shared.star(BASE, **shared.ARMS, strong_convexity=(0.1, 10.0), condition=(1, 4, 6))
FAR = far_points(BASE, 32, (16, 64, 128, 200))
QUIET = [
    c | {"regime": "quiet", "n": shared.users_for(1, 1.0, c["steps"], 1e7)}
    for c in grid(
        m=shared.QUIET, d=1, epsilon=1.0, steps=(8, 16, 24), strong_convexity=(0.1, 1.0), condition=(2, 4, 8)
    )
]

CLAIM = Claim(
    PAPER,
    "Theorem 3",
    "section 4",
    name="theorem-3-strongly-convex",
    kind=Kind.RATE,
    title="Private ERM, strongly convex losses",
    uses=("theorem-10", "proposition-1", "appendix-results"),
    statement=r"For $n=\tilde\Omega(\sqrt{dT}/\varepsilon)$ users with samples of one law (A2) and "
    r"$\mu$-strongly convex $H$-smooth losses, Algorithm 3 has with probability $1-\gamma$ over the samples "
    r"the excess empirical risk $\tilde O\big(GR\,e^{-\mu T/H}+\frac{\tilde G^2d}{\mu "
    r"n^2m\varepsilon^2}\big)$, $\tilde G=\sigma\sqrt d$.",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(shared.few(NOISE) + QUIET[:1], trials=900),
    ci=Tier(NOISE + QUIET + FAR, trials=400),
    full=Tier(NOISE + QUIET + FAR, trials=15000, chunk=400),
    measure=measure,
    judge=judge,
    plots=[shared.plot("Excess empirical risk, strongly convex losses", "ν²/(μT)", "excess risk")],
)
