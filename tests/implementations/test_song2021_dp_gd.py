"""Algorithm 1 of song2021: averages without noise, gradients by coordinates, and the noise scales."""

import math

import numpy as np
import pytest

from implementations import losses
from implementations.interfaces import Adjacency, Problem
from implementations.privacy import gaussian_delta
from implementations.song2021 import dp_gd


def test_without_noise_the_averages_are_those_of_plain_gradient_descent():
    problem = Problem(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([2.0, -1.0]), losses.absolute())
    result = dp_gd.dp_gd(problem, 1, np.random.default_rng(0), steps=3, learning_rate=0.4, noise_scale=0.0)
    # gradient (−1/2, +1/4) at every iterate
    path = np.outer(np.arange(4), [0.2, -0.1])
    assert np.allclose(result.last[0], path[3])
    assert np.allclose(result.printed[0], path[1:].mean(axis=0))
    assert np.allclose(result.proof[0], path[:3].mean(axis=0))


def test_coordinate_gradient_is_the_gradient_of_the_records():
    rng = np.random.default_rng(3)
    coordinate = rng.integers(0, 3, 25)
    targets = rng.integers(0, 2, 25).astype(float)
    problem = Problem(np.eye(3)[coordinate], targets, losses.pseudo_huber(0.3))
    weights = np.stack([np.bincount(coordinate[targets == y], minlength=3) / 25 for y in (0.0, 1.0)])
    values = np.stack([np.zeros(3), np.ones(3)])
    theta = rng.standard_normal((5, 3))
    fast = dp_gd.coordinate_gradient(problem.loss, values, weights)(theta)
    assert np.allclose(fast, dp_gd.glm_gradient(problem)(theta))
    risk = dp_gd.coordinate_risk(problem.loss, values, weights, theta)
    assert np.allclose(risk, problem.loss.value(theta @ problem.features.T, targets).mean(axis=-1))


def test_noise_scales():
    common = {"epsilon": 0.7, "delta": 1e-4, "n": 80, "steps": 11, "lipschitz": 1.5}
    replace = {**common, "adjacency": Adjacency.REPLACE}
    printed = dp_gd.noise_scale(noise="printed", **replace)
    assert printed**2 == pytest.approx(2 * 1.5**2 * 11 * math.log(1e4) / (80 * 0.7) ** 2)
    assert dp_gd.noise_scale(noise="corrected", **replace) == pytest.approx(2 * printed)
    calibrated = dp_gd.noise_scale(noise="calibrated", **replace)
    half = dp_gd.noise_scale(noise="calibrated", **common, adjacency=Adjacency.ADD_REMOVE)
    assert calibrated == pytest.approx(2 * half)
    mu = 2 * 1.5 / 80 * math.sqrt(11) / calibrated
    assert gaussian_delta(0.7, mu) == pytest.approx(1e-4)
