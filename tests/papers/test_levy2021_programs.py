"""The formulas behind the exact claims on the programs of levy2021, against independent computations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claims import Point
from claims.levy2021 import (
    _first_order,
    printed_formulas,
    proposition_1,
    sampler_laws,
    theorem_3_convex,
    theorem_3_nonconvex,
    theorem_3_strongly_convex,
    theorem_5,
)
from implementations.levy2021 import gaussian_mean


def point(**axes: float | int | str) -> Point:
    return Point(axes=axes, rng=np.random.default_rng(0), alpha=1e-6, trials=4000)


def test_walk_of_one_step_has_its_closed_form():
    # θ_1 = clip(R − η(g + ξ)): E[min(X, c)] of a Laplace variable, written by hand.
    slope, smoothness, noise = 0.4, 1.0, 0.3
    radius = theorem_3_convex.RADIUS
    size = 1.0 / (smoothness + noise * math.sqrt(0.5) / (2.0 * radius))
    scale = size * noise / math.sqrt(2.0)
    low, high = -2.0 * radius + size * slope, size * slope  # of −ηξ, between the walls
    xi = np.linspace(-60.0 * scale, 60.0 * scale, 2_000_001)
    density = np.exp(-np.abs(xi) / scale) / (2.0 * scale)
    mean = radius - size * slope + float(np.trapezoid(np.clip(xi, low, high) * density, xi))
    assert theorem_3_convex.walk_risk(slope, smoothness, noise, 1) == pytest.approx(
        slope * (mean + radius), rel=1e-3
    )


def test_walk_has_the_risk_of_simulated_walks():
    rng, steps, slope, noise = np.random.default_rng(1), 5, 0.7, 1.0
    smoothness = math.sqrt(steps / 2.0)
    size = 0.5 / smoothness
    theta, total = np.full(200_000, 0.5), np.zeros(200_000)
    for _ in range(steps):
        theta = np.clip(
            theta - size * (slope + rng.laplace(0.0, noise / math.sqrt(2.0), theta.size)), -0.5, 0.5
        )
        total += theta
    risk = slope * (total / steps + 0.5)
    # five standard errors: a false alarm of 6e-7
    error = 5.0 * float(risk.std()) / math.sqrt(risk.size)
    assert theorem_3_convex.walk_risk(slope, smoothness, noise, steps) == pytest.approx(
        float(risk.mean()), abs=error + 1e-4
    )


def test_exact_risks_are_below_their_bounds():
    for steps in (2, 16, 256):
        assert theorem_3_convex.walk_over_rate(steps) <= math.sqrt(0.5) + math.sqrt(2.0)
        assert theorem_3_nonconvex.over_bound(steps) <= 2.0 + 8.0 / 3.0 * math.sqrt(0.75 / steps)
        assert theorem_3_strongly_convex.over_bound(steps) < 2.0


def test_horizon_refutes_a_wrong_power():
    grows = _first_order.horizon(lambda steps: steps**0.5, 0.0, _first_order.TOLERANCE, "risk")
    holds = _first_order.horizon(lambda steps: 1.0 - 1.0 / steps, 0.0, _first_order.TOLERANCE, "risk")
    assert grows.verdict == "REFUTED"
    assert holds.verdict is None


@pytest.mark.parametrize(("epsilon", "step", "steps"), [(0.3, 0.2, 4), (1.0, 0.5, 7)])
def test_summed_composition_is_that_of_dp_accounting(epsilon, step, steps):
    from dp_accounting.pld import privacy_loss_distribution as pld

    one = pld.from_privacy_parameters(
        pld.common.DifferentialPrivacyParameters(step, 0.0), value_discretization_interval=1e-4
    )
    oracle = one.self_compose(steps).get_delta_for_epsilon(epsilon)
    assert printed_formulas.summed_composition(epsilon, step, steps) == pytest.approx(oracle, rel=5e-3)


def test_sums_are_binomial():
    from scipy.stats import binom

    values, masses = sampler_laws.sums(np.array([0.0, 1.0]), np.array([0.7, 0.3]), 5)
    assert values.tolist() == list(range(6))
    assert masses == pytest.approx(binom.pmf(np.arange(6), 5, 0.3))


def test_noise_of_the_gaussian_mechanism_gives_delta_exactly():
    from scipy.stats import norm

    n, reach, epsilon, delta = 7, 0.3, 0.8, 1e-4
    mu = 2.0 * reach / n / gaussian_mean.gaussian_scale(n, reach, epsilon, delta)
    found = norm.cdf(-epsilon / mu + mu / 2.0) - math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2.0)
    assert found == pytest.approx(delta, rel=1e-6)
    with pytest.raises(ValueError, match="reach"):
        gaussian_mean.gaussian_scale(n, 0.0, epsilon, delta)


def test_mechanism_below_the_bound_has_an_error_below_the_bound():
    p = point(n=20, m=10, d=1024, epsilon=0.5)
    epsilon = theorem_5.below_the_bound(p)
    scale = gaussian_mean.gaussian_scale(20, theorem_5.radius(p), epsilon, theorem_5.DELTA)
    assert epsilon > 0.5
    assert scale * 32.0 == pytest.approx(theorem_5.CONSTANT / 3.0 * theorem_5.lower_bound(p), rel=1e-6)


def test_radius_of_bumps_is_that_of_signs_drawn_one_by_one():
    m, d, n, places = 9, 3, 2, 4
    found = proposition_1.bumps(point(m=m, d=d, n=n, places=places))
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(4000, n, d, places, m))
    wanted = np.sqrt((np.abs(signs.mean(axis=-1)).max(axis=-1) ** 2).sum(axis=-1)).max(axis=-1)
    error = 5.0 * math.sqrt((found.var() + wanted.var()) / 4000.0)  # a false alarm of 6e-7
    assert found.mean() == pytest.approx(float(wanted.mean()), abs=error)


def test_population_gradient_is_odd_and_flat_at_the_ends():
    gradient = proposition_1.population_gradient(np.array([-8.0, 0.0, 8.0]))
    assert gradient == pytest.approx([-1.0, 0.0, 1.0], abs=1e-3)
