"""Instances behind the lower bounds: all-zero or all-one users (appendix B), linear losses (Theorem 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from implementations.checks import positive
from implementations.interfaces import Array


def zero_one_users(n: int, ones: int) -> Array:
    """User means (n,) when m → ∞ and P is one of two point masses: n − ones users at 0, `ones` users at 1.

    >>> zero_one_users(3, 1)
    array([0., 0., 1.])
    """
    if not 0 <= ones <= n:
        raise ValueError(f"ones must be between 0 and n = {n}, got {ones}")
    return np.repeat([0.0, 1.0], [n - ones, ones])


@dataclass(frozen=True, slots=True)
class LinearLoss:
    """ℓ(θ; z) = −⟨θ, z⟩ on the ball of radius R: population risk −⟨θ, μ⟩ with minimiser Rμ/‖μ‖ (section 5.2).

    H = 0, and ∇ℓ = −z is σ²-sub-Gaussian where z is.
    """

    radius: float
    mean: tuple[float, ...]

    def __post_init__(self) -> None:
        positive(radius=self.radius)

    @property
    def minimiser(self) -> Array:
        mu = np.array(self.mean)
        return self.radius * mu / np.linalg.norm(mu)

    def excess(self, theta: Array) -> Array:
        """Excess population risk R‖μ‖ − ⟨θ, μ⟩ of each θ (…, d) → (…)."""
        mu = np.array(self.mean)
        return self.radius * math.sqrt(float(mu @ mu)) - np.asarray(theta) @ mu
