"""The concentration score and the outlier-removing mean of asi2024: brute force, laws, plans, clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, poisson

from implementations.asi2024 import clusters
from implementations.asi2024.above_threshold import accuracy, halting_law
from implementations.asi2024.concentration import (
    concentration_score,
    neighbour_counts,
    selection_probabilities,
)
from implementations.asi2024.outlier_removal import (
    OutlierRemovingMean,
    Plan,
    corrected_users,
    flips,
    printed_plan,
)

FALSE_ALARM = 1e-6


def _agrees(hits, trials, p):
    return binomtest(int(hits), trials, p).pvalue > FALSE_ALARM / 10


def test_counts_and_score_by_brute_force():
    rng = np.random.default_rng(2)
    grid = rng.integers(0, 4, size=(5, 7, 2)).astype(float)  # many pairs at distance exactly 1 or √2
    spreads = rng.normal(size=(50, 6, 3)) * np.geomspace(0.05, 2.0, 50)[:, None, None]  # with the short cut
    for x, radius in ((grid, 1.0), (grid, math.sqrt(2.0) + 1e-9), (grid, 2.0), (grid, 0.5), (spreads, 1.0)):
        distances = np.linalg.norm(x[:, :, None] - x[:, None], axis=-1)
        counts = (distances <= radius).sum(axis=-1)
        assert (neighbour_counts(x, radius) == counts).all()
        assert concentration_score(x, radius) == pytest.approx(counts.mean(axis=1), abs=1e-12)


def test_selection_probabilities_at_the_corners():
    # n = 6: below 3 none, at 3 still 0, 4 = 2n/3 is 1
    assert selection_probabilities([2, 3, 4, 6], 6).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert selection_probabilities([15, 16, 18, 20], 30).tolist() == pytest.approx([0.0, 0.2, 0.6, 1.0])


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


def test_ring_sees_the_share_it_was_asked_for():
    x = clusters.ring(101, 1.0, 0.6)
    assert neighbour_counts(x, 2.0).tolist() == [61.0] * 100
    assert np.linalg.norm(x, axis=1).max() < 2.0
