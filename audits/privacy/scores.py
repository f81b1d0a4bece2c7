"""Scores: functions of an output whose large values speak for one dataset and small values for the other.

A score is learned on earlier samples only and turned into events by thresholds. Every learner here takes the
samples of both sides and returns the score, or None where it finds none. Which of them suit a kind of output
is said by `pair_state.learners`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from audits.privacy.footprints import cells as bit_cells
from audits.privacy.outputs import (
    LARGE,
    Encoded,
    Floats,
    Ints,
    column_words,
    digits_of,
    number_words,
    value_words,
)
from audits.privacy.tuning import TUNING

Folds = tuple[Callable[[Encoded], Floats], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A learned score.

    name      which learner made it.
    evaluate  outputs → (n,) floats.
    describe  (threshold, whether the event is "score ≥ threshold") → the event in words.
    learned   whether it was fitted to labelled samples, so that those must not judge it.
    monotone  whether it means to grow with the likelihood ratio, so that a smooth curve may calibrate it.
    folds     the same fitted without one part of the samples that it was learned from, for each part (see
              `fold_of`): they may judge it on those.
    """

    name: str
    evaluate: Callable[[Encoded], Floats]
    describe: Callable[[float, bool], str]
    learned: bool = True
    monotone: bool = True
    folds: Folds | None = None


Learner = Callable[[Encoded, Encoded], Score | None]


def threshold_words(what: str, digits: int = 6) -> Callable[[float, bool], str]:
    """What says that a number is beyond a threshold."""
    return lambda t, upper: f"{what} {'≥' if upper else '<'} {number_words(t, digits)}"


# --- Scalars -----------------------------------------------------------------------------------------


def value(first: Encoded, second: Encoded) -> Score:
    """A single number itself: both tails, and atoms at the ends."""
    some = np.concatenate([first.values[: TUNING.most_distinct, 0], second.values[: TUNING.most_distinct, 0]])
    words = threshold_words("output", digits_of(some))
    return Score("value", lambda e: e.values[:, 0], words, learned=False, monotone=False)


def sets(first: Encoded, second: Encoded) -> Score | None:
    """Cells of single outputs, ordered by their empirical likelihood ratio.

    Repeated numbers and symbols are cells of their own; other numbers are cut at pooled quantiles: that makes
    tails, intervals and complements of intervals alike. For repeated vectors see `atoms.ladder_of_sets`.
    """
    if not (first.is_scalar or first.is_symbol):
        return None
    values = np.concatenate([e.values[(e.codes == 0).all(axis=1), 0] for e in (first, second)])
    atoms, edges = _scalar_cells(values, int(np.clip(np.sqrt(len(values)) / 2, 8, 128)))
    numbers, digits = len(atoms) + len(edges) + 1, digits_of(edges)

    def cell(e: Encoded) -> Ints:
        found = _scalar_cell(e.values[:, 0], atoms, edges)
        return np.where(e.codes[:, 0] > 0, numbers - 1 + e.codes[:, 0], found) if first.is_symbol else found

    def name(c: int) -> str:
        return _cell_words(atoms, edges, c, digits) if c < numbers else f"{{symbol {c - numbers + 1}}}"

    return of_cells("sets", cell, name, first, second, few=TUNING.few_cells)


def of_cells(
    name: str,
    cell: Callable[[Encoded], Ints],
    words: Callable[[int], str],
    first: Encoded,
    second: Encoded,
    what: str = "output",
    few: int = 0,
) -> Score:
    """The score of a partition: the log ratio of both datasets' counts in the cell that an output lies in.

    cell   outputs → numbers of cells.
    words  number of a cell → the cell in words, a set that `what` lies in.
    few    with so few cells the samples that ordered them may also judge them.
    """
    x, y = cell(first), cell(second)
    cells = 1 + int(max(x.max(initial=0), y.max(initial=0)))
    a, b = np.bincount(x, minlength=cells), np.bincount(y, minlength=cells)
    # A cell that no output was seen in has the ratio 1.
    ratio = np.append(np.log((a + 0.5) / (b + 0.5)), 0.0)

    def describe(t: float, upper: bool) -> str:
        # Scores and thresholds are both rounded, so the threshold lies half a unit lower.
        inside = (ratio[:-1] >= t - TUNING.ratio_rounding) == upper
        names = [words(int(c)) for c in np.flatnonzero(inside & (a + b > 0))]
        # Where no cell with outputs reaches the threshold, the event is that of the cells without outputs.
        return f"{what} in {joined(names)}" if names else "output where nothing was seen while learning"

    return Score(name, lambda e: ratio[np.minimum(cell(e), cells)], describe, learned=cells > few)


SHOWN = 6
"""Cells that an event is described by, at most."""


def joined(parts: list[str], others: int = 0) -> str:
    """Cells in words, neighbouring intervals merged; of all but `SHOWN`, and of `others`, only how many."""
    merged: list[str] = []
    for part in parts:
        # [a, b) ∪ [b, c) reads better as [a, c).
        if merged and part.startswith("[") and merged[-1].endswith(")"):
            left, right = merged[-1][1:-1].split(", "), part[1:-1].split(", ")
            if len(left) == 2 and len(right) == 2 and left[1] == right[0]:
                merged[-1] = f"[{left[0]}, {right[1]})"
                continue
        merged.append(part)
    hidden = max(len(merged) - SHOWN, 0) + others
    more = f" and {hidden} more cells" if hidden else ""
    return (" ∪ ".join(merged[:SHOWN]) or "∅") + more


