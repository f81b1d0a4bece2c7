"""Logistic regressions with a ridge, fitted to all samples and without each of a few parts of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from audits.privacy.outputs.outputs import Floats, Ints
from audits.privacy.tuning import TINY, TUNING


def most_fitted(columns: int) -> int:
    """How many samples of each dataset a regression on this number of columns is fitted to."""
    return min(TUNING.rare_rows, max(TUNING.glance, int(TUNING.most_work / columns**2)))


def shrinkage(a: Floats, b: Floats) -> float:
    """The ridge of a regression on rows like these, as Ledoit and Wolf (2004) shrink their covariance to a
    multiple of the identity: a large one where the rows are too few to know it."""
    x = np.vstack([a, b])
    x[: len(a)] -= a.mean(axis=0)
    x[len(a) :] -= b.mean(axis=0)
    n, d = x.shape
    squares = np.concatenate([np.square(rows).sum(axis=1) for rows in np.array_split(x, TUNING.parts)])
    mean = float(squares.sum()) / (n * d)
    # The products of rows have the same sum of squares as those of columns.
    total = float(np.square(x.T @ x if d <= n else x @ x.T).sum()) / n**2
    error = (float(np.square(squares).mean()) - total) / n
    part = float(np.clip(error / max(total - d * mean**2, TINY), 0.0, 1.0 - TUNING.steady))
    # The curvature of the likelihood is about a quarter of the sum of squares.
    return max(1.0, 0.25 * n * mean * part / (1.0 - part))


def _dual(x: Floats, y: Floats, ridge: float) -> Floats:
    """Weights where there are more columns than samples: a ridge regression of the labels, in dual form."""
    return x.T @ np.linalg.solve(x @ x.T + 4.0 * ridge * np.eye(len(x)), 2.0 * y - 1.0)


def newton(x: Floats, y: Floats, ridge: float) -> tuple[Floats, float]:
    """Weights and offset of the regression, by Newton steps until a step is short."""
    weights, offset = np.zeros(x.shape[1]), 0.0
    for _ in range(8):
        p, s, root = _curvature(x, weights, offset)
        # A matrix times its own transpose costs half of what a product of two matrices costs.
        hessian = root.T @ root + ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, x.T @ (y - p) - ridge * weights)
        weights = weights + step
        offset += float((y - p).sum() / s.sum())
        # The error that is left is of the order of the square of the step.
        if float(np.abs(step).max(initial=0.0)) < TUNING.little:
            break
    return weights, offset


def _curvature(x: Floats, weights: Floats, offset: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities p of the first dataset, p(1 − p), and rows whose squares add up to the curvature."""
    from scipy.special import expit

    p = expit(x @ weights + offset)
    s = np.maximum(p * (1.0 - p), TUNING.steady)
    return p, s, x * np.sqrt(s)[:, None]


def cross_fit(a: Floats, b: Floats, fold: Ints) -> tuple[Floats, list[Floats]]:
    """Weights fitted to all rows, and those fitted without each fold's, with the ridge of `shrinkage` or, of
    few columns, next to none: whichever predicts better what it was not fitted to."""
    ridge = shrinkage(a, b)
    x, y = np.vstack([a, b]), np.repeat([1.0, 0.0], [len(a), len(b)])
    del a, b  # copies of wide outputs are what takes most memory
    n, d = x.shape
    if d > n:
        both = np.concatenate([fold, fold])
        return _dual(x, y, ridge), [_dual(x[both != k], y[both != k], ridge) for k in range(TUNING.folds)]
    # About their means rows need no offset in the first step.
    x -= x.mean(axis=0)
    ridges = {1.0, ridge} if d <= TUNING.wide else {ridge}
    _, whole, without = min((_folded(x, y, fold, one) for one in sorted(ridges)), key=lambda found: found[0])
    return whole, without


def _folded(x: Floats, y: Floats, fold: Ints, ridge: float) -> tuple[float, Floats, list[Floats]]:
    """(loss, weights, weights without each fold): the loss is that of each fold's rows under the weights
    fitted without that fold.

    Weights without a fold are one step of Newton's method away from those of all rows, with slope and
    curvature of the fold's rows taken out of the sums.
    """
    n, d = x.shape
    weights, offset = np.zeros(d), 0.0
    if d <= TUNING.wide:
        # Far from the solution a few rows give as good a step as all rows do.
        few = slice(None, None, max(1, n // TUNING.some_rows))
        weights, offset = newton(x[few], y[few], ridge)
    p, _, root = _curvature(x, weights, offset)
    edges = np.searchsorted(fold, np.arange(TUNING.folds + 1))
    parts = [np.r_[i:j, len(fold) + i : len(fold) + j] for i, j in pairwise(edges)]
    slopes = np.array([x[rows].T @ (y - p)[rows] for rows in parts])
    squares = np.array([root[rows].T @ root[rows] for rows in parts])
    slope = slopes.sum(axis=0) - ridge * weights
    square = squares.sum(axis=0) + ridge * np.eye(d)
    own = zip(slopes, squares, strict=True)
    without = [weights + np.linalg.solve(square - curved, slope - steep) for steep, curved in own]
    margins = [(1.0 - 2.0 * y[rows]) * (x[rows] @ w + offset) for w, rows in zip(without, parts, strict=True)]
    loss = float(np.logaddexp(0.0, np.concatenate(margins)).sum())
    return loss, weights + np.linalg.solve(square, slope), without
