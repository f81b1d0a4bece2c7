"""Samplers of lee2024 against quadrature and closed forms.

A Kolmogorov–Smirnov test here fails with probability 1e-6 or less where the code is right; seeds are fixed.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.interpolate import PchipInterpolator

from implementations.lee2024 import (
    gopi_lee_liu_sampler,
    product_sampler,
    proximal_sampler,
    regularised_exponential,
)

ALPHA = 1e-6


def distribution_function(log_density: Any, low: float, high: float, breaks: list[float]) -> Any:
    """F on [low, high] by adaptive quadrature of the density on a fine grid."""
    grid = np.unique(np.concatenate([np.linspace(low, high, 401), breaks]))
    pieces = [
        integrate.quad(lambda x: math.exp(log_density(x)), a, b)[0] for a, b in itertools.pairwise(grid)
    ]
    total = np.concatenate([[0.0], np.cumsum(pieces)])
    return PchipInterpolator(grid, total / total[-1])


CASES = [
    # knots, weights, tilt, strength, range
    ([0.0], [1.0], 0.0, 1.0, (-8.0, 8.0)),
    ([-1.0, 0.0, 2.0], [3.0, 0.5, 4.0], 0.7, 0.3, (-8.0, 8.0)),
    ([5.0, 6.0], [40.0, 40.0], 0.0, 1.0, (4.0, 7.0)),
    ([-3.0], [0.0], 25.0, 1.0, (-33.0, -17.0)),
    ([0.0, 1.0], [200.0, 100.0], 0.0, 0.01, (-0.5, 0.5)),
]


@pytest.mark.parametrize(("knots", "weights", "tilt", "strength", "reach"), CASES)
def test_product_sampler_follows_the_density(
    knots: list[float], weights: list[float], tilt: float, strength: float, reach: tuple[float, float]
) -> None:
    law = product_sampler.potential(np.array([knots]), np.array([weights]), np.array([tilt]))
    draws = product_sampler.sample(law, 40_000, np.random.default_rng(1), strength=strength)[:, 0]
    middle = float(law(np.array([np.mean(reach)]))) + 0.5 * strength * float(np.mean(reach)) ** 2

    def log_density(x: float) -> float:
        value = tilt * x + sum(w * abs(x - a) for w, a in zip(weights, knots, strict=True))
        return middle - value - 0.5 * strength * x * x

    shape = distribution_function(log_density, *reach, [a for a in knots if reach[0] < a < reach[1]])
    assert stats.kstest(draws, lambda x: np.clip(shape(np.clip(x, *reach)), 0, 1)).pvalue > ALPHA


def absolute(points: np.ndarray) -> np.ndarray:
    return 2.0 * np.abs(points - 0.5).sum(axis=1)


def exact_absolute(size: int, dimension: int, strength: float, seed: int) -> np.ndarray:
    law = product_sampler.potential(np.full((dimension, 1), 0.5), np.full((dimension, 1), 2.0))
    return product_sampler.sample(law, size, np.random.default_rng(seed), strength=strength)


def test_one_proximal_step_keeps_the_target() -> None:
    # A single step from exact draws gives exact draws, at any step size: no bias of discretisation.
    start = exact_absolute(20_000, 2, 1.0, 6)
    rng = np.random.default_rng(7)
    y = start + rng.standard_normal(start.shape) * math.sqrt(0.3)
    after, _ = proximal_sampler.restricted_gaussian(
        absolute, y, rng, lipschitz=2.0 * math.sqrt(2.0), strength=1.0, step_size=0.3
    )
    other = exact_absolute(20_000, 2, 1.0, 8)
    for statistic in (lambda x: x[:, 0], lambda x: x[:, 0] * x[:, 1], absolute):
        assert stats.ks_2samp(statistic(after), statistic(other)).pvalue > ALPHA


def test_the_ratio_of_gopi_lee_liu_has_the_mean_of_the_exponential() -> None:
    rng = np.random.default_rng(11)
    offsets = np.array([-0.2, 0.5, 0.3])
    x, z = np.zeros((400_000, 1)), np.ones((400_000, 1))
    ratio, _ = gopi_lee_liu_sampler.unbiased_ratio(
        lambda points, index: points[:, 0] * offsets[index], 3, x, z, rng
    )
    error = ratio.std() / math.sqrt(ratio.size)
    assert abs(ratio.mean() - math.exp(offsets.mean())) < 5.0 * error


@pytest.mark.parametrize("inverse_temperature", regularised_exponential.INVERSE_TEMPERATURES)
def test_privacy_does_not_depend_on_the_reading_of_eta(inverse_temperature: str) -> None:
    chosen = regularised_exponential.parameters(
        n=50, epsilon=0.3, delta=1e-5, rank=3, lipschitz=2.0, radius=0.5,
        inverse_temperature=inverse_temperature, regulariser="plain",
    )  # fmt: skip
    assert chosen.gaussian_mu(n=50, lipschitz=2.0) == pytest.approx(0.3 / math.sqrt(2.0))
