"""Columns of numbers on a common scale, before they are added up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audits.privacy.outputs import LARGE, Floats
from audits.privacy.tuning import TUNING


def standardised(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Columns centred and scaled robustly on the pooled samples, far-away values pulled in to ±30.

    Of columns that follow nearly from those before, as times, sums so far and totals of parts do, it takes
    what is left: what tells the datasets apart would drown in what such columns share.
    """
    pooled = np.concatenate([first[: TUNING.most_measured], second[: TUNING.most_measured]])
    pooled = np.clip(pooled, -LARGE, LARGE)
    spread = _spread(pooled)
    apart = _taken_apart(pooled, spread)
    if apart is not None:
        pooled = apart(pooled)
        spread = _spread(pooled)
    centre = np.median(pooled, axis=0)
    fallback = np.clip(pooled, -1e100, 1e100).std(axis=0)
    scale = np.where(spread > 0, spread / 1.349, np.where(fallback > 0, fallback, 1.0))

    def standard(v: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.clip(((v if apart is None else apart(v)) - centre) / scale, -30.0, 30.0)

    return standard


def _taken_apart(pooled: Floats, spread: Floats) -> Callable[[Floats], Floats] | None:
    """What replaces columns that follow nearly from columns before by what is left of them; None where no
    column does."""
    width = pooled.shape[1]
    # Of columns of a few values each of these counts, and so they stay.
    some = np.sort(pooled[: TUNING.most_distinct], axis=0)
    few = np.count_nonzero(some[1:] != some[:-1], axis=0) < TUNING.few_cells
    spread = np.where(few, 0.0, spread)
    steps = _spread(np.diff(pooled, axis=1))
    near = 1 + np.flatnonzero(steps < TUNING.close * np.minimum(spread[1:], spread[:-1]))
    others, weights = np.zeros(0, dtype=np.int64), np.zeros((width, 0))
    if 1 < width <= TUNING.most_tripled and len(pooled) > 4 * width:
        bounded = np.clip(pooled, -1e100, 1e100)
        weights = _explained(bounded)
        with np.errstate(over="ignore", invalid="ignore"):
            left = _spread(np.nan_to_num(bounded - bounded @ weights))
        # What follows but for rounding says nothing.
        others = np.flatnonzero((left < TUNING.close * spread) & (left > 1e-5 * spread))
        others = others[~np.isin(others, near)]
        weights = weights[:, others]
    if len(near) + len(others) == 0:
        return None

    def apart(v: Floats) -> Floats:
        found = v.copy()
        # Of numbers beyond all bounds nothing is known.
        with np.errstate(over="ignore", invalid="ignore"):
            found[:, near] -= v[:, near - 1]
            found[:, others] -= np.clip(v, -1e100, 1e100) @ weights
        return np.nan_to_num(found, posinf=LARGE, neginf=-LARGE)

    return apart


def _explained(columns: Floats) -> Floats:
    """The weights (d, d) by which each column follows best from those before it, by least squares."""
    scale = columns.std(axis=0)
    scale[scale == 0.0] = 1.0
    z = (columns - columns.mean(axis=0)) / scale
    # A little is added for columns that follow exactly.
    root = np.linalg.cholesky(z.T @ z / len(z) + 1e-12 * np.eye(z.shape[1]))
    left = np.linalg.inv(root)
    left /= np.diag(left)[:, None]
    return (np.eye(z.shape[1]) - left.T) * scale / scale[:, None]


def _spread(columns: Floats) -> Floats:
    """The distance between the quartiles of each column."""
    return np.subtract(*np.quantile(columns, [0.75, 0.25], axis=0))


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
