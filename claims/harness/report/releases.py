"""The page of released libraries: the table that `python -m benchmarks.wild` wrote, and its findings.

The benchmark is none of this package: what it found is read from the file of its table. Where there is no
such file, as in an installation without the benchmarks, the site has no such page.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claims.harness.report.numbers import count_text, number_text
from claims.harness.report.site import Page, fill

TITLE = "Released libraries"
PATH = "releases.html"
FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "wild"
ALPHA = "10⁻⁴"
HEADS = {
    "documented bug": ("Documented bugs", "Each has a public reference, which the function links to."),
    "fixed": ("The releases that mended them", ""),
    "finding": ("Findings", "Not documented before; each is shown on a page without this software's audit."),
    "adjacency": (
        "Claims that hold under another adjacency",
        "The library counts neighbours otherwise: a record added or removed, not replaced, or the reverse.",
    ),
    "presumed correct": ("Presumed correct", ""),
}
BADGES = {"refuted": "REFUTED", "not-refuted": "CONSISTENT"}
Row = Mapping[str, Any]
Findings = Sequence[tuple[str, str, str]]
"""Title, path in the site and Markdown of the page of each finding."""


def release_pages(folder: Path = FOLDER) -> dict[str, str]:
    """The HTML of the page and of one for each finding, by path in the site; nothing without a table."""
    rows = _rows(folder)
    if not rows:
        return {}
    top = ("All results", "index.html")
    page = Page(title=TITLE, path=PATH, trail=(top,))
    pages = {PATH: fill("releases.html.j2", page, **_values(rows))}
    for title, path, text in _findings(rows, folder):
        inner = Page(title=title, path=path, trail=(top, (TITLE, PATH)))
        pages[path] = fill("text.html.j2", inner, text=text)
    return pages


def release_summary(folder: Path = FOLDER) -> dict[str, Any] | None:
    """What the index says of released libraries; None without a table."""
    rows = _rows(folder)
    if not rows:
        return None
    return {
        "functions": len(rows),
        "libraries": len(_libraries(rows)),
        "refuted": sum(row["verdict"] == "refuted" for row in rows),
        "findings": [(title, path) for title, path, _ in _findings(rows, folder)],
    }


def _rows(folder: Path) -> list[dict[str, Any]]:
    file = folder / "table.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []


def _libraries(rows: Sequence[Row]) -> set[str]:
    return {str(row["library"]).split("==")[0] for row in rows}


def _findings(rows: Sequence[Row], folder: Path) -> Findings:
    found: list[tuple[str, str, str]] = []
    for finding in sorted({str(row["reference"]) for row in rows if _is_finding(row)}):
        if (folder / finding).is_file():
            text = (folder / finding).read_text(encoding="utf-8")
            found.append((text.lstrip("# ").partition("\n")[0], _finding_path(finding), text))
    return found


def _is_finding(row: Row) -> bool:
    return str(row.get("reference", "")).startswith("findings/")


def _finding_path(reference: str) -> str:
    return f"releases/{Path(reference).stem}.html"


def _values(rows: Sequence[Row]) -> dict[str, Any]:
    counts = Counter(str(row["verdict"]) for row in rows)
    parts = [(h, w, [_row(r) for r in rows if r["status"] == status]) for status, (h, w) in HEADS.items()]
    return {
        "total": len(rows),
        "libraries": len(_libraries(rows)),
        "alpha": ALPHA,
        "counts": [(_badge(v), _words(v), n) for v, n in sorted(counts.items())],
        "parts": [part for part in parts if part[2]],
    }


def _row(row: Row) -> dict[str, str]:
    reference, verdict = str(row.get("reference", "")), str(row["verdict"])
    claim = number_text(float(row["epsilon"]), 4)
    if row["delta"]:
        claim += f", {number_text(float(row['delta']), 3)}"
    shown = {
        "library": str(row["library"]),
        "function": str(row["function"]),
        "released": str(row["released"]),
        "adjacency": str(row["adjacency"]),
        "claim": claim,
        "link": _finding_path(reference) if _is_finding(row) else "",
        "simplest": _event(row["simplest"]) if row.get("simplest") else "",
        "failed": str(row.get("failed") or ""),
        "badge": _badge(verdict),
        "verdict": _words(verdict),
        "differs": "" if verdict == row["expected"] else str(row["expected"]),
        **dict.fromkeys(("found", "caught", "samples", "seconds"), ""),
    }
    if reference.startswith("https://"):
        shown["link"] = reference
    if not row.get("failed"):
        caught = None if verdict == "refuted" else row["resolution"]
        shown |= {
            "found": number_text(row["epsilon_lower"], 3),
            "caught": number_text(caught, 3),
            "samples": count_text(int(row["samples"])),
            "seconds": f"{row['cpu_seconds']:.1f}",
        }
    return shown


def _event(simplest: Row) -> str:
    """The simplest event that shows a refutation, with its probabilities on both datasets."""
    shares = (
        f"{number_text(s['estimate'], 2)} [{number_text(s['low'], 2)}, {number_text(s['high'], 2)}]"
        for s in (simplest["first"], simplest["second"])
    )
    found = number_text(simplest["epsilon"], 3)
    return f"{simplest['event']}: probability {' against '.join(shares)}, ε ≥ {found}"


def _badge(verdict: str) -> str:
    return BADGES.get(verdict, "INCONCLUSIVE")


def _words(verdict: str) -> str:
    return verdict.upper().replace("-", " ")
