"""Certificates, Algorithms 2 to 6, and the instances of appendix D of ghazi2023 against independent
oracles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import kstest, norm

from audits import audit_privacy
from implementations.ghazi2023 import (
    certificate,
    equal_batches,
    hard_instances,
    phased_erm,
    phased_sco,
    sc_output_pert,
    strongly_convex_erm,
    strongly_convex_sco,
    truncated_gaussian,
)
from implementations.ghazi2023.deletion_sensitivity import brute_force
from implementations.ghazi2023.feasible import Ball, project
from implementations.ghazi2023.quadratic import Kink, Summary, Users, regularised_minimiser
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
    for _ in range(15):
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


def test_projection_onto_a_tiny_ball_at_the_edge_of_a_large_one() -> None:
    """Seen from so near the large ball is a half-space, for which the answer is known."""
    centre = np.array([0.1, 0.2, -0.3])
    normal = np.array([2.0, -1.0, 2.0]) / 3.0
    large, small = Ball(centre[None], 0.8), Ball((centre + 0.8 * normal)[None], 5e-8)
    along = np.array([1.0, 2.0, 0.0]) / math.sqrt(5.0)
    point = (small.centre + 3.0 * along + 4.0 * normal)[None, 0]
    expected = small.centre + 5e-8 * along
    for balls in ([large, small], [small, large], [large, small, Ball(centre[None], 5.0)]):
        assert np.linalg.norm(project(point, balls) - expected) < 1e-14


def test_more_than_three_balls_are_refused() -> None:
    with pytest.raises(ValueError, match="one to three balls, got 4"):
        project(np.zeros((1, 2)), [Ball(np.zeros(2), 1.0)] * 4)


@pytest.mark.parametrize("d", [1, 2])
def test_minimiser_with_a_kink_against_a_solver(d: int) -> None:
    rng = np.random.default_rng(3)
    point = np.full(d, 0.3)
    kink = Kink(0.5, point)
    users = Users(0.1 * rng.normal(size=(1, 5, d)), 0.4, 1.0, 4.0, kink).summary()
    centre, balls = 0.5 * rng.normal(size=(1, d)), [Ball(np.zeros(d), 0.8)]
    mine = regularised_minimiser(users, 0.7, centre, balls)[0]

    def loss(theta: np.ndarray) -> float:
        smooth = users.mean[0] @ theta + 0.2 * theta @ theta + 0.35 * ((theta - centre[0]) ** 2).sum()
        return float(smooth + 0.5 * np.linalg.norm(theta - point))

    found = minimize(loss, centre[0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    assert np.linalg.norm(found.x) < 0.8
    assert loss(mine) <= found.fun + 1e-12
    assert np.allclose(mine, found.x, atol=1e-5)


def test_regularised_minimiser_against_a_solver() -> None:
    rng = np.random.default_rng(5)
    users = Users(rng.normal(size=(1, 6, 2)), 0.7, 3.0, 4.0)
    centre = rng.normal(size=(1, 2))
    balls = [Ball(np.zeros(2), 1.0), Ball(centre, 1.1)]

    def objective(theta: np.ndarray) -> float:
        losses = users.linear[0] @ theta + 0.35 * float(theta @ theta)
        return float(losses.mean()) + 0.9 * float(((theta - centre[0]) ** 2).sum()) / 2

    found = regularised_minimiser(users.summary(), 0.9, centre, balls)[0]
    constraints = [
        {"type": "ineq", "fun": lambda x, b=b: b.radius**2 - float(((x - b.centre) ** 2).sum())}
        for b in balls
    ]
    oracle = minimize(objective, found, constraints=constraints, method="SLSQP", options={"ftol": 1e-14})
    assert objective(found) <= oracle.fun + 1e-9
    free = regularised_minimiser(users.summary(), 0.9, centre, [Ball(np.zeros(2), 100.0)])
    slope = users.linear.mean(axis=1) + 0.7 * free + 0.9 * (free - centre)
    assert np.abs(slope).max() < 1e-12


@pytest.mark.parametrize("r", [0, 1, 2, 3])
def test_certificates_bound_the_enumerated_sensitivity(r: int) -> None:
    """Squared losses on a ball, optimum inside or on the boundary."""
    rng = np.random.default_rng(r)
    n, closest = 7, 0.0
    for trial in range(20):
        x = rng.choice([-1.0, 1.0, 0.3], size=(n, 2)) + (trial % 2) * 0.8
        ball = Ball(np.zeros(2), 1.0)

        def minimiser(rows: tuple[int, ...], x: np.ndarray = x, ball: Ball = ball) -> np.ndarray:
            return project(x[list(rows)].mean(axis=0)[None], [ball])[0] if rows else np.zeros(2)

        exact = brute_force(minimiser, tuple(range(n)), r, empty=False)
        theta = minimiser(tuple(range(n)))
        gradients = theta - x  # Hessian 1
        raw = float(np.linalg.norm(gradients, axis=1).max())
        centred = float(np.linalg.norm(x - x.mean(axis=0), axis=1).max())
        assert (
            exact <= certificate.sensitivity_bound(np.array(raw), certificate.lemma_factor(n, r), 1.0) + 1e-12
        )
        sharp = float(
            certificate.sensitivity_bound(np.array(centred), certificate.quadratic_factor(n, r), 1.0)
        )
        assert exact <= sharp + 1e-12
        closest = max(closest, exact / sharp)
    assert closest > 0.3  # the sharp certificate is not vacuous
    with pytest.raises(ValueError, match="somebody remains"):
        certificate.lemma_factor(5, 4)


def test_algorithm_2_parameters_and_certified_branch() -> None:
    p = sc_output_pert.parameters(1.0, 0.5, 0.1, 2.0, 0.5, 100, 400.0)
    assert p.target == pytest.approx(10 * 2.0 * math.sqrt(math.log(10)) / (0.5 * 100 * 20))
    corrected = sc_output_pert.parameters(1.0, 0.5, 0.1, 2.0, 0.5, 100, 400.0, "corrected")
    assert corrected.target == pytest.approx(
        10 * 2.0 * math.sqrt(21 * math.log(100) + math.log(10)) / (0.5 * 100 * 20)
    )
    with pytest.raises(ValueError, match="at least 8κ"):
        sc_output_pert.parameters(1.0, 0.5, 0.1, 2.0, 0.5, 41, 400.0, "corrected")
    rng = np.random.default_rng(0)
    gradients = rng.normal(size=(2000, 100, 1)) * 0.1
    gradients[1000:, 0] = 50.0  # one user far away: no certificate
    gamma = sc_output_pert.largest_norm(gradients, centred=True)
    theta, good = sc_output_pert.sc_output_pert(
        np.full((2000, 1), 3.0), gamma, 100, p, 0.5, rng, quadratic=True, uncertified="nan"
    )
    assert good[:1000].all()
    assert not good[1000:].any()
    assert np.isnan(theta[1000:]).all()
    assert kstest((theta[:1000, 0] - 3.0) / p.sigma, "norm").pvalue > 1e-6
    with pytest.raises(ValueError, match="n must be at least 4κ"):
        sc_output_pert.certified(gamma, 20, p, 0.5, quadratic=True)
    with pytest.raises(ValueError, match="gamma must be certified"):
        sc_output_pert.sc_output_pert(np.full((2000, 1), 3.0), gamma, 100, p, 0.5, rng, quadratic=True)


def test_certificate_for_all_losses_by_hand() -> None:
    """κ = 5 at (1, 1/2): r = 20 of 50 users, Δ = (20/30 + 21/29)·5G√(ln(50/β)/m)/μ."""
    p = sc_output_pert.parameters(1.0, 0.5, 0.1, 2.0, 0.5, 50, 400.0, "certificate")
    gamma = 5 * 2.0 * math.sqrt(math.log(500.0) / 400.0)
    assert p.target == pytest.approx((20 / 30 + 21 / 29) * gamma / 0.5)
    just = np.array([gamma * (1 - 1e-9), gamma * (1 + 1e-9)])
    assert sc_output_pert.certified(just, 50, p, 0.5, quadratic=False).tolist() == [True, False]


def test_algorithms_have_no_output_outside_the_certificate() -> None:
    """The first and the last user far from the others: an error from each of Algorithms 3 to 6."""
    linear = np.tile(np.array([0.1, 0.0]), (1, 4000, 1))
    linear[0, [0, -1], 0] = 0.9
    ball, guarantee = [Ball(np.zeros(2), 1.0)], Guarantee(1.0, 0.1, 0.05)
    flat, curved = (Users(linear, curvature, 1.0, 1e16) for curvature in (0.0, 0.5))
    start, rng = np.zeros(2), np.random.default_rng(0)
    calls = [
        lambda: phased_erm.phased_erm(flat.summary(), ball, start, guarantee, 0.05, rng),
        lambda: phased_sco.phased_sco(flat, ball, start, guarantee, 0.05, 64.0, rng),
        lambda: equal_batches.phased_sco(flat, ball, start, guarantee, 0.05, rng),
        lambda: strongly_convex_erm.strongly_convex_erm(curved.summary(), ball, guarantee, rng),
        lambda: strongly_convex_sco.strongly_convex_sco(curved, ball, guarantee, 64.0, rng),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="gamma must be certified"):
            call()


def test_marking_what_has_no_certificate_is_not_private() -> None:
    """With NaN for an error one user turns P(NaN) from 0 to 1: refuted at once, false alarm ≤ 1e-6."""
    ball, guarantee = [Ball(np.zeros(2), 1.0)], Guarantee(1.0, 0.1, 0.05)
    marks = Reading(variant="corrected", uncertified="nan")

    def mechanism(data: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        one = Users(data[None], 0.0, 1.0, 1.6e9).summary()
        users = Summary(np.tile(one.mean, (size, 1)), np.tile(one.spread, size), one.n, 0.0, 1.0, one.m)
        phases = phased_erm.phased_erm(users, ball, np.zeros((size, 2)), guarantee, 0.05, rng, reading=marks)
        return np.nan_to_num(phases[0].theta[:, 0], nan=1e9)

    near = np.tile(np.array([0.1, 0.0]), (4000, 1))
    far = near.copy()
    far[0, 0] = 0.9
    result = audit_privacy(
        mechanism, [(near, far)], epsilon=1.0, delta=0.1, adjacency="replace", alpha=1e-6, seed=0,
        max_samples=2000,
    )  # fmt: skip
    assert result.refuted


def test_batches_of_algorithm_4() -> None:
    for n in (64, 100, 1000, 1023):
        for i in range(1, 6):
            printed = phased_sco.batch(n, i)
            by_words = [u for u in range(1, n + 1) if n / 2**i <= u <= n / 2 ** (i - 1)]
            assert list(range(n))[printed] == [u - 1 for u in by_words]
        corrected = [set(range(n)[phased_sco.batch(n, i, "corrected")]) for i in range(1, 6)]
        assert sum(map(len, corrected)) == len(set().union(*corrected))  # no user twice
    shared = set(range(64)[phased_sco.batch(64, 1)]) & set(range(64)[phased_sco.batch(64, 2)])
    assert shared == {31}


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


def test_printed_phases_can_have_an_empty_feasible_set() -> None:
    """At moderate n√m the noise of phase 1 is far larger than R₂: 𝒦₂ is empty as printed, never after
    projection."""
    users = large_users(4, 6_000, 2, 100.0, 0.0, 2).summary()
    ball = [Ball(np.zeros(2), 0.5)]
    regulariser = phased_erm.printed_regulariser(1.0, 1.0, users.n, users.m, 2)
    runs = {
        variant: phased_erm.phased_erm(
            users,
            ball,
            np.zeros(2),
            Guarantee(1.0, 0.5, 0.1),
            regulariser,
            np.random.default_rng(0),
            reading=Reading(variant=variant),
        )
        for variant in ("printed", "corrected")
    }
    assert runs["printed"][0].answered.all()
    assert not runs["printed"][-1].answered.any()
    assert runs["corrected"][-1].answered.all()
    assert np.linalg.norm(runs["corrected"][-1].theta, axis=1).max() <= 0.5 * (1 + 1e-9)


def test_phased_sco_uses_each_batch_with_the_whole_budget() -> None:
    users = large_users(2, 8_192, 2, 1e24, 0.0, 3)
    ball = [Ball(np.zeros(2), 0.5)]
    phases = phased_sco.phased_sco(
        users, ball, np.zeros(2), Guarantee(1.0, 0.5, 0.1), 1e-8, 64.0, np.random.default_rng(0),
        reading=Reading(variant="corrected"),
    )  # fmt: skip
    assert [p.users for p in phases] == [users.n >> i for i in range(1, len(phases) + 1)]
    assert phases[-1].users >= 64.0 * math.log(2)
    assert phases[-1].answered.all()
    p = sc_output_pert.parameters(
        1.0, 0.5, 0.1 / len(phases), 2.0, phases[2].regulariser, phases[2].users, users.m
    )
    assert phases[2].sigma == pytest.approx(p.sigma)
    with pytest.raises(ValueError, match="n must be at least"):
        phased_sco.phase_count(50, 40.0)


def test_strongly_convex_algorithms_at_vanishing_noise() -> None:
    users = large_users(2, 12_000, 2, 1e22, 1.0, 4)
    ball = [Ball(np.zeros(2), 1.0)]
    best = regularised_minimiser(users.summary(), 0.0, np.zeros((2, 2)), ball)
    erm = strongly_convex_erm.strongly_convex_erm(
        users.summary(), ball, Guarantee(1.0, 0.5, 0.1), np.random.default_rng(0),
        reading=Reading(variant="corrected"),
    )  # fmt: skip
    assert erm.phases[-1].answered.all()
    assert np.linalg.norm(erm.theta - best, axis=1).max() < 1e-6
    half = sc_output_pert.parameters(0.5, 0.25, 0.1, 1.0, 1.0, users.n, users.m)
    assert erm.sigma == pytest.approx(half.sigma)
    sco = strongly_convex_sco.strongly_convex_sco(
        users, ball, Guarantee(1.0, 0.5, 0.1), 64.0, np.random.default_rng(0),
        reading=Reading(variant="corrected"),
    )  # fmt: skip
    assert sco.phases[-1].answered.all()
    assert np.linalg.norm(sco.theta - best, axis=1).max() < 1e-6


def test_radius_of_the_noise() -> None:
    """The corrected R′ holds ‖e‖ with probability 1 − β; the printed radius at d = 1 does not."""
    for beta in (0.3, 0.1, 0.01, 1e-6):
        assert 2 * norm.sf(strongly_convex_erm.noise_radius(1.0, 1, beta, "corrected")) <= beta
    for beta in (0.1, 0.01, 1e-6):
        assert 2 * norm.sf(strongly_convex_erm.noise_radius(1.0, 1, beta, "printed")) > beta


def test_truncated_mean_against_quadrature_and_draws() -> None:
    from scipy.integrate import quad

    value = quad(lambda z: z * norm.pdf(z, 0.7, 0.5), -1.2, 1.2, epsabs=1e-12)[0]
    assert 0.7 * (1 - truncated_gaussian.lost_share(0.7, 1, 0.5, 1.2)) == pytest.approx(value, abs=1e-9)
    draws = truncated_gaussian.draw(np.array([0.4, 0.3]), 0.5, 1.0, (200_000,), np.random.default_rng(0))
    assert np.linalg.norm(draws, axis=1).max() <= 1.0
    expected = np.array([0.4, 0.3]) * (1 - truncated_gaussian.lost_share(0.5, 2, 0.5, 1.0))
    # Each coordinate has a standard deviation below 0.5: 5.5 standard errors, probability below 1e-7.
    assert np.abs(draws.mean(axis=0) - expected).max() < 5.5 * 0.5 / math.sqrt(200_000)
    for d in (1, 4, 30):
        log_exact = math.log(truncated_gaussian.lost_share(1.0, d, 1.0, 1.0 + math.sqrt(d + 2) + 2.0))
        assert log_exact <= truncated_gaussian.log_lost_share_bound(1.0, d, 1.0, 1.0 + math.sqrt(d + 2) + 2.0)


def test_reduction_of_lemma_d_3() -> None:
    """Given the user's mean the samples are centred on it; over random items their covariance is σ²I."""
    rng = np.random.default_rng(0)
    m, sigma, n = 3, 2.0, 60_000
    items = rng.normal(5.0, sigma / math.sqrt(m), size=(n, 1))
    users = truncated_gaussian.user_from_item(items, m, sigma, rng)
    assert np.abs(users.mean(axis=1) - items).max() < 1e-9
    covariance = np.cov(users[..., 0].T)
    # Entries of a sample covariance have a standard error of at most σ²√2/√n: 5.5 of them, probability <
    # 1e-6.
    assert np.abs(covariance - sigma**2 * np.eye(m)).max() < 5.5 * sigma**2 * math.sqrt(2 / n)


def test_name_and_shame() -> None:
    rng = np.random.default_rng(0)
    n, k, d = 14, 7, 3
    data = rng.normal(size=(n, d))
    out = hard_instances.name_and_shame(data, 0.5, 40_000, rng)
    # The mean of k of n rows without replacement: variance (1/k)(1 − k/n)·S².
    expected = data.var(axis=0, ddof=1) * (1 / k - 1 / n)
    assert np.abs(out.var(axis=0) / expected - 1).max() < 0.05
    touched = hard_instances.name_and_shame(np.eye(n)[:, :1], 0.5, 40_000, rng)
    assert abs((touched > 0).mean() - 0.5) < 5.5 * 0.5 / math.sqrt(40_000)
    assert hard_instances.name_and_shame_error(n, 2.0, d, 1.5, 0.5) == pytest.approx(d * 2.25 / 14)
    with pytest.raises(ValueError, match="delta must be at least"):
        hard_instances.name_and_shame(data, 0.05, 1, rng)


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
