"""A score of narrow modes and rare values: where a number crowds on one dataset."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from audits.privacy.learners.cells import of_cells
from audits.privacy.learners.score import Score
from audits.privacy.learners.views import ROUNDED, both, views
from audits.privacy.outputs import Encoded, Floats, Ints, number_words
from audits.privacy.tuning import TUNING


def modes(first: Encoded, second: Encoded) -> Score | None:
    """Cells of any width where a number on one dataset crowds, against what holds around them; values that
    repeat among numbers that do not are cells of their own."""
    looked_at = views(first)
    if first.is_scalar and len(first) <= TUNING.retained_rows // 2:
        looked_at.append(ROUNDED)
    luck = math.log(max(len(looked_at), 1))
    crowded = [(_crowded(*both(view, first, second), luck), view) for view in looked_at]
    crowded = [pair for pair in crowded if pair[0]]
    if not crowded:
        return None
    found, view = max(crowded, key=lambda pair: max(pair[0])[0])
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

    of_itself = first.is_scalar and view is not ROUNDED
    edges = np.unique(np.concatenate([low, np.nextafter(high, np.inf)])) if of_itself else None
    return of_cells("modes", cell, words, first, second, view.words, edges=edges)


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
    scale = TUNING.least
    while scale * TUNING.parts <= total:
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
    while len(left) and len(chosen) < TUNING.parts:
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
