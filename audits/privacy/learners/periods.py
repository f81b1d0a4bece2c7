"""A score of where a number lies within a period, where that tells the datasets apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.learners.cells import of_cells
from audits.privacy.learners.score import Score
from audits.privacy.learners.views import View, both, views
from audits.privacy.outputs import Encoded, Floats, Ints
from audits.privacy.tuning import TUNING


def period(first: Encoded, second: Encoded) -> Score | None:
    """Where a number lies within a period: that of the largest Fourier coefficient of outputs on the first
    dataset less those on the second."""
    looked_at = views(first)
    if first.is_scalar and not _are_whole(first.values):
        looked_at.append(View("log |output|", lambda e: np.log(np.abs(e.values[:, 0]) + 1e-300)))
    many = first.is_scalar and len(first) >= TUNING.fine_from
    bins = TUNING.period_bins if many else TUNING.period_bins // 4
    found = [wave for view in looked_at for wave in _waves(view, *both(view, first, second), bins)]
    wave = max(found, key=lambda w: w.sure, default=None)
    if wave is None or wave.sure < math.log(len(looked_at)) + TUNING.sure + 4.0:
        return None
    view = wave.view
    frequency, modulus, cells = wave.exactly()

    def phase(e: Encoded) -> Ints:
        turns = np.nan_to_num(np.mod(view.of(e), modulus) * frequency)
        return (np.mod(turns, 1.0) * cells + 1e-6).astype(np.int64) % cells

    def words(c: int) -> str:
        return f"[{c / cells:g}, {(c + 1) / cells:g})"

    what = f"{view.words} modulo {1.0 / frequency:.12g}, in periods,"
    return of_cells("period", phase, words, first, second, what)


@dataclass(frozen=True, slots=True)
class _Wave:
    """A wave that tells the datasets apart in one view.

    sure     log of the odds against chance.
    exactly  () → turns a unit, a multiple of the period, and how many cells make a period.
    """

    view: View
    sure: float
    exactly: Callable[[], tuple[float, float, int]]


ROUND = np.concatenate(
    [
        np.outer([1.0, 2.0, 4.0, 5.0], 10.0 ** np.arange(-9, 16)).ravel(),
        2.0 ** np.arange(-30, 51),
        # Minutes, hours, days and weeks, in seconds down to nanoseconds.
        1.0 / np.outer([60.0, 3600.0, 86400.0, 604800.0], [1.0, 1e3, 1e6, 1e9]).ravel(),
    ]
)
"""Turns a unit of the grids that outputs are rounded to, often far finer than the bins of a range; and of the
clock."""


REMAINDERS = np.unique(
    np.concatenate(
        [
            1.0 / np.arange(3.0, TUNING.divisors),
            *(np.arange(1, k // 2 + 1) / k for k in range(3, TUNING.most_turned)),
        ]
    )
)
"""Turns a unit of the division by every number, for small numbers also their multiples: remainders of 0 and
of 1 hardly differ in one turn of eleven, they differ most in five."""


def _are_whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _waves(view: View, x: Floats, y: Floats, bins: int) -> Iterator[_Wave]:
    """The best wave of a view, that of remainders where the numbers are integers, and the best with one of
    the `ROUND` periods; none for too few numbers, or numbers that are equal or beyond all bounds."""
    if min(len(x), len(y)) < TUNING.hidden_least:
        return
    x, y = x[: TUNING.retained_rows], y[: TUNING.retained_rows]
    low, high = np.quantile(np.concatenate([x, y]), [0.02, 0.98]).tolist()
    width = high - low
    if not 1e-290 < width < 1e290:
        return
    whole = _are_whole(x) and _are_whole(y)
    if whole:
        # Remainders of the division of integers keep every period that divides the number of bins.
        places = [np.mod(side, bins).astype(np.int64) for side in (x, y)]
        turns, telling, sure = _strongest(places, bins, max(1, math.ceil(TUNING.least * bins / width)))
        yield _Wave(view, sure, partial(_whole, telling, len(x), turns, bins))
    sides = x[(x >= low) & (x < high)], y[(y >= low) & (y < high)]
    if not whole or width > bins:
        scale = bins / width
        places = [((side - low) * scale).astype(np.int64).clip(0, bins - 1) for side in sides]
        turns, _, sure = _strongest(places, bins, TUNING.least)
        yield _Wave(view, sure, partial(_near, sides, width, turns, bins))
    # A double tells no parts of a turn apart where it holds more turns than this.
    rows = TUNING.round_rows
    some = ROUND[(ROUND * width > TUNING.least) & (ROUND * max(abs(low), abs(high)) < 2.0**44)]
    if whole:
        # Remainders; more rows, as integers have several numbers of each remainder.
        some = np.concatenate([some[some < 1.0], REMAINDERS[REMAINDERS * width > TUNING.least]])
        rows *= 4
    if len(some):
        few = [side[:rows] for side in sides]
        power = np.square(np.abs(_turned(some, few[0]) - _turned(some, few[1])))
        power /= max(len(few[0]) + len(few[1]), 1)
        turned = float(some[power.argmax()])
        yield _Wave(
            view, float(power.max()) - math.log(len(some)), lambda: (turned, 1 / turned, TUNING.parts)
        )


def _strongest(places: list[Ints], bins: int, least: int) -> tuple[int, Ints, float]:
    """The most telling number of turns, all numbers of turns that are nearly as telling, and the log of the
    odds against chance; of two datasets' places among the bins."""
    counts = [np.bincount(place, minlength=bins) for place in places]
    wave = np.fft.rfft((counts[0] - counts[1]).astype(np.float64))
    power = np.square(wave.real) + np.square(wave.imag)
    # Slow waves are differences of the laws at large, which tails and intervals show. Without a difference
    # the power is exponential of mean 1.
    power[:least] = 0.0
    power /= max(len(places[0]) + len(places[1]), 1)
    turns = int(power.argmax())
    best = float(power[turns])
    return turns, np.flatnonzero(power > 0.5 * best), best - math.log(bins / 2)


