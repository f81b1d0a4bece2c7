"""Readings: numbers that a person would read off a sequence, such as the sum, the largest, how many are even.

A sequence is what stands in an order in an output: the items of a list, the characters of a text, the rows of
a matrix, the digits of a number. Every reading is made of every sequence, and of a few sequences that follow
from it, as its differences and its halves. None knows of any particular leak.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audits.privacy.learners.search import View
from audits.privacy.outputs.describe import OUTPUT, Column, Words
from audits.privacy.outputs.leaves import EXACT
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Items, Raw
from audits.privacy.tuning import BOUND, TINY, TUNING


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
    return row.filled @ (1.0 - 2.0 * (np.arange(row.x.shape[1]) % 2))


def _by_place(row: Row) -> Floats:
    return row.filled @ np.arange(1.0, row.x.shape[1] + 1.0)


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


@dataclass(frozen=True, slots=True)
class Source:
    """A sequence that is read off an output.

    words    what it is.
    of       outputs → (n, w), NaN for what is missing.
    letters  whether its numbers are those of characters, or of words in the alphabet.
    names    its readings.
    """

    words: Words
    of: Callable[[Encoded], Floats]
    letters: bool = False
    names: tuple[str, ...] = FIRST

    def reading(self, name: str) -> View:
        """The view of one reading."""
        before, after = name.split("{}")
        return View((before, self.words, after), lambda e: self.read(e, names=(name,))[:, 0])

    def read(self, *parts: Encoded, names: tuple[str, ...] = ()) -> Floats:
        """Readings (n, c) of the outputs of all parts, one part after the other, finite whatever the numbers
        are; all of them, in their order, or those of these names."""
        sequences = [self.sequence(e) for e in parts]
        row = Row(sequences[0] if len(sequences) == 1 else np.concatenate(sequences))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = np.stack([READINGS[name](row) for name in names or self.names], axis=1, dtype=np.float64)
        return np.clip(np.nan_to_num(found, copy=False, nan=-BOUND), -BOUND, BOUND)

    def sequence(self, e: Encoded) -> Floats:
        """The numbers (n, w) of the sequence, NaN for what is missing."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self.of(e)


def held(items: Items, e: Encoded) -> Floats:
    """The numbers (n, w) that items are; for a text its place in the alphabet."""
    columns = np.array(items.columns)
    # Neighbouring columns are read several times as fast.
    near = len(columns) > 0 and bool((np.diff(columns) == 1).all())
    x = np.clip(e.values[:, slice(columns[0], columns[-1] + 1) if near else columns], -BOUND, BOUND)
    if items.letters:
        x[x == 0.0] = np.nan
    for j, mark in enumerate(items.marks):
        if mark >= 0:
            codes = e.codes[:, mark]
            x[codes > 0, j] = e.layout.places(codes[codes > 0])
    return x


def sequences(e: Encoded) -> list[Items]:
    """What stands in an order in outputs: as the encoder says, or else all columns."""
    found = [items for items in e.layout.items if max(items.columns) < e.shape[0]]
    every = Items("output", tuple(range(e.shape[0])))
    return found if e.layout.items else [every] if e.shape[0] > 1 else []


def plain(e: Encoded) -> list[Source]:
    """The sequences themselves."""
    return [
        Source(
            items.words if items.letters else f"the numbers in {items.words}",
            lambda e, items=items: held(items, e),
            items.letters,
            (*READINGS,),
        )
        for items in sequences(e)
    ]


def further(e: Encoded) -> Iterator[Source]:
    """Sequences that follow from them where they are not too long, and the digits of single numbers."""
    for items in (items for items in sequences(e) if len(items.columns) <= TUNING.glance):
        for words, change in _changes(items).items():
            yield changed(items, words, change)
    yield from digital(e)


def changed(items: Items, words: str, change: Callable[[Floats], Floats]) -> Source:
    """What a change makes of a sequence."""
    return Source((f"{words} ", items.words), lambda e: change(held(items, e)))


