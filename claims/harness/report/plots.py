"""Figures of the report: the plots that a claim names, drawn from its rows and its evidence, as SVG.

Colours are Okabe and Ito's, told apart also without colour vision, and the markers differ as well.
Text and axes are drawn in one ink colour, which the site replaces by the colour of the page's text.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

from audits.evidence import Evidence
from claims.harness.claim import Claim, Plot
from claims.harness.report.numbers import number_text, point_text, value_text, words
from claims.harness.words import TIERS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1f2328"
GRID = "#d5d9de"
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
"""Blue, vermilion, green, purple, orange, sky, grey."""
MARKERS = "osD^vPX*<>"
CLAIMED = (0, (4, 2))
"""Dashes of claimed values; what was measured is drawn solid."""
_LARGEST_LEGEND = 12
FEWEST = 3
"""Abscissae below which a plot shows less than a table of the same numbers, as it does for names."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "path",  # the same everywhere, whatever fonts the reader has
    "svg.hashsalt": "dpclaims",  # equal rows, equal bytes
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    **dict.fromkeys(("axes.grid", "axes.axisbelow"), True),
    "axes.titlesize": 10.5, "axes.titlelocation": "left", "grid.color": GRID, "grid.linewidth": 0.6,
    "legend.fontsize": 9, "legend.handlelength": 2.4, "lines.linewidth": 1.6, "lines.markersize": 5,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure as SVG, or a table, or why there is neither; the caption says what is drawn and left out."""

    title: str
    svg: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    caption: str = ""
    problem: str = ""


class NoRowsError(ValueError):
    """The run has no row for a plot: its tier does not measure them, or all are infinite."""


def pictures_of(claim: Claim, evidence: Sequence[Evidence], rows: pd.DataFrame) -> Iterator[Picture]:
    """The pictures of a claim; a plot of measurements that this tier does not make is left out."""
    axes = {axis for tier in TIERS for point in claim.tier(tier).points for axis in point}
    for plot in () if rows.empty else claim.plots:
        if any(name in axes and name not in rows.columns for name in plot.select):
            continue  # an axis of a task that this tier does not have
        try:
            yield draw(plot, rows, evidence)
        except NoRowsError:
            continue
        except ValueError as error:
            yield Picture(title=plot.title, problem=f"Not drawn: {error}")


def draw(plot: Plot, rows: pd.DataFrame, evidence: Sequence[Evidence] = ()) -> Picture:
    """Draw a plot of a claim. Where its points are few, or its x-axis has names, it becomes a table.

    rows      the stored rows of the claim; rows of equal x (and series) are averaged.
    evidence  the claim's evidence: a log-log plot takes its fitted and its claimed slope from there.

    Raises ValueError where the plot names a column that the rows lack or a column that holds no numbers, and
    NoRowsError where the run has no row that can be drawn (another tier may have).
    """
    if plot.kind not in ("curve", "loglog"):
        raise ValueError(f"plot {plot.title!r}: kind must be one of curve, loglog, got {plot.kind!r}")
    found = _lines(plot, rows)
    where = f"At {point_text(plot.select, 4)}." if plot.select else ""
    if found.names or len({x for line in found.lines for x in line.x}) < FEWEST:
        return _tabulated(plot, found, where)
    from matplotlib.figure import Figure

    fit = next((e for e in evidence if plot.kind == "loglog" and e.axis == plot.x), None)
    with _style():
        figure = Figure(figsize=(6.0, 3.9), layout="constrained")
        axes = figure.add_subplot()
        _measured(axes, plot, found.lines, fit)
        _claimed(axes, plot, found.lines)
        _finish(figure, axes, plot, found.lines)
        svg = _to_svg(figure)
    name = html.escape(plot.title, quote=True)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)
    fitted = (
        f"The fitted slope and its interval [{number_text(fit.low, 3)}, {number_text(fit.high, 3)}] "
        "are the claim’s evidence; the lines pass through the centre of the points."
        if fit
        else ""
    )
    return Picture(title=plot.title, svg=svg, caption=" ".join(filter(None, (where, fitted, found.note))))


def _tabulated(plot: Plot, found: _Lines, where: str) -> Picture:
    """The points of a plot as a table."""
    series = [] if plot.series is None else [words(plot.series)]
    claimed = [plot.claimed] if plot.claimed else []
    cells: list[list[str]] = []
    for line in found.lines:
        label = [line.label.partition(" = ")[2]] if series else []
        values = [line.values(name) for name in (plot.y, *claimed)]
        for x, *numbers in zip(line.x, *values, strict=True):
            named = found.names[int(x)] if found.names else x
            cells.append([value_text(value, 4) for value in (*label, named, *numbers)])
    head = [*series, plot.x_label, plot.y_label, *["claimed"] * len(claimed)]
    return Picture(title=plot.title, head=head, rows=cells, caption=where)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One line of a plot: its label, the averaged columns at every x, and of how many rows."""

    label: str
    table: pd.DataFrame
    rows: int

    @property
    def x(self) -> np.ndarray:
        return self.table.iloc[:, 0].to_numpy(float)

    def values(self, name: str) -> np.ndarray:
        return self.table[name].to_numpy(float)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """The lines of a plot; where the abscissa is a name, the names at 0, 1, …; what the caption must say."""

    lines: Sequence[_Line]
    names: Sequence[str]
    note: str


