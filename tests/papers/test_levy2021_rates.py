"""The formulas behind the rate claims of levy2021 against independent computations."""

from __future__ import annotations

import numpy as np
import pytest

from claims.levy2021 import _first_order as shared
from claims.levy2021 import _strongly_convex, theorem_4
from implementations.levy2021 import first_order, winsorized_mean_highd


@pytest.mark.parametrize(("d", "steps", "epsilon"), [(1, 2, 1.0), (4, 3, 0.5), (8, 6, 0.2)])
def test_printed_variance_is_that_of_the_planned_noise(d, steps, epsilon):
    # Two independent ways to the same number: the closed formula of Theorem 2, and the plan of Algorithm 2.
    s = shared.Setting(shared.users_for(d, epsilon, steps), 100, d, epsilon, steps)
    step_epsilon, step_delta = first_order.query_budget(epsilon, shared.DELTA, steps)
    plan = winsorized_mean_highd.highd_plan(s.n, d, step_epsilon, step_delta, s.tau, s.bound, shared.GAMMA)
    assert s.variance == pytest.approx(winsorized_mean_highd.highd_variance(plan, s.n))
    assert s.failure <= shared.FAILURE
    assert s.rate**2 == pytest.approx(s.logs * d**2 / (s.n**2 * s.m * epsilon**2))


def test_noise_weights_are_those_of_the_recursion():
    sizes, curvature = [0.3, 0.1, 0.7], 1.4
    noise = np.random.default_rng(0).standard_normal(3)
    theta, path = 0.0, [0.0]
    for size, xi in zip(sizes, noise, strict=True):
        theta -= size * (curvature * theta + xi)
        path.append(theta)
    assert -shared.noise_weights(sizes, curvature) @ noise == pytest.approx(path)


def test_weights_of_the_strongly_convex_method_are_its_own():
    steps, mu, condition, curvature = 5, 0.5, 3.0, 0.8
    method = first_order.strongly_convex_sgd(lambda t: t, condition * mu, mu, steps)
    noise = np.random.default_rng(1).standard_normal((steps, 1, 1))
    drawn = iter(noise)
    final = first_order.run_method(method, lambda t: curvature * t + next(drawn), np.zeros((1, 1)), steps)
    weights = _strongly_convex.weights(steps, mu, condition, curvature)
    assert float(final[0, 0]) == pytest.approx(-float((weights @ noise[:, 0, :])[0, 0]))


def test_cells_outside_the_theorem_are_refused():
    from claims import Point

    axes = {"n": 100, "m": 1, "d": 1, "epsilon": 1.0, "steps": 2}
    with pytest.raises(ValueError, match="does not cover"):
        shared.setting(Point(axes=axes, rng=np.random.default_rng(0), alpha=1e-6))


@pytest.mark.parametrize("terms", [1, 2, 4])
def test_mean_size_of_a_sum_of_laplace_variables(terms):
    from scipy.integrate import quad

    from claims.levy2021._oracle import SumLaw

    law = SumLaw(np.ones(1), np.zeros(1), 1.0, terms)
    beyond = quad(lambda x: 2.0 * (1.0 - float(law.cdf(np.array([x]))[0])), 0.0, 60.0)[0]
    assert theorem_4.OF_SUM[terms] == pytest.approx(beyond)
