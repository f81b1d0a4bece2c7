"""Shared by Theorem 3, strongly convex, and Corollary 2: quadratics with spectrum in [μ, H] from given starts.

The method is the one of `first_order.strongly_convex_sgd`: step 1/H in the first half, then 2/(μ(s + 2κ)) in step
s of the second, whose iterates are averaged with weights s + 2κ, κ = H/μ. Its steps and weights are repeated here,
because the expected risk that a run is held against must not come from the code under test.
"""

from __future__ import annotations

import numpy as np

from claims.levy2021 import _first_order as shared


def weights(steps: int, mu: float, condition: float, curvature: float) -> np.ndarray:
    """(1, T): what the noise of each answer adds to a coordinate of θ̂, negated."""
    half, shift = steps // 2, 2.0 * condition
    sizes = [1.0 / (condition * mu)] * half
    sizes += [2.0 / (mu * (t + shift)) for t in range(steps - half)]
    average = np.arange(steps - half) + shift
    return (average / average.sum() @ shared.noise_weights(sizes, curvature)[half + 1 :])[None, :]


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
