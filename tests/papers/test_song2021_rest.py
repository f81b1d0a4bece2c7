"""Theorem 4.1 and Theorem 3.3 of song2021: their mathematics by other means."""

import math

import numpy as np
import pytest

from claims.song2021 import theorem_3_3, theorem_4_1_privacy
from implementations.privacy import gaussian_delta
from implementations.song2021 import stationary_point

# --- Theorem 4.1 ----------------------------------------------------------------------------------------


def test_composed_delta_without_information_in_the_selection_is_that_of_the_steps():
    # With enormous Laplace noise the index is a fair coin: two Gaussian steps of sensitivity 2 remain.
    value, error = theorem_4_1_privacy.composed_delta(0.5, 3.0, 1e9, 2.0, swapped=False)
    assert value == pytest.approx(gaussian_delta(1.0, 2.0 * math.sqrt(2.0) / 3.0), abs=1e-8)
    assert error < 1e-8


@pytest.mark.parametrize("swapped", [False, True])
def test_composed_delta_agrees_with_sampled_privacy_losses(swapped):
    # E_P[(1 − e^{2ε − loss})⁺] over runs of the algorithm itself; |error| > 6 standard errors has p < 1e-8.
    epsilon, sigma, scale, lean, size = 0.5, 2.0, 1.5, 2.0, 400_000
    rng = np.random.default_rng(5)
    mine, other = (-1.0, 1.0) if swapped else (1.0, -1.0)
    first = lean + mine + sigma * rng.standard_normal(size)
    second_noise = mine + sigma * rng.standard_normal(size)
    others = lean - first

    def scores(record):
        return np.stack([np.full(size, abs(lean + record)), np.abs(others + record)], axis=1)

    index = stationary_point.report_noisy_min(scores(mine), scale, rng)

    def log_likelihood(record):
        p = stationary_point.two_candidate_probability(scores(record)[:, 1] - scores(record)[:, 0], scale)
        gauss = -(((first - lean - record) ** 2) + (second_noise - record) ** 2) / (2 * sigma**2)
        return gauss + np.log(np.where(index == 0, p, 1.0 - p))

    loss = log_likelihood(mine) - log_likelihood(other)
    values = np.maximum(0.0, -np.expm1(2 * epsilon - loss))
    exact, _ = theorem_4_1_privacy.composed_delta(epsilon, sigma, scale, lean, swapped=swapped)
    assert abs(values.mean() - exact) < 6.0 * values.std() / math.sqrt(size)


def test_the_loss_of_the_selection_tends_to_twice_epsilon():
    losses = [theorem_4_1_privacy.selection_loss(0.7, "printed", 2, gap) for gap in (5.0, 50.0, 400.0)]
    assert losses == sorted(losses)
    assert losses[-1] == pytest.approx(1.4, rel=5e-3)
    assert theorem_4_1_privacy.selection_loss(0.7, "corrected", 5, 12.0) <= 0.7 * (1 + 1e-9)


# --- Theorem 3.3 --------------------------------------------------------------------------------------------


def test_threshold_of_the_laplace_estimator_is_that_of_the_closed_form():
    # With p_j ∈ {0, 1} the excess is ½·s·(1 − (1 − s)/d)^{n−1}, s = e^{−ε/2}: k ~ Bin(n, 1/d) records, and
    # the sign is wrong with probability ½e^{−εk/2}.
    d, epsilon = 16, 0.05
    s = math.exp(-epsilon / 2.0)
    expected = 1.0 + math.log(2.0 * theorem_3_3.LEVEL / s) / math.log1p(-(1.0 - s) / d)
    found = theorem_3_3.threshold(d, epsilon, "laplace", np.random.default_rng(0), coordinates=400_000)
    # 25,000 datasets a step give the excess to about 1 %; the prior of the labels shifts n* by 1 % more.
    assert found == pytest.approx(expected, rel=0.05)
