"""The grey box on small programs: no clean one is flagged, each leak is found at its line, each cost is
exact."""

from __future__ import annotations

import pytest

from audits.trace import trace_privacy
from tests.audits.trace_programs import CASES, CLEAN, EXCEEDS, LEAK, LOST, Case
from tests.audits.trace_truth import TRUTH


def traced(case: Case, seed: int = 0, **options: int):
    return trace_privacy(
        case.program, case.pairs, epsilon=case.epsilon, delta=case.delta, adjacency=case.adjacency,
        seed=seed, black_box=False, **options,
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_is_the_right_one(name: str) -> None:
    case = CASES[name]
    result = traced(case, seeds=3)
    assert result.verdict == case.verdict, result.summary()
    places = [found.line for found in result.findings] or [lost.line for lost in result.lost]
    assert case.line is None or places[0] == case.line, result.summary()
    if case.cost is not None:
        # Closed forms: Laplace d/b, two-sided geometric, log-odds, the Gaussian of Balle and Wang.
        assert result.epsilon_ledger == pytest.approx(case.cost, rel=1e-6)


@pytest.mark.parametrize("name", TRUTH)
def test_what_was_wrong_once(name: str) -> None:
    case = TRUTH[name]
    result = traced(case)
    assert result.verdict == case.verdict, result.summary()
    assert case.line is None or result.findings[0].line == case.line, result.summary()
    if case.cost is not None:
        # Closed forms: log(1 + q(e^ε − 1)) of a sampled loss, and ratios of densities.
        assert result.epsilon_ledger == pytest.approx(case.cost, rel=1e-6)


def test_there_are_programs_of_each_kind() -> None:
    kinds = [case.verdict for case in CASES.values()]
    assert kinds.count(CLEAN) >= 30
    assert kinds.count(LEAK) >= 12
    assert kinds.count(EXCEEDS) >= 5
    assert kinds.count(LOST) >= 2


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].verdict == CLEAN])
@pytest.mark.slow
def test_no_clean_program_is_flagged_with_any_seed(name: str, seed: int) -> None:
    result = traced(CASES[name], seed, seeds=3)
    assert result.verdict == CLEAN, result.summary()
