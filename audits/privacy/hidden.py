"""Scores for what no tail and no wide interval shows: periods, narrow modes and rare values, what sums up
several columns, and the parity of their signs.

Each of them says nothing unless it finds something that chance hardly explains: a score that is always there
would take its share of the wealth from the others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy import scores
from audits.privacy.outputs import LARGE, Encoded, Floats, Ints, column_words, number_words
from audits.privacy.scores import Score, of_cells
from audits.privacy.tuning import TUNING

Signs = NDArray[np.bool_]


# --- Views -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class View:
    """One number of each output, and what it is."""

    words: str
    of: Callable[[Encoded], Floats]


def _numbers(e: Encoded) -> Floats:
    return np.clip(e.values, -1e100, 1e100)


def _lead(e: Encoded) -> Floats:
    top = np.partition(_numbers(e), -2, axis=1)
    return top[:, -1] - top[:, -2]


def _longest_run(e: Encoded) -> Floats:
    run, longest = np.zeros(len(e)), np.zeros(len(e))
    for rises in (np.diff(_numbers(e)) > 0.0).T:
        run = np.where(rises, run + 1.0, 0.0)
        longest = np.maximum(longest, run)
    return longest


def _gaps(e: Encoded) -> Floats:
    return np.diff(np.sort(_numbers(e), axis=1), axis=1)


def _repeats(e: Encoded) -> Floats:
    return 1.0 * (_gaps(e) == 0.0).sum(axis=1)


def _off_grid(e: Encoded) -> Floats:
    numbers = _numbers(e)
    return numbers - np.rint(numbers * 1e6) / 1e6


WHOLE = (
    View("the sum of all numbers", lambda e: _numbers(e).sum(axis=1)),
    View("the root of the sum of squares", lambda e: np.sqrt(np.square(_numbers(e)).sum(axis=1))),
    View("the largest number less the second", _lead),
)
DIFFERENCE = View("the first number less the second", lambda e: _numbers(e) @ [1.0, -1.0])
SUMMARIES = (
    *WHOLE,
    View("the place of the largest number", lambda e: e.values.argmax(axis=1).astype(np.float64)),
    View("the place of the smallest number", lambda e: e.values.argmin(axis=1).astype(np.float64)),
    View("how many numbers are positive", lambda e: 1.0 * (e.values > 0.0).sum(axis=1)),
    View("how many numbers exceed the one before", lambda e: 1.0 * (np.diff(_numbers(e)) > 0.0).sum(axis=1)),
    View("how many numbers in a row exceed the one before", _longest_run),
    View(
        "how many numbers have another sign than the one before",
        lambda e: 1.0 * (np.diff(np.sign(e.values), axis=1) != 0.0).sum(axis=1),
    ),
    View("the smallest number but for its sign", lambda e: np.abs(_numbers(e)).min(axis=1)),
    View("how many numbers are multiples of 1e-06", lambda e: 1.0 * (_off_grid(e) == 0.0).sum(axis=1)),
    View("how many numbers repeat another one", _repeats),
    View("the smallest difference between two numbers", lambda e: _gaps(e).min(axis=1)),
)
"""What is looked at of outputs of several numbers beside the numbers themselves."""


ROUNDED = View("output less the nearest multiple of 1e-06", lambda e: _off_grid(e)[:, 0])
"""Outputs that are rounded now and then are 0 here."""


def _column(shape: tuple[int, int], column: int) -> View:
    if shape == (1, 1):
        # A symbol has no number.
        return View("output", lambda e: np.where(e.codes[:, 0] > 0, np.nan, e.values[:, 0]))
    return View("output" if shape == (1, 0) else column_words(shape, column), lambda e: e.values[:, column])


def _both(view: View, first: Encoded, second: Encoded) -> tuple[Floats, Floats]:
    """What is seen on both datasets, without what has no number; nothing where there are few values, which
    other scores tell apart one by one."""
    x, y = (np.clip(seen[~np.isnan(seen)], -LARGE, LARGE) for seen in (view.of(first), view.of(second)))
    some = slice(TUNING.most_distinct)
    few = len(np.unique(np.concatenate([x[some], y[some]]))) <= TUNING.few_cells
    return (x[:0], y[:0]) if few else (x, y)


def views(e: Encoded) -> list[View]:
    """The columns of numbers, where there are too many another choice of them for each number of samples;
    and what sums them up, but for the many samples that only rare events are learned from."""
    width = e.shape[0]
    most = min(TUNING.most_viewed, max(1, TUNING.most_numbers // max(len(e), 1)))
    some = scores.some_columns(width, most, len(e))
    looked_at = [_column(e.shape, int(j)) for j in some]
    if width > 1 and len(e) <= TUNING.retained_rows // 2:
        looked_at += [*WHOLE, DIFFERENCE] if width == 2 else WHOLE
    return looked_at


def _relations(first: Encoded, second: Encoded) -> Iterator[View]:
    """A linear combination of the numbers for each dataset on which it is constant, but not on the other."""
    width = first.shape[0]
    rows = slice(0, max(256, 2 * width))
    if not width + 1 < len(first) or width > TUNING.most_paired:
        return
    sides = [_numbers(e.take(rows)) for e in (first, second)]
    scale = np.concatenate(sides).std(axis=0)
    scale[scale == 0.0] = 1.0
    squares = [np.cov(side / scale, rowvar=False) for side in sides]
    for one, other in (squares, squares[::-1]):
        sizes, directions = np.linalg.eigh(one)
        constant = directions[:, sizes <= TUNING.constant]
        if constant.shape[1] == 0:
            continue
        sizes, best = np.linalg.eigh(constant.T @ other @ constant)
        if sizes[-1] > TUNING.constant**0.5:
            weights = constant @ best[:, -1] / scale
            weights /= weights[np.abs(weights).argmax()]
            yield View(_sum_words(weights), lambda e, w=weights: _numbers(e) @ w)


def _signed_sums(width: int) -> Floats:
    """Coefficients of the columns: those of a column against all others, as their sum or their average, and
    −1, 0 and 1 in all choices for few columns, of every two for more."""
    one = np.eye(width)
    against = np.concatenate([1.0 - 2.0 * one, 1.0 - width * one])
    if width <= TUNING.most_signed:
        every = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=width)))
        # Of a sum and its negative only the second in this order is kept.
        every = every[len(every) // 2 + 1 :]
        return np.concatenate([every[(every != 0.0).sum(axis=1) > 1], against])
    i, j = np.triu_indices(width, 1)
    return np.concatenate([one[i] + one[j], one[i] - one[j], against])


def _vanishing(first: Encoded, second: Encoded) -> Iterator[View]:
    """The sum or difference of columns that is 0 more often on one dataset, say that of a total and its
    parts."""
    width = first.shape[0]
    if width > TUNING.most_tripled:
        return
    sums = _signed_sums(width)

    def vanishes(e: Encoded, weights: Floats) -> Floats:
        numbers = _numbers(e)
        return 1.0 * (np.abs(numbers @ weights.T) <= 1e-9 * (np.abs(numbers) @ np.abs(weights.T)))

    rows = slice(0, max(TUNING.parity_least, int(TUNING.most_numbers / len(sums))))
    a, b = (vanishes(e.take(rows), sums) for e in (first, second))
    telling = _apart(1.0 - 2.0 * a.mean(axis=0), 1.0 - 2.0 * b.mean(axis=0), len(a))
    best = int(telling.argmax())
    if telling[best] >= _beyond_chance(len(sums)):
        weights = sums[best]
        yield View(f"(1 where {_sum_words(weights)} is 0)", lambda e: vanishes(e, weights))


def _sum_words(weights: Floats) -> str:
    if len(weights) > scores.SHOWN and (weights == 1.0).sum() == len(weights) - 1:
        times = -weights.min()
        one = f"(column {weights.argmin()})"
        return f"the sum of all other numbers − {one if times == 1.0 else f'{times:g}·{one}'}"
    largest = np.sort(np.argsort(-np.abs(weights))[: scores.SHOWN])
    terms = [
        f"{'−' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w):.4g}·'}(column {j})"
        for j, w in zip(largest, weights[largest], strict=True)
        if w != 0.0
    ]
    left = np.count_nonzero(weights) - len(terms)
    return " ".join(terms).removeprefix("+ ") + (f" and {left} further terms" if left else "")


def _beyond_chance(number: int) -> float:
    """Standard errors that the largest of so many differences hardly reaches by chance: a normal deviate
    exceeds √(2·log(k/p)) with probability below p/k."""
    return math.sqrt(2.0 * (math.log(number) + TUNING.sure))


def summary(first: Encoded, second: Encoded) -> Score | None:
    """The one of `SUMMARIES` that tells the datasets apart best, cut into cells."""
    if first.shape[0] < 2 or len(first) < TUNING.parity_least:
        return None
    # What two numbers tell together is in reach of `scores.smooth`, but for whether they are nearly equal.
    known = [
        *(SUMMARIES if first.shape[0] > 2 else SUMMARIES[-3:]),
        *_relations(first, second),
        *_vanishing(first, second),
    ]
    some = slice(0, max(256, TUNING.most_numbers // first.shape[0]))
    a, b = (np.stack([view.of(e.take(some)) for view in known], axis=1) for e in (first, second))
    telling = scores.telling(a, b)
    best = int(telling.argmax())
    if telling[best] < _beyond_chance(len(known)):
        return None
    view = known[best]
    return scores.of_number("summary", view.of, view.words, first, second)


# --- Periods -----------------------------------------------------------------------------------------


def period(first: Encoded, second: Encoded) -> Score | None:
    """Where a number lies within a period: that of the largest Fourier coefficient of outputs on the first
    dataset less those on the second."""
    looked_at = views(first)
    if first.is_scalar and not _are_whole(first.values):
        looked_at.append(View("log |output|", lambda e: np.log(np.abs(e.values[:, 0]) + 1e-300)))
    many = first.is_scalar and len(first) >= TUNING.fine_from
    bins = TUNING.period_bins if many else TUNING.period_bins // 4
    rows = max(TUNING.round_rows[1], TUNING.round_rows[0] // max(len(looked_at), 1))
    found = [wave for view in looked_at for wave in _waves(view, *_both(view, first, second), bins, rows)]
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
        # Minutes, hours and days, in seconds down to nanoseconds.
        1.0 / np.outer([60.0, 3600.0, 86400.0], [1.0, 1e3, 1e6, 1e9]).ravel(),
    ]
)
"""Turns a unit of the grids that outputs are rounded to, often far finer than the bins of a range; and of the
clock."""


def _are_whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _waves(view: View, x: Floats, y: Floats, bins: int, rows: int) -> Iterator[_Wave]:
    """The best wave of a view, that of remainders where the numbers are integers, and the best with one of
    the `ROUND` periods, which is looked for in so many rows; none for too few numbers, or numbers that are
    equal or beyond all bounds."""
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
        turns, telling, sure = _strongest(places, bins, max(1, math.ceil(TUNING.least_turns * bins / width)))
        yield _Wave(view, sure, partial(_whole, telling, len(x), turns, bins))
    sides = x[(x >= low) & (x < high)], y[(y >= low) & (y < high)]
    if not whole or width > bins:
        scale = bins / width
        places = [((side - low) * scale).astype(np.int64).clip(0, bins - 1) for side in sides]
        turns, _, sure = _strongest(places, bins, TUNING.least_turns)
        yield _Wave(view, sure, partial(_near, sides, width, turns, bins))
    # A double tells no parts of a turn apart where it holds more turns than this.
    some = ROUND[(ROUND * width > TUNING.least_turns) & (ROUND * max(abs(low), abs(high)) < 2.0**44)]
    if whole:
        # Every divisor up to some size; more rows, as integers have several numbers of each remainder.
        most = min(TUNING.divisors, width / TUNING.least_turns)
        some = np.concatenate([some[some < 1.0], 1.0 / np.arange(3.0, most)])
        rows *= 4
    if len(some):
        few = [side[:rows] for side in sides]
        power = np.square(np.abs(_turned(some, few[0]) - _turned(some, few[1])))
        power /= max(len(few[0]) + len(few[1]), 1)
        turned = float(some[power.argmax()])
        yield _Wave(
            view, float(power.max()) - math.log(len(some)), lambda: (turned, 1 / turned, TUNING.phases)
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
    cells = TUNING.phases
    # Of multiples of ten, halves and fifths may be as telling as tenths.
    for more in telling:
        divisor = math.gcd(turns, int(more), bins)
        if bins // divisor <= max(TUNING.phases, rows // TUNING.crowd_least):
            turns, cells = divisor, bins // divisor
    return turns / bins, float(bins), cells


def _near(sides: tuple[Floats, Floats], width: float, turns: int, bins: int) -> tuple[float, float, int]:
    """The period of other numbers, which need not fit into their range, near that of the bin or near those
    too fast for the bins that look the same."""
    alike = np.concatenate([np.arange(4) * bins + turns, np.arange(1, 4) * bins - turns])
    near = (alike[:, None] + np.linspace(-1.0, 1.0, TUNING.period_steps)).ravel() / width
    sums = [_turned(near, side[:1024]) for side in sides]
    frequency = float(near[int(np.abs(sums[0] - sums[1]).argmax())])
    return frequency, 1.0 / frequency, TUNING.phases


# --- Narrow modes and rare values --------------------------------------------------------------------


def modes(first: Encoded, second: Encoded) -> Score | None:
    """Cells of any width where a number on one dataset crowds, against what holds around them; values that
    repeat among numbers that do not are cells of their own."""
    looked_at = views(first)
    if first.is_scalar and len(first) <= TUNING.retained_rows // 2:
        looked_at.append(ROUNDED)
    luck = math.log(max(len(looked_at), 1))
    crowded = [(_crowded(*_both(view, first, second), luck), view) for view in looked_at]
    crowded = [both for both in crowded if both[0]]
    if not crowded:
        return None
    found, view = max(crowded, key=lambda both: max(both[0])[0])
    low, high = (np.array(part) for part in list(zip(*found, strict=True))[1:])

    def cell(e: Encoded) -> Ints:
        values = view.of(e)
        place = np.full(len(values), len(low))
        for c, (a, b) in enumerate(zip(low, high, strict=True)):
            place[(values >= a) & (values <= b)] = c
        return place

    def words(c: int) -> str:
        if c == len(low):
            return "(anything else)"
        a, b = number_words(low[c]), number_words(high[c])
        return f"{{{a}}}" if a == b else f"[{a}, {b}]"

    return of_cells("modes", cell, words, first, second, view.words)


Cells = list[tuple[float, float, float]]
"""How sure each of them is beyond chance (minus the log of its odds), its lowest and its highest value."""


def _crowded(x: Floats, y: Floats, luck: float) -> Cells:
    """Cells of a number that tell the datasets apart; `luck` is the log of how many numbers are looked at."""
    if min(len(x), len(y)) < TUNING.hidden_least:
        return []
    x, y = np.sort(x), np.sort(y)
    pooled = np.sort(np.concatenate([x, y]), kind="stable")  # which merges what is sorted
    found = _values(x, y, pooled, luck)
    # A crowd around a value that repeats is that value.
    found += [
        cell for cell in _crowds(x, pooled, luck) if not any(cell[1] <= v <= cell[2] for _, v, _ in found)
    ]
    return sorted(found, key=lambda cell: cell[1])


def _values(x: Floats, y: Floats, pooled: Floats, luck: float) -> Cells:
    """Values that repeat where hardly any does, and tell the datasets apart."""
    again = np.unique(pooled[2:][pooled[2:] == pooled[:-2]])
    if not 0 < len(again) <= TUNING.few_values or np.mean(pooled[1:] == pooled[:-1]) > 0.1:
        return []
    a, b = (np.searchsorted(s, again, "right") - np.searchsorted(s, again, "left") for s in (x, y))
    sure = _surprise(a, b, 0.5) - math.log(len(again)) - luck
    return [(float(s), float(v), float(v)) for s, v in zip(sure, again, strict=True) if s > 0.5 * TUNING.sure]


def _crowds(x: Floats, pooled: Floats, luck: float) -> Cells:
    """Disjoint intervals of pooled samples that hold more, or fewer, of the first dataset than is around.

    Intervals much narrower than what is around them are few, and how narrow an interval is says nothing about
    the datasets: such intervals are compared with chance among themselves, and need less to be told.
    """
    total = len(pooled)
    # How many of the first so many pooled samples are of the first dataset, but for ties.
    among = np.concatenate([[0], np.searchsorted(x, pooled, side="right")])
    parts: list[Floats] = []
    scale = TUNING.crowd_least
    while scale * TUNING.crowd_coarse <= total:
        starts = np.arange(0, total - scale + 1, max(scale // 2, 1))
        # What lies around: sixteen times as many samples, without those of the interval.
        left, right = np.maximum(starts - 8 * scale, 0), np.minimum(starts + 9 * scale, total)
        a = np.clip(among[starts + scale] - among[starts], 0, scale)
        others = np.clip(among[right] - among[left] - a, 0, right - left - scale)
        share = (others + 1.0) / (right - left - scale + 2.0)
        low, high = pooled[starts], pooled[starts + scale - 1]
        # Of the samples below and above the interval those that lie closer say how wide it would be usually.
        usual = np.minimum(
            (low - pooled[left]) / np.maximum(starts - left, 1),
            (pooled[right - 1] - high) / np.maximum(right - starts - scale, 1),
        )
        narrow = (high - low < TUNING.narrow * scale * usual).astype(np.float64)
        parts.append(np.stack([_surprise(a, scale - a, share), low, high, narrow]))
        scale *= 2
    if not parts:
        return []
    sure, low, high, narrow = np.concatenate(parts, axis=1)
    for kind in (narrow == 0.0, narrow == 1.0):
        sure[kind] -= luck + math.log(max(np.count_nonzero(kind), 1))
    left = np.flatnonzero(sure > TUNING.sure * np.where(narrow == 1.0, 0.5, 1.0))
    left = left[np.argsort(-sure[left])]
    chosen: Cells = []
    while len(left) and len(chosen) < TUNING.crowd_coarse:
        a, b = float(low[left[0]]), float(high[left[0]])
        chosen.append((float(sure[left[0]]), a, b))
        left = left[(high[left] < a) | (low[left] > b)]
    return chosen


def _surprise(a: Ints, b: Ints, share: Any) -> Floats:
    """n·KL(a/n ‖ share), n = a + b: about minus the log of the probability of so uneven a split."""
    from scipy.special import xlogy

    n = np.maximum(a + b, 1)
    p = a / n
    # The divergence is at most that of χ²; logarithms of nearly all splits need not be taken.
    found = n * np.square(p - share) / (share * (1.0 - share))
    high = found > 0.5 * TUNING.sure
    n, p, share = n[high], p[high], np.broadcast_to(share, p.shape)[high]
    found[high] = n * (xlogy(p, p / share) + xlogy(1.0 - p, (1.0 - p) / (1.0 - share)))
    return found


# --- Signs -------------------------------------------------------------------------------------------


def parity(first: Encoded, second: Encoded) -> Score | None:
    """Whether an even number of some columns exceed their averages: of any two or more where there are few
    columns, otherwise of two or three of them or of all.

    Columns of which any proper part is independent of the dataset show nothing one by one nor in pairs; the
    sign of their product may still tell the datasets apart, as a checksum does.
    """
    a, b = first.columns()[: TUNING.most_fitted], second.columns()[: TUNING.most_fitted]
    width = a.shape[1]
    if width < 3 or len(a) < TUNING.parity_least:
        return None
    pooled = np.clip(np.vstack([a, b]), -1e100, 1e100)
    middle = pooled.mean(axis=0)
    # A sign is that of the number itself wherever its average may be 0.
    middle[np.abs(middle) < 3.0 * pooled.std(axis=0) / math.sqrt(len(pooled))] = 0.0
    above = a > middle, b > middle
    found = [_any_product(*above)] if width <= TUNING.most_joint else _some_products(*above)
    number = sum(len(telling) for telling, _ in found)
    telling, columns_of = max(found, key=lambda some: some[0].max())
    if telling.max() < _beyond_chance(number):
        return None
    chosen = columns_of(int(telling.argmax()))
    names = "all columns" if len(chosen) == width else ", ".join(column_words(first.shape, j) for j in chosen)
    above = "exceed their averages" if middle[chosen].any() else "are positive"
    return of_cells(
        "parity",
        lambda e: _odd((e.columns() > middle)[:, chosen]).astype(np.int64),
        lambda c: ("the even ones", "the odd ones")[c],
        first,
        second,
        f"how many of {names} {above}",
    )


Products = tuple[Floats, Callable[[int], Ints]]
"""How well the products of signs of some choices of columns tell the datasets apart, in standard errors; and
the number of a choice → its columns."""


def _any_product(a: Signs, b: Signs) -> Products:
    """All choices of at least two columns."""
    bits = np.arange(a.shape[1])
    choices = np.arange(2 ** len(bits))
    some = choices[((choices[:, None] >> bits) & 1).sum(axis=1) > 1]
    p, q = (_every_product(above)[some] for above in (a, b))
    return _apart(p, q, len(a)), lambda best: np.flatnonzero((some[best] >> bits) & 1)


def _every_product(above: Signs) -> Floats:
    """Averages of the products of signs for every choice of columns, whose number has their bits: the Walsh
    transform of the shares of all patterns."""
    bits = np.arange(above.shape[1])
    found = np.bincount(above @ (1 << bits), minlength=2 ** len(bits)) / len(above)
    for bit in bits:
        even, odd = found.reshape(-1, 2, 2**bit).transpose(1, 0, 2)
        found = np.stack([even + odd, even - odd], axis=1).ravel()
    return found


def _some_products(a: Signs, b: Signs) -> list[Products]:
    """All columns together; and every two or three of them, or of another choice of them for each fit."""
    width = a.shape[1]
    p, q = (np.atleast_1d(np.mean(1.0 - 2.0 * _odd(above))) for above in (a, b))
    every = _apart(p, q, len(a)), lambda best: np.arange(width)
    some = scores.some_columns(width, TUNING.most_tripled, len(a))
    # A product of so many columns takes rows × columns³ steps.
    rows = slice(0, max(256, int(TUNING.most_work / len(some) ** 3)))
    triples = np.array(list(itertools.combinations(range(len(some) + 1), 3)))
    # With a last column that never exceeds anything three columns are two.
    p, q = (_products(np.pad(above[rows][:, some], ((0, 0), (0, 1))), triples) for above in (a, b))
    return [
        every,
        (_apart(p, q, len(a[rows])), lambda best: some[triples[best][triples[best] < len(some)]]),
    ]


def _apart(p: Floats, q: Floats, size: int) -> Floats:
    """How far averages of signs on two datasets are apart, in standard errors."""
    return np.abs(p - q) / np.sqrt((2.0 - p * p - q * q) / size + 1.0 / size**2)


def _products(above: Signs, triples: Ints) -> Floats:
    """Averages of the products of three signs, for each triple of columns."""
    signs = np.where(above, np.float32(-1.0), np.float32(1.0))
    every = np.stack([(signs * signs[:, i, None]).T @ signs for i in range(signs.shape[1])])
    return every[tuple(triples.T)].astype(np.float64) / len(signs)


def _odd(above: Signs) -> Signs:
    return np.bitwise_xor.reduce(above, axis=1)
