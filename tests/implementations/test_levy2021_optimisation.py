"""Winsorized gradients, the phases of Phased ERM, private selection, reductions and populations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from implementations.levy2021.concentration import Concentration
from implementations.levy2021.finite_class import best_of_geometric, learn_finite_class
from implementations.levy2021.first_order import (
    strongly_convex_sgd,
    winsorized_first_order,
)
from implementations.levy2021.hard_instances import LinearLoss
from implementations.levy2021.phased_erm import (
    Instance,
    Phase,
    feasible_phases,
    phase_failure,
    phased_erm,
    phases,
)
from implementations.levy2021.users import (
    SignPopulation,
)
from implementations.privacy import PrivacyBudget


def _identity(theta):
    return theta


def _ball(theta):
    return theta / np.maximum(1.0, np.linalg.norm(theta, axis=-1, keepdims=True))


def test_winsorized_first_order_finds_the_minimum():
    # The noise has variance below 1e-4 per step: the distance 0.2 is out of reach.
    rng = np.random.default_rng(3)
    n, d, steps = 60_000, 2, 4
    z = 0.01 * rng.standard_normal((1, n, d)) + 0.5
    method = strongly_convex_sgd(_identity, 1.0, 1.0, steps)
    final = winsorized_first_order(
        lambda theta: theta[:, None, :] - z, method, np.zeros((1, d)), steps, PrivacyBudget(1.0, 1e-3),
        Concentration(0.05, 3.0, 1e-6, failure=1e-3), rng, constants="tuned",
    )  # fmt: skip
    assert np.abs(final - 0.5).max() < 0.2
    with pytest.raises(ValueError, match="epsilon must be at most 1"):
        winsorized_first_order(
            lambda theta: theta[:, None, :] - z, method, np.zeros((1, d)), steps, PrivacyBudget(2.0, 1e-3),
            Concentration(0.05, 3.0, 1e-6), rng,
        )  # fmt: skip


def _instance(**change):
    good = {
        "n": 10_000, "m": 100, "d": 4, "epsilon": 1.0, "delta": 1e-8, "sigma": 1.0, "lipschitz": 2.0,
        "smoothness": 1.0, "diameter": 1.0,
    }  # fmt: skip
    return Instance(**(good | change))


def test_phases_are_the_printed_ones():
    p = _instance()
    schedule = phases(p)
    assert len(schedule) == math.ceil(math.log2(2.0 * 10_000 * 10 / 4))
    base = math.sqrt(2.0 * 2.0 / (10_000 * 100) + 16 / (10_000**2 * 100))
    for t, phase in enumerate(schedule, start=1):
        assert phase.users == 10_000 // 2**t
        assert phase.regulariser == pytest.approx(4.0**t * base)
    assert schedule[-1].users == 0
    with pytest.raises(ValueError, match="leave none for phase 14 of 16"):
        phased_erm(
            p, lambda t, u: t, np.zeros((1, 4)), _ball, Concentration(1.0, p.lipschitz, 1e-3),
            np.random.default_rng(0),
        )  # fmt: skip
    with pytest.raises(ValueError, match="delta ≤ 1/n²"):
        _instance(delta=1e-3)
    assert feasible_phases(p, 0.5, 1e-4) == []
    assert phase_failure(p, Phase(99, 0, 1.0), 0.5, 1e-4) == 1.0


def test_best_of_geometric_matches_simulation_and_series():
    p = np.array([0.2, 0.3, 0.5])
    law = best_of_geometric(p, 0.3)
    assert law.sum() == pytest.approx(1.0)
    tail = np.array([1.0, 0.8, 0.5, 0.0])
    series = sum(0.3 * 0.7 ** (k - 1) * (tail[:-1] ** k - tail[1:] ** k) for k in range(1, 200))
    np.testing.assert_allclose(law, series, rtol=1e-12)


def test_finite_class_prefers_the_best_candidate():
    rng = np.random.default_rng(6)
    losses = np.tile([0.5, -0.5, 0.45], (3000, 1)) + rng.uniform(-0.01, 0.01, (3000, 3))
    chosen = learn_finite_class(losses, 1.0, Concentration(0.02, 1.0), 0.05, 200, rng)
    # Best unless it is never drawn: probability Σ 0.05·0.95^{k−1}(2/3)^k < 0.1; > 60 of 200 below 1e-9.
    assert (chosen != 1).sum() < 60


@pytest.mark.parametrize("heterogeneity", [0.0, 0.2])
def test_sign_population_has_its_moments(heterogeneity):
    rng = np.random.default_rng(8)
    people = SignPopulation(2.0, (0.5, 0.9), heterogeneity)
    means = people.user_means(50, 10, 4000, rng)
    assert np.abs(means).max() <= 2.0 / math.sqrt(2) + 1e-12
    corner = 2.0 / math.sqrt(2)
    expected = (1 - heterogeneity) * people.mean + heterogeneity * corner
    # z-test with 200,000 users at |z| < 6: false alarm below 1e-8.
    error = means.reshape(-1, 2).mean(axis=0) - expected
    assert np.abs(error / (means.reshape(-1, 2).std(axis=0) / math.sqrt(200_000))).max() < 6
    if not heterogeneity:
        assert means.var(axis=(0, 1)).sum() == pytest.approx(people.variance / 10, rel=0.05)


def test_hard_instances():
    loss = LinearLoss(2.0, (3.0, 4.0))
    assert loss.excess(loss.minimiser) == pytest.approx(0.0)
    assert loss.excess(-loss.minimiser) == pytest.approx(20.0)
