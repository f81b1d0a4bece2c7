# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
"""The law that a density gives, for `audits.judge.drawn_from`, and whether a Markov kernel keeps its law.

The distribution function comes from quadrature of the density, never from the sampler under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from audits.bounds import Z90
from audits.evidence import Evidence, Verdict
from implementations.checks import probability

Array = NDArray[np.float64]
Distribution = Callable[[Array], Array]
Kernel = Callable[[Array, np.random.Generator], Array]
"""One step of many chains at once: states (chains, …) → states (chains, …)."""

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


def rank_statistics(
    quantity: str,
    start: Array,
    kernel: Kernel,
    statistic: Callable[[Array], Array],
    rng: np.random.Generator,
    *,
    length: int,
    alpha: float,
    point: Mapping[str, float | int | str] | None = None,
) -> Evidence:
    """Does a reversible kernel keep the law that `start` was drawn from? (Gandy and Scott 2020)

    start      independent exact draws of the law (chains, …), one chain each.
    kernel     one step of all chains; it must be reversible for the law, else ranks need not be uniform.
    statistic  states (chains, …) → (chains,); continuous, so that there are no ties.
    length     steps of each chain; the exact draw gets a uniformly random place among the length + 1 states,
               the chain is run from there in both directions, and the rank of the draw's statistic is uniform
               on 0 … length.
    Judged by Pearson's χ² of the ranks, joined to at least 20 expected counts a cell.
    Raises ValueError for fewer than 40 chains, length < 1, a statistic of the wrong shape or with ties.
    """
    from scipy.stats import chi2

    probability(alpha=alpha)
    if length < 1:
        raise ValueError(f"length must be ≥ 1, got {length}")
    chains = len(start)
    if chains < 40:
        raise ValueError(f"start must hold at least 40 draws, got {chains}")
    place = rng.integers(0, length + 1, chains)
    own = statistic(start)
    if own.shape != (chains,):
        raise ValueError(f"statistic must return shape ({chains},), got {own.shape}")
    rank = np.zeros(chains, dtype=np.int64)
    for steps in (place, length - place):
        state = start
        for step in range(int(steps.max(initial=0))):
            state = kernel(state, rng)
            value = statistic(state)
            counted = step < steps
            if (value[counted] == own[counted]).any():
                raise ValueError("statistic must be continuous, got ties between states of a chain")
            rank += counted & (value < own)
    cells = max(2, min(length + 1, chains // 20))
    edges = np.floor(np.arange(cells + 1) * (length + 1) / cells).astype(np.int64)
    counts = np.histogram(rank, edges)[0]
    expected = chains * np.diff(edges) / (length + 1)
    value = float(((counts - expected) ** 2 / expected).sum())
    # A kernel moves the law by distance r in one cell: the test sees it when n·r² passes the critical value.
    critical = float(chi2.isf(alpha, cells - 1))
    resolution = math.sqrt((critical + Z90 * math.sqrt(2.0 * (cells - 1))) / chains)
    return Evidence(
        quantity=quantity, estimate=value, low=value, high=value, confidence=1.0 - alpha,
        method="rank statistics", samples=chains * (length + 1), point=dict(point or {}), alpha_spent=alpha,
        verdict=Verdict.REFUTED if value > critical else Verdict.CONSISTENT, resolution=resolution,
    )  # fmt: skip
