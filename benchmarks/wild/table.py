"""The table: `table.json` keeps what was found, `table.csv` and `README.md` show it."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.wild.case import Case, all_cases

HOME = Path(__file__).resolve().parent
Row = Mapping[str, Any]
COLUMNS = (
    "library",
    "function",
    "released",
    "adjacency",
    "epsilon",
    "delta",
    "status",
    "expected",
    "verdict",
    "epsilon_lower",
    "resolution",
    "samples",
    "seconds",
    "cpu_seconds",
    "reference",
    "failed",
)
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


def load(home: Path = HOME, file: str = "table.json") -> dict[str, dict[str, Any]]:
    """The rows of a file known so far, by id."""
    path = home / file
    return {row["id"]: row for row in json.loads(path.read_text(encoding="utf-8"))} if path.is_file() else {}


def rows_of(rows: Mapping[str, Row], cases: Sequence[Case]) -> list[dict[str, Any]]:
    """The rows of the cases that there are, in their order; a case that was not audited yet says so."""
    found: list[dict[str, Any]] = []
    for case in cases:
        row = dict(rows.get(case.id, {}))
        if row.get("digest") == case.digest():
            found.append(row | case.described())
    return found


def write(rows: Mapping[str, Row], cases: Sequence[Case], home: Path = HOME) -> None:
    """Write all three files."""
    found = rows_of(rows, cases)
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (home / "table.json").write_text(text, encoding="utf-8")
    with (home / "table.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, extrasaction="ignore", restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    (home / "README.md").write_text(markdown(found), encoding="utf-8")


def line(row: Row) -> str:
    """A row for a terminal."""
    if row.get("failed"):
        return f"{row['verdict']:13} {row['id']}: {row['failed']}"
    return (
        f"{row['verdict']:13} {row['id']}: claimed ε = {row['epsilon']:g}, ε ≥ {row['epsilon_lower']:.3g}, "
        f"{row['samples']:,} samples, {row['cpu_seconds']:.1f} CPU s"
    )


def greys(home: Path = HOME) -> dict[str, dict[str, Any]]:
    """What the grey box said of each case, by id; see `benchmarks.wild.grey`."""
    return load(home, "grey.json")


def markdown(rows: Sequence[Row], grey: Mapping[str, Row] | None = None) -> str:
    """The page with the table; grey: what the grey box said, by id (default: `grey.json`)."""
    traced = greys() if grey is None else grey
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
    for status in HEADS:
        chosen = [row for row in rows if row["status"] == status]
        if not chosen:
            continue
        parts.append(f"\n## {HEADS[status]}\n\n{_head()}{''.join(_row(r, traced) for r in chosen)}")
    parts.append(_both(rows, traced))
    parts.append(_shown(rows))
    failed = [row for row in rows if row.get("failed")]
    if failed:
        parts.append("\n## Not audited\n\n" + "".join(f"* `{r['id']}`: {r['failed']}\n" for r in failed))
    return "".join(parts)


def _commits(rows: Sequence[Row]) -> str:
    """On which commits the rows were measured, where they say so."""
    known = sorted({row["commit"] for row in rows if row.get("commit")})
    return f" Measured on {', '.join(f'`{commit}`' for commit in known)}." if known else ""


def _shown(rows: Sequence[Row]) -> str:
    """What anyone can count: the simplest event of each refutation."""
    lines = [
        f"* `{row['id']}`: {row['simplest']['event']}: "
        f"{' against '.join(_share(row['simplest'][side]) for side in ('first', 'second'))}, "
        f"so ε ≥ {row['simplest']['epsilon']:.3g}\n"
        for row in rows
        if row.get("simplest")
    ]
    if not lines:
        return ""
    return (
        "\n## What shows it\n\nThe simplest event of each refutation, counted on fresh outputs: its "
        "probability on the first and on the second dataset, with intervals that hold together at the same "
        "confidence. Where a refutation is missing here, no coordinate, symbol or sum shows it alone.\n\n"
        + "".join(lines)
    )


def _both(rows: Sequence[Row], grey: Mapping[str, Row]) -> str:
    """How the black box and the grey box stand to the truth, in counts and case by case where they differ."""
    audited = {row["id"] for row in rows}
    others = [case.described() | {"verdict": "not audited"} for case in all_cases() if case.id not in audited]
    known = [row for row in [*rows, *others] if row["id"] in grey]
    if not known:
        return ""
    lines = [
        "\n## Black box, grey box, truth\n\n",
        "`python -m benchmarks.wild.grey` traces the cases, without a decorator. A leak, or a "
        f"ledger above the claim, is a flag. What is lost is none.{_commits(list(grey.values()))}\n\n",
        "| truth | cases traced | flagged by the black box | flagged by the grey box | lost | by either |\n",
        f"|{' --- |' * 1}{' ---: |' * 5}\n",
    ]
    for status in (s for s in HEADS if any(row["status"] == s for row in known)):
        chosen = [row for row in known if row["status"] == status]
        black = {row["id"] for row in chosen if row["verdict"] == "refuted"}
        flagged = {r["id"] for r in chosen if grey[r["id"]]["verdict"] in ("leak", "ledger-exceeds")}
        lost = sum(grey[row["id"]]["verdict"] == "lost" for row in chosen)
        cells = [status, len(chosen), len(black), len(flagged), lost, len(black | flagged)]
        lines.append(f"| {' | '.join(map(str, cells))} |\n")
    flagged = [row for row in known if grey[row["id"]]["verdict"] in ("leak", "ledger-exceeds")]
    lines += [_drawn_lines(flagged, grey), _corrected_lines(flagged, grey), _times(grey)]
    lines += [f"* `{row['id']}`: {_told(row, grey[row['id']])}\n" for row in flagged]
    return "".join(lines)


def _drawn_lines(flagged: Sequence[Row], grey: Mapping[str, Row]) -> str:
    """How often the line that is named is that at which what breaks the claim is drawn or leaves."""
    known = [row for row in flagged if row.get("drawn")]
    right = sum(grey[row["id"]]["at"] in row["drawn"] for row in known)
    return (
        "\nThe trace names the line at which the number that breaks the claim is drawn, or leaves. Read in "
        f"the source by hand, it is that line in {right} of {len(known)} flagged cases.\n"
        if known
        else "\n"
    )


def _times(grey: Mapping[str, Row]) -> str:
    """What the traces cost beside the library: the median, and which cases take long."""
    beside = {
        name: row["cpu_seconds"] - row["library_seconds"]
        for name, row in grey.items()
        if "cpu_seconds" in row
    }
    if not beside:
        return ""
    long = sorted((name for name in beside if beside[name] > LONG), key=lambda name: -beside[name])
    named = ", ".join(f"`{name}` {beside[name]:.0f}" for name in long)
    return (
        "A trace takes many runs. Beside the processor time in which the library is loaded and runs once on "
        f"each dataset it takes {median(beside.values()):.1f} s in the median, and more than {LONG:g} s "
        f"in {len(long)} of {len(beside)} cases{': ' if long else ''}{named}.\n\n"
    )


def _corrected_lines(flagged: Sequence[Row], grey: Mapping[str, Row]) -> str:
    """How far the lines that are named are from those that a correction changes."""
    pairs = [(_named(grey[row["id"]]), row["line"]) for row in flagged if row.get("line")]
    if not pairs:
        return "\n"
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
        f"({near / len(pairs):.0%}; the line of the draw alone: {drawn}).\n\n"
    )


def _named(grey: Row) -> list[str]:
    """The lines that the trace names, that of the draw first."""
    return [grey["at"], *(step["at"] for step in grey.get("cause", ()))]


def _told(row: Row, grey: Row) -> str:
    """What the trace says of a case, and what a correction changes."""
    steps = "".join(f"; {step['text']}" for step in grey.get("cause", ()))
    changed = f"; a correction changes `{row['line']}`" if row.get("line") else ""
    wrong = " **No violation is known here: the trace is taken to be wrong.** The trace says"
    return f"{_grey(grey)}:{wrong if row['expected'] == 'not-refuted' else ''} {grey['text']}{steps}{changed}"


def _near(named: str, changed: str) -> bool:
    """Whether two lines, as file.py:12, stand in one file, at most `NEAR` lines apart."""
    (file, line), (other, place) = named.rsplit(":", 1), changed.rsplit(":", 1)
    return file == other and abs(int(line) - int(place)) <= NEAR


def _grey(row: Row | None) -> str:
    if row is None:
        return ""
    words = {"leak": "LEAK", "ledger-exceeds": "exceeds", "nothing-found": "nothing found", "lost": "lost"}
    found = words.get(row["verdict"], row["verdict"])
    return f"{found}, `{row['at']}`" if row.get("at") else found


def _share(share: Row) -> str:
    return f"{share['estimate']:.3g} [{share['low']:.2g}, {share['high']:.2g}]"


def _head() -> str:
    names = ["release", "function", "released", "adjacency", "claimed", "verdict", "ε found", "resolution"]
    names += ["samples", "s", "grey box", "s"]
    return f"| {' | '.join(names)} |\n|{' --- |' * 6}{' ---: |' * 4} --- | ---: |\n"


def _found(row: Row) -> float:
    """The larger of two lower bounds of ε: the test's, and that of the simplest event on fresh outputs."""
    return max(row["epsilon_lower"], (row.get("simplest") or {"epsilon": 0.0})["epsilon"])


def _row(row: Row, grey: Mapping[str, Row]) -> str:
    claim = f"{row['epsilon']:.4g}" + (f", {row['delta']:g}" if row["delta"] else "")
    function = f"[{row['function']}]({row['reference']})" if row["reference"] else row["function"]
    verdict = row["verdict"] if row["verdict"] == row["expected"] else f"**{row['verdict']}**"
    figures = ["", "", "", ""]
    if not row.get("failed"):
        reached = row["resolution"]
        figures = [
            f"{_found(row):.3g}",
            "" if reached is None or row["verdict"] == "refuted" else f"{reached:.3g}",
            f"{row['samples']:,}",
            f"{row['cpu_seconds']:.1f}",
        ]
    cells = [f"`{row['library']}`", function, row["released"], row["adjacency"], claim, verdict, *figures]
    traced = grey.get(row["id"])
    seconds = traced.get("cpu_seconds") if traced else None
    cells += [_grey(traced), "" if seconds is None else f"{seconds:.1f}"]
    return f"| {' | '.join(cells)} |\n"
