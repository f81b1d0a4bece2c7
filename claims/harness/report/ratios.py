"""Measured over claimed, a bar for every piece of evidence, as SVG with words that can be read and found.

Many pages have such a picture, and the template `ratios.svg.j2` makes it in a thousandth of the time that
Matplotlib takes.
"""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from audits.evidence import Evidence
from claims.harness.report.plots import GRID, INK, PALETTE, Drawn, log_ticks, select_words, shorten, tick_text
from claims.harness.report.terminal import as_text

WIDTH, MARGIN, LINE, BAR = 440, 14, 15, 15
"""Sizes in units of which the letters are 12 high: of the picture, beside it, a line of words, a bar."""
MARKS = {
    "circle": "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "square": "m-4-4h8v8h-8z",
    "diamond": "m0-5.5l5.5 5.5-5.5 5.5-5.5-5.5z",
}
"""Their outlines, from the middle."""
_LONGEST, _LINES = 128, 66
"""Characters of a label, and of a line of it."""
_CAPTION = (
    "Measured against claimed: every piece of evidence with its interval, divided by the value claimed "
    "for it; dashed where the two are equal. Circle: supports the claim. Square: contradicts it. "
    "Diamond: decides nothing."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One piece of evidence: the lines of its label, the ends of its interval and its estimate across, its
    height on the page, its colour and mark."""

    label: Sequence[str]
    top: float
    place: float
    low: float
    middle: float
    high: float
    colour: str
    mark: str


def has_ratio(evidence: Evidence) -> bool:
    """Whether measured over claimed can be drawn on a logarithmic axis."""
    return (
        evidence.claimed is not None
        and 0 < evidence.claimed < math.inf
        and 0 < evidence.estimate < math.inf
        and evidence.axis is None
    )


def draw_ratios(evidence: Sequence[Evidence]) -> Drawn:
    """Every measured value over its claimed value, with its interval, on a logarithmic axis.

    evidence  pieces with a positive bound and a positive estimate, see `has_ratio`.
    """
    from claims.harness.report.site import environment

    values = [[v / float(e.claimed or math.nan) for v in (e.low, e.estimate, e.high)] for e in evidence]
    # Ends that are infinite, or zero or below, run out of the picture.
    finite = [v for three in values for v in three if 0 < v < math.inf]
    left, right = min(min(finite) / 1.5, 0.66), max(max(finite) * 1.5, 1.5)
    labels, shared = _labels(evidence)

    def across(value: float) -> float:
        share = math.log(min(max(value, left), right) / left) / math.log(right / left) if value > 0 else 0.0
        return MARGIN + share * (WIDTH - 2 * MARGIN)

    bars: list[Bar] = []
    top = 4.0
    for piece, three, label in zip(evidence, values, labels, strict=True):
        lines = textwrap.wrap(shorten(label, _LONGEST), _LINES)
        low, middle, high = map(across, three)
        colour, mark = _verdict_mark(piece)
        place = top + LINE * len(lines) + 8
        ends = {"low": low, "middle": middle, "high": high}
        bars.append(Bar(label=lines, top=top, place=place, **ends, colour=colour, mark=mark))
        top = place + BAR - 4
    ticks = [(across(tick), tick_text(tick)) for tick in log_ticks(left, right, most=5)]
    svg = (
        environment()
        .get_template("ratios.svg.j2")
        .render(
            bars=bars,
            ticks=ticks,
            bottom=top,
            one=across(1.0),
            width=WIDTH,
            line=LINE,
            ink=INK,
            grid=GRID,
            marks=MARKS,
        )
    )
    return Drawn(svg=svg, caption=f"{_CAPTION} All: {shared}." if shared else _CAPTION)


def _verdict_mark(piece: Evidence) -> tuple[str, str]:
    match piece.verdict:
        case "REFUTED":
            return PALETTE[1], "square"
        case "CONFIRMED" | "CONSISTENT":
            return PALETTE[0], "circle"
        case _:
            return PALETTE[6], "diamond"


def _labels(evidence: Sequence[Evidence]) -> tuple[list[str], str]:
    """What tells the pieces apart, and in words what they share."""
    points = [dict(e.point) for e in evidence]
    same_words = len({e.quantity for e in evidence}) == 1
    same: dict[str, Any] = {
        key: value
        for key, value in points[0].items()
        if all(key in point and point[key] == value for point in points)
    }
    labels: list[str] = []
    for number, (piece, point) in enumerate(zip(evidence, points, strict=True), 1):
        own = select_words({k: v for k, v in point.items() if k not in same})
        parts = [own] if same_words else [as_text(piece.quantity), own]
        labels.append(plain_letters("; ".join(part for part in parts if part)) or f"piece {number}")
    shared = [as_text(evidence[0].quantity)] if same_words else []
    return labels, "; ".join(part for part in [*shared, select_words(same)] if part)


def plain_letters(text: str) -> str:
    """Script and other mathematical letters as plain ones, which every font has.

    >>> plain_letters("points outside 𝒦₂")
    'points outside K₂'
    """
    return "".join(unicodedata.normalize("NFKC", c) if "\U0001d400" <= c <= "\U0001d7ff" else c for c in text)
