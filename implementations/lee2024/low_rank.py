"""Algorithm 1 for losses that see a subspace only (Assumption 1.3 of Lee, Liu and Lu 2024).

With an orthonormal basis V (d, k) of the subspace, L(θ; D) = L(VVᵀθ; D), and the density
exp(−η(L + (μ/2)‖θ‖²)) is a product: the coordinates Vᵀθ follow the mechanism in ℝᵏ, and the orthogonal
complement is exactly N(0, 1/(ημ)), whatever the data are.
"""

from __future__ import annotations

import math

import numpy as np

from implementations import checks
from implementations.interfaces import Array


def embed(coordinates: Array, basis: Array, rng: np.random.Generator, *, strength: float) -> Array:
    """Complete draws in the subspace to draws in ℝᵈ.

    coordinates  (size, k), draws with density ∝ exp(−ηL(V·x) − (strength/2)‖x‖²).
    basis        V (d, k) with orthonormal columns.
    strength     ημ.
    Returns (size, d). Raises ValueError for a basis that is not orthonormal within 1e-9, or shapes that
    do not fit.
    """
    checks.positive(strength=strength)
    v, x = checks.numbers("basis", basis), checks.numbers("coordinates", coordinates)
    if v.ndim != 2 or x.ndim != 2 or x.shape[1] != v.shape[1]:
        raise ValueError(f"coordinates (size, k) and basis (d, k) do not fit: {x.shape} and {v.shape}")
    if not np.allclose(v.T @ v, np.eye(v.shape[1]), atol=1e-9):
        raise ValueError("basis must have orthonormal columns; take the Q of a QR decomposition")
    noise = rng.standard_normal((x.shape[0], v.shape[0])) / math.sqrt(strength)
    # Line 2 of Algorithm 1: Gaussian noise outside the subspace, the given coordinates inside it.
    return noise + (x - noise @ v) @ v.T