def digital(e: Encoded) -> Iterator[Source]:
    """The digits of each number, where an output has few numbers."""
    for j in range(e.shape[0] if e.shape[0] <= TUNING.most_signed else 0):
        size = np.abs(e.values[: TUNING.glance, j])
        name, whole = OUTPUT if e.is_scalar else Column(j), bool((size == np.floor(size)).all())
        if whole and size.max(initial=0.0) > TUNING.parts:
            yield Source(("the digits of ", name), lambda e, j=j: digits(e.values[:, j], 10))
            yield Source(("the binary digits of ", name), lambda e, j=j: digits(e.values[:, j], 2))
            yield Source(("the bytes of ", name), lambda e, j=j: digits(e.values[:, j], 256))
        elif not whole:
            yield Source(("the decimals of ", name), lambda e, j=j: decimals(e.values[:, j]))
            yield Source(("the significant digits of ", name), lambda e, j=j: significant(e.values[:, j]))


def significant(x: Floats) -> Floats:
    """The first significant digits (…, `TUNING.decimals`) of numbers; NaN for 0 and what is missing.

    >>> significant(np.array([-0.0125]))[0, :4].tolist()
    [1.0, 2.0, 5.0, 0.0]
    """
    size = np.where(x == 0.0, np.nan, np.abs(x))
    # What is a digit but for rounding is that digit.
    lead = np.round(size / 10.0 ** np.floor(np.log10(size)) * 10.0**TUNING.decimals, 2)
    return np.mod(np.floor(lead[..., None] / 10.0 ** np.arange(TUNING.decimals + 1)[:0:-1]), 10.0)


def decimals(x: Floats) -> Floats:
    """The first decimals (n, `TUNING.decimals`) of numbers.

    >>> decimals(np.array([-1.25]))[0].tolist()
    [2.0, 5.0, 0.0, 0.0, 0.0, 0.0]
    """
    size = np.minimum(np.abs(x), EXACT)
    # What is a decimal but for rounding is that decimal.
    part = np.round((size - np.floor(size)) * 10.0**TUNING.decimals, 2)
    return np.mod(np.floor(part[:, None] / 10.0 ** np.arange(TUNING.decimals)[::-1]), 10.0)


def _changes(items: Items) -> dict[str, Callable[[Floats], Floats]]:
    """The changes that the length and the shape of a sequence allow, by their words."""
    width = len(items.columns)
    half = (width + 1) // 2
    found: dict[str, Callable[[Floats], Floats]] = {}
    if width > 1:
        found["the quotients of neighbours in"] = lambda x: x[:, 1:] / x[:, :-1]
        found["the numbers less the largest so far in"] = lambda x: x - np.fmax.accumulate(x, axis=1)
        found["the numbers at the places that are the numbers in"] = lambda x: followed(x, x)
        found["the numbers, followed as places on and on, in"] = in_the_end
    if width > 2:
        found |= ENDS
        found["the differences of neighbours in"] = lambda x: np.diff(x, axis=1)
        found["the differences of neighbours in order in"] = lambda x: np.diff(np.sort(x, axis=1), axis=1)
        for k in (k for k in (2, 3, TUNING.neighbours) if k < width):
            found[f"the sums of {k} neighbours in"] = lambda x, k=k: np.lib.stride_tricks.sliding_window_view(
                x, k, axis=1
            ).sum(axis=2)
    if width >= TUNING.least:
        found["the sizes of the Fourier coefficients of"] = _spectrum
    if items.letters:
        for words, letters in CLASSES.items():
            found[f"the places of {words} in"] = lambda x, letters=letters: np.where(
                np.isnan(x), np.nan, np.isin(x, [ord(c) for c in letters])
            )
    else:
        found["the sizes of the numbers in"] = np.abs
        found["the leading digits of the numbers in"] = lambda x: significant(x)[..., 0]
        found["the last digits of the numbers in"] = lambda x: np.mod(np.floor(np.abs(x)), 10.0)
    if width > 3:
        found["the numbers at even places in"] = lambda x: x[:, ::2]
        found["the numbers at odd places in"] = lambda x: x[:, 1::2]
        found["the first half of"] = lambda x: x[:, :half]
        found["the second half of"] = lambda x: x[:, width - half :]
    if width > 3 and width % 2 == 0:
        found["the first half less the second, one by one, of"] = lambda x: x[:, :half] - x[:, half:]
        found["the first half over the second, one by one, of"] = lambda x: x[:, :half] / x[:, half:]
        found["each at an even place less the next of"] = lambda x: x[:, ::2] - x[:, 1::2]
        found["each at an even place over the next of"] = lambda x: x[:, ::2] / x[:, 1::2]
    if len(items.axes) == 2 and min(items.axes) > 1:
        r, c = items.axes
        if max(r, c) <= TUNING.most_chosen:
            found["the singular values of"] = lambda x: np.linalg.svd(
                np.nan_to_num(x.reshape(-1, r, c)), compute_uv=False
            )
        found["the sums of the rows of"] = lambda x: x.reshape(-1, r, c).sum(axis=2)
        found["the sums of the columns of"] = lambda x: x.reshape(-1, r, c).sum(axis=1)
        found["what row and column averages leave of"] = lambda x: _doubly_centred(x.reshape(-1, r, c))
        found["the sums of squares of four in"] = lambda x: _squares(x.reshape(-1, r, c))
        found["the diagonal of"] = lambda x: np.diagonal(x.reshape(-1, r, c), axis1=1, axis2=2)
        found["the other diagonal of"] = lambda x: np.diagonal(x.reshape(-1, r, c)[:, ::-1], axis1=1, axis2=2)
        if r == c:
            # Of a graph: in how many ways one returns in so many steps, and from the first place to others.
            for power in (2, 3):
                found[f"the diagonal of power {power} of"] = lambda x, power=power: np.diagonal(
                    np.linalg.matrix_power(x.reshape(-1, r, r), power), axis1=1, axis2=2
                )
            found[f"the first row of power {r} of the identity plus"] = lambda x: np.linalg.matrix_power(
                np.eye(r) + x.reshape(-1, r, r), r
            )[:, 0]
            found["the determinant of"] = lambda x: np.linalg.det(x.reshape(-1, r, r))[:, None]
            found["the differences from its transpose of"] = lambda x: (
                x.reshape(-1, r, r) - x.reshape(-1, r, r).transpose(0, 2, 1)
            ).reshape(-1, r * r)
    return found


