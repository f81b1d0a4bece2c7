"""Scores of partitions: the log ratio of both datasets' counts in the cell that an output lies in."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audits.privacy.outputs.describe import OUTPUT, joined, symbol_words
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, digits_of, number_words, value_words
from audits.privacy.outputs.score import Score, View, fold_of
from audits.privacy.tuning import TUNING


def value(first: Encoded, second: Encoded) -> Score:
    """A single number itself: both tails, and atoms at the ends."""
    some = np.concatenate([first.values[: TUNING.glance, 0], second.values[: TUNING.glance, 0]])
    digits = digits_of(some)

    def describe(t: float, upper: bool) -> str:
        return f"{OUTPUT} {'≥' if upper else '<'} {number_words(t, digits)}"

    return Score("value", lambda e: e.values[:, 0], describe, learned=False)


def sets(first: Encoded, second: Encoded) -> Score | None:
    """Cells of single outputs, ordered by their empirical likelihood ratio.

    Repeated numbers and symbols are cells of their own; other numbers are cut at pooled quantiles: that makes
    tails, intervals and complements of intervals alike. For repeated vectors see `atoms.family_of_sets`.
    """
    if not first.is_single:
        return None
    values = np.concatenate([e.values[(e.codes == 0).all(axis=1), 0] for e in (first, second)])
    cells = partition(values)
    numbers = len(cells)

    def cell(e: Encoded) -> Ints:
        found = cells.of(e.values[:, 0])
        return np.where(e.codes[:, 0] > 0, numbers - 1 + e.codes[:, 0], found)

    def name(c: int) -> str:
        return cells.words(c) if c < numbers else _symbol_words(c - numbers + 1)

    return of_cells("sets", cell, name, first, second, few=TUNING.parts)


def of_view(name: str, view: View, first: Encoded, second: Encoded) -> Score:
    """The score of a view: symbols are cells, other numbers are cut into cells, see `of_cells`."""
    if view.symbol:
        return of_cells(name, view.of, _symbol_words, first, second, view.words, folded=True)
    cells = partition(np.concatenate([view.of(first), view.of(second)]))
    return of_cells(name, lambda e: cells.of(view.of(e)), cells.words, first, second, view.words, folded=True)


def _symbol_words(number: int) -> str:
    return f"{{{symbol_words(number) if number else 'a number'}}}"


def of_cells(
    name: str,
    cell: Callable[[Encoded], Ints],
    words: Callable[[int], str],
    first: Encoded,
    second: Encoded,
    what: str = OUTPUT,
    few: int = 0,
    folded: bool = False,
) -> Score:
    """The score of a partition: the log ratio of both datasets' counts in the cell that an output lies in.

    cell    outputs → numbers of cells.
    words   number of a cell → the cell in words, a set that `what` lies in.
    few     with so few cells the samples that ordered them may also judge them.
    folded  whether the score comes with folds.
    """
    x, y = cell(first), cell(second)
    cells = 1 + int(max(x.max(initial=0), y.max(initial=0)))

    def counted(x: Ints, y: Ints) -> Floats:
        a, b = np.bincount(x, minlength=cells), np.bincount(y, minlength=cells)
        # A cell that no output was seen in has the ratio 1.
        return np.append(np.log((a + 0.5) / (b + 0.5)), 0.0)

    def evaluated(ratio: Floats) -> Callable[[Encoded], Floats]:
        return lambda e: ratio[np.minimum(cell(e), cells)]

    ratio, fold = counted(x, y), fold_of(len(x), TUNING.folds)
    seen = np.bincount(np.concatenate([x, y]), minlength=cells) > 0
    without = [counted(x[fold != k], y[fold != k]) for k in range(TUNING.folds if folded else 0)]

    def describe(t: float, upper: bool) -> str:
        inside = reaches(ratio[:-1], t) == upper
        found = np.flatnonzero(inside & seen)
        names = [words(int(c)) for c in found[: TUNING.glance]]
        # Where no cell with outputs reaches the threshold, the event is that of the cells without outputs.
        if not names:
            return "output where nothing was seen while learning"
        return f"{what} in {joined(names, len(found) - len(names))}"

    return Score(
        name,
        evaluated(ratio),
        describe,
        learned=cells > few,
        folds=tuple(map(evaluated, without)) if folded else None,
    )


def reaches(ratio: Floats, threshold: float) -> NDArray[np.bool_]:
    """Which of all ratios are at least a threshold, which may be one of them rounded to a higher number."""
    return ratio >= threshold - TUNING.steady * np.abs(ratio).max(initial=1.0)


@dataclass(frozen=True, slots=True)
class Partition:
    """Cells of numbers: values that repeat, and intervals between edges where the other values lie; edges are
    written with `digits` digits."""

    atoms: Floats
    edges: Floats
    digits: int = 17

    def __len__(self) -> int:
        return len(self.atoms) + len(self.edges) + 1

    def of(self, values: Floats) -> Ints:
        """The cell of each number."""
        between = len(self.atoms) + np.searchsorted(self.edges, values, side="right")
        if len(self.atoms) == 0:
            return between
        place = np.minimum(np.searchsorted(self.atoms, values), len(self.atoms) - 1)
        return np.where(self.atoms[place] == values, place, between)

    def holds(self, cell: int, values: Floats) -> NDArray[np.bool_]:
        """Whether each number lies in one cell, which takes less time than to find the cells of all."""
        if cell < len(self.atoms):
            return values == self.atoms[cell]
        low, high = self._ends(cell)
        inside = (values >= low) & (values < high)
        for atom in self.atoms[(self.atoms >= low) & (self.atoms < high)].tolist():
            inside &= values != atom
        return inside

    def _ends(self, cell: int) -> list[float]:
        place = cell - len(self.atoms)
        low = float(self.edges[place - 1]) if place > 0 else -math.inf
        return [low, float(self.edges[place]) if place < len(self.edges) else math.inf]

    def words(self, cell: int) -> str:
        """A cell."""
        if cell < len(self.atoms):
            return f"{{{value_words(self.atoms[cell])}}}"
        if len(self.atoms) > 0 and len(self.edges) == 0:
            return "(another number)"
        low, high = (number_words(end, self.digits) for end in self._ends(cell))
        return f"[{low}, {high})"


def partition(values: Floats) -> Partition:
    """Cells of n numbers like these: the values that repeat among them, and about √n/2 intervals of the
    others at quantiles, so that each of them holds 2√n."""
    root = math.isqrt(len(values))
    unique, counts = np.unique(values, return_counts=True)
    common = counts >= max(2, root // TUNING.parts)
    atoms, rest = unique[common], np.repeat(unique[~common], counts[~common])
    cells = max(root // 2, TUNING.least)
    if len(rest) < TUNING.least:
        return Partition(atoms, np.zeros(0))
    edges = np.unique(np.quantile(rest, np.linspace(0.0, 1.0, cells + 1)[1:-1]))
    return Partition(atoms, edges, digits_of(edges))
