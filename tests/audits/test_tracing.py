"""The tracing attack: limits against SciPy, false alarms on private mechanisms, power on open ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audits import tracing
from audits.evidence import Verdict


def draw(rng: np.random.Generator) -> tracing.Target:
    """Four records of random signs in 400 columns; the score is the inner product with the released mean."""
    records = rng.choice([-1.0, 1.0], (4, 400))

    def score(output: np.ndarray, who: int) -> float:
        return float(output @ records[who])

    return tracing.Target(records=records, replacement=np.zeros(400), score=score)


def mean(records: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return records.mean(axis=0)


def test_an_accurate_mechanism_is_traced() -> None:
    # Member: 100 ± 9. Non-member: 0 ± 9.
    attacked = tracing.run_attack(draw, mean, 300, np.random.default_rng(0))
    found = tracing.trace(*attacked, 50.0, delta=1e-6, alpha=1e-3)
    assert found.true_positives == 300
    assert found.false_positives == 0
    # Clopper–Pearson with no false positive in 300 trials
    high = 1 - (0.0005) ** (1 / 300)
    low = 0.0005 ** (1 / 300)
    assert found.epsilon_lower == pytest.approx(math.log((low - 1e-6) / high))
    assert found.check_private(1.0).verdict is Verdict.REFUTED


def test_private_mechanisms_are_not_traced_more_often_than_alpha() -> None:
    # A mechanism that releases randomised signs of one record with exactly ε = 1 is attacked at its best.
    rng = np.random.default_rng(1)
    keep = math.e / (1 + math.e)
    alarms = 0
    for _ in range(2000):
        members = (rng.random(200) < keep).astype(float)
        others = (rng.random(200) < 1 - keep).astype(float)
        alarms += tracing.trace(members, others, 0.5, alpha=0.05).epsilon_lower > 1.0
    # P(Bin(2000, 0.05) > 150) < 1e-6; the limits are conservative
    assert alarms <= 150


def test_limits_agree_with_scipy() -> None:
    found = tracing.trace([1.0] * 37 + [0.0] * 13, [1.0] * 4 + [0.0] * 46, 0.5, alpha=0.02)
    assert found.true_positive_low == pytest.approx(stats.beta.ppf(0.01, 37, 14))
    assert found.false_positive_high == pytest.approx(stats.beta.ppf(0.99, 5, 46))


def test_bad_input_is_named() -> None:
    rng = np.random.default_rng(4)
    with pytest.raises(ValueError, match="trials"):
        tracing.run_attack(draw, mean, 0, rng)
    with pytest.raises(ValueError, match="score must be finite"):
        tracing.run_attack(draw, lambda records, _: np.full(400, math.nan), 1, rng)

    def wrong(generator: np.random.Generator) -> tracing.Target:
        target = draw(generator)
        return tracing.Target(target.records, np.zeros(3), target.score)

    with pytest.raises(ValueError, match="replacement"):
        tracing.run_attack(wrong, mean, 1, rng)
