"""Families that look at one number at a time for what tails and intervals do not show: periods and crowds.

The numbers are the columns, their logs, differences of neighbours, and what sums all of them up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.learners.families import Found, number
from audits.privacy.learners.score import some_columns
from audits.privacy.learners.search import Candidates, View, family, of_split
from audits.privacy.learners.sequences import plain
from audits.privacy.outputs.describe import OUTPUT, Column, Elements, Interval, Words
from audits.privacy.outputs.outputs import LARGE, Encoded, Floats, Ints, number_words
from audits.privacy.tuning import TINY, TUNING

SUMS = (
    "the sum of {}",
    "the root of the sum of squares of {}",
    "the largest less the second of {}",
)


def off_grid(x: Floats) -> Floats:
    """Numbers less themselves rounded to `TUNING.decimals`: 0 where an output was rounded."""
    return x - np.round(x, TUNING.decimals)


def views(e: Encoded, logs: bool = False) -> list[View]:
    """The numbers that are looked at: columns, where there are too many another choice of them for each
    number of samples; and what sums them up, but for the many samples that only rare events need."""
    width = e.shape[0]
    most = min(TUNING.most_chosen, max(1, TUNING.most_numbers // max(len(e), 1)))
    some = [int(j) for j in some_columns(width, most, len(e))]
    names: dict[int, Words] = {j: OUTPUT if width == 1 and e.shape[1] < 2 else Column(j) for j in some}
    found = [View(names[j], partial(_column, column=j)) for j in some]
    if width <= TUNING.most_joint:
        if logs:
            found += [
                View(("log |", names[j], "|"), partial(_log, column=j)) for j in some if not _whole(e, j)
            ]
        words: dict[int, Words] = {j: (names[j], " less ", Column(j - 1)) for j in some if j > 0}
        found += [View(words[j], lambda e, j=j: number(j, e) - number(j - 1, e)) for j in words]
    if width > 1 and len(e) <= TUNING.retained_rows // 2:
        found += [source.reading(name) for source in plain(e) for name in SUMS]
    return found


def _column(e: Encoded, column: int) -> Floats:
    # A symbol has no number.
    return np.where(e.codes[:, 0] > 0, np.nan, e.values[:, 0]) if e.is_symbol else e.values[:, column]


def _log(e: Encoded, column: int) -> Floats:
    return np.log(np.abs(_column(e, column)) + TINY)


def _whole(e: Encoded, column: int) -> bool:
    values = e.values[: TUNING.glance, column]
    return bool((values == np.floor(values)).all())


def _seen(view: View, first: Encoded, second: Encoded) -> tuple[Floats, Floats]:
    """What is seen on both datasets, without what has no number; nothing where there are few values, which
    other scores tell apart one by one."""
    x, y = (np.clip(seen[~np.isnan(seen)], -LARGE, LARGE) for seen in (view.of(first), view.of(second)))
    some = slice(TUNING.glance)
    few = len(np.unique(np.concatenate([x[some], y[some]]))) <= TUNING.parts
    return (x[:0], y[:0]) if few or min(len(x), len(y)) < TUNING.parts else (x, y)


# --- Periods --------------------------------------------------------------------------------------

Wave = tuple[float, Callable[[], tuple[float, float, int]]]
"""The log of the odds against chance; and () → the frequency per unit, a modulus that is a multiple of the
period, and how many cells a period is cut into."""

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
            1.0 / np.arange(3.0, 2.0 * TUNING.glance),
            *(np.arange(1, k // 2 + 1) / k for k in range(3, 2 * math.isqrt(TUNING.glance) + 1)),
        ]
    )
)
"""Turns a unit of the division by every number, for small numbers also their multiples: remainders of 0 and
of 1 hardly differ in one turn of eleven, they differ most in five."""


@family(cost=lambda width, places: 1)
def periods(first: Encoded, second: Encoded) -> Found:
    """Where a number lies within a period: that of the largest Fourier coefficient of outputs on the first
    dataset less those on the second."""
    many = first.is_scalar and len(first) >= 2 * TUNING.some_rows
    bins = TUNING.period_bins if many else TUNING.period_bins // 4
    for view in views(first, logs=True):
        best = max(_waves(*_seen(view, first, second), bins), key=lambda wave: wave[0], default=None)
        # A period that is called found shares the wealth, so it takes more than for other families.
        apart, exactly = (best[0] - 2.0 * TUNING.sure, best[1]) if best else (-math.inf, None)
        yield Candidates(np.array([apart]), lambda _, view=view, exactly=exactly: _phases(view, exactly))


def _phases(view: View, exactly: Any) -> View:
    """The view of where a number lies within the period."""
    frequency, modulus, cells = exactly()

    def phase(e: Encoded) -> Ints:
        turns = np.nan_to_num(np.mod(view.of(e), modulus) * frequency)
        return (np.mod(turns, 1.0) * cells + math.sqrt(TUNING.steady)).astype(np.int64) % cells

    words = view.words, f" modulo {1.0 / frequency:.12g}, in periods,"

    def interval(c: int) -> Words:
        return Interval(f"{c / cells:g}", f"{(c + 1) / cells:g}")

    step = 1.0 / (frequency * cells)
    rounded = view.words, f" modulo {1.0 / frequency:.12g}, rounded down to a multiple of {step:.12g},"
    return View(words, phase, interval, (rounded, lambda e: step * phase(e)))


def _waves(x: Floats, y: Floats, bins: int) -> Iterator[Wave]:
    """The best wave of numbers, that of remainders where they are integers, and the best with one of the
    `ROUND` periods; none for too few numbers, or numbers that are equal or beyond all bounds."""
    if len(x) == 0:
        return
    low, high = np.quantile(np.concatenate([x, y]), [TUNING.outer, 1.0 - TUNING.outer]).tolist()
    width = high - low
    if not TINY < width / TUNING.period_bins < width * TUNING.period_bins < LARGE:
        return
    whole = bool((x == np.floor(x)).all() and (y == np.floor(y)).all())
    if whole:
        # Remainders of the division of integers keep every period that divides the number of bins.
        places = [np.mod(side, bins).astype(np.int64) for side in (x, y)]
        turns, telling, sure = _strongest(places, bins, max(1, math.ceil(TUNING.least * bins / width)))
        yield sure, partial(_of_integers, telling, len(x), turns, bins)
    sides = x[(x >= low) & (x < high)], y[(y >= low) & (y < high)]
    if not whole or width > bins:
        scale = bins / width
        places = [((side - low) * scale).astype(np.int64).clip(0, bins - 1) for side in sides]
        turns, _, sure = _strongest(places, bins, TUNING.least)
        yield sure, partial(_near, sides, width, turns, bins)
    # A double tells no parts of a turn apart where it holds more turns than this.
    most = 1.0 / (np.finfo(np.float64).eps * TUNING.parts**2)
    some = ROUND[(ROUND * width > TUNING.least) & (ROUND * max(abs(low), abs(high)) < most)]
    few = TUNING.first_batch
    if whole:
        # Remainders; more rows, as integers have several numbers of each remainder.
        some = np.concatenate([some[some < 1.0], REMAINDERS[REMAINDERS * width > TUNING.least]])
        few *= 4
    if len(some):
        one, other = (side[:few] for side in sides)
        power = np.square(np.abs(_turned(some, one) - _turned(some, other))) / max(len(one) + len(other), 1)
        turned = float(some[power.argmax()])
        yield float(power.max()) - math.log(len(some)), lambda: (turned, 1 / turned, TUNING.parts)


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


def _of_integers(telling: Ints, count: int, turns: int, bins: int) -> tuple[float, float, int]:
    """The period of integers, from the numbers of turns that are nearly as `telling` as `turns` are."""
    cells = TUNING.parts
    # Of multiples of ten, halves and fifths may be as telling as tenths.
    for more in telling:
        divisor = math.gcd(turns, int(more), bins)
        if bins // divisor <= max(TUNING.parts, count // TUNING.least):
            turns, cells = divisor, bins // divisor
    return turns / bins, float(bins), cells


def _near(sides: tuple[Floats, Floats], width: float, turns: int, bins: int) -> tuple[float, float, int]:
    """The period of other numbers, which need not fit into their range, near that of the bin or near those
    too fast for the bins that look the same."""

    def telling(frequencies: Floats) -> Floats:
        first, second = (_turned(frequencies, side[: 2 * TUNING.glance]) for side in sides)
        return np.abs(first - second)

    alike = np.concatenate([np.arange(4) * bins + turns, np.arange(1, 4) * bins - turns])
    near = (alike[:, None] + np.linspace(-1.0, 1.0, 4 * TUNING.parts + 1)).ravel() / width
    found = telling(near)
    frequency = float(near[int(found.argmax())])
    # A round period that is as telling as the best of its neighbours is what people use.
    rounded = [1.0 / float(f"{1.0 / frequency:.{digits}g}") for digits in (1, 2)]
    round_ones = np.concatenate([ROUND, rounded])
    round_ones = round_ones[np.abs(round_ones - frequency) * width < 0.5]
    good = round_ones[telling(round_ones) >= (1.0 - TUNING.little) * found.max()]
    frequency = float(good[0]) if len(good) else frequency
    return frequency, 1.0 / frequency, TUNING.parts


# --- Crowds ---------------------------------------------------------------------------------------

Cell = tuple[float, float, float]
"""How sure it is beyond chance (minus the log of its odds), its lowest and its highest value."""


@family(cost=lambda width, places: 1, rare=True)
def crowds(first: Encoded, second: Encoded) -> Found:
    """Cells of any width where a number on one dataset crowds, against what holds around them; values that
    repeat among numbers that do not are cells of their own."""
    looked_at = views(first)
    if first.is_scalar and len(first) <= TUNING.retained_rows // 2:
        words = OUTPUT, f" less its {TUNING.decimals} decimals"
        looked_at.append(View(words, lambda e: off_grid(e.values[:, 0])))
    luck = math.log(max(len(looked_at), 1))
    for view in looked_at:
        found = _crowded(*_seen(view, first, second), luck)
        # What a cell must reach is judged cell by cell: one is found, or none.
        apart = max((cell[0] for cell in found), default=-math.inf) + luck + TUNING.sure
        yield Candidates(np.array([apart]), lambda _, view=view, found=found: _cells(view, found))


def _cells(view: View, found: list[Cell]) -> View:
    """The view of which of these cells a number lies in."""
    low, high = (np.array(part) for part in list(zip(*found, strict=True))[1:])

    def cell(e: Encoded) -> Ints:
        values = view.of(e)
        place = np.full(len(values), len(low))
        for c, (a, b) in enumerate(zip(low, high, strict=True)):
            place[(values >= a) & (values <= b)] = c
        return place

    def words(c: int) -> Words:
        if c == len(low):
            return "(anything else)"
        a, b = number_words(low[c]), number_words(high[c])
        return Elements((a,)) if a == b else f"[{a}, {b}]"

    return View(view.words, cell, words)


def _crowded(x: Floats, y: Floats, luck: float) -> list[Cell]:
    """Cells of a number that tell the datasets apart; `luck` is the log of how many numbers are looked at."""
    if len(x) == 0:
        return []
    x, y = np.sort(x), np.sort(y)
    pooled = np.sort(np.concatenate([x, y]), kind="stable")  # which merges what is sorted
    found = _values(x, y, pooled, luck)
    # A crowd around a value that repeats is that value.
    found += [
        cell for cell in _intervals(x, pooled, luck) if not any(cell[1] <= v <= cell[2] for _, v, _ in found)
    ]
    return sorted(found, key=lambda cell: cell[1])


def _values(x: Floats, y: Floats, pooled: Floats, luck: float) -> list[Cell]:
    """Values that repeat where hardly any does, and tell the datasets apart."""
    again = np.unique(pooled[2:][pooled[2:] == pooled[:-2]])
    if not 0 < len(again) <= TUNING.few_values or np.mean(pooled[1:] == pooled[:-1]) > TUNING.little:
        return []
    a, b = (np.searchsorted(s, again, "right") - np.searchsorted(s, again, "left") for s in (x, y))
    sure = of_split(a, b, 0.5) - math.log(len(again)) - luck
    return [(float(s), float(v), float(v)) for s, v in zip(sure, again, strict=True) if s > 0.5 * TUNING.sure]


def _intervals(x: Floats, pooled: Floats, luck: float) -> list[Cell]:
    """Disjoint intervals of pooled samples that hold more, or fewer, of the first dataset than is around.

    Intervals much narrower than what is around them are few, and how narrow an interval is says nothing about
    the datasets: such intervals are compared with chance among themselves, and need less to be told.
    """
    total = len(pooled)
    # How many of the first so many pooled samples are of the first dataset, but for ties.
    among = np.concatenate([[0], np.searchsorted(x, pooled, side="right")])
    parts: list[Floats] = []
    scale = TUNING.least
    while scale * TUNING.parts <= total:
        starts = np.arange(0, total - scale + 1, max(scale // 2, 1))
        # What lies around: so many times as many samples, without those of the interval.
        around = TUNING.parts // 2 * scale
        left, right = np.maximum(starts - around, 0), np.minimum(starts + scale + around, total)
        a = np.clip(among[starts + scale] - among[starts], 0, scale)
        others = np.clip(among[right] - among[left] - a, 0, right - left - scale)
        share = (others + 1.0) / (right - left - scale + 2.0)
        low, high = pooled[starts], pooled[starts + scale - 1]
        # Of the samples below and above the interval those that lie closer say how wide it would be usually.
        usual = np.minimum(
            (low - pooled[left]) / np.maximum(starts - left, 1),
            (pooled[right - 1] - high) / np.maximum(right - starts - scale, 1),
        )
        narrow = (high - low < TUNING.little * scale * usual).astype(np.float64)
        parts.append(np.stack([of_split(a, scale - a, share), low, high, narrow]))
        scale *= 2
    if not parts:
        return []
    sure, low, high, narrow = np.concatenate(parts, axis=1)
    for kind in (narrow == 0.0, narrow == 1.0):
        sure[kind] -= luck + math.log(max(np.count_nonzero(kind), 1))
    left = np.flatnonzero(sure > TUNING.sure * np.where(narrow == 1.0, 0.5, 1.0))
    left = left[np.argsort(-sure[left])]
    chosen: list[Cell] = []
    while len(left) and len(chosen) < TUNING.parts:
        a, b = float(low[left[0]]), float(high[left[0]])
        chosen.append((float(sure[left[0]]), a, b))
        left = left[(high[left] < a) | (low[left] > b)]
    return chosen
