"""Lipschitz extension (Lemma 3.2) and unconstrained reduction (Theorem 3.4) of Lee, Liu and Lu (2024).

A convex G-Lipschitz function f on a bounded convex set K becomes f̃(x) = min over y in K of f(y) + G‖x − y‖₂
on all of ℝᵈ. The reduction runs an unconstrained private algorithm on f̃ and projects its output onto K.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from implementations import checks
from implementations.interfaces import Array, Domain

_ANGLES = 64
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)


def on_cover(values: Array, cover: Array, lipschitz: float, x: Array) -> Array:
    """min over the points y of a finite cover of f(y) + G‖x − y‖₂, for each row of x.

    values (m,) of f at the cover (m, d); x (…, d). The true extension is below this by at most 2G times the
    largest distance of a point of K to the cover, and never above it.
    """
    checks.positive(lipschitz=lipschitz)
    distances = np.linalg.norm(x[..., None, :] - cover, axis=-1)
    return (values + lipschitz * distances).min(axis=-1)


def linear_on_ball(theta: Array, z: Array) -> Array:
    """Equation (9): min over ‖y‖₂ ≤ 1 of −⟨y, z⟩ + ‖θ − y‖₂, for θ (…, d) and ‖z‖₂ ≤ 1 (d,).

    Inside the ball the least y is θ itself. Outside, it lies on the unit circle in the plane of θ and z,
    between their directions; the best of 64 angles is refined by golden section to 1e-12.
    Raises ValueError for ‖z‖₂ > 1, where the loss would not be 1-Lipschitz.
    """
    t, record = checks.numbers("theta", theta), checks.numbers("z", z)
    size = float(np.linalg.norm(record))
    if size > 1.0 + 1e-12:
        raise ValueError(f"z must have norm at most 1, got {size}")
    norm = np.linalg.norm(t, axis=-1)
    if size == 0.0:
        return np.maximum(0.0, norm - 1.0)
    along = t @ (record / size)
    across = np.sqrt(np.maximum(norm**2 - along**2, 0.0))
    largest = np.arctan2(across, along)  # the angle between z and θ

    def value(angle: Array) -> Array:
        away = np.hypot(along[..., None] - np.cos(angle), across[..., None] - np.sin(angle))
        return away - size * np.cos(angle)

    grid = largest[..., None] * np.linspace(0.0, 1.0, _ANGLES)
    best = value(grid).argmin(axis=-1)
    low = np.take_along_axis(grid, np.maximum(best - 1, 0)[..., None], -1)
    high = np.take_along_axis(grid, np.minimum(best + 1, _ANGLES - 1)[..., None], -1)
    for _ in range(60):
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        lower = value(first) < value(second)
        low, high = np.where(lower, low, first), np.where(lower, second, high)
    outside = value(0.5 * (low + high))[..., 0]
    return np.where(norm <= 1.0, -(t @ record), outside)


def unconstrained_reduction(outputs: Array, domain: Domain) -> Array:
    """Section F.1: the outputs of an unconstrained algorithm, projected onto K. Privacy is kept."""
    return domain.project(checks.numbers("outputs", outputs))


def extended_risk(losses: list[Callable[[Array], Array]], theta: Array) -> Array:
    """L̃(θ; D) = (1/n)·Σ_i ℓ̃(θ; z_i), from the extended losses of the records."""
    if not losses:
        raise ValueError("losses must hold at least one function, got none")
    return np.asarray([loss(theta) for loss in losses]).mean(axis=0)
