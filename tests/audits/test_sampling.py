"""The tests of fit: false alarms at their level, and power against planted errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audits import sampling
from audits.evidence import Verdict

LAW = stats.norm().cdf


def test_distribution_function_is_that_of_the_density() -> None:
    cdf = sampling.distribution_function(lambda x: -np.abs(x - 0.3), -40.0, 40.0, breaks=[0.3])
    x = np.linspace(-10, 10, 201)
    assert cdf(x) == pytest.approx(stats.laplace(0.3).cdf(x), abs=1e-13)


def test_statistics_agree_with_scipy() -> None:
    draws = np.random.default_rng(0).standard_normal(500)
    found = sampling.kolmogorov_smirnov(draws, LAW, alpha=0.01)
    expected = stats.kstest(draws, LAW)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    mine = sampling.two_samples(draws[:200], draws[200:], alpha=0.01)
    assert mine.statistic == pytest.approx(stats.ks_2samp(draws[:200], draws[200:]).statistic)


@pytest.mark.parametrize("test", [sampling.kolmogorov_smirnov, sampling.anderson_darling])
def test_false_alarms_stay_below_the_level(test) -> None:
    rng = np.random.default_rng(1)
    alarms = sum(not test(rng.standard_normal(200), LAW, alpha=0.05).follows for _ in range(2000))
    # P(Bin(2000, 0.05) > 150) < 1e-6
    assert alarms <= 150


def test_anderson_darling_bound_is_not_far_from_the_limit_law() -> None:
    # Chernoff's bound exceeds the probability by about s·√(2π·variance under the tilt), here about ten.
    rng = np.random.default_rng(2)
    weights = 1.0 / (np.arange(1, 200) * np.arange(2, 201))
    limit = (rng.standard_normal((100_000, 199)) ** 2) @ weights
    for alpha in (0.05, 0.01):
        point = np.quantile(limit, 1 - alpha)
        s = np.linspace(1e-4, 1 - 1e-4, 20_000)
        bound = np.exp(
            -s * point + 0.5 * np.log(-2 * math.pi * s / np.cos(0.5 * math.pi * np.sqrt(1 + 8 * s)))
        ).min()
        assert alpha <= bound < 20 * alpha


def test_power_is_what_the_resolution_says() -> None:
    rng = np.random.default_rng(3)
    found = sampling.kolmogorov_smirnov(rng.standard_normal(1000), LAW, alpha=0.01)
    shift = found.resolution * math.sqrt(2 * math.pi) * 1.02  # Kolmogorov distance of N(shift, 1)
    caught = sum(
        not sampling.kolmogorov_smirnov(shift + rng.standard_normal(1000), LAW, alpha=0.01).follows
        for _ in range(500)
    )
    # P(Bin(500, 0.9) < 410) < 1e-6
    assert caught >= 410


def test_an_allowed_distance_is_allowed_and_no_more() -> None:
    rng = np.random.default_rng(8)
    draws = 0.05 + rng.standard_normal(40_000)  # Kolmogorov distance 0.02
    assert not sampling.kolmogorov_smirnov(draws, LAW, alpha=1e-6).follows
    assert sampling.kolmogorov_smirnov(draws, LAW, alpha=1e-6, allowed=0.02).follows
    wide = sampling.kolmogorov_smirnov(2.0 * draws, LAW, alpha=1e-6, allowed=0.02).evidence("draws")
    assert wide.verdict is Verdict.REFUTED


def test_tails_are_seen_by_anderson_darling() -> None:
    rng = np.random.default_rng(4)
    draws = stats.t(4).rvs(4000, random_state=rng)
    assert not sampling.anderson_darling(draws, LAW, alpha=1e-4).follows


def autoregression(rho: float, noise: float):
    return lambda x, rng: rho * x + noise * rng.standard_normal(x.shape)


def test_ranks_of_a_kernel_that_keeps_its_law_are_uniform() -> None:
    rng = np.random.default_rng(5)
    kernel = autoregression(0.8, 0.6)
    alarms = 0
    for _ in range(300):
        start = rng.standard_normal((400, 1))
        found = sampling.rank_statistics(start, kernel, lambda x: x[:, 0], rng, length=9, alpha=0.05)
        alarms += not found.follows
    # P(Bin(300, 0.05) > 36) < 1e-6
    assert alarms <= 36


def test_ranks_show_a_kernel_with_too_much_noise() -> None:
    rng = np.random.default_rng(6)
    start = rng.standard_normal((4000, 1))
    found = sampling.rank_statistics(
        start, autoregression(0.8, 0.7), lambda x: x[:, 0] ** 2, rng, length=9, alpha=1e-6
    )
    assert not found.follows


def test_a_chain_that_has_not_mixed_is_an_error_that_says_how_many_steps() -> None:
    rng = np.random.default_rng(7)
    starts = [np.full((500, 1), -5.0), np.full((500, 1), 5.0)]
    kernel = autoregression(0.99, math.sqrt(1 - 0.99**2))
    with pytest.raises(ValueError, match=r"steps must be about \d+: .* after 10"):
        sampling.require_mixed(kernel, starts, lambda x: x[:, 0], rng, steps=10, alpha=1e-6)
    ends = sampling.require_mixed(kernel, starts, lambda x: x[:, 0], rng, steps=2000, alpha=1e-6)
    assert sampling.kolmogorov_smirnov(ends[:, 0], LAW, alpha=1e-6).follows


def test_a_chain_that_never_mixes_is_an_error_too() -> None:
    starts = [np.full((50, 1), -5.0), np.full((50, 1), 5.0)]
    with pytest.raises(ValueError, match="not mixed even then"):
        sampling.require_mixed(
            lambda x, _: x, starts, lambda x: x[:, 0], np.random.default_rng(0), steps=3, alpha=0.01, most=20
        )


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: sampling.kolmogorov_smirnov([1.0], LAW, alpha=0.1), "draws"),
        (lambda: sampling.kolmogorov_smirnov([math.nan] * 9, LAW, alpha=0.1), "draws"),
        (lambda: sampling.kolmogorov_smirnov([0.0] * 9, LAW, alpha=1.5), "alpha"),
        (lambda: sampling.distribution_function(np.abs, 1.0, 0.0), "low"),
    ],
)
def test_bad_input_is_named(call, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        call()
