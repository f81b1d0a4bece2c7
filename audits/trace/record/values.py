"""Outputs and datasets as plain values, and where two of them differ."""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from audits.values import GENERATORS, Refused, key, leaf, text

from .noise import plain

CLOSE = 1e-6
"""The same for outputs of a replay whose sums were computed anew."""
SAME = 1e-9
"""Relative difference below which two computed numbers are the same."""
ROUNDING = 1e-12
"""Relative difference up to which numbers of two runs on equal data differ by rounding alone."""
WHOLE = 1e12
"""Whole numbers below this size differ by more than rounding, as a rounded sum of doubles has a fraction."""
DEEPEST = 5
"""Attributes of attributes that are looked at."""


class Unread(str):
    """Stands for a value that cannot be looked into; it is equal on both datasets, whatever it holds."""


class Written(str):
    """The text of what is no string."""


class Elements(Dict[str, bool]):
    """The elements of a set."""


def flat(value: Any, depth: int = 0) -> Any:
    """A value as numbers, strings, arrays, lists and dictionaries; objects by their public attributes."""
    value = plain(value)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return value
    if isinstance(value, np.ma.MaskedArray):
        parts: Any = value  # what lies under the mask is not released
        return {"'mask'": np.array(np.ma.getmaskarray(parts)), "'values'": flat(parts.filled(), depth + 1)}
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return [flat(item, depth + 1) for item in value.ravel()]
        if value.dtype.names:
            return {repr(name): flat(value[name], depth + 1) for name in value.dtype.names}
        return np.array(value)
    if isinstance(value, (Mapping, AbstractSet)):
        return _keyed(value, depth)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (Decimal, Fraction)):
        found = float(value)
        rest = float(Fraction(value) - Fraction(found)) if np.isfinite(found) else 0.0
        return {repr(type(value).__name__): found, "'rest'": rest}
    written = repr(value) if isinstance(value, range) else leaf(value)
    if written is not None:
        return Written(written)
    if isinstance(value, (Sequence, array, ValuesView)):
        items = [flat(item, depth + 1) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        columns = {text(name): flat(value[name].to_numpy(), depth + 1) for name in value.columns}
        return {"'columns'": columns, "'index'": flat(value.index.to_numpy(), depth + 1)}
    if hasattr(value, "to_numpy") and hasattr(value, "index"):
        content = flat(value.to_numpy(), depth + 1)
        return {"'values'": content, "'index'": flat(value.index.to_numpy(), depth + 1)}
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        return np.array(value.detach().cpu().numpy())
    if hasattr(value, "__array__"):
        try:
            return flat(np.asarray(value), depth + 1)
        except Exception:
            pass
    if isinstance(value, BaseException):
        return {repr(type(value).__name__): flat(value.args, depth + 1)}
    if callable(getattr(value, "state_dict", None)):
        return flat(value.state_dict(), depth + 1)  # PyTorch keeps parameters in private attributes
    known = _attributes(value)
    public = sorted(name for name in known if not (name.startswith("_") or callable(known[name])))
    if depth < DEEPEST and public:
        return {repr(name): flat(known[name], depth + 1) for name in public}
    if inspect.iscoroutine(value):
        value.close()  # Python warns of one that nobody waits for
    kind = type(value)
    # Types that are made by Python code keep nothing but attributes.
    plain_object = kind is object or hasattr(value, "__dict__") or hasattr(kind, "__slots__")
    empty = plain_object and not (known or callable(value) or hasattr(value, "__next__"))
    draws = isinstance(value, (*GENERATORS, np.random.SeedSequence))  # such objects hold no data
    return kind.__name__ if empty or draws else Unread(kind.__name__)


def _keyed(value: Any, depth: int) -> Any:
    """A dictionary or a set by the canonical texts of keys and elements."""
    try:
        names = [text(key) for key in value]
    except Refused:
        return Unread(type(value).__name__)
    if isinstance(value, AbstractSet):
        return Elements.fromkeys(sorted(names), True)
    return {name: flat(item, depth + 1) for name, item in zip(names, value.values())}


def _attributes(value: Any) -> Dict[str, Any]:
    """The attributes of an object, those in slots too."""
    slots = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    names = [name for some in slots for name in ([some] if isinstance(some, str) else some)]
    found = {name: getattr(value, name) for name in names if hasattr(value, name)}
    found.update(getattr(value, "__dict__", {}))
    return found


def _leaves(value: Any) -> Iterator[Any]:
    """What a flat value holds that holds nothing more."""
    if not isinstance(value, (dict, list, tuple)):
        yield value
        return
    for item in value.values() if isinstance(value, dict) else value:
        yield from _leaves(item)


def unread(value: Any) -> List[str]:
    """The types of what a flat value holds and cannot be looked into."""
    return [str(leaf) for leaf in _leaves(value) if isinstance(leaf, Unread)]


def unlike_places(one: Any, other: Any, tolerance: float, most: int = 1) -> List[Tuple[str, Any, Any]]:
    """`differences` of two outputs, of which the order of keys is a part, too."""
    return differences(one, other, tolerance, "", most, True)


def differences(
    a: Any, b: Any, tolerance: float, path: str = "", most: int = 1, order: bool = False
) -> List[Tuple[str, Any, Any]]:
    """Places at which two flat values differ by more than the relative tolerance, with both values.

    most    places of one array that are listed.
    order   whether the order of keys counts, and the kinds of numbers and lists, as it does for outputs.
    """
    if order and any(
        isinstance(a, kind) != isinstance(b, kind) for kind in (Elements, dict, list, tuple, np.ndarray)
    ):
        return [("the type of output%s" % path, type(a).__name__, type(b).__name__)]
    if isinstance(a, dict) and isinstance(b, dict):
        found = []
        for key in list(a) + [key for key in b if key not in a]:
            if key not in a or key not in b:
                found.append(("%s[%s]" % (path, key), a.get(key, "missing"), b.get(key, "missing")))
            else:
                found += differences(a[key], b[key], tolerance, "%s[%s]" % (path, key), most, order)
        if order and not found and list(a) != list(b):
            found.append(("the order of keys of output%s" % path, list(a), list(b)))
        return found
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return [("the length of output%s" % path, len(a), len(b))]
        found = []
        for place, (x, y) in enumerate(zip(a, b)):
            found += differences(x, y, tolerance, "%s[%d]" % (path, place), most, order)
        return found
    if isinstance(a, (str, bytes)) or isinstance(b, (str, bytes)) or a is None or b is None:
        return [] if type(a) is type(b) and a == b else [(path, a, b)]
    try:
        x, y = np.asarray(a), np.asarray(b)
    except Exception:
        return [(path, a, b)]
    if x.shape != y.shape:
        return [("the shape of output%s" % path, list(x.shape), list(y.shape))]
    if x.dtype.kind not in "fiubc" or y.dtype.kind not in "fiubc":
        same = x == y
        return [] if np.all(same) else [(path, a, b)]
    unlike = ~alike(x, y, tolerance)
    if order and _kind(x.dtype) != _kind(y.dtype):
        return [("the type of output%s" % path, type(a).__name__, type(b).__name__)]
    if not np.any(unlike):
        return []
    if x.ndim == 0:
        return [(path, a, b)]
    places = [tuple(int(i) for i in place) for place in np.argwhere(unlike)[:most]]
    return [("%s[%s]" % (path, ", ".join(map(str, place))), x[place], y[place]) for place in places]


def _kind(dtype: Any) -> str:
    """Integers of any size are alike, floats are not."""
    return str(dtype) if dtype.kind in "fc" else dtype.kind.replace("u", "i")


def alike(x: Any, y: Any, tolerance: float) -> Any:
    with np.errstate(all="ignore"):
        x, y = np.asarray(x), np.asarray(y)
        # The difference of two booleans, or of integers without a sign, is none.
        x, y = (part.astype(float) if part.dtype.kind in "bu" else part for part in (x, y))
        close = np.abs(x - y) <= tolerance * np.maximum(1.0, np.maximum(np.abs(x), np.abs(y)))
        # An infinity is as far from a number as the largest of both times any tolerance.
        close &= np.isfinite(x * 1.0) & np.isfinite(y * 1.0)
        if tolerance == 0.0:
            close = x == y
        return close | (x == y) | (np.isnan(x * 1.0) & np.isnan(y * 1.0))


def moved_half(first: Any, before: Any, after: Any) -> bool:
    """Whether `after` is at most half as far from `first` as `before` is, or is `first` but for rounding;
    False for what is no number. `first` is an output on D, the others are outputs on D′: before and after
    noise was moved.
    """
    try:
        goal, start, end = (complex(x) for x in (first, before, after))
    except (TypeError, ValueError):
        return False
    left, size = abs(end - goal), max(1.0, abs(end), abs(goal))
    whole = size < WHOLE and goal == np.round(goal) and end == np.round(end)
    return (left <= max(CLOSE, SAME * size) and not whole) or left <= 0.5 * abs(start - goal)


def covers(changed: str, path: str) -> bool:
    """Whether a change at one place of the output says something of another."""
    for words in ("the shape of output", "the length of output", "the order of keys of output"):
        changed, path = changed.replace(words, ""), path.replace(words, "")
    return path.startswith(changed) or changed.startswith(path)


def unlike_entries(one: Any, other: Any) -> int:
    """How many entries of two flat values differ; what cannot be compared counts much."""
    a: Any = one
    b: Any = other
    if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b):
        return sum(unlike_entries(a[key], b[key]) for key in a) + (list(a) != list(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        return sum(unlike_entries(x, y) for x, y in zip(a, b))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.shape == other.shape:
        if one.dtype.kind in "fiub" and other.dtype.kind in "fiub":
            return int(np.sum(~alike(one, other, CLOSE)))
    return (
        1000 * bool(differences(a, b, CLOSE))
        if isinstance(a, (dict, list, tuple, np.ndarray))
        else len(differences(a, b, CLOSE))
    )


def numbers(value: Any) -> Any:
    """All numbers of a flat value as one vector, texts left out; None where there is none."""
    numeric = (bool, int, float, np.number, np.ndarray)
    leaves = [np.asarray(leaf) for leaf in _leaves(value) if isinstance(leaf, numeric)]
    parts = [np.ravel(leaf).astype(float) for leaf in leaves if leaf.dtype.kind in "fiub"]
    return np.concatenate(parts) if parts else None


def _columns(data: Any) -> bool:
    """Whether a dataset is columns of one length."""
    columns = isinstance(data, tuple) and all(hasattr(part, "__len__") for part in data)
    return columns and len(set(map(len, data))) == 1


def count(data: Any) -> Optional[int]:
    """How many records a dataset has, None where it does not say."""
    if _columns(data):
        return len(data[0])
    return len(data) if hasattr(data, "__len__") else None


def changed(first: Any, second: Any) -> Optional[int]:
    """The place of the first record that differs."""
    try:
        a, b = ([key(record) for record in _records(data)] for data in (first, second))
    except Exception:
        return None
    unlike = (place for place, (x, y) in enumerate(zip(a, b)) if x != y)
    return next(unlike, min(len(a), len(b)) if len(a) != len(b) else None)


def _records(data: Any) -> Any:
    """The records of a dataset: rows of columns or of a table, or items."""
    if _columns(data):
        return zip(*map(_records, data))
    return data.itertuples(index=False) if hasattr(data, "itertuples") else data


def shown(value: Any) -> str:
    """A value in a sentence."""
    if isinstance(value, (float, np.floating)):
        return "%.6g" % value
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "…"
