"""The page: `table.json` and `grey.json` keep what the boxes found, `README.md` shows it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.wild.case import Case

HOME = Path(__file__).resolve().parent
BLACK, GREY = "table.json", "grey.json"
"""What the black box found, and the grey box, a row a case."""
Row = Mapping[str, Any]
NEAR = 10
"""Lines within which a line counts as near another."""
LONG = 5.0
"""Processor seconds beside the library's own that a trace may take."""
HEADS = {
    "documented bug": "Documented bugs",
    "fixed": "The releases that mended them",
    "finding": "Findings",
    "adjacency": "Claims that hold under another adjacency",
    "presumed correct": "Presumed correct",
}
FLAGS = ("leak", "ledger-exceeds")
COLUMNS = (
    "release", "function", "released", "adjacency", "claimed", "verdict",
    "ε found", "resolution", "samples", "s", "grey box", "s",
)  # fmt: skip


def load(file: str = BLACK, home: Path = HOME) -> dict[str, Row]:
    """The rows of a file, by the ids of their cases."""
    path = home / file
    return {row["id"]: row for row in json.loads(path.read_text(encoding="utf-8"))} if path.is_file() else {}


def joined(
    cases: Sequence[Case], black: Mapping[str, Row], grey: Mapping[str, Row] | None = None
) -> list[Row]:
    """What is said of each case, with what the black box found of it and, under "grey", the grey box. A case
    that has changed since it was audited has no row."""
    return [
        case.described() | dict(black[case.id]) | {"grey": (grey or {}).get(case.id, {})}
        for case in cases
        if black.get(case.id, {}).get("digest") == case.digest()
    ]


def write(rows: Mapping[str, Row], cases: Sequence[Case], file: str = BLACK, home: Path = HOME) -> None:
    """Write what the black box or the grey box found, in the order of the cases, and the page."""
    kept = [rows[case.id] for case in cases if case.id in rows]
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    (home / file).write_text(text, encoding="utf-8")
    page = markdown(joined(cases, load(BLACK, home), load(GREY, home)))
    (home / "README.md").write_text(page, encoding="utf-8")


def markdown(rows: Sequence[Row]) -> str:
    """The page."""
    libraries = {row["library"].split("==")[0] for row in rows}
    expected = sum(row["verdict"] == row["expected"] for row in rows)
    verdicts = Counter(row["verdict"] for row in rows)
    counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items()))
    parts = [
        "# Released libraries, audited as shipped\n\n"
        "`python -m benchmarks.wild` makes an environment for each release, draws outputs in it and audits "
        "the claim at α = 10⁻⁴. Seconds are processor seconds, those of the worker included; ε found is the "
        "lower end of the best evidence, the test's or the simplest event's, and is too large with "
        "probability 2·10⁻⁴ at most; the resolution is the violation that would have been caught with "
        'probability 0.9 on the events tried. "Not refuted" is no proof of privacy.\n\n'
        f"{len(rows)} cases of {len(libraries)} libraries: {counts}; {expected} as expected."
        f"{_commits(rows)}\n"
    ]
    for status, head in HEADS.items():
        if lines := [_row(row) for row in rows if row["status"] == status]:
            parts.append(f"\n## {head}\n\n{_head(COLUMNS, 6, 4)} --- | ---: |\n{''.join(lines)}")
    if traced := [row for row in rows if row["grey"]]:
        parts.append(_both(traced))
    if shown := [_event(row) for row in rows if row.get("simplest")]:
        parts.append(
            "\n## What shows it\n\nThe simplest event of each refutation, counted on fresh outputs: its "
            "probability on the first and on the second dataset, with intervals that hold together at the "
            "same confidence. Where a refutation is missing here, no coordinate, symbol or sum shows it "
            f"alone.\n\n{''.join(shown)}"
        )
    if failed := [f"* `{row['id']}`: {row['failed']}\n" for row in rows if row.get("failed")]:
        parts.append(f"\n## Not audited\n\n{''.join(failed)}")
    return "".join(parts)


def _commits(rows: Sequence[Row]) -> str:
    """On which commits the rows were measured, where they say so."""
    known = sorted({row["commit"] for row in rows if row.get("commit")})
    return f" Measured on {', '.join(f'`{commit}`' for commit in known)}." if known else ""


def _head(names: Sequence[str], words: int, numbers: int) -> str:
    """The head of a table, whose first columns are words and whose next are numbers."""
    return f"| {' | '.join(names)} |\n|{' --- |' * words}{' ---: |' * numbers}"


def _event(row: Row) -> str:
    """What anyone can count: the simplest event of a refutation."""
    one = row["simplest"]
    shares = (f"{s['estimate']:.3g} [{s['low']:.2g}, {s['high']:.2g}]" for s in (one["first"], one["second"]))
    return f"* `{row['id']}`: {one['event']}: {' against '.join(shares)}, so ε ≥ {one['epsilon']:.3g}\n"


