"""Columns of numbers on a common scale, before they are added up."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from audits.privacy.outputs.outputs import LARGE, Floats
from audits.privacy.tuning import BOUND, TUNING

QUARTILES = 2.0 * NormalDist().inv_cdf(0.75)
"""The distance between the quartiles of a standard normal variable."""


def standardised(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Columns centred and scaled robustly on the pooled samples, values that are far away pulled in."""
    pooled = np.concatenate([first[: TUNING.some_rows], second[: TUNING.some_rows]])
    pooled = np.clip(pooled, -LARGE, LARGE)
    low, centre, high = np.quantile(pooled, [0.25, 0.5, 0.75], axis=0)
    spread = high - low
    fallback = np.clip(pooled, -BOUND, BOUND).std(axis=0)
    scale = np.where(spread > 0, spread / QUARTILES, np.where(fallback > 0, fallback, 1.0))

    def standard(v: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.clip((v - centre) / scale, -TUNING.far, TUNING.far)

    return standard


def flagged(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """As `standardised`, with a 0/1 column for each of two values that many outputs share in a column.

    Shared values, as the sentinels of answers that were not given, say nothing of the scale of the others:
    the column is centred and scaled without them, and is 0 where it has one of them.
    """
    pooled = np.concatenate([first[: TUNING.some_rows], second[: TUNING.some_rows]])
    ordered, many = np.sort(pooled, axis=0), max(2, int(TUNING.outer * len(pooled)))
    columns, values = list[int](), list[float]()
    others = pooled.copy()
    for j in np.flatnonzero((ordered[many:] == ordered[:-many]).any(axis=0)).tolist():
        unique, counts = np.unique(ordered[:, j], return_counts=True)
        shared = unique[np.argsort(counts)[::-1]][: min(2, np.count_nonzero(counts > many))]
        if len(unique) > 2:
            columns, values = columns + [j] * len(shared), [*values, *shared.tolist()]
            rest = pooled[~np.isin(pooled[:, j], shared), j]
            others[:, j] = np.resize(rest if len(rest) else pooled[:, j], len(pooled))
    half = len(first[: TUNING.some_rows])
    standard = standardised(others[:half], others[half:])
    if not columns:
        return standard

    def scaled(v: Floats) -> Floats:
        found, flags = standard(v), v[:, columns] == values
        for place, j in enumerate(columns):
            found[flags[:, place], j] = 0.0
        return np.hstack([found, flags])

    return scaled
