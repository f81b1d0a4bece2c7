"""Noise of private algorithms: Gaussian, Gamma-norm spherical, and how much of it privacy asks for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from implementations.interfaces import Array


def spherical_gamma(
    shape: tuple[int, ...],
    dimension: int,
    scale: float | Array,
    rng: np.random.Generator,
    *,
    coordinates: int | None = None,
) -> Array:
    """Draws with density ∝ exp(−‖z‖₂/scale) on ℝᵈ: uniform direction, norm ~ Gamma(d, scale).

    With sensitivity s in Euclidean norm, adding one draw is (s/scale)-differentially private
    (Chaudhuri et al. 2011; appendix E of song2021).

    shape        of the batch of draws; the result has shape (*shape, coordinates).
    coordinates  keep only the first `coordinates` ≤ d of each draw, exactly in law and without drawing the
                 others: their sum of squares is chi-squared with d − coordinates degrees of freedom. By
                 rotational invariance this is the projection onto any subspace of that dimension.
    Raises ValueError for a dimension < 1, coordinates outside 1..d, or a scale that is not positive.
    """
    kept = dimension if coordinates is None else coordinates
    if dimension < 1 or not 1 <= kept <= dimension:
        raise ValueError(f"need 1 ≤ coordinates ≤ dimension, got {coordinates} and {dimension}")
    if not (np.isfinite(scale).all() and np.all(np.asarray(scale) > 0.0)):
        raise ValueError(f"scale must be positive and finite, got {scale}")
    direction = rng.standard_normal((*shape, kept))
    squares = np.einsum("...i,...i->...", direction, direction)
    if kept < dimension:
        squares = squares + rng.chisquare(dimension - kept, size=shape)
    norms = scale * rng.standard_gamma(dimension, size=shape)
    return direction * (norms / np.sqrt(squares))[..., None]


def gaussian_log_delta(epsilon: float, mu: float) -> float:
    """log of the least δ at which N(0, 1) and N(μ, 1) are (ε, δ)-indistinguishable, μ > 0.

    δ(ε) = Φ(−ε/μ + μ/2) − eᵉ·Φ(−ε/μ − μ/2) (Balle and Wang 2018, Theorem 8), in the log domain.
    """
    from scipy.special import log_ndtr

    first = float(log_ndtr(-epsilon / mu + mu / 2.0))
    second = epsilon + float(log_ndtr(-epsilon / mu - mu / 2.0))
    return first + math.log(-math.expm1(min(second - first, -1e-300)))


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The largest μ for which N(0, 1) against N(μ, 1) is (ε, δ)-indistinguishable.

    T Gaussian releases of sensitivity s with standard deviation σ, adaptively composed, are exactly as
    private as one with μ = s·√T/σ (Dong, Roth and Su 2022, Corollary 3.3), so σ = s·√T/μ is the least noise.
    Raises ValueError unless ε ≥ 0 is finite and 0 < δ < 1.
    """
    from scipy.optimize import brentq

    require_privacy(epsilon, delta)
    target = math.log(delta)
    low, high = math.log(1e-9), math.log(2.0 * math.sqrt(2.0 * epsilon + 2.0 * 40.0) + 100.0)
    root: Any = brentq(lambda x: gaussian_log_delta(epsilon, math.exp(x)) - target, low, high, xtol=1e-14)
    return math.exp(root)


def require_privacy(epsilon: float, delta: float) -> None:
    """Raise ValueError unless ε ≥ 0 is finite and 0 < δ < 1."""
    if not (math.isfinite(epsilon) and epsilon >= 0.0):
        raise ValueError(f"epsilon must be finite and ≥ 0, got {epsilon}")
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must be in (0, 1), got {delta}")
