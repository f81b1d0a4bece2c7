"""What `fit_rate` gives back: the exponent of each axis, what it says of the claimed one, text and plot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.evidence import Evidence, Verdict, combine
from audits.rates.cells import design_of
from audits.rates.diagnostics import Diagnosis
from audits.rates.exponents import Exponent
from audits.rates.plot import plot_along
from audits.rates.regression import Regression

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisFit:
    """The exponent of one axis, and what it says of the claimed exponent.

    exponent   from the joint regression on all axes.
    evidence   its interval, the claimed exponent and the verdict, None where nothing is claimed. Its
               resolution is the smallest distance of the true exponent from the claimed one, in a direction
               that breaks the claim, that would have been refuted with probability 0.9.
    diagnosis  curvature, length of the range; what is wrong is in the note of the evidence.
    harm       the direction in which the risk itself grows faster, whatever is claimed: "higher", "lower",
               "either" where nobody knows whether the axis grows or falls.
    advice     what would decide an INCONCLUSIVE exponent, in a sentence, computed from the design; else "".
    """

    axis: str
    exponent: Exponent
    evidence: Evidence
    diagnosis: Diagnosis
    harm: str
    advice: str

    @property
    def verdict(self) -> Verdict | None:
        """Of the claimed exponent; None where none is claimed."""
        return self.evidence.verdict

    def __str__(self) -> str:
        e = self.evidence
        claim = "" if e.claimed is None else f", claimed {e.claimed:.4g} → {e.verdict}"
        text = f"{e.quantity}: {e.estimate:.4g} [{e.low:.4g}, {e.high:.4g}]{claim}"
        text += f" ({e.note})" if e.note else ""
        return text + (f"; {self.advice}" if self.advice else "")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RateFit:
    """The fit of a power law to a table of risks.

    axes      one AxisFit per axis, in the order given; ``fit["n"]`` finds one by name.
    cells     the columns used: axis values, "risk" (mean), "standard_error"; one entry per cell.
    samples   rows of the table behind it.
    law       the regression: coefficients of (1, log x_j …), their covariances and freedom, and the misfit τ,
              the scatter of log risk about the line beyond the Monte Carlo error.
    trials    column and number of the trials that were left out one by one; None where rows are independent.
    """

    axes: tuple[AxisFit, ...]
    cells: Mapping[str, Array]
    samples: int
    law: Regression
    trials: tuple[str, int] | None = None

    def __getitem__(self, axis: str) -> AxisFit:
        for fit in self.axes:
            if fit.axis == axis:
                return fit
        raise KeyError(f"no axis {axis!r}; there are {[fit.axis for fit in self.axes]}")

    def __repr__(self) -> str:
        cells = len(self.cells["risk"])
        head = f"RateFit: {cells} cells, misfit {self.law.misfit:.2g}"
        levels = sorted({e.confidence for e in self.evidence()})
        head += f", intervals of confidence {' and '.join(f'{level:.4g}' for level in levels)}"
        if self.trials:
            head += f", {self.trials[1]} trials by {self.trials[0]!r}"
        return "\n  ".join([head, *map(str, self.axes)])

    def centre(self) -> dict[str, float]:
        """The place in the middle of the cells, the geometric mean of each axis."""
        return {a.axis: float(np.exp(np.log(self.cells[a.axis]).mean())) for a in self.axes}

    def level(self, place: Mapping[str, float]) -> Exponent:
        """The logarithm of the fitted risk at a place, with its error; ValueError for what is no place."""
        if set(place) != {a.axis for a in self.axes} or not all(
            math.isfinite(v) and v > 0.0 for v in place.values()
        ):
            raise ValueError(
                f"place must give each of {[a.axis for a in self.axes]} a value > 0, got {place}"
            )
        return self.law.along(np.array([1.0, *(math.log(place[a.axis]) for a in self.axes)]))

    def predict(self, place: Mapping[str, float], level: float = 0.025) -> tuple[float, float, float]:
        """The mean risk of a further cell at a place, and its interval, each limit one-sided at `level`.

        It varies by the error of the fit and by the scatter of cells about it. Nothing says that the law goes
        on where nothing was measured. Raises ValueError for a place that is none.

        >>> from audits.rates import fit_rate
        >>> n = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])
        >>> round(fit_rate({"n": n, "risk": 3.0 / n}, "risk", ["n"]).predict({"n": 3000.0})[0], 6)
        0.001
        """
        at = self.level(place)
        error = math.hypot(at.standard_error, self.law.misfit)
        low, high = replace(at, standard_error=error).interval(level)
        risk, lowest, highest = (math.exp(min(v, 700.0)) for v in (at.estimate, low, high))
        return risk, lowest, highest

    @property
    def verdict(self) -> Verdict:
        """The verdict of all claimed exponents together."""
        return combine(self.evidence())

    def evidence(self) -> list[Evidence]:
        """One piece of evidence per axis, quantity "exponent of <axis>"."""
        return [axis.evidence for axis in self.axes]

    def plot(self, axis: str | None = None, ax: Any = None) -> Any:
        """Log-log plot of the cells along one axis (the first by default), the other axes divided out.

        Points with two standard errors, the fitted line, and the claimed slope through the middle; below them
        the residuals, as shares of the fitted risk. Returns the matplotlib axes of the upper panel. Raises
        KeyError for an axis that was not fitted.
        """
        chosen = self[axis] if axis is not None else self.axes[0]
        low, high = chosen.exponent.interval(0.025)
        return plot_along(
            chosen.axis, {each.axis: self.cells[each.axis] for each in self.axes},
            (self.cells["risk"], self.cells["standard_error"]),
            lambda at: np.exp(design_of(at) @ self.law.coefficients),
            f"fitted slope {chosen.exponent.estimate:.3g} [{low:.3g}, {high:.3g}]", ax,
            claimed=chosen.evidence.claimed,
        )  # fmt: skip
