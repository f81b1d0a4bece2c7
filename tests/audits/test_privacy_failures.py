"""Exceptions and NaN on one dataset only are refuted as the leaks that they are, others are bad input."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest

from audits.privacy import each
from audits.privacy.draw.failures import began_late
from tests.audits import privacy_runs

audited = partial(privacy_runs.audited, alpha=1e-6, max_samples=2000, simplest=False)


def raises_on_one(data: float, size: int, rng: np.random.Generator) -> Any:
    if data == 1.0:
        raise KeyError("missing")
    return rng.laplace(size=size)


def nan_on_one(data: float, size: int, rng: np.random.Generator) -> Any:
    return np.where(rng.random(size) < 0.4 * data, np.nan, rng.laplace(size=size))


@each
def sometimes(data: float, rng: np.random.Generator) -> float:
    if rng.random() < 0.4 * data:
        raise ZeroDivisionError
    return float(rng.laplace())


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [(raises_on_one, "raised KeyError"), (nan_on_one, "NaN"), (sometimes, "raised ZeroDivisionError")],
)
def test_a_failure_on_one_dataset_only_is_a_leak(mechanism: Any, words: str) -> None:
    # 0.4 against 0: missed in 2,000 samples with probability far below 1e-6.
    result = audited(mechanism)
    assert result.verdict == "refuted"
    assert result.event.startswith(f"{words} on the second dataset of pair 0 only; ")
    assert "fails on one dataset only" in result.note
    assert "--errors symbol" in result.replay
    again = audited(mechanism, errors="symbol")
    assert result.event.endswith(again.event)
    assert again.samples == result.samples


def test_a_failure_on_one_dataset_that_is_within_the_claim_is_bad_input() -> None:
    # 12 % against 0 with δ = 0.5 is private.
    def seldom(data: float, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < 0.12 * data, np.nan, rng.laplace(size=size))

    with pytest.raises(ValueError, match="must not return NaN"):
        audited(seldom, delta=0.5)


def test_a_failure_that_was_on_one_dataset_by_chance_does_not_begin_a_second_audit() -> None:
    # 2 % of the outputs on both datasets. In two of five runs the first 64 outputs have failures on one
    # dataset only; that the first 32 failures are all on one dataset has probability 2^-31 a run.
    drawn = [0]

    def seldom(data: float, size: int, rng: np.random.Generator) -> Any:
        drawn[0] += size
        return np.where(rng.random(size) < 0.02, np.nan, rng.laplace(size=size))

    for seed in range(10):
        with pytest.raises(ValueError, match="must not return NaN"):
            audited(seldom, seed=seed, max_samples=10**6)
    # No audit of a million outputs was made.
    assert drawn[0] < 10**6


@pytest.mark.parametrize("most", [700, 3000])
@pytest.mark.parametrize("failing", ["exception", "NaN"])
def test_a_budget_of_answers_for_each_dataset_is_no_leak(most: int, failing: str) -> None:
    """The mechanism fails on both datasets after equally many answers; the first was asked more by then."""
    asked: Counter[float] = Counter()

    def budgeted(data: float, size: int, rng: np.random.Generator) -> Any:
        outputs = rng.laplace(size=size)
        asked[data] += size
        if asked[data] <= most:
            return outputs
        if failing == "exception":
            raise RuntimeError("budget exhausted")
        outputs[most - asked[data] :] = np.nan
        return outputs

    words = r"; the first \d+ (calls|outputs) on the first dataset of pair 0 did not fail: "
    with pytest.raises(ValueError, match=words):
        audited(budgeted, max_samples=10_000)
    # Taken for outputs, failures are as likely on both datasets.
    asked.clear()
    assert not audited(budgeted, max_samples=10_000, errors="symbol").refuted


def test_a_rare_failure_on_one_dataset_only_is_a_leak() -> None:
    # 2 % against 0. Of 2,048 outputs fewer than 8 fail with probability 2e-11.
    def seldom(data: float, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < 0.02 * data, np.nan, rng.laplace(size=size))

    result = audited(seldom, max_samples=20_000, alpha=1e-3)
    assert result.refuted
    assert result.event.startswith("NaN on the second dataset of pair 0 only; ")


def test_calls_that_fail_independently_seldom_begin_to_fail_late() -> None:
    """Of 4,000 mechanisms that fail with equal probability at each call, 4 or so are called late, each with
    probability 10⁻³; more than 20 with probability below 1e-6."""
    rng = np.random.default_rng(0)
    late = 0
    for _ in range(4_000):
        p = rng.uniform(0.01, 1.0)
        late += began_late(int(rng.binomial(64, p)), 64, int(rng.geometric(p)) - 1)
    assert late <= 20
    assert began_late(64, 64, 5)
