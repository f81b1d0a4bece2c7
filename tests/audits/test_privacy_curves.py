"""Bets on whole ladders: e-values by linear programming, growth and fits by general-purpose optimisers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, special, stats

from audits.privacy import betting, binomial, curves, events, scores

Array = NDArray[np.float64]


def bets(log_ratio: Array, mass: Array, a: Array) -> tuple[Array, Array]:
    f, g = curves.log_bets(log_ratio, curves.multiplier(log_ratio, mass, a), a)
    return np.exp(f), np.exp(g)


def null_matrix(bins: int, a: float) -> Array:
    """Rows of the inequalities P ≤ a·Q, Q ≤ a·P on (P, Q)."""
    one = np.eye(bins)
    return np.block([[one, -a * one], [-a * one, one]])


def random_case(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    bins = int(rng.integers(2, 12))
    log_ratio = rng.normal(scale=rng.choice([0.1, 1.0, 8.0]), size=bins)
    mass = 2.0 * rng.dirichlet(np.full(bins, 0.5))
    return log_ratio, mass, np.exp(np.r_[0.0, np.sort(rng.uniform(0.0, 6.0, 5))])


def assert_fair(f: Array, g: Array, a: Array) -> None:
    """E f(X)·g(Y) = F·G with F + G ≤ 2 on the null: the largest F + G is a linear program."""
    bins = len(f)
    total = np.kron(np.eye(2), np.ones(bins))
    for j, grown in enumerate(a):
        found: Any = optimize.linprog(
            -np.r_[f[:, j], g[:, j]], null_matrix(bins, grown), np.zeros(2 * bins), total, [1.0, 1.0]
        )
        assert -found.fun <= 2.0 * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_no_null_point_makes_a_bet_grow(seed: int) -> None:
    log_ratio, mass, a = random_case(np.random.default_rng(seed))
    f, g = bets(log_ratio, mass, a)
    assert np.all(f > 0.0)
    assert np.all(g > 0.0)
    assert_fair(f, g, a)


@pytest.mark.parametrize("nu", [0.01, 0.4, 1.0, 1.7, 1.99])
def test_a_bet_is_fair_whatever_the_multiplier(nu: float) -> None:
    log_ratio, _, a = random_case(np.random.default_rng(7))
    f, g = (np.exp(of) for of in curves.log_bets(log_ratio, np.full(len(a), nu), a))
    assert_fair(f, g, a)


@pytest.mark.parametrize("seed", range(12))
def test_growth_is_the_distance_to_the_nearest_null_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.full(5, 2.0)), rng.dirichlet(np.full(5, 2.0))
    a = float(np.exp(rng.uniform(0.05, 0.6)))
    f, g = bets(np.log(p / q), p + q, np.array([a]))
    growth = float(p @ np.log(f[:, 0]) + q @ np.log(g[:, 0]))

    def distance(x: Array) -> float:
        return float(np.sum(special.rel_entr(p, x[:5])) + np.sum(special.rel_entr(q, x[5:])))

    found: Any = optimize.minimize(
        distance,
        np.full(10, 0.2),
        jac=lambda x: -np.r_[p, q] / x,
        bounds=[(1e-9, 1.0)] * 10,
        constraints=[
            {"type": "eq", "fun": lambda x: np.array([x[:5].sum() - 1.0, x[5:].sum() - 1.0])},
            {"type": "ineq", "fun": lambda x: -null_matrix(5, a) @ x},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    assert found.success
    # Growth below the best by the square of the error of ν, a hundredth, at most.
    assert growth == pytest.approx(found.fun, rel=2e-3, abs=2e-5)


def test_two_bins_are_one_event() -> None:
    # {score ≥ t} for P and its complement for Q: the bet on both directions at once.
    p, q, epsilon = 0.7, 0.1, np.array([0.0, 0.5, 1.0, 1.5])
    f, g = bets(
        np.log(np.array([(1.0 - p) / (1.0 - q), p / q])), np.array([2.0 - p - q, p + q]), np.exp(epsilon)
    )
    whole = np.full(4, 1.0)
    bet = binomial.bet(p * whole, q * whole, (1.0 - p) * whole, (1.0 - q) * whole, epsilon, 0.0)
    expected = p * bet.f_u + (1.0 - p) * bet.f_l + q * bet.g_u + (1.0 - q) * bet.g_l
    found = p * np.log(f[1]) + (1.0 - p) * np.log(f[0]) + q * np.log(g[1]) + (1.0 - q) * np.log(g[0])
    # Where the other direction is no violation at all, `binomial.bet` leaves it out, and so does the curve.
    one_sided = binomial.bet(p * whole, q * whole, 0.0 * whole, 0.0 * whole, epsilon, 0.0)
    single = (
        p * one_sided.f_u + (1.0 - p) * one_sided.f_rest + q * one_sided.g_u + (1.0 - q) * one_sided.g_rest
    )
    best = np.where(1.0 - q > np.exp(epsilon) * (1.0 - p), expected, single)
    np.testing.assert_allclose(found, best, atol=3e-3)


def test_at_the_null_nothing_is_betted() -> None:
    log_ratio = np.array([-1.0, -0.3, 0.0, 0.9, 1.0])
    f, g = bets(log_ratio, np.full(5, 0.4), np.exp(np.array([1.0 + 1e-9, 2.0])))
    np.testing.assert_allclose(f, 1.0, atol=2e-2)
    np.testing.assert_allclose(f + g, 2.0, atol=1e-9)


def test_many_counts_give_their_ratio_and_may_jump() -> None:
    first, second = np.array([10, 2_000_000, 50, 400_000]), np.array([9_000_000, 30, 60, 400_000])
    np.testing.assert_allclose(curves.fit(first, second), np.log((first + 0.5) / (second + 0.5)), atol=0.4)


def test_few_counts_are_drawn_to_their_neighbours() -> None:
    first, second = np.array([500, 800, 3, 0]), np.array([800, 500, 1, 0])
    found = curves.fit(first, second)
    assert found[0] == pytest.approx(np.log(5 / 8), abs=0.05)
    assert found[1] < found[2] < np.log(3)
    assert found[3] == pytest.approx(found[2], abs=0.1)


@pytest.mark.parametrize("seed", range(8))
def test_the_fit_is_a_most_probable_curve(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.poisson(rng.uniform(1, 60, 9)), rng.poisson(rng.uniform(1, 60, 9))

    def cost(curve: Array) -> float:
        likelihood = first @ special.log_expit(curve) + second @ special.log_expit(-curve)
        steps = stats.t.logpdf(np.diff(curve) / curves.STEP, curves.TAILS).sum()
        return -float(likelihood + steps)

    found = curves.fit(first, second)
    nearby: Any = optimize.minimize(cost, found, method="BFGS")
    assert cost(found) <= nearby.fun + 0.02


@pytest.mark.parametrize("seed", range(8))
def test_the_fit_keeps_close_to_what_is_expected(seed: int) -> None:
    # Counts of laws whose log-likelihood ratio is 0.6 of the score: the curve and its slope together are most
    # probable.
    rng = np.random.default_rng(seed)
    expected = np.sort(rng.normal(size=12))
    mass = rng.uniform(60.0, 200.0, 12)
    first = rng.poisson(mass * special.expit(0.6 * expected))
    second = rng.poisson(mass * special.expit(-0.6 * expected))

    def cost(x: Array) -> float:
        curve, slope = x[:-1], x[-1]
        likelihood = first @ special.log_expit(curve) + second @ special.log_expit(-curve)
        away = np.diff(curve) - slope * np.diff(expected)
        steps = stats.t.logpdf(away / curves.CLOSE, curves.TAILS).sum()
        return -float(likelihood + steps + stats.norm.logpdf(slope, *curves.SLOPE))

    found = curves.fit(first, second, expected)
    nearby: Any = optimize.minimize(cost, np.append(found, 0.6), method="BFGS")
    best: Any = optimize.minimize_scalar(lambda slope: cost(np.append(found, slope)))
    assert best.fun <= nearby.fun + 0.05
    np.testing.assert_allclose(found, 0.6 * expected, atol=0.5)


def test_what_is_expected_is_flat_where_a_tail_is_hardly_seen() -> None:
    # A score that runs wild beyond the first and the last five hundred samples.
    expected = np.array([-90.0, -8.0, -0.5, 0.5, 7.0, 60.0])
    first, second = np.array([2, 3, 500, 500, 4, 3]), np.array([3, 2, 500, 500, 3, 4])
    found = curves.fit(first, second, expected)
    np.testing.assert_allclose(found[:2], found[2], atol=0.1)
    np.testing.assert_allclose(found[4:], found[3], atol=0.1)
    # Tails with enough samples follow the score as far as their counts agree with it.
    first, second = np.array([20, 500, 500, 120]), np.array([120, 500, 500, 20])
    found = curves.fit(first, second, np.array([-2.5, 0.0, 0.0, 2.5]))
    np.testing.assert_allclose(found[[0, -1]], [-np.log(6.0), np.log(6.0)], atol=0.35)


def test_what_is_expected_may_be_wrong() -> None:
    # Half a million samples say the opposite of the score.
    first, second = np.array([200_000, 50_000]), np.array([50_000, 200_000])
    found = curves.fit(first, second, np.array([-1.0, 1.0]))
    np.testing.assert_allclose(found, [np.log(4.0), -np.log(4.0)], atol=0.1)


@pytest.mark.parametrize("expected", [None, np.array([-1.0, 1.0])])
def test_sides_that_never_meet_are_no_trouble(expected: Array | None) -> None:
    for first, second in (
        (np.array([0, 10**7]), np.array([10**7, 0])),
        (np.array([0, 1]), np.array([1, 0])),
        (np.array([0, 0]), np.array([0, 0])),
    ):
        found = curves.fit(first, second, expected)
        assert np.all(np.abs(found) <= curves.MOST_LOG)
        f, g = bets(found, (first + second + 1.0) / (first.sum() + 1.0), np.exp(np.array([0.0, 1.0, 20.0])))
        assert np.all(np.isfinite(np.log(f)))
        assert np.all(np.isfinite(np.log(g)))


def ladder(first: list[int], second: list[int], size: int, log_ratio: bool = False) -> events.Ladder:
    score = scores.Score("value", lambda e: e.values[:, 0], lambda t, upper: "", log_ratio=log_ratio)
    return events.Ladder(score, np.arange(len(first)) * 1.0, np.array(first), np.array(second), size)


@pytest.mark.parametrize("fitted", [False, True])
def test_a_factor_is_the_mean_of_the_e_values_of_all_ladders_and_of_no_bet(fitted: bool) -> None:
    ladders = [ladder([700, 300], [400, 80], 1000, fitted), ladder([510], [505], 1000)]
    epsilon = np.array([0.0, 0.2, 0.4, 3.0])
    chosen = curves.choose(ladders, 1000, epsilon, np.array([0, 1, 3]))
    np.testing.assert_allclose(np.exp(betting.log_sum(chosen.log_share)), 1.0)
    # The ladder that told the sides apart gets nearly everything where it does.
    assert chosen.log_share[0, 0] > np.log(0.99)
    # Beyond what either shows nothing is won by a bet, and most of the wealth is kept where scores were
    # fitted; where they were not, all of it is betted.
    kept = np.exp(chosen.log_share[-1])
    assert kept[2] > 0.5 if fitted else not kept.any()
    counts = [(np.array([70, 31]), np.array([38, 9])), (np.array([40]), np.array([60]))]
    expected = np.exp(chosen.log_share[-1])
    for k, (x, y) in enumerate(counts):
        in_x, in_y = np.diff(np.r_[0, 100 - x, 100]), np.diff(np.r_[0, 100 - y, 100])
        expected += np.exp(chosen.log_share[k] + in_x @ chosen.log_f[k] + in_y @ chosen.log_g[k])
    np.testing.assert_allclose(np.exp(chosen.log_factor(counts, 100)), expected)


def test_bins_hold_every_sample() -> None:
    values, cuts = np.random.default_rng(0).normal(size=500), np.array([-1.0, 0.2, 1.5])
    expected, _ = np.histogram(values, np.r_[-np.inf, cuts, np.inf])
    np.testing.assert_array_equal(events.in_bins(events.count(values, cuts), 500), expected)
