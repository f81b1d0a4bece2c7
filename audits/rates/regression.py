"""Weighted least squares of log risk on log axes by statsmodels, with errors for few and uneven cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.rates.cells import Cells, Observed, near
from audits.rates.exponents import Exponent

Array = NDArray[np.float64]

DEPENDENT = 1e-3
"""Level of the test whether residuals are too small for the spread of the trials."""
_STEPS, _WIDEST = 100, 27.6
"""Of the fit on the scale of the risk: most steps, and largest range of the log risk, twelve decades."""


@dataclass(frozen=True, slots=True)
class Regression:
    """What was seen, the line of statsmodels through it, covariances of its coefficients, their freedom, τ.

    covariances  one for each reason why the coefficients may vary: HC3, model, trials. The largest of their
                 errors counts.
    """

    seen: Observed
    line: Any
    covariances: tuple[Array, ...]
    df: float
    misfit: float

    @property
    def design(self) -> Array:
        return self.line.model.exog

    @property
    def weights(self) -> Array:
        """Of the cells."""
        return self.line.model.weights

    @property
    def coefficients(self) -> Array:
        return self.line.params

    def along(self, direction: Array) -> Exponent:
        """A combination of the coefficients, with the largest of its standard errors."""
        square = max(float(direction @ c @ direction) for c in self.covariances)
        return Exponent(
            estimate=float(direction @ self.coefficients),
            standard_error=math.sqrt(max(square, 0.0)),
            degrees_of_freedom=self.df,
        )


def exponent_of(fit: Regression, j: int) -> Exponent:
    return fit.along(np.eye(fit.coefficients.size)[j])


def regress(design: Array, seen: Observed) -> Regression:
    """The fit with the largest of its standard errors: HC3, model-based, jackknife over trials.

    Student's t has G − k degrees of freedom for G cells and k coefficients. With R trials it has R − 1, or
    R − k where some cells rest on one trial, if that is less.
    """
    y, (cells, k) = seen.y, design.shape
    if cells < k + 2:
        raise ValueError(f"{k} coefficients need at least {k + 2} cells, got {cells}")
    misfit = misfit_of(design, y, seen.variance)
    weights = weights_of(seen.variance, misfit)
    line = weighted_line(design, y, weights)
    if (np.linalg.qr(line.model.wexog)[0] ** 2).sum(axis=1).max() > 1.0 - 1e-9:  # the largest hat value
        raise ValueError("one cell alone determines an exponent: add cells")
    covariances, df = [line.cov_HC3, line.cov_params()], float(cells - k)
    if seen.without is not None:
        covariances.append(over_trials(design, weights, seen.without))
        df = min(df, len(seen.without) - (1.0 if np.isfinite(seen.without).all() else k))
    return Regression(seen, line, tuple(covariances), df, math.sqrt(misfit))


def weighted_line(design: Array, y: Array, weights: Array) -> Any:
    """The WLS results of statsmodels, with the covariances `cov_params()` (nonrobust) and `cov_HC3`."""
    from statsmodels.regression.linear_model import WLS

    model: Any = WLS  # its stubs have scalar weights only
    return model(y, design, weights=weights).fit()


def weights_of(variance: Array, misfit: float) -> Array:
    """1/(v + τ²), scaled to mean 1; a cell without error next to noisy ones counts at most 10⁴ times."""
    total = variance + misfit
    if total.max() <= 0.0:
        return np.ones(total.shape)
    weights = 1.0 / np.maximum(total, 1e-4 * total.max())
    return weights / weights.mean()


def misfit_of(design: Array, y: Array, variance: Array) -> float:
    """τ² by the method of moments: the expected weighted residual sum of squares equals the observed one.

    By hand: the random effects of statsmodels (`stats.meta_analysis`) have a mean and no regressors.
    """
    weights = weights_of(variance, 0.0)
    root = np.sqrt(weights)
    basis = np.linalg.qr(design * root[:, None])[0]
    residual = y * root - basis @ (basis.T @ (y * root))
    # E Σ w r² = tr((I − H) W^{1/2} (V + τ² I) W^{1/2}), H the hat matrix of the weighted design
    free = (1.0 - (basis**2).sum(axis=1)) * weights
    excess = float(residual @ residual) - float(free @ variance)
    return max(excess / max(float(free.sum()), 1e-12), 0.0)


def too_close(fit: Regression, spare: float) -> float:
    """Probability that independent cells lie as close to the line as these, given the spread of their trials.

    Σ r²/v is F with G − k and `spare` degrees of freedom, where v are estimated from `spare` rows beyond one
    a cell, and χ² where they are known. Trials that are shared by all cells move all cells together, and
    leave residuals that are smaller than the spread of the trials says. 1 where the question makes no sense:
    no error, a misfit.
    """
    from scipy.stats import chi2, f

    v, free = fit.seen.variance, fit.line.df_resid
    if fit.misfit > 0.0 or v.min() <= 1e-4 * v.max():
        return 1.0
    ratio = float((fit.line.resid**2 / v).sum())
    return float(chi2.cdf(ratio, free) if math.isinf(spare) else f.cdf(ratio / free, free, spare))


def over_trials(design: Array, weights: Array, without: Array) -> Array:
    """(R − 1)/R Σ_r (β₍₋r₎ − β̄)(β₍₋r₎ − β̄)ᵀ, β₍₋r₎ the coefficients with trial r left out of all cells.

    The jackknife of the R trials, each with all its cells (Tukey 1958): what a trial does to many cells at
    once, a seed whose slope differs, stays together. `without` (R, cells) is y without each trial, NaN in a
    cell of which nothing is left. Where each trial has cells of its own this is CR3 up to the mean and the
    factor (Bell and McCaffrey 2002); statsmodels has CR0 and CR1, which are too short for few clusters.
    Raises ValueError where a trial alone determines a coefficient.
    """
    root, parts = np.sqrt(weights), list[Array]()
    for y in without:
        kept = np.isfinite(y)
        found, _, rank, _ = np.linalg.lstsq((design * root[:, None])[kept], (y * root)[kept])
        if rank < design.shape[1]:
            raise ValueError("one trial alone determines an exponent: add trials")
        parts.append(found)
    found = np.array(parts)
    moved = found - found.mean(axis=0)
    return (1.0 - 1.0 / len(found)) * moved.T @ moved


def on_scale_of_risk(design: Array, cells: Cells) -> Regression:
    """The fit of means m that may be ≤ 0: Σ (m − f)²/(v + τ²f²) is least for the law f = exp(Xβ).

    At the minimum f, the regression of log f + (m − f)/f (the logarithm to first order) with the variances
    v/f² has the same coefficients: these regressions are iterated (Gauss and Newton), and their errors and
    diagnostics are those of `regress`. Raises ValueError where no power law stands out of the noise.
    """
    positive = cells.risk > 0.0
    if positive.sum() < design.shape[1]:
        raise ValueError(f"mean risk must be > 0 in most cells, got {int(positive.sum())} of {positive.size}")
    known = (cells.risk / np.maximum(cells.error, 1e-300))[positive]  # roots of the weights of the logarithm
    start = weighted_line(design[positive], np.log(cells.risk[positive]), known**2).params
    line = design @ start
    for _ in range(_STEPS):
        fit = regress(design, near(cells, np.exp(line)))
        step = fit.line.fittedvalues - line
        if np.abs(step).max() < 1e-7:
            return fit
        line = line + step * min(1.0, 1.0 / float(np.abs(step).max()))
        if np.ptp(line) > _WIDEST:
            break
    raise ValueError("no power law stands out of the noise: add trials")
