"""The map of a paper for its pages: an SVG that links to the results, and lists of what uses what.

The picture needs no script. Its results are links that the keyboard reaches and a screen reader reads, with
the colours of the page: the border says how the statement stands, the filling what stands behind it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from claims.harness.map import Layout, Node, PaperMap, Support
from claims.harness.standing import Standing

INCH = 72.0
"""Units of the picture in an inch of Graphviz, whose letters are 14 points high."""
MARGIN = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A map in units of the picture, y downwards: its frame, boxes with their links, edges as paths."""

    frame: str
    width: float
    boxes: list[dict[str, Any]]
    edges: list[dict[str, Any]]


def drawn(found: PaperMap, layout: Layout, shown: Collection[str] | None = None, here: str = "") -> Drawn:
    """The map, or the part of it that shows only some results, where the whole map has them.

    here  the result whose page it is on.
    """
    chosen = {r: box for r, box in layout.boxes.items() if shown is None or r in shown}
    left = min(x - w / 2 for x, _, w, _ in chosen.values()) * INCH - MARGIN
    right = max(x + w / 2 for x, _, w, _ in chosen.values()) * INCH + MARGIN
    top = max(y + h / 2 for _, y, _, h in chosen.values()) * INCH + MARGIN
    bottom = min(y - h / 2 for _, y, _, h in chosen.values()) * INCH - MARGIN

    def at(x: float, y: float) -> str:
        return f"{x * INCH - left:.1f} {top - y * INCH:.1f}"

    boxes: list[dict[str, Any]] = []
    for result, (x, y, w, h) in chosen.items():
        node = found.nodes[result]
        corner = at(x - w / 2, y + h / 2).split()
        middle = at(x, y).split()
        boxes.append({
            "node": node, "corner": corner, "middle": middle, "size": (f"{w * INCH:.1f}", f"{h * INCH:.1f}"),
            "support": {Support.SOUND: "sound", Support.FALLS: "shaky", Support.OPEN: "unsure"}[node.support],
            "here": result == here,
        })  # fmt: skip
    edges: list[dict[str, Any]] = []
    for a, b, points in layout.edges:
        if a in chosen and b in chosen:
            start, *rest = (at(x, y) for x, y in points)
            edges.append({"path": f"M{start}C{' '.join(rest)}", "dashed": bool(found.uses[a][b])})
    return Drawn(
        frame=f"0 0 {right - left:.0f} {top - bottom:.0f}", width=right - left, boxes=boxes, edges=edges
    )


def mind(node: Node) -> str:
    """What to mind of a result whose proof uses what falls or is open; "" where there is nothing."""
    holds = node.standing in (Standing.HOLDS, Standing.NEARLY)
    stands = "holds" if holds else str(node.standing)
    return "" if node.support is Support.SOUND else f"The statement {stands}, but {node.support}"
