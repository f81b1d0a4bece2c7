"""AboveThreshold, the concentration score and the outlier-removing mean of asi2024, with their exact laws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binomtest, kstest, laplace, norm, poisson

from implementations.asi2024 import clusters
from implementations.asi2024.above_threshold import AboveThreshold, accuracy, halting_law
from implementations.asi2024.concentration import (
    concentration_score,
    neighbour_counts,
    selection_probabilities,
)
from implementations.asi2024.outlier_removal import (
    OutlierRemovingMean,
    Plan,
    corrected_plan,
    corrected_users,
    displacement_bound,
    flips,
    kept_mean,
    look,
    printed_noise,
    printed_plan,
)

FALSE_ALARM = 1e-6


def _agrees(hits, trials, p):
    return binomtest(int(hits), trials, p).pvalue > FALSE_ALARM / 10


def _halting_by_quad(scores, threshold, epsilon, t):
    """P(halt at t) straight from Algorithm 4, with SciPy's adaptive rule and SciPy's Laplace law."""

    def integrand(rho):
        value = laplace.pdf(rho, scale=2.0 / epsilon)
        for score in scores[:t]:
            value *= laplace.sf(threshold - rho - score, scale=4.0 / epsilon)
        if t < len(scores):
            value *= laplace.cdf(threshold - rho - scores[t], scale=4.0 / epsilon)
        return value

    kinks = sorted({0.0, *(threshold - s for s in scores)})
    edges = [kinks[0] - 200.0 / epsilon, *kinks, kinks[-1] + 200.0 / epsilon]
    return sum(
        quad(integrand, a, b, epsabs=1e-14, epsrel=1e-11, limit=200)[0] for a, b in itertools.pairwise(edges)
    )


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_halting_law_is_the_integral_of_algorithm_4(epsilon):
    scores = [3.0, 5.5, 2.0, 9.0]
    law = halting_law(scores, 4.0, epsilon)
    expected = [_halting_by_quad(scores, 4.0, epsilon, t) for t in range(5)]
    assert law == pytest.approx(expected, rel=1e-8)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)


def test_halting_law_of_one_query_has_a_closed_form():
    # P(X − Y < −g) for Laplace variables of scales a < b is (b²e^{−g/b} − a²e^{−g/a})/(2(b² − a²)).
    epsilon, gap = 0.7, 3.0
    a, b = 2.0 / epsilon, 4.0 / epsilon
    expected = (b**2 * math.exp(-gap / b) - a**2 * math.exp(-gap / a)) / (2.0 * (b**2 - a**2))
    assert halting_law([10.0 + gap], 10.0, epsilon)[0] == pytest.approx(expected, rel=1e-11)


def test_halting_law_keeps_its_digits_over_many_queries():
    law = halting_law([1.0] * 400, 0.0, 1.0)
    assert law.sum() == pytest.approx(1.0, abs=1e-11)
    assert law[5] == pytest.approx(_halting_by_quad([1.0] * 6, 0.0, 1.0, 5), rel=1e-8)


def test_above_threshold_follows_its_law():
    # 6 binomial tests of 2·10⁵ runs, each at 1e-7.
    scores, runs = [2.0, 4.0, 3.0], 200_000
    above = AboveThreshold(1.3, 3.0, runs, np.random.default_rng(0))
    left = [np.full(runs, True)]
    for score in scores:
        left.append(above.answer(score).copy())
    law = halting_law(scores, 3.0, 1.3)
    for t in range(3):
        assert _agrees((left[t] & ~left[t + 1]).sum(), runs, law[t])
    assert _agrees(left[-1].sum(), runs, law[-1])


def test_a_run_that_halted_stays_silent():
    above = AboveThreshold(1.0, 0.0, 3, np.random.default_rng(0))
    assert above.answer(np.array([-1e9, 1e9, -1e9])).tolist() == [False, True, False]
    assert above.answer(1e9).tolist() == [False, True, False]


def test_runs_do_not_share_noise():
    # With one noise for all, all runs would halt together; P(no halt, or all halt) < 2^−1000 otherwise.
    above = AboveThreshold(1.0, 0.0, 2000, np.random.default_rng(1))
    assert 0 < above.answer(0.0).sum() < 2000


def test_accuracy_is_that_of_lemma_2_4():
    assert accuracy(10, 0.1, 2.0) == pytest.approx(8 * math.log(200) / 2)


def test_above_threshold_refuses_bad_input():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="epsilon must be one number > 0"):
        AboveThreshold(0.0, 1.0, 1, rng)
    with pytest.raises(ValueError, match="scores must be finite"):
        AboveThreshold(1.0, 1.0, 1, rng).answer(math.nan)
    with pytest.raises(ValueError, match="scores must be a list"):
        halting_law([], 0.0, 1.0)


def test_counts_and_score_by_brute_force():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 4, size=(5, 7, 2)).astype(float)  # many pairs at distance exactly 1 or √2
    for radius in (1.0, math.sqrt(2.0) + 1e-9, 2.0, 0.5):
        counts = neighbour_counts(x, radius)
        for trial, i in itertools.product(range(5), range(7)):
            near = sum(math.dist(x[trial, i], x[trial, j]) <= radius for j in range(7))
            assert counts[trial, i] == near
        assert concentration_score(x, radius) == pytest.approx(counts.mean(axis=1), abs=1e-12)


def test_the_short_cut_changes_nothing():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(50, 6, 3)) * np.geomspace(0.05, 2.0, 50)[:, None, None]
    distances = np.linalg.norm(x[:, :, None] - x[:, None], axis=-1)
    assert (neighbour_counts(x, 1.0) == (distances <= 1.0).sum(axis=-1)).all()


def test_weights_stand_for_users():
    x, w = np.array([[0.0], [0.9], [2.0]]), np.array([3, 1, 2])
    full = np.repeat(x, w, axis=0)
    assert concentration_score(x, 1.0, w) == pytest.approx(float(concentration_score(full, 1.0)))
    assert np.repeat(neighbour_counts(x, 1.0, w), w).tolist() == neighbour_counts(full, 1.0).tolist()
    with pytest.raises(ValueError, match="weights must be 3 numbers"):
        concentration_score(x, 1.0, [1.0, 0.5, 1.0])


def test_selection_probabilities_at_the_corners():
    # n = 6: below 3 none, at 3 still 0, 4 = 2n/3 is 1
    assert selection_probabilities([2, 3, 4, 6], 6).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert selection_probabilities([15, 16, 18, 20], 30).tolist() == pytest.approx([0.0, 0.2, 0.6, 1.0])


def test_printed_noise_by_hand():
    # τ√(8·4·(1 + log 40)·(1 + log 10))/(50·2)
    expected = 0.3 * math.sqrt(32.0 * (1 + math.log(40)) * (1 + math.log(10))) / 100.0
    assert printed_noise(50, 4, 2.0, 0.1, 0.3) == pytest.approx(expected)
    plan = printed_plan(50, 4, 2.0, 0.1, 0.3)
    assert (plan.budget, plan.threshold, plan.noise) == (1.0, 40.0, pytest.approx(expected))


def _loose(n, queries=1, tau=1.0):
    """A plan whose AboveThreshold passes everything and whose noise is negligible."""
    return Plan(n=n, queries=queries, tau=tau, budget=1.0, threshold=-1e9, noise=1e-12)


def test_the_mean_follows_the_law_of_clusters():
    # three clusters, one kept for sure, two by chance; 12 binomial tests at 1e-7
    data = clusters.as_clusters([[0.0], [1.9], [3.8]], [9, 3, 8])
    chances = clusters.kept_probabilities(data, 1.0)
    assert chances.tolist() == pytest.approx([(12 - 10) * 6 / 20, 1.0, (11 - 10) * 6 / 20], abs=1e-12)
    mass, values = clusters.mean_law(data, 1.0)
    assert mass.sum() == pytest.approx(1.0, abs=1e-12)
    runs = 100_000
    mean = OutlierRemovingMean(_loose(20), runs, np.random.default_rng(4))
    drawn = mean.answer(data.positions, data.weights).values[:, 0]
    for cut in np.quantile(values[:, 0], np.linspace(0.05, 0.95, 12)) + 1e-7:
        assert _agrees((drawn <= cut).sum(), runs, min(1.0, float(mass[values[:, 0] <= cut].sum())))


def test_rows_and_clusters_have_one_law():
    # two-sample comparison of means and variances: 5 standard errors is below 1e-6
    data = clusters.as_clusters([[0.0], [1.9], [3.8]], [9, 3, 8])
    rows = np.repeat(data.positions, data.weights.astype(int), axis=0)
    rng, runs = np.random.default_rng(5), 50_000
    a = kept_mean(look(data.positions, 1.0, data.weights), runs, rng)[:, 0]
    b = kept_mean(look(rows, 1.0), runs, rng)[:, 0]
    assert abs(a.mean() - b.mean()) < 5.0 * math.hypot(a.std(), b.std()) / math.sqrt(runs)
    assert a.var() == pytest.approx(b.var(), rel=0.06)


def test_an_empty_selection_gives_zero():
    plan = _loose(4)
    mean = OutlierRemovingMean(plan, 10, np.random.default_rng(6))
    answer = mean.answer(np.array([[0.0], [10.0], [20.0], [30.0]]) + 5.0)
    assert np.abs(answer.values).max() < 1e-9


def test_noise_is_gaussian_with_the_stated_scale():
    # Kolmogorov–Smirnov at 1e-6 on the noise of each of two coordinates
    plan = Plan(n=5, queries=2, tau=1.0, budget=1.0, threshold=-1e9, noise=0.7)
    mean = OutlierRemovingMean(plan, 20_000, np.random.default_rng(7))
    x = np.full((5, 2), 3.0)
    first, second = mean.answer(x).values, mean.answer(x).values
    for values in (first, second):
        for column in values.T:
            assert kstest((column - 3.0) / 0.7, norm.cdf).pvalue > FALSE_ALARM
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 5.0 / math.sqrt(20_000)
    with pytest.raises(ValueError, match="made for 2 queries"):
        mean.answer(x)


def test_halting_follows_the_law_and_is_final():
    # 3 binomial tests at 1e-7; the score of two far clusters of 6 and 4 users is (36 + 16)/10
    plan = Plan(n=10, queries=3, tau=1.0, budget=1.5, threshold=6.0, noise=0.1)
    two, one = np.repeat([[0.0], [9.0]], [6, 4], axis=0), np.zeros((10, 1))
    law = halting_law([10.0, 5.2, 10.0], 6.0, 1.5)
    runs = 100_000
    mean = OutlierRemovingMean(plan, runs, np.random.default_rng(8))
    alive = 1.0
    for x, halt in zip((one, two, one), law[:-1], strict=True):
        answer = mean.answer(x)
        alive -= halt
        assert _agrees(answer.running.sum(), runs, alive)
        assert (answer.values[~answer.running] == 0.0).all()
        assert (answer.values[answer.running] != 0.0).all()


def test_a_fresh_threshold_a_query_halts_more_often():
    # With one threshold noise a passing run has a low line; P(⊤⊤) is then above P(⊤)². Binomial at 1e-7.
    plan = Plan(n=2, queries=2, tau=1.0, budget=1.0, threshold=2.0, noise=1.0)
    runs, x = 200_000, np.zeros((2, 1))
    for instance, both in (("one", halting_law([2.0, 2.0], 2.0, 1.0)[-1]), ("fresh", 0.25)):
        mean = OutlierRemovingMean(plan, runs, np.random.default_rng(9), instance=instance)
        mean.answer(x)
        assert _agrees(mean.answer(x).running.sum(), runs, float(both))


def test_mean_refuses_bad_input():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="instance must be one of"):
        OutlierRemovingMean(_loose(3), 1, rng, instance="two")
    with pytest.raises(ValueError, match="must hold 3 users"):
        OutlierRemovingMean(_loose(3), 1, rng).answer(np.zeros((4, 1)))
    with pytest.raises(ValueError, match="values must be finite"):
        OutlierRemovingMean(_loose(3), 1, rng).answer(np.full((3, 1), math.inf))
    with pytest.raises(ValueError, match="n must be at least"):
        corrected_plan(100, 1, 1.0, 1e-6, 1.0)


def test_flips_is_the_poisson_quantile():
    for zeta in (0.9, 0.3, 1e-3, 1e-9):
        k = flips(zeta)
        assert poisson.sf(k, 6.0) <= zeta
        assert k == 6 or poisson.sf(k - 1, 6.0) > zeta


def test_corrected_users_leave_room_for_the_noise():
    n = corrected_users(100, 0.5, 1e-6)
    zeta = 1e-6 / (4 * (1 + math.exp(0.5)))
    alpha = accuracy(100, zeta, 0.5 / 4)
    assert 4 * n / 5 - alpha >= 2 * n / 3 + 2 > 4 * (n - 1) / 5 - alpha - 0.2


def test_displacement_bound_holds_for_every_coupled_selection():
    # All selections of two neighbouring datasets of 12 users on few places with both scores ≥ 2n/3 = 8:
    # the bound per flip, 9τ/n per user kept in one only, against the largest ‖g − g′‖.
    tau, n = 1.0, 12
    per_flip = displacement_bound(n, tau, 0.5) / (flips(0.5) + 2)
    assert per_flip == pytest.approx(9.0 * tau / n)
    rng = np.random.default_rng(10)
    checked = 0
    for _ in range(3000):
        x = rng.choice([0.0, 1.0, 2.0, -2.0, 3.0, 1.5], p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05], size=(n, 1))
        y = x.copy()
        y[0] = rng.choice([-3.0, -2.0, 2.0, 3.0, 9.0])
        if min(concentration_score(x, tau), concentration_score(y, tau)) < 2 * n / 3:
            continue
        p, q = (selection_probabilities(neighbour_counts(v, 2 * tau), n) for v in (x, y))
        u = rng.random((40, n))
        for draw in u:
            s, t = draw < p, draw < q
            s_only = int((s != t)[1:].sum()) + int(s[0]) + int(t[0])
            moved = abs(float(x[s].mean() - y[t].mean()))
            assert moved <= per_flip * s_only + 1e-12
            checked += 1
    assert checked > 1000


def test_transcript_pair_counts_the_answers_that_are_shown():
    plan = printed_plan(20, 3, 1.0, 0.1, 1.0)
    here = clusters.as_clusters([[0.0], [2.0]], [19, 1])
    there = clusters.as_clusters([[0.0], [-2.0]], [19, 1])
    pair = clusters.transcript_pair([here] * 3, [there] * 3, plan)
    step = 4.0 / 20 / plan.noise
    assert pair.mu == pytest.approx([0.0, step, step * math.sqrt(2), step * math.sqrt(3)])
    assert pair.halting == pytest.approx(pair.halting_of_neighbour, rel=1e-12)
    with pytest.raises(ValueError, match="need 3 queries"):
        clusters.transcript_pair([here], [there], plan)


def test_fixed_mean_refuses_chance():
    with pytest.raises(ValueError, match="for sure"):
        clusters.fixed_mean(clusters.as_clusters([[0.0], [9.0]], [11, 9]), 1.0)


def test_ring_sees_the_share_it_was_asked_for():
    x = clusters.ring(101, 1.0, 0.6)
    assert neighbour_counts(x, 2.0).tolist() == [61.0] * 100
    assert np.linalg.norm(x, axis=1).max() < 2.0
