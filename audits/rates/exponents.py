"""A fitted exponent, the fit of several, and whether an exponent has moved since a baseline."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.evidence import Evidence, Side, Verdict, combine

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponent:
    """A fitted exponent: estimate, standard error (inf: not identified), degrees of freedom (inf: normal).

    Raises ValueError for an estimate that is not finite, a negative or NaN error, degrees of freedom ≤ 0.
    """

    estimate: float
    standard_error: float
    degrees_of_freedom: float = math.inf

    def __post_init__(self) -> None:
        if not math.isfinite(self.estimate):
            raise ValueError(f"estimate must be finite, got {self.estimate}")
        if not self.standard_error >= 0.0:
            raise ValueError(f"standard_error must be ≥ 0, got {self.standard_error}")
        if not self.degrees_of_freedom > 0.0:
            raise ValueError(f"degrees_of_freedom must be > 0, got {self.degrees_of_freedom}")

    def interval(self, level: float) -> tuple[float, float]:
        """Lower and upper limit, each one-sided at level 1 − side."""
        if self.standard_error == 0.0:
            return self.estimate, self.estimate
        width = t_quantile(level, self.degrees_of_freedom) * self.standard_error
        return self.estimate - width, self.estimate + width


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisFit:
    """The exponent of one axis, its interval, and what that says of the claimed exponent.

    exponent    from the joint regression on all axes.
    alone       from the regression on this axis only, within groups of cells that agree on all other axes;
                None where fewer than three cells agree. Context: a gap between the two means interaction.
    low, high   interval of the exponent at the level `confidence`.
    worse       the direction in which the exponent gets worse: "higher", "lower" or "either".
    claimed     None where nothing is claimed; verdict and resolution are None then.
    resolution  the smallest distance of the true exponent from the claimed one, on the forbidden side, that
                would have been refuted with probability 0.9.
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
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
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
        return _by_name(self.axes, axis)

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
            f"<td>{'' if f.verdict is None else f.verdict.value}</td></tr>"
            for f in self.axes
        )
        head = "<tr><th>axis</th><th>exponent</th><th>interval</th><th>claimed</th><th>verdict</th></tr>"
        return f"<table>{head}{rows}</table>"


def _by_name(axes: Sequence[AxisFit], name: str) -> AxisFit:
    for fit in axes:
        if fit.axis == name:
            return fit
    raise KeyError(f"no axis {name!r}; there are {[fit.axis for fit in axes]}")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentChange:
    """new − old with its interval; `regressed` where that excludes 0 by more than the tolerance."""

    difference: float
    low: float
    high: float
    confidence: float
    regressed: bool


def compare_exponents(
    new: Exponent, old: Exponent, *, tolerance: float = 0.05, alpha: float = 0.01, worse: str = "either"
) -> ExponentChange:
    """Has a fitted exponent moved since the baseline?

    The two are independent; the interval of new − old has confidence 1 − alpha with the
    Welch–Satterthwaite degrees of freedom. `worse` says which direction counts: "higher", "lower" or
    "either". A regression needs the whole interval beyond ± tolerance, so that noise is not one.
    Raises ValueError for a negative tolerance, alpha outside (0, 0.5) or an unknown direction.

    >>> old = Exponent(estimate=-1.0, standard_error=0.01)
    >>> compare_exponents(Exponent(estimate=-0.98, standard_error=0.01), old).regressed
    False
    >>> compare_exponents(Exponent(estimate=-0.5, standard_error=0.01), old).regressed
    True
    """
    if not (math.isfinite(tolerance) and tolerance >= 0.0):
        raise ValueError(f"tolerance must be finite and ≥ 0, got {tolerance}")
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha must be in (0, 0.5), got {alpha}")
    if worse not in ("higher", "lower", "either"):
        raise ValueError(f"worse must be 'higher', 'lower' or 'either', got {worse!r}")
    squares = [(e.standard_error**2, e.degrees_of_freedom) for e in (new, old)]
    total = sum(s for s, _ in squares)
    # Welch (1947): df = (s₁² + s₂²)² / (s₁⁴/df₁ + s₂⁴/df₂)
    spread = sum((s / total) ** 2 / df for s, df in squares) if total > 0.0 else 0.0
    both = Exponent(
        estimate=new.estimate - old.estimate,
        standard_error=math.sqrt(total),
        degrees_of_freedom=1.0 / spread if spread > 0.0 else math.inf,
    )
    low, high = both.interval(alpha / 2.0)
    up, down = low > tolerance, high < -tolerance
    return ExponentChange(
        difference=both.estimate,
        low=low,
        high=high,
        confidence=1.0 - alpha,
        regressed={"higher": up, "lower": down, "either": up or down}[worse],
    )


def t_quantile(alpha: float, df: float) -> float:
    from scipy.special import ndtri, stdtrit

    return -float(ndtri(alpha) if math.isinf(df) else stdtrit(df, alpha))


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
