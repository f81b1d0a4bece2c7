"""Theorem 3 (i): for convex losses Algorithm 3 has excess empirical risk Õ(HR²/T + R G̃√d/(n√m ε)), G̃ = σ√d.

The displayed bound is damaged in the text at hand; its second term is Rν/√T with the printed ν² = O(T
G̃²d/(n²mε²)), the first is that of projected SGD for H-smooth losses (Levy et al. 2021, Theorem 3 (i);
Proposition 4 reconstructed). ε ≤ 1.

Checked on samples, with the printed constants: exponents in n, m, d, ε of the worst excess over a family of
losses, divided by the exact log factors, must not be worse than −1, −½, 1, −1 (H is chosen so that both
terms are equal, the hardest point). The family: linear losses of four slopes around ν/√T, quadratics of
four curvatures, log-cosh. Rates use the oracle A′ of Theorem 2; the full algorithm (tuned constants,
because the printed ones need too many users) is run against the oracle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point
from claims.levy2021 import PAPER
from claims.levy2021 import _first_order as shared
from implementations.levy2021 import first_order

if TYPE_CHECKING:
    from implementations.interfaces import Array

RADIUS = 0.5  # of the ball; diameter R = 1


def _linear(slope: float, d: int, name: str) -> shared.Smooth:
    direction = np.ones(d) / math.sqrt(d)
    g = slope * direction
    return shared.Smooth(
        name,
        lambda theta: np.broadcast_to(g, theta.shape),
        lambda theta: theta @ g + slope * RADIUS,
        RADIUS * direction,
    )


def _quadratic(curvature: float, d: int, name: str) -> shared.Smooth:
    optimum = -RADIUS * np.ones(d) / math.sqrt(d)
    return shared.Smooth(
        name,
        lambda theta: curvature * (theta - optimum),
        lambda theta: 0.5 * curvature * ((theta - optimum) ** 2).sum(axis=-1),
        -optimum,
    )


def _log_cosh(curvature: float, d: int, name: str) -> shared.Smooth:
    width = RADIUS / (4.0 * math.sqrt(d))

    def risk(theta: Array) -> Array:
        x = np.abs(theta) / width
        return curvature * width**2 * (x + np.log1p(np.exp(-2.0 * x)) - math.log(2.0)).sum(axis=-1)

    return shared.Smooth(
        name,
        lambda theta: curvature * width * np.tanh(theta / width),
        risk,
        RADIUS * np.ones(d) / math.sqrt(d),
    )


def family(rate: float, smoothness: float, d: int) -> list[shared.Smooth]:
    """Losses whose excess is of the order of R·rate, rate = ν/√T."""
    losses = [_linear(c * rate, d, f"linear, slope {c} ν/√T") for c in (0.5, 1.0, 2.0, 5.0)]
    losses += [_quadratic(c * smoothness, d, f"quadratic, curvature {c} H") for c in (0.05, 0.2, 0.5, 1.0)]
    return [*losses, _log_cosh(smoothness, d, "log-cosh")]


def measure(point: Point) -> dict[str, Any]:
    full = point.mode == "full"
    steps = 4 if full else 16
    s = shared.setting(
        point.n,
        point.m,
        point.d,
        point.epsilon,
        steps,
        "tuned" if full else "paper",
    )
    rate = math.sqrt(s.variance / steps)
    smoothness = rate * steps / (2.0 * RADIUS)
    method = first_order.averaged_sgd(
        shared.ball(RADIUS), smoothness, 2.0 * RADIUS, math.sqrt(s.variance), steps
    )
    losses = family(rate, smoothness, s.d)
    scale = math.sqrt(s.logs)
    if not full:
        risks = [shared.run_oracle(s, loss, method, point.trials, point.rng) for loss in losses]
        return shared.columns(risks, [f.name for f in losses], 0, scale, rate)
    losses = [losses[1]]
    names = [f.name for f in losses]
    real = [shared.run_full(s, loss, method, shared.full_trials(point.trials), point.rng) for loss in losses]
    twin = [shared.run_oracle(s, loss, method, 8 * point.trials, point.rng) for loss in losses]
    return shared.stack(
        shared.columns(real, names, 1, scale, rate), shared.columns(twin, names, 2, scale, rate)
    )


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    claimed = {"n": -1.0, "m": -0.5, "d": 1.0, "epsilon": -1.0}
    return [
        *shared.rate_evidence(rows, claimed, budget.share(0.8), 0.1),
        *shared.agreement(rows, budget.share(0.2)),
        *shared.constant(rows, "R G̃√d/(n√m ε)", 1.0),
    ]


CLAIM = Claim(
    PAPER,
    "Theorem 3",
    "section 4",
    name="theorem-3-convex",
    kind=Kind.RATE,
    title="Private ERM, convex losses",
    statement=r"For convex $H$-smooth losses with $\sigma^2$-sub-Gaussian gradients and $\tilde "
    r"G=\sigma\sqrt d$, "
    r"Algorithm 3 has excess empirical risk $\tilde O\big(\frac{HR^2}T+\frac{R\tilde G\sqrt "
    r"d}{n\sqrt m\,\varepsilon}\big)$.",
    expected=CONSISTENT,
    fits_exponents=True,
    **shared.tiers(),
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="loglog",
            title="Excess empirical risk, convex losses",
            x="form",
            y="risk",
            x_label="claimed bound with its log factors",
            y_label="excess risk",
            series="name",
            log_x=True,
            log_y=True,
            select={"full": 0},
        )
    ],
)
