"""Smoothing, heaviest norms, nearest pure mechanisms, Algorithm 2 and Algorithm 3 of asi2024."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta

from implementations.asi2024 import localised, norm_subgaussian, pure_approximation, smoothing
from implementations.asi2024.dp_sgd import (
    Parameters,
    dp_sgd,
    mean_plan,
    printed_parameters,
    printed_steps,
)
from implementations.asi2024.localised import LossClass
from implementations.asi2024.outlier_removal import Plan
from implementations.privacy import PrivacyBudget

FALSE_ALARM = 1e-6


# --- Smoothing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_volume_ratio_normalises_the_coordinate(d):
    # ∫ (1 − t²)^{(d−1)/2} dt over [−1, 1] is B(1/2, (d + 1)/2)
    assert smoothing.volume_ratio(d) * beta(0.5, 0.5 * (d + 1)) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_smoothed_absolute_is_the_integral(d):
    r = 0.6

    def integrand(t, z):
        return abs(z + r * t) * smoothing.volume_ratio(d) * (1 - t * t) ** (0.5 * (d - 1))

    for z in (-1.0, -0.3, 0.0, 0.1, 0.59, 2.0):
        kink = min(max(-z / r, -1.0), 1.0)
        pieces = [quad(integrand, *ab, args=(z,))[0] for ab in ((-1, kink), (kink, 1))]
        assert float(smoothing.smoothed_absolute(z, r, d)) == pytest.approx(sum(pieces), rel=1e-7)


def test_slope_and_curvature_are_derivatives():
    z, h, r = np.linspace(-0.45, 0.45, 19), 1e-6, 0.5
    for d in (2, 3, 8):
        up, down = (smoothing.smoothed_absolute(z + s, r, d) for s in (h, -h))
        assert (up - down) / (2 * h) == pytest.approx(smoothing.smoothed_absolute_slope(z, r, d), abs=1e-8)
        up, down = (smoothing.smoothed_absolute_slope(z + s, r, d) for s in (h, -h))
        curvature = smoothing.smoothed_absolute_curvature(z, r, d)
        assert (up - down) / (2 * h) == pytest.approx(curvature, abs=1e-6)
        assert curvature.max() == pytest.approx(smoothing.smoothness(1.0, r, d), rel=1e-12)


# --- Norm-sub-Gaussian ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.01, 0.5, 1.0, 4.0])
def test_excess_exponential_is_the_integral(rate):
    def integrand(t):
        return rate * math.expm1(rate * t) * float(norm_subgaussian.heaviest_tail(t))

    a = norm_subgaussian.LEAST
    expected = quad(integrand, 0.0, a)[0] + quad(integrand, a, 40.0, limit=200)[0]
    assert float(norm_subgaussian.excess_exponential(rate)) == pytest.approx(expected, rel=1e-8)


# --- Nearest pure mechanism -----------------------------------------------------------------------------


def test_nearest_pure_of_randomised_response_by_hand():
    # Two rows (1, 0), (0, 1): the best table with ratio e^ε is randomised response, at distance 1/(1 + e^ε).
    table = np.eye(2)
    found = pure_approximation.nearest_pure(table, pure_approximation.all_pairs(2), 1.0)
    assert found == pytest.approx(1.0 / (1.0 + math.e), abs=1e-9)


# --- Algorithm 2 ----------------------------------------------------------------------------------------


def test_printed_parameters_by_hand():
    p = printed_parameters(10, 4, 9, PrivacyBudget(2.0, 0.1), 3.0, 5.0)
    t = 40**2 + 40 * 3
    assert p.steps == printed_steps(10, 4, 9) == t
    first = 2.0 * 10 * 2.0 / (t * 3 * math.log(3600))
    assert p.step_size == pytest.approx(5 / 3 * min(first, t**-0.75, math.sqrt(40) / t))
    assert p.radius == pytest.approx(math.sqrt(3) * 5 / math.sqrt(t))
    assert p.tau == pytest.approx(3.0 * math.log(10 * 9 * 4 * math.exp(2.0) * t / 0.1) / 2.0)
    plan = mean_plan(10, 4, 9, 2.0, 0.1, p)
    inner = 0.1 / (2 * t * 360)
    logs = (1 + math.log(t / inner)) * (1 + math.log(1 / inner))
    assert (plan.budget, plan.threshold) == (1.0, 8.0)
    assert plan.noise == pytest.approx(p.tau * math.sqrt(8 * t * logs) / 20)
    whole = printed_parameters(10, 4, 9, PrivacyBudget(0.001, 0.1), 3.0, 5.0, root="whole")
    assert whole.step_size == pytest.approx(5 / 3 * math.sqrt(0.04) / (t * 3 * math.log(3600)))


def _quiet(n, steps, threshold=-1e9):
    return Plan(n=n, queries=steps, tau=1.0, budget=1.0, threshold=threshold, noise=1e-13)


def _identity(theta):
    return theta


@pytest.mark.parametrize(("average", "expected"), [("before", [0.0, 1.0, 2.0]), ("after", [1.0, 2.0, 3.0])])
def test_the_two_readings_of_the_average(average, expected):
    # a gradient of −1 with step 1 walks 0, 1, 2, 3
    setting = Parameters(steps=3, step_size=1.0, radius=1.0, tau=1.0)
    out = dp_sgd(
        lambda theta: np.full((2, 5, 1), -1.0), np.zeros((2, 1)), _quiet(5, 3), setting, _identity,
        np.random.default_rng(0), average=average,
    )  # fmt: skip
    assert out.theta == pytest.approx(np.full((2, 1), np.mean(expected)))


# --- Algorithm 3 ----------------------------------------------------------------------------------------


def test_schedule_uses_disjoint_users():
    plan = localised.schedule(
        1000, 2, 3, PrivacyBudget(1.0, 1e-5), LossClass(1.0, 1.0), steps=lambda users: 7
    )
    spans = [range(p.first, p.first + p.users) for p in plan]
    assert sum(len(s) for s in spans) == len(set().union(*spans)) <= 1000
    assert all(p.parameters.steps == 7 for p in plan)
    with pytest.raises(ValueError, match="leave none"):
        localised.schedule(2, 10_000, 3, PrivacyBudget(1.0, 1e-5), LossClass(1.0, 1.0))
