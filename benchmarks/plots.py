"""The figures of `docs/benchmarks.md`, drawn from the lines that were measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.tables import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METHODS = ("sequential", "clopper-pearson")


def draw(lines: Sequence[Line], folder: Path) -> list[Path]:
    """Every figure whose section was measured, as PNG."""
    drawn: list[Path] = []
    for section, name, figure in _FIGURES:
        found = [line for line in lines if line.section == section]
        if found:
            drawn.append(folder / name)
            figure(found).savefig(drawn[-1], dpi=110)
    return drawn


def _figure(width: float, height: float) -> Figure:
    # Without pyplot: opens no window and needs no display.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def sharpness(lines: Sequence[Line]) -> Figure:
    """Lower bound on ε as a fraction of the best fixed event against samples: a panel for each row."""
    cases = list(dict.fromkeys(line.case for line in lines))
    height = -(-len(cases) // 4)
    figure = _figure(11.0, 0.8 + 2.0 * height)
    panels = figure.subplots(height, 4, sharex=True, sharey=True, squeeze=False)
    for axes, case in zip(panels.flat, cases, strict=False):
        for method, style in (("clopper-pearson", "s--"), ("sequential", "o-")):
            found = sorted(
                (x for x in lines if (x.case, x.method) == (case, method)), key=lambda x: x.samples
            )
            value = np.array([x.value for x in found])
            # A mean of equal values may differ from them in its last bit.
            bars = np.maximum([value - [x.low for x in found], [x.high for x in found] - value], 0.0)
            axes.errorbar(
                [x.samples for x in found], value, bars, fmt=style, label=method, markersize=4, capsize=2
            )
        axes.axhline(1.0, color="black", linewidth=0.8)
        axes.set_title(case, fontsize=10)
        axes.set_xscale("log")
        axes.set_xlim(min(x.samples for x in lines) / 2, 2 * max(x.samples for x in lines))
        axes.grid(linewidth=0.3)
    for axes in panels.flat[len(cases) :]:
        axes.set_visible(False)
    figure.supxlabel("samples a side", fontsize=10)
    figure.supylabel("lower bound on ε / best fixed event", fontsize=10)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=9)
    return figure


def false_alarms(lines: Sequence[Line]) -> Figure:
    """Shares of false alarms with their intervals against α, a row for each case, a panel for each method."""
    from matplotlib.lines import Line2D

    cases = list(dict.fromkeys(line.case for line in lines))
    figure = _figure(12.0, 1.4 + 0.24 * len(cases))
    panels = figure.subplots(1, len(METHODS), sharey=True)
    sizes = sorted({line.samples for line in lines})
    place = {case: -i for i, case in enumerate(cases)}
    for axes, method in zip(panels, METHODS, strict=True):
        shown = [line for line in lines if line.method == method]
        _intervals(axes, shown, place, sizes)
        axes.axvline(lines[0].reference, color="black", linestyle="--", linewidth=0.9)
        axes.set(title=method, xlabel="share of false alarms", ylim=(-len(cases) + 0.4, 0.6))
        # Every share is on the axis; intervals of few audits may run out of it.
        ends = [0.08, *(line.value for line in shown), *(x.high for x in shown if x.repeats >= 1000)]
        axes.set_xlim(-0.003, 1.05 * max(ends))
        axes.grid(axis="y", linewidth=0.3)
    panels[0].set_yticks(list(place.values()), list(place), fontsize=8)
    handles = {f"{n:,} samples a side": f"C{i}" for i, n in enumerate(sizes)}

    figure.legend(
        [Line2D([], [], color=c, marker="o", linestyle="-", markersize=4) for c in handles.values()]
        + [Line2D([], [], color="black", linestyle="--")],
        [*handles, "α"],
        loc="outside lower center",
        ncols=4,
        fontsize=9,
    )
    return figure


def _intervals(axes: Axes, lines: Sequence[Line], place: dict[str, int], sizes: Sequence[int]) -> None:
    for case, y in place.items():
        found = sorted((x for x in lines if x.case == case), key=lambda x: x.samples)
        for i, line in enumerate(found):
            height = y + 0.5 * ((len(found) - 1) / 2 - i) / max(len(found), 1)
            colour = f"C{sizes.index(line.samples)}"
            axes.plot([line.low, line.high], [height, height], color=colour, linewidth=1.1)
            axes.plot([line.value], [height], "o", color=colour, markersize=3)


def ladder(lines: Sequence[Line]) -> Figure:
    """Samples to refutation against the size of the violation, with the ideal number."""
    figure = _figure(6.4, 4.4)
    axes = figure.subplots()
    lines = [line for line in lines if np.isfinite(line.value)]
    off = [float(line.case.rstrip("%")) for line in lines]
    value = np.array([line.value for line in lines])
    top = np.array([line.high if np.isfinite(line.high) else line.value for line in lines])
    bars = [value - [line.low for line in lines], top - value]
    axes.errorbar(off, value, bars, marker="o", capsize=3, label="sequential: median, least and most")
    axes.plot(off, [line.reference for line in lines], "s--", color="black", label="ideal: best fixed event")
    axes.set(xscale="log", yscale="log", xlabel="too little noise, %", ylabel="samples a side to refutation")
    axes.set_xticks(off, [f"{x:g}" for x in off])
    axes.minorticks_off()
    axes.grid(linewidth=0.3)
    axes.legend()
    return figure


_FIGURES: tuple[tuple[str, str, Callable[[Sequence[Line]], Figure]], ...] = (
    ("rows", "sharpness.png", sharpness),
    ("null", "false-alarms.png", false_alarms),
    ("ladder", "ladder.png", ladder),
)
