"""Scores of vectors that add up features: logistic regressions."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from audits.privacy.learn.fits import cross_fit, most_fitted
from audits.privacy.outputs.outputs import LARGE, Columns, Encoded, Floats, columns_of
from audits.privacy.outputs.score import Score, fold_of, likeness, spaced
from audits.privacy.tuning import BOUND, TUNING

QUARTILES = 2.0 * NormalDist().inv_cdf(0.75)
"""The distance between the quartiles of a standard normal variable."""


def standardised(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Columns centred and scaled robustly on the pooled samples, values that are far away pulled in."""
    pooled = np.concatenate([first[: TUNING.some_rows], second[: TUNING.some_rows]])
    np.clip(pooled, -LARGE, LARGE, out=pooled)
    low, centre, high = np.quantile(pooled, [0.25, 0.5, 0.75], axis=0)
    scale = (high - low) / QUARTILES
    narrow = np.flatnonzero(~(scale > 0))
    fallback = np.clip(pooled[:, narrow], -BOUND, BOUND).std(axis=0)
    scale[narrow] = np.where(fallback > 0, fallback, 1.0)

    def standard(v: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.clip((v - centre) / scale, -TUNING.far, TUNING.far)

    return standard


def logistic(first: Encoded, second: Encoded) -> Score:
    """Logistic regression on the columns and their signs about the medians, with a ridge that suits how many
    there are.

    Gaussian noise tells by how large a number is, Laplace noise of a large scale by little more than the
    sign: beyond both means its log-likelihood ratio is constant.
    """
    of = columns_of(first, second)
    a, b = of(first), of(second)
    width, scaled = a.shape[1], standardised(a, b)

    def standard(v: Floats) -> Floats:
        z = scaled(v)
        return np.hstack([z, np.sign(z)])

    some = spaced(len(a), most_fitted(2 * width))
    fold = fold_of(len(a), TUNING.folds)[some]
    weights, without = cross_fit(standard(a[some]), standard(b[some]), fold)

    def score(w: Floats) -> Callable[[Encoded], Floats]:
        return lambda e: standard(of(e)) @ w

    # The weights of a column are those of its number and of its sign.
    size = np.abs(weights[:width]) + np.abs(weights[-width:])
    words = likeness("a weighted sum", map(of.words, np.argsort(-size, kind="stable").tolist()))
    return Score("logistic", score(weights), words, folds=tuple(map(score, without)))


def smooth(first: Encoded, second: Encoded) -> Score:
    """Logistic regression on piecewise-linear functions of a few columns, on indicators of frequent values,
    and on all products of two of these.

    It reaches into corners of the outputs where samples are few.
    """
    of = columns_of(first, second)
    a, b = of(first), of(second)
    standard = standardised(a, b)
    z = standard(np.concatenate([a[: TUNING.retained_rows], b[: TUNING.retained_rows]]))
    # The two commonest values of a column may be atoms; the line bends at the median of the others.
    atoms: list[tuple[int, float]] = []
    bends = np.empty(z.shape[1])
    for j, column in enumerate(z.T):
        unique, counts = np.unique(column, return_counts=True)
        common = np.argsort(counts)[::-1][:2]
        often = TUNING.outer * len(z)
        common = unique[common[(often < counts[common]) & (counts[common] < len(z) - often)]]
        atoms += [(j, float(value)) for value in common]
        others = column[~np.isin(column, common)]
        bends[j] = np.median(others if len(others) else column)

    def rows(v: Floats) -> Floats:
        # Each feature is a row: operations along rows are several times faster than along a sample's columns.
        w = np.ascontiguousarray(standard(v).T)
        parts = [w, np.maximum(w - bends[:, None], 0.0)]
        flags = [(w[j] == value).astype(np.float64)[None] for j, value in atoms]
        return np.concatenate([*parts, *flags])

    def features(v: Floats) -> Floats:
        base = rows(v)
        i, j = np.triu_indices(len(base))
        return np.concatenate([base, base[i] * base[j]]).T

    width = len(rows(a[:1]))
    most = most_fitted(width + width * (width + 1) // 2)
    some = spaced(len(a), most)
    fold = fold_of(len(a), TUNING.folds)[some]
    weights, without = cross_fit(features(a[some]), features(b[some]), fold)
    folds = tuple(_quadratic_form(w, of, rows, width) for w in without)
    whole = _quadratic_form(weights, of, rows, width)
    words = likeness("a smooth function", map(of.words, range(z.shape[1])))
    return Score("smooth", whole, words, folds=folds)


def _quadratic_form(
    weights: Floats, of: Columns, rows: Callable[[Floats], Floats], width: int
) -> Callable[[Encoded], Floats]:
    """The weighted sum of `width` rows and of all products of two of them.

    The products are never stored: to store them would take ten times as long.
    """
    square = np.zeros((width, width))
    square[np.triu_indices(width)] = weights[width:]

    def evaluate(e: Encoded) -> Floats:
        found = np.empty(len(e))
        # Blocks of this size stay in the cache.
        for start in range(0, len(e), TUNING.some_rows):
            part = slice(start, start + TUNING.some_rows)
            base = rows(of(e.take(part)))
            found[part] = np.einsum("ij,ij->j", square.T @ base + weights[:width, None], base)
        return found

    return evaluate
