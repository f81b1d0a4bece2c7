"""Exact sampler of Algorithm 1 for sums over coordinates of convex piecewise-linear functions.

A convex piecewise-linear function of a number is t·x + Σ_m w_m·|x − a_m| up to a constant, with w_m ≥ 0. Its
density ∝ exp(−t·x − Σ_m w_m·|x − a_m| − (λ/2)x²) is Gaussian between neighbouring knots, with variance 1/λ
and mean −s/λ where s is the slope there. So a draw picks an interval by its mass, and inverts the Gaussian
distribution function inside the interval; everything is kept in logarithms, for the masses underflow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from implementations import checks
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Potential:
    """Σ_j (tilt_j·x_j + Σ_m weights_jm·|x_j − knots_jm|) on ℝᵈ.

    knots    (d, K), increasing along each row.
    weights  (d, K), not negative.
    tilt     (d,).
    """

    knots: Array
    weights: Array
    tilt: Array

    def __call__(self, points: Array) -> Array:
        """The value at each point, (…, d) → (…)."""
        distances = np.abs(points[..., None] - self.knots)
        return (self.tilt * points + (self.weights * distances).sum(axis=-1)).sum(axis=-1)


def potential(knots: Array, weights: Array, tilt: Array | None = None) -> Potential:
    """Check and sort the pieces of a `Potential`; knots and weights (d, K), tilt (d,) or None for zero.

    Raises ValueError for shapes that differ, entries that are not finite, or a negative weight.
    """
    a, w = checks.numbers("knots", knots), checks.numbers("weights", weights)
    if a.ndim != 2 or a.shape != w.shape or a.shape[1] < 1:
        raise ValueError(f"knots and weights must have one shape (d, K), got {a.shape} and {w.shape}")
    if (w < 0.0).any():
        raise ValueError(f"weights must not be negative, got {w.min()}: the function is not convex")
    t = np.zeros(a.shape[0]) if tilt is None else checks.numbers("tilt", tilt)
    if t.shape != a.shape[:1]:
        raise ValueError(f"tilt must have shape {a.shape[:1]}, got {t.shape}")
    order = np.argsort(a, axis=1)
    return Potential(np.take_along_axis(a, order, 1), np.take_along_axis(w, order, 1), t)


def sample(law: Potential, size: int, rng: np.random.Generator, *, strength: float) -> Array:
    """Draw `size` points with density ∝ exp(−law(x) − (strength/2)‖x‖²), shape (size, d).

    For Algorithm 1 the law is η·L(·; D) and the strength is ημ. Raises ValueError for a strength ≤ 0.
    """
    from scipy.special import log_ndtr, ndtri_exp

    checks.positive(strength=strength)
    checks.whole_number(size=size)
    d, pieces = law.knots.shape[0], law.knots.shape[1] + 1
    low, high, flipped, log_mass = _intervals(law, strength)
    # Line 2 of Algorithm 1: the interval first, by its share of the mass …
    share = np.exp(log_mass - np.logaddexp.reduce(log_mass, axis=1)[:, None])
    reached = np.cumsum(share, axis=1)
    reached /= reached[:, -1:]
    u = rng.random((size, d))
    index = np.zeros((size, d), dtype=np.intp)
    for piece in range(pieces - 1):
        index += u > reached[:, piece]
    index += np.arange(d) * pieces
    # … then the place inside it: Φ is uniform between Φ(low) = Φ(high)·(1 − rise) and Φ(high).
    right = log_ndtr(high)
    rise = -np.expm1(log_ndtr(low) - right)
    z = ndtri_exp(right.ravel()[index] + np.log1p(-rise.ravel()[index] * rng.random((size, d))))
    z = np.where(flipped.ravel()[index], -z, z)
    slopes = _slopes(law).ravel()[index]
    return z / math.sqrt(strength) - slopes / strength


def _slopes(law: Potential) -> Array:
    """Slope of the potential on each of the K + 1 intervals, (d, K + 1)."""
    total = law.weights.sum(axis=1, keepdims=True)
    passed = np.concatenate([np.zeros_like(total), np.cumsum(law.weights, axis=1)], axis=1)
    return law.tilt[:, None] + 2.0 * passed - total


def _intervals(law: Potential, strength: float) -> tuple[Array, Array, NDArray[np.bool_], Array]:
    """Ends of each interval in standard units, whether it was mirrored, and the log of its mass."""
    from scipy.special import log_ndtr

    slopes, root = _slopes(law), math.sqrt(strength)
    moments = law.weights * law.knots
    total = moments.sum(axis=1, keepdims=True)
    passed = np.concatenate([np.zeros_like(total), np.cumsum(moments, axis=1)], axis=1)
    intercept = total - 2.0 * passed  # the potential is slope·x + intercept on the interval
    infinite = np.full((law.knots.shape[0], 1), np.inf)
    low = root * (np.concatenate([-infinite, law.knots], axis=1) + slopes / strength)
    high = root * (np.concatenate([law.knots, infinite], axis=1) + slopes / strength)
    # An interval in the upper half is mirrored: Φ has its digits in the lower half.
    flipped = low > 0.0
    low, high = np.where(flipped, -high, low), np.where(flipped, -low, high)
    upper, lower = log_ndtr(high), log_ndtr(low)
    with np.errstate(divide="ignore"):
        log_gap = np.where(high > low, upper + _log1mexp(np.minimum(lower - upper, 0.0)), -np.inf)
    return low, high, flipped, log_gap - intercept + slopes**2 / (2.0 * strength)


def _log1mexp(x: Array) -> Array:
    """log(1 − eˣ) for x ≤ 0, without cancellation at either end."""
    with np.errstate(divide="ignore"):
        return np.where(x > -math.log(2.0), np.log(-np.expm1(x)), np.log1p(-np.exp(x)))
