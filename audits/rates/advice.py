"""What would decide an exponent that the measurements leave open: further levels of its axis, or trials.

Added levels continue those measured at their mean ratio, with as many cells each, all equally sure; half the
interval must fit into the *room*, the distance of the estimate from the limit that decides. Where trials
recur over cells their slopes may differ, and a level more has the same trials: only more trials are foreseen
to help.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from audits.rates.cells import Cells
from audits.rates.exponents import SAME, Exponent
from audits.rates.regression import Regression, exponent_of

MOST_LEVELS = 8
"""Levels added at most; each is as much larger as those measured, and nobody measures 2⁸ times as far."""


def advice(cells: Cells, fit: Regression, j: int, room: float, level: float) -> str:
    """The sentence that says which further measurements would decide exponent j, by limits of this level."""
    axis, exponent = list(cells.axes)[j], exponent_of(fit, j + 1)
    times = _times(exponent, room, level)
    if times > 1e9:
        return f"no further levels of {axis} would decide: the estimate stands at the limit"
    if cells.without is not None:
        count = len(cells.without)
        return (
            f"about {math.ceil(count * times):,} trials by column {cells.trial!r} in the place of {count} "
            "would decide, if they are no more different than those seen"
        )
    x = np.unique(cells.axes[axis])
    ratio = float((x[-1] / x[0]) ** (1.0 / (x.size - 1)))
    for added in range(1, MOST_LEVELS + 1):
        half = _half_width(_with_levels(exponent, x.size, added, fit.design.shape[0] / x.size), level)
        if half <= abs(room):
            return (
                f"about {added} further level{'s' * (added > 1)} of {axis}, up to "
                f"{x[-1] * ratio**added:.6g}, would decide, if the scatter is no larger than seen: the "
                f"interval would be ± {half:.2g}, the limit is {abs(room):.2g} away"
            )
    return (
        f"{MOST_LEVELS} further levels of {axis} would not decide; about {math.ceil(times):,} times as many "
        "trials in each cell would, if the scatter comes from the trials, or a larger tolerance"
    )


def change_advice(both: Exponent, tolerance: float) -> str:
    """What would decide a difference to a baseline that is open, in a sentence; `both` has its error."""
    times = _times(both, tolerance - abs(both.estimate), SAME)
    if times > 1e6:
        return f"no number of trials would decide: the difference is {both.estimate:.3g}, the tolerance"
    return (
        f"about {max(math.ceil(times), 2):,} times as many trials in each cell, in the baseline and now, "
        "or sizes over a wider range"
    )


def _half_width(exponent: Exponent, level: float) -> float:
    return exponent.interval(level)[1] - exponent.estimate


def _times(exponent: Exponent, room: float, level: float) -> float:
    """How many times the trials would make the interval fit, if the scatter comes from the trials."""
    return (_half_width(exponent, level) / abs(room)) ** 2 if room else math.inf


def _with_levels(now: Exponent, levels: int, added: int, cells: float) -> Exponent:
    """The exponent with levels added, of `cells` cells each: Σ(x − x̄)² of k equidistant x is ∝ k(k² − 1)."""
    squares = [k * (k**2 - 1.0) for k in (levels, levels + added)]
    return replace(
        now,
        standard_error=now.standard_error * math.sqrt(squares[0] / squares[1]),
        degrees_of_freedom=now.degrees_of_freedom + added * cells,
    )
