"""Scores: functions of an output whose large values speak for one dataset and small values for the other.

A score is learned on earlier samples only and turned into events by thresholds. Which learners suit a kind of
output is said by `choice.learners`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from audits.privacy.outputs.describe import Words
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, number_words

Number = tuple[Words, Callable[[Encoded], Any]]
"""A number of each output: its words, and outputs → (n,) numbers."""
Folds = tuple[Callable[[Encoded], Floats], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A learned score.

    name      which learner made it.
    evaluate  outputs → (n,) floats.
    describe  (threshold, whether the event is "score ≥ threshold") → the event, to be put into words
              by `Encoder.said`.
    learned   whether it was fitted to labelled samples, so that those must not judge it.
    monotone  whether it means to grow with the likelihood ratio, so that a smooth curve may calibrate it.
    in_words  whether its events are in words of the output, which need no further words.
    number    the number of an output that it cuts into cells; None where it looks at more than a number.
    folds     the same fitted without one part of the samples that it was learned from, for each part (see
              `fold_of`): they may judge it on those.
    """

    name: str
    evaluate: Callable[[Encoded], Floats]
    describe: Callable[[float, bool], Words]
    learned: bool = True
    monotone: bool = True
    in_words: bool = True
    number: Number | None = None
    folds: Folds | None = None


Fit = Callable[[Encoded, Encoded], Score | None]


@dataclass(frozen=True, slots=True)
class Learner:
    """A way to learn scores, and how it is used.

    fit      samples of both datasets → the score, None where there is none.
    patient  it may find its events in many samples only, and costs nothing until then: it is never dropped.
    costly   it takes long: where it has found nothing it is asked again for four times the samples.
    rare     it learns rare events: it goes on learning when the others have enough samples.
    folds    its scores come with folds, so that all samples judge them.
    few      it is of use where only few outputs occur, every event of which is a set of them.
    table    where outputs repeat, its cells are these outputs, ordered by all counts so far.
    """

    name: str
    fit: Fit
    patient: bool = False
    costly: bool = False
    rare: bool = False
    folds: bool = False
    few: bool = False
    table: bool = False


def threshold_words(what: Words, digits: int = 6) -> Callable[[float, bool], Words]:
    """What says that a number is beyond a threshold."""
    return lambda t, upper: (what, f" {'≥' if upper else '<'} {number_words(t, digits)}")


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
