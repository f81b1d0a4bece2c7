"""Shared by whatever runs the strongly convex method: its steps and weights, and quadratics with spectrum in
[μ, H].

The method is the one of `first_order.strongly_convex_sgd`: step 1/H in the first half, then 2/(μ(s + 2κ)) in
step s of the second, whose iterates are averaged with weights s + 2κ, κ = H/μ. Its steps and weights are
repeated here, because what a run is held against must not come from the code under test.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from claims.levy2021 import _first_order as shared

START = {"regime": "noise", "m": 100, "d": 1, "epsilon": 1.0, "steps": 2, "strong_convexity": 1.0}


def far_points(base: dict[str, Any], condition: int, others: tuple[int, ...]) -> list[dict[str, Any]]:
    """Where a slower rate shows: one axis at a time from T = 2κ, d = 16, and the longest runs."""
    long = base | {"regime": "far", "d": 16, "condition": condition, "steps": 2 * condition}
    return [
        *shared.star(long, **{**shared.FAR, "d": (1, 4, 64)}, strong_convexity=(0.01, 0.1, 10.0, 100.0)),
        *shared.enough_users([long | {"condition": k, "steps": 2 * k} for k in others]),
        *shared.star(base | {"regime": "long"}, (), steps=shared.LONG),
    ]


def schedule(steps: int, smoothness: float, mu: float) -> tuple[list[float], np.ndarray]:
    """The T step sizes, and the weights of the iterates after the first ⌊T/2⌋."""
    half, shift = steps // 2, 2.0 * smoothness / mu
    average = np.arange(steps - half) + shift
    return [1.0 / smoothness] * half + [2.0 / (mu * s) for s in average], average / average.sum()


def weights(steps: int, mu: float, condition: float, curvature: float) -> np.ndarray:
    """(1, T): what the noise of each answer adds to a coordinate of θ̂, negated."""
    sizes, average = schedule(steps, condition * mu, mu)
    return (average @ shared.noise_weights(sizes, curvature)[steps // 2 + 1 :])[None, :]


def spectral(
    name: str,
    s: shared.Setting,
    mu: float,
    condition: float,
    spectrum: np.ndarray,
    start: float,
    distance: bool,
) -> shared.Loss:
    """½Σ λ_j θ_j² from this distance of the minimiser; its risk is the excess, or the squared distance."""
    factor = np.ones(s.d) if distance else 0.5 * spectrum
    known = start == 0.0 and np.ptp(spectrum) == 0.0
    return shared.Loss(
        name, lambda t: spectrum * t, lambda t: t**2 @ factor, shared.diagonal(start, s.d),
        weights(s.steps, mu, condition, float(spectrum[0])) if known else None,
    )  # fmt: skip
