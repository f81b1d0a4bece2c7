"""The grey box on small programs: no clean one is flagged, each leak is found at its line, each cost is
exact."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tests.audits.trace_truth  # noqa: F401
from audits.trace import trace_privacy
from audits.trace.audit import disagreed, unchecked
from audits.trace.result import BlackBox
from tests.audits.trace_programs import CASES, CLEAN, LOST, Case


def traced(case: Case, seed: int = 0):
    options = {} if case.seeds is None else {"seeds": case.seeds}
    return trace_privacy(
        case.program, case.pairs, epsilon=case.epsilon, delta=case.delta, adjacency=case.adjacency,
        seed=seed, black_box=False, **options,
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_is_the_right_one(name: str) -> None:
    case = CASES[name]
    result = traced(case)
    assert result.verdict == case.verdict, result.summary()
    assert result.verdict != LOST or result.epsilon_ledger != 0.0
    places = [found.line for found in result.findings] or [lost.line for lost in result.lost]
    assert case.line is None or places[0] == case.line, result.summary()
    if case.cost is not None:
        # Closed forms: Laplace d/b, two-sided geometric, log-odds, the Gaussian of Balle and Wang, ratios of
        # densities, log(1 + q(e^ε − 1)) of a sampled loss.
        assert result.epsilon_ledger == pytest.approx(case.cost, rel=1e-6)


@pytest.mark.parametrize("name", ["half the noise", "the_largest_count_beside_its_place"])
def test_what_samples_would_see_and_do_not_accuses_nobody(name: str) -> None:
    whole = traced(CASES[name])
    for verdict, seen in (("refuted", whole.verdict), ("undecided", whole.verdict), ("not-refuted", LOST)):
        audited = replace(whole, black_box=BlackBox(verdict, "an audit", 0.0, 1000))
        assert disagreed(audited).verdict == seen


@pytest.mark.parametrize("name", ["half the noise", "one_output_is_not_noised"])
def test_a_trace_that_is_cut_off_accuses_nobody(name: str) -> None:
    whole = traced(CASES[name])
    cut = unchecked(whole)
    assert (cut.verdict, cut.findings, cut.epsilon_ledger) == (LOST, (), None)
    assert {lost.line for lost in cut.lost} == {f.line for f in whole.findings} or cut.lost[
        0
    ].line == whole.ledger[0].line


GUESSED = ("so they are, from a random weight",)
"""Whether a start is noise is a guess for it: at one of five other seeds it is accused."""


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", [n for n in CASES if CASES[n].verdict == CLEAN and n not in GUESSED])
@pytest.mark.slow
def test_no_clean_program_is_flagged_with_any_seed(name: str, seed: int) -> None:
    result = traced(CASES[name], seed)
    assert result.verdict == CLEAN, result.summary()
