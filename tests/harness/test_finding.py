"""Findings, what rests on what, whether a result holds, and the form of independent checks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audits.evidence import Verdict
from audits.judge import at_most, equals
from claims.harness.commands.listing import fallen_table, fallen_text
from claims.harness.conformance import Context, finding, premises
from claims.harness.discover import Catalogue
from claims.harness.errata import form_problem, owes_check, run_check
from claims.harness.finding import Finding, Weight, finding_from_json
from claims.harness.run.premises import held_by_premises
from claims.harness.run.result import result_from_json
from claims.harness.run.runner import Settings, run_claims
from claims.harness.standing import Standing, by_weight, standing
from tests.harness.synthetic import PAPER, check_fact, claim

SLIP = Finding(Weight.THEOREM, "it is 2, not 1", "as O(1) it holds", "2")
NOTHING = Context(result=None, catalogue=[], bugs=frozenset(), exponents=frozenset())  # type: ignore[arg-type]


def refuted(point):
    yield at_most("fact", 2.0, 1.0)


def passes_by_sampling(point):
    yield replace(equals("fact", 1.0, 1.0), verdict=Verdict.CONSISTENT, resolution=1.0)


def falls(name: str, found: Finding | None = SLIP):
    return claim(name, expected=Verdict.REFUTED, check=refuted, finding=found)


def test_a_finding_survives_json_and_the_string_of_version_0_4_is_none():
    assert finding_from_json(SLIP.to_json()) == SLIP
    assert finding_from_json("half the sensitivity") is None
    assert finding_from_json(None) is None


def test_bad_findings_are_refused():
    with pytest.raises(ValueError, match=r"weight must be one of theorem, .* got 'serious'"):
        Finding("serious", "x", "y", "z")
    with pytest.raises(ValueError, match="what must say"):
        Finding(Weight.TYPO, " ", "y", "z")
    with pytest.raises(ValueError, match="what a statement keeps goes into summary"):
        claim(expected=Verdict.CONFIRMED, check=check_fact, finding=SLIP)


def test_a_reading_inherits_neither_finding_nor_summary_nor_premises():
    base = replace(falls("theorem-1"), summary="s", rests_on=("demo/lemma-1",))
    other = base.reading("corrected", expected=Verdict.CONFIRMED, check=check_fact)
    assert (other.finding, other.summary, other.rests_on) == (None, "", ())


LEMMAS = {
    "sampled": claim("lemma-1", expected=Verdict.CONSISTENT, check=passes_by_sampling),
    "exact": claim("lemma-1", check=check_fact),
    "refuted": falls("lemma-1"),
}


@pytest.mark.parametrize(
    ("premise", "verdict", "said"),
    [
        ("sampled", Verdict.CONSISTENT, "CONFIRMED by its own evidence, and rests on demo/lemma-1"),
        ("exact", Verdict.CONFIRMED, ""),
        ("refuted", Verdict.CONFIRMED, "rests on demo/lemma-1, which is REFUTED"),
    ],
)
def test_a_verdict_is_never_stronger_than_its_premise(tmp_path: Path, premise, verdict, said):
    theorem = claim("theorem-1", expected=verdict, check=check_fact, rests_on=["demo/lemma-1"])
    corollary = claim("theorem-2", expected=verdict, check=check_fact, rests_on=["demo/theorem-1"])
    everything = [LEMMAS[premise], theorem, corollary]
    run = run_claims(everything, Settings(tier="smoke"), out=tmp_path / "run")
    again = run_claims(everything, Settings(tier="smoke"), out=tmp_path / "run")
    for result in (run, again):
        assert result["demo/theorem-1"].verdict is verdict
        assert result["demo/theorem-1"].caveat.startswith(said)
        assert result["demo/theorem-2"].verdict is verdict
        assert result.exit_status == 0
    assert again["demo/theorem-1"].cached
    read = result_from_json(run["demo/theorem-2"].to_json())
    assert read.rests_on == ("demo/theorem-1",)
    catalogue = Catalogue(claims=tuple(everything), papers=(), problems=(), folders=())
    alone = run_claims([theorem], Settings(tier="smoke"), out=tmp_path / "alone", catalogue=catalogue)
    assert alone["demo/theorem-1"].verdict is verdict, "the premise counts with its expected verdict"


def test_circular_and_unknown_premises_are_named():
    one = claim("theorem-1", check=check_fact, rests_on=["demo/theorem-2"])
    two = claim("theorem-2", check=check_fact, rests_on=["demo/theorem-1"])
    stranger = claim("theorem-3", check=check_fact, rests_on=["demo/theorem-9"])
    context = replace(NOTHING, catalogue=[one, two, stranger])
    assert held_by_premises([], [one, two]) == []
    assert premises(one, context) == "rests on itself, by rests_on of the claims that it names"
    assert premises(stranger, context) == "rests_on names 'demo/theorem-9', which is no claim"


def test_conformance_asks_for_weight_favour_and_survivor():
    assert finding(falls("theorem-1"), NOTHING) is None
    assert "has no finding" in str(finding(falls("theorem-1", None), NOTHING))
    assert "favour" in str(finding(falls("theorem-1", replace(SLIP, favour="")), NOTHING))
    assert "survives" in str(finding(falls("theorem-1", replace(SLIP, survives="")), NOTHING))
    assert "follows_from" in str(finding(falls("theorem-1", replace(SLIP, follows_from="demo/x")), NOTHING))


def test_findings_are_listed_by_weight_and_consequences_under_their_slip():
    corner = falls("lemma-1", replace(SLIP, weight=Weight.CORNER))
    proof = falls("lemma-2", replace(SLIP, weight=Weight.PROOF))
    consequence = falls("lemma-3", replace(SLIP, weight=Weight.CORNER, follows_from="demo/theorem-9"))
    entries = by_weight((corner, proof, consequence, falls("theorem-9")))
    assert [e.name for e in entries] == ["theorem-9", "lemma-3", "lemma-2", "lemma-1"]
    assert "    follows  demo/lemma-3" in fallen_text(entries, entries)
    row = "| ↳ | `demo/lemma-3` A demonstration | follows from `demo/theorem-9` | | |"
    assert row in fallen_table(entries, entries)


def test_the_papers_own_list_orders_its_findings():
    listed = replace(PAPER, findings=("lemma-1", "theorem-9"))
    claims = [falls("lemma-1", replace(SLIP, weight=Weight.CORNER)), falls("lemma-2"), falls("theorem-9")]
    claims = [replace(c, paper=listed) for c in claims]
    assert [e.name for e in by_weight(claims)] == ["lemma-1", "theorem-9", "lemma-2"]
    context = replace(NOTHING, catalogue=claims)
    assert [finding(c, context) is None for c in claims] == [True, False, True]
    assert "demo/theorem-9, which is no claim" in str(
        finding(claims[0], replace(context, catalogue=claims[:2]))
    )


def test_findings_that_follow_from_each_other_come_to_an_end():
    one = falls("lemma-1", replace(SLIP, follows_from="demo/lemma-2"))
    two = falls("lemma-2", replace(SLIP, follows_from="demo/lemma-1"))
    assert len(by_weight([one, two])) == 2


def test_a_result_whose_private_reading_falls_holds_to_the_letter_only():
    printed = claim("theorem-1", check=check_fact)
    private = printed.reading("private", expected=Verdict.REFUTED, check=refuted, finding=SLIP)
    smaller = replace(SLIP, weight=Weight.CONSTANT)
    constant = printed.reading("tight", expected=Verdict.REFUTED, check=refuted, finding=smaller)
    undecided = claim("theorem-1", expected=Verdict.INCONCLUSIVE, check=check_fact)
    expected = {
        Standing.HOLDS: [printed, constant],
        Standing.LETTER_ONLY: [printed, private],
        Standing.FALLS: [falls("theorem-1"), private],
        Standing.NEARLY: [falls("theorem-1", smaller), private],
        Standing.OPEN: [undecided, private],
    }
    for word, claims in expected.items():
        assert standing(claims) is word
    planted = replace(falls("theorem-1", smaller), paper=replace(PAPER, key="controls"))
    assert standing([planted]) is Standing.FALLS


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import numpy as np\nfrom scipy import stats\nprint(1.0, 2.0)\n", None),
        ("import claims\n", "imports claims"),
        ("from audits.judge import equals\n", "imports audits"),
        ("from . import x\n", "imports ."),
        ("import pandas\n", "imports pandas"),
        ("x = (\n", "line 1"),
        ("x = 1\n" * 31, "has 31 lines, more than 30"),
    ],
)
def test_the_form_of_an_independent_check(source, problem):
    found = form_problem(source)
    assert found is None if problem is None else str(found).startswith(problem)


def test_a_check_runs_alone_and_its_failure_is_named(tmp_path: Path):
    file = tmp_path / "theorem-1.py"
    file.write_text("from fractions import Fraction\nprint('stated 1, found', Fraction(2))\n")
    assert run_check(file).output == "stated 1, found 2\n"
    assert run_check(file).problem is None
    file.write_text("assert 1 + 1 == 3, 'the sum is 2'\n")
    assert run_check(file).problem == "theorem-1.py: fails: AssertionError: the sum is 2"
    file.write_text("x = 1\n")
    assert "prints nothing" in str(run_check(file).problem)
    assert "No such file" in str(run_check(tmp_path / "absent.py").problem)


def test_only_heavy_findings_of_their_own_owe_a_check():
    assert owes_check(falls("theorem-1"))
    assert not owes_check(falls("theorem-1", replace(SLIP, weight=Weight.TYPO)))
    assert not owes_check(falls("theorem-1", replace(SLIP, follows_from="demo/theorem-9")))
    assert not owes_check(claim("theorem-1", check=check_fact))
