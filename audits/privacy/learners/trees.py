"""A score from trees that halve the outputs at medians: it tells what happens in some place of a few columns.

Each place is halved at the median of one column after the other. How likely an output there is of the first
dataset is averaged over all ways to stop halving, by how well each way explains the samples: the weighting of
context trees (Willems, Shtarkov and Tjalkens, 1995), with laws that are equal in most places, as in Ma and
Wong (2011).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from audits.privacy.learners.cells import joined, reaches
from audits.privacy.learners.score import Score, fold_of, some_columns, spaced, threshold_words
from audits.privacy.outputs.describe import OUTPUT, SHOWN, Interval, Words, listed
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, columns_of, digits_of, number_words
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class _Tree:
    """Columns that are cut in turn, and for each level the cut of each place."""

    columns: tuple[int, ...]
    cuts: tuple[Floats, ...]

    def leaf(self, values: Floats) -> Ints:
        """The leaf that each row of numbers (n, d) comes to lie in."""
        place = np.zeros(len(values), dtype=np.int64)
        for level, cut in enumerate(self.cuts):
            column = values[:, self.columns[level % len(self.columns)]]
            place = 2 * place + (column >= cut[place])
        return place


def tree(first: Encoded, second: Encoded) -> Score | None:
    """The tree on two or all of a few columns that explains best which dataset each output is of."""
    of = columns_of(first, second)
    a, b = of(first), of(second)
    choices = _choices(a, b)
    if not choices or len(a) < TUNING.least * TUNING.parts:
        return None
    most = min(TUNING.retained_rows, TUNING.rare_rows // len(choices))
    found = [_fitted(a, b, columns, most) for columns in choices]
    grown, some, ratio, sure = max(found, key=lambda fit: fit[-1])
    if sure < math.log(len(choices)) + TUNING.sure:
        return None

    def score(ratio: Floats) -> Callable[[Encoded], Floats]:
        return lambda e: ratio[grown.leaf(of(e))]

    # Where places are cut does not depend on the datasets that the outputs are of, only the counts do.
    fold, a, b = fold_of(len(a), TUNING.folds)[some], a[some], b[some]
    without = [_weighted(_counts(grown, a[fold != k], b[fold != k]))[0] for k in range(TUNING.folds)]
    if first.is_scalar:
        words = _interval_words(np.sort(np.concatenate(grown.cuts)), ratio)
    else:
        words = threshold_words(("tree score of ", listed(map(of.words, grown.columns))))
    folds = tuple(map(score, without))
    return Score("tree", score(ratio), words, monotone=False, in_words=first.is_scalar, folds=folds)


def _interval_words(edges: Floats, ratio: Floats) -> Callable[[float, bool], Words]:
    """What says in which intervals between the edges a single number has a high ratio, or a low one."""
    digits = digits_of(edges)
    edges = np.concatenate([[-np.inf], edges, [np.inf]])

    def words(t: float, upper: bool) -> Words:
        inside = reaches(ratio, t) == upper
        change = np.flatnonzero(np.diff(inside.astype(int), prepend=0, append=0))
        runs = [[number_words(edge, digits) for edge in edges[ends]] for ends in change.reshape(-1, 2)]
        names = [Interval(a, b) for a, b in runs[:SHOWN]]
        return (OUTPUT, " in ", joined(names, len(runs) - len(names)))

    return words


def _choices(a: Floats, b: Floats) -> list[tuple[int, ...]]:
    """Pairs of columns, the most promising first, and all of few columns; nothing for columns of few values,
    which have no places that other scores do not show."""
    width, few = a.shape[1], slice(TUNING.glance)
    columns = some_columns(width, TUNING.most_chosen, len(a)).tolist()
    a, b = a[: 2 * TUNING.some_rows], b[: 2 * TUNING.some_rows]
    many = {j for j in columns if len(np.unique(a[few, j])) > TUNING.parts}
    every = [tuple(columns)] if many and width <= TUNING.most_joint else []
    pairs = [pair for pair in itertools.combinations(columns, 2) if width > 2 and many.intersection(pair)]
    most = TUNING.most_chosen // 2
    if len(pairs) <= most:
        return every + pairs
    # A cell of two columns, each cut at its quantiles, that holds more of one dataset.
    levels = np.arange(1, TUNING.parts) / TUNING.parts
    edges = {j: np.quantile(np.concatenate([a[:, j], b[:, j]]), levels) for j in columns}
    places = [{j: np.searchsorted(edges[j], side[:, j]) for j in columns} for side in (a, b)]

    def promise(pair: tuple[int, int]) -> float:
        cells = [place[pair[0]] * TUNING.parts + place[pair[1]] for place in places]
        x, y = (np.bincount(cell, minlength=TUNING.parts**2) for cell in cells)
        return float(((x - y) ** 2 / (x + y + 1.0)).max())

    return every + sorted(pairs, key=promise, reverse=True)[:most]


def _fitted(a: Floats, b: Floats, columns: Sequence[int], most: int) -> tuple[_Tree, slice, Floats, float]:
    """A tree, which of the rows it was fitted to, and what `_weighted` says of it."""
    some = spaced(len(a), most)
    grown = _grown(np.concatenate([side[some][:, list(columns)] for side in (a, b)]), columns)
    return grown, some, *_weighted(_counts(grown, a[some], b[some]))


def _grown(pooled: Floats, columns: Sequence[int]) -> _Tree:
    """A tree whose leaves hold about as many of these rows each; the rows have these columns only."""
    depth = int(math.log2(len(pooled) / TUNING.least))
    rows = pooled[np.linspace(0, len(pooled) - 1, len(pooled) >> depth << depth).astype(int)]
    parts, cuts = np.ascontiguousarray(rows.T)[:, None, :], list[Floats]()
    for level in range(depth):
        column = level % len(columns)
        half = parts.shape[2] // 2
        order = np.argpartition(parts[column], half, axis=1)
        parts = np.take_along_axis(parts, order[None], axis=2)
        cuts.append(parts[column, :, half].copy())
        parts = parts.reshape(len(columns), -1, half)
    return _Tree(tuple(columns), tuple(cuts))


def _counts(grown: _Tree, a: Floats, b: Floats) -> list[Ints]:
    """How many rows of both datasets each place holds, for each level from the leaves to the root."""
    size = 2 ** len(grown.cuts)
    counts = [np.stack([np.bincount(grown.leaf(side), minlength=size) for side in (a, b)])]
    for _ in grown.cuts:
        counts.append(counts[-1].reshape(2, -1, 2).sum(axis=2))
    return counts


def _weighted(counts: list[Ints]) -> tuple[Floats, float]:
    """The log ratio of both datasets in each leaf, and the log of how much better all places explain the
    samples than the coarse places do, whose differences other scores show."""
    from scipy.special import betaln, expit

    # In a place both datasets have equal shares, or any: as likely beforehand.
    equal = [-(x + y) * math.log(2.0) for x, y in counts]
    other = [betaln(x + 0.5, y + 0.5) - math.log(math.pi) for x, y in counts]
    alone = [np.logaddexp(p, q) - math.log(2.0) for p, q in zip(equal, other, strict=True)]
    whole, stops = _mixed(alone)
    coarse, _ = _mixed(alone[-TUNING.parts.bit_length() :])
    # From the root to the leaves: what is left to be averaged, and the average so far.
    left, total = np.ones(1), np.zeros(1)
    for (x, y), p, q, stop in zip(counts[::-1], equal[::-1], other[::-1], stops[::-1], strict=True):
        times = len(x) // len(left)
        left, total = np.repeat(left, times), np.repeat(total, times)
        total += left * stop * (0.5 + expit(q - p) * ((x + 0.5) / (x + y + 1.0) - 0.5))
        left *= 1.0 - stop
    return np.log(total / (1.0 - total)), whole - coarse


def _mixed(alone: list[Floats]) -> tuple[float, Sequence[Floats]]:
    """The log of the average over all trees, and how likely each of them ends at each place; of the logs of
    how well each place explains its samples alone, from the leaves to the root."""
    from scipy.special import expit

    mixed, stops = alone[0], [np.ones(len(alone[0]))]
    for here in alone[1:]:
        parts = mixed.reshape(-1, 2).sum(axis=1)
        stops.append(expit(here - parts))
        mixed = np.logaddexp(here, parts) - math.log(2.0)
    return float(mixed[0]), stops
