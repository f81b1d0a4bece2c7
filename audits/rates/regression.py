"""Weighted least squares of log risk on log axes by statsmodels, with errors for few and uneven cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.rates.cells import Cells
from audits.rates.exponents import Exponent

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Regression:
    """The line of statsmodels, errors of its coefficients, their freedom, τ, the cells' weights (mean 1)."""

    line: Any
    errors: Array
    df: float
    misfit: float
    weights: Array

    @property
    def coefficients(self) -> Array:
        return self.line.params


@dataclass(frozen=True, slots=True)
class Resampling:
    """Draws of the cluster bootstrap, 0 for none, and where they come from."""

    draws: int
    rng: np.random.Generator


def exponent_of(fit: Regression, j: int) -> Exponent:
    return Exponent(
        estimate=float(fit.coefficients[j]),
        standard_error=float(fit.errors[j]),
        degrees_of_freedom=fit.df,
    )


def regress(
    design: Array, y: Array, variance: Array, cluster: Integers, resampling: Resampling | None = None
) -> Regression:
    """The fit with the largest of three standard errors: HC3 (CR3), model-based, cluster bootstrap."""
    misfit = _misfit(design, y, variance)
    weights = _weights(variance, misfit)
    line, errors, df = _robust(design, y, weights, cluster)
    if resampling is not None:
        errors = np.maximum(errors, _bootstrap_errors(design, y, weights, cluster, resampling))
    return Regression(line, errors, df, math.sqrt(misfit), weights)


def weighted_line(design: Array, y: Array, weights: Array) -> Any:
    """The WLS results of statsmodels, with nonrobust errors `bse` and with `HC3_se`."""
    from statsmodels.regression.linear_model import WLS

    model: Any = WLS  # its stubs have scalar weights only
    return model(y, design, weights=weights).fit()


def _weights(variance: Array, misfit: float) -> Array:
    """1/(v + τ²), scaled to mean 1; a cell without error next to noisy ones counts at most 10⁴ times."""
    total = variance + misfit
    if total.max() <= 0.0:
        return np.ones(total.shape)
    weights = 1.0 / np.maximum(total, 1e-4 * total.max())
    return weights / weights.mean()


def _misfit(design: Array, y: Array, variance: Array) -> float:
    """τ² by the method of moments: the expected weighted residual sum of squares equals the observed one.

    By hand: the random effects of statsmodels (`stats.meta_analysis`) have a mean and no regressors.
    """
    weights = _weights(variance, 0.0)
    root = np.sqrt(weights)
    basis = np.linalg.qr(design * root[:, None])[0]
    residual = y * root - basis @ (basis.T @ (y * root))
    # E Σ w r² = tr((I − H) W^{1/2} (V + τ² I) W^{1/2}), H the hat matrix of the weighted design
    free = (1.0 - (basis**2).sum(axis=1)) * weights
    excess = float(residual @ residual) - float(free @ variance)
    return max(excess / float(free.sum()), 0.0)


def _largest_leverage(weighted: Array, cluster: Integers | None) -> float:
    """Largest eigenvalue of a cell's or cluster's block of the hat matrix: 1 where the others leave a gap."""
    basis = np.linalg.qr(weighted)[0]
    if cluster is None:
        return float((basis**2).sum(axis=1).max())
    return float(max(np.linalg.norm(basis[cluster == g], 2) for g in np.unique(cluster)) ** 2)


def _robust(design: Array, y: Array, weights: Array, cluster: Integers) -> tuple[Any, Array, float]:
    """Weighted least squares: the line, the larger of HC3 (CR3) and model-based errors, their freedom."""
    groups, k = int(cluster.max()) + 1, design.shape[1]
    if groups < k + 2:
        raise ValueError(f"{k} coefficients need at least {k + 2} clusters, got {groups}")
    line = weighted_line(design, y, weights)
    single = groups == y.size
    if _largest_leverage(line.model.wexog, None if single else cluster) > 1.0 - 1e-9:
        raise ValueError("one cell (or cluster) alone determines an exponent: add cells")
    sandwich = line.HC3_se if single else jackknife_errors(design, y, weights, cluster)
    return line, np.maximum(sandwich, line.bse), float(groups - k)


def jackknife_errors(design: Array, y: Array, weights: Array, cluster: Integers) -> Array:
    """CR3: √Σ_g (β − β₍₋g₎)², β₍₋g₎ the coefficients without cluster g (Bell and McCaffrey 2002).

    By hand: statsmodels has CR0 and CR1 (cov_type="cluster"), which are too short for few clusters. Where
    each cluster is one cell this is its HC3.
    """
    full = weighted_line(design, y, weights).params
    kept = [cluster != g for g in range(int(cluster.max()) + 1)]
    without = np.array([weighted_line(design[k], y[k], weights[k]).params for k in kept])
    return np.sqrt(((full - without) ** 2).sum(axis=0))


def _bootstrap_errors(
    design: Array, y: Array, weights: Array, cluster: Integers, resampling: Resampling
) -> Array:
    """Standard deviation of the coefficients when clusters get independent exponential weights.

    By hand: statsmodels has no weighted bootstrap, and a fit for each of a thousand draws takes seconds.
    """
    groups, k = int(cluster.max()) + 1, design.shape[1]
    w = resampling.rng.exponential(size=(resampling.draws, groups))[:, cluster] * weights
    # In an orthonormal basis of the columns the normal equations are well conditioned.
    basis, r = np.linalg.qr(design * np.sqrt(weights)[:, None])
    basis /= np.sqrt(weights)[:, None]
    gram = np.einsum("bi,ij,ik->bjk", w, basis, basis, optimize=True)
    right = np.einsum("bi,ij,i->bj", w, basis, y, optimize=True)
    coefficients = np.linalg.solve(r, np.linalg.solve(gram, right[:, :, None])[:, :, 0].T).T
    return coefficients.std(axis=0) * math.sqrt(groups / (groups - k))


def alone_along(cells: Cells, names: Sequence[str], j: int, y: Array, variance: Array) -> Exponent | None:
    """The exponent of one axis within groups of at least three cells that agree on all other axes.

    Without the bootstrap: no verdict rests on it.
    """
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
        fit = regress(design, y[used], variance[used], number)
    except ValueError:  # one cell alone determines it: there is no such interval
        return None
    return exponent_of(fit, 1)
