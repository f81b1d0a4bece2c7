"""Scores for what no tail and no wide interval shows: periods, narrow modes and rare values of single
numbers, and the parity of the signs of several columns.

Each of them says nothing unless it finds something that chance hardly explains: a score that is always there
would take its share of the wealth from the others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.outputs import Encoded
from audits.privacy.scores import Score, of_cells
from audits.privacy.tuning import TUNING

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]


def period(first: Encoded, second: Encoded) -> Score | None:
    """Where an output lies within a period: that of the largest Fourier coefficient of outputs on the first
    dataset less those on the second."""
    if not first.is_scalar or len(first) < TUNING.hidden_least:
        return None
    x, y = first.values[:, 0], second.values[:, 0]
    frequency = _frequency(x, y)
    if frequency is None:
        return None

    def phase(e: Encoded) -> Ints:
        return (np.mod(e.values[:, 0] * frequency, 1.0) * TUNING.phases).astype(np.int64) % TUNING.phases

    def words(c: int) -> str:
        return f"[{c / TUNING.phases:g}, {(c + 1) / TUNING.phases:g})"

    what = f"output modulo {1.0 / frequency:.6g}, in periods,"
    return of_cells("period", phase, words, first, second, what)


def _frequency(x: Floats, y: Floats) -> float | None:
    """Turns a unit of the most telling period; None where chance may explain it."""
    low, high = np.quantile(np.concatenate([x, y]), [0.02, 0.98])
    width = float(high - low)
    if not 0.0 < width < 1e290:
        return None
    inside = [side[(side >= low) & (side < high)] for side in (x, y)]
    bins = TUNING.period_bins
    places = [((side - low) * (bins / width)).astype(np.int64).clip(0, bins - 1) for side in inside]
    counts = [np.bincount(place, minlength=bins) for place in places]
    total = len(inside[0]) + len(inside[1])
    power = np.square(np.abs(np.fft.rfft((counts[0] - counts[1]).astype(np.float64)))) / max(total, 1)
    # Slow waves are differences of the laws at large, which tails and intervals show. Without a difference
    # the power is exponential of mean 1.
    power[: TUNING.crowd_coarse] = 0.0
    best = int(power.argmax())
    if power[best] < np.log(TUNING.period_bins / 2) + TUNING.sure + 4.0:
        return None
    # The period need not fit into the range: the best frequency near that of the bin.
    near = (best + np.linspace(-1.0, 1.0, TUNING.period_steps)) / width
    sums = [np.exp(2j * np.pi * near[:, None] * side[None, :4096]).sum(axis=1) for side in inside]
    return float(near[int(np.abs(sums[0] - sums[1]).argmax())])


def modes(first: Encoded, second: Encoded) -> Score | None:
    """Cells of any width where outputs on one dataset crowd, against what holds around them; values that
    repeat among numbers that do not are cells of their own."""
    if not first.is_scalar or len(first) < TUNING.hidden_least:
        return None
    x, y = np.sort(first.values[:, 0]), np.sort(second.values[:, 0])
    found = _values(x, y)
    # A crowd around a value that repeats is that value.
    found += [cell for cell in _crowds(x, y) if not any(cell[0] <= v <= cell[1] for v, _ in found)]
    if not found:
        return None
    low, high = (np.array(part) for part in zip(*found, strict=True))

    def cell(e: Encoded) -> Ints:
        values = e.values[:, 0]
        place = np.full(len(values), len(low))
        for c, (a, b) in enumerate(zip(low, high, strict=True)):
            place[(values >= a) & (values <= b)] = c
        return place

    def words(c: int) -> str:
        if c == len(low):
            return "(anything else)"
        return f"{{{low[c]:.9g}}}" if low[c] == high[c] else f"[{low[c]:.9g}, {high[c]:.9g}]"

    return of_cells("modes", cell, words, first, second)


def _values(x: Floats, y: Floats) -> list[tuple[float, float]]:
    """Values that repeat where hardly any does, (v, v), and tell the datasets apart."""
    unique, counts = np.unique(np.concatenate([x, y]), return_counts=True)
    if len(unique) < 0.9 * (len(x) + len(y)):
        return []
    repeated = unique[counts > 2]
    if not 0 < len(repeated) <= TUNING.few_values:
        return []
    a = np.searchsorted(x, repeated, "right") - np.searchsorted(x, repeated, "left")
    b = np.searchsorted(y, repeated, "right") - np.searchsorted(y, repeated, "left")
    telling = _surprise(a, b, 0.5) > np.log(len(repeated)) + 0.5 * TUNING.sure
    return [(float(v), float(v)) for v in repeated[telling]]


def _crowds(x: Floats, y: Floats) -> list[tuple[float, float]]:
    """Intervals (low, high) of pooled samples that hold more of one dataset than is around."""
    pooled = np.sort(np.concatenate([x, y]))
    total = len(pooled)
    scales = [TUNING.crowd_least]
    while 2 * scales[-1] * TUNING.crowd_coarse <= total:
        scales.append(2 * scales[-1])
    blocks = sum(2 * total // scale for scale in scales)
    found: list[tuple[float, float, float]] = []
    for scale in scales:
        starts = np.arange(0, total - scale + 1, max(scale // 2, 1))
        low, high = pooled[starts], pooled[starts + scale - 1]
        a = np.searchsorted(x, high, "right") - np.searchsorted(x, low, "left")
        b = np.searchsorted(y, high, "right") - np.searchsorted(y, low, "left")
        # What lies around: sixteen times as many samples, without those of the interval.
        left = pooled[np.maximum(starts - 8 * scale, 0)]
        right = pooled[np.minimum(starts + 9 * scale, total) - 1]
        around_a = np.searchsorted(x, right, "right") - np.searchsorted(x, left, "left") - a
        around_b = np.searchsorted(y, right, "right") - np.searchsorted(y, left, "left") - b
        share = (around_a + 1.0) / (around_a + around_b + 2.0)
        surprise = _surprise(a, b, share)
        for i in np.flatnonzero(surprise > np.log(blocks) + TUNING.sure):
            found.append((float(surprise[i]), float(low[i]), float(high[i])))
    found.sort(reverse=True)
    chosen: list[tuple[float, float]] = []
    for _, low, high in found:
        if len(chosen) < TUNING.crowd_coarse and not any(low <= b and a <= high for a, b in chosen):
            chosen.append((low, high))
    return chosen


def _surprise(a: Ints, b: Ints, share: Any) -> Floats:
    """n·KL(a/n ‖ share), n = a + b: about minus the log of the probability of so uneven a split."""
    from scipy.special import xlogy

    n = np.maximum(a + b, 1)
    p = a / n
    return n * (xlogy(p, p / share) + xlogy(1.0 - p, (1.0 - p) / (1.0 - share)))


def parity(first: Encoded, second: Encoded) -> Score | None:
    """Whether an even number of some columns exceed their averages: of all columns, or of three of few.

    Columns of which any proper part is independent of the dataset show nothing one by one nor in pairs; the
    sign of their product may still tell the datasets apart, as a checksum does.
    """
    a, b = first.columns()[: TUNING.most_fitted], second.columns()[: TUNING.most_fitted]
    width = a.shape[1]
    if width < 3 or len(a) < TUNING.parity_least:
        return None
    middle = np.vstack([a, b]).mean(axis=0)
    sets = [tuple(range(width))]
    if 3 < width <= TUNING.most_tripled:
        sets += list(itertools.combinations(range(width), 3))
    above = [v > middle for v in (a, b)]
    p, q = (np.array([_odd(v, chosen).mean() for chosen in sets]) for v in above)
    spread = np.sqrt((p * (1.0 - p) + q * (1.0 - q)) / len(a) + 1.0 / len(a) ** 2)
    telling = np.abs(p - q) / spread
    best = int(telling.argmax())
    # A normal deviate exceeds √(2·log(k/p)) with probability below p/k; so many sets are looked at.
    if telling[best] < math.sqrt(2.0 * (math.log(len(sets)) + TUNING.sure)):
        return None
    chosen = sets[best]
    names = "all columns" if len(chosen) == width else f"columns {', '.join(map(str, chosen))}"
    return of_cells(
        "parity",
        lambda e: _odd(e.columns() > middle, chosen).astype(np.int64),
        lambda c: ("the even numbers", "the odd numbers")[c],
        first,
        second,
        f"the number of those among {names} that exceed their averages",
    )


def equal(first: Encoded, second: Encoded) -> Score | None:
    """How many columns repeat the value of another column of the same output."""
    a, b = first.values[: TUNING.most_fitted], second.values[: TUNING.most_fitted]
    if a.shape[1] < 2 or len(a) < TUNING.parity_least:
        return None

    def repeats(v: Floats) -> Ints:
        return np.count_nonzero(np.diff(np.sort(v, axis=1), axis=1) == 0.0, axis=1).astype(np.int64)

    x, y = repeats(a), repeats(b)
    telling = abs(float(x.mean() - y.mean())) / math.sqrt((x.var() + y.var()) / len(a) + 1.0 / len(a) ** 2)
    if telling < math.sqrt(2.0 * TUNING.sure):
        return None
    what = "the number of columns that repeat another one"
    return of_cells("equal", lambda e: repeats(e.values), str, first, second, what)


def _odd(above: NDArray[np.bool_], chosen: Sequence[int]) -> NDArray[np.bool_]:
    return np.bitwise_xor.reduce(above[:, list(chosen)], axis=1)
