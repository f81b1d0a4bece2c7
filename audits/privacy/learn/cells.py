"""Scores of single numbers and symbols, and of how often one of them stands in an output."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audits.privacy.outputs.describe import OUTPUT, joined, symbol_words
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, digits_of, number_words, value_words
from audits.privacy.outputs.score import Event, Score, View
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

    x, y = cell(first), cell(second)
    last = 1 + int(max(x.max(initial=0), y.max(initial=0)))
    a, b = (np.bincount(side, minlength=last) for side in (x, y))
    # A cell that no output was seen in has the ratio 1.
    ratio = np.append(np.log((a + 0.5) / (b + 0.5)), 0.0)

    def describe(t: float, upper: bool) -> str:
        found = np.flatnonzero((reaches(ratio[:-1], t) == upper) & (a + b > 0))
        names = [_words(cells, int(c)) for c in found[: TUNING.glance]]
        # Where no cell with outputs reaches the threshold, the event is that of the cells without outputs.
        if not names:
            return "output where nothing was seen while learning"
        return f"{OUTPUT} in {joined(names, len(found) - len(names))}"

    # With few cells the samples that ordered them may also judge them.
    return Score("sets", lambda e: ratio[np.minimum(cell(e), last)], describe, learned=last > TUNING.parts)


def _words(cells: Partition, cell: int) -> str:
    """A cell of numbers, or behind these the cell of a symbol."""
    symbol = cell - len(cells) + 1
    return cells.words(cell) if symbol < 1 else f"{{{symbol_words(symbol)}}}"


def members(first: Encoded, second: Encoded) -> Score | None:
    """How often one value, symbol or interval stands in an output, wherever: what a list in any order tells.

    Of all cells it is the one that differs most, in standard errors, in the share of outputs that hold
    anything in it; None where chance explains that, for so many cells.
    """
    rows = slice(max(TUNING.parts, TUNING.most_numbers // first.shape[0]))
    first, second = first.take(rows), second.take(rows)
    if first.shape[0] < 2 or len(first) < TUNING.parts:
        return None
    some = slice(max(TUNING.parts, TUNING.some_rows * TUNING.most_chosen // first.shape[0]))
    cells = partition(np.concatenate([e.values[some][~_symbols(e)[some]] for e in (first, second)]))
    numbers = len(cells)
    last = numbers + int(max(e.codes.max(initial=0) for e in (first, second)))

    def held(e: Encoded) -> Ints:
        found = cells.of(e.values)
        for place, column in enumerate(e.places):
            if column >= 0:
                code = e.codes[:, place]
                found[:, column] = np.where(code > 0, numbers - 1 + code, found[:, column])
        return found

    def shares(e: Encoded) -> Floats:
        found = np.sort(held(e), axis=1)
        once = np.diff(found, axis=1, prepend=-1) > 0
        return np.bincount(found[once], minlength=last) / len(e)

    p, q = shares(first), shares(second)
    spread = p * (1.0 - p) + q * (1.0 - q)
    surprise = 0.5 * np.square(p - q) / (spread / len(first) + 0.25 / len(first) ** 2)
    cell = int(surprise.argmax())
    if surprise[cell] < math.log(last) + TUNING.sure:
        return None

    def count(e: Encoded) -> Floats:
        return 1.0 * np.count_nonzero(held(e) == cell, axis=1)

    view = View(f"how many items of output are in {_words(cells, cell)}", count)
    return Score("members", count, lambda t, upper: Event(view, t, math.inf, not upper).words, view=view)


def _symbols(e: Encoded) -> NDArray[np.bool_]:
    """Which numbers of outputs only keep the place of a symbol."""
    found = np.zeros(e.values.shape, dtype=bool)
    for place, column in enumerate(e.places):
        if column >= 0:
            found[:, column] |= e.codes[:, place] > 0
    return found


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
