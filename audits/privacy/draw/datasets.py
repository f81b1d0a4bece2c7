"""Datasets as users hold them: their records, copies of them, and whether a mechanism has changed them."""

from __future__ import annotations

import copy
import functools
import hashlib
import io
import pickle
import random
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, cast

import numpy as np

from audits.privacy.outputs.outputs import MOST_NESTED, Raw

Records = list[Hashable]
ATOMIC = bool, int, float, complex, str, bytes, np.generic
GENERATORS = np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random
FRAME, SERIES, INDEX = ("itertuples", "columns"), ("to_numpy", "iloc"), ("to_numpy", "get_indexer")
"""What tells objects of pandas and its like."""


def records(data: Any) -> Records | str:
    """The records as hashable keys, or the reason why there are none.

    An array, a list or a tuple holds one record a row; so does a DataFrame or a Series.
    """
    if _has(data, FRAME):
        return [key(row) for row in data.itertuples(index=False, name=None)]
    if hasattr(data, "toarray"):  # a sparse matrix has no length
        data = data.toarray()
    if hasattr(data, "to_numpy"):
        data = data.to_numpy()
    if isinstance(data, np.ndarray) and data.ndim == 0:
        data = data.item()
    if isinstance(data, (str, bytes)) or not _has(data, ("__len__", "__getitem__")):
        return (
            f"a dataset must be a sequence of records, got {brief(data)}; "
            "for other datasets pass a function (D, D′) -> bool as adjacency"
        )
    if isinstance(data, Mapping):
        return "a dataset must be a sequence of records, got a dictionary; pass a function as adjacency"
    return [key(record) for record in cast(Sequence[Any], data)]


def readings(first: Any, second: Any) -> list[tuple[Records, Records]] | str:
    """The records of both datasets in every way that they can be read, or the reason why there is none.

    A tuple that holds an array is (X, y, …): one record a row of all of its parts. A list of arrays, and a
    tuple of lists, may be that, or hold one record an item.
    """
    both = first, second
    (rows, columns), (other_rows, other_columns) = map(may_be, both)
    rows, columns = rows and other_rows, columns and other_columns
    if rows and columns:
        # Columns are as many in both; rows are as long in both.
        columns = len(first) == len(second)
        rows = not columns or len({np.shape(part) for data in both for part in data}) == 1
    found: list[tuple[Records, Records]] = []
    for read in ([records] if rows else []) + ([_zipped] if columns else []):
        a, b = map(read, both)
        if isinstance(a, str):
            return a
        if isinstance(b, str):
            return b
        found.append((a, b))
    return found or (
        f"one dataset holds rows and the other columns, got {brief(first)} and {brief(second)}; "
        "pass a function (D, D′) -> bool as adjacency"
    )


def may_be(data: Any) -> tuple[bool, bool]:
    """Whether the items may be records, and whether they may be columns of equal length."""
    if not isinstance(data, (list, tuple)) or not data:
        return True, False
    parts = cast(Sequence[Any], data)
    if any(map(_is_column, parts)):
        # Records of one dataset have one shape, but for their length.
        rows = isinstance(data, list) and all(map(_is_column, parts)) and len(set(map(np.ndim, parts))) == 1
        return rows, not rows or len(set(map(len, parts))) == 1
    lists = isinstance(data, tuple) and all(isinstance(part, list) for part in parts)
    return True, lists and len(set(map(len, parts))) == 1


def _is_column(part: Any) -> bool:
    is_array = isinstance(part, np.ndarray) and cast(Raw, part).ndim > 0
    return is_array or _has(part, FRAME) or _has(part, SERIES)


def _has(data: Any, names: Sequence[str]) -> bool:
    return all(hasattr(data, name) for name in names)


