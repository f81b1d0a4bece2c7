"""Mini-batch DP-SGD: plain training as oracle, and the nine-coordinate simulation against training in ℝᵈ."""

import math

import numpy as np
import pytest
from scipy import stats

from implementations.song2021 import minibatch_sgd as sgd


def toy(n=120, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    return features, np.where(features[:, 0] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)


def test_without_noise_it_is_gradient_descent_on_the_logistic_loss():
    features, labels = toy()
    model = sgd.Model("none", 3, 2.0)
    after = sgd.train(features, labels, [model], np.random.default_rng(1), epochs=2, batch=30)
    order = np.random.default_rng(1).permutation(120)
    theta = np.zeros(3)
    for _ in range(2):
        for start in range(0, 120, 30):
            x, y = features[order[start : start + 30]], labels[order[start : start + 30]]
            gradient = -(y / (1 + np.exp(y * (x @ theta)))) @ x / 30
            theta = theta - 2.0 * gradient
    assert np.allclose(after[-1, 0], theta)


@pytest.mark.parametrize("noise", ["gaussian", "gamma"])
def test_the_span_simulation_has_the_law_of_training_in_the_ambient_space(noise):
    """Zero features appended up to d = 40, against the simulation in 3 coordinates; two-sample tests at
    1e-6.
    """
    features, labels = toy()
    padded = np.hstack([features, np.zeros((120, 37))])
    models = [sgd.Model(noise, 40, 3.0)] * 4000
    short = sgd.train(features, labels, models, np.random.default_rng(2), epochs=1, batch=30)[-1]
    # the same order of the data: the first draw of each generator is the permutation
    wide = sgd.train(padded, labels, models, np.random.default_rng(2), epochs=1, batch=30)[-1]
    assert wide.shape == (4000, 40)
    for statistic in (lambda t: t[:, 0], lambda t: t[:, 2], lambda t: np.linalg.norm(t[:, :3], axis=1)):
        assert stats.ks_2samp(statistic(short), statistic(wide)).pvalue > 1e-6


def test_gamma_noise_grows_with_the_dimension_and_gaussian_noise_does_not():
    rng = np.random.default_rng(3)
    models = [
        sgd.Model(kind, d, 1.0) for kind in ("gaussian", "gamma") for d in (9, 10_000) for _ in range(4000)
    ]
    spread = sgd.draw_noise(models, 9, rng).reshape(4, -1).std(axis=1)
    assert spread[0] == pytest.approx(sgd.GAUSSIAN_SCALE, rel=0.05)
    assert spread[1] == pytest.approx(sgd.GAUSSIAN_SCALE, rel=0.05)
    # E z₁² = scale²·(d + 1)
    assert spread[2] == pytest.approx(sgd.GAMMA_SCALE * math.sqrt(10), rel=0.05)
    assert spread[3] == pytest.approx(sgd.GAMMA_SCALE * math.sqrt(10_001), rel=0.05)


def test_accuracy_counts_signs():
    features = np.array([[1.0], [1.0], [-1.0], [0.0]])
    labels = np.array([1.0, -1.0, -1.0, 1.0])
    assert sgd.accuracy(features, labels, np.array([[2.0], [-2.0]])).tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("features", "labels", "dimension", "message"),
    [
        (np.array([[2.0]]), np.array([1.0]), 1, "norm"),
        (np.array([[1.0]]), np.array([0.0]), 1, "labels"),
        (np.array([[0.5, 0.5]]), np.array([1.0]), 1, "fewer dimensions"),
    ],
)
def test_bad_input_is_refused(features, labels, dimension, message):
    with pytest.raises(ValueError, match=message):
        sgd.train(features, labels, [sgd.Model("gaussian", dimension, 1.0)], np.random.default_rng(0))


def test_bad_models_are_refused():
    with pytest.raises(ValueError, match="noise"):
        sgd.Model("laplace", 9, 1.0)
    with pytest.raises(ValueError, match="learning_rate must be one number > 0, got nan"):
        sgd.Model("gamma", 9, math.nan)
