"""Laws on the line with densities ∝ e^{log density}, and how well half-lines tell two of them apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LogDensity = Callable[[Array], Array]


def half_line_delta(
    first: LogDensity,
    second: LogDensity,
    epsilon: float,
    low: float,
    high: float,
    *,
    breaks: Sequence[float] = (),
    cells: int = 4000,
) -> float:
    """max over half-lines S, and over both orders of the laws, of P(S) − e^ε·Q(S), by Gauss–Legendre.

    A lower bound of the hockey-stick divergence, whatever the grid: every S counts. Where the privacy
    loss is monotone the divergence is reached at a half-line, so it is exact up to the second order in
    the cell width. The mass outside [low, high] must be negligible; kinks belong into `breaks`."""
    inner = [b for b in breaks if low < b < high]
    edges = np.unique(np.concatenate([np.linspace(low, high, cells + 1), inner]))
    below = [np.concatenate([[0.0], np.cumsum(_masses(law, edges))]) for law in (first, second)]
    best = 0.0
    for p, q in (below, below[::-1]):
        for a, b in ((p, q), (1.0 - p, 1.0 - q)):
            best = max(best, float((a - math.exp(epsilon) * b).max()))
    return best


def _masses(log_density: LogDensity, edges: Array) -> Array:
    """The probability of each cell."""
    node, weight = np.polynomial.legendre.leggauss(8)
    half = 0.5 * np.diff(edges)
    x = (edges[:-1, None] + half[:, None] * (node + 1.0)).ravel()
    value = log_density(x)
    mass = half * (np.exp(value - value.max()).reshape(half.size, -1) @ weight)
    return mass / mass.sum()
