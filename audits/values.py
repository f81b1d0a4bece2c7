"""The one walk over Python values: what a value holds, which values are equal, and their copies.

    parts    what a value holds, with the names of its fields; None for a leaf: a number, a text, a time, None
    text     the canonical text. Two outputs are equal where their texts are: kinds of numbers (1, True, 1.0),
             of containers ([1], (1,)) and of keys ({1: x}, {"1": x}) are told apart, as is the order of keys.
             NaN equals NaN, np.float64(1) equals 1.0, and sets have no order.
    key      a hashable stand-in. Two records are equal where their keys are: as in Python, 1 == True == 1.0;
             NaN equals NaN, arrays have values, and dictionaries have no order.
    digest   a fingerprint of a dataset, with all that its objects hold: equal texts, equal digests
    copier   how to copy a dataset, but not the generators of random numbers in it
    encode, decode   a value as a tree of JSON and blocks of bytes, and back
    plain    a value for a JSON file that people and other programs read

Whoever compares outputs uses `text` of leaves and keys, and `parts` to reach them; numbers that are compared
with a tolerance are first compared by kind. This file imports NumPy alone and is written for Python 3.6 and
later: `audits.bridge_worker` loads it by its path, under the name `audits.values`, in the Python of another
release.
"""

import collections
import contextlib
import copy
import datetime
import decimal
import enum
import fractions
import functools
import hashlib
import importlib
import io
import itertools
import math
import numbers
import pickle
import random
import uuid
from collections import abc
from pathlib import PurePath
from typing import Any, Callable, Dict, Generator, Hashable, Iterable, List, Optional, Sequence, Tuple

import numpy as np

MOST_ITEMS = 20000
"""Items of a sequence that is neither a list nor a tuple, at most."""
MOST_NESTED = 100
"""Containers in containers, at most; what contains itself is nested without end."""
NESTED = "must return outputs nested at most %d deep" % MOST_NESTED
MOST_WRITTEN = 10000
"""Bits of the integers that Python writes in decimals without complaint."""
PLAIN = frozenset((float, int, bool, str, bytes, type(None)))
"""Types of which a glance says that they hold nothing; repr() writes their canonical texts."""
NAMES = PLAIN - {float}
"""Those whose equal values are written alike, which 0.0 and -0.0 are not."""
TEXTS = (str, bytes, bytearray, uuid.UUID)
MICROSECOND = datetime.timedelta(microseconds=1)
TIMES = (datetime.date, datetime.time, datetime.timedelta)
GENERATORS = (np.random.BitGenerator, np.random.Generator, np.random.RandomState, random.Random)
NUMERIC = "biufcmMSU"
"""Kinds of arrays of which the bytes say all."""


class Refused(ValueError):
    """A value that cannot be looked into; the words follow "mechanism"."""


@contextlib.contextmanager
def foreign() -> Generator[None, None, None]:
    """Around everything that looks into values of other people: whatever their methods raise is `Refused`.

    An object may raise in any of its methods, and may name another class as its own.

    >>> with foreign():
    ...     float([])
    Traceback (most recent call last):
    audits.values.Refused: must return values that can be read, which raises TypeError(float() argument \
must be a string or a real number, not 'list')
    """
    try:
        yield
    except (Refused, MemoryError):
        raise
    except RecursionError:
        raise Refused(NESTED) from None
    except Exception as error:
        said = "must return values that can be read, which raises %s(%s)" % (
            type(error).__name__,
            told(error),
        )
        raise Refused(said) from error


def told(error: BaseException) -> str:
    """The words of an exception, on a line of 200 characters at most, without what a terminal obeys."""
    try:
        said = " ".join(str(error).split())[:200]
    except Exception:
        return ""
    return "".join(c if c.isprintable() else "\ufffd" for c in said)