def _lines(plot: Plot, rows: pd.DataFrame) -> _Lines:
    """What a plot draws of the rows: those selected, where its axes have a place for them, by series."""
    selected = _selected(plot, rows)
    # A claim of several tasks has only the columns of those that its tier measures: checked when selected.
    numbers = [c for c in dict.fromkeys((plot.y, plot.claimed)) if c is not None and c != plot.x]
    _check_columns(plot, rows, [plot.x, *numbers, *([] if plot.series is None else [plot.series])])
    if bad := [c for c in numbers if not _holds_numbers(selected[c])]:
        raise ValueError(f"plot {plot.title!r}: column {bad[0]!r} must hold numbers")
    drawn = selected[_on_axes(plot, selected)]
    if drawn.empty:
        raise NoRowsError(f"{plot.title}: no value of {plot.y!r} is finite and fits these axes")
    names: list[str] = []
    if not _holds_numbers(drawn[plot.x]):
        names = list(dict.fromkeys(map(str, drawn[plot.x])))
        drawn = drawn.assign(**{plot.x: [names.index(str(v)) for v in drawn[plot.x]]})
    groups = [("", drawn)] if plot.series is None else list(drawn.groupby(plot.series, sort=True))
    lines = [_line(plot, value, group, numbers) for value, group in groups]
    return _Lines(lines=lines, names=names, note=_note(plot, lines, len(selected) - len(drawn)))


