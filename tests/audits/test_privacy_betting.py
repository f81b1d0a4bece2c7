"""Bets on a batch: fair under every null law by enumeration, events against brute force.

No test here depends on how strong a bet is, only on what makes it valid and on what its words promise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from audits.privacy.bet import betting, events
from audits.privacy.bet.sequential import Wealth
from audits.privacy.outputs.score import Score
from audits.privacy.tuning import TUNING
from tests.audits.privacy_runs import unbegun

GRID = np.array([0.0, 0.2, 0.5, 0.9, 1.0, 1.1, 1.7, 3.0])
REFERENCES = np.arange(len(GRID))


def family(first: Any, second: Any, size: int) -> events.ThresholdFamily:
    """A family from counts of cells, (K + 1,) each."""
    score = Score("test", lambda e: e.values[:, 0], lambda t, upper: f"{t} {upper}")
    above = [np.cumsum(np.asarray(side)[::-1])[::-1][1:].astype(np.int64) for side in (first, second)]
    return events.ThresholdFamily(score, np.arange(1.0, len(above[0]) + 1.0), above[0], above[1], size)


def families_of(first: Any, second: Any) -> list[events.ThresholdFamily]:
    """Two scores on six cells (3 × 2), from counts of the cells."""
    size = int(np.sum(first))
    a, b = np.reshape(first, (3, 2)), np.reshape(second, (3, 2))
    return [family(a.sum(axis=1), b.sum(axis=1), size), family(a.sum(axis=0), b.sum(axis=0), size)]


def choose(cuts: list[events.ThresholdFamily], size: int, delta: float, goal: float = 0.05) -> betting.Bets:
    return betting.choose(
        cuts,
        size,
        GRID,
        REFERENCES,
        REFERENCES,
        REFERENCES,
        np.full(len(GRID), delta),
        np.full(len(GRID), goal),
    )


def null_law(rng: np.random.Generator, epsilon: float, delta: float, tight: bool) -> tuple[Any, Any]:
    """Laws on six cells that are (ε, δ)-close in both directions; tight: with equality on an event."""
    a = math.exp(epsilon)
    r: Any = rng.dirichlet(np.full(6, rng.choice([0.3, 2.0])), 2)
    # A union of cells of one score, so that the bets aim at it.
    inside = np.zeros((3, 2), dtype=bool)
    inside[(0, slice(0, 2))[rng.integers(2)] if rng.random() < 0.5 else slice(0, 3), rng.integers(2)] = True
    inside = inside.ravel() ^ (rng.random() < 0.5)
    one, other = (np.where(m, r[0], 0.0) / r[0][m].sum() for m in (inside, ~inside))
    p, q = (a * one + other) / (1.0 + a), (one + a * other) / (1.0 + a)
    at_p, at_q = np.zeros(6), np.zeros(6)
    at_p[rng.choice(np.flatnonzero(inside))] = at_q[rng.choice(np.flatnonzero(~inside))] = 1.0
    p, q = (1.0 - delta) * p + delta * at_p, (1.0 - delta) * q + delta * at_q
    if not tight:
        p, q = 0.8 * p + 0.2 * r[1], 0.8 * q + 0.2 * r[1]
    return p, q


def outcomes(n: int, cells: int) -> Any:
    """All counts of n samples on the cells."""
    if cells == 1:
        return np.array([[n]])
    rows = [np.column_stack([np.full(len(o := outcomes(n - k, cells - 1)), k), o]) for k in range(n + 1)]
    return np.concatenate(rows)


@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.2])
def test_factor_has_mean_at_most_one_under_every_null_law(delta: float) -> None:
    rng = np.random.default_rng(0)
    n, low, high = 2, 0.0, 0.0
    table = outcomes(n, 6)
    assert len(table) == math.comb(n + 5, 5)
    for trial in range(12):
        at = int(rng.integers(1, 6))
        p, q = null_law(rng, float(GRID[at]), delta, trial % 2 == 0)
        # Counts from the law itself, from broken laws, and few or many of them: bets of every kind.
        size = int(rng.choice([20, 300, 4000]))
        learned = (p, q) if trial % 4 < 2 else rng.dirichlet(np.full(6, 0.5), 2)
        cuts = families_of(*(rng.multinomial(size, law) for law in learned))
        bets = choose(cuts, size, delta)
        chances = [stats.multinomial.pmf(table, n, law) for law in (p, q)]
        assert [c.sum() for c in chances] == pytest.approx([1.0, 1.0])
        parts = [families_of(c, c) for c in table]
        mean = np.zeros(len(bets.places))
        for i in range(len(table)):
            for j in range(len(table)):
                hits = [k.hits(x.first, y.first, n) for k, x, y in zip(cuts, parts[i], parts[j], strict=True)]
                mean += chances[0][i] * chances[1][j] * np.exp(bets.log_factor(hits, n))
        # Fair for its own ε, hence for every smaller one: a group may share the bet of its largest.
        fair = bets.places >= at
        assert np.all(mean[fair] <= 1.0 + 1e-9)
        low, high = max(low, mean[fair].max(initial=0.0)), max(high, mean[~fair].max(initial=0.0))
    # The bound is met, and a law that violates a smaller ε wins there.
    assert low > 0.99
    assert high > 1.0


def test_log_factor_is_the_shared_product_over_samples() -> None:
    rng = np.random.default_rng(1)
    cuts = families_of(
        rng.multinomial(500, [0.3, 0.1, 0.1, 0.1, 0.1, 0.3]), rng.multinomial(500, [1 / 6] * 6)
    )
    bets = choose(cuts, 500, 0.01)
    cells = rng.integers(6, size=(2, 40))
    levels = [cells // 2, cells % 2]
    hits = []
    for cut, level in zip(cuts, levels, strict=True):
        above = (level[..., None] >= cut.thresholds).sum(axis=1)
        hits.append(cut.hits(above[0], above[1], 40))
    found = bets.log_factor(hits, 40)
    assert len(bets.places) > 0
    for place in range(len(bets.places)):
        total = 0.0
        for i, (cut, level) in enumerate(zip(cuts, levels, strict=True)):
            members = membership(level, cut)
            for c in range(bets.u.shape[1]):
                bet = bets.bet.row(i).row(c)
                in_u, in_l = members[bets.u[i, c, place]], members[bets.l[i, c, place]]
                log_e = sum(
                    float(np.where(in_u[s], u[place], np.where(in_l[s], l[place], rest[place])).sum())
                    for s, (u, l, rest) in enumerate(
                        [(bet.f_u, bet.f_l, bet.f_rest), (bet.g_u, bet.g_l, bet.g_rest)]
                    )
                )
                total += math.exp(float(bets.log_share[i, c, place]) + log_e)
        assert float(found[place]) == pytest.approx(math.log(total), abs=1e-9)


def membership(level: Any, cut: events.ThresholdFamily) -> Any:
    """Whether each sample lies in each of the 4K events."""
    above = level[None] >= cut.thresholds[:, None, None]
    return np.concatenate([above, ~above, above, ~above])


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_shares_sum_to_one_and_follow_what_would_have_won(delta: float) -> None:
    rng = np.random.default_rng(2)
    cuts = families_of(
        rng.multinomial(800, [0.35, 0.35, 0.1, 0.1, 0.05, 0.05]), rng.multinomial(800, [1 / 6] * 6)
    )
    bets = choose(cuts, 800, delta)
    assert bets.log_share.shape[2] == len(bets.places) > 3
    np.testing.assert_allclose(np.exp(bets.log_share).sum(axis=(0, 1)), 1.0, rtol=1e-12)
    won = np.empty_like(bets.log_share)
    for i, cut in enumerate(cuts):
        more, less = cut.all_hits()
        u, l = bets.u[i], bets.l[i]
        won[i] = bets.bet.row(i).log_e_value(800, more[u], less[l], less[u], more[l])
    # In every column the larger share goes to what would have won more.
    for place in range(len(bets.places)):
        order = np.argsort(won[..., place].ravel())
        assert np.all(np.diff(bets.log_share[..., place].ravel()[order]) >= -1e-9)


def test_nothing_is_betted_where_no_event_comes_near() -> None:
    rng = np.random.default_rng(3)
    cuts = families_of(*(rng.multinomial(10**6, [1 / 6] * 6) for _ in range(2)))
    bets = choose(cuts, 10**6, 0.0)
    # Equal laws: only ε = 0 may be in doubt.
    assert set(bets.places.tolist()) <= {0}
    none = choose(cuts, 10**6, 0.5)
    assert len(none.places) == 0
    hits = [cut.all_hits() for cut in cuts]
    assert none.log_factor(hits, 10**6).shape == (0,)


@pytest.mark.parametrize("cuts", [1, 2, 3, 9])
def test_candidates_by_brute_force(cuts: int) -> None:
    rng = np.random.default_rng(cuts)
    columns = 7
    levels = np.arange(cuts + 1)
    above = levels[None, :] >= np.arange(1, cuts + 1)[:, None]
    cells = np.concatenate([above, ~above, above, ~above])
    forward = np.arange(4 * cuts) < 2 * cuts
    for _ in range(20):
        excess = rng.normal(size=(4 * cuts, columns))
        u, l = betting.candidates(excess)
        count = min(TUNING.candidates, 4 * cuts)
        assert u.shape == l.shape == (count, columns)
        assert forward[u].all()
        assert not forward[l].any()
        for column in range(columns):
            best = set(np.argsort(excess[:, column])[-count:].tolist())
            pairs = list(zip(u[:, column].tolist(), l[:, column].tolist(), strict=True))
            expected = []
            for event in best:
                free = [
                    e
                    for e in range(4 * cuts)
                    if forward[e] != forward[event] and not (cells[e] & cells[event]).any()
                ]
                partner = max(free, key=lambda e: float(excess[e, column]))
                expected.append((event, partner) if forward[event] else (partner, event))
            assert sorted(pairs) == sorted(expected)


def test_alternative_shrinks_by_its_error_and_aims_at_the_goal() -> None:
    rng = np.random.default_rng(4)
    count, size = 3000, 1000
    q = rng.uniform(0.05, 0.4, count)
    epsilon, delta = rng.uniform(0.0, 0.8, count), 0.01
    a = np.exp(epsilon)
    p = np.clip(a * q + delta + rng.normal(scale=0.08, size=count), 0.02, 0.95)
    gap = p - a * q - delta
    zero, some = np.zeros(count), np.full(count, 0.02)
    # The partner of each event shows the opposite of an excess.
    both = np.stack([p, np.full(count, 0.01)]), np.stack([q, np.full(count, 0.5)])
    (p1, _), (q1, _) = betting.alternative(*both, epsilon, delta, size, zero)
    (p2, _), (q2, _) = betting.alternative(*both, epsilon, delta, size, some)
    gap1, gap2 = p1 - a * q1 - delta, p2 - a * q2 - delta
    z = gap * np.sqrt(size / (p * (1 - p) + a * a * q * (1 - q)))
    for share in (p1, p2):
        assert np.all((share > 0.0) & (share <= 1.0))
    for share in (q1, q2):
        assert np.all(share >= 0.5 * q - 1e-15)
    # Given up where it is clearly below; no excess of its own making; the more, the more certain it is.
    given_up = z < -TUNING.hope - 1e-9
    assert given_up.sum() > 100
    np.testing.assert_array_equal(p2[given_up], p[given_up])
    np.testing.assert_array_equal(q2[given_up], q[given_up])
    doubtful = np.abs(z) < 0.8
    assert doubtful.sum() > 100
    np.testing.assert_allclose(gap1[doubtful], 0.0, atol=1e-12)
    sure = z > 1.2
    assert sure.sum() > 100
    assert np.all((gap1[sure] > 0.0) & (gap1[sure] < gap[sure]))
    np.testing.assert_allclose((gap1 / gap)[sure], 1.0 - 1.0 / z[sure] ** 2, rtol=1e-2)
    # With a goal nobody bets on less than before.
    kept = ~given_up
    assert np.all(gap2[kept] >= gap1[kept] - 1e-12)
    assert np.all(gap2[doubtful] > 0.0)


def test_a_goal_is_shared_by_what_each_event_shows() -> None:
    # The excess of both events is found in standard deviations of one sample, and in standard errors.
    p, q, size, goal = np.array([0.2, 0.2]), np.array([[0.08, 0.2], [0.08, 0.1]]), 400, np.full(2, 0.5)
    p1, q1 = betting.alternative(np.stack([p, p]), q, np.zeros(2), 0.0, size, goal)
    spread = np.sqrt(p * (1.0 - p) + q * (1.0 - q))
    wanted = (p1 - q1) / spread
    # An event without an excess is not betted on, the other one is to reach the whole of the goal.
    np.testing.assert_allclose(wanted[:, 1], [0.0, 0.5], rtol=2e-2, atol=1e-9)
    # Two events that show as much reach it together.
    np.testing.assert_allclose(wanted[:, 0], 0.5 / math.sqrt(2.0), rtol=2e-2)


def test_log_sum_is_scipys() -> None:
    values = np.random.default_rng(5).normal(scale=300.0, size=(3, 4, 50))
    np.testing.assert_allclose(betting.log_sum(values), special.logsumexp(values, axis=(0, 1)), rtol=1e-12)


def test_wealth_of_a_run_is_the_mean_over_pairs_and_its_bets_are_settled_once() -> None:
    laplace = lambda d, size, rng: d + rng.laplace(size=size)  # noqa: E731
    run = unbegun(laplace, *[(1.0, 0.0)] * 3, epsilon=1.0, max_samples=3000)
    seen: list[int] = []
    step = run.step

    def spy(state: Any, size: int) -> None:
        before = [(wealth.log_betted.copy(), wealth.kept_back) for wealth in run.wealth]
        closed = run.rejected & (np.arange(len(run.grid)) != run.claimed)
        step(state, size)
        for index, (wealth, (old, kept)) in enumerate(zip(run.wealth, before, strict=True)):
            if index != state.index:
                assert np.array_equal(wealth.log_betted, old)
                continue
            seen.append(index)
            invested = np.logaddexp(old, math.log(TUNING.later_share * kept))
            assert np.array_equal(wealth.log_betted[closed], invested[closed])

    run.step = spy  # type: ignore[method-assign]
    # Before the first bet every pair has wealth 1.
    np.testing.assert_allclose(run.log_e(), 0.0, atol=1e-12)
    run.run()
    assert set(seen) == set(range(3))
    wealth = np.mean([np.exp(w.log()) for w in run.wealth], axis=0)
    np.testing.assert_allclose(np.exp(run.log_e()), wealth, rtol=1e-9)


def test_what_is_kept_back_joins_the_bets_and_the_sum_stays() -> None:
    wealth = Wealth(50)
    wealth.log_betted = np.log(np.linspace(0.01, 3.0, len(wealth.log_betted)))
    for batch in range(200):
        before = wealth.log(), wealth.kept_back
        wealth.invest()
        np.testing.assert_allclose(wealth.log(), before[0], atol=1e-9)
        assert 0.0 < wealth.kept_back < before[1] or (batch > 80 and wealth.kept_back == before[1])
    # No bet ever loses more than what was betted.
    wealth.log_betted[:] = -np.inf
    np.testing.assert_allclose(np.exp(wealth.log()), wealth.kept_back)
