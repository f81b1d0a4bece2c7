"""Columns of numbers on a common scale, before they are added up."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from audits.privacy.outputs.outputs import LARGE, Floats
from audits.privacy.tuning import BOUND, TUNING

QUARTILES = 2.0 * NormalDist().inv_cdf(0.75)
"""The distance between the quartiles of a standard normal variable."""


def standardised(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Columns centred and scaled robustly on the pooled samples, far-away values pulled in to ±`TUNING.far`.

    Of columns that follow nearly from those before, as times, sums so far and totals of parts do, it takes
    what is left: what tells the datasets apart would drown in what such columns share.
    """
    pooled = np.concatenate([first[: TUNING.some_rows], second[: TUNING.some_rows]])
    pooled = np.clip(pooled, -LARGE, LARGE)
    low, centre, high = np.quantile(pooled, [0.25, 0.5, 0.75], axis=0)
    apart = _taken_apart(pooled, high - low)
    if apart is not None:
        pooled = apart(pooled)
        low, centre, high = np.quantile(pooled, [0.25, 0.5, 0.75], axis=0)
    spread = high - low
    fallback = np.clip(pooled, -BOUND, BOUND).std(axis=0)
    scale = np.where(spread > 0, spread / QUARTILES, np.where(fallback > 0, fallback, 1.0))

    def standard(v: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.clip(((v if apart is None else apart(v)) - centre) / scale, -TUNING.far, TUNING.far)

    return standard


def _taken_apart(pooled: Floats, spread: Floats) -> Callable[[Floats], Floats] | None:
    """What replaces columns that follow nearly from columns before by what is left of them; None where no
    column does."""
    width = pooled.shape[1]
    # Of columns of a few values each of these counts, and so they stay.
    some = np.sort(pooled[: TUNING.glance], axis=0)
    few = np.count_nonzero(some[1:] != some[:-1], axis=0) < TUNING.parts
    spread = np.where(few, 0.0, spread)
    steps = _spread(np.diff(pooled, axis=1))
    near = 1 + np.flatnonzero(steps < 0.5 * np.minimum(spread[1:], spread[:-1]))
    others, weights = np.zeros(0, dtype=np.int64), np.zeros((width, 0))
    if 1 < width <= TUNING.most_paired and len(pooled) > 2 * width:
        bounded = np.clip(pooled, -BOUND, BOUND)
        weights = _explained(bounded)
        with np.errstate(over="ignore", invalid="ignore"):
            left = _spread(np.nan_to_num(bounded - bounded @ weights))
        # What follows but for rounding says nothing.
        others = np.flatnonzero((left < 0.5 * spread) & (left > math.sqrt(TUNING.steady) * spread))
        others = others[~np.isin(others, near)]
        weights = weights[:, others]
    if len(near) + len(others) == 0:
        return None

    def apart(v: Floats) -> Floats:
        found = v.copy()
        # Of numbers beyond all bounds nothing is known.
        with np.errstate(over="ignore", invalid="ignore"):
            found[:, near] -= v[:, near - 1]
            found[:, others] -= np.clip(v, -BOUND, BOUND) @ weights
        return np.nan_to_num(found, posinf=LARGE, neginf=-LARGE)

    return apart


def _explained(columns: Floats) -> Floats:
    """The weights (d, d) by which each column follows best from those before it, by least squares."""
    scale = columns.std(axis=0)
    scale[scale == 0.0] = 1.0
    z = (columns - columns.mean(axis=0)) / scale
    # A little is added for columns that follow exactly.
    root = np.linalg.cholesky(z.T @ z / len(z) + TUNING.steady * np.eye(z.shape[1]))
    left = np.linalg.inv(root)
    left /= np.diag(left)[:, None]
    return (np.eye(z.shape[1]) - left.T) * scale / scale[:, None]


def _spread(columns: Floats) -> Floats:
    """The distance between the quartiles of each column."""
    return np.subtract(*np.quantile(columns, [0.75, 0.25], axis=0))


def flagged(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """As `standardised`, with a 0/1 column for each of two values that many outputs share in a column."""
    pooled = np.concatenate([first[: TUNING.some_rows], second[: TUNING.some_rows]])
    ordered, many = np.sort(pooled, axis=0), max(2, int(TUNING.outer * len(pooled)))
    columns, values = list[int](), list[float]()
    for j in np.flatnonzero((ordered[many:] == ordered[:-many]).any(axis=0)).tolist():
        unique, counts = np.unique(ordered[:, j], return_counts=True)
        shared = unique[np.argsort(counts)[::-1]][: min(2, np.count_nonzero(counts > many))]
        if len(unique) > 2:
            columns, values = columns + [j] * len(shared), [*values, *shared.tolist()]
    standard = standardised(first, second)
    return lambda v: np.hstack([standard(v), v[:, columns] == values]) if columns else standard(v)
