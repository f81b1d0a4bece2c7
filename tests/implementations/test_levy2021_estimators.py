"""PrivateRange, the Winsorized means and their composition, against brute force and independent oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from implementations.levy2021.composition import (
    optimal_query_budget,
    printed_coordinate_epsilon,
    printed_query_budget,
)
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import CORRECTED, PAPER, TUNED
from implementations.levy2021.private_range import bins_for, draw_centres, private_range, range_law
from implementations.levy2021.winsorized_mean_1d import (
    failure_probability,
    users_needed,
    winsorized_mean_1d,
    winsorized_mean_1d_law,
)
from implementations.levy2021.winsorized_mean_highd import (
    highd_failure,
    highd_plan,
    highd_variance,
    noisy_mean,
    winsorized_mean_highd,
)
from implementations.privacy import (
    PrivacyBudget,
    composition_delta,
    largest_step_epsilon,
    log_pure_composition_delta,
)


def _brute_force(x, epsilon, tau, bound, constants):
    """Every bin on its own, straight from the definition of the exponential mechanism."""
    bins = bins_for(tau, bound, constants)
    indices = np.arange(bins.first, bins.last + 1)
    centres = (indices + (0.0 if bins.count % 2 else 0.5)) * bins.width
    edges = centres - 0.5 * bins.width
    rounded = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins.count - 1)
    cost = np.array([max((rounded < k).sum(), (rounded > k).sum()) for k in range(bins.count)])
    weight = np.exp(-0.5 * epsilon * (cost - cost.min()))
    return centres, weight / weight.sum()


@pytest.mark.parametrize("constants", [PAPER, CORRECTED, TUNED])
@pytest.mark.parametrize("bound", [4.0, 4.5, 7.0])
def test_range_law_is_the_exponential_mechanism(bound, constants):
    rng = np.random.default_rng(1)
    for n in (1, 2, 7, 20):
        x = np.clip(rng.normal(1.0, 1.5, n), -bound, bound)
        centres, law = range_law(x, 0.7, 1.0, bound, constants).enumerate()
        expected_centres, expected = _brute_force(x, 0.7, 1.0, bound, constants)
        np.testing.assert_allclose(centres, expected_centres)
        np.testing.assert_allclose(np.exp(law), expected, rtol=1e-12)


def _chi_square(observed, expected):
    keep = expected > 5.0
    observed = np.append(observed[keep], observed[~keep].sum())
    expected = np.append(expected[keep], expected[~keep].sum())
    if expected[-1] < 5.0:
        observed, expected = observed[:-1], expected[:-1]
    return chi2.sf(((observed - expected) ** 2 / expected).sum(), len(expected) - 1)


@pytest.mark.parametrize("ties", [False, True])
def test_batch_sampler_draws_from_the_law(ties):
    # A chi-square test, rejected with probability 1e-7 if the sampler is right.
    rng = np.random.default_rng(2)
    x = np.repeat([-3.9, 0.1, 0.2, 5.0], [1, 3, 2, 1]) if ties else np.clip(rng.normal(0, 2, 9), -8, 8)
    law = range_law(x, 1.5, 1.0, 8.0)
    centres, log_p = law.enumerate()
    draws = 60_000
    batch = draw_centres(np.tile(x, (draws, 1)), 1.5, 1.0, 8.0, rng)
    observed = np.array([(batch == c).sum() for c in centres])
    assert observed.sum() == draws
    assert _chi_square(observed, draws * np.exp(log_p)) > 1e-7


def test_huge_range_never_materialises_its_bins_and_finds_the_data():
    # The data are in two bins of 2^60; a miss has probability below 2^60 exp(−1000/4) < 1e-80.
    rng = np.random.default_rng(3)
    x = rng.uniform(-0.9, 0.9, size=(5, 1000))
    low, high = private_range(x, 1.0, 1.0, 2.0**60, rng)
    np.testing.assert_allclose(high - low, 4.0)
    assert (low <= 0.9).all()
    assert (high >= -0.9).all()
    law = range_law(x[0], 1e-6, 1.0, 2.0**60)
    assert law.start.size <= 2 * 1000 + 1
    mass = np.exp(law.log_probability + np.log(law.count.astype(float)))
    assert mass.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match=r"at most 2\*\*20"):
        law.enumerate()


def test_winsorized_mean_has_its_exact_law():
    # Kolmogorov–Smirnov against the exact mixture, rejected with probability 1e-7 if right.
    rng = np.random.default_rng(4)
    x = np.array([-1.0, 0.4, 0.6, 3.0, 7.5])
    law = winsorized_mean_1d_law(x, 2.0, 1.0, 8.0)

    def cdf(t):
        z = (np.asarray(t)[:, None] - law.centres) / law.scale
        part = np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))
        return part @ law.weights

    sample = winsorized_mean_1d(np.tile(x, (20_000, 1)), 2.0, 1.0, 8.0, rng)
    assert kstest(sample, cdf).pvalue > 1e-7


def test_corrected_interval_never_clips_concentrated_data():
    # For every occupied bin that may be chosen, the interval holds all data: exact, no probability involved.
    rng = np.random.default_rng(5)
    for constants in (CORRECTED, TUNED):
        bins = bins_for(1.0, 16.0, constants)
        for _ in range(300):
            x = rng.uniform(-14, 14) + rng.choice([-1.0, 1.0, 0.0, rng.uniform(-1, 1)], size=12)
            index = bins.index(x)
            for r in range(index.min(), index.max() + 1):
                centre = bins.centre(np.array([r]))[0]
                assert np.abs(x - centre).max() <= constants.half_length + 1e-9


@pytest.mark.parametrize("d", [1, 3])
def test_highd_is_unbiased_with_the_planned_variance(d):
    rng = np.random.default_rng(6)
    n, trials = 700, 250
    x = np.clip(rng.normal(0.3, 0.1, (n, d)), -2, 2)
    tau = float(np.linalg.norm(x - x.mean(axis=0), axis=1).max())
    plan = highd_plan(n, d, 20.0, 1e-3, tau, 2.0, 1e-4)
    assert highd_failure(plan, n, 1e-4) < 1e-3
    data = np.tile(x, (trials, 1, 1))
    out = winsorized_mean_highd(data, PrivacyBudget(20.0, 1e-3), Concentration(tau, 2.0, 1e-4), rng)
    assert out.shape == (trials, d)
    error = out - x.mean(axis=0)
    sd = math.sqrt(highd_variance(plan, n) / plan.dimension)
    # z-tests at |z| < 6: a false alarm has probability below 1e-8 per coordinate.
    assert np.abs(error.mean(axis=0)).max() < 6 * sd / math.sqrt(trials)
    squares = (error**2).sum(axis=1)
    assert abs(squares.mean() - d * sd**2) < 6 * squares.std() / math.sqrt(trials)
    oracle = noisy_mean(np.zeros((4000, d)), plan, n, rng)
    spread = (oracle**2).sum(axis=1)
    assert abs(spread.mean() - d * sd**2) < 6 * spread.std() / math.sqrt(4000)


def test_too_few_users_are_told_how_many_would_do():
    x = np.zeros((50, 4))
    with pytest.raises(ValueError, match=r"n = 50 users fail .* n = (\d+) would do") as error:
        winsorized_mean_highd(
            x, PrivacyBudget(1.0, 1e-5), Concentration(1.0, 10.0, 1e-3, failure=0.01),
            np.random.default_rng(0),
        )  # fmt: skip
    needed = int(str(error.value).split("n = ")[-1].split()[0])
    plan = highd_plan(needed, 4, 1.0, 1e-5, 1.0, 10.0, 1e-3)
    assert highd_failure(plan, needed, 1e-3) <= 0.01
    with pytest.raises(ValueError, match="a smaller γ would do"):
        winsorized_mean_highd(
            x, PrivacyBudget(1.0, 1e-5), Concentration(1.0, 10.0, 0.1, failure=0.01), np.random.default_rng(0)
        )
    with pytest.raises(ValueError, match="would do"):
        winsorized_mean_1d(x[:, 0], 1.0, 1.0, 10.0, np.random.default_rng(0), failure=1e-9)
    assert failure_probability(users_needed(1e-9, 1.0, 1.0, 10.0), 1.0, 1.0, 10.0) <= 1e-9


@pytest.mark.parametrize("d", [1, 7, 256])
def test_optimal_splits_are_valid_and_beat_the_printed_ones(d):
    for epsilon, delta in ((0.1, 1e-6), (1.0, 1e-3)):
        best = largest_step_epsilon(epsilon, delta, d)
        assert log_pure_composition_delta(epsilon, best, d) <= math.log(delta)
        assert log_pure_composition_delta(epsilon, best * 1.001, d) > math.log(delta)
        assert best > printed_coordinate_epsilon(epsilon, delta, d)
        e, s = optimal_query_budget(epsilon, delta, d)
        assert composition_delta(epsilon, e, s, d) <= delta * (1 + 1e-9)
        assert e > printed_query_budget(epsilon, delta, d)[0]
