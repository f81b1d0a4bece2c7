"""Assumptions: dependent outputs and changed data are undecided, independent outputs pass."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from audits.evidence import Verdict
from audits.privacy import assumptions, audit_privacy, each
from audits.privacy.outputs.outputs import Encoded
from benchmarks.assumptions import DEPENDENT, INDEPENDENT
from benchmarks.assumptions import assumption as broken_of

PAIR = [(0.0, 1.0)]


def anything(a: Any, b: Any) -> bool:
    return True


def broken(mechanism: Any, seed: int, pair: Any = PAIR[0]) -> str:
    return broken_of(mechanism, pair, np.random.default_rng(seed))


@pytest.mark.parametrize("name", DEPENDENT)
def test_dependent_outputs_are_undecided_whatever_they_look_like(name: str) -> None:
    # Power, not level: no run of benchmarks/assumptions.py (20 to 40 of each) missed one; fixed seed.
    pair = [(np.ones(2), np.zeros(2))] if "in place" in name else PAIR
    result = audit_privacy(DEPENDENT[name], pair, epsilon=0.1, adjacency=anything, seed=1, max_samples=2000)
    assert result.verdict == "undecided"
    assert result.evidence().verdict is Verdict.INCONCLUSIVE
    assert result.premise in result.summary()
    assert ("changes its data" if "in place" in name else "not independent") in result.premise
    assert result.epsilon_lower == 0.0
    # Random numbers that look dependent by luck get a second test; data that are changed are certain.
    size = assumptions.CALLS * assumptions.CALL
    assert result.premise_samples == (assumptions.CALL if "in place" in name else size + 2 * size)


def test_the_name_does_not_hang_on_the_luck_of_a_run() -> None:
    # Sums of calls that share a draw are large, so products of two sums are far out by luck now and then.
    shared = DEPENDENT["one shared draw a call"]
    assert all("outputs of one call" in broken(shared, seed) for seed in range(2))


def test_draws_that_are_used_again_are_not_refuted() -> None:
    # ε = 1 exactly for each output, but up to 24 of 40 such audits were refuted at α = 0.05. Where no call is
    # long enough to use a draw again, two of four are refuted at α = 2e-4 with probability 2.4e-7.
    def mechanism(data: float, size: int, rng: np.random.Generator) -> Any:
        return data + rng.choice(rng.laplace(size=100), size)

    options: dict[str, Any] = {
        "epsilon": 1.0,
        "adjacency": anything,
        "max_samples": 20_000,
        "alpha": 2e-4,
        "simplest": False,
    }
    found = [audit_privacy(mechanism, PAIR, seed=seed, **options) for seed in range(4)]
    assert sum(result.refuted for result in found) < 2
    assert all("outputs of one call" in result.premise for result in found if result.premise)
    # A test that never fails would refute nothing either.
    assert any(result.premise for result in found)


def test_draws_that_are_used_again_after_thousands_are_noticed() -> None:
    def mechanism(data: float, size: int, rng: np.random.Generator) -> Any:
        return data + np.resize(rng.laplace(size=1024), size)

    # All outputs of the method come from one call.
    found = audit_privacy(
        mechanism, PAIR, epsilon=0.5, adjacency=anything, max_samples=3000, method="clopper-pearson"
    )
    assert found.verdict == "undecided"
    assert "outputs of one call" in found.premise


def test_independent_outputs_that_repeat_pass_in_long_calls() -> None:
    # Refuted, so that long calls are tested too: two tests in each of 4 audits, at 1e-6 each.
    def coins(data: float, size: int, rng: np.random.Generator) -> Any:
        return rng.random(size) < 0.3 + 0.15 * data

    for seed in range(4):
        result = audit_privacy(coins, PAIR, epsilon=0.1, adjacency=anything, seed=seed, alpha=1e-6)
        assert result.refuted
        assert result.premise_samples > assumptions.CALLS * assumptions.CALL


def test_independent_outputs_pass() -> None:
    # Each is called dependent with probability 1e-6; of 24 two or more with 3e-10.
    alarms = sum(bool(broken(m, seed)) for m in INDEPENDENT.values() for seed in range(2))
    assert alarms < 2


def test_the_permutation_test_keeps_its_level() -> None:
    # Outputs without dependence in short calls: p-values of a permutation test are exact. 400 tests at level
    # 0.001: seven or more alarms have probability 1e-6.
    rng = np.random.default_rng(5)
    none = np.zeros((64, 1), dtype=np.int64)
    alarms = 0
    for _ in range(400):
        a, b = (Encoded(rng.standard_cauchy((64, 1)).round(1), none) for _ in range(2))
        alarms += bool(assumptions.dependence(a, b, 8, rng))
    assert alarms < 7


def test_one_output_a_call_loses_nothing() -> None:
    def shared(data: float, size: int, rng: np.random.Generator) -> Any:
        return np.full(size, data + rng.laplace())

    one = each(lambda data, rng: shared(data, 1, rng)[0])
    kept = audit_privacy(one, PAIR, epsilon=1.0, adjacency=anything, max_samples=3000, alpha=1e-6)
    assert kept.verdict == "not-refuted"
    assert kept.premise == ""
    assert kept.premise_samples <= assumptions.ONE_BY_ONE
    broken = audit_privacy(one, PAIR, epsilon=0.2, adjacency=anything, max_samples=3000, alpha=1e-6)
    assert broken.verdict == "refuted"


def test_samples_of_the_audit_do_not_hang_on_the_test_of_its_assumptions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A generator of its own: the same events and counts with other numbers of calls.
    def laplace(data: float, size: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace(size=size)

    options: dict[str, Any] = {"epsilon": 1.0, "adjacency": anything, "max_samples": 2000}
    first = audit_privacy(laplace, PAIR, **options)
    monkeypatch.setattr(assumptions, "Plan", partial(assumptions.Plan, 10))
    again = audit_privacy(laplace, PAIR, **options)
    assert again.premise_samples < first.premise_samples
    assert (first.event, first.e_value) == (again.event, again.e_value)


def test_the_pair_that_refutes_is_tested_too() -> None:
    # Outputs are dependent on one dataset only, and that is not in the first pair.
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Any:
        noise = rng.laplace() if data == 9 else rng.laplace(size=size)
        return np.zeros(size) + noise

    result = audit_privacy(mechanism, [(0, 1), (2, 9)], epsilon=0.1, adjacency=anything, max_samples=20_000)
    assert result.verdict == "undecided"
    assert "not independent" in result.premise
