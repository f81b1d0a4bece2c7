"""What two sequences of an output tell together, and a sequence with a number beside it.

Examples are what a reader of a table would look at: one column less another, one in the order of another,
averages by group, distances of points, and what a name refers to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product

import numpy as np

from audits.privacy.learners.sequences import Source, followed, held, in_the_end, sequences
from audits.privacy.outputs.describe import Column, Words
from audits.privacy.outputs.outputs import Encoded, Floats, Items
from audits.privacy.tuning import TUNING

Changes = dict[tuple[str, str], Callable[[Floats, Floats], Floats]]
"""What is made of two sequences, by the words before and between them."""


def together(e: Encoded) -> Iterator[Source]:
    """Sequences that are made of two sequences of an output, or of a sequence and a number beside it."""
    some = [items for items in sequences(e) if 1 < len(items.columns) <= TUNING.glance and not items.letters]
    some, beside = some[: TUNING.neighbours], _beside(e)
    figures = [items for items in some if not _has_texts(items, e)]
    alike = [(a, b) for a, b in permutations(some, 2) if len(a.columns) == len(b.columns)]
    numbers = [(a, b) for a, b in combinations(figures, 2) if len(a.columns) == len(b.columns)]
    yield from _changed(ONE_BY_ONE, [*numbers, *product(figures, beside)])
    yield from _changed(POINTS, [(a, b) for a, b in numbers if len(a.columns) <= TUNING.most_chosen])
    yield from _changed(ORDERED, [(a, b) for a, b in alike if a in figures])
    short = [items for items in some if len(items.columns) <= TUNING.most_paired]
    for a in short:
        values = _values(a, e)
        if len(values):
            words = "how often each value occurs among ", _name(a)
            yield Source(words, lambda e, a=a, values=values: _which(values, held(a, e)).sum(axis=1))
            by: Changes = {
                ("the averages of ", " by the value of "): lambda x, y, v=values: _averages(_which(v, y), x)
            }
            yield from _changed(by, [(b, one) for one, b in alike if one is a])
    for a, b in product((*short, *beside), short):
        if a is not b and _refers(a, b, e):
            yield from _referred(a, b, [c for c in some if len(c.columns) == len(b.columns)])


def _changed(changes: Changes, pairs: list[tuple[Items, Items]]) -> Iterator[Source]:
    for ((before, between), change), (a, b) in product(changes.items(), pairs):
        words = before, _name(a), between, _name(b)
        yield Source(words, lambda e, a=a, b=b, change=change: change(held(a, e), held(b, e)))


def _name(items: Items) -> Words:
    return items.words if items.words else Column(items.columns[0])


def _beside(e: Encoded) -> list[Items]:
    """The first columns that are in no sequence but that of all columns."""
    every = max(sequences(e), key=lambda items: len(items.columns), default=Items("", ()))
    used = {j for items in sequences(e) if len(items.columns) < len(every.columns) for j in items.columns}
    marks = every.marks or (-1,) * len(every.columns)
    free = [(j, m) for j, m in zip(every.columns, marks, strict=True) if used and j not in used]
    return [Items("", (j,), (m,) if m >= 0 else ()) for j, m in free[: TUNING.neighbours]]


def _has_texts(items: Items, e: Encoded) -> bool:
    """Whether symbols with a place in the alphabet stand among the items."""
    codes = e.codes[: TUNING.glance, [mark for mark in items.marks if mark >= 0]]
    return bool((~np.isnan(e.layout.places(codes[codes > 0]))).any())


# --- Number by number, and points ---------------------------------------------------------------------------


def _steps(x: Floats, y: Floats) -> Floats:
    return np.hypot(np.diff(x, axis=1), np.diff(y, axis=1))


def _distances(x: Floats, y: Floats) -> Floats:
    i, j = np.triu_indices(x.shape[1], 1)
    return np.hypot(x[:, i] - x[:, j], y[:, i] - y[:, j])


ONE_BY_ONE: Changes = {
    ("", " less "): np.subtract,
    ("", " over "): np.divide,
    ("the sizes of ", " less the sizes of "): lambda a, b: np.abs(a) - np.abs(b),
}
POINTS: Changes = {
    ("the distances of neighbours among points ", ", "): _steps,
    ("the distances of points ", ", "): _distances,
}

# --- One by the order or by the values of another -----------------------------------------------------------


def _in_order(a: Floats, b: Floats) -> Floats:
    return np.take_along_axis(a, np.argsort(b, axis=1, kind="stable"), axis=1)


def _after(a: Floats, b: Floats) -> Floats:
    """Of intervals from b to a, in order: where each begins less where those before it have ended."""
    return np.sort(b, axis=1)[:, 1:] - np.fmax.accumulate(_in_order(a, b), axis=1)[:, :-1]


def _at_the_largest(a: Floats, b: Floats) -> Floats:
    place = np.where(np.isnan(b), -1.0, np.abs(b)).argmax(axis=1)
    return np.take_along_axis(a, place[:, None], axis=1) - a


ORDERED: Changes = {
    ("", " in the order of "): _in_order,
    ("the gaps between intervals with the ends ", " and the beginnings "): _after,
    ("each of ", " subtracted from the one among them at the largest size of "): _at_the_largest,
}


def _values(items: Items, e: Encoded) -> Floats:
    """The values of a sequence in order; none where they are too many."""
    x = held(items, e.take(slice(TUNING.glance)))
    values = np.unique(x[~np.isnan(x)])
    return values if 1 < len(values) <= TUNING.least else values[:0]


def _which(values: Floats, x: Floats) -> Floats:
    """Whether each number equals each value, as zeros and ones (n, w, values)."""
    return 1.0 * (x[:, :, None] == values)


def _averages(labels: Floats, x: Floats) -> Floats:
    """The average of the numbers of each label; NaN for none.

    >>> labels = _which(np.array([1.0, 2.0]), np.array([[1.0, 2.0, 2.0]]))
    >>> _averages(labels, np.array([[5.0, 3.0, 4.0]])).tolist()
    [[5.0, 3.5]]
    """
    return np.einsum("nwv,nw->nv", labels, np.nan_to_num(x)) / labels.sum(axis=1)


# --- What a name refers to ----------------------------------------------------------------------------------


def _refers(a: Items, b: Items, e: Encoded) -> bool:
    """Whether most of the first sequence names items of the second, which are mostly different."""
    some = e.take(slice(TUNING.first_batch))
    x, y = held(a, some), held(b, some)
    named = ~np.isnan(_places(x, y))[~np.isnan(x)]
    ordered = np.sort(y, axis=1)
    alike = (np.diff(ordered, axis=1) == 0.0).sum() / max((~np.isnan(y)).sum(), 1)
    return named.size > 0 and bool(named.mean() > 0.5) and alike < 1.0 - TUNING.nearly


def _places(x: Floats, y: Floats) -> Floats:
    """The index of each number of x (n, v) among those of y (n, w); NaN where it is not there.

    >>> _places(np.array([[7.0, 5.0]]), np.array([[5.0, 6.0, 7.0]])).tolist()
    [[2.0, 0.0]]
    """
    same = x[:, :, None] == y[:, None, :]
    return np.where(same.any(axis=2), same.argmax(axis=2), np.nan)


def _there(x: Floats, places: Floats) -> Floats:
    return np.where(np.isnan(x), np.nan, ~np.isnan(places))


def _referred(a: Items, b: Items, others: list[Items]) -> Iterator[Source]:
    """At which places of `b` the items of `a` stand, where such places lead when they are followed on and on,
    and what the sequences `others` have at such places."""

    def places(e: Encoded) -> Floats:
        return _places(held(a, e), held(b, e))

    words = "the places among ", _name(b), " of ", _name(a)
    yield Source(words, places)
    yield Source(("which are there, 1 or 0, of ", words), lambda e: _there(held(a, e), places(e)))
    if len(a.columns) == len(b.columns):
        yield Source(("what is left, followed on and on, of ", words), lambda e: in_the_end(places(e)))
    for c in others:
        there = (_name(c), " at ", words)
        yield Source(there, lambda e, c=c: followed(places(e), held(c, e)))
        if len(c.columns) == len(a.columns):
            less = (*there, ", less ", _name(c))
            yield Source(less, lambda e, c=c: followed(places(e), held(c, e)) - held(c, e))