def _zipped(data: Sequence[Any]) -> Records | str:
    """One record a row of all columns, or the reason why there are none."""
    parts = [records(part) for part in data]
    if any(isinstance(part, str) for part in parts):
        return f"a dataset with an array in it must hold arrays of equal length, got {brief(data)}"
    lengths = [len(part) for part in parts]
    if len(set(lengths)) > 1:
        return f"the arrays of a dataset (X, y) must have one length, got lengths {lengths}"
    return list(zip(*cast(list[Records], parts), strict=True))


def key(record: Any) -> Hashable:
    """A record as something that can be compared and counted; NaN equals itself."""
    if isinstance(record, np.generic):
        record = record.item()
    if isinstance(record, (float, complex)) and record != record:
        return ("NaN",)
    if type(record).__name__ in ("NAType", "NaTType"):
        return (type(record).__name__,)
    if isinstance(record, np.ndarray) and record.dtype != object:
        array = cast(Raw, record)
        items = array.ravel().tolist()
        if array.dtype.kind in "fc" and bool(np.isnan(array).any()):
            items = list(map(key, items))
        return (array.shape, tuple(items))
    if isinstance(record, (list, tuple, np.ndarray)):
        return tuple(key(part) for part in cast(Sequence[Any], record))
    if isinstance(record, Mapping):
        return frozenset((key(k), key(v)) for k, v in cast(Mapping[Any, Any], record).items())
    return record if isinstance(record, Hashable) else repr(record)


def brief(value: Any) -> str:
    """The representation on one line, cut to 80 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:79] + "…"


class Dataset:
    """A dataset that mechanisms get copies of, so that none can change it for the next call."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self._copy = copier(data)
        self._digest = digest(self.fresh())
        # Constants cannot change; where untouched copies differ from each other nothing can be said.
        self._told = not _is_constant(data) and (self._copy is _same or digest(self.fresh()) == self._digest)

    def fresh(self) -> Any:
        """A copy; the dataset itself where nothing in it can be changed."""
        return self._copy(self.data)

    def differs(self, handed_out: Any) -> bool:
        """Whether a copy that was handed out has been changed since."""
        return self._told and digest(handed_out) != self._digest


def kept_apart(pair: tuple[Any, Any]) -> tuple[Dataset, Dataset]:
    """Both datasets of a pair, as mechanisms get copies of them."""
    return Dataset(pair[0]), Dataset(pair[1])


def copier(data: Any) -> Callable[[Any], Any]:
    """The cheapest way to copy a dataset of this kind."""
    if _is_constant(data):
        return _same
    if _is_plain_array(data):
        return lambda d: d.copy()
    if _are_constant(data):
        return list
    if type(data) in (list, tuple) and all(map(_is_plain_array, data)):
        return lambda d: type(d)(part.copy() for part in d)
    # A deep copy of a DataFrame shares the lists in its cells.
    for copied in (_pickled, copy.deepcopy):
        try:
            copied(data)
        except Exception:
            continue
        return copied
    return _same  # a handle, a lock: handed out as it is


def _same(data: Any) -> Any:
    return data


