"""The formulas behind the exact claims on the programs of levy2021, against independent computations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claims import Point
from claims.levy2021 import _first_order, proposition_1, sampler_laws, theorem_3_convex


def point(**axes: float | int | str) -> Point:
    return Point(axes=axes, rng=np.random.default_rng(0), alpha=1e-6, trials=4000)


def test_walk_has_the_risk_of_simulated_walks():
    rng, steps, slope, noise = np.random.default_rng(1), 5, 0.7, 1.0
    smoothness = math.sqrt(steps / 2.0)
    size = 0.5 / smoothness
    theta, total = np.full(200_000, 0.5), np.zeros(200_000)
    for _ in range(steps):
        theta = np.clip(
            theta - size * (slope + rng.laplace(0.0, noise / math.sqrt(2.0), theta.size)), -0.5, 0.5
        )
        total += theta
    risk = slope * (total / steps + 0.5)
    # five standard errors: a false alarm of 6e-7
    error = 5.0 * float(risk.std()) / math.sqrt(risk.size)
    assert theorem_3_convex.walk_risk(slope, smoothness, noise, steps) == pytest.approx(
        float(risk.mean()), abs=error + 1e-4
    )


def test_horizon_refutes_a_wrong_power():
    grows = _first_order.horizon(lambda steps: steps**0.5, 0.0, "risk")
    holds = _first_order.horizon(lambda steps: 1.0 - 1.0 / steps, 0.0, "risk")
    assert grows.verdict == "REFUTED"
    assert holds.verdict is None


def test_sums_are_binomial():
    from scipy.stats import binom

    values, masses = sampler_laws.sums(np.array([0.0, 1.0]), np.array([0.7, 0.3]), 5)
    assert values.tolist() == list(range(6))
    assert masses == pytest.approx(binom.pmf(np.arange(6), 5, 0.3))


def test_radius_of_bumps_is_that_of_signs_drawn_one_by_one():
    m, d, n, places = 9, 3, 2, 4
    found = proposition_1.bumps(point(m=m, d=d, n=n, places=places))
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(4000, n, d, places, m))
    wanted = np.sqrt((np.abs(signs.mean(axis=-1)).max(axis=-1) ** 2).sum(axis=-1)).max(axis=-1)
    error = 5.0 * math.sqrt((found.var() + wanted.var()) / 4000.0)  # a false alarm of 6e-7
    assert found.mean() == pytest.approx(float(wanted.mean()), abs=error)
