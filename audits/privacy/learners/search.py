"""One search: of the candidates of some families the best that chance does not explain becomes a score.

A family looks at the outputs of both datasets in one way: at sums, orders, remainders, symbols. It yields
candidates as arrays, how surprising each of them would be if the datasets had one law, and a view for the
winner. The surprise is about −log of the probability of so large a difference, z²/2 for z standard errors;
what is left of it beyond the log of how many candidates there are is what chance does not explain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from audits.privacy.learners.cells import of_cells, of_number
from audits.privacy.learners.score import Number, Score
from audits.privacy.outputs.describe import Words
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Raw
from audits.privacy.tuning import TINY, TUNING


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at of each output.

    words  a description; see `describe`.
    of     outputs → a number each, or the number of the cell that each lies in.
    cells  number of a cell → the cell in words; None where `of` gives numbers, which are cut into cells.
    read   of a view of cells, the number behind them that a person would read off an output, in words and as
           a function; None where there is none.
    """

    words: Words
    of: Callable[[Encoded], Any]
    cells: Callable[[int], Words] | None = None
    read: Number | None = None

    @property
    def number(self) -> Number | None:
        """The number that a person would read off an output; None where there is none."""
        return (self.words, self.of) if self.cells is None else self.read


@dataclass(frozen=True, slots=True)
class Candidates:
    """How surprising each of some candidates is, (c,), and the view of the candidate of a number."""

    surprise: Floats
    view: Callable[[int], View]


Find = Callable[[Encoded, Encoded], Iterator[Candidates]]


@dataclass(frozen=True, slots=True)
class Family:
    """Candidates of one kind.

    find   samples of both datasets → candidates; nothing where the outputs are of another kind.
    cost   (columns of numbers, columns of symbols) → numbers that are looked at of one output: so few samples
           are taken that they are no more than `TUNING.most_numbers` in all.
    rare   whether it tells of rare events, so that all samples count.
    few    whether `TUNING.glance` samples must do, as it is costly: it is not asked again where there are
           many more.
    """

    find: Find
    cost: Callable[[int, int], float]
    rare: bool
    few: bool

    def __call__(self, first: Encoded, second: Encoded) -> list[Candidates]:
        most = max(TUNING.parts, int(TUNING.most_numbers / max(self.cost(*first.shape), 1)))
        if self.few and len(first) > (1.0 + TUNING.growth[1]) * TUNING.glance:
            return []
        rows = slice(most if self.rare else min(most, TUNING.glance if self.few else TUNING.retained_rows))
        found = self.find(first.take(rows), second.take(rows))
        return [candidates for candidates in found if len(candidates.surprise)]


def family(
    cost: Callable[[int, int], float] = lambda width, places: width, rare: bool = False, few: bool = False
) -> Callable[[Find], Family]:
    """Makes a family of a function."""
    return lambda find: Family(find, cost, rare, few)


def search(
    name: str, families: Sequence[Family], folded: bool = True
) -> Callable[[Encoded, Encoded], Score | None]:
    """The fit of a learner: the best candidate of all families as a score; None where chance explains it.

    folded  whether the score comes with folds, which cut the winner's numbers into cells for themselves. The
            winner is chosen once: its family must not fit its candidates to the samples.
    """

    def fit(first: Encoded, second: Encoded) -> Score | None:
        found = best_of(families, first, second)
        if found is None:
            return None
        if found.cells is None:
            score = of_number(name, found.of, found.words, first, second, folded)
        else:
            score = of_cells(name, found.of, found.cells, first, second, found.words, folded=folded)
        return replace(score, number=found.number)

    return fit


def best_of(families: Sequence[Family], first: Encoded, second: Encoded) -> View | None:
    """The view of the most surprising candidate, beyond the logs of how many its family has and of how many
    families there are: so a family of thousands costs the others nothing."""
    if len(first) < TUNING.parts:
        return None
    only_rare = len(first) > TUNING.retained_rows
    most, best = math.log(len(families)) + TUNING.sure, None
    for one in families if not only_rare else [one for one in families if one.rare]:
        found = one(first, second)
        luck = math.log(max(sum(len(some.surprise) for some in found), 1))
        for some in found:
            beyond = float(some.surprise.max()) - luck
            if beyond > most:
                most, best = beyond, some
    return None if best is None else best.view(int(best.surprise.argmax()))


# --- How surprising a difference is ---------------------------------------------------------------


def of_signs(p: Floats, q: Floats, size: int) -> Floats:
    """Surprise of the averages of signs on two datasets, of so many outputs each."""
    return 0.5 * np.square(p - q) / ((2.0 - p * p - q * q) / size + 1.0 / size**2)


def of_shares(p: Floats, q: Floats, size: int) -> Floats:
    """Surprise of the shares of events."""
    return of_signs(1.0 - 2.0 * p, 1.0 - 2.0 * q, size)