def brief(value: Any) -> str:
    """The representation on one line, cut to 80 characters; of an object that has none its type."""
    try:
        said = " ".join(repr(value).split())
    except Exception as error:
        return "an object of type %s, whose repr() raises %s" % (type(value).__name__, type(error).__name__)
    return said if len(said) <= 80 else said[:79] + "\u2026"


# --- What a value holds -----------------------------------------------------------------------------------


def parts(value: Any) -> Optional[Tuple[Optional[Tuple[str, ...]], List[Any]]]:
    """(names, items) of what a value holds: the names of fields, None for a list; None for a leaf.

    >>> parts({1: 0.5, "1": 2}), parts([3, None]), parts("text"), parts({2, 1})
    ((('[1]', "['1']"), [0.5, 2]), (None, [3, None]), None, ((' ∋ 1', ' ∋ 2'), [1, 1]))
    """
    # The types that are met most come first: to ask for an abstract class takes ten times as long.
    if type(value) in PLAIN:
        return None
    if type(value) is list or type(value) is tuple:
        return None, list(value)
    if isinstance(value, (complex, np.complexfloating)) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "c"
    ):
        return (".real", ".imag"), [value.real, value.imag]
    if isinstance(value, np.void) and value.dtype.names:
        return tuple(".%s" % name for name in value.dtype.names), [value[name] for name in value.dtype.names]
    if isinstance(value, TEXTS + (float, int, np.generic, enum.Enum)):
        return None
    if isinstance(value, np.ma.MaskedArray):
        return None, value.ravel().tolist()  # with None for what is masked
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return None, [value.item()]
        # A matrix keeps its two dimensions in ravel(), and in its rows.
        return None, list(value if value.dtype.names is not None else np.asarray(value).ravel())
    fields: Any = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return tuple(".%s" % name for name in fields), list(value)
    if isinstance(value, abc.Sequence):
        if not isinstance(value, (list, tuple)) and len(value) > MOST_ITEMS:
            words = "must return sequences of at most {:,} items; give a score that sums them up"
            raise Refused(words.format(MOST_ITEMS))
        return None, list(itertools.islice(value, len(value)))  # its items may have no end
    if isinstance(value, abc.Mapping):
        return tuple("[%s]" % text(key) for key in value), list(value.values())
    if isinstance(value, abc.Set):
        # The order in which a set gives its elements may change from process to process.
        return tuple(sorted(map(element, value))), [1] * len(value)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        names = list(value.__dataclass_fields__)
        return tuple(".%s" % name for name in names), [getattr(value, name) for name in names]
    if labelled(type(value)):
        return _by_label(value)
    if hasattr(value, "tocoo"):
        entries = value.tocoo(copy=True)
        entries.sum_duplicates()
        return tuple(map("[{}, {}]".format, entries.row, entries.col)), entries.data.tolist()
    if hasattr(value, "__array__") and not isinstance(value, numbers.Number):
        found = array(value)
        return None if found.dtype.kind == "O" and found.ndim == 0 else (None, list(found.ravel()))
    return None


def element(item: Any) -> str:
    """The name of an element of a set."""
    return " ∋ %s" % text(item)


def labelled(kind: type) -> bool:
    """Whether such objects are Series or DataFrames."""
    return hasattr(kind, "to_dict") and hasattr(kind, "iloc")


def array(value: Any) -> Any:
    """The array of a value that has one, a tensor of PyTorch included."""
    return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)


def _by_label(value: Any) -> Tuple[Tuple[str, ...], List[Any]]:
    """The parts of a Series or a DataFrame by label, equal labels by how often they came before."""
    rows = _distinct(value.index)
    if not hasattr(value, "columns"):
        return rows, value.tolist()
    columns = _distinct(value.columns)
    if not rows or not columns:
        return tuple(name + " (rows)" for name in columns or ("",)), [len(rows)] * max(len(columns), 1)
    # All cells at once: an object for each column would take a hundred times as long.
    return tuple(c + row for c in columns for row in rows), value.to_numpy(dtype=object).T.ravel().tolist()