class _Pickler(pickle.Pickler):
    """Leaves generators of random numbers out: every copy of one would draw the same noise again."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.left_out: list[Any] = []

    def persistent_id(self, obj: Any) -> int | None:
        if not _is_generator(obj):
            return None
        self.left_out.append(obj)
        return len(self.left_out) - 1


class _Unpickler(pickle.Unpickler):
    """Puts the generators that were left out back in."""

    left_out: Sequence[Any] = ()

    def persistent_load(self, pid: int) -> Any:
        return self.left_out[pid]


def _pickled(data: Any) -> Any:
    """A copy that shares only the generators of random numbers in it."""
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(data)
    file.seek(0)
    unpickler = _Unpickler(file)
    unpickler.left_out = pickler.left_out
    return unpickler.load()


def _is_generator(data: Any) -> bool:
    """Whether random numbers are drawn from it; PyTorch has a class of its own."""
    kind = type(data)
    own = kind.__name__ == "Generator" and kind.__module__.partition(".")[0] == "torch"
    return own or isinstance(data, GENERATORS)


def _is_plain_array(data: Any) -> bool:
    return isinstance(data, np.ndarray) and cast(Raw, data).dtype != object


def _is_constant(data: Any) -> bool:
    if data is None or isinstance(data, ATOMIC):
        return True
    return type(data) is tuple and all(_is_constant(part) for part in data)


def _are_constant(data: Any) -> bool:
    return type(data) is list and all(map(_is_constant, cast(list[Any], data)))


def digest(data: Any, within: tuple[int, ...] = ()) -> bytes:
    """A fingerprint of contents: equal contents have equal ones. `within` are the identities of what holds
    them."""
    found = hashlib.blake2b(type(data).__name__.encode(), digest_size=16)
    # To draw from a generator is no change of the data.
    if id(data) in within or len(within) > MOST_NESTED or _is_generator(data):
        return found.digest()
    if _is_constant(data) or _are_constant(data):
        found.update(_written(data).encode())
        return found.digest()
    parts = (digest(part, (*within, id(data))) for part in _parts(data))
    # Copies of a set may give its elements in another order.
    found.update(b"".join(sorted(parts) if isinstance(data, AbstractSet) else parts))
    return found.digest()


def _written(data: Any) -> str:
    """A constant as Python writes it, but for integers of more digits than Python writes (4,300)."""
    try:
        return repr(data)
    except ValueError:
        return hex(data) if isinstance(data, int) else str([_written(part) for part in data])


def _parts(data: Any) -> Iterable[Any]:
    """What a dataset holds, without what changes when it is only read."""
    if isinstance(data, AbstractSet):
        return cast(Iterable[Any], data)
    if isinstance(data, np.ma.MaskedArray):
        return data.data, np.ma.getmaskarray(cast(Any, data))
    if isinstance(data, np.ndarray):
        array = cast(Raw, data)
        content: Any = (
            list(array.ravel()) if array.dtype == object else hashlib.blake2b(array.tobytes()).digest()
        )
        return array.shape, str(array.dtype), content, *_lasting(array, getattr(array, "__dict__", {}))
    if type(data) in (list, tuple):
        return len(data), *data
    if type(data) is dict:
        return chain.from_iterable(cast(dict[Any, Any], data).items())
    if hasattr(data, "tocoo"):
        # A sparse matrix may sort its entries when it is only read.
        entries = data.tocoo(copy=True)
        entries.sum_duplicates()
        return entries.shape, entries.row, entries.col, entries.data
    if _has(data, FRAME):
        return *(data.iloc[:, j] for j in range(data.shape[1])), data.index, data.attrs
    if _has(data, SERIES):
        return data.to_numpy(), repr(data.dtype), data.index, data.name, data.attrs
    if _has(data, INDEX):
        # An index keeps what it was asked for, which is no change.
        return data.to_numpy(), repr(data.dtype), tuple(data.names)
    return _state(data)


def _lasting(data: Any, attributes: Mapping[str, Any]) -> list[Any]:
    """An object's attributes, without properties that are computed when they are first read."""
    return [
        (name, part)
        for name, part in attributes.items()
        if not isinstance(getattr(type(data), name, None), functools.cached_property)
    ]


def _state(data: Any) -> Iterable[Any]:
    """What an object of any kind is made of: what pickle would ask it for."""
    if isinstance(data, type) or not hasattr(data, "__reduce_ex__"):
        return [repr(data)]
    try:
        found = data.__reduce_ex__(4)
    except Exception:
        if isinstance(data, Collection):  # a view of memory or of a dictionary
            held = cast(Collection[Any], data)
            return chain.from_iterable(held.items()) if isinstance(held, Mapping) else held
        # Functions, modules and handles go by their names, as their addresses say nothing.
        return [getattr(data, "__qualname__", type(data).__name__)]
    if isinstance(found, str):
        return [found]
    _, arguments, state, items, pairs = (*found, None, None, None)[:5]
    if isinstance(state, dict):
        state = _lasting(data, cast(dict[str, Any], state))
    return [arguments, state, list(items or ()), list(pairs or ())]
