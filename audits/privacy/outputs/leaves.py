"""Single values in outputs: what is a number, which is read as a double, and what is a symbol."""

from __future__ import annotations

import datetime
import enum
import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

import numpy as np

from audits import values
from audits.privacy.outputs.outputs import LARGE, Floats, Raw
from audits.values import MICROSECOND, TEXTS, Refused

EXACT = 2**53
"""Doubles hold smaller integers exactly."""
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


def number(item: Any) -> float | None:
    """A number as a double, ±`LARGE` where that is infinite; NaN for what is missing, None for no number."""
    if type(item) in FLOATS:
        return _clipped(item)
    if type(item) is str or isinstance(item, enum.Enum):
        return None
    if isinstance(item, (np.datetime64, np.timedelta64)):
        whole = item.astype("M8[us]" if isinstance(item, np.datetime64) else "m8[us]")
        return math.nan if np.isnat(item) else float(whole.astype(np.int64))
    if isinstance(item, (datetime.date, datetime.timedelta)) and item != item:
        return math.nan  # what pandas has for a missing time
    if isinstance(item, datetime.time):
        item = datetime.datetime.combine(datetime.date(1970, 1, 1), item)
    if isinstance(item, datetime.datetime):
        item = item - datetime.datetime(1970, 1, 1, tzinfo=item.tzinfo)
    if isinstance(item, datetime.timedelta):
        return float(round(item / MICROSECOND))
    if isinstance(item, datetime.date):
        return float(item.toordinal())
    if not isinstance(item, (numbers.Real, np.bool_, Decimal)):
        return None
    try:
        return _clipped(item)
    except OverflowError:
        return LARGE if cast(Any, item) > 0 else -LARGE
    except ValueError:
        return math.nan  # a signalling NaN


def is_symbol(item: Any) -> bool:
    """Whether a leaf is no number, or NaN."""
    found = number(item)
    return found is None or found != found


def _clipped(value: Any) -> float:
    """The number as a double, cut to ±`LARGE`; NaN stays NaN, as it compares false with every bound."""
    return min(max(float(value), -LARGE), LARGE)


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
