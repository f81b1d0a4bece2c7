"""The mathematics of the audit: e-values against every null point, exact bounds against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from audits.privacy.bet import binomial
from audits.privacy.claims import Approximate, Pure


def _bets(delta: float, rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    p = np.clip(rng.dirichlet([0.5, 0.5, 0.5], count), 1e-6, 1.0)
    q = np.clip(rng.dirichlet([0.5, 0.5, 0.5], count), 1e-6, 1.0)
    p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    epsilon = rng.uniform(0.0, 3.0, count) * (rng.random(count) < 0.8)
    return p, q, epsilon


@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1, 0.5])
def test_e_value_has_mean_at_most_one_at_every_null_point(delta: float) -> None:
    rng = np.random.default_rng(0)
    p, q, epsilon = _bets(delta, rng, 4000)
    bet = binomial.bet(p[:, 0], q[:, 0], p[:, 1], q[:, 1], epsilon, delta)
    f = np.exp(np.stack([bet.f_u, bet.f_l, bet.f_rest]))
    g = np.exp(np.stack([bet.g_u, bet.g_l, bet.g_rest]))
    assert np.isfinite(f).all()
    assert np.isfinite(g).all()
    a = np.exp(epsilon)
    reached = 0.0
    for _ in range(400):
        # Laws on (U, L, rest); the mean comes close to 1 where the null is nearly tight.
        p0 = rng.dirichlet(rng.choice([0.1, 1.0, 5.0], 3))
        q0 = rng.dirichlet(rng.choice([0.1, 1.0, 5.0], 3))
        null = (p0[0] <= a * q0[0] + delta) & (q0[1] <= a * p0[1] + delta)
        mean = (p0 @ f) * (q0 @ g)
        reached = max(reached, float(mean[null].max(initial=0.0)))
    assert reached <= 1.0 + 1e-12
    assert reached > 0.9


@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.2])
def test_bet_on_one_event_grows_as_fast_as_the_distance_to_the_null(delta: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        p, q, epsilon = *rng.random(2), rng.uniform(0.0, 2.0)
        a = np.exp(epsilon)
        if p <= a * q + delta + 1e-3:
            continue

        def distance(y: float, p: float = p, q: float = q, a: float = a) -> float:
            x = a * y + delta
            return float(stats.entropy([p, 1 - p], [x, 1 - x]) + stats.entropy([q, 1 - q], [y, 1 - y]))

        best = optimize.minimize_scalar(
            distance, bounds=(q, (p - delta) / a), method="bounded", options={"xatol": 1e-12}
        )
        found = binomial.relative_entropy(*map(np.float64, (p, q, a * best.x + delta, best.x)))
        assert float(found) == pytest.approx(best.fun, abs=1e-9)
        zero = np.array(0.0)
        bet = binomial.bet(np.array(p), np.array(q), zero, zero, np.array(epsilon), delta)
        growth = p * bet.f_u + (1 - p) * bet.f_rest + q * bet.g_u + (1 - q) * bet.g_rest
        assert float(growth) == pytest.approx(best.fun, abs=1e-7)


@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.1])
def test_bet_on_both_directions_grows_as_fast_as_the_distance_to_the_null(delta: float) -> None:
    # The nearest null law on three cells, by a general optimiser: the best growth is its distance.
    rng = np.random.default_rng(3)
    both = 0
    for _ in range(25):
        epsilon = float(rng.uniform(0.1, 1.5))
        a = np.exp(epsilon)
        p_u, q_l = rng.uniform(0.15, 0.45, 2)
        q_u, p_l = p_u * rng.uniform(0.02, 0.5) / a, q_l * rng.uniform(0.02, 0.5) / a
        p, q = np.array([p_u, p_l, 1 - p_u - p_l]), np.array([q_u, q_l, 1 - q_u - q_l])

        def distance(x: np.ndarray, p: np.ndarray = p, q: np.ndarray = q) -> float:
            laws = np.append(x[:2], 1 - x[:2].sum()), np.append(x[2:], 1 - x[2:].sum())
            if min(law.min() for law in laws) <= 0.0:
                return 1e3
            return float(stats.entropy(p, laws[0]) + stats.entropy(q, laws[1]))

        room = (
            {"type": "ineq", "fun": lambda x, a=a: a * x[2] + delta - x[0]},
            {"type": "ineq", "fun": lambda x, a=a: a * x[1] + delta - x[3]},
        )
        middle = 0.5 * (p + q)[:2]
        found = optimize.minimize(
            distance,
            np.r_[middle, middle],
            method="SLSQP",
            bounds=[(1e-6, 1.0)] * 4,
            constraints=room,
            options={"ftol": 1e-13, "maxiter": 500},
        )
        bet = binomial.bet(*(np.array(v) for v in (p_u, q_u, p_l, q_l, epsilon)), delta)
        f = np.array([float(v) for v in (bet.f_u, bet.f_l, bet.f_rest)])
        g = np.array([float(v) for v in (bet.g_u, bet.g_l, bet.g_rest)])
        growth = float(p @ f + q @ g)
        # No e-variable grows faster than the distance to any null law.
        assert growth <= found.fun + 1e-7
        assert growth == pytest.approx(found.fun, rel=1e-3, abs=1e-5)
        both += p_u > a * q_u + delta and q_l > a * p_l + delta
    assert both > 10


def test_bet_is_an_e_variable_at_extreme_shares() -> None:
    # f, g = ν + u·1_U − a·v·1_L, κ − a·u·1_U + v·1_L with ν + κ + δ(u + v) ≤ 2, whatever was betted on.
    rng = np.random.default_rng(4)
    for delta in (0.0, 1e-12, 1e-5, 0.5, 0.99):
        tiny = 10.0 ** rng.uniform(-9, 0, (4, 4000))
        p_u, q_l = 1.0 - tiny[0] * (rng.random(4000) < 0.7), 10.0 ** rng.uniform(-6, 0, 4000)
        epsilon = rng.choice([0.0, 1e-6, 1.0, 10.0, 50.0], 4000)
        bet = binomial.bet(p_u, tiny[1], tiny[2], q_l, epsilon, delta)
        a = np.exp(epsilon)
        f, g = (np.exp(np.stack(s)) for s in ((bet.f_u, bet.f_l, bet.f_rest), (bet.g_u, bet.g_l, bet.g_rest)))
        assert np.isfinite(f).all()
        assert np.isfinite(g).all()
        assert min(f.min(), g.min()) >= 0.0
        u, v = f[0] - f[2], g[1] - g[2]
        assert np.all(f[2] + g[2] + delta * (u + v) <= 2.0 + 1e-12)
        # What is taken from the other side is no less than a times what was given; v below the rounding of κ
        # is lost to the bettor.
        assert np.all(g[0] <= g[2] - a * u * (1.0 - 1e-6) + 1e-9 * g[2])
        assert np.all(f[1] <= f[2] - a * np.maximum(v - 1e-15, 0.0) * (1.0 - 1e-6) + 1e-9 * f[2])


@pytest.mark.parametrize(
    ("q", "epsilon", "delta", "n"),
    [
        (0.184, 1.0, 0.0, 30),
        (0.02, 1.0, 0.0, 80),
        (0.05, 0.5, 0.05, 40),
        (0.3, 0.0, 0.1, 24),
        (0.001, 2.0, 0.0, 60),
    ],
)
def test_two_bounds_err_with_probability_at_most_alpha(
    q: float, epsilon: float, delta: float, n: int
) -> None:
    # Exact: all pairs of counts, no sampling.
    alpha = 0.05
    p, claim = np.exp(epsilon) * q + delta, Approximate(epsilon, delta)
    px, qy = stats.binom.pmf(np.arange(n + 1), n, p), stats.binom.pmf(np.arange(n + 1), n, q)
    error = 0.0
    for x in np.flatnonzero(px > 1e-7):
        for y in np.flatnonzero(qy > 1e-5):
            if px[x] * qy[y] > 1e-7 and binomial.two_bounds(int(x), int(y), n, claim, alpha) > epsilon:
                error += px[x] * qy[y]
    assert error <= alpha


def test_the_limit_that_is_expected_is_wilsons_one_standard_error_on_the_safe_side() -> None:
    # Wilson's interval, by its definition: the shares that a count of p·n lies |z| standard errors from.
    hits, seen, fresh, z = np.array([30, 400]), 1000, 5000, 2.5
    share = (hits + 0.5) / (seen + 1.0)
    error = np.sqrt(share * (1.0 - share) / seen)
    for sign in (-1.0, 1.0):
        found = binomial.limit(hits, seen, fresh, sign * z)
        distance = (share + sign * error - found) / np.sqrt(found * (1.0 - found) / fresh)
        np.testing.assert_allclose(distance, -sign * z, rtol=1e-9)


def test_bounds_are_zero_where_nothing_is_shown() -> None:
    assert binomial.two_bounds(100, 100, 1000, Pure(1.0), 0.05) == 0.0
    assert binomial.two_bounds(0, 0, 1000, Pure(1.0), 0.05) == 0.0
