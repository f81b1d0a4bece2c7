"""What the claims of asi2024 compute with, against independent oracles."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from claims.asi2024 import (
    _hard_losses,
    _transcripts,
    lemma_2_7,
    lemma_3_4,
    lemma_4_4,
    lemma_4_5,
    lemma_4_6,
    lemma_4_7,
    proposition_4_10,
)
from implementations.asi2024 import clusters
from implementations.asi2024.outlier_removal import printed_plan


def test_the_datasets_are_neighbours_and_nobody_is_removed():
    near, far = _transcripts.near_and_far(101, 0.89)
    assert near.users == far.users == 101
    assert (near.positions[:2] == far.positions[:2]).all()
    assert (near.weights == far.weights).all()
    assert near.weights[2] == 1
    change = clusters.score(near, 1.0) - clusters.score(far, 1.0)
    assert change == pytest.approx(2.0 - 2.0 / 101)
    assert (clusters.kept_probabilities(far, 1.0) == 1.0).all()


def test_half_and_half_differ_in_one_user():
    even, odd = _transcripts.half_and_half(20, 5.0)
    assert even.weights.tolist() == [10.0, 10.0]
    assert odd.weights.tolist() == [11.0, 9.0]
    # the even dataset keeps nobody, the other one each of 11 users with probability 6/20
    plan = printed_plan(20, 1, 1.0, 0.1, 1.0)
    passed = clusters.answer_probability(odd, plan)
    assert _transcripts.jump(20, plan) == pytest.approx(passed * (1.0 - 0.7**11), rel=1e-12)


def test_largest_proxy_bounds_a_finer_search():
    rates = np.geomspace(1e-3, 8.0, 400_001)
    from implementations.asi2024.norm_subgaussian import variance_proxy

    exact = float(variance_proxy(rates).max())
    assert exact <= lemma_2_7.largest_proxy() <= exact * 1.001


def test_quantile_of_one_and_two_heaviest_norms():
    # one: √(2·log(2/δ)); two: the tail of a sum by quadrature, at the quantile within one step of the lattice
    assert lemma_2_7.sum_quantile(1, 0.01) == pytest.approx(math.sqrt(2 * math.log(200)), abs=0.02)
    t = lemma_2_7.sum_quantile(2, 0.01)

    def density(x):
        return abs(x) * math.exp(-0.5 * x * x) * (abs(x) > math.sqrt(2 * math.log(2)))

    def tail(s):
        a = math.sqrt(2 * math.log(2))

        def upper(x):  # P(εN ≥ s − x)
            one_side = 0.5 if abs(s - x) < a else math.exp(-0.5 * (s - x) ** 2)
            return one_side if s > x else 1.0 - one_side

        kinks = sorted({-9.0, -a, a, 9.0, *(min(max(s + k, -9.0), 9.0) for k in (-a, 0.0, a))})
        return 2 * sum(
            quad(lambda x: density(x) * upper(x), u, v, limit=200)[0] for u, v in itertools.pairwise(kinks)
        )

    assert tail(t + 0.03) < 0.01 < tail(t - 0.03)


def test_bernoulli_tail_by_enumeration():
    p = np.array([0.1, 0.7, 0.4])
    for k in range(4):
        expected = sum(
            math.prod(q if bit else 1 - q for q, bit in zip(p, bits, strict=True))
            for bits in itertools.product((0, 1), repeat=3)
            if sum(bits) > k
        )
        assert lemma_3_4.bernoulli_tail(p)[k] == pytest.approx(expected, abs=1e-15)


def test_vertices_of_two_inputs_and_two_outputs():
    # Three vertices at either corner, and where p = e^ε·q + δ meets 1 − q = e^ε(1 − p) + δ: at p = 1 − q.
    found = lemma_4_5.vertices(2, 2, 0.5, 0.1)
    pairs = {(round(float(v[0, 0]), 9), round(float(v[1, 0]), 9)) for v in found}
    cross = round((math.exp(0.5) + 0.1) / (1.0 + math.exp(0.5)), 9)
    corners = {(0.0, 0.0), (0.0, 0.1), (0.1, 0.0), (1.0, 1.0), (0.9, 1.0), (1.0, 0.9)}
    assert pairs == corners | {(cross, round(1.0 - cross, 9)), (round(1.0 - cross, 9), cross)}


def test_generalisation_identity_on_one_item_by_hand():
    # N = 1, P(1) = 1/3: coefficient of Pr[A(D) = θ]·ℓ(θ; z) is P(D)(P(z) − 1[z = D])
    table = lemma_4_7.gap(1, [Fraction(2, 3), Fraction(1, 3)])
    assert table[(1,), 0] == Fraction(1, 3) * Fraction(2, 3)
    assert table[(1,), 1] == Fraction(1, 3) * (Fraction(1, 3) - 1)


def test_quadratic_excess_against_simulation():
    rng = np.random.default_rng(0)
    x, total = np.full(200_000, 2.0), 0.0
    for _ in range(5):
        x = x - 0.3 * (0.5 * x + rng.normal(size=x.size))
        total += float((0.25 * x**2).mean())
    exact = proposition_4_10.quadratic_excess(0.5, 2.0, 1.0, 0.3, 5)
    assert total / 5 == pytest.approx(exact, rel=0.01)  # ten standard errors


def test_closed_forms():
    best = minimize_scalar(lambda x: -x * norm.sf(x), bounds=(0.1, 3.0), method="bounded")
    assert _hard_losses.two_point_bound(9, 4, 2.0) == pytest.approx(3.0 * 2.0 / 2.0 * -best.fun, rel=1e-6)
    # m = 1: a deviation above r > 1 has probability p for 2(1 − p) > r, so the supremum is 1 − r/2
    found, p = lemma_4_4.deviation_probability(1, 1.5)
    assert (found, min(p, 1.0 - p)) == pytest.approx((0.25, 0.25), abs=1e-6)
    # One user, two values: the best table names her value with probability x, x ≤ e^ε(1 − x) + δ.
    cross = (math.exp(0.5) + 0.01) / (1.0 + math.exp(0.5))
    assert lemma_4_6.most_overfitting(1, 2, 0.5, 0.01) == pytest.approx(cross, rel=1e-6)
