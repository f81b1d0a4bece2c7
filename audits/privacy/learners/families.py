"""The families of candidates that `search` looks through: each looks at outputs in one way.

A family is general: all signs of sums, all choices of columns, every symbol in every place. None knows of any
particular leak. What is read off sequences is in `derived`, what hides in single numbers in `hidden`.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from audits.privacy.learners.cells import Partition, partition
from audits.privacy.learners.fits import shrinkage
from audits.privacy.learners.score import some_columns
from audits.privacy.learners.search import (
    Candidates,
    View,
    family,
    of_events,
    of_members,
    of_numbers,
    of_shares,
    of_signs,
)
from audits.privacy.learners.sequences import Source, digital, plain
from audits.privacy.outputs.describe import (
    NUMBERS,
    SHOWN,
    Column,
    Elements,
    Mark,
    Symbol,
    Words,
    listed,
    weighted,
)
from audits.privacy.outputs.outputs import (
    Encoded,
    Floats,
    Ints,
    Raw,
    columns_of,
    number_words,
    row_keys,
)
from audits.privacy.tuning import BOUND, TINY, TUNING

Found = Iterator[Candidates]
Signs = NDArray[np.bool_]


def numbers(e: Encoded) -> Floats:
    """The columns of numbers, within bounds that keep their squares finite."""
    return np.clip(e.values, -BOUND, BOUND)


def number(column: int, e: Encoded) -> Floats:
    """A column of numbers, within bounds that keep its squares finite."""
    return np.clip(e.values[:, column], -BOUND, BOUND)


# --- Relations of several numbers -----------------------------------------------------------------


@family(cost=lambda width, places: len(_signed_sums(width)) if 1 < width <= TUNING.most_paired else 1)
def signed_sums(first: Encoded, second: Encoded) -> Found:
    """Whether a sum or difference of columns is 0, as that of a total and its parts, or positive, as where
    one column is the larger one."""
    if not 1 < first.shape[0] <= TUNING.most_paired:
        return
    weights = _signed_sums(first.shape[0])

    def signs(e: Encoded, w: Floats) -> Floats:
        found = numbers(e)
        total = found @ w.T
        return np.sign(np.where(np.abs(total) <= TUNING.steady * (np.abs(found) @ np.abs(w.T)), 0.0, total))

    sides = signs(first, weights), signs(second, weights)
    for sign, words in ((0.0, "0"), (1.0, "positive")):

        def view(j: int, sign: float = sign, words: str = words) -> View:
            w = weights[j]
            said = "(1 where ", _sum_words(w), f" is {words})"
            return View(said, lambda e: 1.0 * (signs(e, w) == sign))

        yield Candidates(of_events(*(side == sign for side in sides)), view)


def _signed_sums(width: int) -> Floats:
    """Coefficients of the columns: those of a column against all others, as their sum or their average, and
    −1, 0 and 1 in all choices for few columns, of every two for more."""
    one = np.eye(width)
    against = np.concatenate([1.0 - 2.0 * one, 1.0 - width * one])
    if width <= TUNING.most_signed:
        every = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=width)))
        # Of a sum and its negative only the second in this order is kept.
        every = every[len(every) // 2 + 1 :]
        return np.concatenate([every[(every != 0.0).sum(axis=1) > 1], against])
    i, j = np.triu_indices(width, 1)
    return np.concatenate([one[i] + one[j], one[i] - one[j], against])


def _sum_words(weights: Floats) -> Words:
    if len(weights) > SHOWN and (weights == 1.0).sum() == len(weights) - 1:
        times = -weights.min()
        one = "(", Column(int(weights.argmin())), ")"
        return ("the sum of all other numbers − ", "" if times == 1.0 else f"{times:g}·", one, NUMBERS)
    largest = np.sort(np.argsort(-np.abs(weights))[:SHOWN])
    terms = [(Column(int(j)), float(weights[j])) for j in largest if weights[j] != 0.0]
    left = np.count_nonzero(weights) - len(terms)
    return (weighted(terms), f" and {left} further terms" if left else "")


def _compared(
    table: Callable[[Encoded, Ints], Raw],
    compare: Callable[[Raw, Raw], Signs],
    words: Callable[[int, int], Words],
    width: int,
    sides: Sequence[Encoded],
) -> Candidates:
    """How every two of `width` columns compare; `table` works out the columns of these numbers."""
    left, right = np.triu_indices(width, 1)
    tables = [table(e, np.arange(width)) for e in sides]

    def view(pair: int) -> View:
        i, j = int(left[pair]), int(right[pair])
        return View(("(1 where ", words(i, j), ")"), lambda e: 1.0 * compare(*table(e, np.array([i, j])).T))

    return Candidates(of_events(*(compare(some[:, left], some[:, right]) for some in tables)), view)


@family(cost=max)
def listed_orders(first: Encoded, second: Encoded) -> Found:
    """Which of two items comes first, as in a list of what is ranked: of symbols in several places, or of
    numbers where there is nothing but numbers."""
    named = first.shape[1] > 2
    if not named and first.shape[1] > 0:
        return

    def listed(e: Encoded) -> Raw:
        return e.codes if named else e.values

    some = [listed(e.take(slice(TUNING.glance))) for e in (first, second)]
    items = np.unique(np.concatenate(some))
    items = items[items > 0] if named else items
    places = some[0].shape[1]
    if places < 3 or not 2 < len(items) <= TUNING.most_paired:
        return

    def words(later: int, earlier: int) -> Words:
        one, other = (Symbol(int(items[i])) if named else number_words(items[i]) for i in (earlier, later))
        return (one, " comes before ", other)

    few = slice(max(TUNING.parts, TUNING.most_numbers // (len(items) * max(len(items) // 2, places))))
    sides = first.take(few), second.take(few)
    yield _compared(lambda e, i: _places(listed(e), items[i]), np.greater, words, len(items), sides)


def _places(listed: Raw, items: Raw) -> Ints:
    """Where each of these items is first in each list; the length of the list where it is not."""
    found = listed[:, None] == items[:, None]
    return np.where(found.any(axis=2), found.argmax(axis=2), listed.shape[1])


@family()
def spreads(first: Encoded, second: Encoded) -> Found:
    """Weighted sums of the columns whose variances differ most between the datasets, in two thirds of the
    samples; judged by the others."""
    width, views, apart = first.shape[0], list[View](), list[float]()
    if not 2 < width <= TUNING.glance:
        return
    rows = slice(max(TUNING.glance, TUNING.most_numbers // width))
    sides = [numbers(e.take(rows)) for e in (first, second)]
    scale = np.concatenate(sides).std(axis=0)
    scale = np.where(scale > TINY, scale, 1.0)
    x, y = (np.delete(side, slice(2, None, 3), axis=0) / scale for side in sides)
    squares = [np.cov(side, rowvar=False) for side in (x, y)]
    # Without a ridge a direction of little noise is found in few samples, with it one of much noise.
    for ridge in (2.0 * shrinkage(x, y) / len(x), TUNING.steady if len(x) > width + 1 else 1.0):
        # Of the generalised eigenvalues of both covariances the largest and the least are looked at.
        pooled = 0.5 * (squares[0] + squares[1]) + ridge * np.eye(width)
        white = np.linalg.inv(np.linalg.cholesky(pooled))
        directions = np.linalg.eigh(white @ (squares[0] - squares[1]) @ white.T)[1]
        for weights in (white.T @ directions[:, [0, -1]]).T / scale:
            weights = weights / weights[np.abs(weights).argmax()]
            centre = float(np.median(np.concatenate(sides) @ weights))
            words = "how far ", _sum_words(weights), f" is from {centre:.4g}"
            view = View(words, lambda e, w=weights, c=centre: np.abs(numbers(e) @ w - c))
            held_out = (np.abs(side[2::3] @ weights - centre)[:, None] for side in sides)
            apart.append(float(of_numbers(*held_out)[0]))
            views.append(view)
    yield Candidates(np.array(apart), lambda j: views[j])


@family(rare=True)
def members(first: Encoded, second: Encoded) -> Found:
    """How many numbers of a sequence have a certain value, or lie in a certain interval, wherever they stand:
    what a list in any order tells."""
    for source in (*plain(first), *digital(first)):
        few = max(TUNING.parts, TUNING.some_rows * TUNING.most_chosen // first.shape[0])
        some = np.concatenate([source.sequence(side.take(slice(few))).ravel() for side in (first, second)])
        cells = partition(some[~np.isnan(some)])

        x, y = (_cells_of(source, cells, e) for e in (first, second))
        yield Candidates(of_members(x, y, len(cells) + 1)[:-1], partial(_member, source, cells))


def _cells_of(source: Source, cells: Partition, e: Encoded) -> Ints:
    """The cell that each number of a sequence lies in; what is missing has a cell of its own."""
    x = source.sequence(e)
    return np.where(np.isnan(x), len(cells), cells.of(np.nan_to_num(x)))


def _member(source: Source, cells: Partition, cell: int) -> View:
    """How many numbers of a sequence are in a cell."""
    words = "how many of ", source.words, " are in ", cells.words(cell)
    return View(words, lambda e: 1.0 * (_cells_of(source, cells, e) == cell).sum(axis=1))


@family(cost=lambda width, places: 8 * width, rare=True)
def windows(first: Encoded, second: Encoded) -> Found:
    """How often a run of neighbouring numbers that repeats occurs in a sequence, wherever it stands: two or
    three letters in a text, or a record among synthetic records, whose length divides that of the output."""
    for source in plain(first):
        width = source.of(first.take(slice(1))).shape[1]
        if width > TUNING.glance:
            continue
        rows = (k for k in range(4, width // 2 + 1) if width % k == 0)
        for length, step in [(k, 1) for k in (2, 3) if k < width] + [(k, k) for k in rows]:
            keys = partial(_window_keys, source, length, step)
            sides = keys(first), keys(second)
            known, times = np.unique(np.concatenate(sides), return_counts=True)
            common = np.argsort(-times, kind="stable")[: TUNING.glance]
            known = np.sort(known[common[times[common] >= TUNING.least]])
            if len(known) > 1:
                x, y = (_place_among(known, side) for side in sides)
                apart = of_members(x, y, len(known) + 1)[:-1]
                shown = partial(_window, source, length, step, (first, second))
                yield Candidates(apart, lambda c, known=known, shown=shown: shown(known[c]))


def _place_among(known: Ints, found: Ints) -> Ints:
    """The index of each found key in `known`, which is sorted; len(known) for a key that is not known."""
    place = np.minimum(np.searchsorted(known, found), len(known) - 1)
    return np.where(known[place] == found, place, len(known))


def _window(source: Source, length: int, step: int, sides: Sequence[Encoded], key: int) -> View:
    """How often the run of numbers with this key stands in a sequence."""
    keys = partial(_window_keys, source, length, step)
    e = next(side for side in sides if (keys(side) == key).any())
    row, place = np.argwhere(keys(e) == key)[0]
    shown = source.of(e.take(slice(row, row + 1)))[0, step * place :][:length]
    said = f"({', '.join(number_words(x, 6) for x in shown)})"
    if source.letters and 0 < shown.min() <= shown.max() <= sys.maxunicode:
        said = repr("".join(chr(int(x)) for x in shown))
    words = f"how often {said} stands in "
    return View((words, source.words), lambda e: 1.0 * (keys(e) == key).sum(axis=1))


def _window_keys(source: Source, length: int, step: int, e: Encoded) -> Ints:
    """A key for each run of `length` numbers of a sequence, (n, runs)."""
    x = np.nan_to_num(source.of(e), nan=-BOUND)
    parts = np.lib.stride_tricks.sliding_window_view(x, length, axis=1)[:, ::step]
    flat = np.ascontiguousarray(parts).reshape(-1, length)
    return row_keys(Encoded(flat, np.zeros((len(flat), 0), np.int64))).reshape(parts.shape[:2])


# --- Symbols --------------------------------------------------------------------------------------


def _last(first: Encoded, second: Encoded) -> int:
    return 1 + int(max(first.codes.max(initial=0), second.codes.max(initial=0)))


def _symbol_words(symbol: int) -> Words:
    return ("{", Symbol(symbol) if symbol else "a number", "}")


@family(cost=lambda width, places: 0, rare=True)
def in_place(first: Encoded, second: Encoded) -> Found:
    """Each symbol in each place, or none there; the cells are all symbols of the place."""
    for place in range(first.shape[1]):
        here = [np.bincount(e.codes[:, place], minlength=_last(first, second)) for e in (first, second)]
        apart = of_shares(here[0] / len(first), here[1] / len(second), len(first))
        view = View(Mark(place), lambda e, at=place: e.codes[:, at], _symbol_words)
        yield Candidates(apart, lambda j, view=view: view)


@family(cost=lambda width, places: places, rare=True)
def anywhere(first: Encoded, second: Encoded) -> Found:
    """Each symbol in any place; the cells are how often it occurs."""
    if first.shape[1] < 2:
        return
    most = TUNING.parts - 1

    def view(symbol: int) -> View:
        def times(e: Encoded) -> Ints:
            return (e.codes == symbol).sum(axis=1)

        words = "how often ", Symbol(symbol), " occurs"
        return View(
            words,
            lambda e: np.minimum(times(e), most),
            lambda cell: Elements((f"{cell}{' or more' if cell == most else ''}",)),
            (words, times),
        )

    apart = of_members(first.codes, second.codes, _last(first, second))
    apart[0] = 0.0  # a number is no symbol
    yield Candidates(apart, view)


@family(cost=lambda width, places: places * (places - 1) / 2, rare=True)
def agreeing(first: Encoded, second: Encoded) -> Found:
    """Two places with the same symbol."""

    def symbols(e: Encoded, places: Ints) -> Ints:
        found = e.codes[:, places]
        return np.where(found > 0, found, -1 - places)  # numbers agree with nothing

    def words(i: int, j: int) -> Words:
        return (Mark(i), " and ", Mark(j), " are the same symbol")

    if 1 < first.shape[1] <= TUNING.most_paired:
        yield _compared(symbols, np.equal, words, first.shape[1], (first, second))


# --- Parities of signs ----------------------------------------------------------------------------


@family(cost=lambda width, places: width)
def parities(first: Encoded, second: Encoded) -> Found:
    """Whether an even number of some columns exceed their averages: of any two or more where there are few
    columns, otherwise of two to four of them or of all; of very many columns of two or three.

    Columns of which any proper part is independent of the dataset show nothing one by one nor in pairs; the
    sign of their product may still tell the datasets apart, as a checksum does.
    """
    of = columns_of(first, second)
    a, b = of(first), of(second)
    width = a.shape[1]
    if width < 3:
        return
    pooled = np.clip(np.vstack([a, b]), -BOUND, BOUND)
    middle = pooled.mean(axis=0)
    # A sign is that of the number itself wherever its average may be 0.
    middle[np.abs(middle) < TUNING.hope * pooled.std(axis=0) / math.sqrt(len(pooled))] = 0.0
    # The product with a sign that hardly varies is that of the other columns.
    share = (pooled > middle).mean(axis=0)
    varied = np.flatnonzero(np.minimum(share, 1.0 - share) * TUNING.parts > 1.0)
    if len(varied) < 2:
        return

    def odd(e: Encoded, chosen: Ints) -> Signs:
        return np.bitwise_xor.reduce((of(e) > middle)[:, varied[chosen]], axis=1)

    def view(chosen: Ints) -> View:
        names = "all columns" if len(chosen) == width else listed(map(of.words, varied[chosen].tolist()))
        above = "exceed their averages" if middle[varied[chosen]].any() else "are positive"
        cells = "the even ones", "the odd ones"
        return View(
            ("how many of ", names, f" {above}"), lambda e: odd(e, chosen).astype(np.int64), cells.__getitem__
        )

    every = np.arange(len(varied))
    if len(varied) <= TUNING.most_joint:
        p, q = (_every_product((side > middle)[:, varied]) for side in (a, b))
        apart = of_signs(p, q, len(a))
        apart[2**every] = 0.0  # single columns are no products
        yield Candidates(apart, lambda j: view(np.flatnonzero((j >> every) & 1)))
        return
    p, q = (np.atleast_1d(1.0 - 2.0 * odd(e, every).mean()) for e in (first, second))
    yield Candidates(of_signs(p, q, len(a)), lambda _: view(every))
    # Of many columns another choice for each fit.
    some = some_columns(len(varied), TUNING.most_paired, len(a))
    # Four columns are a pair on the left and a pair on the right, three a pair and one column with the column
    # `none`, whose sign is always +; where there are too many pairs, a single column is on the left.
    none = len(some)
    right = np.array([*itertools.combinations(range(none + 1), 2), (none, none)])
    left = np.array(list(itertools.combinations(range(none), 2)))
    if len(left) > TUNING.glance:
        left, right = np.arange(none)[:, None], right[:-1]
    few = slice(max(TUNING.glance, int(TUNING.most_work / (len(left) * len(right)))))
    p, q = (_products((side[few] > middle)[:, varied[some]], left, right) for side in (a, b))
    # Every choice of columns once.
    i, j = np.nonzero(left[:, -1, None] < right[:, 0])

    def chosen(c: int) -> Ints:
        columns = np.append(left[i[c]], right[j[c]])
        return some[columns[columns < none]]

    yield Candidates(of_signs(p[i, j], q[i, j], len(a[few])), lambda c: view(chosen(c)))


def _every_product(above: Signs) -> Floats:
    """Averages of the products of signs for every choice of columns, whose number has their bits: the Walsh
    transform of the shares of all patterns."""
    bits = np.arange(above.shape[1])
    found = np.bincount(above @ (1 << bits), minlength=2 ** len(bits)) / len(above)
    for bit in bits:
        even, odd = found.reshape(-1, 2, 2**bit).transpose(1, 0, 2)
        found = np.stack([even + odd, even - odd], axis=1).ravel()
    return found


def _products(above: Signs, left: Ints, right: Ints) -> Floats:
    """Averages of the products of the signs of all columns of a row of `left` and a row of `right`, for each
    such pair of rows; the column behind the last is never above."""
    signs = np.pad(np.where(above, np.float32(-1.0), np.float32(1.0)), ((0, 0), (0, 1)), constant_values=1.0)
    one, other = (signs[:, columns].prod(axis=2) for columns in (left, right))
    return (one.T @ other).astype(np.float64) / len(signs)
