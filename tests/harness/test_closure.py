"""Keys by import closure: what an edit recomputes, and what it leaves alone."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from claims.harness.closure import Sources, roots_of
from claims.harness.run.runner import Settings, run_claims
from tests.harness.synthetic import claim_file, write_paper

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Sources(roots_of())
THEOREM, LEMMA, LEVY = (
    "claims.song2021.theorem_2_6",
    "claims.song2021.lemma_b_2",
    "claims.levy2021.theorem_2_privacy",
)


@pytest.mark.parametrize(
    ("file", "recomputed"),
    [
        ("claims/harness/report/site.py", set()),
        ("claims/harness/report/pages.py", set()),
        ("claims/harness/commands/main.py", set()),
        ("claims/harness/run/store.py", set()),
        ("claims/levy2021/theorem_2_privacy.py", {LEVY}),
        ("claims/song2021/lemma_b_2.py", {LEMMA}),
        ("implementations/song2021/dp_gd.py", {THEOREM}),
        ("implementations/privacy.py", {THEOREM, LEVY}),
        # By an instrument that the claim imports inside a function.
        ("audits/privacy/bet/betting.py", {THEOREM}),
        ("claims/harness/run/cells.py", {THEOREM, LEMMA, LEVY}),
        ("audits/evidence.py", {THEOREM, LEMMA, LEVY}),
    ],
)
def test_an_edit_recomputes_exactly_the_claims_whose_closure_holds_it(file, recomputed):
    module = file.removesuffix(".py").replace("/", ".")
    assert {name for name in (THEOREM, LEMMA, LEVY) if module in SOURCES._behind(name)} == recomputed


def test_the_digest_changes_with_any_file_of_the_closure_and_with_no_other(tmp_path):
    for name, text in (("a.py", "def f():\n    import b\n"), ("b.py", ""), ("c.py", "")):
        (tmp_path / name).write_text(text)
    before = Sources([tmp_path]).digest("a")
    for name, changes in (("c.py", False), ("b.py", True)):
        (tmp_path / name).write_text("# a comment\n")
        assert (Sources([tmp_path]).digest("a") != before) == changes


def test_lazy_names_lead_to_where_they_stand(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("if TYPE_CHECKING:\n    from pack.deep import tool as tool\n")
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


def test_a_claim_whose_sources_change_during_a_run_is_not_kept(tmp_path):
    from claims.harness.discover import discover, select
    from claims.harness.run.store import read_claim

    value = tmp_path / "mine" / "edited2020" / "_value.py"
    # The computation edits what the claim imports, as an author does while a long run is under way.
    edit = f"import pathlib, edited2020._value; pathlib.Path({str(value)!r}).write_text('# edited')"
    write_paper(tmp_path / "mine", "edited2020", theorem_1=claim_file(line=edit), _value="")
    catalogue = discover([tmp_path / "mine"])
    chosen = select(catalogue, ["edited2020/*"])
    with pytest.raises(ValueError, match=r"the sources of edited2020/theorem-1 changed during the run"):
        run_claims(chosen, Settings(tier="smoke"), catalogue=catalogue, out=tmp_path / "run")
    assert read_claim(tmp_path / "run", "edited2020/theorem-1") is None


def test_what_a_claim_loads_is_in_its_closure() -> None:
    """The modules of ours that a run of one claim adds to the interpreter, against its closure."""
    code = (
        "import sys\nfrom claims.harness.run.cells import cells_of, compute\n"
        "from claims.harness.run.runner import Settings\nfrom claims.harness.closure import *\n"
        f"import {THEOREM} as m\nbefore, s = set(sys.modules), Sources(roots_of())\n"
        "w = Settings(tier='smoke')\n"
        "assert compute(m.CLAIM, next(cells_of(m.CLAIM, 'smoke')), w).error is None\n"
        "ours = {n for n in set(sys.modules) - before if n.split('.')[0] in PACKAGES}\n"
        f"print(*ours - s.closure('{THEOREM}'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr


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
