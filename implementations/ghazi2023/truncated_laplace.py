"""The shifted truncated discrete Laplace distribution TDLap(ε, δ) (Definition 3.4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from implementations.checks import positive, probability
from implementations.interfaces import Array


def half_width(epsilon: float, delta: float) -> int:
    """κ(ε, δ) = 1 + ⌈ln(1/δ)/ε⌉: TDLap(ε, δ) lives on {0, …, 2κ}.

    The definition says δ > 0; δ ≥ 1 would give κ ≤ 1 and no use, so δ must be below 1.
    Raises ValueError for ε ≤ 0 or δ outside (0, 1).

    >>> half_width(1.0, 1e-6)
    15
    """
    positive(epsilon=epsilon)
    probability(delta=delta)
    return 1 + math.ceil(math.log(1.0 / delta) / epsilon)


def mass(epsilon: float, delta: float) -> Array:
    """P(R = x) ∝ exp(−ε·|x − κ|) for x = 0, …, 2κ: shape (2κ + 1,), sum 1.

    >>> mass(1.0, 0.5).round(3).tolist()
    [0.067, 0.183, 0.498, 0.183, 0.067]
    """
    kappa = half_width(epsilon, delta)
    weights = np.exp(-epsilon * np.abs(np.arange(2 * kappa + 1) - kappa))
    return weights / weights.sum()


def upper_tail(epsilon: float, delta: float) -> Array:
    """P(R ≥ s) for s = 0, …, 2κ + 1: shape (2κ + 2,); the last entry is 0."""
    return np.concatenate((np.cumsum(mass(epsilon, delta)[::-1])[::-1], [0.0]))


def draw(epsilon: float, delta: float, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`size` independent draws of TDLap(ε, δ), by inversion."""
    cumulative = np.cumsum(mass(epsilon, delta))
    u = rng.random(size)
    return np.minimum(np.searchsorted(cumulative, u, side="right"), cumulative.size - 1)
