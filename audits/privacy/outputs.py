"""Outputs of any kind → columns of numbers and columns of symbols, the same columns for every batch.

A float, an int or a boolean is a number; a string or None is a symbol. A vector is a row of numbers, a
structured
array a row of its fields. An array of Python objects may mix all of these; sequences of different lengths
are padded, with their length as a column of its own.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]
Raw = NDArray[Any]

LARGE = 1e300
"""Stands for an infinite output, so that every column stays finite."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Outputs as columns: `values` (n, c) numbers; `codes` (n, k) symbols from 1 on, 0 for a number."""

    values: Floats
    codes: Ints

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_scalar(self) -> bool:
        """A single number each."""
        return self.values.shape[1] == 1 and self.codes.shape[1] == 0

    @property
    def is_symbol(self) -> bool:
        """A single column, with symbols and perhaps numbers in it."""
        return self.values.shape[1] == 1 and self.codes.shape[1] == 1

    def take(self, index: Any) -> Encoded:
        """The rows that `index` (a slice, a mask or positions) selects."""
        return Encoded(self.values[index], self.codes[index])

    def columns(self) -> Floats:
        """All columns as numbers: the values, then a 0/1 column for each of the first eight symbols."""
        if self.codes.shape[1] == 0:
            return self.values
        return np.hstack([self.values, *((self.codes == s).astype(np.float64) for s in range(1, 9))])


def join(parts: Sequence[Encoded]) -> Encoded:
    """Several batches as one."""
    if len(parts) == 1:
        return parts[0]
    return Encoded(np.concatenate([p.values for p in parts]), np.concatenate([p.codes for p in parts]))


KEY_NUMBERS = 2**17
"""Numbers that are hashed at once: they then stay in the cache."""


