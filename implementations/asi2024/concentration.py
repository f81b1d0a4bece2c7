"""Concentration of the users' values (section 3 of asi2024): the score (2), the counts and who is kept.

A pair at distance exactly τ counts. The score and the counts include the user herself, as printed: the sums
run over all Z ∈ D. Users with one and the same value may be given as one row with a weight.

Pairwise distances cost n². Where all values lie within half the radius of their mean, every pair is within
the radius by the triangle inequality, so the counts are n without a look at the pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from implementations.checks import numbers, positive
from implementations.interfaces import Array

_PAIRS = 4_000_000


def neighbour_counts(values: Array, radius: float, weights: ArrayLike | None = None) -> Array:
    """Number of users within `radius` of each user, herself included: values (…, n, d) → (…, n).

    weights (n,) says how many users each row stands for; None means one each.
    """
    x = numbers("values", values)
    if x.ndim < 2 or x.shape[-2] == 0:
        raise ValueError(f"values must have shape (…, n, d) with n ≥ 1, got {x.shape}")
    positive(radius=radius)
    w = _weights(weights, x.shape[-2])
    if x.shape[-2] == 1:  # all users have one value
        return np.broadcast_to(w, x.shape[:-1]).copy()
    flat = x.reshape(-1, *x.shape[-2:])
    counts = np.full(flat.shape[:2], w.sum())
    centre = flat.mean(axis=1, keepdims=True)
    spread = np.sqrt(((flat - centre) ** 2).sum(axis=-1).max(axis=1))
    # The shrunk half leaves room for the rounding of the mean.
    unsure = np.flatnonzero(~(spread <= 0.5 * radius * (1.0 - 1e-12)))
    block = max(1, _PAIRS // flat.shape[1] ** 2)
    for first in range(0, unsure.size, block):
        some = unsure[first : first + block]
        counts[some] = _close(flat[some], radius) @ w
    return counts.reshape(x.shape[:-1])


def concentration_score(values: Array, tau: float, weights: ArrayLike | None = None) -> Array:
    """s(D, τ) = (1/n)·Σ_Z Σ_Z′ 1(‖q(Z) − q(Z′)‖ ≤ τ), equation (2): values (…, n, d) → (…).

    It is the average number of users near a user, between 1 and n.

    >>> float(concentration_score(np.zeros((4, 2)), 1.0))
    4.0
    """
    w = _weights(weights, np.shape(values)[-2])
    return neighbour_counts(values, tau, weights) @ w / w.sum()


def selection_probabilities(counts: ArrayLike, n: int) -> Array:
    """p of lines 9 and 10 of Algorithm 1: 0 below n/2 users nearby, 1 from 2n/3 on, linear between them.

    >>> selection_probabilities([5, 6, 7], 12).tolist()
    [0.0, 0.0, 0.5]
    """
    positive(n=n)
    # (f − n/2)/(n/6) = (6f − 3n)/n, whose numerator is a whole number, so that f = 2n/3 gives exactly 1
    return np.clip((6.0 * np.asarray(counts, dtype=float) - 3.0 * n) / n, 0.0, 1.0)


def _weights(weights: ArrayLike | None, rows: int) -> Array:
    if weights is None:
        return np.ones(rows)
    w = np.asarray(weights, dtype=float)
    if w.shape != (rows,) or (w < 0).any() or (w != np.round(w)).any() or w.sum() < 1:
        raise ValueError(f"weights must be {rows} numbers of users with a sum ≥ 1, got {weights!r}")
    return w


def _close(values: Array, radius: float) -> Array:
    """1 where two rows are within `radius`: (b, n, d) → (b, n, n), one coordinate at a time to save
    memory."""
    squares = np.zeros((values.shape[0], values.shape[1], values.shape[1]))
    for column in np.moveaxis(values, -1, 0):
        squares += (column[:, :, None] - column[:, None, :]) ** 2
    return (squares <= radius**2).astype(float)
