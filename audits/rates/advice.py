"""What would decide an exponent that the measurements leave open: further levels of its axis.

A level that is added continues the measured levels at their mean ratio, with a copy of every cell at the
largest level. The standard error falls as the design says, √[(XᵀWX)⁻¹]_jj, and Student's t gains one degree
of freedom for each cell (cluster). Where the estimate is within the tolerance, the interval has to fit within
it, too (two one-sided tests); where the estimate is beyond, the whole interval has to be. The smallest number
of levels that would do is what is said.

The scatter is estimated from few cells, and where it came out small by chance too few levels would be
advised. So its upper limit of confidence 0.8 is taken, s·√(df/χ²_df) at the lower fifth of χ²_df.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audits.rates.diagnostics import Fitted
from audits.rates.exponents import Exponent, t_quantile

Array = NDArray[np.float64]

MOST_LEVELS = 8
"""Levels added at most; each is as much larger as those measured, and nobody measures 2⁸ times as far."""


@dataclass(frozen=True, slots=True)
class Open:
    """An exponent that is not decided.

    room   distance of the estimate from the limit that decides: the tolerance less the deviation from the
           claimed exponent in a forbidden direction, negative where the estimate is beyond the tolerance.
    level  one-sided, of the interval that has to fit into the room.
    """

    exponent: Exponent
    room: float
    level: float

    def decided(self, exponent: Exponent) -> bool:
        """Whether an interval as wide as this exponent's decides."""
        return half_width(exponent, self.level) <= abs(self.room)


def half_width(exponent: Exponent, level: float) -> float:
    """Half the length of the interval whose limits have this one-sided level.

    >>> round(half_width(Exponent(estimate=0.0, standard_error=1.0), 0.05), 3)
    1.645
    """
    return t_quantile(level, exponent.degrees_of_freedom) * exponent.standard_error


def advice(fitted: Fitted, j: int, question: Open) -> str:
    """What would decide exponent j, in one sentence: further levels of its axis, or less scatter."""
    axis = fitted.names[j]
    levels = np.unique(fitted.cells.axes[axis])
    ratio = float((levels[-1] / levels[0]) ** (1.0 / (levels.size - 1)))
    for added in range(1, MOST_LEVELS + 1):
        foreseen = with_levels(fitted, j, _cautious(question.exponent), added)
        if question.decided(foreseen):
            reach, half = float(levels[-1]) * ratio**added, half_width(foreseen, question.level)
            return (
                f"{added} further level{'s' * (added > 1)} of {axis}, up to {reach:.6g}, would decide, if "
                f"the scatter is no larger than seen: the interval would be ± {half:.2g}, the limit is "
                f"{abs(question.room):.2g} away"
            )
    now = half_width(question.exponent, question.level)
    if question.room == 0.0 or not math.isfinite(now):
        return f"no further levels of {axis} would decide: the estimate stands at the limit"
    times = math.ceil((now / abs(question.room)) ** 2)
    return (
        f"{MOST_LEVELS} further levels of {axis} would not decide; about {times:,} times as many trials in "
        "each cell would, if the scatter comes from the trials, or a larger tolerance"
    )


def change_advice(both: Exponent, tolerance: float, level: float = 0.05) -> str:
    """What would decide a difference to a baseline that is open, in a sentence; `both` has its error."""
    room = abs(tolerance - abs(both.estimate))
    times = (half_width(both, level) / room) ** 2 if room > 0.0 else math.inf
    if times > 1e6:
        return f"no number of trials would decide: the difference is {both.estimate:.3g}, the tolerance"
    return (
        f"about {max(math.ceil(times), 2):,} times as many trials in each cell, in the baseline and now, "
        "or sizes over a wider range"
    )


def _cautious(exponent: Exponent) -> Exponent:
    """The exponent with the upper limit of its error, of confidence 0.8, in place of the estimate."""
    from scipy.special import chdtri

    df = exponent.degrees_of_freedom
    largest = 1.0 if math.isinf(df) else math.sqrt(df / float(chdtri(df, 0.8)))
    return replace(exponent, standard_error=exponent.standard_error * largest)


def with_levels(fitted: Fitted, j: int, exponent: Exponent, added: int) -> Exponent:
    """The exponent as it would be with `added` further levels of axis j: its error and degrees of freedom."""
    axis = fitted.names[j]
    x = fitted.cells.axes[axis]
    levels = np.unique(x)
    step = math.log(levels[-1] / levels[0]) / (levels.size - 1)
    last = np.flatnonzero(x == levels[-1])
    copies = np.repeat(fitted.design[last], added, axis=0)
    copies[:, j + 1] += step * np.tile(np.arange(1.0, added + 1.0), last.size)
    weights = fitted.fit.weights
    design = np.vstack([fitted.design, copies])
    before = _spread(fitted.design, weights, j + 1)
    after = _spread(design, np.concatenate([weights, np.repeat(weights[last], added)]), j + 1)
    clusters = np.unique(fitted.cells.cluster[last]).size
    return Exponent(
        estimate=exponent.estimate,
        standard_error=exponent.standard_error * after / before,
        degrees_of_freedom=exponent.degrees_of_freedom + added * clusters,
    )


def _spread(design: Array, weights: Array, column: int) -> float:
    """√[(XᵀWX)⁻¹] of one column, by the triangular factor, which keeps the digits."""
    factor = np.linalg.qr(design * np.sqrt(weights)[:, None], mode="r")
    return float(np.linalg.norm(np.linalg.inv(factor)[column]))