def row_words(e: Encoded, row: int) -> str:
    """One row as a set of one element, a dozen of its numbers at most."""
    codes = e.codes[row]
    parts = [
        f"symbol {codes[j]}" if j < len(codes) and codes[j] else value_words(v)
        for j, v in enumerate(e.values[row][:12])
    ]
    more = ", …" if e.values.shape[1] > 12 else ""
    return "{" + (parts[0] if len(parts) == 1 else f"({', '.join(parts)}{more})") + "}"


def _scalar_cells(values: Floats, cells: int) -> tuple[Floats, Floats]:
    """Atoms (repeated values) and edges between which the other values lie, about `cells` in all."""
    unique, counts = np.unique(values, return_counts=True)
    least = max(2, len(values) // 2000)
    common = counts >= least
    atoms, rest = unique[common], np.repeat(unique[~common], counts[~common])
    if len(rest) < 4:
        return atoms, np.zeros(0)
    edges = np.unique(np.quantile(rest, np.linspace(0.0, 1.0, cells + 1)[1:-1]))
    return atoms, edges


def _scalar_cell(values: Floats, atoms: Floats, edges: Floats) -> Ints:
    between = len(atoms) + np.searchsorted(edges, values, side="right")
    if len(atoms) == 0:
        return between
    place = np.minimum(np.searchsorted(atoms, values), len(atoms) - 1)
    return np.where(atoms[place] == values, place, between)


def _cell_words(atoms: Floats, edges: Floats, c: int, digits: int) -> str:
    """One of the cells that `_scalar_cell` puts numbers into, its edges with so many digits."""
    if c < len(atoms):
        return f"{{{value_words(atoms[c])}}}"
    if len(atoms) > 0 and len(edges) == 0:
        return "(another number)"
    j = c - len(atoms)
    low, high = edges[j - 1] if j > 0 else -math.inf, edges[j] if j < len(edges) else math.inf
    return f"[{number_words(low, digits)}, {number_words(high, digits)})"


# --- Vectors -----------------------------------------------------------------------------------------


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


def logistic(first: Encoded, second: Encoded) -> Score:
    """Logistic regression with a ridge, by Newton's method in whichever of samples or columns is smaller."""
    a, b = first.columns(), second.columns()
    standard = _flagged(a, b)
    weights = _fit_logistic(standard(a[: TUNING.most_fitted]), standard(b[: TUNING.most_fitted]))
    return Score("logistic", lambda e: standard(e.columns()) @ weights, threshold_words("logistic score"))


def sparse(first: Encoded, second: Encoded) -> Score | None:
    """Logistic regression on columns, squares and products of two columns that differ by more than chance.

    It finds a leak in a few columns of many, or in how two columns go together.
    """
    a, b = first.columns(), second.columns()
    standard = _flagged(a, b)
    x, y = standard(a[: TUNING.most_fitted]), standard(b[: TUNING.most_fitted])
    d = x.shape[1]
    # Where there are too many columns for all pairs, each fit looks at another choice of columns.
    some = some_columns(d, TUNING.most_paired, len(a))
    most = min(TUNING.most_fitted, max(256, int(4 * TUNING.most_work / len(some) ** 2)))

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
    chosen = np.argsort(found)[::-1][: TUNING.most_sparse]
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

    weights = _fit_logistic(expand(x), expand(y))
    words = threshold_words("score of a few columns and products")
    return Score("sparse", lambda e: expand(standard(e.columns())) @ weights, words)


def some_columns(width: int, most: int, rows: int) -> Ints:
    """All columns; where they are more than `most`, another choice of them for each number of rows."""
    if width <= most:
        return np.arange(width)
    return np.sort(np.random.default_rng(rows).choice(width, most, replace=False))


def smooth(first: Encoded, second: Encoded) -> Score:
    """Logistic regression on piecewise-linear functions of up to six columns, on atoms, and on all products
    of two.

    Smooth where trees are steps: it reaches into corners of the outputs where samples are few.
    """
    a, b = first.columns(), second.columns()
    standard = _standard(a, b)
    z = standard(np.concatenate([a[: TUNING.most_fitted], b[: TUNING.most_fitted]]))
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
    # The chosen rows lie far apart, so that each fold has its share of them.
    most = TUNING.most_smoothed if len(a) > TUNING.most_smoothed else TUNING.most_fitted
    some = slice(None, None, -(-len(a) // _most_fitted(width + width * (width + 1) // 2, most)))
    weights, without = _cross_fit(features(a[some]), features(b[some]), fold_of(len(a), TUNING.folds)[some])
    folds = tuple(_quadratic_form(w, rows, width) for w in without)
    whole = _quadratic_form(weights, rows, width)
    return Score("smooth", whole, threshold_words("smooth logistic score"), folds=folds)


def fold_of(rows: int, folds: int) -> Ints:
    """The fold of each row; a fold is a run of neighbouring rows."""
    return np.arange(rows) * folds // max(rows, 1)


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
        for start in range(0, len(e), TUNING.smooth_rows):
            part = slice(start, start + TUNING.smooth_rows)
            base = rows(e.take(part).columns())
            found[part] = np.einsum("ij,ij->j", square.T @ base + weights[:width, None], base)
        return found

    return evaluate


def _most_fitted(columns: int, most: int = TUNING.most_fitted) -> int:
    """How many samples of each dataset a regression on so many columns is fitted to."""
    return most if columns <= TUNING.wide else min(most, max(256, int(TUNING.most_work / columns**2)))


def _fit_logistic(a: Floats, b: Floats) -> Floats:
    """Weights of a logistic regression that tells the rows of a from those of b."""
    most = _most_fitted(a.shape[1])
    x, y = _labelled(a[:most], b[:most])
    n, d = x.shape
    if d > n:
        return _dual(x, y)
    return _newton(x, y, 1.0 + 0.01 * n / d if d > n / 10 else 1.0)[0]


def _labelled(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    return np.vstack([a, b]), np.concatenate([np.ones(len(a)), np.zeros(len(b))])


def _dual(x: Floats, y: Floats) -> Floats:
    """Weights where there are more columns than samples: a ridge regression of the labels, in dual form."""
    gram, n = x @ x.T, len(x)
    return x.T @ np.linalg.solve(gram + (1.0 + 0.1 * np.trace(gram) / n) * np.eye(n), 2.0 * y - 1.0)


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


def _cross_fit(a: Floats, b: Floats, fold: Ints) -> tuple[Floats, list[Floats]]:
    """Weights fitted to all rows, and those fitted without each fold's.

    The latter are one step of Newton's method away from the former, with slope and curvature of the fold's
    rows taken out of the sums.
    """
    x, y = _labelled(a, b)
    n, d = x.shape
    if d > n:
        part = np.concatenate([fold, fold])
        return _dual(x, y), [_dual(x[part != k], y[part != k]) for k in range(TUNING.folds)]
    ridge, weights, offset = TUNING.smooth_ridge, np.zeros(d), 0.0
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


def norm(first: Encoded, second: Encoded) -> Score:
    """Distance from the pooled centre in standardised columns: finds rare modes far out and other spreads."""
    standard = _standard(first.columns(), second.columns())

    def evaluate(e: Encoded) -> Floats:
        z = standard(e.columns())
        return np.sqrt(np.einsum("ij,ij->i", z, z))

    return Score("norm", evaluate, threshold_words("distance from the centre"), learned=False, monotone=False)


LEVELS = (0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999)


def telling(a: Floats, b: Floats) -> Floats:
    """How well each column tells the datasets apart: the largest difference of the shares beyond a quantile,
    in standard errors."""
    best, rare = np.zeros(a.shape[1]), min(TUNING.crowd_least / (len(a) + len(b)), 0.5)
    # Only the outermost quantiles need more samples than the others.
    for most, levels in ((TUNING.retained_rows, LEVELS), (None, (rare, 1.0 - rare))):
        x, y = a[:most], b[:most]
        for level in np.quantile(np.concatenate([x, y]), levels, axis=0):
            p, q = (x >= level).mean(axis=0), (y >= level).mean(axis=0)
            spread = np.sqrt((p * (1 - p) / len(x) + q * (1 - q) / len(y)) + 0.25 / (len(x) + len(y)) ** 2)
            best = np.maximum(best, np.abs(p - q) / spread)
    return best


def coordinate(first: Encoded, second: Encoded) -> Score:
    """The column that tells the datasets apart best, cut into cells: it finds a leak in one coordinate."""
    column = int(np.argmax(telling(first.columns(), second.columns())))
    words = column_words(first.shape, column)
    return of_number("coordinate", lambda e: e.columns()[:, column], words, first, second)


def of_number(
    name: str, number: Callable[[Encoded], Floats], words: str, first: Encoded, second: Encoded
) -> Score:
    """The score of one number of each output, cut into cells."""
    values = np.concatenate([number(first), number(second)])
    atoms, edges = _scalar_cells(values, int(np.clip(np.sqrt(len(values)) / 2, 8, 64)))
    digits = digits_of(edges)
    return of_cells(
        name,
        lambda e: _scalar_cell(number(e), atoms, edges),
        lambda c: _cell_words(atoms, edges, c, digits),
        first,
        second,
        what=words,
    )


# --- Arithmetic --------------------------------------------------------------------------------------


def footprints(first: Encoded, second: Encoded) -> Score:
    """Trailing zero bits of the significand, by the exponent: which doubles a computation can reach at all.

    Finds what Mironov (2012) describes; nearly every noise that is added in floating point has it.
    """
    return of_cells(
        "footprints",
        lambda e: bit_cells(e.values[:, 0])[0],
        lambda c: f"{{(exponent {c // 64 - 30}, {c % 64} zeros)}}",
        first,
        second,
        "(exponent, trailing zero bits)",
    )