def of_events(first: Any, second: Any) -> Floats:
    """Surprise of columns of zeros and ones."""
    return of_shares(first.mean(axis=0), second.mean(axis=0), len(first))


def of_counts(a: Raw, b: Raw) -> Floats:
    """Surprise of how two datasets, of equally many outputs, are spread over cells (…, k): that of Pearson's
    χ² with a degree of freedom less than there are cells with outputs."""
    from scipy.special import gammaincc, gammaln

    x = 0.5 * (np.square(a - b) / np.maximum(a + b, 1)).sum(axis=-1)
    s = 0.5 * np.maximum(np.count_nonzero(a + b, axis=-1) - 1.0, 0.0)
    # The probability of a larger χ², and where no double holds that, what it comes near to.
    beyond = gammaincc(np.maximum(s, 0.5), x)
    far = x - (s - 1.0) * np.log(np.maximum(x, 1.0)) + gammaln(np.maximum(s, 0.5))
    return np.where(s > 0.0, np.where(beyond > TINY, -np.log(np.maximum(beyond, TINY)), far), 0.0)


def of_classes(first: Ints, second: Ints, classes: int) -> Floats:
    """Surprise of how each column (n, c) is spread over classes, which are numbered from 0 on."""
    return of_counts(counted(first, classes), counted(second, classes))


def counted(columns: Ints, classes: int) -> Ints:
    """How often each column (n, c) takes each of the values 0 to `classes` − 1, as (c, classes)."""
    width = columns.shape[1]
    cells = (columns + classes * np.arange(width)).ravel()
    return np.bincount(cells, minlength=classes * width).reshape(width, classes)


def of_members(first: Ints, second: Ints, cells: int) -> Floats:
    """Surprise of the share of outputs that hold anything in a cell, for each of so many cells; outputs are
    given by the cells (n, k) of what they hold."""

    def shares(side: Ints) -> Floats:
        found, rows = np.zeros(cells), max(1, TUNING.most_numbers // cells)
        for start in range(0, len(side), rows):
            part = side[start : start + rows]
            held = np.zeros((len(part), cells), dtype=bool)
            held[np.arange(len(part))[:, None], part] = True
            found += held.sum(axis=0)
        return found / len(side)

    return of_shares(shares(first), shares(second), len(first))


def of_numbers(a: Floats, b: Floats) -> Floats:
    """Surprise of each column of numbers: of the largest difference of the shares beyond a quantile, or of
    how the numbers are spread over the cells between quantiles."""
    if a.shape[1] == 0:
        return np.zeros(0)
    best, beyond = np.zeros(a.shape[1]), list[tuple[Floats, Floats]]()
    for level in _levels(a, b).T:
        p, q = (a >= level).mean(axis=0), (b >= level).mean(axis=0)
        spread = (p * (1 - p) / len(a) + q * (1 - q) / len(b)) + 0.25 / (len(a) + len(b)) ** 2
        best = np.maximum(best, 0.5 * np.square(p - q) / spread)
        beyond.append((p, q))
    sides = (np.stack(side, axis=1) for side in zip(*beyond[: len(TUNING.levels)], strict=True))
    cells = (-np.diff(side, prepend=1.0, append=0.0, axis=1) * len(a) for side in sides)
    return np.maximum(best, of_counts(*(np.round(counts) for counts in cells)))


def _levels(a: Floats, b: Floats) -> Floats:
    """Quantiles of each column (c, levels) of the pooled samples; only the outermost, which come last, need
    all of them."""
    pooled = np.concatenate([a.T, b.T], axis=1)
    step = max(1, pooled.shape[1] // (2 * TUNING.glance))
    some = np.sort(pooled[:, ::step], axis=1)
    places = np.ceil(np.array(TUNING.levels) * (some.shape[1] - 1)).astype(np.int64)
    rare = min(TUNING.least, pooled.shape[1] // 2)
    ends = [rare, pooled.shape[1] - 1 - rare]
    every = some if step == 1 else np.partition(pooled, ends, axis=1)
    return np.hstack([some[:, places], every[:, ends]])


def of_split(a: Ints, b: Ints, share: Any) -> Floats:
    """Surprise of a and b outputs in a cell where `share` of them are expected to be of the first dataset:
    n·KL(a/n ‖ share), n = a + b."""
    from scipy.special import xlogy

    n = np.maximum(a + b, 1)
    p = a / n
    # The divergence is at most that of χ²; logarithms of nearly all splits need not be taken.
    found = n * np.square(p - share) / (share * (1.0 - share))
    high = found > 0.5 * TUNING.sure
    n, p, share = n[high], p[high], np.broadcast_to(share, p.shape)[high]
    found[high] = n * (xlogy(p, p / share) + xlogy(1.0 - p, (1.0 - p) / (1.0 - share)))
    return found
