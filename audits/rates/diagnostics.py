"""What may be wrong with a fitted exponent: curvature, a short range.

A term γ·(log x − c)² is added to the log-linear model, one axis at a time; the local exponent then changes by
the bend 2γ·log(x_max/x_min) over the measured range. For a power law it is called curved with at most the
probability of the level, for every axis. Log factors bend a line, too; against a printed form that has them
the line is straight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from audits.rates.cells import Cells
from audits.rates.exponents import Exponent
from audits.rates.regression import Regression, exponent_of, regress, weighted_line

CURVED, PLAIN, SEEMING = 1e-2, 1e-4, 0.2
"""Error levels at which a curve is warned of, leaves a verdict open, and changes the advice."""
SMALLEST_BEND = 0.1
"""A change of the local exponent over the whole range that changes no reading of it: a fifth of a root."""
LEAST_DECADES = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What the table says about the fit of one exponent.

    decades    log₁₀ of the largest over the smallest value of the axis.
    bend       local exponent at the largest value less that at the smallest, by a quadratic term; None where
               the cells are too few for one.
    ends       local exponents at the smallest and the largest value; both the exponent where bend is None.
    logarithm  by how much a further factor log x, or log(1/x) where x < 1, moves the fitted exponent; None
               where the axis comes within a factor e of 1.
    """

    axis: str
    tolerance: float
    decades: float
    bend: Exponent | None
    ends: tuple[float, float]
    logarithm: float | None

    def curved(self, level: float, margin: float = 0.0) -> bool:
        """Whether the local exponent changes along the axis, by more than the margin, at this level."""
        if self.bend is None or abs(self.bend.estimate) <= SMALLEST_BEND:
            return False
        low, high = self.bend.interval(level / 2.0)
        return low > margin or high < -margin

    @property
    def plainly_curved(self) -> bool:
        """Whether no exponent is within the tolerance of the local ones at both ends, at level `PLAIN`."""
        return self.curved(PLAIN, 2.0 * self.tolerance)

    def warnings(self) -> Iterator[str]:
        """What a reader of the exponent should know, a phrase each; none where nothing is wrong."""
        if self.plainly_curved or self.curved(CURVED):
            words = "plainly no power law" if self.plainly_curved else "curved"
            start, end = self.ends
            yield f"{words}: the local exponent goes from {start:.3g} to {end:.3g} along {self.axis}"
        if self.decades < LEAST_DECADES:
            yield f"{self.decades:.2g} decades only"


def diagnose(cells: Cells, fit: Regression, j: int, tolerance: float) -> Diagnosis:
    """The diagnosis of the exponent of axis j, whose log is column j + 1 of the design."""
    axis, values = list(cells.axes.items())[j]
    bend, ends = _bend(fit, j)
    return Diagnosis(
        axis=axis, tolerance=tolerance, decades=float(np.log10(values.max() / values.min())), bend=bend,
        ends=ends, logarithm=_logarithm(fit, j),
    )  # fmt: skip


def _logarithm(fit: Regression, j: int) -> float | None:
    """The size of the coefficient of log x_j in the fit, with its weights, of log |log x_j|."""
    far = np.abs(fit.design[:, j + 1])
    if far.min() < 1.0 or np.unique(np.sign(fit.design[:, j + 1])).size > 1:
        return None
    return abs(float(weighted_line(fit.design, np.log(far), fit.weights).params[j + 1]))


def _bend(fit: Regression, j: int) -> tuple[Exponent | None, tuple[float, float]]:
    """The bend along axis j and the local exponents at both ends."""
    slope = float(fit.coefficients[j + 1])
    x = fit.design[:, j + 1] - np.average(fit.design[:, j + 1], weights=fit.weights)
    try:
        bent = regress(np.column_stack([fit.design, x**2]), fit.seen)
    except ValueError:  # too few cells, or one that alone determines the curvature
        return None, (slope, slope)
    square, slope = exponent_of(bent, fit.coefficients.size), float(bent.coefficients[j + 1])
    low, high = (slope + 2.0 * square.estimate * float(end) for end in (x.min(), x.max()))
    return square.times(2.0 * float(np.ptp(x))), (low, high)
