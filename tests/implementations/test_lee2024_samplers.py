"""Samplers of lee2024 against quadrature, closed forms and each other.

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
    low_rank,
    product_sampler,
    proximal_sampler,
    regularised_exponential,
)
from implementations.lee2024.proximal_sampler import Schedule

ALPHA = 1e-6


def distribution_function(log_density: Any, low: float, high: float, breaks: list[float]) -> Any:
    """F on [low, high] by adaptive quadrature of the density on a fine grid."""
    grid = np.unique(np.concatenate([np.linspace(low, high, 401), breaks]))
    pieces = [
        integrate.quad(lambda x: math.exp(log_density(x)), a, b)[0] for a, b in itertools.pairwise(grid)
    ]
    total = np.concatenate([[0.0], np.cumsum(pieces)])
    spline = PchipInterpolator
    return spline(grid, total / total[-1])


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


def test_product_sampler_keeps_its_digits_far_out() -> None:
    # All mass lies beyond the knot, 300 standard deviations from the Gaussian's mean.
    law = product_sampler.potential(np.array([[300.0]]), np.array([[1e4]]))
    draws = product_sampler.sample(law, 10_000, np.random.default_rng(2), strength=1.0)[:, 0]
    # Laplace with rates 1e4 ± 300 on the two parts
    left, right = 1 / 9_700, 1 / 10_300
    expected = 300.0 + (right**2 - left**2) / (left + right)
    assert abs(draws.mean() - expected) < 6.0 * 1.5e-4 / math.sqrt(10_000)


def test_product_sampler_coordinates_are_independent_and_in_order() -> None:
    law = product_sampler.potential(np.array([[3.0], [-3.0]]), np.full((2, 1), 50.0))
    draws = product_sampler.sample(law, 20_000, np.random.default_rng(3), strength=1e-3)
    assert draws.mean(axis=0) == pytest.approx([3.0, -3.0], abs=0.01)
    assert abs(np.corrcoef(draws.T)[0, 1]) < 6.0 / math.sqrt(20_000)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([[0.0]], [[-1.0]]), "weights"),
        (([[math.nan]], [[1.0]]), "knots"),
        (([[0.0, 1.0]], [[1.0]]), "one shape"),
        (([[0.0]], [[1.0]], [1.0, 2.0]), "tilt"),
    ],
)
def test_potential_refuses_bad_input(arguments: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        product_sampler.potential(*(np.array(a) for a in arguments))


def absolute(points: np.ndarray) -> np.ndarray:
    return 2.0 * np.abs(points - 0.5).sum(axis=1)


def exact_absolute(size: int, dimension: int, strength: float, seed: int) -> np.ndarray:
    law = product_sampler.potential(np.full((dimension, 1), 0.5), np.full((dimension, 1), 2.0))
    return product_sampler.sample(law, size, np.random.default_rng(seed), strength=strength)


@pytest.mark.parametrize("dimension", [1, 3])
def test_proximal_sampler_agrees_with_the_exact_sampler(dimension: int) -> None:
    lipschitz, strength = 2.0 * math.sqrt(dimension), 2.0
    h = proximal_sampler.default_step_size(lipschitz=lipschitz, dimension=dimension)
    steps = proximal_sampler.steps_needed(lipschitz=lipschitz, strength=strength, step_size=h, tolerance=1e-3)
    found = proximal_sampler.sample(
        absolute, 6_000, np.random.default_rng(4), dimension=dimension, lipschitz=lipschitz,
        strength=strength, schedule=Schedule(steps=steps, tolerance=1e-3),
    )  # fmt: skip
    assert found.acceptance > 0.3
    exact = exact_absolute(20_000, dimension, strength, 5)
    for statistic in (lambda x: x[:, 0], absolute, lambda x: (x**2).sum(axis=1)):
        assert stats.ks_2samp(statistic(found.points), statistic(exact)).pvalue > ALPHA


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


def test_too_few_steps_are_an_error_that_says_how_many() -> None:
    with pytest.raises(ValueError, match=r"steps must be at least \d+ .* got 3"):
        proximal_sampler.sample(
            absolute, 10, np.random.default_rng(0), dimension=1, lipschitz=2.0, strength=0.1,
            schedule=Schedule(steps=3, tolerance=1e-3),
        )  # fmt: skip


def test_a_function_that_is_too_steep_is_an_error() -> None:
    with pytest.raises(ValueError, match="lipschitz"):
        proximal_sampler.restricted_gaussian(
            lambda x: 50.0 * np.abs(x[:, 0]), np.ones((100, 1)), np.random.default_rng(0),
            lipschitz=1.0, strength=1.0, step_size=1.0,
        )  # fmt: skip


def test_gopi_lee_liu_sampler_follows_the_density_and_counts_its_queries() -> None:
    targets = np.array([-1.0, 0.0, 0.0, 2.0])
    calls: list[int] = []

    def losses(points: np.ndarray, index: np.ndarray) -> np.ndarray:
        calls.append(len(points))
        return 2.0 * np.abs(points[:, 0] - targets[index])

    found = gopi_lee_liu_sampler.sample(
        losses, 4, 3_000, np.random.default_rng(9), dimension=1, lipschitz=2.0, strength=2.0, tolerance=0.02
    )
    assert found.queries == sum(calls)
    law = product_sampler.potential(targets[None], np.full((1, 4), 0.5))
    exact = product_sampler.sample(law, 30_000, np.random.default_rng(10), strength=2.0)
    assert stats.ks_2samp(found.points[:, 0], exact[:, 0]).pvalue > ALPHA
    assert found.cut < 0.01


def test_the_ratio_of_gopi_lee_liu_has_the_mean_of_the_exponential() -> None:
    rng = np.random.default_rng(11)
    offsets = np.array([-0.2, 0.5, 0.3])
    x, z = np.zeros((400_000, 1)), np.ones((400_000, 1))
    ratio, _ = gopi_lee_liu_sampler.unbiased_ratio(
        lambda points, index: points[:, 0] * offsets[index], 3, x, z, rng
    )
    error = ratio.std() / math.sqrt(ratio.size)
    assert abs(ratio.mean() - math.exp(offsets.mean())) < 5.0 * error


def test_low_rank_completion_is_a_product() -> None:
    rng = np.random.default_rng(12)
    basis = np.linalg.qr(rng.standard_normal((5, 2)))[0]
    inside = np.column_stack([rng.uniform(-1, 1, 50_000), rng.exponential(1.0, 50_000)])
    draws = low_rank.embed(inside, basis, rng, strength=4.0)
    assert draws @ basis == pytest.approx(inside)
    outside = draws - draws @ basis @ basis.T
    scaled = 4.0 * (outside**2).sum(axis=1)
    assert stats.kstest(scaled, stats.chi2(3).cdf).pvalue > ALPHA


def test_low_rank_refuses_a_basis_that_is_not_orthonormal() -> None:
    with pytest.raises(ValueError, match="orthonormal"):
        low_rank.embed(np.ones((3, 1)), np.array([[1.0], [1.0]]), np.random.default_rng(0), strength=1.0)


@pytest.mark.parametrize("inverse_temperature", regularised_exponential.INVERSE_TEMPERATURES)
def test_privacy_does_not_depend_on_the_reading_of_eta(inverse_temperature: str) -> None:
    chosen = regularised_exponential.parameters(
        n=50, epsilon=0.3, delta=1e-5, rank=3, lipschitz=2.0, radius=0.5,
        inverse_temperature=inverse_temperature, regulariser="plain",
    )  # fmt: skip
    assert chosen.gaussian_mu(n=50, lipschitz=2.0) == pytest.approx(0.3 / math.sqrt(2.0))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"epsilon": -1.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"rank": 0}, "rank"),
        ({"regulariser": "none"}, "regulariser"),
        ({"inverse_temperature": "none"}, "inverse_temperature"),
    ],
)
def test_parameters_refuse_bad_input(change: dict[str, Any], named: str) -> None:
    good: dict[str, Any] = {
        "n": 10, "epsilon": 0.1, "delta": 1e-3, "rank": 1, "lipschitz": 1.0, "radius": 1.0,
        "inverse_temperature": "log-below", "regulariser": "log",
    }  # fmt: skip
    with pytest.raises(ValueError, match=named):
        regularised_exponential.parameters(**{**good, **change})