ENDS: dict[str, Callable[[Floats], Floats]] = {
    "all but the first of": lambda x: x[:, 1:],
    "all but the last of": lambda x: x[:, :-1],
}
"""What is left of a sequence that begins with a name, or ends with a total."""
CLASSES = {
    "vowels": "aeiouAEIOU",
    "capitals": string.ascii_uppercase,
    "digits": string.digits,
    "spaces": string.whitespace,
}
"""Letters that have a name."""


def _spectrum(x: Floats) -> Floats:
    return np.abs(np.fft.rfft(np.nan_to_num(x), axis=1))[:, 1:]


def followed(places: Floats, x: Floats) -> Floats:
    """The numbers of x at these places of the row; NaN where a place is no index.

    >>> followed(np.array([[1.0, 5.0, np.nan]]), np.array([[7.0, 8.0]])).tolist()
    [[8.0, nan, nan]]
    """
    there = (places == np.floor(places)) & (places >= 0.0) & (places < x.shape[1])
    place = np.where(there, places, 0.0).astype(np.int64)
    return np.where(there, np.take_along_axis(x, place, axis=1), np.nan)


def in_the_end(places: Floats) -> Floats:
    """Where each place leads after more steps than there are places; NaN where the way ends before.

    >>> in_the_end(np.array([[0.0, 0.0, 1.0, 2.0]])).tolist(), in_the_end(np.array([[9.0]])).tolist()
    ([[0.0, 0.0, 0.0, 0.0]], [[nan]])
    """
    for _ in range(places.shape[1].bit_length()):
        places = followed(places, places)
    return places


def _doubly_centred(x: Floats) -> Floats:
    rows, columns = x.mean(axis=2, keepdims=True), x.mean(axis=1, keepdims=True)
    left = x - rows - columns + rows.mean(axis=1, keepdims=True)
    return left.reshape(len(x), -1)


def _squares(x: Floats) -> Floats:
    return (x[:, 1:, 1:] + x[:, 1:, :-1] + x[:, :-1, 1:] + x[:, :-1, :-1]).reshape(len(x), -1)


def digits(x: Floats, base: int) -> Floats:
    """The digits of |x| to a base, the last of them first, NaN before the first of them and for numbers that
    are no integers that a double holds exactly.

    >>> digits(np.array([2050.0]), 10)[0, :5].tolist()
    [0.0, 5.0, 0.0, 2.0, nan]
    """
    size = np.where(is_whole(x), np.abs(x), np.nan)
    most = int(np.ceil(np.log(EXACT) / np.log(base)))
    powers = float(base) ** np.arange(most)
    with np.errstate(invalid="ignore"):
        found = np.mod(np.floor(size[:, None] / powers), base)
    found[(size[:, None] < powers) & (np.arange(most) > 0)] = np.nan
    return found
