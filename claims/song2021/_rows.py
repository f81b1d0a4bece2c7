"""Rows of a claim's table, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def records(rows: pd.DataFrame) -> Iterator[Any]:
    """Each row as a named tuple: ``row.epsilon``. Its fields hold numbers and strings that no type checker
    knows.
    """
    yield from rows.itertuples()
