"""The benchmark of released libraries: its cases can be read, its table is what its rows say."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.wild import run, table
from benchmarks.wild.case import FOLDER, all_cases

CASES = all_cases()
GOOD = """
import numpy as np
def adjacency(first, second):
    return abs(first - second) <= 1
def good(data, size, rng):
    return data + rng.laplace(size=size)
def bad(data, size, rng):
    return data + rng.laplace(scale=0.1, size=size)
pairs = [(0.0, 1.0)]
"""
ROWS = """file,library,function,adjacency,epsilon,delta,max_samples,footprints,primitives,of,released,status,\
reference,line,drawn
nothing.py,nothing==1.0,good,own,1,,2000,,,good,a number,presumed correct,,,
nothing.py,nothing==1.0,bad,own,1,,4000,,,bad,a number,finding,,,
"""
RELEASES = """library,python,requirements,dependencies
nothing==1.0,3.11,,yes
"""


def written(folder: Path, rows: str = ROWS) -> Path:
    """A folder of two cases."""
    (folder / "cases.csv").write_text(rows)
    (folder / "releases.csv").write_text(RELEASES)
    (folder / "nothing.py").write_text(GOOD)
    return folder


def test_the_table_has_what_was_asked_of_it() -> None:
    assert len(CASES) >= 80
    assert len({case.library.split("==")[0] for case in CASES}) >= 8
    counts = Counter(case.status for case in CASES)
    assert counts["documented bug"] >= 12
    assert counts["presumed correct"] >= 60
    presumed = {c.library.split("==")[0] for c in CASES if c.status == "presumed correct"}
    assert len(presumed) >= 6


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_case_says_what_is_known_of_it(case: object) -> None:
    assert isinstance(case, type(CASES[0]))
    if case.status == "documented bug":
        assert case.reference.startswith("https://")
    if case.status == "finding":
        assert (FOLDER.parent / case.reference).is_file()
    compile(case.file.read_text(encoding="utf-8"), str(case.file), "exec")


def test_the_page_is_what_its_rows_say() -> None:
    black, grey = table.load(), table.load(table.GREY)
    page = table.markdown(table.joined(CASES, black, grey))
    assert (table.HOME / "README.md").read_text(encoding="utf-8") == page
    assert set(black) | set(grey) <= {case.id for case in CASES}
    for row in black.values():
        assert row["verdict"] in ("refuted", "not-refuted", "undecided", "not installed", "not audited")


def test_the_page_says_what_could_not_be_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> Path:
        raise ValueError("no such release")

    monkeypatch.setattr(run, "environment", refuse)
    cases = all_cases(written(tmp_path))
    rows = {case.id: run.run_case(case, run.audited) for case in cases}
    assert {row["verdict"] for row in rows.values()} == {"not installed"}
    table.write(rows, cases, home=tmp_path)
    assert "no such release" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_both_boxes_on_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # At α = 1e-4 a false alarm of "good" has probability at most 1e-4; the seed is fixed.
    monkeypatch.setattr(run, "environment", lambda *a, **o: Path(sys.executable))
    cases = all_cases(written(tmp_path))
    rows = {case.id: run.run_case(case, run.audited) for case in cases}
    assert [row["verdict"] for row in rows.values()] == ["not-refuted", "refuted"]
    grey = {case.id: run.run_case(case, run.traced) for case in cases}
    assert [row["verdict"] for row in grey.values()] == ["nothing-found", "ledger-exceeds"]
    table.write(rows, cases, home=tmp_path)
    table.write(grey, cases, table.GREY, home=tmp_path)
    assert table.load(home=tmp_path) == json.loads(json.dumps(rows))
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "2 cases of 1 libraries: 1 not-refuted, 1 refuted; 2 as expected" in text
    assert "| finding | 1 | 1 | 1 | 0 | 1 |" in text
    # A changed case is another one: its old row is not shown.
    (tmp_path / "nothing.py").write_text(GOOD.replace("scale=0.1", "scale=0.2"))
    assert table.joined(all_cases(tmp_path), rows) == []


def test_the_example_of_contributing_is_a_case(tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = (b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "import noisy_count" in b)
    (tmp_path / "mylib.py").write_text(*blocks)
    for name, rows in zip(
        ("cases", "releases"), re.findall(r"```csv\n(.*?)```", text, re.DOTALL), strict=True
    ):
        (tmp_path / f"{name}.csv").write_text(rows)
    assert [case.id for case in all_cases(tmp_path)] == ["mylib==1.0/count", "mylib==1.1/count"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("presumed correct", "surely correct", "status must be one of"),
        ("good,own", "good,none", "adjacency must be one of"),
        ("1.0,good", "1.1,good", "releases.csv has no row 'nothing==1.1'"),
        ("nothing.py,nothing==1.0,good", "else.py,nothing==1.0,good", "there is no file else.py"),
        ("1.0,bad", "1.0,good", "two cases have one id"),
        ("presumed correct", "documented bug", "needs a reference"),
    ],
)
def test_bad_cases_are_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in ROWS
    with pytest.raises(ValueError, match=words):
        all_cases(written(tmp_path, ROWS.replace(old, new)))


def test_the_grey_box_names_the_lines_that_were_read_in_the_source() -> None:
    rows = table.load(table.GREY)
    flagged = [
        (rows[case.id]["at"], case.drawn)
        for case in CASES
        if case.drawn and rows.get(case.id, {}).get("verdict") in ("leak", "ledger-exceeds")
    ]
    assert len(flagged) >= 18
    # What a library returns but never noised (trasgoDP) is known by its caller's line only: 26 of 29 today.
    assert sum(named in drawn for named, drawn in flagged) >= 0.85 * len(flagged)