def _both(rows: Sequence[Row]) -> str:
    """How the black box and the grey box stand to the truth, in counts and case by case where they differ."""
    names = (
        "truth",
        "cases traced",
        "flagged by the black box",
        "flagged by the grey box",
        "lost",
        "by either",
    )
    lines = [
        "\n## Black box, grey box, truth\n\n",
        "`python -m benchmarks.wild --grey` traces the cases, without a decorator. A leak, or a "
        f"ledger above the claim, is a flag. What is lost is none.{_commits([r['grey'] for r in rows])}\n\n",
        f"{_head(names, 1, 5)}\n",
    ]
    for status in HEADS:
        chosen = [row for row in rows if row["status"] == status]
        black = [row["verdict"] == "refuted" for row in chosen]
        grey = [row["grey"]["verdict"] in FLAGS for row in chosen]
        lost = sum(row["grey"]["verdict"] == "lost" for row in chosen)
        either = sum(b or g for b, g in zip(black, grey, strict=True))
        cells = [status, len(chosen), sum(black), sum(grey), lost, either]
        lines.append(f"| {' | '.join(map(str, cells))} |\n" if chosen else "")
    flagged = [row for row in rows if row["grey"]["verdict"] in FLAGS]
    lines += [_drawn_lines(flagged), _corrected_lines(flagged), _times(rows)]
    lines += [f"* `{row['id']}`: {_told(row)}\n" for row in flagged]
    return "".join(lines)


def _drawn_lines(flagged: Sequence[Row]) -> str:
    """How often the line that is named is that at which what breaks the claim is drawn or leaves."""
    known = [row for row in flagged if row["drawn"]]
    right = sum(row["grey"]["at"] in row["drawn"] for row in known)
    return (
        "\nThe trace names the line at which the number that breaks the claim is drawn, or leaves. Read in "
        f"the source by hand, it is that line in {right} of {len(known)} flagged cases.\n"
    )


def _times(rows: Sequence[Row]) -> str:
    """What the traces cost beside the library: the median, and which cases take long."""
    beside = {
        row["id"]: row["grey"]["cpu_seconds"] - row["grey"]["library_seconds"]
        for row in rows
        if "cpu_seconds" in row["grey"]
    }
    long = sorted((name for name in beside if beside[name] > LONG), key=lambda name: -beside[name])
    named = ", ".join(f"`{name}` {beside[name]:.0f}" for name in long)
    return (
        "A trace takes many runs. Beside the processor time in which the library is loaded and runs once on "
        f"each dataset it takes {median(beside.values()):.1f} s in the median, and more than {LONG:g} s "
        f"in {len(long)} of {len(beside)} cases{': ' if long else ''}{named}.\n\n"
    )


def _corrected_lines(flagged: Sequence[Row]) -> str:
    """How far the lines that are named are from those that a correction changes."""
    pairs = [(_named(row["grey"]), row["line"]) for row in flagged if row["line"]]
    same = sum(line in named for named, line in pairs)
    near = sum(any(_near(one, line) for one in named) for named, line in pairs)
    drawn = sum(_near(named[0], line) for named, line in pairs)
    caused = sum(len(named) > 1 for named, _ in pairs)
    return (
        "\nA correction may change an earlier line, where a scale is computed or data are not clipped; it "
        "was read in the source by hand, too. The trace follows what leaks back, and names a variable only "
        "where a run with its other value shows that it decides; it names such lines in "
        f"{caused} of the {len(pairs)} cases for which the correction is known. One of the lines that it "
        f"names is the corrected one in {same}, and at most {NEAR} lines from it in {near} "
        f"({near / max(len(pairs), 1):.0%}; the line of the draw alone: {drawn}).\n\n"
    )


def _named(grey: Row) -> list[str]:
    """The lines that the trace names, that of the draw first."""
    return [grey["at"], *(step["at"] for step in grey.get("cause", ()))]


def _told(row: Row) -> str:
    """What the trace says of a case, and what a correction changes."""
    grey = row["grey"]
    steps = "".join(f"; {step['text']}" for step in grey.get("cause", ()))
    changed = f"; a correction changes `{row['line']}`" if row["line"] else ""
    wrong = " **No violation is known here: the trace is taken to be wrong.** The trace says"
    return f"{_grey(grey)}:{wrong if row['expected'] == 'not-refuted' else ''} {grey['text']}{steps}{changed}"


def _near(named: str, changed: str) -> bool:
    """Whether two lines, as file.py:12, stand in one file, at most `NEAR` lines apart."""
    (file, line), (other, place) = named.rsplit(":", 1), changed.rsplit(":", 1)
    return file == other and abs(int(line) - int(place)) <= NEAR


def _grey(row: Row) -> str:
    words = {"leak": "LEAK", "ledger-exceeds": "exceeds", "nothing-found": "nothing found"}
    verdict = str(row.get("verdict", ""))
    found = words.get(verdict, verdict)
    return f"{found}, `{row['at']}`" if row.get("at") else found


def _row(row: Row) -> str:
    claim = f"{row['epsilon']:.4g}" + (f", {row['delta']:g}" if row["delta"] else "")
    function = f"[{row['function']}]({row['reference']})" if row["reference"] else row["function"]
    verdict = row["verdict"] if row["verdict"] == row["expected"] else f"**{row['verdict']}**"
    figures = ["", "", "", ""]
    if not row.get("failed"):
        found = max(row["epsilon_lower"], (row["simplest"] or {"epsilon": 0.0})["epsilon"])
        reached = row["resolution"]
        reached = "" if reached is None or row["verdict"] == "refuted" else f"{reached:.3g}"
        figures = [f"{found:.3g}", reached, f"{row['samples']:,}", f"{row['cpu_seconds']:.1f}"]
    grey = row["grey"]
    seconds = f"{grey['cpu_seconds']:.1f}" if "cpu_seconds" in grey else ""
    cells = [f"`{row['library']}`", function, row["released"], row["adjacency"], claim, verdict, *figures]
    return f"| {' | '.join([*cells, _grey(grey), seconds])} |\n"
