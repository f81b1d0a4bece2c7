"""Logistic regressions with a ridge, fitted to all samples and without each of a few parts of them."""

from __future__ import annotations

import numpy as np

from audits.privacy.outputs.outputs import Floats, Ints
from audits.privacy.tuning import TINY, TUNING


def most_fitted(columns: int) -> int:
    """How many samples of each dataset a regression on so many columns is fitted to."""
    return min(TUNING.retained_rows, max(TUNING.glance, int(TUNING.most_work / columns**2)))


def shrinkage(a: Floats, b: Floats) -> float:
    """The ridge of a regression on rows like these, as Ledoit and Wolf (2004) shrink their covariance to a
    multiple of the identity: a large one where the rows are too few to know it."""
    x = np.vstack([a - a.mean(axis=0), b - b.mean(axis=0)])
    n, d = x.shape
    squares = np.square(x).sum(axis=1)
    mean = float(squares.sum()) / (n * d)
    # The products of rows have the same sum of squares as those of columns.
    total = float(np.square(x.T @ x if d <= n else x @ x.T).sum()) / n**2
    error = (float(np.square(squares).mean()) - total) / n
    part = float(np.clip(error / max(total - d * mean**2, TINY), 0.0, 1.0 - TUNING.steady))
    # The curvature of the likelihood is about a quarter of the sum of squares.
    return max(1.0, 0.25 * n * mean * part / (1.0 - part))


def labelled(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rows of both datasets, and 1 for those of the first."""
    return np.vstack([a, b]), np.concatenate([np.ones(len(a)), np.zeros(len(b))])


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


def cross_fit(a: Floats, b: Floats, fold: Ints, ridge: float) -> tuple[Floats, list[Floats]]:
    """Weights fitted to all rows, and those fitted without each fold's.

    The latter are one step of Newton's method away from the former, with slope and curvature of the fold's
    rows taken out of the sums.
    """
    x, y = labelled(a, b)
    n, d = x.shape
    if d > n:
        part = np.concatenate([fold, fold])
        return _dual(x, y, ridge), [_dual(x[part != k], y[part != k], ridge) for k in range(TUNING.folds)]
    weights, offset = np.zeros(d), 0.0
    if d <= TUNING.wide:
        # Far from the solution a few rows give as good a step as all rows do.
        few = slice(None, None, max(1, n // TUNING.some_rows))
        weights, offset = newton(x[few], y[few], ridge)
    p, _, root = _curvature(x, weights, offset)
    edges = np.searchsorted(fold, np.arange(TUNING.folds + 1))
    slopes, squares = np.zeros((TUNING.folds, d)), np.zeros((TUNING.folds, d, d))
    for k in range(TUNING.folds):
        for side in (0, len(fold)):
            rows = slice(side + edges[k], side + edges[k + 1])
            slopes[k] += x[rows].T @ (y - p)[rows]
            squares[k] += root[rows].T @ root[rows]
    slope = slopes.sum(axis=0) - ridge * weights
    square = squares.sum(axis=0) + ridge * np.eye(d)
    whole = weights + np.linalg.solve(square, slope)
    without = [
        weights + np.linalg.solve(square - own, slope - mine)
        for mine, own in zip(slopes, squares, strict=True)
    ]
    return whole, without
