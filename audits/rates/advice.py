"""What would decide an exponent that the measurements leave open: further levels of its axis, or trials.

A level that is added continues the measured levels at their mean ratio, with a copy of every cell at the
largest level. The standard error falls as the design says, √[(XᵀWX)⁻¹]_jj, and Student's t gains a degree of
freedom a cell. Where the estimate is within the tolerance, the interval has to fit within it, too (two
one-sided tests); where the estimate is beyond, the whole interval has to be. The smallest number of levels
that would do is what is said. Where trials recur over cells a level more has the same trials, whose slopes
may differ, so that only more trials are foreseen to help.

The scatter is estimated from few cells, and where it came out small by chance too few levels would be
advised. So its upper limit of confidence 0.8 is taken, s·√(df/χ²_df) at the lower fifth of χ²_df.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audits.rates.diagnostics import Fitted
from audits.rates.exponents import Exponent

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

    def half_width(self, exponent: Exponent) -> float:
        """Half the length of the interval of this exponent."""
        return exponent.interval(self.level)[1] - exponent.estimate

    @property
    def times(self) -> float:
        """How many times the trials would make the interval fit, if the scatter comes from the trials."""
        return (self.half_width(self.exponent) / abs(self.room)) ** 2 if self.room else math.inf


def advice(fitted: Fitted, j: int, question: Open) -> str:
    """The sentence that says which further measurements would decide exponent j."""
    axis, times = fitted.names[j], question.times
    if times > 1e9:
        return f"no further levels of {axis} would decide: the estimate stands at the limit"
    if (trials := fitted.cells.trials) is not None:
        count = len(trials.without)
        return (
            f"about {math.ceil(count * times):,} trials by column {trials.column!r} in the place of {count} "
            "would decide, if they are no more different than those seen"
        )
    levels = np.unique(fitted.cells.axes[axis])
    ratio = float((levels[-1] / levels[0]) ** (1.0 / (levels.size - 1)))
    for added in range(1, MOST_LEVELS + 1):
        half = question.half_width(with_levels(fitted, j, _cautious(question.exponent), added))
        if half <= abs(question.room):
            return (
                f"{added} further level{'s' * (added > 1)} of {axis}, up to {levels[-1] * ratio**added:.6g}, "
                f"would decide, if the scatter is no larger than seen: the interval would be ± {half:.2g}, "
                f"the limit is {abs(question.room):.2g} away"
            )
    return (
        f"{MOST_LEVELS} further levels of {axis} would not decide; about {math.ceil(times):,} times as many "
        "trials in each cell would, if the scatter comes from the trials, or a larger tolerance"
    )


def change_advice(both: Exponent, tolerance: float, level: float = 0.05) -> str:
    """What would decide a difference to a baseline that is open, in a sentence; `both` has its error."""
    times = Open(both, tolerance - abs(both.estimate), level).times
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
    """Exponent j as it would be with further levels of its axis, the same estimate and the same scatter."""
    x = fitted.design[:, j + 1]
    levels = np.unique(x)
    last = np.flatnonzero(x == levels[-1])
    copies = np.repeat(fitted.design[last], added, axis=0)
    copies[:, j + 1] += (
        (levels[-1] - levels[0]) / (levels.size - 1) * np.tile(np.arange(added) + 1, last.size)
    )
    weights = fitted.fit.weights
    before = _spread(fitted.design, weights, j + 1)
    more = np.concatenate([weights, np.repeat(weights[last], added)])
    after = _spread(np.vstack([fitted.design, copies]), more, j + 1)
    return Exponent(
        estimate=exponent.estimate,
        standard_error=exponent.standard_error * after / before,
        degrees_of_freedom=exponent.degrees_of_freedom + added * last.size,
    )


def _spread(design: Array, weights: Array, column: int) -> float:
    """√[(XᵀWX)⁻¹] of one column, by the triangular factor, which keeps the digits."""
    factor = np.linalg.qr(design * np.sqrt(weights)[:, None], mode="r")
    return float(np.linalg.norm(np.linalg.inv(factor)[column]))
