"""Costly mechanisms: tests of assumptions leave most of the time, and the audit learns from their outputs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from audits.privacy import assumptions, each
from audits.privacy.assumptions import PLANS, planned
from tests.audits import privacy_runs
from tests.audits.privacy_runs import laplace

LIMIT = 40.0
CLOCKED = "assumptions", "draw.draws", "bet.method"
"""Modules that look at the clock."""


class Clock:
    """A clock that only drawing moves: a call costs `fixed` seconds and `output` seconds an output."""

    def __init__(self, fixed: float, output: float) -> None:
        self.now, self.fixed, self.output = 0.0, fixed, output

    def perf_counter(self) -> float:
        return self.now

    def wrapped(self, wrap: bool) -> Any:
        """The mechanism, or the same with one output a call."""
        return each(lambda data, rng: self.mechanism(data, 1, rng)[0]) if wrap else self.mechanism

    def draw(self, side: int, size: int) -> Any:
        self.now += self.fixed + self.output * size
        return np.zeros(size)

    def mechanism(self, data: float, size: int, rng: np.random.Generator) -> Any:
        """Every output tells the datasets apart but with probability 1e-4."""
        self.draw(0, size)
        return 20.0 * data + rng.laplace(size=size)


@pytest.fixture
def clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock(*getattr(request, "param", (0.0, 0.1)))
    for module in CLOCKED:
        monkeypatch.setattr(f"audits.privacy.{module}.time", found)
    return found


audited = partial(privacy_runs.audited, alpha=0.01, time_limit=LIMIT, simplest=False)


@pytest.mark.parametrize(("clock", "limit"), [((0.0, 0.1), LIMIT), ((0.0, 1.0), 60.0)], indirect=["clock"])
@pytest.mark.parametrize("wrap", [False, True], ids=["calls cost by their size", "one output a call"])
def test_a_leak_is_refuted_within_the_limit_by_a_mechanism_that_hardly_fits_it(
    wrap: bool, limit: float, clock: Clock
) -> None:
    # The whole tests would take 200 s or more; thirty outputs of each dataset fit into the limits, and fewer
    # than twenty of thirty tell the datasets apart with probability below 1e-30.
    result = audited(clock.wrapped(wrap), time_limit=limit)
    assert result.verdict == "refuted"
    assert clock.now <= limit
    spent = 2 * result.premise_samples * clock.output
    assert spent <= assumptions.TIME * limit + 2 * clock.output
    # What the tests drew is among the samples that were learned from.
    assert result.samples >= result.premise_samples


def test_fast_mechanisms_are_tested_in_full_and_audited_as_without_a_limit() -> None:
    without = audited(laplace, time_limit=None, max_samples=2000)
    within = audited(laplace, time_limit=300.0, max_samples=2000)
    assert within.premise_samples >= assumptions.CALLS * assumptions.CALL
    assert (within.event, within.e_value, within.samples) == (without.event, without.e_value, without.samples)


def test_shared_noise_of_a_dear_mechanism_is_no_leak(clock: Clock) -> None:
    # One draw of noise a call: ε = 1 exactly. One output a call makes the outputs independent, so the audit
    # refutes with probability at most 1e-6.
    def shared(data: float, size: int, rng: np.random.Generator) -> Any:
        clock.draw(0, size)
        return np.full(size, data + rng.laplace())

    assert audited(shared, alpha=1e-6).verdict != "refuted"


@pytest.mark.parametrize("clock", [(0.0, 1.0)], indirect=True)
@pytest.mark.parametrize("wrap", [False, True], ids=["calls cost by their size", "one output a call"])
@pytest.mark.parametrize("limit", [8.0, 9.5, 20.0])
def test_a_limit_of_a_few_outputs_is_kept(limit: float, wrap: bool, clock: Clock) -> None:
    result = audited(clock.wrapped(wrap), time_limit=limit)
    assert result.verdict == "undecided"
    assert result.samples > 0
    # The first output may take any time, as it may import a library.
    assert clock.now <= limit + clock.output


@pytest.mark.parametrize("clock", [(1.0, 0.0)], indirect=True)
def test_a_second_a_call_leaves_as_many_outputs_a_call_as_ever(clock: Clock) -> None:
    # Half of the noise that ε = 1 needs: a few hundred outputs show it, the 20 of as many calls do not.
    def mechanism(data: float, size: int, rng: np.random.Generator) -> Any:
        clock.draw(0, size)
        return data + rng.laplace(scale=0.5, size=size)

    result = audited(mechanism)
    assert result.verdict == "refuted"
    assert clock.now <= LIMIT


@pytest.mark.parametrize("clock", [(0.0, 0.1), (0.1, 0.0)], indirect=True)
@pytest.mark.parametrize("wrap", [False, True], ids=["many outputs a call", "one output a call"])
@pytest.mark.parametrize("pairs", [1, 4])
def test_an_audit_of_failures_has_what_is_left_of_the_limit(pairs: int, wrap: bool, clock: Clock) -> None:
    # A failure on one dataset only is audited again, with failures for outputs, in the rest of the time.
    def fails(data: float, size: int, rng: np.random.Generator) -> Any:
        outputs = clock.mechanism(data, size, rng)
        if data == 1.0:
            raise KeyError("missing")
        return outputs

    mechanism = each(lambda data, rng: fails(data, 1, rng)[0]) if wrap else fails
    result = audited(mechanism, [(0.0, 1.0)] * pairs)
    assert result.verdict == "refuted"
    assert "fails on one dataset only" in result.note
    assert clock.now <= LIMIT + 8 * (clock.fixed + clock.output)


@pytest.mark.parametrize(
    ("fixed", "output", "plan"),
    [
        (1e-5, 1e-6, PLANS[0]),
        (0.1, 1e-4, PLANS[1]),
        (1e-4, 0.008, PLANS[2]),
        (1.0, 0.0, PLANS[-1]),
        (0.0, 1.0, (0, 0)),
    ],
    ids=["fast", "costly calls", "costly outputs", "a second a call", "a second an output"],
)
def test_the_plan_is_the_best_test_that_fits(
    fixed: float, output: float, plan: tuple[int, int], clock: Clock
) -> None:
    clock.fixed, clock.output = fixed, output
    found, seen = planned(clock.draw, 5.0)
    assert (found.calls, found.call) == plan
    assert found.learn == (plan != PLANS[0])
    assert found.fixed == pytest.approx(fixed, abs=1e-9)
    assert len(seen[0]) == len(seen[1])
    # The plan is kept, and measuring took no longer than the test may take, or six outputs.
    assert 2 * found.calls * (fixed + found.call * output) <= 5.0
    assert clock.now <= max(5.0, 6 * (fixed + output))


@pytest.mark.parametrize("clock", [(0.0, 0.05)], indirect=True)
def test_a_sure_refutation_of_a_dear_mechanism_ends_the_sampling(clock: Clock) -> None:
    # Without an end, sampling would go on to 256 times the samples of the refutation, as the bound is not
    # within 0.1 % of the estimate before.
    result = audited(clock.mechanism, time_limit=3600.0, precision=0.001)
    assert result.verdict == "refuted"
    assert "The clock ended the sampling" in result.note
    first = next(look.samples for look in result.trace if look.lower > 1.0)
    assert result.samples <= 4 * first
    assert clock.now < 600.0


@pytest.mark.parametrize("clock", [(0.0, 10.0)], indirect=True)
@pytest.mark.parametrize(("limit", "untested"), [(700.0, True), (4000.0, False)])
@pytest.mark.parametrize("wrap", [False, True], ids=["calls cost by their size", "one output a call"])
def test_ten_seconds_an_output_are_refuted_with_or_without_time_to_confirm(
    wrap: bool, limit: float, untested: bool, clock: Clock
) -> None:
    # The e-value passes 1/α after 24 outputs or so; where as many fresh ones do not fit, it decides alone.
    # An output tells the datasets apart but with probability 1e-4: fewer than 20 of 24 do with 1e-15.
    result = audited(clock.wrapped(wrap), time_limit=limit, alpha=0.05, confirm=True, precision=0.1)
    assert result.verdict == "refuted"
    assert clock.now <= limit
    assert ("fresh draws that could have confirmed" in result.note) is untested


def test_a_time_limit_is_counted_from_the_first_output(clock: Clock) -> None:
    # The first call may import a library: here it takes ten limits.
    def mechanism(data: float, size: int, rng: np.random.Generator) -> Any:
        clock.now += 0.0 if clock.now else 10 * LIMIT
        clock.draw(0, size)
        return data + rng.laplace(size=size)

    result = audited(mechanism, max_samples=10**9)
    assert result.samples > 100
    assert result.note.startswith(f"{LIMIT:g} s were too short")