def _distinct(labels: Iterable[Any]) -> Tuple[str, ...]:
    seen: Dict[str, int] = collections.Counter()
    found: List[str] = []
    for label in map(text, labels):
        seen[label] += 1
        found.append("[%s]" % label if seen[label] == 1 else "[%s (%d)]" % (label, seen[label]))
    return tuple(found)


def sort(value: Any) -> str:
    """The name of the type of a container or a text; "" for numbers and symbols.

    >>> sort((1, 2)), sort("a"), sort(np.str_("a")), sort(0.5)
    ('tuple', 'str', 'str', '')
    """
    if isinstance(value, TEXTS):
        return (
            "str" if isinstance(value, str) else "bytes" if isinstance(value, bytes) else type(value).__name__
        )
    if labelled(type(value)):
        # What is told beside the values: names, types and categories.
        whole = hasattr(value, "columns")
        types = [*(value.dtypes.tolist() if whole else [value.dtype]), getattr(value.index, "dtype", "")]
        # A type does not write out its categories where they are many.
        told = [(str(dtype), [*getattr(dtype, "categories", ())]) for dtype in types]
        names = [*(value.columns.names if whole else [value.name]), *value.index.names, value.attrs]
        return "%s of %r %r" % (type(value).__name__, told, names)
    if hasattr(value, "tocoo"):
        return "%s of shape %s of %s" % (type(value).__name__, value.shape, value.dtype)
    return "" if parts(value) is None else type(value).__name__


# --- Equality: canonical texts and keys -------------------------------------------------------------------


def text(value: Any, depth: int = 0) -> str:
    """The canonical text of a value: equal for equal outputs, in this process and in others.

    Raises `Refused` where there is none: for an object that repr() writes by its address, and too deep.

    >>> text({1: 0.5, "1": (True, None)}), text({"b", "a"}), text(np.float64(1)), text(np.float32(0.1))
    ("{1: 0.5, '1': (True, None)}", "{'a', 'b'}", '1.0', 'float32(0.1)')
    """
    if _is_plain(value):
        try:
            return repr(value)
        except ValueError:  # an integer of more digits than Python writes
            if type(value) is int:
                return hex(value)
    found = leaf(value)
    if found is not None:
        return found
    if depth > MOST_NESTED:
        raise Refused(NESTED)
    if isinstance(value, np.ndarray) and value.dtype.kind in NUMERIC and type(value) is np.ndarray:
        kind = value.dtype.kind.replace("u", "i")
        kind = kind if kind in "biSU" else str(value.dtype)
        return "array(%s, %s, %s)" % (value.shape, kind, [text(item) for item in value.ravel().tolist()])
    held = parts(value)
    if held is None:
        return _represented(value)
    inner: Callable[[Any], str] = functools.partial(text, depth=depth + 1)
    if isinstance(value, abc.Set):
        words, brackets = ", ".join(sorted(map(inner, value))) or "∅", "{}"
    elif isinstance(value, abc.Mapping):
        words = ", ".join("%s: %s" % (inner(key), inner(item)) for key, item in value.items())
        brackets = "{}"
    elif held[0] is not None:
        words, brackets = ", ".join("%s=%s" % (n[1:], inner(i)) for n, i in zip(held[0], held[1])), "()"
    else:
        words, brackets = ", ".join(map(inner, held[1])), "()" if type(value) is tuple else "[]"
        words += "," * (brackets == "()" and len(held[1]) == 1)
        if isinstance(value, np.ndarray):
            words = "%s, [%s]" % (value.shape, words)
    name = "" if type(value) in (list, tuple, dict, set) else sort(value)
    return "%s%s%s%s" % (name, brackets[0], words, brackets[1])


def _is_plain(value: Any) -> bool:
    """Whether repr() writes the canonical text."""
    kind = type(value)
    return kind in PLAIN or (kind in (list, tuple) and all(map(_is_plain, value)))


