"""Readings: numbers that a person would read off a sequence, such as the sum, the largest, how many are even.

Every reading is made of every sequence; see `sequences`. None knows of any particular leak.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audits.privacy.outputs.leaves import EXACT
from audits.privacy.outputs.outputs import Floats, Ints, Raw
from audits.privacy.tuning import TINY, TUNING


class Row:
    """The numbers (n, w) of a sequence in each output, NaN where a number is missing.

    What several readings need is worked out once.
    """

    def __init__(self, x: Floats) -> None:
        self.x = x

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which numbers are not missing."""
        return ~np.isnan(self.x)

    @cached_property
    def count(self) -> Ints:
        """How many are not missing."""
        return self.there.sum(axis=1)

    @cached_property
    def filled(self) -> Floats:
        """The numbers, 0 for what is missing."""
        return self.x if self.there.all() else np.where(self.there, self.x, 0.0)

    @cached_property
    def ordered(self) -> Floats:
        """The numbers from the smallest on, what is missing at the end."""
        return np.sort(self.x, axis=1)

    @cached_property
    def steps(self) -> Floats:
        """What each number exceeds the number before it by."""
        return np.diff(self.x, axis=1)

    @cached_property
    def gaps(self) -> Floats:
        """Distances of neighbours in order."""
        return np.diff(self.ordered, axis=1)

    @cached_property
    def mean(self) -> Floats:
        """The average."""
        return self.filled.sum(axis=1) / np.maximum(self.count, 1)

    @cached_property
    def centred(self) -> Floats:
        """What each number exceeds the average by, 0 for what is missing."""
        return np.where(self.there, self.x - self.mean[:, None], 0.0)

    @cached_property
    def whole(self) -> Ints:
        """The numbers as integers; 0 where they are none, or too large."""
        return np.where(is_whole(self.filled), self.filled, 0.0).astype(np.int64)

    def at(self, place: Ints, of: Floats | None = None) -> Floats:
        """The number at a place of each row; NaN outside."""
        found = self.x if of is None else of
        inside = np.clip(place, 0, found.shape[1] - 1)
        return np.where(place == inside, np.take_along_axis(found, inside[:, None], axis=1)[:, 0], np.nan)

    def largest(self, k: int) -> Floats:
        """The k-th largest number."""
        return self.at(self.count - k, self.ordered)

    def smallest(self, k: int) -> Floats:
        """The k-th smallest number."""
        return np.where(self.count >= k, self.at(np.full(len(self.x), k - 1), self.ordered), np.nan)

    @cached_property
    def median(self) -> Floats:
        """The middle number, or the average of the two in the middle."""
        low, high = (self.at(place, self.ordered) for place in ((self.count - 1) // 2, self.count // 2))
        return 0.5 * (low + high)

    def lag(self, k: int) -> Floats:
        """The correlation of each number with the number k before it."""
        c = self.centred
        return (c[:, k:] * c[:, :-k]).sum(axis=1) / (np.square(c).sum(axis=1) + TINY)

    @cached_property
    def mirrored(self) -> Floats:
        """The numbers from the last to the first."""
        place = self.count[:, None] - 1 - np.arange(self.x.shape[1])
        return np.where(place >= 0, np.take_along_axis(self.x, np.maximum(place, 0), axis=1), np.nan)

    @cached_property
    def last(self) -> Floats:
        """The last number that is there."""
        return self.at(self.count - 1)

    @cached_property
    def times(self) -> Ints:
        """How often the number at each place in order has occurred up to there."""
        return _in_a_row(self.gaps == 0.0) + 1


def is_whole(x: Floats) -> NDArray[np.bool_]:
    """Which numbers are integers that a double holds exactly."""
    return (x == np.floor(x)) & (np.abs(x) < EXACT)


def _in_a_row(holds: NDArray[np.bool_]) -> Ints:
    """For each place how many in a row, up to there, hold."""
    place = np.arange(holds.shape[1])
    return place - np.maximum.accumulate(np.where(holds, -1, place), axis=1)


def _longest(holds: NDArray[np.bool_]) -> Ints:
    return _in_a_row(holds).max(axis=1, initial=0)


def _first(holds: NDArray[np.bool_]) -> Ints:
    """The first place that holds; the width where none does."""
    return np.where(holds.any(axis=1), holds.argmax(axis=1) if holds.shape[1] else 0, holds.shape[1])


def _alternating(row: Row) -> Floats:
    return (row.filled * (1.0 - 2.0 * (np.arange(row.x.shape[1]) % 2))).sum(axis=1)


def _by_place(row: Row) -> Floats:
    return (row.filled * np.arange(1.0, row.x.shape[1] + 1.0)).sum(axis=1)


def _halves(row: Row) -> Floats:
    half = row.x.shape[1] // 2
    return row.filled[:, :half].sum(axis=1) - row.filled[:, row.x.shape[1] - half :].sum(axis=1)


def _peaks(row: Row) -> Ints:
    return ((row.steps[:, :-1] > 0.0) & (row.steps[:, 1:] < 0.0)).sum(axis=1)


def _inversions(row: Row) -> Ints:
    """How many pairs stand in the wrong order; of a long row its first numbers count."""
    x = row.x[:, : TUNING.most_chosen]
    return (x[:, :, None] > x[:, None, :])[:, *np.triu_indices(x.shape[1], 1)].sum(axis=1)


def _best_place(row: Row, sign: float) -> Ints:
    return np.where(row.there, sign * row.x, -np.inf).argmax(axis=1)


def _place_of(row: Row, number: Floats) -> Ints:
    """The last place of a number."""
    return row.x.shape[1] - 1 - (row.x == number[:, None])[:, ::-1].argmax(axis=1)


NEAR = range(2, TUNING.neighbours + 1)
READINGS: dict[str, Callable[[Row], Raw]] = {
    "the sum of {}": lambda row: row.filled.sum(axis=1),
    "the root of the sum of squares of {}": lambda row: np.sqrt(np.square(row.filled).sum(axis=1)),
    "how many there are of {}": lambda row: row.count,
    "the largest of {}": lambda row: row.largest(1),
    "the smallest of {}": lambda row: row.smallest(1),
    "the median of {}": lambda row: row.median,
    "the average less the median of {}": lambda row: row.mean - row.median,
    "the third moment of {}": lambda row: (row.centred**3).sum(axis=1),
    "the fourth moment of {}": lambda row: (row.centred**4).sum(axis=1),
    "the largest less the smallest of {}": lambda row: row.largest(1) - row.smallest(1),
    "the largest less the second of {}": lambda row: row.largest(1) - row.largest(2),
    "the second less the smallest of {}": lambda row: row.smallest(2) - row.smallest(1),
    "the largest gap in order between {}": lambda row: np.fmax.reduce(row.gaps, axis=1, initial=-np.inf),
    "the smallest gap in order between {}": lambda row: np.fmin.reduce(row.gaps, axis=1, initial=np.inf),
    "the index of the largest of {}": lambda row: _best_place(row, 1.0),
    "the index of the smallest of {}": lambda row: _best_place(row, -1.0),
    "the index of the second largest of {}": lambda row: _place_of(row, row.largest(2)),
    "how many of {} are positive": lambda row: (row.x > 0.0).sum(axis=1),
    "how many of {} are even": lambda row: (np.mod(row.x, 2.0) == 0.0).sum(axis=1),
    f"how many of {{}} are rounded to {TUNING.decimals} decimals": lambda row: (
        np.round(row.x, TUNING.decimals) == row.x
    ).sum(axis=1),
    "how many of {} exceed their average": lambda row: (row.centred > 0.0).sum(axis=1),
    "how many different values {} have": lambda row: row.count - (row.gaps == 0.0).sum(axis=1),
    "how often the commonest of {} occurs": lambda row: row.times.max(axis=1, initial=1),
    "how often the first of {} occurs": lambda row: (row.x == row.x[:, :1]).sum(axis=1),
    "how often the last of {} occurs": lambda row: (row.x == row.last[:, None]).sum(axis=1),
    "how many of {} exceed the first": lambda row: (row.x > row.x[:, :1]).sum(axis=1),
    "how many of {} exceed all before": lambda row: (
        row.x[:, 1:] > np.fmax.accumulate(row.x, axis=1)[:, :-1]
    ).sum(axis=1),
    "how many of {} exceed the last": lambda row: (row.x > row.last[:, None]).sum(axis=1),
    "the largest less all others of {}": lambda row: 2.0 * row.largest(1) - row.filled.sum(axis=1),
    "how many of {} exceed the one before": lambda row: (row.steps > 0.0).sum(axis=1),
    "how many in a row of {} exceed the one before": lambda row: _longest(row.steps > 0.0),
    "how many of {} equal the one before": lambda row: (row.steps == 0.0).sum(axis=1),
    "how many in a row of {} are equal": lambda row: _longest(row.steps == 0.0),
    "how many in a row of {} are positive": lambda row: _longest(row.x > 0.0),
    "how many signs of {} differ from the one before": lambda row: (
        np.sign(row.x[:, 1:]) * np.sign(row.x[:, :-1]) < 0.0
    ).sum(axis=1),
    "how many of {} exceed both neighbours": _peaks,
    f"how many pairs of the first {TUNING.most_chosen} of {{}} stand in falling order": _inversions,
    "the first of {}": lambda row: row.x[:, 0],
    "the last of {}": lambda row: row.last,
    "the last less the first of {}": lambda row: row.last - row.x[:, 0],
    "the sum with alternating signs of {}": _alternating,
    "the sum, each times its index plus 1, of {}": _by_place,
    "the first half less the second half of {}": _halves,
    "the index of the first positive one of {} (the greatest length where there is none)": lambda row: _first(
        row.x > 0.0
    ),
    "the index of the first above the average of {} (the greatest length where there is none)": lambda row: (
        _first(row.centred > 0.0)
    ),
    "the largest sum so far of {}": lambda row: np.cumsum(row.filled, axis=1).max(axis=1),
    "the smallest sum so far of {}": lambda row: np.cumsum(row.filled, axis=1).min(axis=1),
    "how many of {} are the same from behind": lambda row: (row.x == row.mirrored).sum(axis=1),
    "how many of {} equal their index": lambda row: (row.x == np.arange(row.x.shape[1])).sum(axis=1),
    "the exclusive or of {}": lambda row: np.bitwise_xor.reduce(row.whole, axis=1),
    "the greatest common divisor of {}": lambda row: np.gcd.reduce(row.whole, axis=1),
    **{
        f"the one at index {k} of {{}}": lambda row, k=k: row.at(np.full(len(row.x), k))
        for k in range(1, TUNING.neighbours)
    },
    **{f"number {k} of {{}} from the largest on": lambda row, k=k: row.largest(k) for k in NEAR},
    **{f"number {k} of {{}} from the smallest on": lambda row, k=k: row.smallest(k) for k in NEAR},
    **{
        f"the correlation of {{}} with those {k} before": lambda row, k=k: (
            row.lag(k) if row.x.shape[1] > k else np.zeros(len(row.x))
        )
        for k in range(1, TUNING.least)
    },
}
"""What is read off a row, by its name, in which {} stands for the row."""
FIRST = tuple(name for name in READINGS if not name.startswith(("number ", "the correlation ")))
"""The readings of sequences that follow from others."""
NARROW = (
    "the sum of {}",
    "the root of the sum of squares of {}",
    "how many there are of {}",
    "the largest of {}",
    "the smallest of {}",
    "the largest less the smallest of {}",
    "the index of the largest of {}",
    "how many of {} are positive",
    "how many of {} are even",
    f"how many of {{}} are rounded to {TUNING.decimals} decimals",
    "how many different values {} have",
    "how many signs of {} differ from the one before",
    "the first of {}",
    "the last of {}",
    "the last less the first of {}",
    "the sum, each times its index plus 1, of {}",
    "the index of the first positive one of {} (the greatest length where there is none)",
    "the largest sum so far of {}",
    "the smallest sum so far of {}",
    "how many of {} equal their index",
    "the exclusive or of {}",
    "the greatest common divisor of {}",
)
"""What is read off a sequence of one or two numbers; any further reading is a function of a reading here."""
