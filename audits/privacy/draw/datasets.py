"""Datasets as users hold them: their records, copies of them, and whether a mechanism has changed them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from audits.privacy.outputs.outputs import Raw
from audits.values import brief, copier, digest, is_constant, key, same

Records = list[Hashable]
FRAME, SERIES = ("itertuples", "columns"), ("to_numpy", "iloc")
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
    is_array = (isinstance(part, np.ndarray) or hasattr(part, "detach")) and cast(Raw, part).ndim > 0
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


class Dataset:
    """A dataset that mechanisms get copies of, so that none can change it for the next call."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self._copy = copier(data)
        self._digest = digest(self.fresh())
        # Constants cannot change; where untouched copies differ from each other nothing can be said.
        self._told = not is_constant(data) and (self._copy is same or digest(self.fresh()) == self._digest)

    def fresh(self) -> Any:
        """A copy; the dataset itself where nothing in it can be changed."""
        return self._copy(self.data)

    def differs(self, handed_out: Any) -> bool:
        """Whether a copy that was handed out has been changed since."""
        return self._told and digest(handed_out) != self._digest


def kept_apart(pair: tuple[Any, Any]) -> tuple[Dataset, Dataset]:
    """Both datasets of a pair, as mechanisms get copies of them."""
    return Dataset(pair[0]), Dataset(pair[1])
