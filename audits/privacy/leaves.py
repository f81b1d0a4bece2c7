"""Single values and containers in outputs: what is a number, a symbol, or to be taken apart.

A float holds integers up to 2⁵³ exactly. Larger integers also have their low 32 bits and a remainder as
columns, so that two integers of any size are told apart.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import itertools
import math
import numbers
import re
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np

from audits.privacy.describe import LENGTH, Look
from audits.privacy.outputs import LARGE, Floats, Raw

HUGE = 1e299
"""Integers that no float holds lie from here on, by their number of bits."""
EXACT = 2**53
MOST_WRITTEN = 10_000
"""Bits of the integers that Python writes in decimals without complaint."""
MOST_ITEMS = 20_000
MODULUS = 2**6 * 3**2 * 5**2 * 7 * 42407
"""Remainders keep every period that divides it; it is about 2³²."""
EXTRA_WORDS = ("low bits", f"remainder modulo {MODULUS}", "parity, denominator, exponent or time zone")
CHARACTERS, LAST, NUMBERS = 256, 4, 256
"""Characters at the beginning and at the end of a text that are looked at, and numbers in it, at most."""
KINDS = "float", "integer", "boolean", "other"
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d{1,3})?", re.ASCII)


SORTS = {"list": 0, "tuple": 1, "dict": 2, "set": 3, "ndarray": 4, "str": 5, "bytes": 6}
"""Numbers of the types of containers and texts that are met most."""
PARTS = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
"""Parts of a microsecond."""
UNITS = {"ms": 10**3, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "D": 86400 * 10**6, "W": 604800 * 10**6}
"""Microseconds of longer units."""
TEXTS = (str, bytes, bytearray, uuid.UUID)
MOST_FIELDS = 16
"""Items of a row that is looked at as a whole, at most."""
PLAIN = frozenset((float, int, bool, str, bytes, type(None)))
"""Types of which a glance says that they hold nothing."""


class Refused(ValueError):
    """An output that cannot be looked into; the words follow "mechanism"."""


@dataclasses.dataclass(frozen=True, slots=True)
class Word:
    """A symbol that is none of the user's strings."""

    name: str

    def __repr__(self) -> str:
        return self.name