def leaf(value: Any) -> Optional[str]:
    """The text of a number, a text, a time, a member of an enumeration, None, or a type; None for others."""
    kind = type(value).__name__
    if isinstance(value, enum.Enum):
        return "%s.%s" % (type(value).__qualname__, value._name_ or value._value_)
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, numbers.Integral) and not isinstance(value, np.timedelta64):
        whole = int(value)
        return hex(whole) if whole.bit_length() > MOST_WRITTEN else str(whole)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, str):
        return repr(str.__str__(value))
    if (isinstance(value, decimal.Decimal) and value.is_nan()) or (
        isinstance(value, np.floating) and value != value
    ):
        return "nan"
    if isinstance(value, (decimal.Decimal, fractions.Fraction)) or type(value) is type(Ellipsis):
        return repr(value)
    if value is None or value is NotImplemented or kind in ("NAType", "NaTType"):
        return str(value)
    if isinstance(value, bytes):
        return repr(bytes(value))
    if isinstance(value, type):
        return "type %s.%s" % (value.__module__, value.__qualname__)
    written = TIMES + (bytearray, uuid.UUID, PurePath, np.floating, np.datetime64, np.timedelta64)
    return "%s(%s)" % (kind, value) if isinstance(value, written) else None


def _represented(value: Any) -> str:
    """What repr() has for an object, but for its address."""
    try:
        found = repr(value)
    except Exception as error:
        raised = type(error).__name__
        words = "must return keys and elements that repr() can write, which raises %s" % raised
        raise Refused(words) from None
    if hex(id(value)) in found:
        words = "must return keys and elements that repr() can write, got %s" % type(value).__name__
        raise Refused(words)
    return "%s(%s)" % (type(value).__name__, found)


def key(value: Any) -> Hashable:
    """A record as something that can be compared and counted, by value.

    >>> key(1) == key(True) == key(1.0), key(float("nan")) == key(np.nan), key((1,)) == key([1])
    (True, True, False)
    """
    if hasattr(value, "detach"):
        value = array(value)[()]
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    unequal = isinstance(value, (float, complex)) and value != value
    if unequal or (isinstance(value, decimal.Decimal) and value.is_nan()):
        return (float, "NaN")
    if kind.__name__ in ("NAType", "NaTType"):
        return (kind.__name__,)
    if isinstance(value, np.ndarray):
        items = np.asarray(value).ravel().tolist()
        whole = value.dtype.kind in "biuSU" or (value.dtype.kind in "fc" and not np.isnan(value).any())
        return (np.ndarray, value.shape, tuple(items if whole else map(key, items)))
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple,) + tuple(map(key, value))
    if isinstance(value, abc.Mapping):
        return (dict, frozenset((key(k), key(v)) for k, v in value.items()))
    if isinstance(value, abc.Set):
        return (set, frozenset(map(key, value)))
    return value if isinstance(value, abc.Hashable) else text(value)


# --- Copies and fingerprints ------------------------------------------------------------------------------


def copier(value: Any) -> Callable[[Any], Any]:
    """The cheapest way to copy a dataset of this kind; what cannot be copied is handed out as it is."""
    if is_constant(value):
        return same
    if _is_plain_array(value):
        return lambda data: data.copy()
    if type(value) is list and all(map(is_constant, value)):
        return list
    if type(value) in (list, tuple) and all(map(_is_plain_array, value)):
        return lambda data: type(data)(part.copy() for part in data)
    # A deep copy of a DataFrame shares the lists in its cells.
    for copied in (_pickled, copy.deepcopy):
        try:
            copied(value)
        except Exception:
            continue
        return copied
    return same


def same(value: Any) -> Any:
    """The value itself: the copier of what cannot be changed."""
    return value


