"""The hard instance of Theorem B.1: its law, its closed-form risk, and the privacy of the estimators."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from implementations import losses
from implementations.song2021 import hard_instance as hard


def test_counts_have_the_law_of_records_drawn_one_by_one():
    # χ² tests of the joint counts (zeros, ones) of coordinate 1, at 1e-6.
    p, alpha, n, size = np.array([0.2, 0.9, 0.5]), 0.6, 4, 20_000
    rng = np.random.default_rng(1)
    sample = hard.draw_sample(np.tile(p, (size, 1)), alpha, n, rng)
    present = rng.random((size, n)) < alpha
    where = rng.integers(0, 3, (size, n))
    labels = rng.random((size, n)) < p[where]
    ones = (present & (where == 1) & labels).sum(axis=1)
    zeros = (present & (where == 1) & ~labels).sum(axis=1)
    table = np.zeros((2, (n + 1) ** 2))
    for row, (a, b) in enumerate(((sample.zeros[:, 1], sample.ones[:, 1]), (zeros, ones))):
        np.add.at(table[row], a * (n + 1) + b, 1)
    table = table[:, table.sum(axis=0) >= 20]
    assert stats.chi2_contingency(table).pvalue > 1e-6


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


def test_the_dataset_of_a_sample_has_its_counts_and_its_gradient():
    rng = np.random.default_rng(3)
    p = hard.draw_parameter(1, 5, rng)
    sample = hard.draw_sample(p, 0.8, 30, rng)
    one = hard.Sample(sample.zeros[0], sample.ones[0], 30)
    problem = hard.dataset(one)
    assert problem.features.shape == (30, 5)
    assert problem.features.sum(axis=0).tolist() == (one.zeros + one.ones).tolist()
    assert (problem.features.T @ problem.targets).tolist() == one.ones.tolist()
    assert problem.loss.name == losses.absolute().name


@pytest.mark.parametrize("name", ["laplace", "exponential", "randomised response"])
def test_pure_estimators_are_private_on_every_small_pair(name):
    """Exact ratio of output probabilities over all pairs with n = 2, d = 2, from the estimators' own laws."""
    epsilon, d = 0.7, 2
    records = [(None, None), *itertools.product(range(d), (0, 1))]

    def counts(data):
        zeros, ones = np.zeros(d, int), np.zeros(d, int)
        for j, y in data:
            if j is not None:
                (ones if y else zeros)[j] += 1
        return zeros, ones

    def bit_laws(data):
        zeros, ones = counts(data)
        s = ones - zeros
        if name == "laplace":
            return stats.laplace(scale=2 / epsilon).sf(-s)
        return 1 / (1 + np.exp(-epsilon / 2 * s))

    def law(data):
        if name == "randomised response":
            gamma = math.expm1(epsilon) / (math.expm1(epsilon) + 2 * d + 1)
            symbol = lambda r: gamma * np.array([r == x for x in records]) + (1 - gamma) / len(records)  # noqa: E731
            return np.outer(symbol(data[0]), symbol(data[1])).ravel()
        up = bit_laws(data)
        return np.array([np.prod(np.where(b, up, 1 - up)) for b in itertools.product((0, 1), repeat=d)])

    worst = 0.0
    for first, second, kept in itertools.product(records, repeat=3):
        a, b = law((first, kept)), law((second, kept))
        worst = max(worst, float(np.abs(np.log(a / b)).max()))
    assert worst <= epsilon + 1e-9


@pytest.mark.parametrize("name", ["laplace", "exponential"])
def test_estimators_draw_from_the_laws_checked_above(name):
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
    with pytest.raises(ValueError, match="needs d"):
        hard.size_limit(1, 5.0, 1.0)


def test_bad_input_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="alpha"):
        hard.draw_sample(np.array([[0.5]]), 1.5, 3, rng)
    with pytest.raises(ValueError, match="p must"):
        hard.draw_sample(np.array([[math.nan]]), 0.5, 3, rng)
    with pytest.raises(ValueError, match="n must"):
        hard.draw_sample(np.array([[0.5]]), 0.5, 0, rng)
