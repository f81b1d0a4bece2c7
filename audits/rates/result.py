"""What `fit_rate` gives back: the exponent of each axis, what it says of the claimed one, text and plot."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.evidence import Evidence, Side, Verdict, combine
from audits.rates.diagnostics import Diagnosis
from audits.rates.exponents import Exponent

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisFit:
    """The exponent of one axis, its interval, and what that says of the claimed exponent.

    exponent    from the joint regression on all axes.
    alone       from the regression on this axis only, within groups of cells that agree on all other axes;
                None where fewer than three cells agree. Context: a gap between the two means interaction.
                Its error is the larger of HC3 (CR3) and model-based.
    low, high   interval of the exponent at the level `confidence`.
    worse       the direction in which the exponent gets worse: "higher", "lower" or "either".
    claimed     None where nothing is claimed; verdict and resolution are None then.
    diagnosis   curvature, influence of single cells, length of the range, number of clusters; what of it is
                wrong is in the note as well.
    resolution  the smallest distance of the true exponent from the claimed one, on the forbidden side, that
                would have been refuted with probability 0.9.
    advice      what would decide an INCONCLUSIVE exponent, in a sentence, computed from the design; else "".
    """

    axis: str
    exponent: Exponent
    alone: Exponent | None
    low: float
    high: float
    confidence: float
    claimed: float | None
    tolerance: float
    side: Side
    worse: str
    verdict: Verdict | None
    resolution: float | None
    alpha_spent: float
    diagnosis: Diagnosis
    note: str
    advice: str = ""

    def __str__(self) -> str:
        claim = "" if self.claimed is None else f", claimed {self.claimed:.4g} → {self.verdict}"
        text = (
            f"exponent of {self.axis}: {self.exponent.estimate:.4g} [{self.low:.4g}, {self.high:.4g}]{claim}"
        )
        text += f" ({self.note})" if self.note else ""
        return text + (f"; {self.advice}" if self.advice else "")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RateFit:
    """The fit of a power law to a table of risks.

    axes      one AxisFit per axis, in the order given; ``fit["n"]`` finds one by name.
    constant  C of C·∏ x^θ.
    misfit    τ, the scatter of log risk about the line beyond the Monte Carlo error.
    cells     the columns used: axis values, "risk" (mean), "standard_error"; one entry per cell.
    samples   rows of the table behind it.
    """

    axes: tuple[AxisFit, ...]
    constant: float
    misfit: float
    cells: Mapping[str, Array]
    samples: int

    def __getitem__(self, axis: str) -> AxisFit:
        for fit in self.axes:
            if fit.axis == axis:
                return fit
        raise KeyError(f"no axis {axis!r}; there are {[fit.axis for fit in self.axes]}")

    def __repr__(self) -> str:
        cells = len(self.cells["risk"])
        head = f"RateFit: {cells} cells, constant {self.constant:.4g}, misfit {self.misfit:.2g}"
        return "\n  ".join([head, *map(str, self.axes)])

    @property
    def verdict(self) -> Verdict:
        """The verdict of all claimed exponents together."""
        return combine(self.evidence())

    def evidence(self) -> list[Evidence]:
        """One piece of evidence per axis, quantity "exponent of <axis>"."""
        return [_axis_evidence(fit, self.samples) for fit in self.axes]

    def plot(self, axis: str | None = None, ax: Any = None) -> Any:
        """Log-log plot of the cells along one axis (the first by default), the other axes divided out.

        Points with two standard errors, the fitted line, and the claimed slope through the middle. Returns
        the matplotlib axes. Raises KeyError for an axis that was not fitted.
        """
        return _plot(self, self[axis] if axis is not None else self.axes[0], ax)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(f.axis)}</td><td>{f.exponent.estimate:.4g}</td>"
            f"<td>[{f.low:.4g}, {f.high:.4g}]</td>"
            f"<td>{'' if f.claimed is None else format(f.claimed, '.4g')}</td>"
            f"<td>{'' if f.verdict is None else f.verdict.value}</td>"
            f"<td>{html.escape('; '.join([*f.diagnosis.warnings(), *filter(None, [f.advice])]))}</td></tr>"
            for f in self.axes
        )
        names = ("axis", "exponent", "interval", "claimed", "verdict", "diagnosis and advice")
        return f"<table><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>{rows}</table>"


def _axis_evidence(fit: AxisFit, samples: int) -> Evidence:
    error = fit.exponent.standard_error
    return Evidence(
        quantity=f"exponent of {fit.axis}",
        estimate=fit.exponent.estimate,
        low=fit.low,
        high=fit.high,
        confidence=fit.confidence,
        method="tost" if fit.side is Side.TIGHT else "one-sided",
        samples=samples,
        claimed=fit.claimed,
        axis=fit.axis,
        worse=fit.worse,
        verdict=fit.verdict,
        resolution=fit.resolution,
        alpha_spent=fit.alpha_spent,
        standard_error=error if math.isfinite(error) else None,
        degrees_of_freedom=fit.exponent.degrees_of_freedom,
        note=fit.note,
    )


def _plot(fit: RateFit, chosen: AxisFit, ax: Any) -> Any:
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure().add_subplot()
    x = fit.cells[chosen.axis]
    others = np.ones(x.shape)
    for other in fit.axes:
        if other.axis != chosen.axis:
            centre = np.exp(np.log(fit.cells[other.axis]).mean())
            others *= (fit.cells[other.axis] / centre) ** other.exponent.estimate
    y, error = fit.cells["risk"] / others, fit.cells["standard_error"] / others
    ax.errorbar(x, y, yerr=2.0 * error, fmt="o", label="measured (± 2 standard errors)")
    grid = np.geomspace(x.min(), x.max(), 50)
    middle_x, middle_y = np.exp(np.log(x).mean()), np.exp(np.log(y).mean())
    slope = chosen.exponent.estimate
    ax.plot(grid, middle_y * (grid / middle_x) ** slope, "-", label=f"fitted slope {slope:.3g}")
    if chosen.claimed is not None:
        line = middle_y * (grid / middle_x) ** chosen.claimed
        ax.plot(grid, line, "--", label=f"claimed slope {chosen.claimed:.3g}")
    ax.set(xscale="log", yscale="log", xlabel=chosen.axis, ylabel="risk")
    ax.legend()
    return ax
