"""Outputs of any kind → columns of numbers and columns of symbols.

A float, an integer or a boolean is a number; a string or None is a symbol. Containers are flattened: lists,
tuples and arrays by position and length, dictionaries, dataclasses and records by field, sets by element.
`Encoder` draws the columns from the first outputs; the first column of symbols is the form of an output, 0
for the usual one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.outputs.describe import column_words, place_words, symbol_words
from audits.privacy.tuning import TUNING

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]
Raw = NDArray[Any]

LARGE = 1e300
"""Stands for an infinite output, so that every column stays finite."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Outputs as columns.

    values  (n, c) numbers.
    codes   (n, k) symbols from 1 on: first the form of the output, 0 for the usual one, then symbols at
            places, 0 for a number.
    places  for each column of symbols the column of numbers of the same place, −1 for the form of what is no
            single number or symbol.
    """

    values: Floats
    codes: Ints
    places: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int, int]:
        """How many columns of numbers and of symbols there are."""
        return self.values.shape[1], self.codes.shape[1]

    @property
    def is_single(self) -> bool:
        """A single number or symbol each."""
        return self.shape == (1, 1)

    def take(self, index: Any) -> Encoded:
        """The rows that `index` (a slice, a mask or positions) selects."""
        return Encoded(self.values[index], self.codes[index], self.places)


@dataclass(frozen=True, slots=True)
class Columns:
    """Outputs as columns of numbers: the values, then a 0/1 column for each mark, a symbol in a place.

    width  columns of values.
    marks  pairs of a column of codes and a symbol.
    """

    width: int
    marks: tuple[tuple[int, int], ...]

    def __call__(self, e: Encoded) -> Floats:
        """The columns (n, width + marks)."""
        if not self.marks:
            return e.values
        place, symbol = np.array(self.marks).T
        return np.hstack([e.values, e.codes[:, place] == symbol])

    def words(self, number: int) -> str:
        """What a column holds."""
        if number < self.width:
            return column_words(number)
        where, what = self.marks[number - self.width]
        return f"({place_words(where)} = {symbol_words(what)})"


def columns_of(first: Encoded, second: Encoded) -> Columns:
    """The columns of outputs like these: the symbols that are commonest in their places have columns."""
    width, places = first.shape
    some = [e.codes[: TUNING.some_rows] for e in (first, second)]
    found: list[tuple[int, int, int]] = []
    for place in range(places):
        symbols, counts = np.unique(np.concatenate([codes[:, place] for codes in some]), return_counts=True)
        # A symbol that every output has there tells nothing, nor does a symbol that hardly repeats.
        told = (symbols > 0) & (counts >= TUNING.repeats) & (len(symbols) > 1)
        found += [(-n, place, s) for s, n in zip(symbols[told].tolist(), counts[told].tolist(), strict=True)]
    most = max(TUNING.most_chosen, TUNING.least * places)
    return Columns(width, tuple(sorted((place, symbol) for _, place, symbol in sorted(found)[:most])))


def join(parts: Sequence[Encoded]) -> Encoded:
    """Several batches as one."""
    if len(parts) == 1:
        return parts[0]
    values, codes = (np.concatenate(some) for some in zip(*((p.values, p.codes) for p in parts), strict=True))
    return Encoded(values, codes, parts[-1].places)


def number_words(x: float, digits: int = 17) -> str:
    """A number in words, with `digits` digits; in full from a million on."""
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    return repr(float(x)).removesuffix(".0") if digits > 16 or abs(x) >= 1e6 else f"{x:.{digits}g}"


def value_words(x: float) -> str:
    """One value of a column in words, in full; `LARGE` stands for all that is larger."""
    return number_words(x) + (" or beyond" if abs(x) >= LARGE else "")


def row_words(e: Encoded, row: int) -> str:
    """One row as a set of one element, a dozen of its numbers at most."""
    codes = zip(e.places, e.codes[row].tolist(), strict=False)
    symbols = {at: symbol_words(code) for at, code in codes if code}
    numbers = [symbols.get(j, value_words(x)) for j, x in enumerate(e.values[row][:12].tolist())]
    more = ", …" if e.values.shape[1] > 12 else ""
    whole = f"({', '.join(numbers)}{more})" if len(numbers) > 1 else numbers[0]
    return f"{{{whole}{f' as {symbols[-1]}' if -1 in symbols else ''}}}"


def digits_of(values: Floats) -> int:
    """How many digits tell numbers like these apart, some of which may differ by little beside their size."""
    low, high = np.quantile(values, [0.1, 0.9]).tolist() if len(values) else (0.0, 0.0)
    if not 0.0 < high - low < math.inf:
        return 17
    return 6 + min(math.ceil(math.log10(max(-low, high) / (high - low) + 1.0)), 11)


def row_keys(e: Encoded) -> Ints:
    """One integer a row: equal rows have equal keys, others hardly ever."""
    keys = np.zeros(len(e), dtype=np.uint64)
    block = max(256, TUNING.most_numbers // max(e.values.shape[1], 1))
    for start in range(0, len(e), block):
        part = slice(start, start + block)
        # A minus zero equals zero, but has other bits: 0 is added.
        columns = np.empty((e.values.shape[1], len(keys[part])))
        _mix(keys[part], np.add(e.values[part].T, 0.0, out=columns).view(np.uint64))
    # Most outputs have the usual form and no symbols.
    rows = np.flatnonzero(e.codes.any(axis=1))
    if len(rows):
        some = keys[rows]
        _mix(some, np.ascontiguousarray(e.codes[rows].T).view(np.uint64))
        keys[rows] = some
    return keys.view(np.int64)


def _mix(keys: NDArray[np.uint64], columns: NDArray[np.uint64]) -> None:
    """Mix the columns (c, n) into the keys, one after the other; each step can be undone."""
    shifted = np.empty_like(keys)
    for column in columns:
        keys ^= column
        # The odd number nearest to 2⁶⁴ over the golden ratio carries low bits up, the shift high bits down.
        keys *= np.uint64(0x9E3779B97F4A7C15)
        np.right_shift(keys, np.uint64(32), out=shifted)
        keys ^= shifted
