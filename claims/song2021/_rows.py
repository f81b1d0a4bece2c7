"""Rows of a claim's table, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def records(rows: pd.DataFrame) -> Iterator[Any]:
    """Each row as a named tuple: ``row.epsilon``. Its fields hold numbers and strings that no type checker
    knows.
    """
    yield from rows.itertuples()


def dictionaries(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Each row as a mapping from column names."""
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def cells(rows: pd.DataFrame, axes: Sequence[str]) -> list[tuple[dict[str, Any], pd.DataFrame]]:
    """The rows of every combination of `axes` that occurs, with that combination as a grid point."""
    found: list[tuple[dict[str, Any], pd.DataFrame]] = []
    for key, part in rows.groupby(list(axes)):
        values: Any = key
        found.append((dict(zip(axes, values, strict=True)), part))
    return found
