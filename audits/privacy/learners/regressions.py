"""Scores of vectors that add up features: logistic regressions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audits.privacy.learners.fits import cross_fit, labelled, most_fitted, newton, shrinkage
from audits.privacy.learners.scaling import flagged, standardised
from audits.privacy.learners.score import Score, fold_of, some_columns, spaced, threshold_words
from audits.privacy.outputs.outputs import Columns, Encoded, Floats, columns_of
from audits.privacy.tuning import BOUND, TUNING


def logistic(first: Encoded, second: Encoded) -> Score:
    """Logistic regression on the columns and their signs about the medians, with a ridge that suits how many
    there are.

    Gaussian noise tells by how large a number is, Laplace noise of a large scale by little more than the
    sign: beyond both means its log-likelihood ratio is constant.
    """
    of = columns_of(first, second)
    a, b = of(first), of(second)
    width, scaled = a.shape[1], flagged(a, b)

    def standard(v: Floats) -> Floats:
        z = scaled(v)
        return np.hstack([z, np.sign(z[:, :width])])

    some = spaced(len(a), most_fitted(2 * width))
    x, y = standard(a[some]), standard(b[some])
    weights, without = cross_fit(x, y, fold_of(len(a), TUNING.folds)[some])

    def score(w: Floats) -> Callable[[Encoded], Floats]:
        return lambda e: standard(of(e)) @ w

    words = threshold_words("logistic score")
    return Score("logistic", score(weights), words, in_words=False, folds=tuple(map(score, without)))


def sparse(first: Encoded, second: Encoded) -> Score | None:
    """Logistic regression on columns, squares and products of two columns that differ by more than chance.

    It finds a leak in a few columns of many, or in how two columns go together.
    """
    of = columns_of(first, second)
    a, b = of(first), of(second)
    standard = flagged(a, b)
    x, y = standard(a[: TUNING.retained_rows]), standard(b[: TUNING.retained_rows])
    d = x.shape[1]
    # Where there are too many columns for all pairs, each fit looks at another choice of columns.
    some = some_columns(d, TUNING.glance, len(a))
    most = most_fitted(len(some))

    def products(v: Floats) -> tuple[Floats, Floats]:
        z = v[:, some]
        return z.T @ z / len(z), (z * z).T @ (z * z) / len(z)

    # The differences between the datasets: of columns (row 0), then of products of two columns.
    (p, pp), (q, qq) = products(x[:most]), products(y[:most])
    n = min(len(x), most)
    two = np.triu(np.abs(p - q) / np.sqrt((pp - p * p + qq - q * q) / n + TUNING.steady))
    one = np.abs(x.mean(axis=0) - y.mean(axis=0)) / np.sqrt(
        (x.var(axis=0) + y.var(axis=0)) / n + TUNING.steady
    )
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
        return np.hstack([z[:, alone], z[:, both] ** 2, z[:, left[apart]] * z[:, right[apart]]])

    x, y = expand(x), expand(y)
    weights = newton(*labelled(x, y), shrinkage(x, y))[0]
    words = threshold_words("score of a few columns and products")
    return Score("sparse", lambda e: expand(standard(of(e))) @ weights, words, in_words=False)


def smooth(first: Encoded, second: Encoded) -> Score:
    """Logistic regression on piecewise-linear functions of a few columns, on indicators of frequent values,
    and on all products of two of these.

    Smooth where trees are steps: it reaches into corners of the outputs where samples are few.
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
    x, y = features(a[some]), features(b[some])
    weights, without = cross_fit(x, y, fold)
    folds = tuple(_quadratic_form(w, of, rows, width) for w in without)
    whole = _quadratic_form(weights, of, rows, width)
    words = threshold_words("smooth logistic score")
    return Score("smooth", whole, words, in_words=False, folds=folds)


def repeated(first: Encoded, second: Encoded) -> Score | None:
    """What `smooth` makes of how often an output holds each of a few values that occur again and again, and
    of the sum of its other numbers.

    So vectors tell what records would: those of a sparse vector hold one answer among sentinels.
    """
    some = np.concatenate([first.values[: TUNING.glance], second.values[: TUNING.glance]])
    unique, counts = np.unique(some, return_counts=True)
    common = np.argsort(counts)[::-1][:2]
    common = unique[common[counts[common] > len(some) / 2]]
    if len(common) == 0:
        return None

    def counted(values: Floats) -> Floats:
        others = np.where(np.isin(values, common), 0.0, np.clip(values, -BOUND, BOUND))
        return np.column_stack([others.sum(axis=1), *((values == x).sum(axis=1) for x in common)])

    def summed(e: Encoded) -> Encoded:
        return Encoded(counted(e.values), e.codes[:, :0])

    inner = smooth(summed(first), summed(second))
    assert inner.folds is not None
    folds = tuple(lambda e, fit=fit: fit(summed(e)) for fit in inner.folds)
    words = threshold_words("smooth score of how often values repeat and of the sum of the others")
    return Score("repeated", lambda e: inner.evaluate(summed(e)), words, in_words=False, folds=folds)


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
