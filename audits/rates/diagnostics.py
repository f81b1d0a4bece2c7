"""What may be wrong with a fitted exponent: curvature, one cell that decides, a short range, few clusters.

Curvature. A term γ·(log x − c)² is added to the log-linear model, one axis at a time; the local exponent then
changes by the bend 2γ·log(x_max/x_min) over the measured range. The bend has Student's t interval with the
largest of the errors of `regress`. A bend is said where it is larger than `SMALLEST_BEND` and 0 is
outside its interval at the level `CURVED`. The risk is plainly no power law where the interval at the level
`PLAIN` lies beyond twice the tolerance: no exponent is then within the tolerance of the local ones at both
ends. For a power law each has at most the probability of its level, for every axis.
Log factors bend a line too; against a printed form that has them (`slope_against`) the line is straight.

Influence. Of the cell without which the exponent moves most: hat value, and Cook's distance, which is above 1
where the coefficients leave their joint 50 % confidence region (Cook 1977).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.rates.cells import Cells, Observed
from audits.rates.exponents import Exponent
from audits.rates.regression import Regression, exponent_of, regress

Array = NDArray[np.float64]

CURVED, PLAIN, SEEMING = 1e-2, 1e-4, 0.2
SMALLEST_BEND = 0.1
"""A change of the local exponent over the whole range that changes no reading of it: a fifth of a root."""
LEAST_DECADES = 1.0
LEAST_CLUSTERS = 10
"""With fewer, the errors rest on Student's t with few degrees of freedom more than on the cells."""
LARGEST_COOK, LARGEST_SHARE = 1.0, 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """One cell and an exponent: the cell's axis values, hat value, Cook's distance; the exponent without it.

    share  of the information on the exponent that is the cell's own, its partial leverage, from 0 to 1.
    """

    cell: Mapping[str, float]
    hat: float
    cook: float
    share: float
    without: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What the table says about the fit of one exponent.

    decades    log₁₀ of the largest over the smallest value of the axis.
    clusters   independent groups of cells: the cells themselves where no cluster was named.
    bend       local exponent at the largest value less that at the smallest, by a quadratic term; None where
               the cells are too few for one.
    ends       local exponents at the smallest and the largest value; both the exponent where bend is None.
    logarithm  by how much a further factor log x, or log(1/x) where x < 1, moves the fitted exponent; None
               where the axis comes within a factor e of 1.
    pull       the cell without which the exponent moves most; `heaviest` that with the largest share.
    """

    axis: str
    tolerance: float
    exponent: float
    decades: float
    clusters: int
    clustered: bool
    bend: Exponent | None
    ends: tuple[float, float]
    logarithm: float | None
    pull: Influence
    heaviest: Influence

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

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON; no bend where the cells are too few for one."""
        return {
            "warnings": list(self.warnings()), "decades": self.decades, "clusters": self.clusters,
            "bend": self.bend and asdict(self.bend), "ends": list(self.ends), "curved": self.curved,
            "plainly_curved": self.plainly_curved, "pull": asdict(self.pull),
            "heaviest": asdict(self.heaviest),
        }  # fmt: skip

    def warnings(self) -> tuple[str, ...]:
        """What a reader of the exponent should know, a phrase each; none where nothing is wrong."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        if self.curved or self.plainly_curved:
            words = "plainly no power law" if self.plainly_curved else "curved"
            start, end = self.ends
            yield f"{words}: the local exponent goes from {start:.3g} to {end:.3g} along {self.axis}"
        pull, heavy = self.pull, self.heaviest
        if pull.cook > LARGEST_COOK and abs(pull.without - self.exponent) > max(self.tolerance, 0.01):
            yield (
                f"one cell decides, {_place(pull)}: {pull.without:.3g} without it "
                f"(hat value {pull.hat:.2f}, Cook's distance {pull.cook:.2g})"
            )
        if heavy.share > LARGEST_SHARE:
            yield f"{heavy.share:.0%} of the information is in one cell, {_place(heavy)}"
        if self.decades < LEAST_DECADES:
            yield f"{self.decades:.2g} decades only"
        if self.clusters < LEAST_CLUSTERS:
            yield f"{self.clusters} {'clusters' if self.clustered else 'cells'} only"


def _place(influence: Influence) -> str:
    return ", ".join(f"{name}={value:.4g}" for name, value in influence.cell.items())


@dataclass(frozen=True, slots=True)
class Fitted:
    """A table of cells and the log-linear fit to it; column j + 1 of the design is the log of axis j."""

    cells: Cells
    names: Sequence[str]
    design: Array
    seen: Observed
    fit: Regression

    @property
    def clusters(self) -> int:
        return int(self.cells.cluster.max()) + 1


def diagnose(fitted: Fitted, tolerance: float) -> list[Diagnosis]:
    """One diagnosis an axis."""
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.outliers_influence import OLSInfluence

    # Of the whitened cells, which have the same fit: statsmodels has no influence measures of WLS.
    model = fitted.fit.line.model
    line = OLS(model.wendog, model.wexog).fit()
    influence: Any = OLSInfluence(line)
    hat = np.asarray(influence.hat_matrix_diag)
    with np.errstate(divide="ignore", invalid="ignore"):  # no residual at all: no influence
        cook = np.nan_to_num(influence.cooks_distance[0], posinf=0.0)
    found = []
    for j, axis in enumerate(fitted.names):
        exponent = float(fitted.fit.coefficients[j + 1])
        row = line.model.pinv_wexog[j + 1]
        share, moved = row**2 / (row**2).sum(), row * line.resid / (1.0 - hat)
        pull, heaviest = (
            Influence(
                cell={name: float(fitted.cells.axes[name][i]) for name in fitted.names},
                hat=float(hat[i]), cook=float(cook[i]), share=float(share[i]),
                without=exponent - float(moved[i]),
            )
            for i in (np.abs(moved).argmax(), share.argmax())
        )  # fmt: skip
        bend, ends = _bend(fitted, j)
        values = fitted.cells.axes[axis]
        found.append(
            Diagnosis(
                axis=axis, tolerance=tolerance, exponent=exponent,
                decades=float(np.log10(values.max() / values.min())),
                clusters=fitted.clusters, clustered=fitted.clusters < fitted.seen.y.size,
                bend=bend, ends=ends, logarithm=_logarithm(fitted, j), pull=pull, heaviest=heaviest,
            )
        )  # fmt: skip
    return found


def _logarithm(fitted: Fitted, j: int) -> float | None:
    """The size of the coefficient of log x_j in the fit, with its weights, of log |log x_j|."""
    far = np.abs(fitted.design[:, j + 1])
    if far.min() < 1.0 or np.unique(np.sign(fitted.design[:, j + 1])).size > 1:
        return None
    root = np.sqrt(fitted.fit.weights)
    return abs(float(np.linalg.lstsq(fitted.design * root[:, None], np.log(far) * root)[0][j + 1]))


def _bend(fitted: Fitted, j: int) -> tuple[Exponent | None, tuple[float, float]]:
    """The bend along axis j and the local exponents at both ends."""
    exponent = float(fitted.fit.coefficients[j + 1])
    x = fitted.design[:, j + 1]
    centre = float(np.average(x, weights=fitted.fit.weights))
    # One more coefficient, and two degrees of freedom at least.
    if fitted.clusters < fitted.design.shape[1] + 3:
        return None, (exponent, exponent)
    design = np.column_stack([fitted.design, (x - centre) ** 2])
    try:
        fit = regress(design, fitted.seen)
    except ValueError:  # one cell alone determines the curvature
        return None, (exponent, exponent)
    square, span = exponent_of(fit, design.shape[1] - 1), 2.0 * float(np.ptp(x))
    slope, twice = float(fit.coefficients[j + 1]), 2.0 * square.estimate
    return square.times(span), (
        slope + twice * float(x.min() - centre),
        slope + twice * float(x.max() - centre),
    )
