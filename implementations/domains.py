"""Closed convex sets with their Euclidean projections."""

from __future__ import annotations

import math

import numpy as np

from implementations.checks import numbers, positive
from implementations.interfaces import Array, Domain


def unconstrained() -> Domain:
    """All of ℝᵖ."""
    return Domain(name="unconstrained", project=lambda points: points, diameter=math.inf)


def ball(radius: float, center: Array | None = None) -> Domain:
    """The Euclidean ball of `radius` about `center` (p,), the origin by default.

    >>> ball(1.0).project(np.array([[0.0, 4.0]])).tolist()
    [[0.0, 1.0]]
    """
    positive(radius=radius)

    def project(points: Array) -> Array:
        offset = points if center is None else points - center
        norms = np.linalg.norm(offset, axis=-1, keepdims=True)
        inside = offset * np.minimum(1.0, radius / np.maximum(norms, radius))
        return inside if center is None else inside + center

    return Domain(name=f"ball({radius:g})", project=project, diameter=2.0 * radius)


def box(low: Array, high: Array) -> Domain:
    """The box {θ : low ≤ θ ≤ high}, both bounds of shape (p,)."""
    low, high = numbers("low", low), numbers("high", high)
    if low.ndim != 1 or low.shape != high.shape:
        raise ValueError(f"low and high must have the same shape (p,), got {low.shape} and {high.shape}")
    if not (low <= high).all():
        raise ValueError(f"low must not exceed high, got {low} and {high}")
    return Domain(
        name=f"box({low.size})",
        project=lambda points: np.clip(points, low, high),
        diameter=float(np.linalg.norm(high - low)),
    )
