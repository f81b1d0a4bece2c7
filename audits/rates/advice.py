"""What would decide an exponent that the measurements leave open: further levels of its axis, or trials.

Added levels continue those measured at their mean ratio, with a copy of every cell at the largest; half the
interval must fit into the *room*, the distance of the estimate from the limit that decides. Where trials
recur over cells their slopes may differ, and a level more has the same trials: only more trials are foreseen
to help. Few cells may show too little scatter by chance: its upper limit of confidence 0.8 is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audits.rates.diagnostics import Fitted
from audits.rates.exponents import Exponent

Array = NDArray[np.float64]
MOST_LEVELS = 8
"""Levels added at most; each is as much larger as those measured, and nobody measures 2⁸ times as far."""


def advice(fitted: Fitted, j: int, exponent: Exponent, room: float, level: float) -> str:
    """The sentence that says which further measurements would decide exponent j, by limits of this level."""
    axis, times = fitted.names[j], _times(exponent, room, level)
    if times > 1e9:
        return f"no further levels of {axis} would decide: the estimate stands at the limit"
    if (trials := fitted.cells.trials) is not None:
        count = len(trials.without)
        return (
            f"about {math.ceil(count * times):,} trials by column {trials.column!r} in the place of {count} "
            "would decide, if they are no more different than those seen"
        )
    cautious = _cautious(exponent)
    for added, (largest, axes) in enumerate(further_levels(fitted.cells.axes, axis, MOST_LEVELS), 1):
        half = _half_width(with_levels(fitted, j, cautious, axes), level)
        if half <= abs(room):
            return (
                f"{added} further level{'s' * (added > 1)} of {axis}, up to {largest:.6g}, "
                f"would decide, if the scatter is no larger than seen: the interval would be ± {half:.2g}, "
                f"the limit is {abs(room):.2g} away"
            )
    return (
        f"{MOST_LEVELS} further levels of {axis} would not decide; about {math.ceil(times):,} times as many "
        "trials in each cell would, if the scatter comes from the trials, or a larger tolerance"
    )


def change_advice(both: Exponent, tolerance: float, level: float = 0.05) -> str:
    """What would decide a difference to a baseline that is open, in a sentence; `both` has its error."""
    times = _times(both, tolerance - abs(both.estimate), level)
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


def _cautious(exponent: Exponent) -> Exponent:
    """The exponent with the upper limit of its error, of confidence 0.8, in place of the estimate."""
    from scipy.special import chdtri

    df = exponent.degrees_of_freedom
    largest = 1.0 if math.isinf(df) else math.sqrt(df / float(chdtri(df, 0.8)))
    return replace(exponent, standard_error=exponent.standard_error * largest)


def further_levels(
    axes: Mapping[str, Array], axis: str, most: int
) -> Iterator[tuple[float, dict[str, Array]]]:
    """The cells with 1, 2, … further levels of an axis, those added last; before them the largest value."""
    levels = np.unique(axes[axis])
    ratio = float((levels[-1] / levels[0]) ** (1.0 / (levels.size - 1)))
    last = axes[axis] == levels[-1]
    for added in range(1, most + 1):
        more = {name: np.concatenate([v, np.tile(v[last], added)]) for name, v in axes.items()}
        more[axis][last.size :] *= np.repeat(ratio ** np.arange(1, added + 1), last.sum())
        yield float(levels[-1] * ratio**added), more


def with_levels(fitted: Fitted, j: int, exponent: Exponent, axes: Mapping[str, Array]) -> Exponent:
    """Exponent j as it would be in the cells of `further_levels`, the same estimate and the same scatter."""
    x, root = fitted.design, np.sqrt(fitted.fit.weights)
    longer = np.column_stack([np.ones(len(axes[fitted.names[j]])), *(np.log(axes[n]) for n in fitted.names)])
    last, added = x[:, j + 1] == x[:, j + 1].max(), len(longer) - len(x)
    roots = np.append(root, np.tile(root[last], added // int(last.sum())))
    # The rows of the pseudoinverse of W^½X have the lengths √[(XᵀWX)⁻¹]_jj.
    before, after = (
        np.linalg.norm(np.linalg.pinv(d * r[:, None])[j + 1]) for d, r in ((x, root), (longer, roots))
    )
    return replace(
        exponent,
        standard_error=exponent.standard_error * float(after / before),
        degrees_of_freedom=exponent.degrees_of_freedom + added,
    )
