"""Linear losses that an algorithm cannot tell apart: what noise of T answers costs in excess risk.

The losses are ⟨z, θ⟩ on a cube of side R/√d, all items are one vector z with entries ±s, so that every user
has the same gradient, nobody is removed, and all that the algorithm sees are T Gaussian answers around z.
"""

from __future__ import annotations

import math

import numpy as np

from implementations.asi2024.dp_sgd import Parameters, dp_sgd
from implementations.asi2024.outlier_removal import Plan, look
from implementations.interfaces import Array

BEST = 0.7517915241
"""The x that maximises x·Φ(−x)."""


def two_point_bound(d: int, steps: int, noise: float) -> float:
    """Least excess risk, in units of R, that any function of T answers has on the worst sign pattern
    (Assouad).

    Turning one sign moves all answers by 2s; with s = xσ/√T the total variation is 2Φ(x) − 1, and a
    coordinate of side
    R/√d is then wrong by s·(R/√d)·Φ(−x) on average over its sign.
    """
    from scipy.special import ndtr

    return math.sqrt(d) * noise / math.sqrt(steps) * BEST * float(ndtr(-BEST))


def excess_risks(
    plan: Plan, d: int, steps: int, spread: float, scale: float, trials: int, rng: np.random.Generator
) -> Array:
    """Excess risks (trials,) of Algorithm 2 at R = 1 on z = s·(1, …, 1), s = scale·spread.

    spread  σ/√T as the printed formulas give it: the loss and the step size η = 1/(σ√(dT)) are made from
    it, and not
            from the noise that the plan under test has.
    The cube is symmetric and so is the algorithm: all sign patterns are equally hard.
    """
    side = 1.0 / math.sqrt(d)
    signal = scale * spread
    query = look(np.full((1, d), signal), plan.tau, [plan.n])
    eta = 1.0 / (spread * math.sqrt(d) * steps)
    setting = Parameters(steps=steps, step_size=eta, radius=1.0, tau=plan.tau)
    out = dp_sgd(
        lambda theta: query,
        np.zeros((trials, d)),
        plan,
        setting,
        lambda theta: np.clip(theta, -0.5 * side, 0.5 * side),
        rng,
        average="after",
    )
    return signal * (out.theta + 0.5 * side).sum(axis=1)
