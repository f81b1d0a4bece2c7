"""The page of released libraries: the table that `python -m benchmarks.wild` wrote, and its findings.

The benchmark is none of this package: what it found is read from the file of its table. Where there is no
such file, as in an installation without the benchmarks, the site has no such page.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from claims.harness.report.mathematics import markdown_to_html
from claims.harness.report.pages import badge, count_html, number_html, table
from claims.harness.report.site import Page, document

TITLE = "Released libraries"
PATH = "releases.html"
FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "wild"
ALPHA = "10<sup>−4</sup>"
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


def release_pages(folder: Path = FOLDER) -> dict[str, str]:
    """The HTML of the page and of one for each finding, by path in the site; nothing without a table."""
    file = folder / "table.json"
    if not file.is_file():
        return {}
    rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    top = ("All claims", "index.html")
    pages = {PATH: document(Page(title=TITLE, path=PATH, trail=(top,)), "\n".join(_body(rows)), _made())}
    for finding in sorted({str(row["reference"]) for row in rows if _is_finding(row)}):
        source = folder / finding
        if source.is_file():
            path = _finding_path(finding)
            text = source.read_text(encoding="utf-8")
            title = text.lstrip("# ").partition("\n")[0]
            page = Page(title=title, path=path, trail=(top, (TITLE, PATH)))
            pages[path] = document(page, markdown_to_html(text), _made())
    return pages


def _made() -> str:
    return "Made by dpclaims from the table that <code>python -m benchmarks.wild</code> wrote."


def _is_finding(row: Row) -> bool:
    return str(row.get("reference", "")).startswith("findings/")


def _finding_path(reference: str) -> str:
    return f"releases/{Path(reference).stem}.html"


def _body(rows: Sequence[Row]) -> Iterator[str]:
    libraries = {str(row["library"]).split("==")[0] for row in rows}
    counts = Counter(str(row["verdict"]) for row in rows)
    expected = sum(row["verdict"] == row["expected"] for row in rows)
    yield f"<h1>{TITLE}</h1>"
    yield (
        f'<p class="lead">{len(rows)} functions of {len(libraries)} libraries, each drawn from in the '
        f"release's own Python and audited at α = {ALPHA}. {expected} verdicts are the expected ones.</p>"
    )
    badges = " ".join(f'<span class="count">{_badge(v)} {n}</span>' for v, n in sorted(counts.items()))
    yield f'<div class="counts">{badges}</div>'
    yield (
        f"<p>ε found is a lower bound that holds with confidence 1 − {ALPHA}. A violation of the size in the "
        'column "caught" would have been found with probability 0.9 on the events tried. Samples are outputs '
        "of each dataset, seconds those of a processor, for the library, too. Not refuted is no proof of "
        "privacy.</p>"
    )
    for status, (head, words) in HEADS.items():
        chosen = [row for row in rows if row["status"] == status]
        if chosen:
            yield f"<h2>{head}</h2>" + (f'<p class="quiet">{words}</p>' if words else "")
            yield _table(chosen, head)


def _table(rows: Sequence[Row], label: str) -> str:
    heads = ("release", "function", "adjacency", "claimed", "verdict", "ε found", "caught", "samples", "s")
    return table(heads, [_cells(row) for row in rows], name="releases", label=label)


def _cells(row: Row) -> list[str]:
    reference, name = str(row.get("reference", "")), html.escape(str(row["function"]))
    if _is_finding(row):
        name = f'<a href="{_finding_path(reference)}">{name}</a>'
    elif reference.startswith("https://"):
        name = f'<a href="{html.escape(reference, quote=True)}">{name}</a>'
    words = [f'{name}<div class="reading">{html.escape(str(row["released"]))}</div>']
    if row.get("simplest"):
        words.append(f'<div class="reading">shown by {_event(row["simplest"])}</div>')
    if row.get("failed"):
        words.append(f'<div class="reading">{html.escape(str(row["failed"]))}</div>')
    claim = number_html(float(row["epsilon"]), 4)
    if row["delta"]:
        claim += f", {number_html(float(row['delta']), 3)}"
    figures = ["", "", "", ""]
    if not row.get("failed"):
        caught = None if row["verdict"] == "refuted" else row["resolution"]
        figures = [
            number_html(row["epsilon_lower"], 3),
            number_html(caught, 3),
            count_html(int(row["samples"])),
            f"{row['cpu_seconds']:.1f}",
        ]
    verdict = _badge(str(row["verdict"]))
    if row["verdict"] != row["expected"]:
        verdict += f' <span class="differs">expected {html.escape(str(row["expected"]))}</span>'
    library = f"<code>{html.escape(str(row['library']))}</code>"
    return [library, "".join(words), html.escape(str(row["adjacency"])), claim, verdict, *figures]


def _event(simplest: Row) -> str:
    """The simplest event that shows a refutation, with its probabilities on both datasets."""
    shares = (
        f"{number_html(s['estimate'], 2)} [{number_html(s['low'], 2)}, {number_html(s['high'], 2)}]"
        for s in (simplest["first"], simplest["second"])
    )
    event = html.escape(str(simplest["event"]))
    return f"{event}: probability {' against '.join(shares)}, ε ≥ {number_html(simplest['epsilon'], 3)}"


def _badge(verdict: str) -> str:
    return badge(BADGES.get(verdict, "INCONCLUSIVE"), verdict.upper().replace("-", " "))
