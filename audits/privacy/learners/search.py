"""One search: of the candidates of some families the best that chance does not explain becomes a score.

A family looks at the outputs of both datasets in one way: at sums, orders, remainders, symbols. It yields
candidates as arrays, how surprising each of them would be if the datasets had one law, and a view for the
winner. The surprise is about −log of the probability of so large a difference, z²/2 for z standard errors;
what is left of it beyond the log of how many candidates there are is what chance does not explain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audits.privacy.learners.cells import of_cells, of_number
from audits.privacy.learners.score import Score
from audits.privacy.outputs.describe import NUMBERS, Words
from audits.privacy.outputs.outputs import Encoded, Floats, Ints
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at of each output.

    words  a description; see `describe`.
    of     outputs → a number each, or the number of the cell that each lies in.
    cells  number of a cell → the cell in words; None where `of` gives numbers, which are cut into cells.
    """

    words: Words
    of: Callable[[Encoded], Any]
    cells: Callable[[int], Words] | None = None


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
    """

    find: Find
    cost: Callable[[int, int], float]
    rare: bool

    def __call__(self, first: Encoded, second: Encoded) -> list[Candidates]:
        most = max(TUNING.parts, int(TUNING.most_numbers / max(self.cost(*first.shape), 1)))
        rows = slice(most if self.rare else min(most, TUNING.retained_rows))
        found = self.find(first.take(rows), second.take(rows))
        return [candidates for candidates in found if len(candidates.surprise)]


def family(
    cost: Callable[[int, int], float] = lambda width, places: width, rare: bool = False
) -> Callable[[Find], Family]:
    """Makes a family of a function."""
    return lambda find: Family(find, cost, rare)


def search(name: str, families: Sequence[Family]) -> Callable[[Encoded, Encoded], Score | None]:
    """The fit of a learner: the best candidate of all families as a score; None where chance explains it."""

    def fit(first: Encoded, second: Encoded) -> Score | None:
        found = best_of(families, first, second)
        if found is None:
            return None
        if found.cells is None:
            return of_number(name, found.of, found.words, first, second)
        return of_cells(name, found.of, found.cells, first, second, found.words)

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
    """Surprise of each column of numbers: of the largest difference of the shares beyond a quantile."""
    best, rare = np.zeros(a.shape[1]), min(TUNING.least / (len(a) + len(b)), 0.5)
    # Only the outermost quantiles need more samples than the others.
    for most, levels in ((TUNING.some_rows, TUNING.levels), (None, (rare, 1.0 - rare))):
        for level in np.quantile(np.concatenate([a[:most], b[:most]]), levels, axis=0):
            p, q = (a >= level).mean(axis=0), (b >= level).mean(axis=0)
            spread = (p * (1 - p) / len(a) + q * (1 - q) / len(b)) + 0.25 / (len(a) + len(b)) ** 2
            best = np.maximum(best, 0.5 * np.square(p - q) / spread)
    return best


def of_views(views: Sequence[View], first: Encoded, second: Encoded) -> Candidates:
    """Views of numbers as candidates."""
    sides = (np.stack([view.of(e) for view in views], axis=1) for e in (first, second))
    return Candidates(of_numbers(*sides), lambda j: views[j])


def of_table(
    of: Callable[[Encoded], Floats], words: Sequence[str], first: Encoded, second: Encoded
) -> Candidates:
    """Numbers that are worked out together, (n, c), from all numbers of an output, as candidates."""
    return Candidates(
        of_numbers(of(first), of(second)), lambda j: View((words[j], NUMBERS), lambda e: of(e)[:, j])
    )


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
