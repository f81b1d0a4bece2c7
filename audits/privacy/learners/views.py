"""Numbers that an output is looked at by: its columns, and what sums several of them up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from audits.privacy.learners.score import some_columns
from audits.privacy.outputs import LARGE, Encoded, Floats, column_words
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class View:
    """One number of each output, and what it is."""

    words: str
    of: Callable[[Encoded], Floats]


def numbers(e: Encoded) -> Floats:
    return np.clip(e.values, -1e100, 1e100)


def _lead(e: Encoded) -> Floats:
    top = np.partition(numbers(e), -2, axis=1)
    return top[:, -1] - top[:, -2]


def _longest_run(e: Encoded) -> Floats:
    run, longest = np.zeros(len(e)), np.zeros(len(e))
    for rises in (np.diff(numbers(e)) > 0.0).T:
        run = np.where(rises, run + 1.0, 0.0)
        longest = np.maximum(longest, run)
    return longest


def _gaps(e: Encoded) -> Floats:
    return np.diff(np.sort(numbers(e), axis=1), axis=1)


def _skew(e: Encoded) -> Floats:
    return numbers(e).mean(axis=1) - np.median(numbers(e), axis=1)


def _alike(e: Encoded) -> Floats:
    centred = numbers(e) - numbers(e).mean(axis=1, keepdims=True)
    return (centred[:, 1:] * centred[:, :-1]).sum(axis=1) / (np.square(centred).sum(axis=1) + 1e-300)


def _repeats(e: Encoded) -> Floats:
    return 1.0 * (_gaps(e) == 0.0).sum(axis=1)


def _off_grid(e: Encoded) -> Floats:
    found = numbers(e)
    return found - np.rint(found * 1e6) / 1e6


WHOLE = (
    View("the sum of all numbers", lambda e: numbers(e).sum(axis=1)),
    View("the root of the sum of squares", lambda e: np.sqrt(np.square(numbers(e)).sum(axis=1))),
    View("the largest number less the second", _lead),
)
DIFFERENCE = View("the first number less the second", lambda e: numbers(e) @ [1.0, -1.0])
SUMMARIES = (
    *WHOLE,
    View("the place of the largest number", lambda e: e.values.argmax(axis=1).astype(np.float64)),
    View("the place of the smallest number", lambda e: e.values.argmin(axis=1).astype(np.float64)),
    View("how many numbers are positive", lambda e: 1.0 * (e.values > 0.0).sum(axis=1)),
    View("how many numbers exceed the one before", lambda e: 1.0 * (np.diff(numbers(e)) > 0.0).sum(axis=1)),
    View("how many numbers in a row exceed the one before", _longest_run),
    View(
        "how many numbers have another sign than the one before",
        lambda e: 1.0 * (np.diff(np.sign(e.values), axis=1) != 0.0).sum(axis=1),
    ),
    View("how many numbers are even", lambda e: 1.0 * (np.mod(numbers(e), 2.0) == 0.0).sum(axis=1)),
    View("the average less the median", _skew),
    View("the correlation of each number with the one before", _alike),
    View("the smallest number but for its sign", lambda e: np.abs(numbers(e)).min(axis=1)),
    View("how many numbers are multiples of 1e-06", lambda e: 1.0 * (_off_grid(e) == 0.0).sum(axis=1)),
    View("how many numbers repeat another one", _repeats),
    View("the smallest difference between two numbers", lambda e: _gaps(e).min(axis=1)),
)
"""What is looked at of outputs of several numbers beside the numbers themselves."""
ROUNDED = View("output less the nearest multiple of 1e-06", lambda e: _off_grid(e)[:, 0])
"""Outputs that are rounded now and then are 0 here."""


def _column(shape: tuple[int, int], column: int) -> View:
    if shape == (1, 1):
        # A symbol has no number.
        return View("output", lambda e: np.where(e.codes[:, 0] > 0, np.nan, e.values[:, 0]))
    return View("output" if shape == (1, 0) else column_words(column), lambda e: e.values[:, column])


def both(view: View, first: Encoded, second: Encoded) -> tuple[Floats, Floats]:
    """What is seen on both datasets, without what has no number; nothing where there are few values, which
    other scores tell apart one by one."""
    x, y = (np.clip(seen[~np.isnan(seen)], -LARGE, LARGE) for seen in (view.of(first), view.of(second)))
    some = slice(TUNING.most_distinct)
    few = len(np.unique(np.concatenate([x[some], y[some]]))) <= TUNING.few_cells
    return (x[:0], y[:0]) if few else (x, y)


def views(e: Encoded) -> list[View]:
    """The columns of numbers, where there are too many another choice of them for each number of samples;
    and what sums them up, but for the many samples that only rare events are learned from."""
    width = e.shape[0]
    most = min(TUNING.most_chosen, max(1, TUNING.most_numbers // max(len(e), 1)))
    some = some_columns(width, most, len(e))
    looked_at = [_column(e.shape, int(j)) for j in some]
    if width > 1 and len(e) <= TUNING.retained_rows // 2:
        looked_at += [*WHOLE, DIFFERENCE] if width == 2 else WHOLE
    return looked_at
