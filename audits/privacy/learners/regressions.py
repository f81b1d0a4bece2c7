"""Scores of vectors that add up features: logistic regressions, and the distance from the centre."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audits.privacy.learners.score import Score, fold_of, some_columns, threshold_words
from audits.privacy.outputs import LARGE, Encoded, Floats, Ints
from audits.privacy.tuning import TUNING


def logistic(first: Encoded, second: Encoded) -> Score:
    """Logistic regression on the columns, with a ridge that suits how many there are."""
    a, b = first.columns(), second.columns()
    standard = _flagged(a, b)
    some = slice(None, None, -(-len(a) // _most_fitted(a.shape[1], TUNING.most_work[1])))
    x, y = standard(a[some]), standard(b[some])
    weights, without = _cross_fit(x, y, fold_of(len(a), TUNING.folds)[some], _shrinkage(x, y))

    def score(w: Floats) -> Callable[[Encoded], Floats]:
        return lambda e: standard(e.columns()) @ w

    words = threshold_words("logistic score")
    return Score("logistic", score(weights), words, folds=tuple(map(score, without)))


def sparse(first: Encoded, second: Encoded) -> Score | None:
    """Logistic regression on columns, squares and products of two columns that differ by more than chance.

    It finds a leak in a few columns of many, or in how two columns go together.
    """
    a, b = first.columns(), second.columns()
    standard = _flagged(a, b)
    x, y = standard(a[: TUNING.retained_rows]), standard(b[: TUNING.retained_rows])
    d = x.shape[1]
    # Where there are too many columns for all pairs, each fit looks at another choice of columns.
    some = some_columns(d, TUNING.most_paired, len(a))
    most = min(TUNING.retained_rows, max(256, int(4 * TUNING.most_work[0] / len(some) ** 2)))

    def products(v: Floats) -> tuple[Floats, Floats]:
        z = np.clip(v[:, some], -8.0, 8.0)
        return z.T @ z / len(z), (z * z).T @ (z * z) / len(z)

    # The differences between the datasets: of columns (row 0), then of products of two columns.
    (p, pp), (q, qq) = products(x[:most]), products(y[:most])
    n = min(len(x), most)
    two = np.triu(np.abs(p - q) / np.sqrt((pp - p * p + qq - q * q) / n + 1e-9))
    one = np.abs(x.mean(axis=0) - y.mean(axis=0)) / np.sqrt((x.var(axis=0) + y.var(axis=0)) / n + 1e-9)
    found = np.concatenate([one, two.ravel()])
    # The largest of k differences that are only chance has about √(2 log k) standard errors.
    chosen = np.argsort(found)[::-1][: TUNING.most_chosen]
    chosen = chosen[found[chosen] > np.sqrt(2.0 * np.log(len(one) + 0.5 * len(some) ** 2))]
    if len(chosen) == 0:
        return None
    alone = chosen[chosen < d]
    left, right = (some[part] for part in np.divmod(chosen[chosen >= d] - d, len(some)))

    # A product that tells the datasets apart often does so only together with the squares of its columns.
    both = np.unique(np.concatenate([left, right]))
    apart = left != right

    def expand(z: Floats) -> Floats:
        w = np.clip(z, -8.0, 8.0)
        return np.hstack([z[:, alone], w[:, both] ** 2, w[:, left[apart]] * w[:, right[apart]]])

    x, y = expand(x), expand(y)
    weights = _newton(*_labelled(x, y), _shrinkage(x, y))[0]
    words = threshold_words("score of a few columns and products")
    return Score("sparse", lambda e: expand(standard(e.columns())) @ weights, words)


def smooth(first: Encoded, second: Encoded) -> Score:
    """Logistic regression on piecewise-linear functions of up to six columns, on atoms, and on all products
    of two.

    Smooth where trees are steps: it reaches into corners of the outputs where samples are few.
    """
    a, b = first.columns(), second.columns()
    standard = _standard(a, b)
    z = standard(np.concatenate([a[: TUNING.retained_rows], b[: TUNING.retained_rows]]))
    # The two commonest values of a column may be atoms; the lines bend where the others lie.
    atoms: list[tuple[int, float]] = []
    knots = np.empty((len(TUNING.bends), z.shape[1]))
    for j, column in enumerate(z.T):
        unique, counts = np.unique(column, return_counts=True)
        common = np.argsort(counts)[::-1][:2]
        common = unique[common[(0.02 * len(z) < counts[common]) & (counts[common] < 0.98 * len(z))]]
        atoms += [(j, float(value)) for value in common]
        others = column[~np.isin(column, common)]
        knots[:, j] = np.quantile(others if len(others) else column, TUNING.bends)

    def rows(v: Floats) -> Floats:
        # Each feature is a row: operations along rows are several times faster than along a sample's columns.
        w = np.ascontiguousarray(np.clip(standard(v), -6.0, 6.0).T)
        parts = [w, *(np.maximum(w - knot[:, None], 0.0) for knot in knots)]
        flags = [(w[j] == np.clip(value, -6.0, 6.0)).astype(np.float64)[None] for j, value in atoms]
        return np.concatenate([*parts, *flags])

    def features(v: Floats) -> Floats:
        base = rows(v)
        i, j = np.triu_indices(len(base))
        return np.concatenate([base, base[i] * base[j]]).T

    width = len(rows(a[:1]))
    most = _most_fitted(width + width * (width + 1) // 2, TUNING.most_work[0])
    # The chosen rows lie far apart, so that each fold has its share of them.
    some = slice(None, None, -(-len(a) // most))
    fold = fold_of(len(a), TUNING.folds)[some]
    x, y = features(a[some]), features(b[some])
    ridge = TUNING.smooth_ridge if 2 * len(x) >= x.shape[1] else _shrinkage(x, y)
    weights, without = _cross_fit(x, y, fold, ridge)
    folds = tuple(_quadratic_form(w, rows, width) for w in without)
    whole = _quadratic_form(weights, rows, width)
    return Score("smooth", whole, threshold_words("smooth logistic score"), folds=folds)


def repeated(first: Encoded, second: Encoded) -> Score | None:
    """What `smooth` makes of how often an output holds each of a few values that occur again and again, and
    of the sum of its other numbers.

    So vectors tell what records would: those of a sparse vector hold one answer among sentinels.
    """
    some = np.concatenate([first.values[: TUNING.most_distinct], second.values[: TUNING.most_distinct]])
    unique, counts = np.unique(some, return_counts=True)
    common = np.argsort(counts)[::-1][: TUNING.most_flags]
    common = unique[common[counts[common] > len(some) / 2]]
    if len(common) == 0:
        return None

    def counted(values: Floats) -> Floats:
        others = np.where(np.isin(values, common), 0.0, np.clip(values, -1e100, 1e100))
        return np.column_stack([others.sum(axis=1), *((values == x).sum(axis=1) for x in common)])

    # Where nearly all values repeat, one count nearly follows from the others and tells nothing more.
    seen = counted(some)
    seen = seen - seen.mean(axis=0)
    told = [0]
    for j in range(1, seen.shape[1]):
        follows = seen[:, told] @ np.linalg.lstsq(seen[:, told], seen[:, j])[0]
        if np.var(seen[:, j] - follows) > 0.1 * np.var(seen[:, j]):
            told.append(j)

    def summed(e: Encoded) -> Encoded:
        return Encoded(counted(e.values)[:, told], e.codes[:, :0])

    inner = smooth(summed(first), summed(second))
    assert inner.folds is not None
    folds = tuple(lambda e, fit=fit: fit(summed(e)) for fit in inner.folds)
    words = threshold_words("smooth score of how often values repeat and of the sum of the others")
    return Score("repeated", lambda e: inner.evaluate(summed(e)), words, folds=folds)


def norm(first: Encoded, second: Encoded) -> Score:
    """Distance from the pooled centre in standardised columns: finds rare modes far out and other spreads."""
    standard = _standard(first.columns(), second.columns())

    def evaluate(e: Encoded) -> Floats:
        z = standard(e.columns())
        return np.sqrt(np.einsum("ij,ij->i", z, z))

    return Score("norm", evaluate, threshold_words("distance from the centre"), learned=False, monotone=False)


def _standard(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Columns centred and scaled robustly on the pooled samples, far-away values pulled in to ±30."""
    pooled = np.concatenate([first[: TUNING.most_measured], second[: TUNING.most_measured]])
    pooled = np.clip(pooled, -LARGE, LARGE)
    centre = np.median(pooled, axis=0)
    spread = np.quantile(pooled, 0.75, axis=0) - np.quantile(pooled, 0.25, axis=0)
    fallback = np.clip(pooled, -1e100, 1e100).std(axis=0)
    scale = np.where(spread > 0, spread / 1.349, np.where(fallback > 0, fallback, 1.0))

    def standard(v: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.clip((v - centre) / scale, -30.0, 30.0)

    return standard


def _flagged(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """As `_standard`, with a 0/1 column for each value that many outputs share in a column, say a sentinel;
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
        return _standard(first, second)
    at, value = (np.array(part) for part in zip(*flags, strict=True))

    def moved(v: Floats) -> Floats:
        found = v.copy()
        for j, x in flags:
            found[v[:, j] == x, j] = middle[j]
        return found

    standard = _standard(moved(first), moved(second))
    return lambda v: np.hstack([standard(moved(v)), v[:, at] == value])


def _quadratic_form(
    weights: Floats, rows: Callable[[Floats], Floats], width: int
) -> Callable[[Encoded], Floats]:
    """The weighted sum of `width` rows and of all products of two of them.

    The products are never stored: to store them would take ten times as long.
    """
    square = np.zeros((width, width))
    square[np.triu_indices(width)] = weights[width:]

    def evaluate(e: Encoded) -> Floats:
        found = np.empty(len(e))
        # Blocks of this size stay in the cache.
        for start in range(0, len(e), TUNING.few_rows):
            part = slice(start, start + TUNING.few_rows)
            base = rows(e.take(part).columns())
            found[part] = np.einsum("ij,ij->j", square.T @ base + weights[:width, None], base)
        return found

    return evaluate


def _most_fitted(columns: int, work: float) -> int:
    """How many samples of each dataset a regression on so many columns is fitted to."""
    most = TUNING.retained_rows
    return most if columns <= TUNING.wide else min(most, max(256, int(work / columns**2)))


def _shrinkage(a: Floats, b: Floats) -> float:
    """The ridge of a regression on rows like these, as Ledoit and Wolf (2004) shrink their covariance to a
    multiple of the identity: a large one where the rows are too few to know it."""
    x = np.vstack([a - a.mean(axis=0), b - b.mean(axis=0)])
    n, d = x.shape
    squares = np.square(x).sum(axis=1)
    mean = float(squares.sum()) / (n * d)
    # The products of rows have the same sum of squares as those of columns.
    total = float(np.square(x.T @ x if d <= n else x @ x.T).sum()) / n**2
    error = (float(np.square(squares).mean()) - total) / n
    part = float(np.clip(error / max(total - d * mean**2, 1e-300), 0.0, 0.999))
    # The curvature of the likelihood is about a quarter of the sum of squares.
    return max(1.0, 0.25 * n * mean * part / (1.0 - part))


def _labelled(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    return np.vstack([a, b]), np.concatenate([np.ones(len(a)), np.zeros(len(b))])


def _dual(x: Floats, y: Floats, ridge: float) -> Floats:
    """Weights where there are more columns than samples: a ridge regression of the labels, in dual form."""
    return x.T @ np.linalg.solve(x @ x.T + 4.0 * ridge * np.eye(len(x)), 2.0 * y - 1.0)


def _newton(x: Floats, y: Floats, ridge: float, near: float = 1e-2) -> tuple[Floats, float]:
    """Weights and offset of the regression, by Newton steps until a step is shorter than `near`.

    A step costs rows × columns². Wide rows therefore get a single step, which is a ridge regression.
    """
    weights, offset = np.zeros(x.shape[1]), 0.0
    for _ in range(1 if x.shape[1] > TUNING.wide else 8):
        p, s, root = _curvature(x, weights, offset)
        # A matrix times its own transpose costs half of what a product of two matrices costs.
        hessian = root.T @ root + ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, x.T @ (y - p) - ridge * weights)
        weights = weights + step
        offset += float((y - p).sum() / s.sum())
        # The error that is left is of the order of the square of the step.
        if float(np.abs(step).max(initial=0.0)) < near:
            break
    return weights, offset


def _curvature(x: Floats, weights: Floats, offset: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities p of the first dataset, p(1 − p), and rows whose squares add up to the curvature."""
    from scipy.special import expit

    p = expit(x @ weights + offset)
    s = np.maximum(p * (1.0 - p), 1e-6)
    return p, s, x * np.sqrt(s)[:, None]


def _cross_fit(a: Floats, b: Floats, fold: Ints, ridge: float) -> tuple[Floats, list[Floats]]:
    """Weights fitted to all rows, and those fitted without each fold's.

    The latter are one step of Newton's method away from the former, with slope and curvature of the fold's
    rows taken out of the sums.
    """
    x, y = _labelled(a, b)
    n, d = x.shape
    if d > n:
        part = np.concatenate([fold, fold])
        return _dual(x, y, ridge), [_dual(x[part != k], y[part != k], ridge) for k in range(TUNING.folds)]
    weights, offset = np.zeros(d), 0.0
    if d <= TUNING.wide:
        # Far from the solution a few rows give as good a step as all rows do.
        few = slice(None, None, max(1, n // TUNING.few_rows))
        weights, offset = _newton(x[few], y[few], ridge, near=0.1)
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
