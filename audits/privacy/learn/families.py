"""The families of candidates that `search` looks through: symbols, what lists hold, what repeats in them.

A family is general: every symbol in every place, every value of a list, every run of neighbours. None knows
of any particular leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from audits.privacy.learn.cells import Partition, partition
from audits.privacy.learn.search import Candidates, some_rows
from audits.privacy.outputs.describe import place_words, symbol_words
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Items, number_words, row_keys
from audits.privacy.outputs.score import View
from audits.privacy.tuning import BOUND, TUNING

Found = Iterator[Candidates]


# --- Sequences ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sequenced:
    """The numbers of what stands in an order in outputs."""

    items: Items

    @property
    def words(self) -> str:
        """What the numbers are."""
        return f"the numbers in {self.items.words}"

    def __call__(self, e: Encoded) -> Floats:
        """The numbers (n, w), NaN for what is missing and for symbols."""
        columns = np.array(self.items.columns)
        # Neighbouring columns are read several times as fast.
        near = len(columns) > 0 and bool((np.diff(columns) == 1).all())
        x = np.clip(e.values[:, slice(columns[0], columns[-1] + 1) if near else columns], -BOUND, BOUND)
        for j, mark in enumerate(self.items.marks):
            if mark >= 0:
                x[e.codes[:, mark] > 0, j] = np.nan
        return x


def sequences(e: Encoded) -> list[Sequenced]:
    """What stands in an order in outputs: as the encoder says, or else all columns."""
    every = Items("output", tuple(range(e.shape[0])))
    return [*map(Sequenced, e.items or ([every] if e.shape[0] > 1 else []))]


def members(first: Encoded, second: Encoded) -> Found:
    """How many numbers of a sequence have a certain value, or lie in a certain interval, wherever they stand:
    what a list in any order tells."""
    first, second = some_rows(first.shape[0], first, second)
    for numbers in sequences(first):
        few = max(TUNING.parts, TUNING.some_rows * TUNING.most_chosen // first.shape[0])
        some = np.concatenate([numbers(side.take(slice(few))).ravel() for side in (first, second)])
        cells = partition(some[~np.isnan(some)])
        x, y = (_cells_of(numbers, cells, e) for e in (first, second))
        yield Candidates(of_members(x, y, len(cells) + 1)[:-1], partial(_member, numbers, cells))


def _cells_of(numbers: Sequenced, cells: Partition, e: Encoded) -> Ints:
    """The cell that each number of a sequence lies in; what is missing has a cell of its own."""
    x = numbers(e)
    return np.where(np.isnan(x), len(cells), cells.of(np.nan_to_num(x)))


def _member(numbers: Sequenced, cells: Partition, cell: int) -> View:
    """How many numbers of a sequence are in a cell."""
    words = f"how many of {numbers.words} are in {cells.words(cell)}"
    return View(words, lambda e: 1.0 * cells.holds(cell, numbers(e)).sum(axis=1))


def windows(first: Encoded, second: Encoded) -> Found:
    """How often a run of neighbouring numbers that repeats occurs in a sequence, wherever it stands: two or
    three numbers, or a record among synthetic records, whose length divides that of the output."""
    first, second = some_rows(8 * first.shape[0], first, second)
    for numbers in sequences(first):
        width = numbers(first.take(slice(1))).shape[1]
        if width > TUNING.glance:
            continue
        rows = (k for k in range(4, width // 2 + 1) if width % k == 0)
        for length, step in [(k, 1) for k in (2, 3) if k < width] + [(k, k) for k in rows]:
            keys = partial(_window_keys, numbers, length, step)
            sides = keys(first), keys(second)
            known, times = np.unique(np.concatenate(sides), return_counts=True)
            common = np.argsort(-times, kind="stable")[: TUNING.glance]
            known = np.sort(known[common[times[common] >= TUNING.least]])
            if len(known) > 1:
                x, y = (_place_among(known, side) for side in sides)
                apart = of_members(x, y, len(known) + 1)[:-1]
                shown = partial(_window, numbers, length, step, (first, second))
                yield Candidates(apart, lambda c, known=known, shown=shown: shown(known[c]))


def _place_among(known: Ints, found: Ints) -> Ints:
    """The index of each found key in `known`, which is sorted; len(known) for a key that is not known."""
    place = np.minimum(np.searchsorted(known, found), len(known) - 1)
    return np.where(known[place] == found, place, len(known))


def _window(numbers: Sequenced, length: int, step: int, sides: Sequence[Encoded], key: int) -> View:
    """How often the run of numbers with this key stands in a sequence."""
    keys = partial(_window_keys, numbers, length, step)
    e = next(side for side in sides if (keys(side) == key).any())
    row, place = np.argwhere(keys(e) == key)[0]
    shown = numbers(e.take(slice(row, row + 1)))[0, step * place :][:length]
    said = f"({', '.join(number_words(x, 6) for x in shown)})"
    words = f"how often {said} stands in {numbers.words}"
    return View(words, lambda e: 1.0 * (keys(e) == key).sum(axis=1))


def _window_keys(numbers: Sequenced, length: int, step: int, e: Encoded) -> Ints:
    """A key for each run of `length` numbers of a sequence, (n, runs)."""
    x = np.nan_to_num(numbers(e), nan=-BOUND)
    parts = np.lib.stride_tricks.sliding_window_view(x, length, axis=1)[:, ::step]
    flat = np.ascontiguousarray(parts).reshape(-1, length)
    return row_keys(Encoded(flat, np.zeros((len(flat), 0), np.int64))).reshape(parts.shape[:2])


# --- Symbols --------------------------------------------------------------------------------------


def _last(first: Encoded, second: Encoded) -> int:
    return 1 + int(max(first.codes.max(initial=0), second.codes.max(initial=0)))


def in_place(first: Encoded, second: Encoded) -> Found:
    """Each symbol in each place, or none there."""
    for place in range(first.shape[1]):
        here = [np.bincount(e.codes[:, place], minlength=_last(first, second)) for e in (first, second)]
        apart = of_shares(here[0] / len(first), here[1] / len(second), len(first))
        view = View(place_words(place), lambda e, at=place: e.codes[:, at], symbol=True)
        yield Candidates(apart, lambda j, view=view: view)


def anywhere(first: Encoded, second: Encoded) -> Found:
    """How often each symbol occurs, in whatever place."""
    first, second = some_rows(first.shape[1], first, second)
    if first.shape[1] < 3:
        return

    def view(symbol: int) -> View:
        words = f"how often {symbol_words(symbol)} occurs"
        return View(words, lambda e: (e.codes[:, 1:] == symbol).sum(axis=1))

    # The first column is the form of the whole output.
    apart = of_members(first.codes[:, 1:], second.codes[:, 1:], _last(first, second))
    apart[0] = 0.0  # a number is no symbol
    yield Candidates(apart, view)


def agreeing(first: Encoded, second: Encoded) -> Found:
    """Two places with the same symbol."""
    first, second = some_rows(first.shape[1] * (first.shape[1] - 1) / 2, first, second)
    if not 2 < first.shape[1] <= TUNING.most_paired:
        return
    # The first column is the form of the whole output.
    left, right = (1 + side for side in np.triu_indices(first.shape[1] - 1, 1))

    def same(e: Encoded, i: Ints, j: Ints) -> Ints:
        # Numbers, whose code is 0, agree with nothing.
        return (e.codes[:, i] == e.codes[:, j]) & (e.codes[:, i] > 0)

    def view(pair: int) -> View:
        i, j = left[pair : pair + 1], right[pair : pair + 1]
        words = f"(1 where {place_words(int(i[0]))} and {place_words(int(j[0]))} are the same symbol)"
        return View(words, lambda e: 1.0 * same(e, i, j)[:, 0])

    p, q = (same(e, left, right).mean(axis=0) for e in (first, second))
    yield Candidates(of_shares(p, q, len(first)), view)


# --- How surprising a difference is ---------------------------------------------------------------


def of_shares(p: Floats, q: Floats, size: int) -> Floats:
    """Surprise of the shares p, q of events on two datasets, of `size` outputs each: half the square of
    their difference in standard errors."""
    spread = p * (1.0 - p) + q * (1.0 - q)
    return 0.5 * np.square(p - q) / (spread / size + 0.25 / size**2)


def of_members(first: Ints, second: Ints, cells: int) -> Floats:
    """Surprise of the share of outputs that hold anything in a cell, for each of the `cells`; outputs are
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