class _Pickler(pickle.Pickler):
    """Leaves generators of random numbers out: every copy of one would draw the same noise again."""

    def __init__(self, file: Any) -> None:
        super().__init__(file, 4)
        self.left_out: List[Any] = []

    def persistent_id(self, obj: Any) -> Optional[int]:
        if not _is_generator(obj):
            return None
        self.left_out.append(obj)
        return len(self.left_out) - 1


class _Unpickler(pickle.Unpickler):
    """Puts the generators that were left out back in."""

    left_out: Sequence[Any] = ()

    def persistent_load(self, pid: int) -> Any:
        return self.left_out[pid]


def _pickled(value: Any) -> Any:
    """A copy that shares only the generators of random numbers in it."""
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(value)
    file.seek(0)
    unpickler = _Unpickler(file)
    unpickler.left_out = pickler.left_out
    return unpickler.load()


def _is_generator(value: Any) -> bool:
    """Whether random numbers are drawn from it; PyTorch has a class of its own."""
    kind = type(value)
    own = kind.__name__ == "Generator" and kind.__module__.partition(".")[0] == "torch"
    return own or isinstance(value, GENERATORS)


def _is_plain_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype != object


def is_constant(value: Any) -> bool:
    """Whether nothing in it can be changed."""
    if type(value) is tuple:
        return all(map(is_constant, value))
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic))


def digest(value: Any, within: Tuple[int, ...] = ()) -> bytes:
    """A fingerprint of all that a value holds; `within` are the identities of what holds it.

    Unlike `text` it looks into objects of any kind, and at what lies under a mask. To draw from a generator
    is no change of the data. Of an object whose methods raise its type is all there is.
    """
    try:
        return _digest(value, within)
    except Exception:
        return hashlib.blake2b(type(value).__name__.encode(), digest_size=16).digest()


