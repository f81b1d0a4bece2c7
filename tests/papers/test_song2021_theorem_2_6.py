"""Theorem 2.6: the closed forms of the claim against simulation, and its certificate against the exact
curve.
"""

import math

import numpy as np
import pytest
from scipy import stats

from claims import Point
from claims.song2021 import theorem_2_6 as claim
from implementations import losses
from implementations.interfaces import Adjacency
from implementations.privacy import gaussian_delta
from implementations.song2021 import dp_gd
from implementations.song2021.worst_pairs import huber_pair


@pytest.mark.parametrize("delta", [0.5, 0.2, 1e-2, 1e-5, 1e-9])
def test_the_certificate_bounds_the_exact_ratio(delta):
    length = math.log(1 / delta)
    for epsilon in np.linspace(0.01, 4 * length, 200):
        exact = gaussian_delta(epsilon, epsilon / math.sqrt(2 * length)) / delta
        assert exact <= claim.certificate(float(epsilon), delta) * (1 + 1e-9)


def test_the_certificate_grows_in_epsilon_and_in_delta():
    epsilons, deltas = np.linspace(0.01, 2.3, 60), np.geomspace(1e-9, 0.5, 60)
    table = np.array([[claim.certificate(float(e), float(d)) for d in deltas] for e in epsilons])
    assert (np.diff(table, axis=0) > 0).all()
    assert (np.diff(table, axis=1) > 0).all()


@pytest.mark.parametrize("delta", [0.5, 1e-2, 1e-6])
def test_the_largest_epsilon_is_where_the_curve_crosses(delta):
    edge = claim.largest_epsilon(delta)
    scale = math.sqrt(2 * math.log(1 / delta))
    assert all(gaussian_delta(e, e / scale) <= delta for e in np.linspace(0.01, edge - 1e-6, 100))
    assert gaussian_delta(edge * 1.001, edge * 1.001 / scale) > delta


@pytest.mark.parametrize("steps", [1, 2, 7, 300])
def test_the_released_share_is_that_of_the_weights(steps):
    weights = 1 - np.arange(steps) / steps
    expected = weights.sum() / np.linalg.norm(weights) / math.sqrt(steps)
    assert claim.released_share(steps) == pytest.approx(expected)


def test_the_average_on_the_huber_pair_has_the_whole_mu():
    # The released average is N(±m, s²) with 2m/s = μ of all steps; Kolmogorov–Smirnov at 1e-6.
    n, steps, epsilon, delta = 50, 5, 1.0, 1e-2
    algorithm = dp_gd.mechanism(
        losses.huber(1.0),
        epsilon=epsilon,
        delta=delta,
        steps=steps,
        learning_rate=n / (n - 1),
        noise="printed",
        adjacency=Adjacency.REPLACE,
    )
    first, _ = huber_pair(n, 1.0, far=100.0)
    released = algorithm(first, 20_000, np.random.default_rng(1))[:, 0]
    mu = epsilon * math.sqrt(2 / math.log(1 / delta))
    mean = 1 / (n - 1)
    assert stats.kstest(released, stats.norm(mean, 2 * mean / mu).cdf).pvalue > 1e-6


def test_the_pair_is_neighbouring():
    first, second = huber_pair(10, 2.0, far=5.0)
    assert (first != second).any(axis=1).sum() == 1


@pytest.mark.parametrize(("noise", "expected"), [("printed", 2.0), ("corrected", 0.5)])
def test_mu_depends_on_epsilon_and_delta_alone(noise, expected):
    for steps, n in ((1, 3), (10, 40)):
        axes = {"epsilon": 0.5, "delta": 1e-4, "steps": steps, "n": n}
        point = Point(axes=axes, alpha=1e-5, rng=np.random.default_rng(0))
        mu = claim.gaussian_parameter(point, noise, Adjacency.REPLACE)
        assert mu == pytest.approx(0.5 * math.sqrt(expected / math.log(1e4)))
