"""What programs are held against: values computed a second time, and the Gaussian law of Algorithm 1.

The law holds on losses that are quadratic wherever the iterates are. With the averaged gradient Hθ − c the
step is θₜ₊₁ = Aθₜ + η(c − bₜ), A = I − ηH. From θ₀ = 0 the average of θ₁..θ_T is (η/T)·Σ_{k<T} S_{T−k}(c −
b_k) with S_m = I + A + … + A^{m−1}: a Gaussian, known exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from claims import Evidence, drawn_from, equals
from implementations.interfaces import Array, Loss
from implementations.privacy import mu_star

TESTS = 3
"""Tests of `gaussian_draws` beside the one of each coordinate."""


UNITS = ((1.0, 1.0), (3.0, 0.2), (0.01, 50.0))
"""(L, R) of a point, by its n: its program runs on losses times L and on θ times R."""


def units_of(n: int) -> tuple[float, float]:
    return UNITS[n % len(UNITS)]


def steeper(loss: Loss, lipschitz: float) -> Loss:
    """The loss times L."""
    return replace(
        loss,
        value=lambda z, y: lipschitz * loss.value(z, y),
        slope=lambda z, y: lipschitz * loss.slope(z, y),
        lipschitz=lipschitz * loss.lipschitz,
        smoothness=lipschitz * loss.smoothness,
    )


def apart(found: object, stated: object) -> float:
    """Largest difference of two arrays; infinite where their shapes differ."""
    a, b = np.asarray(found, dtype=float), np.asarray(stated, dtype=float)
    return float(np.abs(a - b).max()) if a.shape == b.shape else math.inf


def same(quantity: str, found: object, stated: object) -> Evidence:
    """Largest difference of two arrays of size about 1, up to rounding; it can refute only."""
    return equals(quantity, apart(found, stated), 0.0, error=1e-9, decides=False, method="both computed")


def refused(quantity: str, argument: str, call: Callable[[], object]) -> Evidence:
    """Whether a call is refused with a ValueError that names the argument; it can refute only."""
    try:
        call()
    except ValueError as error:
        named = argument in str(error)
    else:
        named = False
    return equals(
        f"refused, and {argument} named: {quantity}", int(named), 1, decides=False, method="one call"
    )


def stated_noise(noise: str, epsilon: float, delta: float, n: int, steps: int, lipschitz: float) -> float:
    """σ as it is stated: printed, with the sensitivity of a replacement, or calibrated exactly."""
    if noise == "calibrated":
        return 2.0 * lipschitz * math.sqrt(steps) / (n * mu_star(epsilon, delta))
    factor = {"printed": 2.0, "corrected": 8.0}[noise]
    return lipschitz * math.sqrt(factor * steps * math.log(1.0 / delta)) / (n * epsilon)


def in_unit_ball(shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Features of norm 0.8 at most, the first at zero: a bound that is taken from the data shows."""
    x = rng.standard_normal(shape)
    x[0] = 0.0
    return 0.8 * x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0)


def law_of_average(
    curvature: Array, pull: Array, *, learning_rate: float, noise: float, steps: int
) -> tuple[Array, Array]:
    """Mean (p,) and covariance (p, p) of the average of θ₁..θ_T; `curvature` is H, `pull` is c, `noise` σ."""
    p = len(pull)
    factor, total = np.eye(p) - learning_rate * curvature, np.zeros((p, p))
    mean, covariance, power = np.zeros(p), np.zeros((p, p)), np.eye(p)
    for _ in range(steps):  # S₁, S₂, …, S_T
        total, power = total + power, power @ factor
        share = learning_rate / steps * total
        mean, covariance = mean + share @ pull, covariance + noise**2 * share @ share.T
    return mean, covariance


def gaussian_draws(
    of: str, draws: Array, mean: Array, covariance: Array, *, alpha: float
) -> Iterator[Evidence]:
    """Draws (k, p) against N(mean, covariance), p + TESTS Kolmogorov–Smirnov tests of the whitened draws.

    Each coordinate is N(0, 1). So is the sum of all coordinates over √p (they are independent) and the sum of
    a draw of the first half and its partner in the second, over √2 (the draws are). The squared norm is χ².
    No draw occurs twice.
    """
    from scipy.special import chdtr, ndtr

    white = np.linalg.solve(np.linalg.cholesky(covariance), (draws - mean).T).T
    size, p = white.shape
    half, share = size // 2, alpha / (p + TESTS)
    for k in range(p):
        yield drawn_from(f"law of {of}, coordinate {k + 1}, whitened", white[:, k], ndtr, alpha=share)
    yield drawn_from(f"law of {of}, sum of coordinates", white.sum(axis=1) / p**0.5, ndtr, alpha=share)
    pairs = (white[:half, 0] + white[half : 2 * half, 0]) / 2**0.5
    yield drawn_from(f"law of {of}, sums of two runs", pairs, ndtr, alpha=share)
    repeated = size - len(np.unique(draws, axis=0))
    yield equals(f"runs that repeat the {of} of another", repeated, 0.0, decides=False)
    norms = (white**2).sum(axis=1)
    yield drawn_from(f"law of {of}, squared norm", norms, lambda x: chdtr(p, x), alpha=share)