def _digest(value: Any, within: Tuple[int, ...]) -> bytes:
    if is_constant(value) or (type(value) is list and all(map(is_constant, value))):
        return hashlib.blake2b(text(value).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    found = hashlib.blake2b(type(value).__name__.encode(), digest_size=16)
    if id(value) not in within and len(within) <= MOST_NESTED and not _is_generator(value):
        held = [digest(item, within + (id(value),)) for item in _whole(value)]
        # Copies of a set may give its elements in another order.
        found.update(b"".join(sorted(held) if isinstance(value, abc.Set) else held))
    return found.digest()


def _whole(value: Any) -> Iterable[Any]:
    """All that a dataset holds, without what changes when it is only read."""
    if isinstance(value, abc.Set):
        return value
    if isinstance(value, np.ma.MaskedArray):
        return value.data, np.ma.getmaskarray(value)
    if isinstance(value, np.ndarray):
        content = list(value.ravel()) if value.dtype == object else hashlib.blake2b(value.tobytes()).digest()
        return [value.shape, str(value.dtype), content] + _lasting(value, getattr(value, "__dict__", {}))
    if type(value) in (list, tuple):
        return itertools.chain([len(value)], value)
    if type(value) is dict:
        return itertools.chain.from_iterable(value.items())
    if hasattr(value, "tocoo"):
        # A sparse matrix may sort its entries when it is only read.
        entries = value.tocoo(copy=True)
        entries.sum_duplicates()
        return entries.shape, entries.row, entries.col, entries.data
    if hasattr(value, "itertuples") and hasattr(value, "columns"):
        return [value.iloc[:, j] for j in range(value.shape[1])] + [value.index, value.attrs]
    if hasattr(value, "to_numpy") and hasattr(value, "iloc"):
        return value.to_numpy(), repr(value.dtype), value.index, value.name, value.attrs
    if hasattr(value, "to_numpy") and hasattr(value, "get_indexer"):
        # An index keeps what it was asked for, which is no change.
        return value.to_numpy(), repr(value.dtype), tuple(value.names)
    return _state(value)


def _lasting(value: Any, attributes: Dict[str, Any]) -> List[Any]:
    """An object's attributes, without properties that are computed when they are first read."""
    return [
        (name, part)
        for name, part in attributes.items()
        if not isinstance(getattr(type(value), name, None), functools.cached_property)
    ]


def _state(value: Any) -> Iterable[Any]:
    """What an object of any kind is made of: what pickle would ask it for."""
    if isinstance(value, type) or not hasattr(value, "__reduce_ex__"):
        return [repr(value)]
    try:
        found = value.__reduce_ex__(4)
    except Exception:
        if isinstance(value, abc.Collection):  # a view of memory or of a dictionary
            return itertools.chain.from_iterable(value.items()) if isinstance(value, abc.Mapping) else value
        # Functions, modules and handles go by their names, as their addresses say nothing.
        return [getattr(value, "__qualname__", type(value).__name__)]
    if isinstance(found, str):
        return [found]
    _, arguments, state, items, pairs = (tuple(found) + (None, None, None))[:5]
    if isinstance(state, dict):
        state = _lasting(value, state)
    return [arguments, state, list(items or ()), list(pairs or ())]


# --- Values as JSON and blocks ----------------------------------------------------------------------------


SCALARS: Sequence[Tuple[str, Any, Callable[[Any], Any], Callable[[Any], Any]]] = (
    ("enum", enum.Enum, str, str),
    ("int", int, lambda value: hex(int(value)), lambda digits: int(digits, 16)),
    ("float", float, float.hex, float.fromhex),
    ("complex", complex, lambda z: [z.real.hex(), z.imag.hex()], lambda z: complex(*map(float.fromhex, z))),
    ("decimal", decimal.Decimal, str, decimal.Decimal),
    ("fraction", fractions.Fraction, str, fractions.Fraction),
    # The texts of NumPy's times, which Python 3.6 cannot read by itself, name a day or also the time of day.
    ("date", datetime.date, lambda value: str(np.datetime64(value)), lambda text: np.datetime64(text).item()),
    (
        "timedelta",
        datetime.timedelta,
        lambda value: value // MICROSECOND,
        lambda number: number * MICROSECOND,
    ),
)
"""Name, type, what is written of a value, and what makes one of that; of a member of an enumeration the text
arrives. Times with a zone are not written."""
CONTAINERS: Dict[str, Any] = {"list": list, "tuple": tuple, "frozenset": frozenset, "set": set}


def encode(value: Any, blocks: List[bytes]) -> Any:
    """The JSON tree of a value; arrays and bytes go to `blocks`. Raises TypeError for other types."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return _encode_array(value, blocks)
    if isinstance(value, type):
        raise TypeError("a class cannot go from one Python to another, got {}".format(value.__name__))
    if isinstance(value, (bytes, bytearray)):
        blocks.append(bytes(value))
        return {"bytes": len(blocks) - 1}
    for name, kind, write, _ in SCALARS:
        if isinstance(value, kind) and getattr(value, "tzinfo", None) is None:
            return {name: write(value)}
    return _encode_container(value, blocks)


def _encode_array(value: Any, blocks: List[bytes]) -> Any:
    """Arrays of numbers as blocks; of objects, and structured ones with objects, entry by entry."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        if value.dtype.names is not None:
            columns = [[name, encode(value[name], blocks)] for name in value.dtype.names]
            return {"records": columns, "shape": list(value.shape)}
        return {"objects": [encode(item, blocks) for item in value.ravel()], "shape": list(value.shape)}
    if value.dtype.hasobject:
        value = np.asarray(value)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(value), allow_pickle=False)
    blocks.append(stream.getvalue())
    return {"scalar" if isinstance(value, np.generic) else "array": len(blocks) - 1}


