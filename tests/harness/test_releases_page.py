"""The page of released libraries shows what the table holds, and is left out where there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from claims.harness.report.releases import FOLDER, PATH, release_pages

ROW: dict[str, Any] = {
    "id": "lib==1.0/f",
    "library": "lib==1.0",
    "function": "f<x>",
    "released": "a count",
    "adjacency": "replace",
    "epsilon": 1.0,
    "delta": 1e-5,
    "status": "finding",
    "expected": "refuted",
    "reference": "findings/lib-f.md",
    "verdict": "refuted",
    "epsilon_lower": 1.5,
    "resolution": None,
    "samples": 12345,
    "cpu_seconds": 2.25,
    "simplest": {
        "event": "output ≥ 3.0",
        "first": {"estimate": 0.5, "low": 0.4, "high": 0.6},
        "second": {"estimate": 0.0, "low": 0.0, "high": 0.05},
        "epsilon": 2.08,
    },
}


def test_without_a_table_there_is_no_page(tmp_path: Path) -> None:
    assert release_pages(tmp_path) == {}


def test_the_page_shows_the_rows_and_links_the_findings(tmp_path: Path) -> None:
    odd = ROW | {"status": "presumed correct", "reference": "", "expected": "not-refuted", "simplest": None}
    failed = odd | {"verdict": "not installed", "failed": "no <such> release"}
    (tmp_path / "table.json").write_text(json.dumps([ROW, odd, failed]), encoding="utf-8")
    (tmp_path / "findings").mkdir()
    (tmp_path / "findings" / "lib-f.md").write_text("# lib: f adds no noise\n\nWhat we *see*.\n")
    pages = release_pages(tmp_path)
    assert set(pages) == {PATH, "releases/lib-f.html"}
    text = pages[PATH]
    for words in (
        "3 functions of 1 library",
        '<a href="releases/lib-f.html">f&lt;x&gt;</a>',
        "shown by output ≥ 3.0: probability 0.5 [0.4, 0.6] against 0 [0, 0.05], ε ≥ 2.08",
        "12\u202f345",
        "expected not-refuted",
        "no &lt;such&gt; release",
    ):
        assert words in text, words
    # Complete in itself: no script, and nothing that would have to be fetched.
    assert "<script" not in text
    assert "What we <em>see</em>." in pages["releases/lib-f.html"]
    assert 'href="../releases.html"' in pages["releases/lib-f.html"]


def test_the_page_of_this_table() -> None:
    pages = release_pages()
    rows = json.loads((FOLDER / "table.json").read_text(encoding="utf-8"))
    assert pages[PATH].count("<tr>") >= len(rows)
    for row in rows:
        if row["reference"].startswith("findings/"):
            assert f"releases/{Path(row['reference']).stem}.html" in pages
