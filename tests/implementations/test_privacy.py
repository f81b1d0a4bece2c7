"""Privacy curves, composition, amplification and groups against 60-digit arithmetic and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from implementations.privacy import (
    amplified_epsilon,
    composition_delta,
    gaussian_delta,
    gaussian_epsilon,
    group_privacy,
    log_pure_composition_delta,
    mu_star,
)

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


def test_inverses_of_the_curve_are_tight():
    # Rounding of δ itself: relative 1e-12 by the test above, so a part in 1e9 to the other edge exceeds it.
    delta = 10.0 ** np.linspace(-290.0, -0.01, 12)[:, None]
    epsilon = np.array([0.0, 1e-9, 0.01, 1.0, 30.0, 300.0])
    mu = mu_star(epsilon, delta)
    assert (gaussian_delta(epsilon, mu) <= delta * (1.0 + 1e-12)).all()
    assert (gaussian_delta(epsilon, mu * (1.0 + 1e-9)) > delta).all()
    mu = np.array([1e-3, 0.1, 1.0, 7.0, 30.0])
    epsilon = gaussian_epsilon(delta, mu)
    assert (gaussian_delta(epsilon, mu) <= delta * (1.0 + 1e-12)).all()
    assert ((epsilon == 0.0) | (gaussian_delta(epsilon * (1.0 - 1e-9) - 1e-12, mu) > delta)).all()


def test_inverses_at_the_ends():
    assert mu_star(1.0, 0.0) == 0.0
    assert mu_star(1.0, 1.0) == math.inf
    assert gaussian_epsilon(0.0, 1.0) == math.inf
    assert gaussian_epsilon(0.0, 0.0) == 0.0
    assert gaussian_epsilon(0.9, 0.1) == 0.0  # more than the total variation
    assert mu_star([0.5, 1.0], [[1e-5], [1e-3]]).shape == (2, 2)


# --- Composition, sampling, groups ---------------------------------------------------------------------


def brute_composition(epsilon, step_epsilon, steps):
    p = math.exp(step_epsilon) / (1 + math.exp(step_epsilon))
    total = 0.0
    for k in range(steps + 1):
        a, b = p ** (steps - k) * (1 - p) ** k, p**k * (1 - p) ** (steps - k)
        total += math.comb(steps, k) * max(0.0, a - math.exp(epsilon) * b)
    return total


@pytest.mark.parametrize("steps", [1, 2, 10, 200])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_composition_is_that_of_randomised_response(steps, epsilon):
    expected = brute_composition(epsilon, 0.4, steps)
    rounding = 1e-14 + steps * 2.0**-52  # of the oracle: one a factor
    assert math.exp(log_pure_composition_delta(epsilon, 0.4, steps)) == pytest.approx(expected, abs=rounding)
    with_failures = 1 - (1 - 0.01) ** steps * (1 - expected)
    assert composition_delta(epsilon, 0.4, 0.01, steps) == pytest.approx(with_failures)


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
