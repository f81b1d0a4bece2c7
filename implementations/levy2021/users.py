"""Problem generator: user means of m samples each, with heterogeneity Δ (Assumptions A1 and A2).

All algorithms of section 3, and those of section 4 on losses that are linear in z, see a user only through
the mean of the m samples. Where the law of that mean is known it is drawn directly, so m costs nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from implementations.checks import numbers, positive, unit_interval, whole_number
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class SignPopulation:
    """Z = radius/√d · (s₁, …, s_d) with independent signs, P(s_j = 1) = up[j]: ‖Z‖₂ = radius always.

    radius  B of Corollary 1;  up (d,) probabilities.
    heterogeneity  Δ of Assumption A1: each user's law is (1 − Δ)P₀ + Δ·(a point mass), at total variation
                   at most Δ from P₀. The point mass of user u sits at (−1)^u times the corner
                   radius/√d·(1, …, 1): opposite outliers for even and odd users, or at the same corner for
                   all (`aligned`).
    """

    radius: float
    up: tuple[float, ...]
    heterogeneity: float = 0.0
    aligned: bool = True

    def __post_init__(self) -> None:
        positive(radius=self.radius)
        if numbers("up", self.up, low=0.0, high=1.0).size == 0:
            raise ValueError("up must hold at least one probability, got ()")
        unit_interval(heterogeneity=self.heterogeneity)

    @property
    def dimension(self) -> int:
        return len(self.up)

    @property
    def mean(self) -> Array:
        """E Z under P₀, (d,)."""
        return self.radius / math.sqrt(self.dimension) * (2.0 * np.array(self.up) - 1.0)

    @property
    def variance(self) -> float:
        """Var(P₀) = E‖Z − EZ‖²."""
        return self.radius**2 - float(self.mean @ self.mean)

    def user_means(self, n: int, m: int, trials: int, rng: np.random.Generator) -> Array:
        """Means of m samples of n users, exact in law: (trials, n, d)."""
        whole_number(n=n, m=m, trials=trials)
        shape = (trials, n, self.dimension)
        step = self.radius / math.sqrt(self.dimension)
        up = np.array(self.up)
        if self.heterogeneity == 0.0:
            return step * (2.0 * rng.binomial(m, up, size=shape) / m - 1.0)
        # Each sample comes from the point mass with probability Δ; only their number matters.
        moved = rng.binomial(m, self.heterogeneity, size=(trials, n, 1))
        regular = 2.0 * rng.binomial(m - moved, up, size=shape) - (m - moved)
        side = np.ones(n) if self.aligned else np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        return step * (regular + moved * side[:, None]) / m


@dataclass(frozen=True, slots=True)
class GaussianPopulation:
    """Z ~ N(mean, sd² I_d): mean (d,), sd the sub-Gaussian parameter σ."""

    mean: tuple[float, ...]
    sd: float

    def __post_init__(self) -> None:
        positive(sd=self.sd)

    def user_means(self, n: int, m: int, trials: int, rng: np.random.Generator) -> Array:
        """Means of m samples of n users, exact in law: (trials, n, d)."""
        whole_number(n=n, m=m, trials=trials)
        mean = np.array(self.mean)
        return mean + self.sd / math.sqrt(m) * rng.standard_normal((trials, n, mean.size))


def bounded_radius(n: int, m: int, bound: float, gamma: float) -> float:
    """τ with which the means of m vectors of ‖Z‖₂ ≤ bound are (τ, γ)-concentrated: 2·bound·√(2 log(2n/γ)/m).

    Pinelis (1994): P(‖ΣYᵢ‖ ≥ t) ≤ 2 exp(−t²/(2mc²)) for independent centred ‖Yᵢ‖ ≤ c = 2·bound; a union
    over users. Never more than 2·bound.
    """
    whole_number(n=n, m=m)
    positive(bound=bound, gamma=gamma)
    return min(2.0 * bound, 2.0 * bound * math.sqrt(2.0 * math.log(2.0 * n / gamma) / m))


def gaussian_radius(n: int, d: int, m: int, sd: float, gamma: float) -> float:
    """τ with which n means of m vectors N(μ, sd² I_d) are (τ, γ)-concentrated: sd(√d + √(2 log(n/γ)))/√m.

    The norm is a 1-Lipschitz function of a Gaussian vector (Boucheron, Lugosi, Massart 2013, Theorem 5.6).
    """
    whole_number(n=n, d=d, m=m)
    positive(sd=sd, gamma=gamma)
    return sd * (math.sqrt(d) + math.sqrt(2.0 * math.log(n / gamma))) / math.sqrt(m)
