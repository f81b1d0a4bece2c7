"""Noise of private algorithms: spherical, with a Gamma-distributed norm."""

from __future__ import annotations

import numpy as np

from implementations.checks import numbers, whole_number
from implementations.interfaces import Array


def spherical_gamma(
    shape: tuple[int, ...],
    dimension: int,
    scale: float | Array,
    rng: np.random.Generator,
    *,
    coordinates: int | None = None,
) -> Array:
    """Draws with density ∝ exp(−‖z‖₂/scale) on ℝᵈ: uniform direction, norm ~ Gamma(d, scale).

    With sensitivity s in Euclidean norm, adding one draw is (s/scale)-differentially private
    (Chaudhuri et al. 2011; appendix E of song2021).

    shape        of the batch of draws; the result has shape (*shape, coordinates).
    coordinates  keep only the first `coordinates` ≤ d of each draw, exactly in law and without drawing the
                 others: their sum of squares is chi-squared with d − coordinates degrees of freedom. By
                 rotational invariance this is the projection onto any subspace of that dimension.
    Raises ValueError for a dimension < 1, coordinates outside 1..d, or a scale that is not positive.
    """
    kept = dimension if coordinates is None else coordinates
    whole_number(dimension=dimension, coordinates=kept)
    if kept > dimension:
        raise ValueError(f"coordinates must be ≤ dimension = {dimension}, got {coordinates}")
    if not (numbers("scale", scale) > 0.0).all():
        raise ValueError(f"scale must be > 0, got {scale}")
    direction = rng.standard_normal((*shape, kept))
    squares = np.einsum("...i,...i->...", direction, direction)
    if kept < dimension:
        squares = squares + rng.chisquare(dimension - kept, size=shape)
    norms = scale * rng.standard_gamma(dimension, size=shape)
    return direction * (norms / np.sqrt(squares))[..., None]
