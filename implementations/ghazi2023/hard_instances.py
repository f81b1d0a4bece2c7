"""Instances of Theorems D.7 and D.8, the admitted δ of appendix D, and a mechanism that spends all of δ."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from implementations.checks import positive, probability, whole_number
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Instance:
    """Proof of Theorem D.7: ℓ = (μ/2)‖θ − x‖² on the ball of radius G/μ, data in the ball of radius B = G/μ.

    σ = B/(1000√d), ψ = 1, α = dσ/(100·ε·n·√m).
    """

    lipschitz: float
    strong_convexity: float
    n: int
    m: int
    d: int
    epsilon: float

    def __post_init__(self) -> None:
        positive(lipschitz=self.lipschitz, strong_convexity=self.strong_convexity, epsilon=self.epsilon)
        whole_number(n=self.n, m=self.m, d=self.d)

    @property
    def radius(self) -> float:
        return self.lipschitz / self.strong_convexity

    @property
    def sigma(self) -> float:
        return self.radius / (1000.0 * math.sqrt(self.d))

    @property
    def alpha(self) -> float:
        return self.d * self.sigma / (100.0 * self.epsilon * self.n * math.sqrt(self.m))

    @property
    def steepest(self) -> float:
        """The largest gradient norm μ‖θ − x‖: 2G, for θ and x at opposite ends, not the G claimed."""
        return self.strong_convexity * 2.0 * self.radius


def log_admitted_delta(psi: float, n: float, d: float) -> float:
    """log of the largest δ of Theorem D.4, √d/(100ψn·√log(100ψn/√d)); infinite where the inner log is ≤ 0."""
    positive(psi=psi, n=n, d=d)
    ratio = 100.0 * psi * n / math.sqrt(d)
    if ratio <= 1.0:
        return math.inf
    return -math.log(ratio) - 0.5 * math.log(math.log(ratio))


def admitted_delta(psi: float, n: float, d: float) -> float:
    """The largest δ that Theorem D.4 admits, cut at 1/2 (the text assumes δ ≤ 1/2)."""
    return min(0.5, math.exp(min(0.0, log_admitted_delta(psi, n, d))))


def corrected_delta(psi: float, n: float, d: float) -> float:
    """The largest δ ≤ 1/2 with δ·(√d + √(2·ln(1/δ)) + 1) ≤ √d/(34ψn): what the fingerprinting proof can pay.

    The left side increases in δ on (0, 1/2], so it is found by bisection and rounded down.
    """
    positive(psi=psi, n=n, d=d)
    budget = math.sqrt(d) / (34.0 * psi * n)

    def cost(delta: float) -> float:
        return delta * (math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / delta)) + 1.0)

    low, high = 0.0, 0.5
    if cost(high) <= budget:
        return high
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle > 0.0 and cost(middle) <= budget:
            low = middle
        else:
            high = middle
    return low


def shown_users(n: int, delta: float) -> int:
    """The number of users k = ⌊δn⌋ that `name_and_shame` may show."""
    whole_number(n=n)
    probability(delta=delta)
    return math.floor(delta * n * (1.0 + 1e-12))


def name_and_shame(user_means: Array, delta: float, size: int, rng: np.random.Generator) -> Array:
    """The mean of k = ⌊δn⌋ users chosen at random, without noise: (n, d) → (size, d); (0, δ)-DP.

    Two datasets that differ in one user give the same output unless that user is among the k, an event of
    probability k/n ≤ δ that does not depend on the data. Raises ValueError where δn < 1.
    """
    n = user_means.shape[0]
    k = shown_users(n, delta)
    if k < 1:
        raise ValueError(f"delta must be at least 1/n = {1 / n:g}, so that a user is shown, got {delta}")
    chosen = np.argpartition(rng.random((size, n)), k - 1, axis=1)[:, :k]
    return user_means[chosen].mean(axis=1)


def name_and_shame_error(n: int, m: float, d: int, sigma: float, delta: float) -> float:
    """E‖mean of the shown users − χ‖² = dσ²/(k·m) where users hold m samples of N(χ, σ²I)."""
    k = shown_users(n, delta)
    if k < 1:
        raise ValueError(f"delta must be at least 1/n = {1 / n:g}, so that a user is shown, got {delta}")
    return d * sigma**2 / (k * m)
