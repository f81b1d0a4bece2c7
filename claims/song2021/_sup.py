"""The supremum over a family of losses: chosen on one part of the trials, measured on the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def worst_members(rows: pd.DataFrame, axes: Sequence[str], member: str, risk: str) -> pd.DataFrame:
    """For every grid point the member of the family with the largest mean risk, its risk and standard error.

    rows    one row a trial, with the columns `axes`, `member`, `risk` and "trial" (a number from 0 up).
    Returns one row a grid point: `axes`, `member`, "risk", "standard_error", "trials". The member is chosen
    on every fourth trial and measured on the others, so that the choice does not bias the risk.
    """
    import pandas as pd

    choosing = rows["trial"] % 4 == 0
    means = rows[choosing].groupby([*axes, member])[risk].mean().reset_index()
    best = means.loc[means.groupby(list(axes))[risk].idxmax(), [*axes, member]]
    rest = rows[~choosing].merge(best, on=[*axes, member])
    grouped = rest.groupby([*axes, member])[risk]
    table = pd.DataFrame({"risk": grouped.mean(), "standard_error": grouped.sem(), "trials": grouped.size()})
    return table.reset_index()
