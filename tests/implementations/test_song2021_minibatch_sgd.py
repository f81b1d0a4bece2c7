"""Mini-batch DP-SGD without noise against plain training."""

import numpy as np

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
