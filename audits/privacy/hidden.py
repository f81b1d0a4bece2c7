"""Scores for what no tail and no wide interval shows: periods, narrow modes and rare values of a number or of
a column, and the parity of the signs of several columns.

Each of them says nothing unless it finds something that chance hardly explains: a score that is always there
would take its share of the wealth from the others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.outputs import Encoded, column_words
from audits.privacy.scores import Score, of_cells
from audits.privacy.tuning import TUNING

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]


def period(first: Encoded, second: Encoded) -> Score | None:
    """Where a number lies within a period: that of the largest Fourier coefficient of outputs on the first
    dataset less those on the second."""
    return _best_column("period", _period, first, second)


def modes(first: Encoded, second: Encoded) -> Score | None:
    """Cells of any width where outputs on one dataset crowd, against what holds around them; values that
    repeat among numbers that do not are cells of their own."""
    return _best_column("modes", _modes, first, second)


@dataclass(frozen=True, slots=True)
class _Partition:
    """Cells of a number, the last of which is for what is no number; and how surely chance does not explain
    them: minus the log of its odds, less that of the number of places looked at."""

    sure: float
    cells: int
    cell: Callable[[Floats], Ints]
    words: Callable[[int], str]
    what: str


def _best_column(
    name: str, find: Callable[[Floats, Floats, int], _Partition | None], first: Encoded, second: Encoded
) -> Score | None:
    """The surest partition of a column: of the output itself, or of some columns of wide outputs."""
    columns = np.arange(first.shape[0])
    most = max(1, min(TUNING.hidden_columns, TUNING.hidden_numbers // max(len(first), 1)))
    if len(columns) > most:
        # Each fit looks at other columns.
        columns = np.random.default_rng(len(first)).choice(columns, most, replace=False)
    best: tuple[_Partition, int] | None = None
    for column in columns:
        x, y = (e.values[_is_number(e, column), column] for e in (first, second))
        found = find(x, y, len(columns)) if min(len(x), len(y)) >= TUNING.hidden_least else None
        if found is not None and (best is None or found.sure > best[0].sure):
            best = found, int(column)
    if best is None:
        return None
    part, column = best
    place = "output" if first.shape[0] == 1 else column_words(first.shape, column)

    def cell(e: Encoded) -> Ints:
        found = part.cell(e.values[:, column])
        return found if e.shape[1] == 0 else np.where(_is_number(e, column), found, part.cells)

    def words(c: int) -> str:
        return part.words(c) if c < part.cells else "(what is no number)"

    return of_cells(name, cell, words, first, second, part.what.format(place))


def _is_number(e: Encoded, column: int) -> NDArray[np.bool_]:
    """Where a column holds a number: a symbol has the value 0 there, and a code in some column of codes."""
    return (e.values[:, column] != 0.0) | ~e.codes.any(axis=1)


def _period(x: Floats, y: Floats, columns: int) -> _Partition | None:
    """The phase of the most telling period; None where chance may explain it."""
    x, y = x[: TUNING.retained_rows], y[: TUNING.retained_rows]
    low, high = np.quantile(np.concatenate([x, y]), [0.02, 0.98])
    width = float(high - low)
    # The slow waves of a few values come back as fast ones; cells of single values show such differences.
    if not 0.0 < width < 1e290 or len(np.unique(x[:512])) <= TUNING.few_values:
        return None
    inside = [side[(side >= low) & (side < high)] for side in (x, y)]
    bins = min(TUNING.period_bins, 2 ** int(math.log2(TUNING.period_work / columns)))
    places = [((side - low) * (bins / width)).astype(np.int64).clip(0, bins - 1) for side in inside]
    counts = [np.bincount(place, minlength=bins) for place in places]
    total = len(inside[0]) + len(inside[1])
    power = np.square(np.abs(np.fft.rfft((counts[0] - counts[1]).astype(np.float64)))) / max(total, 1)
    # Slow waves are differences of the laws at large, which tails and intervals show. Without a difference
    # the power is exponential of mean 1.
    power[: TUNING.crowd_coarse] = 0.0
    best = int(power.argmax())
    sure = float(power[best]) - math.log(columns * bins / 2)
    if sure < TUNING.sure + 4.0:
        return None
    # The period need not fit into the range: the best frequency near that of the bin, or near those too fast
    # for the bins that look the same.
    alike = np.concatenate([np.arange(4) * bins + best, np.arange(1, 4) * bins - best])
    near = (alike[:, None] + np.linspace(-1.0, 1.0, TUNING.period_steps)).ravel() / width
    sums = [np.exp(2j * np.pi * near[:, None] * side[None, :1024]).sum(axis=1) for side in inside]
    frequency = float(near[int(np.abs(sums[0] - sums[1]).argmax())])
    phases = TUNING.phases
    return _Partition(
        sure,
        phases,
        lambda v: (np.mod(v * frequency, 1.0) * phases).astype(np.int64) % phases,
        lambda c: f"[{c / phases:g}, {(c + 1) / phases:g})",
        f"{{}} modulo {1.0 / frequency:.6g}, in periods,",
    )


def _modes(x: Floats, y: Floats, columns: int) -> _Partition | None:
    """Cells that hold more of one dataset than what lies around them."""
    x, y = np.sort(x), np.sort(y)
    pooled = np.sort(np.concatenate([x, y]), kind="stable")  # which merges what is sorted
    odds = math.log(columns)
    found = _values(x, y, pooled, odds)
    # A crowd around a value that repeats is that value.
    found += [c for c in _crowds(x, pooled, odds) if not any(c[1] <= v <= c[2] for _, v, _ in found)]
    if not found:
        return None
    sure = max(found)[0]
    _, low, high = (np.array(part) for part in zip(*sorted(found, key=lambda c: c[1]), strict=True))
    rest = len(low)

    def cell(v: Floats) -> Ints:
        place = np.searchsorted(low, v, side="right") - 1
        return np.where((place >= 0) & (v <= high[place]), place, rest)

    def words(c: int) -> str:
        if c == rest:
            return "(anything else)"
        return f"{{{low[c]:.9g}}}" if low[c] == high[c] else f"[{low[c]:.9g}, {high[c]:.9g}]"

    return _Partition(sure, rest + 1, cell, words, "{}")


def _values(x: Floats, y: Floats, pooled: Floats, odds: float) -> list[tuple[float, float, float]]:
    """(how sure, v, v) of values that repeat where hardly any does, and tell the datasets apart."""
    again = np.unique(pooled[2:][pooled[2:] == pooled[:-2]])
    if not 0 < len(again) <= TUNING.few_values or np.mean(pooled[1:] == pooled[:-1]) > 0.1:
        return []
    a, b = (np.searchsorted(s, again, "right") - np.searchsorted(s, again, "left") for s in (x, y))
    sure = _surprise(a, b, 0.5) - math.log(len(again)) - odds
    return [(float(s), float(v), float(v)) for s, v in zip(sure, again, strict=True) if s > 0.5 * TUNING.sure]


def _crowds(x: Floats, pooled: Floats, odds: float) -> list[tuple[float, float, float]]:
    """(how sure, low, high) of disjoint intervals of pooled samples that hold more, or fewer, of the first
    dataset than is around.

    Intervals much narrower than what is around them are few, and how narrow an interval is says nothing about
    the datasets: such intervals are compared with chance among themselves.
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
        usual = (pooled[right - 1] - pooled[left]) * (scale / (right - left))
        parts.append(np.stack([_surprise(a, scale - a, share), low, high, high - low < TUNING.narrow * usual]))
        scale *= 2
    if not parts:
        return []
    sure, low, high, narrow = np.concatenate(parts, axis=1)
    for kind in (narrow == 0.0, narrow == 1.0):
        sure[kind] -= odds + math.log(max(np.count_nonzero(kind), 1))
    chosen: list[tuple[float, float, float]] = []
    for i in np.argsort(-sure):
        if sure[i] <= TUNING.sure or len(chosen) == TUNING.crowd_coarse:
            break
        if not any(low[i] <= b and a <= high[i] for _, a, b in chosen):
            chosen.append((float(sure[i]), float(low[i]), float(high[i])))
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
    rows = max(TUNING.most_fitted, TUNING.hidden_numbers // max(first.shape[0], 1))
    a, b = first.values[:rows], second.values[:rows]
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
