# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
"""The law that a density gives, for `audits.judge.drawn_from`.

The distribution function comes from quadrature of the density, never from the sampler under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Distribution = Callable[[Array], Array]

_NODES = 16


def distribution_function(
    log_density: Callable[[Array], Array],
    low: float,
    high: float,
    *,
    breaks: Sequence[float] = (),
    cells: int = 400,
) -> Distribution:
    """F(x) = ∫_low^x e^{log density} / ∫_low^high e^{log density}, by Gauss–Legendre quadrature.

    log_density   vectorised, up to a constant; smooth between the breaks.
    low, high     the mass outside must be negligible: the caller chooses them.
    breaks        kinks of the density; cell edges are put there.
    Raises ValueError for low ≥ high, or a density that is not finite in between.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"low and high must be finite with low < high, got {low} and {high}")
    inner = [b for b in breaks if low < b < high]
    edges = np.unique(np.concatenate([np.linspace(low, high, cells + 1), inner]))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    top = float(np.max(log_density(np.linspace(low, high, 4 * cells + 1))))

    def integral(left: Array, right: Array) -> Array:
        half = 0.5 * (right - left)
        x = left[:, None] + half[:, None] * (nodes + 1.0)
        return half * (np.exp(log_density(x.ravel()).reshape(x.shape) - top) @ weights)

    mass = integral(edges[:-1], edges[1:])
    if not np.isfinite(mass).all() or mass.sum() <= 0.0:
        raise ValueError(f"log_density must be finite between {low} and {high}, got masses {mass}")
    below = np.concatenate([[0.0], np.cumsum(mass)])

    def cdf(x: Array) -> Array:
        points = np.clip(np.asarray(x, dtype=np.float64).ravel(), low, high)
        cell = np.clip(np.searchsorted(edges, points, side="right") - 1, 0, edges.size - 2)
        return np.clip((below[cell] + integral(edges[cell], points)) / below[-1], 0.0, 1.0)

    return cdf
