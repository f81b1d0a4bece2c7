"""Outputs that repeat: a table of the distinct ones, how often each occurred, and the events that follow.

Where outputs repeat, a score is computed once for each distinct output and samples are only looked up. The
counts of all samples so far, not just of the few that are kept, then say which outputs speak for which
dataset.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audits.privacy.bet import events
from audits.privacy.outputs.describe import OUTPUT, SHOWN, joined
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, join, row_keys, row_words
from audits.privacy.outputs.score import Score
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class Atoms:
    """Outputs that samples repeat: sorted keys and the row of each.

    complete  no sample was anything else.
    """

    keys: Ints
    rows: Encoded
    complete: bool = True

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, e: Encoded) -> tuple[Ints, NDArray[np.bool_]]:
        """Place of each sample among the atoms, and whether it is one."""
        keys = row_keys(e)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return place, self.keys[place] == keys

    def tally(self, e: Encoded) -> Ints:
        """How often each atom occurs."""
        place, known = self.find(e)
        return np.bincount(place[known], minlength=len(self))


def find_atoms(*parts: Encoded) -> Atoms | None:
    """The rows that repeat among all samples; None where too many samples do not repeat."""
    some = parts[0].take(slice(TUNING.glance))
    many = sum(map(len, parts)) > 2 * TUNING.glance
    if many and len(np.unique(row_keys(some))) == TUNING.glance:
        return None
    e = join(parts)
    keys, places, counts = np.unique(row_keys(e), return_index=True, return_counts=True)
    if len(keys) > len(e) // TUNING.repeats:
        return None
    again = counts > 1
    # A row seen once may be one of very many.
    return Atoms(keys[again], e.take(places[again]), complete=bool(again.all())) if again.any() else None


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each atom occurred among `size` samples of each dataset."""

    first: Ints
    second: Ints
    size: int

    def add(self, first: Ints, second: Ints, size: int) -> Counts:
        """With another batch."""
        return Counts(self.first + first, self.second + second, self.size + size)

    def without(self, other: Counts) -> Counts:
        """Less the samples that `other` counted."""
        return Counts(self.first - other.first, self.second - other.second, self.size - other.size)


def count_atoms(atoms: Atoms, first: Encoded, second: Encoded) -> Counts:
    """Counts of samples of both datasets."""
    return Counts(atoms.tally(first), atoms.tally(second), len(first))


def family_of_sets(atoms: Atoms, learned: Counts, judged: Counts) -> events.ThresholdFamily | None:
    """Sets of atoms in the order of their likelihood ratios in `learned`, with the counts of `judged`.

    The log ratio r of an atom, with variance s², is shrunk to r/(1 + s²): the posterior mean for a prior of
    variance 1, so that an atom seen twice does not come before one that is known well. All outputs that are
    no atoms count as one more.
    """
    seen = _with_rest(learned)
    a, b = seen + 0.5
    order = np.log(a / b) / (1.0 + 1.0 / a + 1.0 / b)
    # Equal ratios are told apart, or a fair coin would have no events.
    order = order + 1e-9 * np.arange(len(order)) / len(order)
    known, rest = order[:-1], float(order[-1])

    def evaluate(e: Encoded) -> Floats:
        place, found = atoms.find(e)
        return np.where(found, known[place], rest)

    def describe(t: float, upper: bool) -> str:
        inside = (known >= t) if upper else (known < t)
        found = np.flatnonzero(inside & (pooled[:-1] > 0))
        # Only those that are shown: there may be thousands.
        cells = [row_words(atoms.rows, int(i)) for i in found[:SHOWN]]
        others = len(found) - len(cells)
        if (rest >= t) == upper and pooled[-1] > 0:
            cells.append("(anything else)")
        return f"{OUTPUT} in {joined(cells, others)}"

    pooled = seen.sum(axis=0)
    cuts = events.thresholds(order, pooled)
    if len(cuts) == 0:
        return None
    first, second = _with_rest(judged) @ (order[:, None] >= cuts)
    return events.ThresholdFamily(Score("sets", evaluate, describe), cuts, first, second, judged.size)


def _with_rest(counts: Counts) -> Ints:
    """Counts of the atoms and of anything else on both datasets, (2, atoms + 1)."""
    return np.stack([np.append(side, counts.size - side.sum()) for side in (counts.first, counts.second)])
