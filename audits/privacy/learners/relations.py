"""What several numbers of an output tell together: sums that are constant, vanish or spread more on one
dataset, which of two numbers or items comes first, and how often a value occurs anywhere."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from audits.privacy.learners.cells import SHOWN, partition
from audits.privacy.learners.fits import shrinkage
from audits.privacy.learners.score import beyond_chance, cells_apart, shares_apart, telling
from audits.privacy.learners.views import View, numbers
from audits.privacy.outputs import Encoded, Floats, Ints, Raw, number_words
from audits.privacy.tuning import TUNING


def constant_sums(first: Encoded, second: Encoded) -> Iterator[View]:
    """A linear combination of the numbers for each dataset on which it is constant, but not on the other."""
    width = first.shape[0]
    if not width + 1 < len(first) or width > TUNING.most_paired:
        return
    sides, scale = _scaled(first, second, max(256, 2 * width))
    squares = [np.cov(side / scale, rowvar=False) for side in sides]
    for one, other in (squares, squares[::-1]):
        sizes, directions = np.linalg.eigh(one)
        constant = directions[:, sizes <= TUNING.constant]
        if constant.shape[1] == 0:
            continue
        sizes, best = np.linalg.eigh(constant.T @ other @ constant)
        if sizes[-1] > TUNING.constant**0.5:
            weights = constant @ best[:, -1] / scale
            weights /= weights[np.abs(weights).argmax()]
            yield View(_sum_words(weights), lambda e, w=weights: numbers(e) @ w)


def _scaled(first: Encoded, second: Encoded, rows: int) -> tuple[list[Floats], Floats]:
    """So many rows of numbers of both datasets, and the spread of each column, 1 where there is none."""
    sides = [numbers(e.take(slice(0, rows))) for e in (first, second)]
    scale = np.concatenate(sides).std(axis=0)
    return sides, np.where(scale > 1e-200, scale, 1.0)


def vanishing_sums(first: Encoded, second: Encoded) -> Iterator[View]:
    """The sum or difference of columns that is 0 more often on one dataset, say that of a total and its
    parts."""
    width = first.shape[0]
    if width > TUNING.most_tripled:
        return
    sums = _signed_sums(width)

    def vanishes(e: Encoded, weights: Floats) -> Floats:
        found = numbers(e)
        return 1.0 * (np.abs(found @ weights.T) <= 1e-9 * (np.abs(found) @ np.abs(weights.T)))

    rows = slice(0, max(TUNING.hidden_least, int(TUNING.most_numbers / len(sums))))
    best = _best(*(vanishes(e.take(rows), sums) for e in (first, second)))
    if best is not None:
        weights = sums[best]
        yield View(f"(1 where {_sum_words(weights)} is 0)", lambda e: vanishes(e, weights))


def orders(first: Encoded, second: Encoded) -> Iterator[View]:
    """Which of two columns is the larger one, as in a ranking; and which of two items comes first, as in a
    list of what is ranked."""
    width = first.shape[0]
    if 2 < width <= TUNING.most_tripled:
        best = _order(width, width, lambda e: e.values, first, second)
        if best is not None:
            i, j = best
            words = f"(1 where (column {i}) exceeds (column {j}))"
            yield View(words, lambda e: 1.0 * (e.values[:, i] > e.values[:, j]))
    # Symbols in several places are items of a list; so are numbers where there is nothing but numbers.
    named = first.shape[1] > 2
    if not named and first.shape[1] > 0:
        return

    def listed(e: Encoded) -> Raw:
        return e.codes if named else e.values

    length = listed(first).shape[1]
    items = np.unique(np.concatenate([listed(e.take(slice(TUNING.most_distinct))) for e in (first, second)]))
    items = items[items > 0] if named else items
    if length > 2 and 2 < len(items) <= TUNING.most_tripled:
        best = _order(len(items), len(items) * length, lambda e: _places(listed(e), items), first, second)
        if best is not None:
            pair = items[list(best)]
            early, late = (f"symbol {item}" if named else number_words(item) for item in pair[::-1])
            words = f"(1 where {early} comes before {late})"
            yield View(words, lambda e: 1.0 * np.greater(*_places(listed(e), pair).T))


def _order(
    count: int, size: int, of: Callable[[Encoded], Raw], first: Encoded, second: Encoded
) -> tuple[int, int] | None:
    """The two of so many columns, found with so many numbers an output, of which the first exceeds the second
    more often on one dataset."""
    left, right = np.triu_indices(count, 1)
    rows = slice(0, max(TUNING.hidden_least, TUNING.most_numbers // max(len(left), size)))
    sides = [of(e.take(rows)) for e in (first, second)]
    best = _best(*(1.0 * (columns[:, left] > columns[:, right]) for columns in sides))
    return None if best is None else (int(left[best]), int(right[best]))


def _places(listed: Raw, items: Raw) -> Ints:
    """Where each of these items is first in each list; the length of the list where it is not."""
    found = listed[:, None] == items[:, None]
    return np.where(found.any(axis=2), found.argmax(axis=2), listed.shape[1])


def spreads(first: Encoded, second: Encoded) -> Iterator[View]:
    """Weighted sums of the columns whose variances differ most between the datasets, in two thirds of the
    samples; those that the others confirm."""
    width = first.shape[0]
    if not 2 < width <= TUNING.most_paired:
        return
    sides, scale = _scaled(first, second, max(256, TUNING.most_numbers // width))
    x, y = (np.delete(side, slice(2, None, 3), axis=0) / scale for side in sides)
    squares = [np.cov(side, rowvar=False) for side in (x, y)]
    # Without a ridge a direction of little noise is found in few samples, with it one of much noise.
    for ridge in (2.0 * shrinkage(x, y) / len(x), 1e-9 if len(x) > width + 1 else 1.0):
        # Of the generalised eigenvalues of both covariances the largest and the least are looked at.
        pooled = 0.5 * (squares[0] + squares[1]) + ridge * np.eye(width)
        white = np.linalg.inv(np.linalg.cholesky(pooled))
        directions = np.linalg.eigh(white @ (squares[0] - squares[1]) @ white.T)[1]
        for weights in (white.T @ directions[:, [0, -1]]).T / scale:
            weights = weights / weights[np.abs(weights).argmax()]
            centre = float(np.median(np.concatenate(sides) @ weights))
            others = (np.abs(side[2::3] @ weights - centre)[:, None] for side in sides)
            if float(telling(*others)[0]) >= beyond_chance(4):
                words = f"how far {_sum_words(weights)} is from {centre:.4g}"
                yield View(words, lambda e, w=weights, c=centre: np.abs(numbers(e) @ w - c))


def members(first: Encoded, second: Encoded) -> Iterator[View]:
    """How many numbers of an output have one value, or lie in one interval, wherever they stand: what a list
    in any order tells."""
    width = first.shape[0]
    if width < 3:
        return
    rows = slice(0, max(TUNING.hidden_least, TUNING.most_numbers // width))
    sides = [numbers(e.take(rows)) for e in (first, second)]
    cells = partition(np.concatenate([side.ravel() for side in sides]), 512)
    apart_by = cells_apart(cells.of(sides[0]), cells.of(sides[1]), len(cells))
    best = int(apart_by.argmax())
    if apart_by[best] >= beyond_chance(len(cells)):
        words = f"the count of numbers in {cells.words(best)}"
        yield View(words, lambda e: 1.0 * (cells.of(numbers(e)) == best).sum(axis=1))


def _best(a: Floats, b: Floats) -> int | None:
    """The column of zeros and ones that tells the datasets apart best; none where chance explains it."""
    apart_by = shares_apart(a.mean(axis=0), b.mean(axis=0), len(a))
    best = int(apart_by.argmax())
    return best if apart_by[best] >= beyond_chance(a.shape[1]) else None


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


def _sum_words(weights: Floats) -> str:
    if len(weights) > SHOWN and (weights == 1.0).sum() == len(weights) - 1:
        times = -weights.min()
        one = f"(column {weights.argmin()})"
        return f"the sum of all other numbers − {one if times == 1.0 else f'{times:g}·{one}'}"
    largest = np.sort(np.argsort(-np.abs(weights))[:SHOWN])
    terms = [
        f"{'−' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w):.4g}·'}(column {j})"
        for j, w in zip(largest, weights[largest], strict=True)
        if w != 0.0
    ]
    left = np.count_nonzero(weights) - len(terms)
    return " ".join(terms).removeprefix("+ ") + (f" and {left} further terms" if left else "")


RELATIONS = constant_sums, vanishing_sums, orders, spreads, members
"""Each looks at both datasets for views that tell these apart."""
