"""Views, events and scores of outputs: what learners make, bets count and witnesses name.

A *view* reads a number off each output. An *event* says where that number lies. A *score* is a number whose
large values speak for one dataset and small values for the other; it is learned on earlier samples only and
turned into events by thresholds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.outputs.describe import SHOWN, symbol_words
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, number_words, value_words


@dataclass(frozen=True, slots=True)
class View:
    """A number that is read off each output.

    words   what it is; see `describe`.
    of      outputs → (n,) numbers.
    symbol  whether the numbers are those of symbols, 0 for what is none.
    """

    words: str
    of: Callable[[Encoded], Any]
    symbol: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """{x ≥ low} of the number x of a view where `high` is ∞, {x = low} where it is equal to `low`; `outside`:
    the complement."""

    view: View
    low: float
    high: float
    outside: bool = False

    def holds(self, outputs: Encoded) -> NDArray[np.bool_]:
        """Whether each output lies in the event."""
        x = self.view.of(outputs)
        inside = (x == self.low) if self.low == self.high else (x >= self.low)
        return ~inside if self.outside else inside

    @property
    def words(self) -> str:
        """The event; every number in it is exact."""
        if self.low == self.high:
            sign, value = "≠" if self.outside else "=", value_words(self.low)
            return f"{self.view.words} {sign} {symbol_words(int(self.low)) if self.view.symbol else value}"
        return f"{self.view.words} {'<' if self.outside else '≥'} {number_words(self.low)}"


Folds = tuple[Callable[[Encoded], Floats], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A learned score.

    name      which learner made it.
    evaluate  outputs → (n,) floats.
    describe  (threshold, whether the event is "score ≥ threshold") → the event, to be put into words
              by `Encoder.said`.
    learned   whether it was fitted to labelled samples, so that those must not judge it.
    view      the number of an output that it cuts into cells; None where it looks at more than a number.
    folds     the same fitted without one part of the samples that it was learned from, for each part (see
              `fold_of`): they may judge it on those.
    """

    name: str
    evaluate: Callable[[Encoded], Floats]
    describe: Callable[[float, bool], str]
    learned: bool = True
    view: View | None = None
    folds: Folds | None = None


Fit = Callable[[Encoded, Encoded], Score | None]
"""Samples of both datasets → the score; None where there is none."""


def likeness(how: str, parts: Iterable[str]) -> Callable[[float, bool], str]:
    """What says that the outputs beyond a threshold of a score look like those of one dataset: the score is
    large on the first. Its number tells nobody anything, so only the first parts that it looks at are named,
    and how many there are more."""
    every = [*parts]
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    of = f"{how} of {', '.join(every[:SHOWN])}{more}"
    return lambda t, upper: f"output looks like those of the {'first' if upper else 'second'} dataset by {of}"


def fold_of(rows: int, folds: int) -> Ints:
    """The fold of each row; a fold is a run of neighbouring rows."""
    return np.arange(rows) * folds // max(rows, 1)


def spaced(rows: int, most: int) -> slice:
    """About `most` of the `rows`, equally far apart, so that each fold has its share of them."""
    return slice(None, None, -(-rows // most))
