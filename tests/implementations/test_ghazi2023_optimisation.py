"""Certificates, Algorithms 2 to 6, and the instances of appendix D of ghazi2023 against independent
oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from implementations.ghazi2023 import (
    hard_instances,
    phased_erm,
    sc_output_pert,
)
from implementations.ghazi2023.feasible import Ball, project
from implementations.ghazi2023.quadratic import Users, regularised_minimiser
from implementations.ghazi2023.reading import Guarantee, Reading


def slsqp_projection(point: np.ndarray, balls: list[Ball]) -> np.ndarray:
    constraints = [
        {"type": "ineq", "fun": lambda x, b=b: b.radius**2 - float(((x - b.centre) ** 2).sum())}
        for b in balls
    ]
    found = minimize(
        lambda x: float(((x - point) ** 2).sum()), balls[0].centre, constraints=constraints, method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    return found.x


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_projection_onto_balls(count: int, d: int) -> None:
    rng = np.random.default_rng(10 * count + d)
    for _ in range(8):
        common = rng.normal(size=d)
        balls = [
            Ball(common + 0.6 * rng.normal(size=d) / math.sqrt(d), float(rng.uniform(1.5, 2.5)))
            for _ in range(count)
        ]
        if any(np.linalg.norm(common - b.centre) > 0.9 * b.radius for b in balls):
            continue
        point = 4.0 * rng.normal(size=d)
        nearest = project(point[None], balls)[0]
        assert all(np.linalg.norm(nearest - b.centre) <= b.radius * (1 + 1e-6) for b in balls)
        oracle = slsqp_projection(point, balls)
        assert np.linalg.norm(nearest - point) <= np.linalg.norm(oracle - point) + 1e-5
    apart = [Ball(np.zeros(d), 1.0), Ball(np.full(d, 5.0), 1.0)]
    assert np.isnan(project(np.zeros((2, d)), apart)).all()


def test_certificate_for_all_losses_by_hand() -> None:
    """κ = 5 at (1, 1/2): r = 20 of 50 users, Δ = (20/30 + 21/29)·5G√(ln(50/β)/m)/μ."""
    p = sc_output_pert.parameters(1.0, 0.5, 0.1, 2.0, 0.5, 50, 400.0, "certificate")
    gamma = 5 * 2.0 * math.sqrt(math.log(500.0) / 400.0)
    assert p.target == pytest.approx((20 / 30 + 21 / 29) * gamma / 0.5)
    just = np.array([gamma * (1 - 1e-9), gamma * (1 + 1e-9)])
    assert sc_output_pert.certified(just, 50, p, 0.5, quadratic=False).tolist() == [True, False]


def large_users(trials: int, n: int, d: int, m: float, curvature: float, seed: int) -> Users:
    rng = np.random.default_rng(seed)
    signal = np.zeros(d)
    signal[0] = 0.3
    return Users(signal + 0.1 * rng.normal(size=(trials, n, d)) / math.sqrt(m), curvature, 1.0, m)


@pytest.mark.parametrize("base", ["e", "2"])
def test_phased_erm_recovers_the_minimiser_for_large_m(base: phased_erm.LogBase) -> None:
    """At m = 10²² the noise of every phase vanishes: both variants must end at the minimiser −R/2·ā/‖ā‖."""
    users = large_users(3, 12_000, 2, 1e22, 0.0, 1).summary()
    ball = [Ball(np.zeros(2), 0.5)]
    regulariser = phased_erm.printed_regulariser(1.0, 1.0, users.n, users.m, 2)
    for variant in ("printed", "corrected"):
        phases = phased_erm.phased_erm(
            users, ball, np.zeros(2), Guarantee(1.0, 0.5, 0.1), regulariser, np.random.default_rng(0),
            reading=Reading(variant=variant, base=base),
        )  # fmt: skip
        assert len(phases) == math.ceil(phased_erm.logarithm(users.n * users.m, base))
        assert phases[-1].answered.all()
        best = regularised_minimiser(users, 1e-30, np.zeros((3, 2)), ball)
        assert users.excess(phases[-1].theta, best).max() < 1e-4
        assert [p.regulariser for p in phases] == [regulariser * 4.0**i for i in range(1, len(phases) + 1)]
        assert all(p.radius == pytest.approx(1.0 / p.regulariser) for p in phases)
        p = sc_output_pert.parameters(
            1.0 / len(phases),
            0.5 / len(phases),
            0.1 / len(phases),
            2.0,
            phases[0].regulariser,
            users.n,
            users.m,
        )
        assert phases[0].sigma == pytest.approx(p.sigma)


def test_admitted_delta_by_hand() -> None:
    assert hard_instances.log_admitted_delta(0.01, 100, 10_000.0) == math.inf  # the inner logarithm is 0
    psi, n, d = 0.9, 1000, 100.0
    ratio = 100 * psi * n / 10
    assert math.exp(hard_instances.log_admitted_delta(psi, n, d)) == pytest.approx(
        math.sqrt(d) / (100 * psi * n * math.sqrt(math.log(100 * psi * n / math.sqrt(d))))
    )
    assert hard_instances.admitted_delta(psi, n, d) == pytest.approx(1 / (ratio * math.sqrt(math.log(ratio))))
    delta = hard_instances.corrected_delta(psi, n, d)
    spend = delta * (math.sqrt(d) + math.sqrt(2 * math.log(1 / delta)) + 1)
    assert spend == pytest.approx(math.sqrt(d) / (34 * psi * n), rel=1e-9)
