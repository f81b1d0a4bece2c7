"""Single values and containers in outputs: what is a number, a symbol, or to be taken apart.

A float holds integers up to 2⁵³ exactly. Larger integers also have their low 32 bits and a remainder as
columns, so that two integers of any size are told apart.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
import numbers
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np

from audits import values
from audits.privacy.outputs.describe import Look
from audits.privacy.outputs.outputs import LARGE, Floats, Ints, Raw
from audits.values import NAMES, PLAIN, TEXTS, Refused

HUGE = 1e299
"""Integers that no float holds lie from here on, by their number of bits."""
EXACT = 2**53
MODULUS = 2**6 * 3**2 * 5**2 * 7 * 42407
"""Remainders keep every period that divides it; it is about 2³²."""
LENGTH = Look("length of ")
EXTRA_WORDS = ("low bits", f"remainder modulo {MODULUS}", "parity, denominator, exponent or time zone")
CHARACTERS, NUMBERS, WORDS = 256, 256, 16
"""Characters at the beginning of a text that are looked at, numbers in it, and items of a row, at most."""
KINDS = "float", "integer", "boolean", "other", "16-bit float", "32-bit float", "long float"
"""Kinds of numbers; "float" has 64 bits, as in Python."""
FLOATS: dict[type, str] = {
    np.float16: "16-bit float",
    np.float32: "32-bit float",
    np.longdouble: "long float",
}
NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)", re.ASCII)

SORTS = {"list": 0, "tuple": 1, "dict": 2, "set": 3, "ndarray": 4, "str": 5, "bytes": 6}
"""Numbers of the types of containers and texts that are met most."""
MICROSECOND = 10**12
UNITS = {unit: 1000**power for power, unit in enumerate(("as", "fs", "ps", "ns", "us", "ms", "s"))} | {
    unit: seconds * 10**18 for unit, seconds in {"m": 60, "h": 3600, "D": 86400, "W": 604800}.items()
}
"""Attoseconds of the units of NumPy's times."""
TIMES = {
    (np.timedelta64, datetime.timedelta): " in microseconds",
    (np.datetime64, datetime.datetime): " in microseconds since 1970",
    (datetime.time,): " in microseconds since midnight",
    (datetime.date,): " in days, 1 for 0001-01-01",
}
NUMBERS_OF_NUMPY = (float, numbers.Integral, np.bool_, np.floating)
"""Types of numbers that NumPy has, too."""


@dataclasses.dataclass(frozen=True, slots=True)
class Word:
    """A symbol that is none of the user's strings; `failed` where it stands for a call that failed."""

    name: str
    failed: bool = False

    def __repr__(self) -> str:
        return self.name


NAN = Word("NaN")
SYMBOL: Ints = np.array(-1)
"""The kind of what is no number."""


def text(value: Any) -> str:
    """A string or bytes, of NumPy as well, or an identifier as a string of Python."""
    if isinstance(value, (bytes, bytearray)):
        return value.decode("latin-1")
    return str.__str__(value) if isinstance(value, str) else str(value)  # whatever a subclass makes of it


def finite(values: Raw) -> Floats:
    """Floats, those beyond ±`LARGE` replaced by it."""
    with np.errstate(over="ignore"):
        found = np.asarray(values, dtype=np.float64)
    beyond = values.dtype.kind not in "biu" and (np.abs(found) > LARGE).any()
    return np.clip(found, -LARGE, LARGE) if beyond else found


