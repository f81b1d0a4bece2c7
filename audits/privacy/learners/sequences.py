"""Sequences: what stands in an order in an output, and what follows from it.

Examples are the items of a list, the characters of a text, the rows of a matrix, the digits of a number; and
what people make of such, as differences of neighbours, halves, sums of rows, the letters that are vowels.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from audits.privacy.learners.readings import FIRST, NARROW, READINGS, Row, is_whole
from audits.privacy.learners.search import View
from audits.privacy.outputs.describe import OUTPUT, Column, Words
from audits.privacy.outputs.leaves import EXACT
from audits.privacy.outputs.outputs import Encoded, Floats, Items
from audits.privacy.tuning import BOUND, TUNING


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
        """The view of the reading with this name."""
        before, after = name.split("{}")

        def of(e: Encoded) -> Floats:
            # Rows in blocks: what a reading is worked out from may be many times as large as an output.
            blocks = (e.take(slice(k, k + TUNING.some_rows)) for k in range(0, len(e), TUNING.some_rows))
            found = [column for block in blocks for _, _, column in read([self], [block], (name,))]
            return found[0] if len(found) == 1 else np.concatenate([np.zeros(0), *found])

        return View((before, self.words, after), of)

    def sequence(self, e: Encoded) -> Floats:
        """The numbers (n, w) of the sequence, NaN for what is missing."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self.of(e)


def read(
    sources: Sequence[Source], parts: Sequence[Encoded], names: tuple[str, ...] = ()
) -> Iterator[tuple[int, str, Floats]]:
    """Readings of all sources: those named in `names`, or else all that a source has.

    Yields the index of a source, the name of a reading, and its finite values on the outputs of all parts,
    one part after another.
    """
    alike: dict[tuple[int, tuple[str, ...]], list[tuple[int, Floats]]] = {}
    for index, source in enumerate(sources):
        x = np.concatenate([source.sequence(e) for e in parts])
        own = source.names if x.shape[1] > 2 else NARROW
        alike.setdefault((x.shape[1], names or own), []).append((index, x))
    # Sequences of a length are read together: most of the time of few outputs goes by for each call.
    for (_, chosen), group in alike.items():
        step = max(1, TUNING.some_rows // max(len(group[0][1]), 1))
        for part in (group[k : k + step] for k in range(0, len(group), step)):
            row = Row(np.concatenate([x for _, x in part]))
            for name in chosen:
                with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                    found = READINGS[name](row).astype(np.float64)
                # `fmax` takes the bound in place of NaN.
                found = np.minimum(np.fmax(found, -BOUND), BOUND).reshape(len(part), -1)
                yield from ((index, name, column) for (index, _), column in zip(part, found, strict=True))


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
            # The matrix of a graph: how many walks of 2 or 3 steps close, and lead from the first node.
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
    """In each row the numbers of x at the given places; NaN where a place is no index of x.

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
