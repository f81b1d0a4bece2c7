"""Verdicts that people act on: confirmed on fresh draws, with the size of the violation, in plain words."""

from __future__ import annotations

import re
import time
from functools import partial
from typing import Any

import numpy as np
import pytest

from audits.privacy import Look, Stopped, show
from tests.audits import privacy_runs

audited = partial(privacy_runs.audited, alpha=1e-3, max_samples=100_000)


def laplace(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(scale=0.5, size=size)


def test_a_refutation_is_confirmed_on_fresh_draws() -> None:
    plain, confirmed = audited(laplace), audited(laplace, confirm=True)
    assert plain.verdict == confirmed.verdict == "refuted"
    assert confirmed.samples >= 2 * plain.samples


def test_what_fresh_draws_do_not_confirm_is_undecided() -> None:
    # The mechanism leaks up to the refutation only: the verdict would not hold of what it does later.
    drawn = {"all": 0, "most": 10**9}

    def early(data: float, size: int, rng: np.random.Generator) -> Any:
        drawn["all"] += size
        return rng.laplace(size=size) + (3.0 * data if drawn["all"] <= drawn["most"] else 0.0)

    # Without the fresh draws that name the simplest event, which come after the refutation.
    assert audited(early, simplest=False).verdict == "refuted"
    drawn = {"all": 0, "most": drawn["all"]}
    result = audited(early, confirm=True, max_samples=4000)
    assert result.verdict == "undecided"
    assert "did not confirm" in result.note


def test_after_a_refutation_the_size_of_the_violation_is_found() -> None:
    at_once, sharp = audited(laplace), audited(laplace, precision=0.1)
    assert at_once.epsilon_lower < 1.5
    # The mechanism's ε is 2; the bound exceeds it with probability 1e-3, which the seed settles.
    assert 1.7 < sharp.epsilon_lower <= 2.0
    assert sharp.epsilon_lower >= 0.9 * sharp.estimate
    # The first sentence has the number of the witness, which is no less sharp.
    assert sharp.summary().startswith(f"REFUTED: ε ≥ {sharp.shown:.4g}, claimed 1 ")
    assert sharp.shown >= 0.9 * sharp.epsilon_lower


def test_a_run_that_is_stopped_says_what_it_knows() -> None:
    seen: list[Look] = []

    def stopping(look: Look) -> None:
        seen.append(look)
        if look.samples > 3000:
            raise Stopped("Stopped by a test.")

    result = audited(laplace, epsilon=1.99, partial=True, progress=stopping)
    assert result.verdict == "undecided"
    assert "Stopped by a test." in result.note
    assert result.epsilon_lower == seen[-1].lower > 0.5
    with pytest.raises(Stopped):
        audited(laplace, epsilon=1.99, progress=stopping)


def test_the_e_value_is_a_running_maximum() -> None:
    result = audited(laplace, epsilon=2.0, max_samples=3000)
    assert result.e_value == pytest.approx(max(np.exp(look.log_e_value) for look in result.trace))
    assert result.to_dict()["e_value"] == result.to_dict()["largest_e_value"]
    assert "--alpha 0.001" in result.replay
    assert "--max-samples 3000" in result.replay


def test_where_the_time_ends_the_result_says_what_would_lead_to_a_verdict() -> None:
    def slow(data: float, size: int, rng: np.random.Generator) -> Any:
        time.sleep(2e-4 * size)
        return rng.laplace(size=size)

    result = audited(slow, time_limit=1.0, max_samples=10**6)
    assert result.verdict == "undecided"
    enough = int(
        re.findall(r"^1 s were too short. Give time_limit=4, or max_samples=(\d+).$", result.note)[0]
    )
    assert result.meaning("f").startswith("1 s were too short for f and (ε = ")
    assert f"Give time_limit=4, or max_samples={enough}." in result.summary()
    assert audited(slow, max_samples=enough).verdict == "not-refuted"


def test_a_mechanism_with_a_generator_of_its_own_is_not_said_to_be_replayable() -> None:
    own = np.random.default_rng(0)
    drawn = audited(lambda data, size, rng: data + own.laplace(size=size))
    assert (drawn.replayable, drawn.seed) == (False, None)
    assert "(no seed: it cannot be replayed)" in str(drawn)
    passed = audited(laplace)
    assert (passed.replayable, passed.seed) == (True, 0)


def test_what_is_constant_is_said_to_be_constant() -> None:
    answers: dict[float, float] = {}

    def cached(data: float, size: int, rng: np.random.Generator) -> Any:
        return np.full(size, answers.setdefault(data, data + rng.laplace()))

    refuted = audited(cached)
    assert refuted.verdict == "refuted"
    assert refuted.headline().endswith("the mechanism, unless it returns earlier answers.")
    alike = audited(lambda data, size, rng: np.ones(size))
    assert alike.verdict == "not-refuted"
    assert "Every output on both datasets was the same" in alike.note
    assert "whose outputs on a dataset were all the same" in alike.headline()


def test_a_pass_without_planted_leaks_tells_its_resolution_and_no_more() -> None:
    def private(data: float, size: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace(scale=1.5, size=size)

    plain = audited(private, max_samples=10_000)
    label, text = plain.passed
    assert (label, text) == ("resolution", plain.passed[1])
    assert text.startswith(f"no leak was planted; an ε of {plain.resolution.epsilon:.4g} or more, or")
    planted = audited(private, max_samples=10_000, planting=True)
    label, text = planted.passed
    assert label == "would have caught"
    leaks = text.split(", ")
    assert len(leaks) == len(set(leaks))


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (np.ones(30), np.ones(29), "30 and 29 records; record 29: 1.0 and none"),
        ([0] * 90, [0] * 40 + [7] + [0] * 49, "90 records; record 40: 0 and 7"),
        ((1, 2), (1,), ""),
        ("a" * 300, "b" * 300, ""),
    ],
)
def test_pairs_are_told_by_the_record_that_differs_where_they_are_cut(
    first: Any, second: Any, words: str
) -> None:
    said = show.pair_said(first, second)
    assert said.endswith(f"({words})") if words else "record" not in said
    assert "\n" not in said


def test_outputs_that_rarely_differ_are_not_called_the_same() -> None:
    """One output in a hundred names the dataset, as where a test before a release fails so often."""

    def proposed(data: float, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < 0.01, 5.0 + data, -1.0)

    passed = audited(proposed, delta=0.011, max_samples=30_000)
    assert passed.verdict == "not-refuted"
    assert "the same" not in passed.summary()
    refuted = audited(proposed, delta=1e-4)
    assert refuted.refuted
    assert "earlier answer" not in refuted.summary()


@pytest.mark.parametrize("alpha", [1.2345678e-12, 1e-16, 1e-300])
def test_a_small_error_level_is_told_and_replayed_in_full(alpha: float) -> None:
    result = audited(laplace, alpha=alpha, simplest=False)
    assert result.to_dict()["alpha"] == alpha
    assert f"--alpha {alpha!r} " in result.replay
    assert f"confidence 1 − {alpha:.3g}" in result.summary()
