"""Algorithm 1 of song2021: closed forms on linear losses, and the reduction to the span, step by step."""

import math

import numpy as np
import pytest
from scipy import stats

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


def test_the_output_on_linear_losses_is_the_gaussian_of_the_closed_form():
    # θ̄ = −η·Σ_{s<T} (1 − s/T)(g + b_s); the Kolmogorov–Smirnov test rejects wrongly with probability 1e-6.
    steps, eta, sigma = 7, 0.3, 0.8
    problem = Problem(np.array([[1.0]]), np.array([0.5]), losses.linear())
    result = dp_gd.dp_gd(
        problem, 20_000, np.random.default_rng(1), steps=steps, learning_rate=eta, noise_scale=sigma
    )
    weights = 1.0 - np.arange(steps) / steps
    law = stats.norm(-eta * 0.5 * weights.sum(), eta * sigma * np.linalg.norm(weights))
    assert stats.kstest(result.printed[:, 0], law.cdf).pvalue > 1e-6


@pytest.mark.parametrize(
    "loss", [losses.absolute(), losses.logistic(), losses.huber(0.2)], ids=lambda x: x.name
)
def test_reduction_to_the_span_is_exact(loss):
    """The same noise, projected, gives the same scores ⟨θ, x⟩ at every step, hence the same risks."""
    rng = np.random.default_rng(2)
    n, p, rank = 30, 50, 4
    features = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, p))
    problem = Problem(features, np.sign(rng.standard_normal(n)), loss)
    reduced, basis = dp_gd.reduce_to_span(problem)
    assert reduced.features.shape == (n, rank)
    assert np.allclose(basis.T @ basis, np.eye(rank))
    draws = rng.standard_normal((40, 3, p))
    wide = dp_gd.iterates(
        dp_gd.glm_gradient(problem),
        np.zeros((3, p)),
        steps=40,
        learning_rate=0.05,
        noise=iter(draws).__next__,
    )
    narrow = dp_gd.iterates(
        dp_gd.glm_gradient(reduced),
        np.zeros((3, rank)),
        steps=40,
        learning_rate=0.05,
        noise=iter(draws @ basis).__next__,
    )
    for theta, short in zip(wide, narrow, strict=True):
        assert np.allclose(theta @ features.T, short @ reduced.features.T, atol=1e-10)


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


def test_projection_keeps_every_iterate_in_the_domain():
    from implementations import domains

    problem = Problem(np.array([[1.0, 0.0]]), np.array([1.0]), losses.linear())
    result = dp_gd.dp_gd(
        problem,
        50,
        np.random.default_rng(4),
        steps=30,
        learning_rate=1.0,
        noise_scale=1.0,
        domain=domains.ball(0.5),
    )
    assert np.linalg.norm(result.last, axis=1).max() <= 0.5 + 1e-12
    assert np.linalg.norm(result.printed, axis=1).max() <= 0.5 + 1e-12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"n": 0}, "n must be a whole number ≥ 1, got 0"),
        ({"noise": "none"}, "noise"),
        ({"noise": "calibrated", "adjacency": Adjacency.REPLACE_ITEM}, "adjacency"),
    ],
)
def test_bad_parameters_are_refused(change, message):
    good = {
        "epsilon": 1.0,
        "delta": 1e-3,
        "n": 10,
        "steps": 5,
        "lipschitz": 1.0,
        "noise": "printed",
        "adjacency": Adjacency.REPLACE,
    }
    with pytest.raises(ValueError, match=message):
        dp_gd.noise_scale(**{**good, **change})


def test_features_longer_than_one_are_refused():
    algorithm = dp_gd.mechanism(
        losses.absolute(),
        epsilon=1.0,
        delta=1e-3,
        steps=2,
        learning_rate=0.1,
        noise="calibrated",
        adjacency=Adjacency.REPLACE,
    )
    with pytest.raises(ValueError, match="norm"):
        algorithm(np.array([[2.0, 1.0]]), 1, np.random.default_rng(0))
