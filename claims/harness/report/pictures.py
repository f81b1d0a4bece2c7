"""The pictures of a claim: its plots; few points make a table."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claims.harness.claim import Claim, Plot
from claims.harness.report.numbers import point_text, value_text
from claims.harness.report.plots import NoRowsError, draw, points_of

if TYPE_CHECKING:
    import pandas as pd

    from audits.evidence import Evidence

FEWEST = 3
"""Abscissae below which a plot shows less than a table of the same numbers, as it does for names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure as SVG, or a table, or why there is neither; the caption says what is drawn."""

    title: str
    svg: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    caption: str = ""
    problem: str = ""


def pictures_of(claim: Claim, evidence: Sequence[Evidence], rows: pd.DataFrame) -> list[Picture]:
    """The pictures of a claim; a plot of measurements that this tier does not make is left out."""
    if rows.empty:
        return []
    return [p for plot in claim.plots if (p := _of_plot(claim, plot, evidence, rows))]


def _of_plot(claim: Claim, plot: Plot, evidence: Sequence[Evidence], rows: pd.DataFrame) -> Picture | None:
    axes = {axis for tier in ("smoke", "ci", "full") for point in claim.tier(tier).points for axis in point}
    if any(name in axes and name not in rows.columns for name in plot.select):
        return None  # an axis of a task that this tier does not have
    where = [f"At {point_text(plot.select, 4)}."] if plot.select else []
    try:
        table = points_of(plot, rows)
        if table.named or table.abscissae < FEWEST:
            cells = [[value_text(value, 4) for value in row] for row in table.rows]
            return Picture(title=plot.title, head=table.head, rows=cells, caption=" ".join(where))
        drawn = draw(plot, rows, evidence)
        name = html.escape(plot.title, quote=True)
        svg = drawn.svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)
        return Picture(title=plot.title, svg=svg, caption=" ".join([*where, drawn.caption]).strip())
    except NoRowsError:
        return None
    except ValueError as error:
        return Picture(title=plot.title, problem=f"Not drawn: {error}")
