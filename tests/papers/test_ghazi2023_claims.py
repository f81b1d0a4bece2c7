"""The helpers of the ghazi2023 claims against independent computations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from claims.ghazi2023 import _oracle, _tails, algorithm_4_utility, lemma_c_1
from claims.ghazi2023._problems import problems


def test_divergence_of_refusal_or_gaussian_against_a_grid() -> None:
    """sup_S P(S) − e^ε Q(S) by summing the positive part of the densities' difference."""
    x = np.linspace(-12.0, 14.0, 2_000_001)
    for epsilon, p, q, shift in ((0.3, 0.9, 0.7, 0.8), (1.0, 0.2, 0.6, 1.5), (0.5, 0.6, 0.25, 0.0)):
        gap = p * norm.pdf(x) - math.exp(epsilon) * q * norm.pdf(x, shift)
        answers = float(np.maximum(gap, 0.0).sum() * (x[1] - x[0]))
        bottom = max(0.0, (1 - p) - math.exp(epsilon) * (1 - q))
        assert float(_oracle.hockey_stick(epsilon, p, q, shift)) == pytest.approx(answers + bottom, abs=1e-7)
    assert float(_oracle.hockey_stick(1.0, 0.4, 0.0, 0.0)) == pytest.approx(0.4)
    assert float(_oracle.hockey_stick(1.0, 0.0, 0.4, 0.0)) == pytest.approx(max(0.0, 1 - math.e * 0.6))


def test_needed_constant_by_hand() -> None:
    """Three fair signs: |S| = 3 with probability 1/4, which asks for 3/(√3·√ln 4) just below β = 1/4."""
    values, probabilities = np.array([1.0, 3.0]), np.array([0.75, 0.25])
    expected = 3.0 / (math.sqrt(3.0) * math.sqrt(math.log(4.0)))
    assert _tails.needed_constant(values, probabilities, math.sqrt(3.0)) == pytest.approx(expected)


def test_sign_sums_are_those_of_all_subsets() -> None:
    vectors = np.array([[0.6]] * 4 + [[-0.4]] * 6)
    norms, probabilities = _tails.subset_norms(vectors, 3)
    sums, law = _tails.sign_sums(10, 4, 3)
    for value, probability in zip(sums, law, strict=True):
        assert probabilities[np.abs(norms - value) < 1e-9].sum() == pytest.approx(probability)


def test_minimisers_of_the_small_problems() -> None:
    """No point of a fine grid of the interval has a smaller mean loss; gradients add up to zero inside."""
    rng = np.random.default_rng(0)
    for problem in problems(7, rng):
        if problem.name.startswith("absolute"):
            theta = float(problem.minimise(problem.items)[0])
            grid = np.linspace(-1, 1, 20_001)
            mu = problem.strong_convexity
            values = np.abs(grid[:, None] - problem.items[:, 0]).mean(axis=1) + 0.5 * mu * grid**2
            here = float(np.abs(theta - problem.items[:, 0]).mean() + 0.5 * mu * theta**2)
            assert here <= values.min() + 1e-9
            assert abs(lemma_c_1.gradients(problem).sum()) < 1e-9


def test_clipped_norm_against_draws() -> None:
    z = np.random.default_rng(0).normal(size=(200_000, 4))
    for d in (1, 4):
        norms = np.linalg.norm(z[:, :d], axis=1)
        for sigma, half in ((0.1, 0.5), (1.0, 0.5), (30.0, 0.5)):
            mean = float(np.minimum(sigma * norms, half).mean())
            # Values in [0, 1/2]: 5.5 standard errors of at most 1/4 each, probability below 1e-7.
            found = algorithm_4_utility.clipped_norm(sigma, half, d)
            assert abs(found - mean) < 5.5 * 0.25 / math.sqrt(200_000)