def _encode_container(value: Any, blocks: List[bytes]) -> Any:
    """Lists, sets, dictionaries, data frames and dataclasses."""
    if hasattr(value, "__dataclass_fields__"):
        names = value.__dataclass_fields__
        return {"dict": [[name, encode(getattr(value, name), blocks)] for name in names]}
    for name, kind in CONTAINERS.items():
        if isinstance(value, kind):
            return {name: [encode(item, blocks) for item in value]}
    if isinstance(value, abc.Mapping):
        return {"dict": [[encode(k, blocks), encode(v, blocks)] for k, v in value.items()]}
    if hasattr(value, "to_numpy") and hasattr(value, "columns"):
        columns = [[encode(c, blocks), encode(value[c].to_numpy(), blocks)] for c in value.columns]
        return {"frame": columns, "index": encode(value.index.to_numpy(), blocks)}
    if hasattr(value, "to_numpy") and hasattr(value, "index"):
        return {"series": encode(value.to_numpy(), blocks), "index": encode(value.index.to_numpy(), blocks)}
    if hasattr(value, "__array__"):
        return encode(np.asarray(value), blocks)
    raise TypeError(
        "a {} cannot go from one Python to another; numbers, strings, None, arrays, lists, tuples, sets, "
        "dictionaries and data frames can".format(type(value).__name__)
    )


def decode(tree: Any, blocks: List[bytes]) -> Any:
    """The value of a JSON tree. Raises ValueError for what `encode` does not write."""
    if tree is None or isinstance(tree, (bool, str)):
        return tree
    if not isinstance(tree, dict) or not tree:
        raise ValueError("no value: {!r}".format(tree))
    kind = next(iter(tree))
    content = tree[kind]
    for name, _, _, read in SCALARS:
        if kind == name:
            return read(content)
    if kind in ("array", "scalar"):
        array = np.lib.format.read_array(io.BytesIO(blocks[content]), allow_pickle=False)
        return array if kind == "array" else array[()]
    if kind == "bytes":
        return blocks[content]
    if kind in CONTAINERS:
        return CONTAINERS[kind](decode(item, blocks) for item in content)
    if kind == "dict":
        return {decode(k, blocks): decode(v, blocks) for k, v in content}
    if kind == "objects":
        array = np.empty(tuple(tree["shape"]), dtype=object)
        for place, item in enumerate(content):
            array.flat[place] = decode(item, blocks)
        return array
    if kind == "records":
        return _decode_records(tree, blocks)
    if kind in ("frame", "series"):
        return _decode_frame(kind, tree, blocks)
    raise ValueError("no value: {!r}".format(kind))


def _decode_records(tree: Dict[str, Any], blocks: List[bytes]) -> Any:
    """A structured array with fields of objects."""
    columns = [(name, decode(column, blocks)) for name, column in tree["records"]]
    # A field of more than one number has axes beyond those of the records.
    axes = len(tree["shape"])
    kinds = [(name, column.dtype, column.shape[axes:]) for name, column in columns]
    records = np.empty(tuple(tree["shape"]), dtype=kinds)
    for name, column in columns:
        records[name] = column
    return records


def _decode_frame(kind: str, tree: Dict[str, Any], blocks: List[bytes]) -> Any:
    """A data frame or a series of pandas."""
    pandas: Any = importlib.import_module("pandas")
    index = decode(tree["index"], blocks)
    if kind == "series":
        return pandas.Series(decode(tree[kind], blocks), index=index)
    columns = [(decode(k, blocks), decode(v, blocks)) for k, v in tree[kind]]
    return pandas.DataFrame(collections.OrderedDict(columns), index=index)


# --- JSON that people read --------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value for a JSON file: scalars of NumPy as those of Python, infinity as the string "inf", members of
    enumerations by their values. Raises ValueError where two keys would be the same string.

    >>> plain({"a": float("inf"), "b": (1, np.float64(2.5))})
    {'a': 'inf', 'b': [1, 2.5]}
    """
    if isinstance(value, abc.Mapping):
        found = {str(key): plain(item) for key, item in value.items()}
        if len(found) < len(value):
            raise ValueError("keys of JSON must differ as strings, got {}".format(list(value)))
        return found
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, enum.Enum):
        return value.value
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
