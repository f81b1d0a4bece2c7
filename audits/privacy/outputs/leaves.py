"""Single values in outputs: what is a number, and what is a symbol.

A float holds integers up to 2⁵³ exactly. What it lacks of larger integers, of Decimals and of fractions is
kept beside it as a number of its own, the *rest*.
"""

from __future__ import annotations

import datetime
import enum
import math
import numbers
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from audits import values
from audits.privacy.outputs.outputs import LARGE, Floats, Raw
from audits.values import TEXTS, Refused

EXACT = 2**53
NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)", re.ASCII)
"""A number that is spelled in a text."""
MOST_SPELLED = 256
"""Numbers at the beginning of a text that are read, at most."""
MICROSECOND = datetime.timedelta(microseconds=1)
TIMES = {
    (np.timedelta64, datetime.timedelta): " in microseconds",
    (np.datetime64, datetime.datetime): " in microseconds since 1970",
    (datetime.time,): " in microseconds since midnight",
    (datetime.date,): " in days, 1 for 0001-01-01",
}
FLOATS = float, np.float64
"""Types of numbers of 64 bits, which are told apart by their values alone."""


@dataclass(frozen=True, slots=True)
class Word:
    """A symbol that is none of the user's strings; `failed` where it stands for a call that failed."""

    name: str
    failed: bool = False

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Kind:
    """What an output or a leaf is made of, as a symbol."""

    name: str

    def __repr__(self) -> str:
        return self.name


NAN = Word("NaN")


def number(item: Any) -> tuple[float, float] | None:
    """A number as a float, and what the float lacks of it; NaN for what is missing, None for no number."""
    if type(item) in FLOATS:
        return _clipped(item), 0.0
    if type(item) is str or isinstance(item, enum.Enum):
        return None
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return (math.nan, 0.0) if np.isnat(item) else _numpy_time(item)
    if isinstance(item, (numbers.Integral, np.bool_)):
        return _integer(int(item))
    if isinstance(item, (datetime.date, datetime.timedelta)) and item != item:
        return math.nan, 0.0  # what pandas has for a missing time
    if isinstance(item, datetime.time):
        item = datetime.datetime.combine(datetime.date(1970, 1, 1), item)
    if isinstance(item, datetime.datetime):
        item = item - datetime.datetime(1970, 1, 1, tzinfo=item.tzinfo)
    if isinstance(item, datetime.timedelta):
        return _integer(round(item / MICROSECOND))
    if isinstance(item, datetime.date):
        return _integer(item.toordinal())
    return _real(item) if isinstance(item, (numbers.Real, Decimal)) else None


def _clipped(value: float) -> float:
    """The number with ±`LARGE` for an infinite one; NaN, which compares false with everything, stays."""
    return min(max(float(value), -LARGE), LARGE)


def _integer(value: int) -> tuple[float, float]:
    if -EXACT < value < EXACT:
        return float(value), 0.0
    if value.bit_length() < 990:
        return float(value), float(value - int(float(value)))
    # No float is near: the size in bits and the lowest bits tell such integers apart.
    size = LARGE * (0.1 + min(value.bit_length() * 1e-7, 0.8))
    return (size if value > 0 else -size), float(value & 0xFFFFFFFF)


def _numpy_time(item: Any) -> tuple[float, float]:
    whole = item.astype("M8[us]" if isinstance(item, np.datetime64) else "m8[us]")
    unit = np.datetime_data(item.dtype)[0]
    finer = (item - whole).astype(np.int64) if unit in ("ns", "ps", "fs", "as") else 0
    return float(whole.astype(np.int64)), float(finer)


def _real(item: Any) -> tuple[float, float]:
    try:
        value = float(item)
    except OverflowError:
        value = LARGE if item > 0 else -LARGE
    except ValueError:
        value = math.nan  # a signalling NaN
    # Numbers that no float is near have no rest, which would take long to find.
    if not abs(value) < LARGE or (value == 0.0 and isinstance(item, Decimal)):
        return _clipped(value), 0.0
    try:
        return value, float(Fraction(item) - Fraction(value))
    except (TypeError, ValueError, OverflowError):
        return value, float(item - type(item)(value))


def kind(item: Any) -> str:
    """The kind of a number, what its canonical text tells beside its value: float, int, Decimal of exponent
    -2, datetime at 1:00:00, …"""
    if type(item) in FLOATS:
        return "float"
    if isinstance(item, (bool, np.bool_)):
        return "bool"
    if isinstance(item, numbers.Integral):
        return "int"
    if isinstance(item, Decimal):
        return f"Decimal of exponent {item.as_tuple().exponent}"
    if isinstance(item, np.generic):
        return str(item.dtype)
    zone = item.utcoffset() if isinstance(item, (datetime.datetime, datetime.time)) else None
    return type(item).__name__ if zone is None else f"{type(item).__name__} at {zone}"


def unit(item: Any) -> str:
    """What the number of a time counts; "" for other numbers."""
    return next((words for kinds, words in TIMES.items() if isinstance(item, kinds)), "")


def symbol(item: Any) -> Any:
    """What stands for a string, None, pandas' NA or a member of an enumeration. Raises `Refused` else."""
    if type(item) is str or isinstance(item, Word):
        return item
    if isinstance(item, TEXTS):
        return Word(values.text(item)) if not isinstance(item, str) else str.__str__(item)
    known = item is None or item is Ellipsis or item is NotImplemented or isinstance(item, enum.Enum)
    if known or type(item).__name__ == "NAType":
        return Word(values.text(item))
    remedy = "; return list(…) of it" if isinstance(item, Iterable) else ""
    raise Refused(
        "must return numbers, strings, None, or lists, tuples, dictionaries, sets, dataclasses or arrays of "
        f"these, not objects of type {type(item).__name__}{remedy}"
    )


def finite(numbers_of: Raw) -> Floats:
    """Floats, those beyond ±`LARGE` replaced by it."""
    with np.errstate(over="ignore"):
        found = np.asarray(numbers_of, dtype=np.float64)
    beyond = numbers_of.dtype.kind == "f" and (np.abs(found) > LARGE).any()
    return np.clip(found, -LARGE, LARGE) if beyond else found


def objects(items: Sequence[Any]) -> Raw:
    """A one-dimensional array of Python objects, whatever they hold."""
    return np.fromiter(items, dtype=object, count=len(items))


def pattern(text: str) -> str:
    """The text without the numbers that it spells, each of them replaced by #."""
    return NUMBER.sub("#", text)


def spelled(texts: Sequence[str], most: int) -> Floats:
    """The first `most` numbers that each text spells, (n, most); 0 behind the last of them.

    >>> spelled(["12 dogs", "no dogs", "3 and -0.5"], 2).tolist()
    [[12.0, 0.0], [0.0, 0.0], [3.0, -0.5]]
    """
    found = np.zeros((len(texts), most))
    if most == 0:
        return found
    for place, text in enumerate(texts):
        for j, digits in enumerate(NUMBER.findall(text)[:most]):
            found[place, j] = float(digits)
    return np.clip(found, -LARGE, LARGE)
