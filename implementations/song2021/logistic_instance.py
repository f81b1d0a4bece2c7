"""The logistic instance of Theorem D.4 of Song et al. 2021, closed forms for p = 1.

Two thirds of the records are (x, y) = (1/2, +1), one third are (1, −1). The risk is
L(θ) = (2·log(1 + e^{−θ/2}) + log(1 + e^θ))/3, even in θ, with minimiser 0 and L(0) = log 2. With clipping
norm B < 1/4 the surrogate's minimiser is 2·log(1/B − 1). All functions broadcast over θ.
"""

from __future__ import annotations

import math

import numpy as np

from implementations.checks import whole_number
from implementations.interfaces import Array, Problem
from implementations.losses import logistic


def problem(n: int) -> Problem:
    """The dataset of n records; where 3 does not divide n, the odd ones are (1/2, +1)."""
    whole_number(3, n=n)
    negative = np.arange(n) < n // 3
    features = np.where(negative, 1.0, 0.5)[:, None]
    targets = np.where(negative, -1.0, 1.0)
    return Problem(features, targets, logistic(), optimum=np.zeros(1) if n % 3 == 0 else None)


def _require(b: float) -> None:
    if not 0.0 < b < 0.25:
        raise ValueError(f"clipping norm must be in (0, 1/4), got {b}")


def risk(theta: Array) -> Array:
    """L(θ; D)."""
    return (2.0 * np.logaddexp(0.0, -0.5 * theta) + np.logaddexp(0.0, theta)) / 3.0


def clipped_optimum(b: float) -> float:
    """θ*_clipped = 2·log(1/B − 1), as printed."""
    _require(b)
    return 2.0 * math.log(1.0 / b - 1.0)


def lower_kink(b: float) -> float:
    """Where the gradient of the records (1, −1) reaches the clip: −log(1/B − 1)."""
    _require(b)
    return -math.log(1.0 / b - 1.0)


def upper_kink(b: float) -> float:
    """Where that of the records (1/2, +1) leaves it: θ₁ = 2·log(1/(2B) − 1)."""
    _require(b)
    return 2.0 * math.log(0.5 / b - 1.0)


def clipped_gradient(theta: Array, b: float) -> Array:
    """∇L_clipped(θ; D) by the three printed pieces."""
    middle = np.full(np.shape(theta), -b / 3.0)
    right = -1.0 / (3.0 * (1.0 + np.exp(0.5 * theta))) + b / 3.0
    left = -2.0 * b / 3.0 + 1.0 / (3.0 * (1.0 + np.exp(-theta)))
    return np.where(theta > upper_kink(b), right, np.where(theta < lower_kink(b), left, middle))


def clipped_risk(theta: Array, b: float) -> Array:
    """L_clipped(θ; D) by the printed pieces of the two clipped losses."""
    _require(b)
    positive = np.where(
        theta < upper_kink(b),
        -b * theta + 2.0 * b * math.log(0.5 / b - 1.0) + math.log(1.0 / (1.0 - 2.0 * b)),
        np.logaddexp(0.0, -0.5 * theta),
    )
    negative = np.where(
        theta <= lower_kink(b),
        np.logaddexp(0.0, theta),
        b * theta + b * math.log(1.0 / b - 1.0) + math.log(1.0 / (1.0 - b)),
    )
    return (2.0 * positive + negative) / 3.0
