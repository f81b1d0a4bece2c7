"""Randomised smoothing (Lemma 2.5 of asi2024): a convex loss averaged over a Euclidean ball of radius r.

A loss φ(⟨u, θ⟩) with ‖u‖ = 1 is smoothed in closed form: the coordinate B of a uniform point of the unit ball
has density V·(1 − t²)^{(d−1)/2} with V = Γ(d/2 + 1)/(√π·Γ((d + 1)/2)), the ratio of the volumes of the unit
balls of dimension d − 1 and d.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from implementations.checks import positive
from implementations.interfaces import Array


def sample_ball(shape: tuple[int, ...], d: int, radius: float, rng: np.random.Generator) -> Array:
    """Uniform draws from the ball of `radius` in ℝᵈ, shape (*shape, d)."""
    positive(d=d, radius=radius)
    direction = rng.standard_normal((*shape, d))
    norm = np.sqrt(np.einsum("...i,...i->...", direction, direction))
    length = radius * rng.random(shape) ** (1.0 / d)
    return direction * (length / norm)[..., None]


def volume_ratio(d: int) -> float:
    """V_{d−1}/V_d, the density at 0 of one coordinate of a uniform point of the unit ball."""
    positive(d=d)
    return math.exp(math.lgamma(d / 2.0 + 1.0) - math.lgamma((d + 1.0) / 2.0)) / math.sqrt(math.pi)


def coordinate_cdf(t: ArrayLike, d: int) -> Array:
    """P(B ≤ t) for one coordinate B of a uniform point of the unit ball: (B + 1)/2 ~ Beta((d+1)/2,
    (d+1)/2)."""
    from scipy.special import betainc

    positive(d=d)
    half = 0.5 * (np.clip(np.asarray(t, dtype=float), -1.0, 1.0) + 1.0)
    return np.asarray(betainc(0.5 * (d + 1), 0.5 * (d + 1), half))


def smoothed_absolute(z: ArrayLike, radius: float, d: int) -> Array:
    """E|z + rB|, the smoothing of |⟨u, θ⟩| at ⟨u, θ⟩ = z. Its value at 0 is 2·V·r/(d + 1)."""
    positive(radius=radius, d=d)
    x = np.asarray(z, dtype=float)
    t = np.clip(x / radius, -1.0, 1.0)
    bump = 2.0 * radius * volume_ratio(d) / (d + 1) * (1.0 - t**2) ** (0.5 * (d + 1))
    return x * smoothed_absolute_slope(x, radius, d) + bump


def smoothed_absolute_slope(z: ArrayLike, radius: float, d: int) -> Array:
    """Derivative in z of `smoothed_absolute`: 2·P(B ≤ z/r) − 1."""
    positive(radius=radius)
    return 2.0 * coordinate_cdf(np.asarray(z, dtype=float) / radius, d) - 1.0


def smoothed_absolute_curvature(z: ArrayLike, radius: float, d: int) -> Array:
    """Second derivative in z of `smoothed_absolute`: 2·density of B at z/r, over r."""
    positive(radius=radius, d=d)
    t = np.asarray(z, dtype=float) / radius
    inside = np.maximum(1.0 - t**2, 0.0) ** (0.5 * (d - 1)) * (np.abs(t) <= 1.0)
    return 2.0 * volume_ratio(d) / radius * inside


def smoothness(lipschitz: float, radius: float, d: int) -> float:
    """The least smoothness constant of all smoothed convex G-Lipschitz losses: 2·G·V_{d−1}/(V_d·r).

    Upper bound: ∇ℓ̂(x) − ∇ℓ̂(y) is ∇ℓ integrated against the difference of two uniform densities on balls,
    whose
    L1 norm is at most 2·V_{d−1}/(V_d·r)·‖x − y‖. The loss G·|⟨u, θ⟩| attains it at 0. Lemma 2.5 has G√d/r.
    """
    positive(lipschitz=lipschitz, radius=radius)
    return 2.0 * lipschitz * volume_ratio(d) / radius
