"""Theorems 3.2, 3.3 and 4.1 of song2021: their mathematics by other means."""

import math

import numpy as np
import pytest

from claims import Point
from claims.song2021 import theorem_3_3, theorem_4_1_privacy, theorem_4_1_utility
from implementations import losses
from implementations.interfaces import Adjacency
from implementations.song2021 import dp_gd, stationary_point

# --- Theorem 4.1 ----------------------------------------------------------------------------------------


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

    candidates = [(column, column[:, None]) for column in scores(mine).T]
    index = stationary_point.report_noisy_min(candidates, scale, rng).index

    def log_likelihood(record):
        p = stationary_point.two_candidate_probability(scores(record)[:, 1] - scores(record)[:, 0], scale)
        gauss = -(((first - lean - record) ** 2) + (second_noise - record) ** 2) / (2 * sigma**2)
        return gauss + np.log(np.where(index == 0, p, 1.0 - p))

    loss = log_likelihood(mine) - log_likelihood(other)
    values = np.maximum(0.0, -np.expm1(2 * epsilon - loss))
    exact, _ = theorem_4_1_privacy.composed_delta(epsilon, sigma, scale, lean, swapped=swapped)
    assert abs(values.mean() - exact) < 6.0 * values.std() / math.sqrt(size)


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


# --- Theorem 4.1, utility ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("steps", "sigma", "scale", "rank"), [(7, 0.03, 0.05, 1), (40, 0.02, 0.004, 8)])
def test_the_exact_norm_is_that_of_drawn_candidates(steps, sigma, scale, rank):
    # START and steps − 1 draws of σχ, Laplace noise on each; six standard errors have p < 1e-8.
    rng = np.random.default_rng(steps)
    size = 20_000
    norms = sigma * np.sqrt(rng.chisquare(rank, (size, steps)))
    norms[:, 0] = theorem_4_1_utility.START
    chosen = norms[np.arange(size), np.argmin(norms + rng.laplace(0.0, scale, norms.shape), axis=1)]
    exact = theorem_4_1_utility.exact_norm(steps, sigma, scale, rank)
    assert abs(chosen.mean() - exact) <= 6.0 * chosen.std() / math.sqrt(size) + 3e-4 * exact


def test_the_least_norm_of_the_program_with_the_printed_steps_has_the_stated_median():
    # 2000 runs of the program as printed, rank 3; six standard deviations of a share of ½ are 0.067.
    point = Point(axes={"rank": 3, "epsilon": 1.0, "delta": 1e-2}, alpha=1e-5, rng=np.random.default_rng(4))
    n, beta, start = 900, theorem_4_1_utility.SMOOTHNESS, math.sqrt(2.0) / 36.0
    median, _ = theorem_4_1_utility.median_of_least(n, point)
    steps = stationary_point.printed_steps(
        epsilon=1.0, delta=1e-2, n=n, lipschitz=1.0, smoothness=beta, initial_risk=start**2 / (2.0 * beta)
    )
    targets, weights = np.full((1, 3), start / (beta * math.sqrt(3.0))), np.full((1, 3), 1.0 / 3.0)
    sigma = dp_gd.noise_scale(
        epsilon=1.0, delta=1e-2, n=n, steps=steps, lipschitz=1.0, noise="printed", adjacency=Adjacency.REPLACE
    )
    found = stationary_point.stationary_point(
        dp_gd.coordinate_gradient(losses.huber(1.0 / (3.0 * beta)), targets, weights), np.zeros((2_000, 3)),
        point.rng, steps=steps, learning_rate=1.0 / beta, noise_scale=sigma, selection_scale=0.001,
    )  # fmt: skip
    assert abs((found.least > median).mean() - 0.5) < 0.067
