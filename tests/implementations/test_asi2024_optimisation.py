"""Smoothing, heaviest norms, nearest pure mechanisms, Algorithm 2 and Algorithm 3 of asi2024."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta
from scipy.stats import kstest

from implementations.asi2024 import localised, norm_subgaussian, pure_approximation, smoothing
from implementations.asi2024.dp_sgd import (
    Parameters,
    dp_sgd,
    mean_plan,
    printed_parameters,
    printed_steps,
    smoothed_gradients,
)
from implementations.asi2024.localised import LossClass
from implementations.asi2024.outlier_removal import Plan, look
from implementations.domains import ball
from implementations.privacy import PrivacyBudget

FALSE_ALARM = 1e-6


# --- Smoothing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 7])
def test_ball_is_uniform(d):
    # Kolmogorov–Smirnov at 1e-6: ‖y‖^d is uniform, and one coordinate has the Beta law.
    y = smoothing.sample_ball((40_000,), d, 3.0, np.random.default_rng(d))
    norms = np.linalg.norm(y, axis=1)
    assert kstest((norms / 3.0) ** d, "uniform").pvalue > FALSE_ALARM
    for column in y.T:
        assert kstest(column / 3.0, lambda t: smoothing.coordinate_cdf(t, d)).pvalue > FALSE_ALARM


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


def test_variance_proxy_tends_to_the_variance():
    assert float(norm_subgaussian.variance_proxy(1e-4)) == pytest.approx(norm_subgaussian.VARIANCE, rel=1e-3)
    with pytest.raises(ValueError, match="rates must be positive"):
        norm_subgaussian.variance_proxy([0.0])


# --- Nearest pure mechanism -----------------------------------------------------------------------------


def test_nearest_pure_of_randomised_response_by_hand():
    # Two rows (1, 0), (0, 1): the best table with ratio e^ε is randomised response, at distance 1/(1 + e^ε).
    table = np.eye(2)
    found = pure_approximation.nearest_pure(table, pure_approximation.all_pairs(2), 1.0)
    assert found == pytest.approx(1.0 / (1.0 + math.e), abs=1e-9)


def test_a_pure_table_is_its_own_nearest():
    table = np.array([[0.6, 0.4], [0.5, 0.5]])
    assert pure_approximation.nearest_pure(table, pure_approximation.all_pairs(2), 1.0) == pytest.approx(0.0)


def test_drifting_chain_is_private_and_no_faster_one_is():
    for epsilon, delta in ((0.1, 0.01), (1.0, 0.001)):
        table = pure_approximation.drifting_chain(60, epsilon, delta)
        pairs = pure_approximation.chain_pairs(61)
        assert pure_approximation.privacy_delta(table, pairs, epsilon) <= delta * (1 + 1e-9)
        for c in (0, 5):  # one more step up breaks privacy
            faster = table.copy()
            faster[c + 1] += [-1e-4, 1e-4]
            assert pure_approximation.privacy_delta(faster, pairs, epsilon) > delta + 1e-5


def test_clipped_row_is_as_near_as_the_programme_says():
    # One reference row: the LP over the moved row alone, here by brute force over random feasible rows.
    rng = np.random.default_rng(1)
    for _ in range(20):
        reference, row = rng.dirichlet(np.ones(4), size=2)
        moved = pure_approximation.clipped_to(reference, row, 0.5)
        assert moved.sum() == pytest.approx(1.0)
        assert (moved <= math.exp(0.5) * reference + 1e-12).all()
        assert (moved >= math.exp(-0.5) * reference - 1e-12).all()
        distance = np.maximum(moved - row, 0).sum()
        cut = np.maximum(row - math.exp(0.5) * reference, 0).sum()
        added = np.maximum(math.exp(-0.5) * reference - row, 0).sum()
        assert distance == pytest.approx(max(cut, added), abs=1e-12)


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


def test_a_halted_run_returns_its_start():
    setting = Parameters(steps=3, step_size=1.0, radius=1.0, tau=1.0)
    out = dp_sgd(
        lambda theta: np.full((2, 5, 1), -1.0), np.array([[7.0], [8.0]]), _quiet(5, 3, 1e9), setting,
        _identity, np.random.default_rng(0),
    )  # fmt: skip
    assert out.theta.tolist() == [[7.0], [8.0]]
    assert not out.running.any()


def test_sgd_minimises_a_quadratic_and_projects():
    centre = np.array([2.0, 0.0])
    setting = Parameters(steps=400, step_size=0.1, radius=1.0, tau=1.0)
    out = dp_sgd(
        lambda theta: np.repeat((theta - centre)[:, None, :], 4, axis=1), np.zeros((1, 2)), _quiet(4, 400),
        setting,
        ball(1.0).project, np.random.default_rng(0), average="after",
    )  # fmt: skip
    assert out.theta[0] == pytest.approx([1.0, 0.0], abs=0.02)


def test_a_query_may_be_looked_at_once():
    values = np.random.default_rng(2).normal(size=(6, 2)) * 0.1
    setting = Parameters(steps=5, step_size=0.5, radius=1.0, tau=1.0)
    results = [
        dp_sgd(g, np.zeros((3, 2)), _quiet(6, 5), setting, _identity, np.random.default_rng(3)).theta
        for g in (lambda theta: look(values, 1.0), lambda theta: np.broadcast_to(values, (3, 6, 2)))
    ]
    assert results[0] == pytest.approx(results[1])


def test_smoothed_gradients_are_unbiased():
    # ℓ(θ; z) = |θ₁ − z|: the mean of many users' gradients is the smoothed slope, 5 standard errors < 1e-6.
    items = np.zeros((4000, 2, 1))
    for shared in (False, True):
        gradients = smoothed_gradients(
            lambda points, z: np.sign(points - z), items, 1.0, np.random.default_rng(4), shared=shared
        )
        trials = 1 if not shared else 4000
        values = gradients(np.full((trials, 1), 0.3))
        users = values[:, :, 0] if not shared else values[:, :1, 0]
        assert values.shape == (trials, 4000, 1)
        assert abs(users.mean() - 0.3) < 5.0 / math.sqrt(8000)
        if shared:  # one perturbation for the j-th item of all users
            assert np.ptp(values, axis=1).max() == 0.0


# --- Algorithm 3 ----------------------------------------------------------------------------------------


def test_phases_by_hand():
    # ln ln 1000 = 1.93, log2 log2 1000 = 3.32
    assert localised.phase_count(100, 10) == 2
    assert localised.phase_count(100, 10, "binary") == 4
    assert localised.phase_users(100, 2) == [25, 50]
    assert localised.phase_count(1, 1) == 1


def test_targets_obey_the_recursion_of_the_proof():
    goal = localised.targets(4000, 3, 5, PrivacyBudget(1.0, 1e-6), LossClass(2.0, 0.5), 4, constant=3.0)
    for i in range(4):
        e, f = goal.optimal[i], goal.optimal[i + 1]
        assert 1.0 < e / f <= 4.0
        assert math.sqrt(goal.reached[i] * f) <= goal.reached[i + 1] * (1 + 1e-12)
    assert goal.reached[0] == pytest.approx(2 * 4.0 / 0.5)


def test_schedule_uses_disjoint_users():
    plan = localised.schedule(
        1000, 2, 3, PrivacyBudget(1.0, 1e-5), LossClass(1.0, 1.0), steps=lambda users: 7
    )
    spans = [range(p.first, p.first + p.users) for p in plan]
    assert sum(len(s) for s in spans) == len(set().union(*spans)) <= 1000
    assert all(p.parameters.steps == 7 for p in plan)
    with pytest.raises(ValueError, match="leave none"):
        localised.schedule(2, 10_000, 3, PrivacyBudget(1.0, 1e-5), LossClass(1.0, 1.0))


def test_localised_starts_where_the_last_phase_ended():
    # a gradient of −1 walks up; each phase returns the mean of its iterates, and ends far from zero only if
    # the second starts at the end of the first
    phases = [
        localised.Phase(0, 3000, Parameters(steps=3, step_size=1.0, radius=1.0, tau=1e-9)),
        localised.Phase(3000, 3000, Parameters(steps=3, step_size=1.0, radius=1.0, tau=1e-9)),
    ]
    seen = []

    def gradients(phase):
        seen.append((phase.first, phase.users))
        return lambda theta: look(np.full((1, 1), -1.0), 1e-9, [phase.users])

    out = localised.localised_sgd(
        gradients, phases, np.zeros((4, 1)), 1, PrivacyBudget(5.0, 0.5), _identity, np.random.default_rng(0)
    )
    assert seen == [(0, 3000), (3000, 3000)]
    assert out.running.all()
    assert out.theta == pytest.approx(np.full((4, 1), 2.0), abs=1e-6)
