"""The map of a paper: what the proof of each printed result uses, what falls with it, and where it is drawn.

A result's own standing says whether the statement holds. What stands behind it says whether the paper has
proved it: a theorem may hold, and its proof use a lemma that falls.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from claims.harness.claim import Claim
from claims.harness.ids import result_of
from claims.harness.standing import Standing, readings_of, standing

Uses = Mapping[str, Mapping[str, str]]
"""Printed result → what the paper's proof of it uses, each with a note or ""."""
COLOURS = {
    "holds": "#116329",
    "nearly": "#0b5a75",
    "letter": "#7a4b00",
    "falls": "#a4380a",
    "open": "#57606a",
}
"""Of the border, by the standing of the statement."""
FILLS = ("#dff3e3", "#e8ebee", "#fde6d9")
"""By what stands behind it, in the order of `Support`."""


class Support(StrEnum):
    """What stands behind a result: all that the paper's proof uses, and what the proofs of that use."""

    SOUND = "nothing that its proof uses falls"
    OPEN = "its proof uses a result that is open"
    FALLS = "its proof uses a result that falls"


@dataclass(frozen=True, slots=True)
class Node:
    """A printed result on the map: its id, its label ("Theorem 3.1"), its title, and how it stands."""

    id: str
    label: str
    title: str
    standing: Standing
    support: Support

    @property
    def marked(self) -> str:
        """Its label with the mark of its standing."""
        return f"{self.standing.mark} {self.label}"

    @property
    def words(self) -> str:
        """How it stands, and what stands behind it where that is not sound."""
        but = "" if self.support is Support.SOUND else f"; {self.support}"
        return f"{self.label} {self.standing}{but}"


@dataclass(frozen=True, slots=True)
class PaperMap:
    """The results of a paper by their ids, and what their proofs use."""

    paper: str
    nodes: Mapping[str, Node]
    uses: Uses

    def used_by(self, result: str) -> list[str]:
        """The results whose proofs use this one themselves."""
        return [each for each, used in self.uses.items() if result in used]

    def without(self, result: str) -> list[str]:
        """The results that no longer have a proof without this one: all whose proofs lead to it."""
        return [each for each in self.nodes if result in behind(each, self.uses)]

    def near(self, result: str) -> set[str]:
        """A result, all that stands behind it and all that rests on it."""
        return {result, *behind(result, self.uses), *self.without(result)}


def used_by_results(claims: Sequence[Claim]) -> dict[str, dict[str, str]]:
    """What the paper's proof of each printed result uses.

    A result uses what any of its readings and the steps of its proof say; a reading that is named stands for
    its result.
    """
    by_id = {c.id: c for c in claims}
    found: dict[str, dict[str, str]] = {result_of(c.id): {} for c in claims}
    for claim in claims:
        for name, note in claim.noted.items():
            if name in by_id:
                found[result_of(claim.id)].setdefault(result_of(name), note)
    return found


def behind(result: str, uses: Uses) -> list[str]:
    """Everything that a result rests on by its proof, what it uses itself first; itself only in a circle."""
    found: dict[str, None] = {}
    waiting = list(uses.get(result, ()))
    while waiting:
        each = waiting.pop(0)
        if each not in found:
            found[each] = None
            waiting += uses.get(each, ())
    return list(found)


def map_of(paper: str, claims: Sequence[Claim]) -> PaperMap:
    """The map of the printed results of a paper; programs of ours stand on none."""
    own = [c for c in claims if c.paper.key == paper and c.role != "program"]
    uses = used_by_results(own)
    stands = {result: standing(readings_of(result, own)) for result in uses}

    def support(result: str) -> Support:
        found = {stands[each] for each in behind(result, uses)}
        if Standing.FALLS in found:
            return Support.FALLS
        return Support.OPEN if Standing.OPEN in found else Support.SOUND

    first = {result_of(e.id): e for e in reversed(own)}  # the printed statement stands before its readings
    labels = _labels(first)
    nodes = {r: Node(r, labels[r], first[r].title, stands[r], support(r)) for r in uses}
    return PaperMap(paper, nodes, uses)


def _labels(first: Mapping[str, Claim]) -> dict[str, str]:
    """The paper's label of each result; where two have the same, with what tells their ids apart."""
    own = {result: e.result.removesuffix(", proof") or e.name for result, e in first.items()}
    shared = {label for label in own.values() if list(own.values()).count(label) > 1}
    for result, label in own.items():
        if label in shared:
            rest = (
                first[result].name.removeprefix(label.lower().replace(", ", "-").replace(" ", "-")).strip("-")
            )
            own[result] = f"{label} ({rest.replace('-', ' ')})" if rest else label
    return own


