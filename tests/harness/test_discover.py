"""Discovery by folder, patterns, papers of other people, and what is broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audits.evidence import Verdict
from claims.harness.discover import broken, discover, load, matches, select
from claims.harness.run.runner import Settings, run_claims
from tests.harness.synthetic import PAPER_FILE, claim, claim_file, write_paper

ROOT = Path(__file__).resolve().parents[2]


def test_patterns():
    claims = [claim("theorem-1"), claim("theorem-1:corrected"), claim("lemma-2")]
    ids = [c.id for c in claims]
    assert [c.id for c in select(claims, [])] == ids
    assert [c.id for c in select(claims, ["demo/theorem-1"])] == ids[:2]
    assert [c.id for c in select(claims, ["demo/theorem-1:corrected"])] == ids[1:2]
    assert [c.id for c in select(claims, ["*/lemma*", "demo/theorem-1:*"])] == ids[1:]
    assert not matches("demo/theorem-10", "demo/theorem-1")
    with pytest.raises(ValueError, match="did you mean 'demo/lemma-2'"):
        select(claims, ["demo/lema-2"])


def test_load_is_sorted_and_public():
    import claims

    ids = [c.id for c in claims.load("song2021/*")]
    assert ids == sorted(ids)
    assert [c.id for c in load("song2021/*")] == ids


def test_the_templates_of_contributing_run_and_give_their_verdicts(tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    paper = tmp_path / "doe2020"
    paper.mkdir()
    (paper / "__init__.py").write_text(next(b for b in blocks if "PAPER = Paper(" in b))
    templates = [b for b in blocks if "CLAIM = Claim(" in b]
    assert len(templates) == 3
    for number, template in enumerate(templates):
        (paper / f"template_{number}.py").write_text(template)
    catalogue = discover([tmp_path])
    assert broken(catalogue, ["doe2020/*"]) == []
    chosen = select(catalogue, ["doe2020/*"])
    result = run_claims(chosen, Settings(tier="smoke"), catalogue=catalogue, out=tmp_path / "run")
    # Each of the two that sample errs with probability 1e-6; a pass may also be too coarse.
    assert {c.id: c.verdict for c in result.claims} == {c.id: c.expected for c in chosen}
    assert {c.expected for c in chosen} == {Verdict.REFUTED, Verdict.CONFIRMED, Verdict.CONSISTENT}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("x = (", "cannot be imported: it raised SyntaxError"),
        ("x = 1", "neither CLAIM nor CLAIMS"),
        ("CLAIM = 7", "hold claims, got int"),
        ("raise RuntimeError('no')", "cannot be imported: it raised RuntimeError(no)"),
        (claim_file("Not A Name"), "name must look like"),
    ],
)
def test_a_broken_file_is_named_and_hides_nobody_else(tmp_path, content, says):
    key = f"broken{abs(hash(content)) % 10**6}"
    place = write_paper(tmp_path, key, theorem_1=claim_file(), theorem_2=content)
    catalogue = discover([tmp_path])
    (problem,) = broken(catalogue, [f"{key}/*"])
    assert says in problem.sentence
    assert str(place / "theorem_2.py") in problem.sentence
    assert [c.id for c in select(catalogue, [f"{key}/*"])] == [f"{key}/theorem-1"]
    assert broken(catalogue, ["song2021/*"]) == []
    assert select(catalogue, ["song2021/theorem-2.6"])


def test_a_claim_with_a_duplicate_id_is_named_with_both_files(tmp_path):
    write_paper(tmp_path, "twice2020", theorem_1=claim_file(), theorem_1_again=claim_file())
    (problem,) = broken(discover([tmp_path]), ["twice2020/*"])
    assert "theorem_1.py" in problem.sentence
    assert "theorem_1_again.py" in problem.sentence
    assert "'twice2020/theorem-1'" in problem.sentence


def test_two_papers_of_one_name_and_a_folder_without_paper_are_named(tmp_path):
    write_paper(tmp_path / "a", "same2020")
    write_paper(tmp_path / "b", "same2020")
    lost = tmp_path / "b" / "lost2020"
    lost.mkdir()
    (lost / "theorem_1.py").write_text("CLAIM = None\n")
    sentences = [p.sentence for p in discover([tmp_path / "a", tmp_path / "b"]).problems]
    assert any("two papers are called 'same2020'" in s or "is taken by" in s for s in sentences)
    assert any("lost2020" in s and "PAPER" in s for s in sentences)


def test_a_paper_whose_key_is_not_its_folder_is_named(tmp_path):
    place = tmp_path / "folder2020"
    place.mkdir()
    (place / "__init__.py").write_text(PAPER_FILE.replace("{key}", "other2020"))
    (problem,) = broken(discover([tmp_path]), ["folder2020/*"])
    assert "'other2020'" in problem.sentence


def test_the_settings_of_the_current_project_name_folders(tmp_path, monkeypatch):
    write_paper(tmp_path / "mine", "settings2020")
    (tmp_path / "pyproject.toml").write_text('[tool.dpclaims]\nclaims = ["mine"]\n')
    monkeypatch.chdir(tmp_path)
    assert [c.id for c in load("settings2020/*")] == ["settings2020/theorem-1"]
    (tmp_path / "pyproject.toml").write_text('[tool.dpclaims]\nclaims = "mine"\n')
    with pytest.raises(ValueError, match="must be a list of folders"):
        discover()
    (tmp_path / "pyproject.toml").write_text("[tool.dpclaims\n")
    with pytest.raises(ValueError, match=r"pyproject.toml cannot be read"):
        discover()


def test_a_folder_that_is_a_paper_itself_is_one(tmp_path):
    place = write_paper(tmp_path, "itself2020")
    assert "itself2020/theorem-1" in [c.id for c in discover([place]).claims]
    with pytest.raises(ValueError, match="does not exist"):
        discover([tmp_path / "nowhere"])


def test_the_docstring_and_the_file_come_with_the_claim():
    (printed,) = [c for c in load("song2021/theorem-2.6") if not c.variant]
    assert printed.doc.startswith("Theorem 2.6")
    assert printed.module == "claims.song2021.theorem_2_6"
    assert printed.file is not None
    assert printed.file.name == "theorem_2_6.py"
