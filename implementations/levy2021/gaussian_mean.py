"""The Gaussian mechanism on user means: what Algorithm 2 is compared with (introduction, section 5.2).

It knows a ball that holds the user means, and nothing of their concentration. No algorithm of the paper."""

from __future__ import annotations

import numpy as np

from implementations.checks import positive, probability
from implementations.interfaces import Array
from implementations.privacy import mu_star


def gaussian_scale(n: int, reach: float, epsilon: float, delta: float) -> float:
    """Standard deviation of the noise, 2·reach/(n·μ*(ε, δ)): a user moves the mean by at most 2·reach/n.

    μ* is the largest Gaussian parameter that gives (ε, δ) (Balle and Wang 2018): no smaller noise would do.
    """
    positive(n=n, reach=reach, epsilon=epsilon)
    probability(delta=delta)
    return 2.0 * reach / (n * float(mu_star(epsilon, delta)))


def gaussian_mean(means: Array, reach: float, scale: float, rng: np.random.Generator) -> Array:
    """Means (…, n, d) of the users, clipped to the ball of radius `reach`, averaged, with noise: (…, d).

    It is (ε, δ)-DP in one user with scale = gaussian_scale(n, reach, ε, δ).

    >>> x = np.array([[3.0, 4.0], [0.0, 0.0]])
    >>> gaussian_mean(x, 1.0, 1e-9, np.random.default_rng(0)).round(3)
    array([0.3, 0.4])
    """
    positive(reach=reach, scale=scale)
    means = np.asarray(means, dtype=np.float64)
    norm = np.linalg.norm(means, axis=-1, keepdims=True)
    clipped = (means * (reach / np.maximum(norm, reach))).mean(axis=-2)
    return clipped + scale * rng.standard_normal(clipped.shape)
