"""Weighted least squares of log risk on log axes, with errors that hold for few and uneven cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audits.rates.cells import Cells
from audits.rates.exponents import Exponent

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Regression:
    coefficients: Array
    errors: Array
    df: float
    misfit: float


def exponent_of(fit: Regression, j: int) -> Exponent:
    return Exponent(
        estimate=float(fit.coefficients[j]),
        standard_error=float(fit.errors[j]),
        degrees_of_freedom=fit.df,
    )


def regress(
    design: Array, y: Array, variance: Array, cluster: Integers, draws: int, rng: np.random.Generator
) -> Regression:
    misfit = _misfit(design, y, variance)
    weights = _weights(variance, misfit)
    coefficients, robust, df = _robust(design, y, weights, cluster)
    errors = np.maximum(robust, _bootstrap_errors(design, y, weights, cluster, draws, rng))
    return Regression(coefficients, errors, df, math.sqrt(misfit))


def _weights(variance: Array, misfit: float) -> Array:
    """1/(v + τ²), scaled to mean 1; a cell without error next to noisy ones counts at most 10⁴ times."""
    total = variance + misfit
    if total.max() <= 0.0:
        return np.ones(total.shape)
    weights = 1.0 / np.maximum(total, 1e-4 * total.max())
    return weights / weights.mean()


def _misfit(design: Array, y: Array, variance: Array) -> float:
    """τ² by the method of moments: the expected weighted residual sum of squares equals the observed one."""
    weights = _weights(variance, 0.0)
    root = np.sqrt(weights)[:, None]
    q, _ = np.linalg.qr(design * root)
    residual = y * root[:, 0] - q @ (q.T @ (y * root[:, 0]))
    # E Σ w r² = tr((I − H) W^{1/2} (V + τ² I) W^{1/2}), H the hat matrix of the weighted design
    free = (1.0 - (q**2).sum(axis=1)) * weights
    excess = float(residual @ residual) - float(free @ variance)
    return max(excess / float(free.sum()), 0.0)


def _robust(design: Array, y: Array, weights: Array, cluster: Integers) -> tuple[Array, Array, float]:
    """Weighted least squares: coefficients, the larger of HC3 (CR3) and model-based errors, their freedom."""
    root = np.sqrt(weights)
    q, r = np.linalg.qr(design * root[:, None])
    pseudo = np.linalg.solve(r, q.T)  # coefficients = pseudo @ (weighted y)
    z = y * root
    residual = z - q @ (q.T @ z)
    groups = int(cluster.max()) + 1
    if groups < design.shape[1] + 2:
        raise ValueError(
            f"{design.shape[1]} coefficients need at least {design.shape[1] + 2} clusters, got {groups}"
        )
    scores = np.empty((design.shape[1], groups))
    for g in range(groups):
        rows = np.flatnonzero(cluster == g)
        own = np.eye(rows.size) - q[rows] @ q[rows].T
        if np.linalg.eigvalsh(own)[0] < 1e-9:
            raise ValueError("one cell (or cluster) alone determines an exponent: add cells")
        scores[:, g] = pseudo[:, rows] @ np.linalg.solve(own, residual[rows])
    sandwich = np.sqrt((scores**2).sum(axis=1))
    free = y.size - design.shape[1]
    model = np.sqrt((pseudo**2).sum(axis=1) * float(residual @ residual) / free)
    return pseudo @ z, np.maximum(sandwich, model), float(groups - design.shape[1])


def _bootstrap_errors(
    design: Array, y: Array, weights: Array, cluster: Integers, draws: int, rng: np.random.Generator
) -> Array:
    """Standard deviation of the coefficients when clusters get independent exponential weights."""
    groups, k = int(cluster.max()) + 1, design.shape[1]
    w = rng.exponential(size=(draws, groups))[:, cluster] * weights
    # In an orthonormal basis of the columns the normal equations are well conditioned.
    basis, r = np.linalg.qr(design * np.sqrt(weights)[:, None])
    basis /= np.sqrt(weights)[:, None]
    gram = np.einsum("bi,ij,ik->bjk", w, basis, basis, optimize=True)
    right = np.einsum("bi,ij,i->bj", w, basis, y, optimize=True)
    coefficients = np.linalg.solve(r, np.linalg.solve(gram, right[:, :, None])[:, :, 0].T).T
    return coefficients.std(axis=0) * math.sqrt(groups / (groups - k))


def alone_along(
    cells: Cells,
    names: Sequence[str],
    j: int,
    y: Array,
    variance: Array,
    draws: int,
    rng: np.random.Generator,
) -> Exponent | None:
    """The exponent of one axis within groups of at least three cells that agree on all other axes."""
    if len(names) == 1:
        return None
    others = np.column_stack([cells.axes[a] for a in names if a != names[j]])
    _, group = np.unique(others, axis=0, return_inverse=True)
    group = group.ravel()
    used = np.bincount(group)[group] >= 3
    labels = np.unique(group[used])
    if used.sum() < labels.size + 3 or labels.size == 0:
        return None
    dummies = (group[used][:, None] == labels).astype(np.float64)
    # the intercept first, so that column 1 is the slope; the other groups as offsets
    design = np.column_stack([np.ones(int(used.sum())), np.log(cells.axes[names[j]][used]), dummies[:, 1:]])
    number = np.unique(cells.cluster[used], return_inverse=True)[1].astype(np.int64)
    if int(number.max()) + 1 < design.shape[1] + 2:
        return None
    try:
        fit = regress(design, y[used], variance[used], number, draws, rng)
    except ValueError:  # one cell alone determines it: there is no such interval
        return None
    return exponent_of(fit, 1)
