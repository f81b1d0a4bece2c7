"""What several claims of song2021 report of many cells: the decisive check, the extreme of scaled means."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from audits.evidence import Evidence, Verdict
from audits.reported import extreme_mean

if TYPE_CHECKING:
    import pandas as pd


def decisive(checks: Sequence[Evidence], nearness: Callable[[Evidence], float]) -> Evidence:
    """The check to show for many: a refutation, else an open one, else the one of largest nearness."""
    rank = {Verdict.REFUTED: 2, Verdict.INCONCLUSIVE: 1}
    return max(checks, key=lambda e: (rank.get(e.verdict, 0) if e.verdict else 0, nearness(e)))


def extreme_of(
    quantity: str,
    cells: Sequence[tuple[Mapping[str, Any], pd.DataFrame]],
    column: str,
    unit: str,
    *,
    least: bool = False,
    bound: float | None = None,
    note: str = "",
) -> Evidence:
    """`extreme_mean` of rows[column] over rows[unit], a constant of each cell."""
    scaled = [part[column].to_numpy(dtype=float) / float(part[unit].iloc[0]) for _, part in cells]
    return extreme_mean(
        quantity,
        [float(v.mean()) for v in scaled],
        [float(v.std(ddof=1)) / math.sqrt(v.size) for v in scaled],
        [v.size for v in scaled],
        [point for point, _ in cells],
        least=least,
        bound=bound,
        note=note,
    )
