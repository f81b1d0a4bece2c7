"""Theorem 2.6: the closed forms of the claim, and its certificate against the exact curve."""

import math

import numpy as np
import pytest

from claims.song2021 import theorem_2_6 as claim
from implementations.privacy import gaussian_delta


@pytest.mark.parametrize("delta", [0.5, 0.2, 1e-2, 1e-5, 1e-9])
def test_the_certificate_bounds_the_exact_ratio(delta):
    length = math.log(1 / delta)
    for epsilon in np.linspace(0.01, 4 * length, 200):
        exact = gaussian_delta(epsilon, epsilon / math.sqrt(2 * length)) / delta
        assert exact <= claim.certificate(float(epsilon), delta) * (1 + 1e-9)


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


def test_the_certificate_grows_in_epsilon_and_in_delta():
    epsilons, deltas = np.linspace(0.01, 2.3, 60), np.geomspace(1e-9, 0.5, 60)
    table = np.array([[claim.certificate(float(e), float(d)) for d in deltas] for e in epsilons])
    assert (np.diff(table, axis=0) > 0).all()
    assert (np.diff(table, axis=1) > 0).all()