def row_keys(e: Encoded) -> Ints:
    """One integer a row: equal rows have equal keys, others hardly ever."""
    keys = np.zeros(len(e), dtype=np.uint64)
    rows = max(256, KEY_NUMBERS // max(e.values.shape[1], 1))
    for start in range(0, len(e), rows):
        part = slice(start, start + rows)
        # A minus zero equals zero, but has other bits: 0 is added.
        columns = np.empty((e.values.shape[1], len(keys[part])))
        _mix(keys[part], np.add(e.values[part].T, 0.0, out=columns).view(np.uint64))
        if e.codes.shape[1] > 0:
            _mix(keys[part], np.ascontiguousarray(e.codes[part].T).view(np.uint64))
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


class Encoder:
    """Turns outputs into columns; remembers the kind of output and the numbers of the symbols."""

    def __init__(self) -> None:
        self._symbols: dict[Any, int] = {}
        self._layout: tuple[Any, ...] | None = None
        self._lengths: dict[str, int] = {}
        self._with_codes: dict[str, bool] = {}

    def encode(self, outputs: Raw, where: str) -> Encoded:
        """Columns of a batch. Raises ValueError where the outputs are of another kind than earlier ones."""
        layout = _layout(outputs)
        if self._layout is None:
            self._layout = layout
        elif not _compatible(self._layout, layout):
            raise ValueError(
                "mechanism must return one kind of output on every dataset, got "
                f"{_words(layout)} on {where} after {_words(self._layout)}"
            )
        elif layout[0] == "object":
            self._layout = layout
        values, codes = self._columns(outputs, "")
        return Encoded(_stacked(values, len(outputs), np.float64), _stacked(codes, len(outputs), np.int64))

    @property
    def symbols(self) -> dict[int, Any]:
        """The symbol of each code."""
        return {code: symbol for symbol, code in self._symbols.items()}

    def named(self, words: str, most: int = 40) -> str:
        """The words with each "symbol 3" in them replaced by that symbol, cut to `most` characters."""
        if "symbol" not in words:
            return words
        symbols = self.symbols

        def name(found: re.Match[str]) -> str:
            text = repr(symbols[int(found[1])])
            return text if len(text) <= most else text[: most - 1] + "…"

        return re.sub(r"\bsymbol (\d+)", name, words)

    def _columns(self, outputs: Raw, path: str) -> tuple[list[Floats], list[Ints]]:
        if outputs.dtype.names is not None:
            values: list[Floats] = []
            codes: list[Ints] = []
            for name in outputs.dtype.names:
                v, c = self._columns(outputs[name], f"{path}.{name}")
                values += v
                codes += c
            return values, codes
        kind = outputs.dtype.kind
        # Whether a column has symbols is settled by the first batch: a number stays a number column, in
        # which a
        # symbol that turns up later is an atom far away from all numbers.
        with_codes = self._with_codes.setdefault(path, kind in "OUS")
        flat = outputs.reshape(len(outputs), -1)
        if kind == "c":
            return [_finite(np.real(flat)), _finite(np.imag(flat))], []
        if kind in "mM":
            flat, kind = flat.astype(np.int64), "i"
        if kind in "biuf":
            number = _finite(flat) if kind == "f" else flat.astype(np.float64)
            return [number], [np.zeros(number.shape, dtype=np.int64)] if with_codes else []
        if kind in "US":
            code = self._coded(flat)
            number = np.zeros(code.shape)
        else:
            number, code = self._objects(flat, path)
        if with_codes:
            return [number], [code]
        return [np.where(code > 0, LARGE / (1.0 + code), number)], []

    def _coded(self, outputs: Raw) -> Ints:
        unique, inverse = np.unique(outputs, return_inverse=True)
        numbers_ = np.array([self._number(u.item()) for u in unique], dtype=np.int64)
        return numbers_[inverse].reshape(outputs.shape)

    def _number(self, symbol: Any) -> int:
        try:
            return self._symbols.setdefault(symbol, len(self._symbols) + 1)
        except TypeError:
            return self._symbols.setdefault(repr(symbol), len(self._symbols) + 1)

    def _objects(self, flat: Raw, path: str) -> tuple[Floats, Ints]:
        if flat.shape[1] == 1 and (
            path in self._lengths or any(isinstance(o, (list, tuple, np.ndarray)) for o in flat[:, 0])
        ):
            flat = self._padded(flat[:, 0], path)
        values = np.zeros(flat.shape)
        codes = np.zeros(flat.shape, dtype=np.int64)
        for place, item in np.ndenumerate(flat):
            if isinstance(item, numbers.Real):
                values[place] = float(item)
                if values[place] != values[place]:
                    raise ValueError("mechanism must not return NaN; use None for a failure symbol")
            else:
                codes[place] = self._number(item)
        return _finite(values), codes

    def _padded(self, rows: Raw, path: str) -> Raw:
        lists = [
            list(cast(Sequence[Any], np.ravel(r) if isinstance(r, np.ndarray) else r))
            if isinstance(r, (list, tuple, np.ndarray))
            else [r]
            for r in rows
        ]
        width = self._lengths.setdefault(path, max(max((len(r) for r in lists), default=1), 1))
        padded = np.full((len(lists), width + 1), _END, dtype=object)
        for i, row in enumerate(lists):
            padded[i, 0] = len(row)
            for j, item in enumerate(row[:width]):
                padded[i, j + 1] = item
        return padded


_END = "(end)"


def _finite(values: Raw) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    return np.clip(values, -LARGE, LARGE) if np.isinf(values).any() else values


def _stacked(parts: Sequence[Raw], rows: int, dtype: Any) -> Any:
    if not parts:
        return np.zeros((rows, 0), dtype=dtype)
    return parts[0] if len(parts) == 1 else np.hstack(parts)


def _layout(outputs: Raw) -> tuple[Any, ...]:
    if outputs.dtype.names is not None:
        return ("structured", outputs.dtype.names)
    kind = outputs.dtype.kind
    if kind == "O":
        return ("object", 1 if outputs.ndim == 1 else int(np.prod(outputs.shape[1:])))
    width = int(np.prod(outputs.shape[1:], dtype=np.int64))
    return ("text" if kind in "US" else "number", width if outputs.ndim > 1 else 1)


def _compatible(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    if a == b:
        return True
    # An array of objects may hold numbers only in one batch and become an array of numbers there.
    return "object" in (a[0], b[0]) and "structured" not in (a[0], b[0])


def _words(layout: tuple[Any, ...]) -> str:
    kind, width = layout
    if kind == "structured":
        return f"records with fields {width}"
    names = {"object": "Python objects", "text": "strings", "number": "numbers"}
    return names[kind] if width == 1 else f"vectors of {width} {names[kind]}"
