"""Scores: functions of an output whose large values speak for one dataset and small values for the other.

A score is learned on earlier samples only and turned into events by thresholds. Every learner of this
package takes the samples of both datasets and returns the score, or None where it finds none. Which of them
suit a kind of output is said by `choice.learners`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from audits.privacy.outputs import Encoded, Floats, Ints, number_words
from audits.privacy.tuning import TUNING

Folds = tuple[Callable[[Encoded], Floats], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A learned score.

    name      which learner made it.
    evaluate  outputs → (n,) floats.
    describe  (threshold, whether the event is "score ≥ threshold") → the event in words.
    learned   whether it was fitted to labelled samples, so that those must not judge it.
    monotone  whether it means to grow with the likelihood ratio, so that a smooth curve may calibrate it.
    edges     of single numbers: where the score may change; from each of them up to the next it is constant.
              None where that is not known.
    itself    whether it is the single number itself.
    folds     the same fitted without one part of the samples that it was learned from, for each part (see
              `fold_of`): they may judge it on those.
    """

    name: str
    evaluate: Callable[[Encoded], Floats]
    describe: Callable[[float, bool], str]
    learned: bool = True
    monotone: bool = True
    edges: Floats | None = None
    itself: bool = False
    folds: Folds | None = None


Learner = Callable[[Encoded, Encoded], Score | None]


def threshold_words(what: str, digits: int = 6) -> Callable[[float, bool], str]:
    """What says that a number is beyond a threshold."""
    return lambda t, upper: f"{what} {'≥' if upper else '<'} {number_words(t, digits)}"


def fold_of(rows: int, folds: int) -> Ints:
    """The fold of each row; a fold is a run of neighbouring rows."""
    return np.arange(rows) * folds // max(rows, 1)


def spaced(rows: int, most: int) -> slice:
    """Rows that lie equally far apart, so that each fold has its share of them, about `most` of so many."""
    return slice(None, None, -(-rows // most))


def some_columns(width: int, most: int, rows: int) -> Ints:
    """All columns; where they are more than `most`, another choice of them for each number of rows."""
    if width <= most:
        return np.arange(width)
    return np.sort(np.random.default_rng(rows).choice(width, most, replace=False))


LEVELS = (0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999)


def telling(a: Floats, b: Floats) -> Floats:
    """How well each column tells the datasets apart: the largest difference of the shares beyond a quantile,
    in standard errors."""
    best, rare = np.zeros(a.shape[1]), min(TUNING.least / (len(a) + len(b)), 0.5)
    # Only the outermost quantiles need more samples than the others.
    for most, levels in ((TUNING.retained_rows, LEVELS), (None, (rare, 1.0 - rare))):
        x, y = a[:most], b[:most]
        for level in np.quantile(np.concatenate([x, y]), levels, axis=0):
            p, q = (x >= level).mean(axis=0), (y >= level).mean(axis=0)
            spread = np.sqrt((p * (1 - p) / len(x) + q * (1 - q) / len(y)) + 0.25 / (len(x) + len(y)) ** 2)
            best = np.maximum(best, np.abs(p - q) / spread)
    return best


def apart(p: Floats, q: Floats, size: int) -> Floats:
    """How far averages of signs on two datasets are apart, in standard errors."""
    return np.abs(p - q) / np.sqrt((2.0 - p * p - q * q) / size + 1.0 / size**2)


def shares_apart(p: Floats, q: Floats, size: int) -> Floats:
    """The same of shares of events."""
    return apart(1.0 - 2.0 * p, 1.0 - 2.0 * q, size)


def cells_apart(first: Ints, second: Ints, cells: int) -> Floats:
    """The same of the share of outputs that have anything in a cell, for each of so many cells; outputs are
    given by the cells (n, k) of what they hold."""
    # Every cell of an output once.
    once = [np.unique(np.arange(len(side))[:, None] * cells + side) % cells for side in (first, second)]
    p, q = (np.bincount(side, minlength=cells) / len(first) for side in once)
    return shares_apart(p, q, len(first))


def beyond_chance(number: int) -> float:
    """Standard errors that the largest of so many differences hardly reaches by chance: a normal deviate
    exceeds √(2·log(k/p)) with probability below p/k."""
    return math.sqrt(2.0 * (math.log(number) + TUNING.sure))
