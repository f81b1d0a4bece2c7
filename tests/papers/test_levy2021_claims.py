"""The exact machinery behind the claims of levy2021 against independent oracles."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import comb

from audits.divergence import hockey_stick
from audits.laws import Laplace, Mixture
from claims.levy2021 import _shared, limit_fixed_n, sub_gaussian_concentration
from implementations.levy2021.private_range import range_law
from implementations.levy2021.winsorized_mean_1d import winsorized_mean_1d_law


def test_count_vectors_and_neighbours():
    counts = _shared.count_vectors(4, 3)
    assert len({tuple(c) for c in counts.tolist()}) == len(counts) == comb(6, 4, exact=True)
    assert (counts.sum(axis=1) == 4).all()
    pairs = set(_shared.neighbours(counts))
    for i, j in itertools.combinations(range(len(counts)), 2):
        adjacent = np.abs(counts[i] - counts[j]).sum() == 2
        assert ((i, j) in pairs) == adjacent


def test_range_divergence_is_that_of_the_enumerated_laws():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.uniform(-8, 8, (2, 6))
        p, q = range_law(x, 1.3, 1.0, 8.0), range_law(y, 1.3, 1.0, 8.0)
        expected = np.abs(p.enumerate()[1] - q.enumerate()[1]).max()
        assert _shared.range_divergence(p, q) == pytest.approx(expected)


def _mixture(law):
    return Mixture(
        tuple(law.weights / law.weights.sum()), tuple(Laplace(float(c), law.scale) for c in law.centres)
    )


@pytest.mark.parametrize("seed", range(5))
def test_mixture_tv_and_divergence_agree_with_the_exact_instrument(seed):
    rng = np.random.default_rng(seed)
    x = np.clip(rng.normal(0, 2, 6), -4, 4)
    y = x.copy()
    y[0] = -x[0]
    p, q = (winsorized_mean_1d_law(data, 1.0, 1.0, 4.0) for data in (x, y))
    target = float(x.mean())
    expected = hockey_stick(_mixture(p), Laplace(target, p.scale), 0.0)
    assert _shared.mixture_tv(p, target) == pytest.approx(expected, abs=1e-10)
    divergence = _shared.mixture_divergence(p, q)
    both = [hockey_stick(_mixture(a), _mixture(b), divergence * (1 + 1e-6)) for a, b in ((p, q), (q, p))]
    assert max(both) <= 1e-12
    both = [hockey_stick(_mixture(a), _mixture(b), divergence * 0.9) for a, b in ((p, q), (q, p))]
    assert max(both) > 0.0


def test_decision_error_with_delta_is_that_of_the_recursion():
    # P(1) may grow by one user to min(e^ε P + δ, 1 − e^{−ε}(1 − P − δ)): the least p that reaches 1 − p.
    decision = np.array([[0.0, 1.0], [1.0, 0.0]])

    def reached(p, n, epsilon, delta):
        for _ in range(n):
            p = min(math.exp(epsilon) * p + delta, 1.0 - math.exp(-epsilon) * (1.0 - p - delta), 1.0)
        return p

    for n, epsilon, delta in ((3, 0.5, 0.01), (10, 0.1, 0.01), (6, 1.0, 0.002)):
        low, high = 0.0, 0.5
        for _ in range(50):
            p = 0.5 * (low + high)
            low, high = (low, p) if reached(p, n, epsilon, delta) >= 1.0 - p else (p, high)
        assert limit_fixed_n.least_risk(n, epsilon, delta, decision) == pytest.approx(low, rel=1e-6)


@pytest.mark.parametrize(("n", "means"), [(4, 2), (5, 3)])
def test_the_mode_of_the_users_spends_exactly_delta(n, means):
    epsilon, delta = 0.7, 0.03
    law = limit_fixed_n.release_probabilities(n, epsilon, delta)
    worst = 0.0
    for users in itertools.product(range(means), repeat=n):
        for moved in range(means):
            both = []
            for data in (users, (moved, *users[1:])):
                p = [law[data.count(k)] for k in range(means)]
                both.append([*p, 1.0 - sum(p)])
            worst = max(worst, sum(max(a - math.exp(epsilon) * b, 0.0) for a, b in zip(*both, strict=True)))
    assert limit_fixed_n.mode_delta(n, epsilon, delta, means) == pytest.approx(worst, abs=1e-14)
    assert worst == pytest.approx(delta)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_the_vector_on_a_sphere_is_sub_gaussian_and_nearly_as_likely_as_it_may_be(d):
    # E exp⟨v, U⟩ for U uniform on the unit sphere by quadrature over its first coordinate.
    radius = math.sqrt(3.0 * d)
    angles = (np.arange(2000) + 0.5) * math.pi / 2000
    weights = np.sin(angles) ** (d - 2)
    p = sub_gaussian_concentration.on_a_sphere(radius, d)
    v = np.linspace(0.05, 3.0, 50) * radius
    mean = np.array([(np.exp(x * radius * np.cos(angles)) * weights).sum() / weights.sum() for x in v])
    most = np.expm1(0.5 * v**2) / (mean - 1.0)
    assert p <= most.min()
    assert p >= 0.98 * most.min()
