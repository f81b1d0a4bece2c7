"""The documents for authors: what they hold, in which order, and that the shipped ones are up to date."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audits.evidence import Verdict
from claims.harness.commands.errata import PLAIN, document
from claims.harness.discover import discover
from claims.harness.errata import Checked, check_file, owes_check, run_check
from claims.harness.finding import Finding, Misprint, Weight
from tests.harness.synthetic import PAPER, claim

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = discover()
PAPERS = sorted({c.paper.key for c in CATALOGUE.claims if c.finding is not None and c.role != "control"})


def fallen(name: str, weight: Weight, tmp_path: Path, follows_from: str = ""):
    found = Finding(weight, f"{name} is 2", f"{name} as O(1)", f"{name} with 2", follows_from)
    made = claim(name, expected=Verdict.REFUTED, finding=found)
    return replace(made, file=tmp_path / f"{name}.py", result=name.capitalize())


def test_the_heaviest_comes_first_and_a_consequence_stands_under_its_slip(tmp_path):
    (tmp_path / "errata").mkdir()
    (tmp_path / "errata" / "theorem-2.py").write_text("print('stated 1, found 2')\n")
    claims = [
        fallen("lemma-1", Weight.PROOF, tmp_path),
        fallen("lemma-2", Weight.TYPO, tmp_path),
        fallen("lemma-3", Weight.CORNER, tmp_path),
        fallen("theorem-2", Weight.THEOREM, tmp_path),
        fallen("theorem-3", Weight.THEOREM, tmp_path, follows_from="demo/theorem-2"),
    ]
    text = document(PAPER, claims, {"demo/theorem-2": Checked("stated 1, found 2\n", None)})
    order = [
        "### Theorem-2. Claimed: ",
        "stated 1, found 2",
        "### Lemma-1",
        "## Misprints",
        "*Lemma-2*",
        "*Lemma-3*",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "**What falls with it.** Theorem-3 (section 1)." in text
    assert "**The authors’ answer.** None yet." in text
    assert "### Theorem-3" not in text


def test_misprints_are_a_list_and_the_papers_own_order_and_version_count(tmp_path):
    typo = fallen("lemma-2", Weight.TYPO, tmp_path)
    typo = replace(typo, finding=replace(typo.finding, printed="$n$", meant="$n^2$", answer=""))
    paper = replace(
        PAPER,
        findings=("lemma-1", "theorem-2"),
        text="arXiv:2001.00001v2",
        misprints=[Misprint("Lemma 3, section 2", "$1/n$", "$1/n^2$, as its proof has it")],
    )
    claims = [fallen("theorem-2", Weight.THEOREM, tmp_path), fallen("lemma-1", Weight.PROOF, tmp_path), typo]
    text = document(paper, [replace(c, paper=paper) for c in claims], {})
    order = [
        "version arXiv:2001.00001v2",
        "## Steps of proofs",
        "## Results that do not hold",
        "* *Lemma-2*, section 1: ",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "printed $n$, meant $n^2$." in text
    assert "* *Lemma 3, section 2*: printed $1/n$; meant $1/n^2$, as its proof has it.\n" in text
    with pytest.raises(ValueError, match="a misprint must have a meant"):
        Misprint("Lemma 3", "$1/n$", " ")


def test_a_letter_shows_nothing_from_elsewhere(tmp_path):
    """Neither texts nor what a check prints become HTML, images or the end of their block."""
    (tmp_path / "errata").mkdir()
    (tmp_path / "errata" / "theorem-2.py").write_text("print('```')\n")
    made = fallen("theorem-2", Weight.THEOREM, tmp_path)
    finding = replace(made.finding, what="<img src=x> ![x](http://x.test) \x1b[2J")
    text = document(PAPER, [replace(made, finding=finding)], {made.id: Checked("```\n<script>\n", None)})
    assert "<img" not in text
    assert r"\![x](http://x.test)" in text
    assert "\x1b" not in text
    assert "````text\n```\n<script>\n````\n" in text
    assert "````python\nprint('```')\n````\n" in text


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_the_shipped_document_is_what_the_command_writes(paper):
    claims = [c for c in CATALOGUE.claims if c.paper.key == paper and c.finding is not None]
    checks = {c.id: run_check(check_file(c)) for c in claims if owes_check(c)}
    assert {name: c.problem for name, c in checks.items() if c.problem is not None} == {}
    written = (ROOT / "docs" / "errata" / f"{paper}.md").read_text(encoding="utf-8")
    found = next(p for p in CATALOGUE.papers if p.key == paper)
    assert written == document(found, claims, checks), f"run dpclaims errata {paper}"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_letter_has_no_words_of_this_project(paper):
    text = (ROOT / "docs" / "errata" / f"{paper}.md").read_text(encoding="utf-8")
    prose = "".join(text.split("```")[::2])
    assert not [word for word in (*PLAIN, "`") if word in prose]
