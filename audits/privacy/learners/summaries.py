"""A score of what sums up several columns: their sum, how many are positive, a total that is right.

It says nothing unless it finds something that chance hardly explains: a score that is always there would take
its share of the wealth from the others. So do periods, modes, parities and trees.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from audits.privacy.learners.cells import SHOWN, of_number
from audits.privacy.learners.score import Score, apart, beyond_chance, telling
from audits.privacy.learners.views import SUMMARIES, View, numbers
from audits.privacy.outputs import Encoded, Floats
from audits.privacy.tuning import TUNING


def summary(first: Encoded, second: Encoded) -> Score | None:
    """The one of `SUMMARIES` that tells the datasets apart best, cut into cells."""
    if first.shape[0] < 2 or len(first) < TUNING.hidden_least:
        return None
    # What two numbers tell together is in reach of `smooth`, but for whether they are nearly equal.
    known = [
        *(SUMMARIES if first.shape[0] > 2 else SUMMARIES[-3:]),
        *_relations(first, second),
        *_vanishing(first, second),
        *_orders(first, second),
    ]
    some = slice(0, max(256, TUNING.most_numbers // first.shape[0]))
    a, b = (np.stack([view.of(e.take(some)) for view in known], axis=1) for e in (first, second))
    apart_by = telling(a, b)
    best = int(apart_by.argmax())
    if apart_by[best] < beyond_chance(len(known)):
        return None
    view = known[best]
    return of_number("summary", view.of, view.words, first, second)


def _relations(first: Encoded, second: Encoded) -> Iterator[View]:
    """A linear combination of the numbers for each dataset on which it is constant, but not on the other."""
    width = first.shape[0]
    rows = slice(0, max(256, 2 * width))
    if not width + 1 < len(first) or width > TUNING.most_paired:
        return
    sides = [numbers(e.take(rows)) for e in (first, second)]
    scale = np.concatenate(sides).std(axis=0)
    scale[scale == 0.0] = 1.0
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


def _vanishing(first: Encoded, second: Encoded) -> Iterator[View]:
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


def _orders(first: Encoded, second: Encoded) -> Iterator[View]:
    """Which of two columns is the larger one, as in a ranking."""
    width = first.shape[0]
    if not 2 < width <= TUNING.most_tripled:
        return
    left, right = np.triu_indices(width, 1)
    rows = slice(0, max(TUNING.hidden_least, TUNING.most_numbers // len(left)))
    sides = [e.take(rows).values for e in (first, second)]
    best = _best(*(1.0 * (values[:, left] > values[:, right]) for values in sides))
    if best is not None:
        i, j = int(left[best]), int(right[best])
        words = f"(1 where (column {i}) exceeds (column {j}))"
        yield View(words, lambda e: 1.0 * (e.values[:, i] > e.values[:, j]))


def _best(a: Floats, b: Floats) -> int | None:
    """The column of zeros and ones that tells the datasets apart best; none where chance explains it."""
    apart_by = apart(1.0 - 2.0 * a.mean(axis=0), 1.0 - 2.0 * b.mean(axis=0), len(a))
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
