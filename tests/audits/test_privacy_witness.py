"""The simplest event of a refutation: which is named, and that its intervals hold.

Probabilities of the events are worked out in closed form from their words. An audit's α and the intervals'
are 1e-6, so that a test of one audit fails by chance with probability about 2e-6 at most.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audits import audit_privacy, each
from audits.privacy.after.witness import find_witness
from audits.privacy.claims import Pure
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.result import Share

PAIR = (np.array([1.0]), np.array([0.0]))
Draw = Callable[..., Any]


def audited(mechanism: Draw, **options: Any) -> Any:
    chosen: dict[str, Any] = {"epsilon": 1.0, "adjacency": "replace", "alpha": 1e-6}
    return audit_privacy(mechanism, [PAIR], **chosen | options)


def inside(share: Share, probability: float) -> bool:
    return share.low <= probability <= share.high


def test_a_threshold_of_one_coordinate() -> None:
    def mechanism(data: Any, size: int, rng: np.random.Generator) -> Any:
        outputs = rng.laplace(scale=0.5, size=(size, 12))
        outputs[:, 7] += data.sum()
        return outputs

    found = audited(mechanism, precision=0.2).simplest
    name, sign, threshold = found.event.rsplit(" ", 2)
    assert name == "coordinate 7"
    law = stats.laplace(scale=0.5)
    tails = {"≥": law.sf, "<": law.cdf}[sign]
    assert inside(found.first, float(tails(float(threshold) - 1.0)))
    assert inside(found.second, float(tails(float(threshold))))
    more, less = (found.first, found.second) if sign == "≥" else (found.second, found.first)
    # What anyone can work out from the two intervals; the law's ε is 2.
    assert found.epsilon == pytest.approx(math.log(more.low / less.high), abs=1e-12)
    assert 1.4 < found.epsilon < 2.0
    assert found.alike
    assert len(threshold) <= 6  # no more digits than tell


def test_a_weighted_sum_that_anyone_can_count() -> None:
    # Each column alone shows an ε of little more than 1; the law of a weighted sum is normal.
    shifts = np.array([1.0, -1.0, 0.5, 0.8, 0.0, 0.0, -0.7, 0.0])

    def mechanism(data: Any, size: int, rng: np.random.Generator) -> Any:
        return data.sum() * shifts + rng.normal(size=(size, 8))

    found = audited(mechanism).simplest
    terms = re.findall(r"([−+]?) ?([\d.]+·)?\(coordinate (\d)\)", found.event)
    weights = np.zeros(8)
    for sign, weight, place in terms:
        weights[int(place)] = (-1.0 if sign == "−" else 1.0) * float(weight.strip("·") or 1.0)
    assert 2 <= np.count_nonzero(weights) <= 6
    sign, threshold = found.event.split(" ")[-2:]
    law = stats.norm(scale=math.sqrt(float(np.square(weights).sum())))
    tails = {"≥": law.sf, "<": law.cdf}[sign]
    assert inside(found.first, float(tails(float(threshold) - float(weights @ shifts))))
    assert inside(found.second, float(tails(float(threshold))))


@pytest.mark.parametrize(
    ("kinds", "shift"), [(1, lambda hit, rng: hit + rng.random(len(hit))), (2, lambda hit, rng: hit)]
)
def test_the_intervals_of_all_kinds_of_events_hold_at_once(kinds: int, shift: Any) -> None:
    # Numbers that never repeat have thresholds alone, two values are events of two kinds. Each of the 2K
    # probabilities has the exact interval at level α/(2K), as SciPy has it.
    rng, alpha = np.random.default_rng(0), 0.01

    def draw(side: int, size: int) -> Any:
        return shift(2.0 * (rng.random(size) < (0.9, 0.1)[side]), rng)

    found = find_witness(
        [draw(0, 500), draw(1, 500)],
        draw,
        claim=Pure(1.0),
        alpha=alpha,
        bound=1.5,
        samples=700,
        encoder=Encoder(),
    )
    assert found is not None
    for share in (found.first, found.second):
        exact = stats.binomtest(round(700 * share.estimate), 700).proportion_ci(1 - alpha / (2 * kinds))
        assert (share.low, share.high) == pytest.approx((exact.low, exact.high), rel=1e-9)


def test_integers_of_more_digits_than_python_writes() -> None:
    def long(data: Any, rng: np.random.Generator) -> Any:
        return {
            "large": 10**5000 + int(rng.random() < 0.5),
            "bit": int(rng.random() < (0.9 if data[0] else 0.1)),
        }

    assert audited(each(long)).simplest.event.startswith("output['bit'] ")


@pytest.mark.slow
def test_intervals_hold_together_as_often_as_they_say() -> None:
    """Many events on few outputs: where the luckiest of them were counted on what chose it, coverage broke.

    200 runs at α = 0.2: more than 71 failures have probability below 1e-6.
    """
    law, failures, named = stats.norm(), 0, 0
    for seed in range(200):
        rng = np.random.default_rng([7, seed])
        shift = np.array([1.0, 0.0])

        def draw(side: int, size: int, rng: np.random.Generator = rng, shift: Any = shift) -> Any:
            return rng.normal(size=(size, 6)) + shift[side]

        found = find_witness(
            [draw(0, 60), draw(1, 60)],
            draw,
            claim=Pure(0.0),
            alpha=0.2,
            bound=0.0,
            samples=100,
            encoder=Encoder(),
        )
        if found is None or not re.fullmatch(r"coordinate \d (≥|<) -?[\d.]+", found.event):
            continue
        named += 1
        _, sign, threshold = found.event.rsplit(" ", 2)
        tails = law.sf if sign == "≥" else law.cdf
        truth = [float(tails(float(threshold) - move)) for move in shift]
        failures += not (inside(found.first, truth[0]) and inside(found.second, truth[1]))
    assert named > 100
    assert failures <= 71


def test_it_is_the_same_for_any_number_of_jobs_and_adds_nothing_to_the_audit() -> None:
    mechanism = each(lambda data, rng: float(data.sum() + rng.laplace(scale=0.4)))
    one, two = (audited(mechanism, jobs=jobs) for jobs in (1, 2))
    assert (one.simplest, one.event, one.e_value) == (two.simplest, two.event, two.e_value)
    without = audited(mechanism, simplest=False)
    assert without.simplest is None
    assert (without.samples, without.epsilon_lower) == (one.samples, one.epsilon_lower)


def test_what_is_not_refuted_names_none_and_a_failure_afterwards_takes_nothing_back() -> None:
    assert audited(lambda d, n, rng: d.sum() + rng.laplace(size=n), max_samples=2000).simplest is None
    calls = {"left": 0}

    def dies(data: Any, size: int, rng: np.random.Generator) -> Any:
        calls["left"] += 1
        if calls["left"] > limit:
            raise RuntimeError("no more")
        return data.sum() + rng.laplace(scale=0.1, size=size)

    limit = 10_000
    audited(dies, simplest=False)
    limit, calls["left"] = calls["left"], 0
    result = audited(dies)
    assert result.refuted
    assert result.simplest is None
