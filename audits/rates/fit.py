"""Exponents of measured risks, with intervals, held against claimed ones.

The model is log risk = log C + Σ_j θ_j log x_j + error, one observation per cell (grid point). A cell's
variance is its Monte Carlo variance v (of the log, by the delta method) plus a misfit variance τ² common to
all cells, estimated by moments as in a random-effects meta-analysis (DerSimonian and Laird 1986): without
τ², one very precise cell would decide the slope. The standard error is the largest of three (`regress`): HC3
(MacKinnon and White 1985), for variances that are not as modelled; that of the model, as HC3 comes out short
by chance with few cells; and where trials recur over cells, so that these are dependent, a jackknife's.

Nothing is decided where a test finds dependence that no column names (`too_close`, `going_together`), or a
curve (`audits.rates.diagnostics`) whose ends do not say the same. What no interval shows are lower-order
terms that still bend the line at the sizes measured. `benchmarks/rates.py` measures false verdicts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.evidence import Side
from audits.rates.cells import OWN_ERROR, Cells, cells_of, check_design, design_of, log_risk
from audits.rates.question import Doubt, Question, falls
from audits.rates.regression import DEPENDENT, Regression, on_scale_of_risk, regress, too_close
from audits.rates.result import RateFit

Array = NDArray[np.float64]
LARGEST_RELATIVE_ERROR = 0.3
"""Of a cell: above it the logarithm is no longer nearly normal."""


def fit_rate(
    table: Any,
    risk: str,
    axes: Sequence[str],
    claimed: Mapping[str, float] | None = None,
    tolerance: float = 0.05,
    *,
    side: Side = Side.TIGHT,
    alpha: float = 0.05,
    equivalence_alpha: float = 0.05,
    vanishing: Collection[str] | None = None,
    standard_error: str | None = None,
    trial: str | bool | None = None,
) -> RateFit:
    """Fit risk ≈ C·∏ x_j^θ_j and hold the exponents against claimed ones.

    table      DataFrame or mapping of equal-length columns. Rows that agree on all axes form a cell; they
               are its independent trials (or equal-sized chunk means), averaged before the logarithm.
    risk       column of risks.
    axes       columns of axis values > 0, each with at least three values, and at least len(axes) + 3 cells.
    claimed    exponents by axis; axes left out are fitted and reported, without a verdict.
    tolerance  ≥ 0, how far from the claimed exponent still counts as it.
    side       TIGHT: the exponent is θ; REFUTED if the interval lies outside θ ± tolerance, CONSISTENT if
               inside (two one-sided tests). UPPER: the risk grows no faster than claimed; REFUTED if the
               lower limit is > θ + tolerance, CONSISTENT if the upper limit is ≤ θ + tolerance. LOWER: the
               mirror image. INCONCLUSIVE otherwise: a wide interval never passes.
    alpha      probability that any true claimed exponent is refuted, split evenly over the claimed axes.
    equivalence_alpha  probability that a claim with an exponent beyond the tolerance is called CONSISTENT:
               the level of each limit that must lie within it, not split over axes, as all must pass
               (intersection-union test; Berger 1982). It spends nothing of alpha.
    vanishing  axes that the statement sends to 0 (ε, δ, a step size) instead of infinity: there the smaller
               exponent is the faster growth, and the sides of UPPER and LOWER change places. None recognises
               them (`audits.rates.question`); a list tells of all axes.
    standard_error  column with the standard error of the rows' risks; None estimates it from the rows of a
               cell (a table with one row per cell is taken to be free of Monte Carlo error).
    trial      column that names trials which recur over cells (a seed, a fold, a dataset of which every n
               takes the first n records, or that has several cells). None recognises a column called seed,
               trial, rep, fold or run whose values recur over cells; False says that rows are independent.

    Raises ValueError for missing columns, values that are not finite, axes ≤ 0, cells whose mean risk is ≤ 0
    without an error of its own, too few cells or trials, axes that are collinear, claims about columns that
    are not axes, and a one-sided claim about an axis that neither grows nor falls by name or value.

    >>> n = np.array([100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0])
    >>> fit = fit_rate({"n": n, "risk": 3.0 / n}, "risk", ["n"], claimed={"n": -1.0})
    >>> round(fit["n"].exponent.estimate, 6), fit.verdict.value
    (-1.0, 'CONSISTENT')
    """
    question = Question(
        names=(axes,) if isinstance(axes, str) else tuple(axes), claimed=dict(claimed or {}),
        tolerance=tolerance, side=Side(side), alpha=alpha, equivalence_alpha=equivalence_alpha,
    )  # fmt: skip
    if isinstance(vanishing, str) or any(axis not in question.names for axis in vanishing or ()):
        raise ValueError(f"vanishing must name axes out of {list(question.names)}, got {vanishing!r}")
    names = question.names
    if risk in names:
        raise ValueError(f"axes must name what was varied, got the risk column {risk!r} itself")
    cells = cells_of(table, risk, names, error=standard_error, trial=trial)
    recognised = {axis: falls(axis, values) for axis, values in cells.axes.items()}
    told = recognised if vanishing is None else {axis: axis in vanishing for axis in names}
    question = replace(question, falling=told)
    for axis in () if question.side is Side.TIGHT else question.claimed:
        if told[axis] is None:
            raise ValueError(
                f"vanishing must say whether {axis!r} goes to 0 (vanishing=[{axis!r}]) or grows "
                "(vanishing=[]): a one-sided claim depends on it, and neither name nor values tell"
            )
    design = design_of(cells.axes)
    check_design(design, names)
    below = cells.risk.min() <= 0.0 or (_noisy(cells) and cells.own)
    fit = _fitted(design, cells, below)
    doubts = list(_doubts(cells, fit, below, trial is not False and not cells.trial))
    return RateFit(
        axes=tuple(question.answer(cells, fit, j, doubts) for j in range(len(names))),
        cells={**cells.axes, "risk": cells.risk, "standard_error": cells.error},
        samples=cells.rows,
        law=fit,
        trials=None if cells.without is None else (cells.trial, len(cells.without)),
    )


def _noisy(cells: Cells) -> bool:
    """Whether a cell is too noisy for a logarithm."""
    return bool((cells.error > LARGEST_RELATIVE_ERROR * cells.risk).any())


def _doubts(cells: Cells, fit: Regression, below: bool, undeclared: bool) -> Iterator[Doubt]:
    """Why nothing is decided: noise, or what the cells share where no column of trials is used."""
    trials = "more trials in the noisiest cells would help, before any level is added"
    if _noisy(cells) and not below:
        note = f"a cell has a relative standard error above {LARGEST_RELATIVE_ERROR}"
        yield Doubt(note, trials, stands=True)
    above = fit.line.fittedvalues >= np.log(np.maximum(3.0 * cells.error, 1e-300))
    if below and above.sum() < fit.coefficients.size + 1:
        yield Doubt("too few cells stand three standard errors above 0", trials)
    if not undeclared:
        return
    name = (
        "name what the cells share, a seed or a dataset, with trial= (--trial COLUMN); if cells are "
        "independent, say so by trial=False (--trial none); standard deviations in the place of "
        "standard errors look the same"
    )
    close, together = too_close(fit, cells.spare), cells.together
    if together < DEPENDENT:
        yield Doubt(
            "the rows of neighbouring cells go together, in their order, as those of independent cells "
            f"do with probability {together:.1g} only", name,
        )  # fmt: skip
    elif close < DEPENDENT:
        words = "cells lie closer to the line than the spread of their trials allows"
        yield Doubt(f"{words} (probability {close:.1g})", name)


def _fitted(design: Array, cells: Cells, below: bool) -> Regression:
    """The regression, on the scale of the risk where a mean lies `below` what has a logarithm."""
    if not below:
        return regress(design, log_risk(cells))
    if not cells.own or cells.error.min() <= 0.0:
        at = int(cells.risk.argmin())
        worst = {name: float(v[at]) for name, v in cells.axes.items()}
        raise ValueError(
            f"mean risk must be > 0 in every cell, got {cells.risk.min():.6g} at {worst}; with standard "
            f"errors, or {OWN_ERROR} trials in each cell, the fit takes what is below 0"
        )
    return on_scale_of_risk(design, cells)
