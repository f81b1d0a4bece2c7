"""Claims small enough to see through, for the tests of the machinery, and what pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from audits.evidence import Evidence, Verdict
from audits.judge import equals, reported
from claims.harness.claim import Claim, Kind, Paper, Tier
from implementations.interfaces import Adjacency

PAPER = Paper("demo", reference="Nobody (2000)", adjacency=Adjacency.REPLACE)


def measure_mean(point: Any) -> dict[str, Any]:
    """`trials` normal draws around n."""
    return {"value": point.n + point.rng.standard_normal(point.trials)}


def judge_mean(rows: Any, budget: Any) -> Iterable[Evidence]:
    """The mean of each grid point, as context, and one exact fact that confirms."""
    for n, mean in rows.groupby("n")["value"].mean().items():
        yield reported("mean", float(mean), point={"n": int(n)})
    yield equals("fact", 1.0, 1.0)


def check_fact(point: Any) -> Iterable[Evidence]:
    """An exact fact about every grid point."""
    yield equals("fact", point.n, point.n)


def claim(
    name: str = "theorem-1",
    *,
    expected: Verdict = Verdict.CONFIRMED,
    trials: int = 50,
    chunk: int = 20,
    points: Sequence[dict[str, Any]] = ({"n": 1}, {"n": 2}),
    **more: Any,
) -> Claim:
    """A claim of the paper "demo" with the same work in every tier; by default it measures and judges."""
    tier = Tier(points, trials=trials, chunk=chunk)
    name, _, variant = name.partition(":")
    if "check" not in more:
        more = {"measure": measure_mean, "judge": judge_mean} | more
    return Claim(
        PAPER,
        "Theorem 1",
        "section 1",
        name=name,
        variant=variant,
        kind=Kind.IDENTITY,
        title="A demonstration",
        statement="For all $n$, $1 = 1$.",
        expected=expected,
        smoke=tier,
        ci=tier,
        **more,
    )


PAPER_FILE = """from claims import Adjacency, Paper
PAPER = Paper("{key}", reference="Doe (2020)", adjacency=Adjacency.REPLACE)
"""
CLAIM_FILE = '''"""Theorem 1: a fact.

How it is checked. By looking.
"""
import os, signal, sys, time
from {{key}} import PAPER
from claims import CONFIRMED, REFUTED, Claim, Finding, Kind, equals, grid

def check(point):
    {line}
    yield equals("fact", {value}, 1.0)

CLAIM = Claim(PAPER, "Theorem 1", "section 1", name={name!r}, kind=Kind.IDENTITY, title="Title",
              statement="It is so.", expected={expected}, smoke=grid(), ci=grid(), check=check, {more})
'''


def claim_file(
    name: str = "theorem-1",
    *,
    line: str = "pass",
    value: str = "1.0",
    expected: str = "CONFIRMED",
    more: str = "",
) -> str:
    """The text of a claim whose check runs this line and finds this value where 1 is claimed."""
    return CLAIM_FILE.format(name=name, line=line, value=value, expected=expected, more=more)


def write_paper(folder: Path, key: str, **files: str) -> Path:
    """A paper `key` in `folder` with a claim theorem_1.py, unless `files` says otherwise (stem → text)."""
    place = folder / key
    place.mkdir(parents=True)
    for stem, text in ({"__init__": PAPER_FILE} | (files or {"theorem_1": claim_file()})).items():
        (place / f"{stem}.py").write_text(text.replace("{key}", key))
    return place


class Tags(HTMLParser):
    """Every tag with its attributes, and whether all tags are closed in order."""

    VOID = ("meta", "link", "br", "img", "hr", "input")
    TEXT = ("script", "style")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