def _turned(frequencies: Floats, side: Floats) -> NDArray[np.complexfloating[Any]]:
    """For each frequency the sum of the numbers as turns of the unit circle."""
    turns = np.outer(frequencies, side)
    # A remainder of the division by 1 takes several times as long.
    turns -= np.floor(turns)
    turns = (2.0 * np.pi * turns).astype(np.float32)
    return np.cos(turns).sum(axis=1) + 1j * np.sin(turns).sum(axis=1)


def _whole(telling: Ints, rows: int, turns: int, bins: int) -> tuple[float, float, int]:
    """The period of integers, from the numbers of turns that are nearly as `telling` as `turns` are."""
    cells = TUNING.parts
    # Of multiples of ten, halves and fifths may be as telling as tenths.
    for more in telling:
        divisor = math.gcd(turns, int(more), bins)
        if bins // divisor <= max(TUNING.parts, rows // TUNING.least):
            turns, cells = divisor, bins // divisor
    return turns / bins, float(bins), cells


def _near(sides: tuple[Floats, Floats], width: float, turns: int, bins: int) -> tuple[float, float, int]:
    """The period of other numbers, which need not fit into their range, near that of the bin or near those
    too fast for the bins that look the same."""
    alike = np.concatenate([np.arange(4) * bins + turns, np.arange(1, 4) * bins - turns])
    near = (alike[:, None] + np.linspace(-1.0, 1.0, 4 * TUNING.parts + 1)).ravel() / width
    found = _telling(near, sides)
    frequency = float(near[int(found.argmax())])
    # A round period that is as telling as the best of its neighbours is what people use.
    rounded = [1.0 / float(f"{1.0 / frequency:.{digits}g}") for digits in (1, 2)]
    round_ones = np.concatenate([ROUND, rounded])
    round_ones = round_ones[np.abs(round_ones - frequency) * width < 0.5]
    good = round_ones[_telling(round_ones, sides) >= 0.95 * found.max()]
    frequency = float(good[0]) if len(good) else frequency
    return frequency, 1.0 / frequency, TUNING.parts


def _telling(frequencies: Floats, sides: tuple[Floats, Floats]) -> Floats:
    """How far the datasets are apart on the unit circle, for each frequency."""
    first, second = (_turned(frequencies, side[:1024]) for side in sides)
    return np.abs(first - second)
