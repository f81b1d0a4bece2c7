"""The exact machinery behind the claims of levy2021 against independent oracles."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import comb

from audits.divergence import hockey_stick
from audits.laws import Laplace, Mixture
from claims import Point
from claims.levy2021 import _shared, limit_fixed_n, theorem_1_utility
from implementations.levy2021.constants import CORRECTED, PAPER, Constants
from implementations.levy2021.private_range import range_law
from implementations.levy2021.winsorized_mean_1d import LaplaceMixture, winsorized_mean_1d_law


def test_count_vectors_and_neighbours():
    counts = _shared.count_vectors(4, 3)
    assert len({tuple(c) for c in counts.tolist()}) == len(counts) == comb(6, 4, exact=True)
    assert (counts.sum(axis=1) == 4).all()
    pairs = set(_shared.neighbours(counts))
    for i, j in itertools.combinations(range(len(counts)), 2):
        adjacent = np.abs(counts[i] - counts[j]).sum() == 2
        assert ((i, j) in pairs) == adjacent


def test_range_divergence_is_that_of_the_enumerated_laws():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.uniform(-8, 8, (2, 6))
        p, q = range_law(x, 1.3, 1.0, 8.0), range_law(y, 1.3, 1.0, 8.0)
        expected = np.abs(p.enumerate()[1] - q.enumerate()[1]).max()
        assert _shared.range_divergence(p, q) == pytest.approx(expected)


def _mixture(law):
    return Mixture(
        tuple(law.weights / law.weights.sum()), tuple(Laplace(float(c), law.scale) for c in law.centres)
    )


@pytest.mark.parametrize("seed", range(5))
def test_mixture_tv_and_divergence_agree_with_the_exact_instrument(seed):
    rng = np.random.default_rng(seed)
    x = np.clip(rng.normal(0, 2, 6), -4, 4)
    y = x.copy()
    y[0] = -x[0]
    p, q = (winsorized_mean_1d_law(data, 1.0, 1.0, 4.0) for data in (x, y))
    target = float(x.mean())
    expected = hockey_stick(_mixture(p), Laplace(target, p.scale), 0.0)
    assert _shared.mixture_tv(p, target) == pytest.approx(expected, abs=1e-10)
    divergence = _shared.mixture_divergence(p, q)
    both = [hockey_stick(_mixture(a), _mixture(b), divergence * (1 + 1e-6)) for a, b in ((p, q), (q, p))]
    assert max(both) <= 1e-12
    both = [hockey_stick(_mixture(a), _mixture(b), divergence * 0.9) for a, b in ((p, q), (q, p))]
    assert max(both) > 0.0


def test_mixture_tv_of_equal_and_distant_laws():
    one = LaplaceMixture(np.array([1.0]), np.array([0.3]), 0.5)
    assert _shared.mixture_tv(one, 0.3) == pytest.approx(0.0, abs=1e-15)
    assert _shared.mixture_tv(one, 1.3) == pytest.approx(1 - math.exp(-1.0))  # distance 2 scales
    with pytest.raises(ValueError, match="scales must agree"):
        _shared.mixture_divergence(one, LaplaceMixture(np.array([1.0]), np.array([0.3]), 0.6))


def test_printed_interval_fails_for_every_bin_width_and_the_corrected_one_for_none():
    # Theorem 1 with |b − a| = 4τ: no width of the bins saves it; reaching 2τ + half a bin always does.
    n, epsilon, bound = 96, 4.0, 8.0
    for width in (0.25, 1.0, 2.0):
        short = Constants(width, 2.0, 0.5, "paper", "paper")
        long = Constants(width, 2.0 + 0.5 * width, 0.5, "paper", "paper")
        beta = 2 * bound / width * math.exp(-n * epsilon / 8)
        edge = width * math.ceil(0.5 / width)  # right end of a bin
        x = np.repeat([edge - 1e-6, edge - 1e-6 + 2.0], [56, 40])
        law = winsorized_mean_1d_law(x, epsilon, 1.0, bound, short)
        assert _shared.mixture_tv(law, float(x.mean())) > 0.05 > 1e3 * beta
        law = winsorized_mean_1d_law(x, epsilon, 1.0, bound, long)
        assert _shared.mixture_tv(law, float(x.mean())) <= beta + 1e-12


def test_worst_dataset_search_beats_a_friendly_one():
    rng = np.random.default_rng(0)
    point = Point(axes={"n": 12, "epsilon": 4.0, "ratio": 4.0, "levels": 2}, rng=rng, alpha=1e-6)
    tv, _ = theorem_1_utility.worst_dataset(point, PAPER)
    friendly = winsorized_mean_1d_law(np.zeros(12), 4.0, 1.0, 4.0, PAPER)
    assert tv > 10 * _shared.mixture_tv(friendly, 0.0)
    assert theorem_1_utility.beside(point, CORRECTED) < 4.0 * math.exp(-12 * 4 / 8)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_linear_program_has_the_closed_form(n):
    decision = np.array([[0.0, 1.0], [1.0, 0.0]])
    for epsilon in (0.2, 1.0):
        value = limit_fixed_n.least_risk(n, epsilon, 0.0, decision)
        assert value == pytest.approx(limit_fixed_n.decision_error(n, epsilon), rel=1e-7)
    # without any privacy (ε = 40) the error vanishes; with ε → 0 it is a coin
    assert limit_fixed_n.least_risk(n, 1e-9, 0.0, decision) == pytest.approx(0.5, abs=1e-6)


def test_approximate_dp_has_no_floor():
    decision = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert limit_fixed_n.least_risk(1, 0.0, 0.3, decision) == pytest.approx(0.35)  # total variation 0.3
    assert limit_fixed_n.least_risk(8, 1.0, 0.05, decision) == pytest.approx(0.0, abs=1e-7)