def _selected(plot: Plot, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that have the values of `plot.select`."""
    import numpy as np

    _check_columns(plot, rows, plot.select)
    for name, value in plot.select.items():
        number = type(value) in (int, float)
        rows = rows[np.isclose(rows[name], value) if number else rows[name] == value]
    if rows.empty:
        raise NoRowsError(f"{plot.title}: this run has no row with {point_text(plot.select, 4)}")
    return rows


def _holds_numbers(column: Any) -> bool:
    return column.dtype.kind in "biuf"


def _on_axes(plot: Plot, rows: pd.DataFrame) -> np.ndarray:
    """Which rows have a place on the axes: a finite ordinate, positive values on logarithmic axes."""
    import numpy as np

    y = rows[plot.y].to_numpy(float)
    found = np.isfinite(y)
    if _log_y(plot):
        found &= y > 0
    if _log_x(plot) and _holds_numbers(rows[plot.x]):
        found &= rows[plot.x].to_numpy(float) > 0
    return found


def _line(plot: Plot, value: Any, rows: pd.DataFrame, numbers: Sequence[str]) -> _Line:
    """The line of one series, with this value in the series' column."""
    averaged = rows[[plot.x, *numbers]].astype(dict.fromkeys(numbers, float))
    table: Any = averaged.groupby(plot.x, sort=True, as_index=False).mean()
    return _Line(
        label=""
        if plot.series is None
        else f"{words(plot.series)} = {textwrap.shorten(value_text(value, 4), 24)}",
        table=table,
        rows=len(rows),
    )


def _note(plot: Plot, lines: Sequence[_Line], dropped: int) -> str:
    """What the caption must say of averages, of rows that are not drawn, and of a legend that is cut."""
    said: list[str] = []
    if any(line.rows > len(line.table) for line in lines):
        said.append("Averages over rows of equal abscissa.")
    if dropped:
        rows_are = "row is" if dropped == 1 else "rows are"
        said.append(f"{dropped} {rows_are} not drawn: infinite, or not positive on a logarithmic axis.")
    if plot.series is not None and len(lines) > _LARGEST_LEGEND:
        said.append(f"The legend names the first {_LARGEST_LEGEND} of {len(lines)} series.")
    return " ".join(said)


def _check_columns(plot: Plot, rows: pd.DataFrame, names: Iterable[str]) -> None:
    if missing := [name for name in names if name not in rows.columns]:
        raise ValueError(
            f"plot {plot.title!r}: no column {', '.join(map(repr, missing))}; "
            f"the rows have {', '.join(map(repr, rows.columns))}"
        )


def _measured(axes: Axes, plot: Plot, lines: Sequence[_Line], fit: Evidence | None) -> None:
    """What was measured: lines, or points where there is the line of a fit."""
    for index, line in enumerate(lines):
        colour, marker = _look(index, len(lines))
        x, y = line.x, line.values(plot.y)
        style = "solid" if fit is None else "none"
        axes.plot(x, y, color=colour, marker=marker, linestyle=style, label=line.label or "measured")
        if fit is not None:
            _fitted(axes, x, y, fit, colour=colour, named=index == 0)


def _fitted(axes: Axes, x: np.ndarray, y: np.ndarray, fit: Evidence, *, colour: Any, named: bool) -> None:
    """The fitted and the claimed exponent through the centre of the points, on logarithmic scales."""
    import numpy as np

    centre, level = np.exp(np.log(x).mean()), np.exp(np.log(y).mean())
    ends = np.geomspace(x.min(), x.max(), 50)

    def along(slope: float) -> np.ndarray:
        return level * (ends / centre) ** slope

    slopes = [along(fit.low), along(fit.high)]
    axes.fill_between(ends, np.min(slopes, 0), np.max(slopes, 0), color=colour, alpha=0.15, linewidth=0)
    label = f"fitted slope {number_text(fit.estimate, 3)}" if named else None
    axes.plot(ends, along(fit.estimate), color=colour, linestyle="-", label=label)
    if fit.claimed is not None:
        label = f"claimed slope {number_text(fit.claimed, 3)}" if named else None
        axes.plot(ends, along(fit.claimed), color=INK, linestyle=":", linewidth=1.2, label=label)


def _claimed(axes: Axes, plot: Plot, lines: Sequence[_Line]) -> None:
    """The claimed values: one line where all series claim the same, else one in each series' colour."""
    import numpy as np

    if plot.claimed is None:
        return
    curves = [(line.x, line.values(plot.claimed)) for line in lines]
    look: dict[str, Any] = {"linestyle": CLAIMED, "linewidth": 1.2}
    merged = {float(a): float(b) for x, y in curves for a, b in zip(x, y, strict=True)}
    shared = all(np.allclose([merged[float(a)] for a in x], y, equal_nan=True) for x, y in curves)
    if shared:
        x, y = np.array(sorted(merged.items())).T
        curves = [(x, y)]
    for index, (x, y) in enumerate(curves):
        colour = INK if shared else _look(index, len(lines))[0]
        if len(x) == 1:
            axes.axhline(y[0], color=colour, **look)
        else:
            axes.plot(x, y, color=colour, **look)
    axes.plot([], [], color=INK, label="claimed", **look)


def _look(index: int, count: int) -> tuple[Any, str]:
    """Colour and marker of a series; many series take a scale from dark to bright."""
    if count <= len(PALETTE):
        colour: Any = PALETTE[index]
    else:
        import matplotlib

        colour = matplotlib.colormaps["viridis"](0.12 + 0.76 * index / (count - 1))
    return colour, MARKERS[index % len(MARKERS)]


@contextmanager
def _style() -> Iterator[None]:
    import matplotlib

    with matplotlib.rc_context():
        # The reader's own matplotlibrc must not change the report.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def _finish(figure: Figure, axes: Axes, plot: Plot, lines: Sequence[_Line]) -> None:
    if _log_x(plot):
        axes.set_xscale("log")
    _plain_ticks(axes, lines, log=_log_x(plot))
    if _log_y(plot):
        axes.set_yscale("log")
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label, wrap=True)
    axes.set_title(plot.title, wrap=True)
    handles, labels = axes.get_legend_handles_labels()
    if labels and (len(labels) > 1 or labels[0] != "measured"):
        # The series first, cut where there are too many, then what is drawn for all of them.
        pairs = list(zip(handles, labels, strict=True))
        common = [p for p in pairs if p[1].startswith(("claimed", "fitted"))]
        series = [p for p in pairs if p not in common]
        shown = tuple(zip(*(series[:_LARGEST_LEGEND] + common), strict=True))
        longest = max(len(label) for label in shown[1])
        columns = max(1, min(4, len(shown[1]), 66 // (longest + 7)))
        figure.legend(*shown, loc="outside lower center", ncols=columns)
        # The legend takes its rows from the figure, not from the axes.
        figure.set_figheight(figure.get_figheight() + 0.2 * (math.ceil(len(shown[1]) / columns) - 1))


def _plain_ticks(axes: Axes, lines: Sequence[_Line], *, log: bool) -> None:
    """Where few abscissae were measured, they are the ticks: 250, not 2.5 × 10²."""
    import numpy as np
    from matplotlib.ticker import NullLocator

    places = np.unique(np.concatenate([line.x for line in lines]))
    scaled = np.log10(places) if log else places
    if len(places) == 1 or (len(places) <= 6 and np.diff(scaled).min() > 0.12 * np.ptp(scaled)):
        axes.set_xticks(places, [value_text(p, 4) for p in places])
        axes.xaxis.set_minor_locator(NullLocator())


def _to_svg(figure: Figure) -> str:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    stream = StringIO()
    # savefig would draw everything twice, the first time for the layout, which drawing sees to by itself.
    FigureCanvasSVG(figure).print_svg(stream, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    # A hundredth of a point is finer than any screen; only scales need all their digits.
    text = re.sub(
        r"scale\([^)]*\)|-?\d+\.\d{3,}",
        lambda m: m[0] if m[0].startswith("scale") else f"{float(m[0]):.2f}",
        text,
    )
    return text[text.index("<svg") :]


def _log_x(plot: Plot) -> bool:
    return plot.log_x or plot.kind == "loglog"


def _log_y(plot: Plot) -> bool:
    return plot.log_y or plot.kind == "loglog"