def legend(found: PaperMap) -> list[str]:
    """How many results of a map stand how, and how many hold by proofs that use what falls."""
    stands = [node.standing for node in found.nodes.values()]
    counts = "; ".join(f"{s.mark} {s}: {stands.count(s)}" for s in Standing if s in stands)
    holding = [n for n in found.nodes.values() if n.standing in (Standing.HOLDS, Standing.NEARLY)]
    lines = [f"{found.paper}: {len(stands)} printed results. {counts}."]
    for support in (Support.FALLS, Support.OPEN):
        if labels := [n.label for n in holding if n.support is support]:
            what = support.removeprefix("its proof ")
            *most, last = labels
            lines.append(
                f"The statements of {', '.join(most)} and {last} hold; but each proof {what}."
                if most
                else f"The statement of {last} holds, but its proof {what}."
            )
    return lines


def tree(found: PaperMap) -> Iterator[str]:
    """The map as lines of text: each result once, below it what its proof uses; then what stands alone."""
    seen: set[str] = set()

    def lines(result: str, note: str, first: str, rest: str) -> Iterator[str]:
        node, used = found.nodes[result], found.uses[result]
        shown = f"{node.marked}{f' ({note})' if note else ''}  {node.title}"
        again = result in seen and used
        yield f"{first}{f'{node.marked}, see above' if again else shown}"
        if result not in seen:
            seen.add(result)
            for number, (each, why) in enumerate(used.items()):
                last = number == len(used) - 1
                yield from lines(
                    each, why, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  ")
                )

    roots = [r for r, used in found.uses.items() if used and not found.used_by(r)]
    for root in roots:
        yield from lines(root, "", "", "")
    if alone := [n.label for r, n in found.nodes.items() if not found.uses[r] and not found.used_by(r)]:
        yield f"On its own: {', '.join(alone)}." if len(alone) == 1 else f"On their own: {', '.join(alone)}."


def what_if(found: PaperMap, result: str) -> Iterator[str]:
    """What no longer has a proof without a result, each with what its proof uses of that."""
    lost = found.without(result)
    label = found.nodes[result].label
    if not lost:
        yield f"Without {label} ({found.paper}) every other result keeps its proof."
        return
    have = "result has" if len(lost) == 1 else "results have"
    yield f"Without {label} ({found.paper}) {len(lost)} {have} no proof:"
    for each in lost:
        used = [found.nodes[u].label for u in found.uses[each] if u == result or u in lost]
        yield f"  {found.nodes[each].label}, which uses {' and '.join(used)}  {found.nodes[each].title}"


def dot(found: PaperMap) -> str:
    """The map for Graphviz: results above what their proofs use; a dashed edge is in the text only."""
    linked = [r for r in found.nodes if found.uses[r] or found.used_by(r)]
    lines: list[str] = []
    for result in linked:
        node = found.nodes[result]
        border, fill = COLOURS[node.standing.word], FILLS[list(Support).index(node.support)]
        words = f"label={_quoted(node.marked)}, tooltip={_quoted(node.title)}"
        lines.append(f'{_quoted(result)} [{words}, color="{border}", fillcolor="{fill}"];')
    for result in linked:
        for each, note in found.uses[result].items():
            lines.append(f"{_quoted(result)} -> {_quoted(each)}{' [style=dashed]' if note else ''};")
    settings = ["node [shape=box, style=filled];", "edge [arrowhead=none];"]
    body = "".join(f"  {line}\n" for line in (*settings, *lines))
    return f"digraph {_quoted(found.paper)} {{\n{body}}}\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True)
class Layout:
    """Where Graphviz puts things, in inches from the lower left corner.

    boxes  result → middle and size (x, y, width, height); edges  (from, to, points of a curve).
    """

    boxes: Mapping[str, tuple[float, float, float, float]]
    edges: Sequence[tuple[str, str, Sequence[tuple[float, float]]]]


def layout(found: PaperMap, kept: Path) -> Layout | None:
    """The layout of a map that Graphviz made and a file keeps; None where there is none of this map: then the
    map is a list.

    kept  what ``dpclaims show PAPER --dot | dot -Tplain > map.plain`` wrote, in the folder of the paper.
    """
    if not kept.is_file():
        return None
    made = _read_plain(kept.read_text(encoding="utf-8"))
    wanted = {(a, b) for a, used in found.uses.items() for b in used}
    return made if made.boxes and {(a, b) for a, b, _ in made.edges} == wanted else None


def _read_plain(text: str) -> Layout:
    """Graphviz's format `plain`: one line a node, one an edge with the control points of its curve.

    >>> _read_plain('node "a/b" 1 2 3 4 B\\nedge "a/b" "a/c" 4 1 1 1 2 1 3 1 4 solid black').edges
    [('a/b', 'a/c', [(1.0, 1.0), (1.0, 2.0), (1.0, 3.0), (1.0, 4.0)])]
    """
    boxes: dict[str, tuple[float, float, float, float]] = {}
    edges: list[tuple[str, str, list[tuple[float, float]]]] = []
    for words in map(shlex.split, text.splitlines()):
        if words[:1] == ["node"]:
            x, y, width, height = map(float, words[2:6])
            boxes[words[1]] = (x, y, width, height)
        elif words[:1] == ["edge"]:
            numbers = [float(word) for word in words[4 : 4 + 2 * int(words[3])]]
            edges.append((words[1], words[2], list(zip(numbers[::2], numbers[1::2], strict=True))))
    return Layout(boxes, edges)
