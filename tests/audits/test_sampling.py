"""Laws by quadrature and kernels: false alarms at their level, and power against planted errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from audits import sampling
from audits.evidence import Verdict
from audits.judge import drawn_from

LAW = stats.norm().cdf


def test_distribution_function_is_that_of_the_density() -> None:
    cdf = sampling.distribution_function(lambda x: -np.abs(x - 0.3), -40.0, 40.0, breaks=[0.3])
    x = np.linspace(-10, 10, 201)
    assert cdf(x) == pytest.approx(stats.laplace(0.3).cdf(x), abs=1e-13)


def test_an_allowed_distance_is_allowed_and_no_more() -> None:
    rng = np.random.default_rng(8)
    draws = 0.05 + rng.standard_normal(40_000)  # Kolmogorov distance 0.02
    assert drawn_from("x", draws, LAW, alpha=1e-6).verdict is Verdict.REFUTED
    assert drawn_from("x", draws, LAW, alpha=1e-6, allowed=0.02).verdict is Verdict.CONSISTENT
    assert drawn_from("x", 2.0 * draws, LAW, alpha=1e-6, allowed=0.02).verdict is Verdict.REFUTED


def autoregression(rho: float, noise: float):
    return lambda x, rng: rho * x + noise * rng.standard_normal(x.shape)


def test_ranks_of_a_kernel_that_keeps_its_law_are_uniform() -> None:
    rng = np.random.default_rng(5)
    kernel = autoregression(0.8, 0.6)
    alarms = 0
    for _ in range(100):
        start = rng.standard_normal((400, 1))
        found = sampling.rank_statistics("x", start, kernel, lambda x: x[:, 0], rng, length=9, alpha=0.05)
        alarms += found.verdict is Verdict.REFUTED
    # P(Bin(100, 0.05) > 18) < 1e-6
    assert alarms <= 18


def test_ranks_show_a_kernel_with_too_much_noise() -> None:
    rng = np.random.default_rng(6)
    start = rng.standard_normal((4000, 1))
    found = sampling.rank_statistics(
        "x", start, autoregression(0.8, 0.7), lambda x: x[:, 0] ** 2, rng, length=9, alpha=1e-6
    )
    assert found.verdict is Verdict.REFUTED