NAN = Word("NaN")


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
    if unit in PARTS:
        # A unit below a microsecond: so many make one.
        whole, rest = np.divmod(counts, PARTS[unit] // math.gcd(PARTS[unit], step))
        return whole * (step // math.gcd(PARTS[unit], step)), rest / (PARTS[unit] / step)
    factor = step * UNITS.get(unit, 1)
    most = (2**63 - 1) // factor
    return np.clip(counts, -most, most) * factor, np.zeros(counts.shape)


def extras(flat: Raw, rest: Floats | None = None) -> Floats | None:
    """(n, 3·w): what a float cannot hold of the numbers (n, w), and the `rest` by which others exceed these;
    None where it holds everything."""
    kind, width = flat.dtype.kind, flat.dtype.itemsize
    if rest is not None and rest.any():
        found = (
            np.zeros((*flat.shape, 3)) if (found := extras(flat)) is None else found.reshape(*flat.shape, 3)
        )
        found[:, :, 0] += rest
        return found.reshape(len(flat), -1)
    if kind in "iu" and width == 8:
        large = (flat >= EXACT) | (flat <= -EXACT) if kind == "i" else flat >= EXACT
        if not large.any():
            return None
        found = np.stack([flat & 0xFFFFFFFF, flat % MODULUS, flat & 1], axis=2).astype(np.float64)
        return (found * large[:, :, None]).reshape(len(flat), -1)
    if kind == "f" and width > 8:
        with np.errstate(over="ignore", invalid="ignore"):
            rest = (flat - flat.astype(np.float64).astype(flat.dtype)).astype(np.float64)
        rest = np.where(np.isfinite(rest), rest, 0.0)
        zeros = np.zeros_like(rest)
        return np.stack([rest, zeros, zeros], axis=2).reshape(len(flat), -1) if rest.any() else None
    return None


def number(item: Any) -> tuple[float, float, float, float] | None:
    """A number as a float and its extras; None for what is no number."""
    if type(item) is str or isinstance(item, enum.Enum):
        return None
    if isinstance(item, (bool, float, np.bool_)) or (isinstance(item, np.floating) and item.itemsize <= 8):
        return _clipped(float(item)), 0.0, 0.0, 0.0
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
    if isinstance(item, (np.timedelta64, datetime.timedelta)):
        return " in microseconds"
    if isinstance(item, (np.datetime64, datetime.datetime)):
        return " in microseconds since 1970"
    if isinstance(item, datetime.time):
        return " in microseconds since midnight"
    return " in days, 1 for 0001-01-01" if isinstance(item, datetime.date) else ""


def kind(item: Any) -> int:
    """Which of `KINDS` a number is: they are told apart where one place has several."""
    if isinstance(item, (bool, np.bool_)):
        return 2
    if isinstance(item, (float, np.floating)):
        return 0
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
    """What stands for a string, None or a member of an enumeration. Raises `Refused` for anything else."""
    if type(item) is str or isinstance(item, Word) or item is None:
        return item
    if isinstance(item, enum.Enum):
        return Word(str(item))
    if isinstance(item, TEXTS):
        return text(item)
    if item is Ellipsis or item is NotImplemented:
        return Word(repr(item))
    remedy = "; return list(…) of it" if isinstance(item, Iterable) else ""
    raise Refused(
        "must return numbers, strings, None, or lists, tuples, dictionaries, sets, dataclasses or arrays of "
        f"these, not objects of type {type(item).__name__}{remedy}"
    )


def sort(item: Any) -> str:
    """The name of the type of a container or a text; "" for numbers and symbols."""
    if isinstance(item, Word):
        return "str"
    if isinstance(item, TEXTS):
        return "str" if isinstance(item, str) else "bytes" if isinstance(item, bytes) else type(item).__name__
    if labelled(type(item)):
        # What is told beside the values: names, types and categories.
        whole = hasattr(item, "columns")
        types = [*(item.dtypes.tolist() if whole else [item.dtype]), getattr(item.index, "dtype", "")]
        # A type does not write out its categories where they are many.
        told = [(str(dtype), [*getattr(dtype, "categories", ())]) for dtype in types]
        names = [*(item.columns.names if whole else [item.name]), *item.index.names, item.attrs]
        return f"{type(item).__name__} of {told!r} {names!r}"
    return "" if container(item) is None else type(item).__name__


def labelled(kind: type) -> bool:
    """Whether such objects are Series or DataFrames."""
    return hasattr(kind, "to_dict") and hasattr(kind, "iloc")


def parts_of_complex(item: Any) -> dict[str, Any]:
    """The real and the imaginary part of a complex number, or of an array of them."""
    return {".real": item.real, ".imag": item.imag}


def container(item: Any) -> list[Any] | Mapping[str, Any] | None:
    """The items of a list, or the fields of a record with their names; None for what holds nothing."""
    # The types that are met most come first: to ask for an abstract class takes ten times as long.
    if type(item) in PLAIN:
        return None
    if type(item) is list or type(item) is tuple:
        return list(item)
    if type(item) is dict:
        return {f"[{canonical(key)}]": part for key, part in cast(Mapping[Any, Any], item).items()}
    if isinstance(item, (complex, np.complexfloating)) or (
        isinstance(item, np.ndarray) and cast(Raw, item).dtype.kind == "c"
    ):
        return parts_of_complex(item)
    if isinstance(item, np.void) and item.dtype.names:
        return {f".{name}": item[name] for name in item.dtype.names}
    if item is None or isinstance(item, (*TEXTS, float, int, np.generic, enum.Enum, Word)):
        return None
    if isinstance(item, np.ma.MaskedArray):
        return cast(Any, item).ravel().tolist()  # with None for what is masked
    if isinstance(item, np.ndarray):
        array = cast(Raw, item)
        if array.ndim == 0:
            return [array.item()]
        return list(array if array.dtype.names is not None else array.ravel())
    if isinstance(item, tuple) and hasattr(item, "_fields"):
        return {f".{name}": part for name, part in zip(item._fields, item, strict=True)}  # type: ignore[attr-defined]
    if isinstance(item, Sequence):
        if not isinstance(item, (list, tuple)) and len(cast(Sequence[Any], item)) > MOST_ITEMS:
            raise Refused(
                f"must return sequences of at most {MOST_ITEMS:,} items; give a score that sums them up"
            )
        return list(cast(Sequence[Any], item))
    if isinstance(item, Mapping):
        return {f"[{canonical(key)}]": part for key, part in cast(Mapping[Any, Any], item).items()}
    if isinstance(item, AbstractSet):
        # The order in which a set gives its elements may change from process to process.
        return dict.fromkeys(sorted(element(part) for part in cast(AbstractSet[Any], item)), 1)
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return {f".{field.name}": getattr(item, field.name) for field in dataclasses.fields(item)}
    if labelled(type(item)):
        return _by_label(item)
    if hasattr(item, "__array__") and not isinstance(item, numbers.Number):
        array = np.asarray(item)
        return None if array.dtype.kind == "O" and array.ndim == 0 else list(array.ravel())
    return None


def _by_label(item: Any) -> Mapping[str, Any]:
    """The parts of a Series or a DataFrame by label, equal labels by how often they came before."""
    if not hasattr(item, "columns"):
        return {f"[{key!r}]": part for key, part in _distinct(item.index, item.tolist()).items()}
    columns = [_distinct(item.index, item.iloc[:, j].tolist()) for j in range(item.shape[1])]
    found = {f"[{key!r}]": part for key, part in _distinct(item.columns, columns).items()}
    return found if found else {" (rows)": len(item)}


def _distinct(labels: Iterable[Any], parts: Iterable[Any]) -> dict[Any, Any]:
    seen, found = Counter[Any](), dict[Any, Any]()
    for label, part in zip(labels, parts, strict=True):
        found[Word(f"{label!r} ({seen[label] + 1})") if label in seen else label] = part
        seen[label] += 1
    return found


def element(part: Any) -> str:
    """The name of an element of a set."""
    return f" ∋ {canonical(part)}"


def canonical(part: Any) -> str:
    """The part as Python writes it, the elements of a set in order, and integers of any size."""
    if type(part) is str:
        return repr(part)
    if isinstance(part, AbstractSet):
        return f"{{{', '.join(sorted(canonical(inner) for inner in cast(AbstractSet[Any], part)))}}}"
    if type(part) in (list, tuple):
        return f"({', '.join(canonical(inner) for inner in cast(Sequence[Any], part))})"
    if type(part) is int and part.bit_length() > MOST_WRITTEN:
        return hex(part)
    try:
        return repr(part)
    except Exception as error:
        raised = type(error).__name__
        raise Refused(f"must return keys and elements that repr() can write, which raises {raised}") from None


def row(part: Any) -> str:
    """A short row of plain items as Python writes it; "" for anything else."""
    items = [*part, *part.values()] if type(part) is dict else part if type(part) in (list, tuple) else ()
    few = 0 < len(items) <= MOST_FIELDS and all(type(item) in PLAIN for item in items)
    return canonical(part) if few else ""


def objects(items: Sequence[Any]) -> Raw:
    """A one-dimensional array of Python objects, whatever they hold."""
    return np.fromiter(items, dtype=object, count=len(items))


def extent(texts: Collection[str]) -> tuple[int, int]:
    """How many numbers and characters of texts like these are looked at."""
    written = max((sum(1 for _ in NUMBER.finditer(text)) for text in texts), default=0)
    return min(written, NUMBERS), min(max(map(len, texts), default=0), CHARACTERS)


def structure_looks(written: int, characters: int) -> tuple[Look, ...]:
    """What is looked at of texts of this `extent`."""
    code = "code of the character {} before the last of ", "code of character {} of "
    return (
        Look("pattern of "),
        LENGTH,
        *(Look(f"number {j} in the text of ") for j in range(1, written + 1)),
        Look("code of the last character of ", characters=True),
        *(Look(code[0].format(j), characters=True) for j in range(1, LAST)),
        *(Look(code[1].format(j), characters=True) for j in range(characters)),
    )


def structures(words: Sequence[str], known: Mapping[str, float], written: int, characters: int) -> Floats:
    """What `structure_looks` names, (n, columns); `known` are the numbers of patterns, 0 for any other."""
    patterns = [[known.get(pattern(word), 0.0), len(word)] for word in words]
    spelled = np.zeros((len(words), written))
    for row, word in zip(spelled, words, strict=True) if written else ():
        found = [_clipped(float(one[0])) for one in itertools.islice(NUMBER.finditer(word), written)]
        row[: len(found)] = found
    ends, starts = [word[: -LAST - 1 : -1] for word in words], [word[:characters] for word in words]
    shown = _letters(ends, LAST), _letters(starts, characters)
    return np.hstack([np.array(patterns, dtype=np.float64).reshape(-1, 2), spelled, *shown])


def _letters(words: Sequence[str], width: int) -> Floats:
    """The numbers of characters (n, width); shorter strings are filled up with characters of number 0."""
    if width == 0:
        return np.zeros((len(words), 0))
    return np.array(words, dtype=f"U{width}").view(np.uint32).reshape(-1, width).astype(np.float64)


def pattern(word: str) -> str:
    """The string without the numbers that it spells."""
    return NUMBER.sub("#", word)
