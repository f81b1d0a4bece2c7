"""What may be wrong with a fitted exponent: curvature, a short range, few cells.

A term γ·(log x − c)² is added to the log-linear model, one axis at a time; the local exponent then changes by
the bend 2γ·log(x_max/x_min) over the measured range. For a power law it is called curved with at most the
probability of the level, for every axis. Log factors bend a line, too; against a printed form that has them
(`slope_against`) the line is straight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audits.rates.cells import Cells, Observed
from audits.rates.exponents import Exponent
from audits.rates.regression import Regression, exponent_of, regress

Array = NDArray[np.float64]

CURVED, PLAIN, SEEMING = 1e-2, 1e-4, 0.2
SMALLEST_BEND = 0.1
"""A change of the local exponent over the whole range that changes no reading of it: a fifth of a root."""
LEAST_DECADES, LEAST_CELLS = 1.0, 10


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
    cells: int
    bend: Exponent | None
    ends: tuple[float, float]
    logarithm: float | None

    @property
    def curved(self) -> bool:
        """Whether the local exponent changes along the axis, at the level `CURVED`."""
        return self._beyond(0.0, CURVED)

    @property
    def seems_curved(self) -> bool:
        """Whether the local exponent seems to change, at the level `SEEMING`: advice goes by it."""
        return self._beyond(0.0, SEEMING)

    @property
    def plainly_curved(self) -> bool:
        """Whether no one exponent is within the tolerance of both ends, at the level `PLAIN`."""
        return self._beyond(2.0 * self.tolerance, PLAIN)

    def _beyond(self, margin: float, level: float) -> bool:
        if self.bend is None or abs(self.bend.estimate) <= SMALLEST_BEND:
            return False
        low, high = self.bend.interval(level / 2.0)
        return low > margin or high < -margin

    def warnings(self) -> Iterator[str]:
        """What a reader of the exponent should know, a phrase each; none where nothing is wrong."""
        if self.curved or self.plainly_curved:
            words = "plainly no power law" if self.plainly_curved else "curved"
            start, end = self.ends
            yield f"{words}: the local exponent goes from {start:.3g} to {end:.3g} along {self.axis}"
        if self.decades < LEAST_DECADES:
            yield f"{self.decades:.2g} decades only"
        if self.cells < LEAST_CELLS:
            yield f"{self.cells} cells only"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A table of cells and the log-linear fit to it; column j + 1 of the design is the log of axis j."""

    cells: Cells
    names: Sequence[str]
    design: Array
    seen: Observed
    fit: Regression


def diagnose(fitted: Fitted, j: int, tolerance: float) -> Diagnosis:
    """The diagnosis of the exponent of axis j."""
    axis = fitted.names[j]
    values = fitted.cells.axes[axis]
    bend, ends = _bend(fitted, j)
    return Diagnosis(
        axis=axis, tolerance=tolerance, decades=float(np.log10(values.max() / values.min())),
        cells=values.size, bend=bend, ends=ends, logarithm=_logarithm(fitted, j),
    )  # fmt: skip


def _logarithm(fitted: Fitted, j: int) -> float | None:
    """The size of the coefficient of log x_j in the fit, with its weights, of log |log x_j|."""
    far = np.abs(fitted.design[:, j + 1])
    if far.min() < 1.0 or np.unique(np.sign(fitted.design[:, j + 1])).size > 1:
        return None
    root = np.sqrt(fitted.fit.weights)
    return abs(float(np.linalg.lstsq(fitted.design * root[:, None], np.log(far) * root)[0][j + 1]))


def _bend(fitted: Fitted, j: int) -> tuple[Exponent | None, tuple[float, float]]:
    """The bend along axis j and the local exponents at both ends."""
    slope = float(fitted.fit.coefficients[j + 1])
    x = fitted.design[:, j + 1]
    x = x - np.average(x, weights=fitted.fit.weights)
    try:
        fit = regress(np.column_stack([fitted.design, x**2]), fitted.seen)
    except ValueError:  # too few cells, or one that alone determines the curvature
        return None, (slope, slope)
    square, slope = exponent_of(fit, fitted.design.shape[1]), float(fit.coefficients[j + 1])
    low, high = (slope + 2.0 * square.estimate * float(end) for end in (x.min(), x.max()))
    return square.times(2.0 * float(np.ptp(x))), (low, high)
