"""Theorem 2.6: the closed forms of the claim against simulation, and its certificate against the exact
curve.
"""

import math

import numpy as np
import pytest
from scipy import stats

from audits.evidence import Verdict
from implementations.privacy import gaussian_delta
from claims.harness.claim import Point
from claims.song2021 import theorem_2_6 as claim
from implementations import losses
from implementations.interfaces import Adjacency
from implementations.song2021 import dp_gd


@pytest.mark.parametrize("delta", [0.5, 0.2, 1e-2, 1e-5, 1e-9])
def test_the_certificate_bounds_the_exact_ratio(delta):
    length = math.log(1 / delta)
    for epsilon in np.linspace(0.01, 4 * length, 200):
        exact = gaussian_delta(epsilon, epsilon / math.sqrt(2 * length)) / delta
        assert exact <= claim.certificate(float(epsilon), delta) * (1 + 1e-9)


def test_the_certificate_grows_in_epsilon_and_in_delta():
    epsilons, deltas = np.linspace(0.01, 2.3, 60), np.geomspace(1e-9, 0.5, 60)
    table = np.array([[claim.certificate(float(e), float(d)) for d in deltas] for e in epsilons])
    assert (np.diff(table, axis=0) > 0).all()
    assert (np.diff(table, axis=1) > 0).all()


@pytest.mark.parametrize("delta", [0.5, 1e-2, 1e-6])
def test_the_largest_epsilon_is_where_the_curve_crosses(delta):
    edge = claim.largest_epsilon(delta)
    scale = math.sqrt(2 * math.log(1 / delta))
    assert all(gaussian_delta(e, e / scale) <= delta for e in np.linspace(0.01, edge - 1e-6, 100))
    assert gaussian_delta(edge * 1.001, edge * 1.001 / scale) > delta


@pytest.mark.parametrize("steps", [1, 2, 7, 300])
def test_the_released_share_is_that_of_the_weights(steps):
    weights = 1 - np.arange(steps) / steps
    expected = weights.sum() / np.linalg.norm(weights) / math.sqrt(steps)
    assert claim.released_share(steps) == pytest.approx(expected)


def test_the_average_on_the_huber_pair_has_the_whole_mu():
    # The released average is N(±m, s²) with 2m/s = μ of all steps; Kolmogorov–Smirnov at 1e-6.
    n, steps, epsilon, delta = 50, 5, 1.0, 1e-2
    algorithm = dp_gd.mechanism(
        losses.huber(1.0),
        epsilon=epsilon,
        delta=delta,
        steps=steps,
        learning_rate=n / (n - 1),
        noise="printed",
        adjacency=Adjacency.REPLACE,
    )
    first, _ = claim.worst_pair(n, 1.0, far=100.0)
    released = algorithm(first, 20_000, np.random.default_rng(1))[:, 0]
    mu = epsilon * math.sqrt(2 / math.log(1 / delta))
    mean = 1 / (n - 1)
    assert stats.kstest(released, stats.norm(mean, 2 * mean / mu).cdf).pvalue > 1e-6


def test_the_pair_is_neighbouring():
    first, second = claim.worst_pair(10, 2.0, far=5.0)
    assert (first != second).any(axis=1).sum() == 1


def test_exact_rows_refute_the_printed_noise_and_confirm_the_corrected_one():
    import pandas as pd

    axes = {"epsilon": 0.5, "delta": 1e-4, "steps": 10, "n": 40, "sampled": 0}
    point = Point(axes=axes, trials=0, alpha=1e-5)
    for noise, expected in (("printed", Verdict.REFUTED), ("corrected", Verdict.CONFIRMED)):
        rows = pd.DataFrame([{**axes, **claim.measure_as(noise, point, np.random.default_rng(0))}])
        evidence = claim.judge_column("delta_replace_released", "", Verdict.CONFIRMED, rows, 1e-5)
        assert evidence[0].verdict is expected
        # μ does not depend on n, T or L
        assert rows["mu_replace"][0] == pytest.approx(
            0.5 * math.sqrt((2 if noise == "printed" else 0.5) / math.log(1e4))
        )
