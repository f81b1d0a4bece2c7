r"""Theorem 3, convex losses: the excess empirical risk of Algorithm 3 is Õ(HR²/T + R·G̃√d/(n√m·ε)), G̃ = σ√d.

The displayed bound is damaged in the text at hand. Its second term is Rν/√T with the printed variance
ν² = O(T·G̃²d/(n²mε²)) of one answer, the first is that of projected SGD for H-smooth losses; Proposition 4 is
reconstructed as averaged projected SGD with the step 1/(H + ν√T/(R√2)), whose excess risk is at most
HR²/T + Rν√(2/T) (Bubeck 2014, Theorem 6.3).

The hardest point has both terms equal, H = ν√(T/2)/R; there the risk of linear losses with slopes near ν/√T is
of the order of the bound. Where m is so large that the noise vanishes, the first term is left alone, and
quadratics whose curvature is H/T attain it up to a constant.

How it is checked. Algorithm 3 itself, with its printed constants, inside the hypotheses (ε ≤ 1, Tβ ≤ 0.001):
exponents in n, m, d, ε, T of the worse of two losses must not be worse than −1, −½, 1, −1, 0 after division by
the printed log factors; without noise the exponents of H and T must not be worse than 1 and −1; in every cell the
mean risk must be below HR²/T + Rν√(2/T). The noise of the answers, and the risk of a quadratic that starts at its
minimiser, must equal what the printed ν² gives, from both sides.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.levy2021 import PAPER
from claims.levy2021 import _first_order as shared
from implementations.levy2021 import first_order

RADIUS = 0.5  # of the ball Θ; its diameter R is 1


def ball(theta: Any) -> Any:
    """Projection onto Θ."""
    norm = np.linalg.norm(theta, axis=-1, keepdims=True)
    return theta * np.minimum(1.0, RADIUS / np.maximum(norm, 1e-300))


def linear(slope: float, d: int, name: str) -> shared.Loss:
    """⟨g, θ⟩ with ‖g‖ = slope, from the worst point of the ball."""
    g = shared.diagonal(slope, d)
    start = shared.diagonal(RADIUS, d)
    return shared.Loss(name, lambda t: np.broadcast_to(g, t.shape), lambda t: t @ g + slope * RADIUS, start)


def opposite(curvature: float, d: int, name: str) -> shared.Loss:
    """½·curvature·‖θ − θ*‖² with θ* on the boundary, from the opposite point."""
    optimum = -shared.diagonal(RADIUS, d)
    return shared.Loss(
        name,
        lambda t: curvature * (t - optimum),
        lambda t: 0.5 * curvature * ((t - optimum) ** 2).sum(axis=-1),
        -optimum,
    )


def from_minimiser(s: shared.Setting, curvature: float) -> shared.Loss:
    """½·curvature·‖θ‖² from its minimiser, nothing projected; curvature = H. The output averages θ_1, …, θ_T."""
    size = 1.0 / (curvature + math.sqrt(s.variance * s.steps / 2.0) / (2.0 * RADIUS))
    weights = shared.noise_weights([size] * s.steps, curvature)[1:].mean(axis=0)
    return shared.Loss(
        "quadratic from its minimiser", lambda t: curvature * t, lambda t: 0.5 * curvature * (t**2).sum(axis=-1),
        np.zeros(s.d), weights[None, :],
    )  # fmt: skip


def measure(point: Point) -> dict[str, Any]:
    s = shared.setting(point, slope=point.smoothness if point.regime == "quiet" else 0.0)
    diameter, noise = 2.0 * RADIUS, math.sqrt(s.variance)
    smoothness = point.smoothness if point.regime == "quiet" else noise * math.sqrt(s.steps / 2.0) / diameter
    bound = smoothness * diameter**2 / s.steps + diameter * noise * math.sqrt(2.0 / s.steps)
    project = (lambda t: t) if point.regime == "tie" else ball
    method = first_order.averaged_sgd(project, smoothness, diameter, noise, s.steps)
    if point.regime == "quiet":
        losses = [opposite(smoothness / s.steps, s.d, "quadratic, curvature H/T")]
    elif point.regime == "tie":
        losses = [from_minimiser(s, smoothness)]
    else:
        losses = [linear(c * s.rate, s.d, f"linear, slope {c} ν/√T") for c in (1, 3)]
    return shared.columns(
        point, s, losses, method, 1.0 if point.regime == "quiet" else math.sqrt(s.logs), bound
    )


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    noisy, quiet = rows[rows["regime"] == "noise"], rows[rows["regime"] == "quiet"]
    claimed = {"n": -1.0, "m": -0.5, "d": 1.0, "epsilon": -1.0}
    return [
        *shared.rate(noisy, claimed, budget.share(0.4), axes=("n", "m", "d", "epsilon", "steps")),
        *shared.rate(
            quiet, {"smoothness": 1.0, "steps": -1.0}, budget.share(0.1), measured="risk without noise"
        ),
        *shared.noise_rate(noisy, budget.share(0.2)),
        shared.below_bound(rows, budget.share(0.1), "excess risk over HR²/T + Rν√(2/T)"),
        *shared.tie(rows, budget.share(0.2)),
        shared.hidden_constant(noisy, "largest excess risk over HR²/T + Rν√(2/T)"),
    ]


BASE = {"regime": "noise", "m": 100, "d": 1, "epsilon": 1.0, "steps": 2}
NOISE = shared.star(BASE, **shared.ARMS)
TIES = shared.star(BASE | {"regime": "tie"}, (), d=(4,), steps=(3,))
QUIET = [
    c | {"regime": "quiet", "n": shared.users_for(1, 1.0, c["steps"], 1e7)}
    for c in grid(m=shared.QUIET, d=1, epsilon=1.0, steps=(8, 16, 32, 64), smoothness=(0.1, 1.0, 10.0))
]

CLAIM = Claim(
    PAPER,
    "Theorem 3",
    "section 4",
    name="theorem-3-convex",
    kind=Kind.RATE,
    title="Private ERM, convex losses",
    statement=r"For convex $H$-smooth losses with $\sigma^2$-sub-Gaussian gradients and $\tilde G=\sigma\sqrt d$, "
    r"Algorithm 3 has excess empirical risk "
    r"$\tilde O\big(\frac{HR^2}T+\frac{R\tilde G\sqrt d}{n\sqrt m\,\varepsilon}\big)$.",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(NOISE + TIES + QUIET, trials=60),
    ci=Tier(NOISE + TIES + QUIET, trials=360),
    full=Tier(NOISE + TIES + QUIET, trials=20000, chunk=400),
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="loglog",
            title="Excess empirical risk, convex losses",
            x="form",
            y="risk",
            x_label="HR²/T + Rν√(2/T)",
            y_label="excess risk",
            series="loss",
            log_x=True,
            log_y=True,
            select={"regime": "noise"},
        )
    ],
)