def microseconds(times: Raw) -> tuple[Raw, Floats]:
    """Times since 1970, or durations, as integers, and what they exceed these by; those of more than 292,000
    years as that many, and months of durations as they are."""
    kind, (unit, step) = times.dtype.kind, np.datetime_data(times.dtype)
    if kind == "M" and unit in ("Y", "M"):
        times, (unit, step) = times.astype("M8[D]"), ("D", 1)
    counts = np.where(np.isnat(times), 0, times.astype(np.int64))
    factor = step * UNITS.get(unit, MICROSECOND)
    shared = math.gcd(factor, MICROSECOND)
    whole, rest = np.divmod(counts, MICROSECOND // shared)
    most = (2**63 - 1) * shared // factor
    return np.clip(whole, -most, most) * (factor // shared), rest * (factor / MICROSECOND)


def extras(flat: Raw, rest: Floats | None = None) -> Floats | None:
    """(n, w, 3): what a float cannot hold of the numbers (n, w), and the `rest` by which others exceed these;
    None where it holds everything."""
    kind, width, found = flat.dtype.kind, flat.dtype.itemsize, None
    if kind in "iu" and width == 8:
        large = (flat >= EXACT) | (flat <= -EXACT) if kind == "i" else flat >= EXACT
        if large.any():
            found = np.stack([flat & 0xFFFFFFFF, flat % MODULUS, flat & 1], axis=-1) * large[..., None]
    elif kind == "f" and width > 8:
        with np.errstate(over="ignore", invalid="ignore"):
            rest = np.nan_to_num((flat - flat.astype(np.float64)).astype(np.float64), posinf=0.0, neginf=0.0)
    found = None if found is None else found.astype(np.float64)
    if rest is not None and rest.any():
        found = np.zeros((*flat.shape, 3)) if found is None else found
        found[..., 0] += rest
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class Decoded:
    """Numbers and symbols (n, w) as arrays.

    values   the numbers, 0 for a symbol.
    kinds    which of `KINDS` each number is, −1 for a symbol; a single one where all are alike.
    exactly  (n, w, 3): what floats cannot hold of the numbers, see `EXTRA_WORDS`; None for nothing.
    which    the place of each symbol in `symbols`, −1 for a number; None where there are no symbols.
    unit     of times, in words.
    """

    values: Floats
    kinds: Ints
    exactly: Floats | None = None
    which: Ints | None = None
    symbols: Sequence[Any] = ()
    unit: str = ""


def decoded(flat: Raw) -> Decoded:
    """Numbers, texts or Python objects (n, w), none of which holds others."""
    if flat.dtype.kind != "O":
        return _decoded_array(flat)
    items = flat.ravel()
    places = {kind: place for place, kind in enumerate(dict.fromkeys(map(type, items)))}
    of = np.fromiter(map(places.__getitem__, map(type, items)), np.int64, len(items))
    values, kinds, exactly = np.zeros(len(items)), np.full(len(items), -1), np.zeros((len(items), 3))
    which, symbols, unit = np.full(len(items), -1), list[Any](), ""
    for place in places.values():
        rows = np.flatnonzero(of == place)
        part = _decoded_objects(items[rows].tolist())
        values[rows], kinds[rows], unit = part.values, part.kinds, unit or part.unit
        if part.exactly is not None:
            exactly[rows] = part.exactly
        if part.which is not None:
            which[rows] = np.where(part.which < 0, -1, part.which + len(symbols))
            symbols += part.symbols
    shape = flat.shape
    further = exactly.reshape(*shape, 3) if exactly.any() else None
    told = which.reshape(shape) if symbols else None
    return Decoded(values.reshape(shape), kinds.reshape(shape), further, told, symbols, unit)


def _decoded_array(flat: Raw) -> Decoded:
    if flat.dtype.kind in "US":
        words, which = np.unique(flat, return_inverse=True)
        which = which.reshape(flat.shape)
        return Decoded(np.zeros(flat.shape), SYMBOL, None, which, [text(word) for word in words.tolist()])
    one, times = flat.dtype.type(), flat.dtype.kind in "mM"
    whole, rest = microseconds(flat) if times else (flat, None)
    values, kinds, exactly = finite(whole), np.array(kind(one), dtype=np.int64), extras(whole, rest)
    if flat.dtype.kind not in "fmM" or not (bad := np.isnat(flat) if times else np.isnan(flat)).any():
        return Decoded(values, kinds, exactly, unit=unit(one))
    which, kinds = np.full(flat.shape, -1), np.full(flat.shape, kind(one))
    which[bad], kinds[bad] = 0, SYMBOL
    return Decoded(np.where(bad, 0.0, values), kinds, exactly, which, [NAN], unit(one))


def _decoded_objects(items: list[Any]) -> Decoded:
    """Python objects (n,) of one type."""
    first = items[0]
    if isinstance(first, NUMBERS_OF_NUMPY) and not isinstance(first, enum.Enum):
        with suppress(OverflowError):
            array = np.array(items)
            # Integers of which some need 64 bits and others a sign would become floats.
            if array.dtype.kind in "biuf" and kind(array.dtype.type()) == kind(first):
                return _decoded_array(array)
    numbered = [number(item) for item in items]
    if numbered[0] is None:
        told = items if type(first) is str else [symbol(item) for item in items]
        places = {item: place for place, item in enumerate(dict.fromkeys(told))}
        which = np.fromiter(map(places.__getitem__, told), np.int64, len(told))
        return Decoded(np.zeros(len(items)), SYMBOL, None, which, [*places])
    table = np.array(numbered, dtype=np.float64)
    bad = np.isnan(table[:, 0])
    table[bad] = 0.0
    kinds, which = np.where(bad, -1, kind(first)), np.where(bad, 0, -1)
    return Decoded(table[:, 0], kinds, table[:, 1:], which, [NAN] * int(bad.any()), unit(first))


def number(item: Any) -> tuple[float, float, float, float] | None:
    """A number as a float and its extras; None for what is no number."""
    if type(item) is str or isinstance(item, enum.Enum):
        return None
    if isinstance(item, (np.datetime64, np.timedelta64)):
        if np.isnat(item):
            return math.nan, 0.0, 0.0, 0.0
        (whole,), (rest,) = microseconds(np.array([item]))
        value, low, remainder, odd = _integer(int(whole))
        return value, low + float(rest), remainder, odd
    if isinstance(item, numbers.Integral):
        return _integer(int(item))
    if isinstance(item, (datetime.date, datetime.timedelta)) and item != item:
        return math.nan, 0.0, 0.0, 0.0  # what pandas has for a missing time
    if isinstance(item, datetime.time):
        item = datetime.datetime.combine(datetime.date(1970, 1, 1), item)
    if isinstance(item, datetime.datetime):
        origin, offset = datetime.datetime(1970, 1, 1, tzinfo=item.tzinfo), item.utcoffset()
        minutes = -LARGE if offset is None else offset / datetime.timedelta(minutes=1)
        return *_integer(round((item - origin) / datetime.timedelta(microseconds=1)))[:3], minutes
    if isinstance(item, datetime.date):
        return _integer(item.toordinal())
    if isinstance(item, datetime.timedelta):
        return _integer(round(item / datetime.timedelta(microseconds=1)))
    return _real(item) if isinstance(item, (numbers.Real, Decimal)) else None


def unit(item: Any) -> str:
    """What the number of a time counts; "" for other numbers."""
    return next((words for kinds, words in TIMES.items() if isinstance(item, kinds)), "")


def kind(item: Any) -> int:
    """Which of `KINDS` a number is: they are told apart where one place has several."""
    if isinstance(item, (bool, np.bool_)):
        return 2
    if isinstance(item, (float, np.floating)):
        return KINDS.index(FLOATS.get(type(item), "float"))
    return 1 if isinstance(item, numbers.Integral) else 3


def _clipped(value: float) -> float:
    """The number with ±`LARGE` for an infinite one; NaN, which compares false with everything, stays."""
    return min(max(value, -LARGE), LARGE)


def _integer(value: int) -> tuple[float, float, float, float]:
    if -EXACT < value < EXACT:
        return float(value), 0.0, 0.0, 0.0
    further = float(value & 0xFFFFFFFF), float(value % MODULUS), float(value & 1)
    if abs(value) < 2**990:
        return float(value), *further
    size = HUGE * (1.0 + min(value.bit_length() * 1e-7, 8.0))
    return (size if value > 0 else -size), *further


def _real(item: Any) -> tuple[float, float, float, float]:
    try:
        value = float(item)
    except OverflowError:
        value = LARGE if item > 0 else -LARGE
    except ValueError:
        value = math.nan  # a signalling NaN
    # What is seen of a number in writing, but not in its value: 1.5 or 1.50, thirds or halves.
    form = 0.0
    if isinstance(item, Decimal) and item.is_finite():
        form = float(item.as_tuple().exponent)
    elif isinstance(item, Fraction):
        form = float(min(item.denominator, EXACT))
    # Numbers that no float is near have no rest, which would take long to find.
    if not abs(value) < LARGE or (value == 0.0 and isinstance(item, Decimal)):
        return _clipped(value), 0.0, 0.0, form
    try:
        rest = float(Fraction(item) - Fraction(value))
    except (TypeError, ValueError, OverflowError):
        rest = float(cast(Any, item) - type(item)(value))
    return value, rest, 0.0, form


def symbol(item: Any) -> Any:
    """What stands for a string, None, pandas' NA or a member of an enumeration. Raises `Refused` else."""
    if type(item) is str or isinstance(item, Word) or item is None:
        return item
    if isinstance(item, enum.Enum):
        return Word(str(item))
    if isinstance(item, TEXTS):
        return text(item)
    if item is Ellipsis or item is NotImplemented or type(item).__name__ == "NAType":
        return Word(repr(item))
    means = ".toarray()" if hasattr(item, "toarray") else "list(…)" if isinstance(item, Iterable) else ""
    remedy = means and f"; return {means} of it"
    raise Refused(
        "must return numbers, strings, None, or lists, tuples, dictionaries, sets, dataclasses or arrays of "
        f"these, not objects of type {type(item).__name__}{remedy}"
    )


def sort(item: Any) -> str:
    """The name of the type of a container or a text; "" for numbers and symbols."""
    return "str" if isinstance(item, Word) else values.sort(item)


def held(item: Any, memo: dict[Any, tuple[str, ...]]) -> tuple[tuple[str, ...] | None, list[Any] | None]:
    """The names of the fields of a record, None for a list, and what the item holds, None for a leaf. `memo`
    keeps the names of dictionaries."""
    if type(item) is dict:
        keys = (*cast(dict[Any, Any], item),)
        if {*map(type, keys)} <= NAMES:
            # True and 1 are equal, but are written differently.
            known = keys, (*map(type, keys),)
            if known not in memo:
                memo[known] = tuple(f"[{values.text(key)}]" for key in keys)
            return memo[known], [*cast(dict[Any, Any], item).values()]
    found = None if isinstance(item, Word) else values.parts(item)
    return (None, None) if found is None else found


def row(part: Any) -> str:
    """A short row of plain items as Python writes it; "" for anything else."""
    items = [*part, *part.values()] if type(part) is dict else part if type(part) in (list, tuple) else ()
    few = 0 < len(items) <= WORDS and all(type(item) in PLAIN for item in items)
    return values.text(part) if few else ""


def objects(items: Sequence[Any]) -> Raw:
    """A one-dimensional array of Python objects, whatever they hold."""
    return np.fromiter(items, dtype=object, count=len(items))


@dataclasses.dataclass(frozen=True, slots=True)
class TextLook:
    """What is looked at of texts: which of some patterns, how long, numbers that are written in them, and
    their first characters; so many of each.

    >>> TextLook(("# dogs",), numbers=1, characters=0)(["12 dogs", "no dogs"]).tolist()
    [[1.0, 7.0, 12.0], [0.0, 7.0, 0.0]]
    """

    patterns: tuple[str, ...]
    numbers: int
    characters: int

    @property
    def looks(self) -> tuple[Look, ...]:
        """What each column is."""
        spelled = (Look(f"number {j} in the text of ") for j in range(1, self.numbers + 1))
        known = tuple(f"{n} {p}" for n, p in enumerate(["other", *map(repr, self.patterns)]))
        codes = (Look(f"code of character {j} of ") for j in range(self.characters))
        return Look("pattern of ", known), LENGTH, *spelled, *codes

    def __call__(self, words: Sequence[str]) -> Floats:
        """The columns (n, c); 0 for any other pattern, and behind the last number and character."""
        known = {pattern: 1.0 + place for place, pattern in enumerate(self.patterns)}
        table = np.zeros((len(words), len(self.looks)))
        for row, word in zip(table, words, strict=True):
            parts = NUMBER.split(word)
            found = [*map(float, parts[1 : 2 * self.numbers : 2])]
            row[: 2 + len(found)] = [known.get("#".join(parts[::2]), 0.0), len(word), *found]
        if self.characters:
            letters = np.array(words, dtype=f"U{self.characters}").view(np.uint32)
            table[:, 2 + self.numbers :] = letters.reshape(len(words), -1)
        return finite(table)


def text_look(texts: Collection[str], patterns: Iterable[str]) -> TextLook:
    """What is looked at of texts like these."""
    written = max((len(NUMBER.split(text)) // 2 for text in texts), default=0)
    length = max(map(len, texts), default=0)
    return TextLook((*patterns,), min(written, NUMBERS), min(length, CHARACTERS))


def pattern(word: str) -> str:
    """The string without the numbers that it spells."""
    return NUMBER.sub("#", word)
