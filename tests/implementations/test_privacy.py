"""Privacy curves, composition, amplification and groups against 60-digit arithmetic, brute force and
dp-accounting."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from implementations.privacy import (
    amplified_epsilon,
    composition_delta,
    gaussian_delta,
    gaussian_epsilon,
    group_privacy,
    largest_step_epsilon,
    log_pure_composition_delta,
    mu_star,
)

EPSILONS = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 4.0])


# --- The Gaussian privacy curve ------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.1, 0.499, 0.501, 1.0, 3.0, 12.0])
@pytest.mark.parametrize("at", [-1.0, 0.0, 1e-4, 0.3, 1.0, 6.0, 20.0, 36.0])
def test_gaussian_delta_agrees_with_sixty_digits(mu, at):
    # ε = at·μ puts the lower limit of the event `at` standard deviations out: δ from 0.9 down to 1e-285.
    mpmath = pytest.importorskip("mpmath")
    epsilon = at * mu
    with mpmath.workdps(60 + int(epsilon)):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        exact = mpmath.ncdf(-e / m + m / 2) - mpmath.exp(e) * mpmath.ncdf(-e / m - m / 2)
        relative = abs(mpmath.mpf(gaussian_delta(epsilon, mu)) / exact - 1)
    # x²/2 carries a rounding error of 2⁻⁵²·x² into δ: 3e-13 at 36 standard deviations
    assert relative < 1e-12


def test_gaussian_delta_agrees_with_dp_accounting():
    mechanism = pytest.importorskip("dp_accounting.pld.privacy_loss_mechanism")
    for sd in (0.5, 1.0, 3.0):
        loss = mechanism.GaussianPrivacyLoss(sd)
        oracle = [loss.get_delta_for_epsilon(e) for e in EPSILONS]
        assert gaussian_delta(EPSILONS, 1.0 / sd) == pytest.approx(oracle, rel=1e-9)


def test_gaussian_delta_takes_large_epsilons_and_zero():
    assert gaussian_delta(800.0, 1.0) == 0.0
    assert 0.0 < gaussian_delta(800.0, 30.0) < 1.0
    assert gaussian_delta(0.0, 0.0) == 0.0
    assert gaussian_delta(0.0, 2.0) == pytest.approx(
        math.erf(1.0 / math.sqrt(2.0)), rel=1e-14
    )  # total variation
    assert gaussian_delta(-900.0, 1.0) == 1.0
    assert gaussian_delta(1.0, 1e-310) == 0.0
    assert gaussian_delta(0.0, 1e-300) == pytest.approx(1e-300 / math.sqrt(2.0 * math.pi), rel=1e-12)
    assert isinstance(gaussian_delta(1.0, 1.0), float)
    assert gaussian_delta(np.ones((2, 1)), np.ones(3)).shape == (2, 3)


@given(st.floats(0.0, 300.0), st.floats(-290.0, -0.01))
@settings(max_examples=50, deadline=None)
def test_mu_star_is_the_largest(epsilon, log10_delta):
    delta = 10.0**log10_delta
    mu = mu_star(epsilon, delta)
    # rounding of δ itself: relative 1e-12 by the test above, so one part in 1e11 to the right must exceed it
    assert gaussian_delta(epsilon, mu) <= delta * (1.0 + 1e-12)
    assert gaussian_delta(epsilon, mu * (1.0 + 1e-9)) > delta


@given(st.floats(1e-3, 30.0), st.floats(-290.0, -0.01))
@settings(max_examples=100, deadline=None)
def test_gaussian_epsilon_is_the_smallest(mu, log10_delta):
    delta = 10.0**log10_delta
    epsilon = gaussian_epsilon(delta, mu)
    assert gaussian_delta(epsilon, mu) <= delta * (1.0 + 1e-12)
    if epsilon > 0.0:
        assert gaussian_delta(epsilon * (1.0 - 1e-9) - 1e-12, mu) > delta
        assert mu_star(epsilon, delta) == pytest.approx(mu, rel=1e-8)


def test_inverses_at_the_ends():
    assert mu_star(1.0, 0.0) == 0.0
    assert mu_star(1.0, 1.0) == math.inf
    assert gaussian_epsilon(0.0, 1.0) == math.inf
    assert gaussian_epsilon(0.0, 0.0) == 0.0
    assert gaussian_epsilon(0.9, 0.1) == 0.0  # more than the total variation
    assert mu_star([0.5, 1.0], [[1e-5], [1e-3]]).shape == (2, 2)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("delta", [0.3, 1e-2, 1e-5, 1e-10])
def test_mu_star_inverts_the_curve_of_dp_accounting(epsilon, delta):
    mu = mu_star(epsilon, delta)
    # dp-accounting's analytic Gaussian mechanism is the independent oracle.
    from dp_accounting.pld import privacy_loss_mechanism

    oracle = privacy_loss_mechanism.GaussianPrivacyLoss(
        1.0 / mu, adjacency_type=privacy_loss_mechanism.AdjacencyType.REMOVE
    ).get_delta_for_epsilon(epsilon)
    assert oracle == pytest.approx(delta, rel=1e-7)


# --- Composition, sampling, groups ---------------------------------------------------------------------


def brute_composition(epsilon, step_epsilon, steps):
    p = math.exp(step_epsilon) / (1 + math.exp(step_epsilon))
    total = 0.0
    for bits in itertools.product((0, 1), repeat=steps):
        k = sum(bits)
        a, b = p ** (steps - k) * (1 - p) ** k, p**k * (1 - p) ** (steps - k)
        total += max(0.0, a - math.exp(epsilon) * b)
    return total


@pytest.mark.parametrize("steps", [1, 2, 5, 10])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_composition_is_that_of_randomised_response(steps, epsilon):
    expected = brute_composition(epsilon, 0.4, steps)
    assert math.exp(log_pure_composition_delta(epsilon, 0.4, steps)) == pytest.approx(expected, abs=1e-14)
    with_failures = 1 - (1 - 0.01) ** steps * (1 - expected)
    assert composition_delta(epsilon, 0.4, 0.01, steps) == pytest.approx(with_failures)


def test_composition_agrees_with_dp_accounting():
    accounting = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    pld = accounting.from_randomized_response(
        noise_parameter=2 / (1 + math.exp(0.1)), num_buckets=2, value_discretization_interval=1e-5
    )
    delta = pld.self_compose(200).get_delta_for_epsilon(3.0)
    exact = math.exp(log_pure_composition_delta(3.0, 0.1, 200))
    assert exact <= delta * (1 + 1e-9)  # the accountant rounds losses up by at most 200 · 1e-5 in all
    assert exact == pytest.approx(delta, rel=0.005)


def test_a_step_that_always_fails_composes_to_one():
    assert composition_delta(1.0, 0.1, 1.0, 3) == 1.0
    assert log_pure_composition_delta(1.0, 0.1, 10) == -math.inf


@pytest.mark.parametrize("q", [1e-9, 0.01, 0.5, 1.0])
def test_amplification_is_that_of_randomised_response(q):
    # A coin with odds e^ε, used with probability q, otherwise the other dataset's coin: the largest ratio.
    mpmath = pytest.importorskip("mpmath")
    for epsilon in (1e-6, 0.3, 1.75, 30.0, 499.0, 501.0, 900.0):
        with mpmath.workdps(900):
            e, rate = mpmath.mpf(epsilon), mpmath.mpf(q)
            high, low = mpmath.exp(e) / (1 + mpmath.exp(e)), 1 / (1 + mpmath.exp(e))
            exact = mpmath.log(((1 - rate) * low + rate * high) / low)
            assert amplified_epsilon(epsilon, q) == pytest.approx(float(exact), rel=1e-12)


@given(st.floats(0.01, 2.0), st.floats(1e-9, 1e-3), st.integers(1, 6))
def test_group_privacy_is_the_recursion(epsilon, delta, size):
    wanted = 0.0
    for _ in range(size):
        wanted = delta + math.exp(epsilon) * wanted
    group = group_privacy(epsilon, delta, size)
    assert group[0] == pytest.approx(size * epsilon)
    assert group[1] == pytest.approx(min(wanted, 1.0), rel=1e-9)
    assert group_privacy(700.0, 0.1, 5) == (3500.0, 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gaussian_delta(1.0, -1.0), "mu must be ≥ 0, got -1.0"),
        (lambda: mu_star(-1.0, 0.1), "epsilon must be ≥ 0, got -1.0"),
        (lambda: mu_star(1.0, 1.5), "delta must be in \\[0, 1\\]"),
        (lambda: gaussian_epsilon(-0.1, 1.0), "delta must be in \\[0, 1\\]"),
        (lambda: group_privacy(1.0, 0.1, 0), "size must be a whole number ≥ 1, got 0"),
        (lambda: group_privacy(-1.0, 0.1, 1), "epsilon must be one number ≥ 0, got -1.0"),
        (lambda: amplified_epsilon(1.0, 0.0), "q must be one number in \\(0, 1\\], got 0.0"),
        (lambda: amplified_epsilon(-1.0, 0.5), "epsilon must be one number ≥ 0, got -1.0"),
        (lambda: composition_delta(1.0, 0.1, 1.5, 3), "step_delta must be one number in \\[0, 1\\], got 1.5"),
        (lambda: composition_delta(1.0, 0.0, 0.1, 3), "step_epsilon must be one number > 0, got 0.0"),
        (lambda: composition_delta(1.0, 0.1, 0.1, 2.5), "steps must be a whole number ≥ 1, got 2.5"),
        (lambda: composition_delta(math.nan, 0.1, 0.1, 2), "epsilon must be finite, got nan"),
        (lambda: largest_step_epsilon(1.0, 0.1, 2, 0.1), "step_delta must be below"),
        (lambda: largest_step_epsilon(math.inf, 0.1, 2), "epsilon must be one number > 0, got inf"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
