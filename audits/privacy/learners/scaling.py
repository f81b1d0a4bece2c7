"""Columns of numbers on a common scale, before they are added up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audits.privacy.outputs import LARGE, Floats
from audits.privacy.tuning import TUNING


def standardised(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Columns centred and scaled robustly on the pooled samples, far-away values pulled in to ±30.

    Of columns that are nearly what the column before is, as times or sums so far are, it takes the
    differences: what tells the datasets apart would drown in what such columns share.
    """
    pooled = np.concatenate([first[: TUNING.most_measured], second[: TUNING.most_measured]])
    pooled = np.clip(pooled, -LARGE, LARGE)
    spread = _spread(pooled)
    steps = np.diff(pooled, axis=1)
    near = 1 + np.flatnonzero(_spread(steps) < TUNING.close * np.minimum(spread[1:], spread[:-1]))
    pooled[:, near], spread[near] = steps[:, near - 1], _spread(steps[:, near - 1])
    centre = np.median(pooled, axis=0)
    fallback = np.clip(pooled, -1e100, 1e100).std(axis=0)
    scale = np.where(spread > 0, spread / 1.349, np.where(fallback > 0, fallback, 1.0))

    def standard(v: Floats) -> Floats:
        if len(near):
            whole, v = v, v.copy()
            v[:, near] -= whole[:, near - 1]
        with np.errstate(over="ignore"):
            return np.clip((v - centre) / scale, -30.0, 30.0)

    return standard


def _spread(columns: Floats) -> Floats:
    """The distance between the quartiles of each column."""
    return np.quantile(columns, 0.75, axis=0) - np.quantile(columns, 0.25, axis=0)


def flagged(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """As `standardised`, with a 0/1 column for each value that many outputs share in a column, as a sentinel;
    in the column itself such values stand in the middle of the others."""
    pooled = np.concatenate([first[: TUNING.most_measured], second[: TUNING.most_measured]])
    ordered = np.sort(pooled, axis=0)
    step = max(2, int(TUNING.flagged * len(ordered)))
    flags: list[tuple[int, float]] = []
    middle = np.zeros(pooled.shape[1])
    for j in np.flatnonzero((ordered[step:] == ordered[:-step]).any(axis=0)).tolist():
        unique, counts = np.unique(ordered[:, j], return_counts=True)
        commonest = np.argsort(counts)[::-1][: TUNING.most_flags if len(unique) > 2 else 0]
        shared = commonest[counts[commonest] > step]
        if len(shared):
            flags += [(j, x) for x in unique[shared].tolist()]
            others = np.repeat(np.delete(unique, shared), np.delete(counts, shared))
            middle[j] = np.median(others) if len(others) else 0.0
    if not flags:
        return standardised(first, second)
    at, value = (np.array(part) for part in zip(*flags, strict=True))

    def moved(v: Floats) -> Floats:
        found = v.copy()
        for j, x in flags:
            found[v[:, j] == x, j] = middle[j]
        return found

    standard = standardised(moved(first), moved(second))
    return lambda v: np.hstack([standard(moved(v)), v[:, at] == value])
