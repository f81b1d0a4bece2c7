"""Keys by import closure: what an edit recomputes, and what it leaves alone."""

from __future__ import annotations

import importlib.metadata
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from audits.judge import equals
from claims.harness.closure import Sources, outside, roots_of, watched
from claims.harness.run.cells import cells_of, compute
from claims.harness.run.runner import Settings, run_claims, work_of
from tests.harness.synthetic import claim

ROOT = Path(__file__).resolve().parents[2]
THEOREM, LEMMA, LEVY = (
    "claims.song2021.theorem_2_6",
    "claims.song2021.lemma_b_2",
    "claims.levy2021.theorem_2_privacy",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources that may be edited."""
    for package in ("claims", "audits", "implementations"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def _digests(root: Path) -> dict[str, str]:
    sources = Sources([root])
    return {name: sources.digest(name) for name in (THEOREM, LEMMA, LEVY)}


def _edited(root: Path, file: str) -> set[str]:
    """The modules whose digest a comment at the end of this file changes."""
    before = _digests(root)
    path = root / file
    path.write_text(path.read_text(encoding="utf-8") + "\n# a comment\n", encoding="utf-8")
    return {name for name, digest in _digests(root).items() if digest != before[name]}


@pytest.mark.parametrize(
    ("file", "recomputed"),
    [
        ("claims/harness/report/site.py", set()),
        ("claims/harness/report/pages.py", set()),
        ("claims/harness/commands/main.py", set()),
        ("claims/harness/run/store.py", set()),
        ("claims/mutants/song2021.py", set()),
        ("claims/levy2021/theorem_2_privacy.py", {LEVY}),
        ("claims/song2021/lemma_b_2.py", {LEMMA}),
        ("implementations/song2021/dp_gd.py", {THEOREM}),
        # Imported inside a function, and by an instrument that the claim imports inside a function.
        ("audits/divergence.py", {LEVY}),
        ("audits/privacy/bet/betting.py", {THEOREM}),
        ("claims/harness/run/cells.py", {THEOREM, LEMMA, LEVY}),
        ("audits/evidence.py", {THEOREM, LEMMA, LEVY}),
    ],
)
def test_an_edit_recomputes_exactly_the_claims_whose_closure_holds_it(copy, file, recomputed):
    assert _edited(copy, file) == recomputed


def test_lazy_names_lead_to_where_they_stand(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text('HOMES = {"tool": "pack.deep"}\n')
    (package / "deep.py").write_text("from . import other\ntool = 1\n")
    (package / "other.py").write_text("")
    (package / "unused.py").write_text("")
    (tmp_path / "user.py").write_text("def f():\n    from pack import tool\n    return tool\n")
    assert Sources([tmp_path]).closure("user") == {"user", "pack", "pack.deep", "pack.other"}


def test_imports_for_type_checkers_do_not_count(tmp_path):
    (tmp_path / "a.py").write_text("")
    (tmp_path / "b.py").write_text("")
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nelse:\n    import b\n"
    (tmp_path / "user.py").write_text(text)
    assert Sources([tmp_path]).closure("user") == {"user", "b"}


def test_a_module_that_is_asked_for_is_seen_whether_it_was_loaded_before_or_not():
    import audits.laws  # noqa: F401 - loaded before

    with watched(("audits",)) as seen:
        import importlib

        import audits.laws as again  # noqa: F401

        importlib.import_module("audits.bounds")
    assert {"audits.laws", "audits.bounds"} <= seen
    foreign = outside(seen, frozenset({"audits", "audits.laws"}))
    assert "audits.bounds" in foreign
    assert "audits.laws" not in foreign


def test_other_threads_are_not_watched():
    import importlib
    import threading

    with watched(("audits",)) as seen:
        thread = threading.Thread(target=importlib.import_module, args=("audits.bounds",))
        thread.start()
        thread.join()
    assert seen == set()


def test_a_claim_that_loads_a_module_by_an_untraceable_name_is_an_error():
    def check(point):
        import importlib

        importlib.import_module("audits." + "bounds")
        yield equals("fact", 1, 1)

    odd = claim(check=check, trials=0, points=[{}])
    sources = Sources(roots_of())
    work = work_of(odd, Settings(tier="smoke"), sources)
    assert work.closure is None  # made in a test: nobody knows its sources
    known = replace(work, closure=frozenset({"audits"}), packages=("audits",))
    (cell,) = cells_of(odd, "smoke")
    assert "demo/theorem-1 loads audits.bounds" in str(compute(odd, cell, known).error)


PAPER_FILE = """
from claims import Adjacency, Paper

PAPER = Paper("edited2020", reference="Nobody (2020)", adjacency=Adjacency.REPLACE)
"""
CLAIM_FILE = '''
"""Theorem 1: a number.

How it is checked. By looking.
"""

from claims import CONFIRMED, Claim, Kind, at_most, grid
from edited2020 import PAPER
from edited2020._value import VALUE


def check(point):
    import pathlib

    {edit}
    yield at_most("a number", VALUE, 10)


CLAIM = Claim(
    PAPER, "Theorem 1", "section 1", kind=Kind.IDENTITY, title="A number",
    statement="A number is at most ten.", expected=CONFIRMED, check=check, smoke=grid(), ci=grid(),
)
'''


def test_sources_that_change_during_a_run_are_computed_again_and_abort_nothing(tmp_path):
    from claims.harness.discover import discover, select
    from claims.harness.run.store import read_run

    paper = tmp_path / "mine" / "edited2020"
    paper.mkdir(parents=True)
    (paper / "__init__.py").write_text(PAPER_FILE)
    value = paper / "_value.py"
    value.write_text("VALUE = 1\n")
    # The first computation edits what the claim imports, as an author does while a long run is under way.
    edit = f"pathlib.Path({str(value)!r}).write_text('VALUE = 2  # edited')"
    (paper / "theorem_1.py").write_text(CLAIM_FILE.replace("{edit}", edit))
    catalogue = discover([tmp_path / "mine"])
    said: list[str] = []
    result = run_claims(
        select(catalogue, ["edited2020/*"]),
        Settings(tier="smoke"),
        catalogue=catalogue,
        out=tmp_path / "run",
        notify=lambda event, _: said.append(event),
    )
    assert any("edited2020/theorem-1: its sources changed" in line for line in said)
    assert result["edited2020/theorem-1"].evidence[0].estimate == 2.0
    assert read_run(tmp_path / "run")["edited2020/theorem-1"].evidence[0].estimate == 2.0


def test_other_peoples_code_on_the_path_is_part_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers, library = tmp_path / "papers", tmp_path / "lib"
    (library / "dp_lib_of_mine").mkdir(parents=True)
    (library / "dp_lib_of_mine" / "__init__.py").write_text("")
    noise = library / "dp_lib_of_mine" / "noise.py"
    noise.write_text("RATE = -1.0\n")
    papers.mkdir()
    (papers / "user.py").write_text("from dp_lib_of_mine.noise import RATE\nimport pandas\n")
    monkeypatch.syspath_prepend(str(library))
    before = Sources([papers])
    assert before.closure("user") == {"user", "dp_lib_of_mine", "dp_lib_of_mine.noise"}
    noise.write_text("RATE = -0.5\n")
    assert before.changed("user")
    assert Sources([papers]).digest("user") != before.digest("user")


def test_the_version_of_an_installed_library_is_part_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "user.py").write_text("import pandas as pd\n")
    before = Sources([tmp_path]).digest("user")
    assert Sources([tmp_path]).digest("user") == before
    real = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0" if name == "pandas" else real(name))
    assert Sources([tmp_path]).digest("user") != before


def test_in_site_packages_only_our_packages_and_the_given_papers_are_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    for name, text in {
        "claims/__init__.py": "if TYPE_CHECKING:\n    from claims.judge import at_most as at_most\n",
        "claims/judge.py": "import heavy\n",
        "dpclaims.py": "if TYPE_CHECKING:\n    from claims import *\n",
        "heavy/__init__.py": "if TYPE_CHECKING:\n    other = unknown.name\n",
        "doe2020/__init__.py": "",
        "doe2020/lemma_1.py": "from dpclaims import at_most\nimport heavy.deep\n",
    }.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    monkeypatch.syspath_prepend(str(site))
    roots = [site / "claims", site / "dpclaims.py", site / "doe2020"]
    ours = {"doe2020", "doe2020.lemma_1", "dpclaims", "claims", "claims.judge"}
    assert Sources(roots).closure("doe2020.lemma_1") == ours
    # Where an editable install leaves only a finder, and where pip installed with --target.
    (site / "heavy-1.0.dist-info").mkdir()
    (site.rename(tmp_path / "target"))
    monkeypatch.syspath_prepend(str(tmp_path / "target"))
    roots = [tmp_path / "target" / root.name for root in roots]
    assert Sources(roots).closure("doe2020.lemma_1") == ours
