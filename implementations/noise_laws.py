"""The few distributions and the quadrature that the exact laws of the controls are made of."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.interfaces import Array

# Tails beyond this many scales hold less than e^-60 ≈ 1e-26 and are left out of the integrals.
_REACH = 60.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def laplace_density(x: ArrayLike, scale: float) -> Array:
    """Density of Lap(scale) at x."""
    return np.exp(-np.abs(np.asarray(x, float)) / scale) / (2.0 * scale)


def laplace_cdf(x: ArrayLike, scale: float) -> Array:
    """P(Lap(scale) ≤ x), to full relative precision in the lower tail; ``laplace_cdf(-x)`` is P(> x)."""
    x = np.asarray(x, float)
    tail = 0.5 * np.exp(-np.abs(x) / scale)
    return np.where(x < 0.0, tail, 1.0 - tail)


def laplace_between(low: ArrayLike, high: ArrayLike, scale: float) -> Array:
    """P(low < Lap(scale) ≤ high) for low ≤ high, from the tail that loses no digits."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    upper = laplace_cdf(-low, scale) - laplace_cdf(-high, scale)
    lower = laplace_cdf(high, scale) - laplace_cdf(low, scale)
    return np.where(low > 0.0, upper, lower)


def exponential_density(x: ArrayLike, scale: float) -> Array:
    """Density of Exp(scale), mean `scale`, at x."""
    x = np.asarray(x, float)
    return np.where(x < 0.0, 0.0, np.exp(-np.maximum(x, 0.0) / scale) / scale)


def exponential_cdf(x: ArrayLike, scale: float) -> Array:
    """P(Exp(scale) ≤ x)."""
    return -np.expm1(-np.maximum(np.asarray(x, float), 0.0) / scale)


def quadrature(kinks: Iterable[float], panel: float, decay: float) -> tuple[Array, Array]:
    """Nodes and weights over the real line for an integrand that is smooth between `kinks`.

    Composite Gauss–Legendre with 16 nodes on panels no wider than `panel`, the kinks on panel edges, cut
    60·decay beyond the outermost kink, where the integrand has fallen by e^(−|x|/decay). For the products of
    exponentials of slope at most ten per panel that the controls integrate the relative error is below 1e-12.
    """
    inner = np.unique(np.asarray(list(kinks), float))
    ends = np.concatenate([[inner[0] - _REACH * decay], inner, [inner[-1] + _REACH * decay]])
    edges = np.unique(
        np.concatenate([np.linspace(a, b, int(np.ceil((b - a) / panel)) + 1) for a, b in pairwise(ends)])
    )
    half, middle = np.diff(edges) / 2.0, (edges[1:] + edges[:-1]) / 2.0
    nodes = middle[:, None] + half[:, None] * _NODES
    return nodes.ravel(), (half[:, None] * _WEIGHTS).ravel()


def real_cells(outputs: NDArray[np.generic], edges: Array) -> NDArray[np.intp]:
    """The cell of each real number: 0 below ``edges[0]``, j in [edges[j−1], edges[j]), k beyond the last."""
    return np.searchsorted(edges, np.asarray(outputs, float), side="right")
