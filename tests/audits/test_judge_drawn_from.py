"""`judge.drawn_from`: a sampler against its law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, norm

from audits.evidence import Verdict
from audits.judge import drawn_from


def test_distance_is_kolmogorovs() -> None:
    draws = np.random.default_rng(0).standard_normal(1000)
    found = drawn_from("normal", draws, norm.cdf, alpha=1e-6)
    assert found.estimate == pytest.approx(kstest(draws, "norm").statistic)
    assert found.verdict is Verdict.CONSISTENT
    assert found.alpha_spent == 1e-6


def test_false_alarms_keep_the_level() -> None:
    # 500 tests at 0.01: 5 expected; 24 has probability below 1e-8.
    rng = np.random.default_rng(1)
    runs = [drawn_from("U", rng.random(200), lambda x: x, alpha=0.01) for _ in range(500)]
    assert sum(e.verdict is Verdict.REFUTED for e in runs) < 24


def test_a_law_at_the_resolution_is_caught() -> None:
    # A part r of the mass moved from the lower to the upper half is r away: caught with
    # probability ≥ 0.9: of 200 runs fewer than 150 has probability below 1e-8.
    rng = np.random.default_rng(2)
    n = 5000
    r = drawn_from("U", rng.random(n), lambda x: x, alpha=1e-4).resolution
    assert r is not None
    caught = 0
    for _ in range(200):
        u = rng.random(n)
        moved = np.where((u < 0.5) & (rng.random(n) < 2.0 * r), u + 0.5, u)
        caught += drawn_from("U", moved, lambda x: x, alpha=1e-4).verdict is Verdict.REFUTED
    assert caught >= 150


@pytest.mark.parametrize(
    ("draws", "alpha", "named"),
    [([0.1] * 7, 0.1, "draws"), ([np.nan] * 9, 0.1, "draws"), ([0.1] * 9, 1.0, "alpha")],
)
def test_bad_input_is_named(draws: list[float], alpha: float, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        drawn_from("U", draws, lambda x: x, alpha=alpha)
