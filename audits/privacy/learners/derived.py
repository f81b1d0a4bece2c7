"""Families of readings: thresholds, remainders and comparisons of what is read off sequences.

Readings are numbers by the thousand, so few samples must do for most of them: hundreds show a leak that many
outputs have; a rare leak has to be seen by a reading of the sequence itself, which all samples are read for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from audits.privacy.learners.families import Found, number, numbers
from audits.privacy.learners.readings import FIRST, READINGS, is_whole
from audits.privacy.learners.score import some_columns
from audits.privacy.learners.search import (
    Candidates,
    View,
    counted,
    family,
    of_classes,
    of_counts,
    of_events,
    of_numbers,
)
from audits.privacy.learners.sequences import ENDS, Source, changed, further, plain, read, sequences
from audits.privacy.learners.together import together
from audits.privacy.outputs.describe import OUTPUT, Column, Elements, listed
from audits.privacy.outputs.outputs import Encoded, Floats, Ints
from audits.privacy.tuning import BOUND, TUNING

Change = Callable[[Floats, Floats], Floats]
Names = tuple[str, ...]


def _quotient(a: Floats, b: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.clip(a / np.where(b == 0.0, 1.0, b), -BOUND, BOUND)


MODULI = range(2, TUNING.parts + 1)
OFTEN = (
    "the sum of {}",
    "the largest of {}",
    "the smallest of {}",
    "the median of {}",
    "the last of {}",
    "the index of the largest of {}",
    "the index of the smallest of {}",
)
"""Readings that are compared with columns."""
CHANGES: dict[str, Change] = {
    " less ": np.subtract,
    " plus ": np.add,
    " times ": np.multiply,
    " over ": _quotient,
    " modulo ": lambda a, b: np.fmod(a, np.where(b == 0.0, 1.0, b)),
}


POWERS: dict[str, Callable[[Floats], Floats]] = {
    "the square of ": np.square,
    "the inverse of ": lambda x: _quotient(np.ones_like(x), x),
    "the root of the size of ": lambda x: np.sqrt(np.abs(x)),
}
UNITS = {"is whole": 1.0, f"has no more than {TUNING.decimals} decimals": 10.0**TUNING.decimals}


Read = tuple[Callable[[int], View], Floats, Floats]
"""Readings by their number as views, and what they are on both datasets, (n, c) each."""


@family(cost=lambda width, places: len(READINGS) + 4 * width, rare=True)
def summed_up(first: Encoded, second: Encoded) -> Found:
    """What is read off the sequences of an output."""
    view, a, b = _read_off(plain(first), first, second)
    yield Candidates(of_numbers(a, b), view)


@family(cost=lambda width, places: 8 * width, few=True)
def looked_into(first: Encoded, second: Encoded) -> Found:
    """What is read off sequences that follow from those, and by which remainders readings differ."""
    view, a, b = _read_off([*plain(first), *further(first), *together(first)], first, second)
    yield Candidates(of_numbers(a, b), view)
    yield from _classes(view, a, b, MODULI)
    if first.is_scalar:
        # Thresholds of powers are thresholds of the number.
        powers = [View((words, OUTPUT), lambda e, f=f: f(number(0, e))) for words, f in POWERS.items()]
        a, b = (np.stack([power.of(e) for power in powers], axis=1) for e in (first, second))
        yield from _multiples(powers.__getitem__, a, b)


def _read_off(sources: Sequence[Source], first: Encoded, second: Encoded, names: Names = ()) -> Read:
    """The readings of all sources: those named in `names`, or else all that a source has.
    Constant readings are left out; of readings that agree in all outputs the first is kept."""
    known = dict[bytes, tuple[int, str]]()
    for place, name, column in read(sources, [first, second], names):
        if (column != column[0]).any():
            # Adding 0 makes 0 of -0, whose bits differ.
            one = (column + 0.0).tobytes()
            if one not in known or place < known[one][0]:
                known[one] = place, name
    every = sorted(known.items(), key=lambda item: item[1][0])
    found = np.frombuffer(b"".join(one for one, _ in every)).reshape(-1, len(first) + len(second)).T

    def view(c: int) -> View:
        place, name = every[c][1]
        return sources[place].reading(name)

    return view, found[: len(first)], found[len(first) :]


@family(few=True)
def compared(first: Encoded, second: Encoded) -> Found:
    """Differences, sums and products of any two of some columns and of what sums up the sequences, and the
    differences of any two readings of a sequence."""
    letters = {column for items in first.layout.items if items.letters for column in items.columns}
    columns = np.array([j for j in range(first.shape[0]) if j not in letters], dtype=np.int64)
    chosen = columns[some_columns(len(columns), TUNING.most_chosen, len(first))]
    sources = plain(first)[: TUNING.least]
    short = [items for items in sequences(first)[:1] if 2 < len(items.columns) <= TUNING.most_joint]
    ends = [changed(items, words, change) for items in short for words, change in ENDS.items()]
    view, a, b = _read_off([*sources, *ends], first, second, OFTEN)
    views = [View(Column(int(j)), partial(number, j)) for j in chosen] + [*map(view, range(a.shape[1]))]
    a, b = (np.hstack([numbers(e)[:, chosen], side]) for e, side in ((first, a), (second, b)))
    yield from _pairs((views.__getitem__, a, b), CHANGES)
    for source in sources:
        yield from _pairs(_read_off([source], first, second, FIRST), {" less ": np.subtract})


def _pairs(read: Read, changes: dict[str, Change]) -> Found:
    """What each of the changes makes of every pair of readings."""
    of_one, *sides = read
    i, j = np.triu_indices(sides[0].shape[1], 1)
    for sign, change in changes.items() if len(i) else ():
        a, b = (change(side[:, i], side[:, j]) for side in sides)

        def view(c: int, sign: str = sign, change: Change = change) -> View:
            one, other = of_one(i[c]), of_one(j[c])
            return View((one.words, sign, other.words), lambda e: change(one.of(e), other.of(e)))

        yield Candidates(of_numbers(a, b), view)
        yield from _classes(view, a, b, MODULI if sign == " plus " else ())


def _classes(view: Callable[[int], View], a: Floats, b: Floats, moduli: Sequence[int]) -> Found:
    """Readings that are integers: by their value where they have few of them, and by their remainders; of
    other readings whether they are integers."""
    integers = (is_whole(a) & is_whole(b)).all(axis=0)
    others = np.flatnonzero(~integers)
    yield from _multiples(lambda c: view(others[c]), a[:, others], b[:, others])
    whole = np.flatnonzero(integers)
    low, high = np.minimum(a, b).min(axis=0), np.maximum(a, b).max(axis=0)
    few = whole[high[whole] - low[whole] < TUNING.few_values]
    x, y = ((side[:, few] - low[few]).astype(np.int64) for side in (a, b))
    yield Candidates(of_classes(x, y, TUNING.few_values), lambda c: view(few[c]))
    values = [side[:, whole].astype(np.int64) for side in (a, b)]
    counts: list[list[Ints]] = [[], []]
    chosen: list[tuple[int, int]] = []
    for modulus in moduli:
        some = high[whole] - low[whole] >= modulus
        chosen += [(reading, modulus) for reading in whole[some].tolist()]
        for found, side in zip(counts, values, strict=True):
            # The whole part of a quotient is found several times as fast as the remainder.
            rest = side[:, some] - side[:, some] // modulus * modulus
            found.append(counted(rest, max(moduli)))
    if chosen:
        surprise = of_counts(*(np.concatenate(found) for found in counts))
        yield Candidates(surprise, lambda c: _remainder(view, *chosen[c]))


def _multiples(view: Callable[[int], View], a: Floats, b: Floats) -> Found:
    """Whether readings are integers, and whether they have few decimals, but for rounding."""
    for words, factor in UNITS.items():
        events = (_nearly_whole(factor * side) for side in (a, b))
        yield Candidates(of_events(*events), lambda c, w=words, f=factor: _multiple(view(c), w, f))


def _nearly_whole(x: Floats) -> NDArray[np.bool_]:
    return np.abs(x - np.round(x)) <= TUNING.steady * np.maximum(np.abs(x), 1.0)


def _multiple(reading: View, words: str, factor: float) -> View:
    """The view of whether a reading times a factor is an integer."""
    said = "whether ", reading.words, f" {words} (1) or not (0)"
    return View(said, lambda e: 1.0 * _nearly_whole(factor * reading.of(e)))


def _remainder(view: Callable[[int], View], place: int, modulus: int) -> View:
    """The view of the remainder of the reading at a place among the readings."""
    reading = view(place)
    words = reading.words, f" modulo {modulus}"

    def rest(e: Encoded) -> Ints:
        return np.mod(reading.of(e), modulus).astype(np.int64)

    return View(words, rest, lambda cell: Elements((str(cell),)), (words, rest))


@family(few=True)
def orders(first: Encoded, second: Encoded) -> Found:
    """In which order any three columns stand."""
    if first.shape[0] < 3:
        return
    some = some_columns(first.shape[0], TUNING.most_chosen, len(first))
    triples = np.array(list(itertools.combinations(some, 3)))

    def view(c: int) -> View:
        words = "the order of ", listed([Column(int(j)) for j in triples[c]])
        return View(words, lambda e: _order(e, triples[[c]])[:, 0], _order_words)

    yield Candidates(of_classes(_order(first, triples), _order(second, triples), 8), view)


def _order(e: Encoded, triples: Ints) -> Ints:
    """Which of three columns are less than others, as a number below 8, for each triple of columns."""
    x, y, z = (e.values[:, column] for column in triples.T)
    return 4 * (x < y).astype(np.int64) + 2 * (y < z) + (x < z)


def _order_words(cell: int) -> str:
    signs = ("<" if cell & bit else "≥" for bit in (4, 2, 1))
    return "{{x {} y {} z, x {} z}}".format(*signs)
