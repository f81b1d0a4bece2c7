"""The hard instance of Theorem B.1: its closed-form risk, the laws of the estimators, and the limits."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from implementations.song2021 import hard_instance as hard


def test_excess_risk_is_that_of_fresh_records():
    rng = np.random.default_rng(2)
    p, theta, alpha, d = rng.random(4), rng.normal(0.5, 1.0, 4), 0.7, 4
    # enumeration over X (its place or none) and Z
    risk = base = 0.0
    for j, z in itertools.product(range(d), (0, 1)):
        weight = alpha / d * (p[j] if z else 1 - p[j])
        risk += weight * abs(theta[j] - z)
        base += weight * abs(p[j] - z)
    assert hard.excess_risk(theta, p, alpha) == pytest.approx(risk - base)


@pytest.mark.parametrize("name", ["laplace", "exponential"])
def test_estimators_draw_from_their_closed_forms(name):
    # Binomial test of each coordinate's bit at 1e-6.
    size, epsilon = 40_000, 0.7
    sample = hard.Sample(np.tile([3, 0], (size, 1)), np.tile([1, 2], (size, 1)), 6)
    bits = hard.private_estimators()[name](sample, epsilon, 1e-3, np.random.default_rng(4))
    s = np.array([-2, 2])
    expected = (
        stats.laplace(scale=2 / epsilon).sf(-s) if name == "laplace" else 1 / (1 + np.exp(-epsilon / 2 * s))
    )
    for j in range(2):
        assert stats.binomtest(int(bits[:, j].sum()), size, expected[j]).pvalue > 1e-6


def test_limits():
    assert hard.size_limit(100, math.log(2.0), 0.5) == 20
    assert hard.delta_limit(math.log(2.0)) == pytest.approx(1e-3)
