"""Link losses φ(z; y) of generalised linear models, each with one subgradient in z.

Every loss here has |slope| ≤ 1 unless its name says otherwise, so that records with ‖x‖ ≤ 1 have gradients
of Euclidean norm at most 1.
"""

from __future__ import annotations

import math

import numpy as np

from implementations.checks import positive, share
from implementations.interfaces import Array, Loss


def absolute() -> Loss:
    """φ(z; y) = |z − y|, with subgradient 0 at the kink (the loss of Theorem 3.3 of song2021).

    >>> float(absolute().value(np.array(3.0), np.array(1.0)))
    2.0
    """
    return Loss(
        name="absolute",
        value=lambda z, y: np.abs(z - y),
        slope=lambda z, y: np.sign(z - y),
        lipschitz=1.0,
        smoothness=math.inf,
        convex=True,
    )


def pinball(shallow: float) -> Loss:
    """φ(z; y) = y − z below the target, shallow·(z − y) above it; 0 < shallow ≤ 1.

    The empirical risk of absolute losses has this shape where the targets disagree: a share (1 − shallow)/2
    of them far above pulls all of the slopes down. Gradient descent that comes from the shallow side of its
    optimum is about as slow as a convex Lipschitz loss permits.
    """
    share(shallow=shallow)

    def slope(z: Array, y: Array) -> Array:
        side = np.sign(z - y)
        return np.where(side > 0.0, shallow, side)

    return Loss(
        name=f"pinball({shallow:g})",
        value=lambda z, y: np.maximum(y - z, shallow * (z - y)),
        slope=slope,
        lipschitz=1.0,
        smoothness=math.inf,
        convex=True,
    )


def hinge(margin: float = 1.0) -> Loss:
    """φ(z; y) = max(0, margin − y·z) for labels y ∈ {−1, +1}: linear up to the margin, flat beyond it."""
    positive(margin=margin)
    return Loss(
        name=f"hinge({margin:g})",
        value=lambda z, y: np.maximum(0.0, margin - y * z),
        slope=lambda z, y: np.where(y * z < margin, -y, 0.0),
        lipschitz=1.0,
        smoothness=math.inf,
        convex=True,
    )


def logistic() -> Loss:
    """φ(z; y) = log(1 + exp(−y·z)) for labels y ∈ {−1, +1}."""
    return Loss(
        name="logistic",
        value=lambda z, y: np.logaddexp(0.0, -y * z),
        slope=_logistic_slope,
        lipschitz=1.0,
        smoothness=0.25,
        convex=True,
    )


def _logistic_slope(z: Array, y: Array) -> Array:
    # −y·σ(−y·z); tanh never overflows.
    return -0.5 * y * (1.0 - np.tanh(0.5 * y * z))


def huber(width: float) -> Loss:
    """(z − y)²/(2·width) within `width` of the target, linear with slope ±1 beyond it."""
    positive(width=width)

    def value(z: Array, y: Array) -> Array:
        distance = np.abs(z - y)
        return np.where(distance <= width, distance**2 / (2.0 * width), distance - width / 2.0)

    return Loss(
        name=f"huber({width:g})",
        value=value,
        slope=lambda z, y: np.clip((z - y) / width, -1.0, 1.0),
        lipschitz=1.0,
        smoothness=1.0 / width,
        convex=True,
    )


def pseudo_huber(width: float) -> Loss:
    """φ(z; y) = √((z − y)² + width²) − width: smooth, with slope ±1 far from the target."""
    positive(width=width)
    return Loss(
        name=f"pseudo-huber({width:g})",
        value=lambda z, y: np.hypot(z - y, width) - width,
        slope=lambda z, y: (z - y) / np.hypot(z - y, width),
        lipschitz=1.0,
        smoothness=1.0 / width,
        convex=True,
    )


def linear() -> Loss:
    """φ(z; y) = y·z for |y| ≤ 1: no minimum, and every gradient known in advance."""
    return Loss(
        name="linear",
        value=lambda z, y: y * z,
        slope=lambda z, y: np.broadcast_to(y, np.broadcast_shapes(np.shape(z), np.shape(y))) + 0.0,
        lipschitz=1.0,
        smoothness=0.0,
        convex=True,
    )
