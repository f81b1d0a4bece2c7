"""The quadratures behind the claims of lee2024, against closed forms and samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from claims.lee2024 import _line, _oracle, _scores
from implementations.lee2024 import coalitions, fingerprinting
from implementations.privacy import gaussian_delta


@pytest.mark.parametrize("d", [1, 2, 7, 300])
def test_gaussian_moments(d: int) -> None:
    # f = 0·…: a hinge that is flat where the mass is leaves N(0, I/μ)
    f = _oracle.hinge(1.0, -60.0)
    at = _oracle.nodes(f, d=d, mu=2.0)
    assert _oracle.mean(f, at, lambda x, r: x**2) == pytest.approx(0.5, rel=1e-10)
    assert _oracle.mean(f, at, lambda x, r: r**2) == pytest.approx((d - 1) / 2.0, rel=1e-9, abs=1e-12)


def test_linear_function_shifts_the_gaussian() -> None:
    f = _oracle.hinge(3.0, 50.0)  # linear with slope −3 wherever there is mass
    at = _oracle.nodes(f, d=4, mu=1.0)
    assert _oracle.mean(f, at, lambda x, r: x) == pytest.approx(3.0, rel=1e-10)
    assert _oracle.moments(f, at)[1] == pytest.approx(9.0, rel=1e-9)


def test_wedge_against_importance_sampling() -> None:
    rng = np.random.default_rng(0)
    f = _oracle.wedge(1.5, 1.0)
    x = rng.standard_normal((400_000, 5))
    value = np.maximum(0.0, np.linalg.norm(x[:, 1:], axis=1) - 1.5 * x[:, 0])
    weight = np.exp(-value)
    mean = (weight * value).sum() / weight.sum()
    # self-normalised: standard error about 2e-3, five of them
    assert _oracle.moments(f, _oracle.nodes(f, d=5, mu=1.0))[0] == pytest.approx(mean, abs=0.01)


def test_half_lines_give_the_gaussian_curve() -> None:
    for epsilon in (0.1, 1.0):
        found = _line.half_line_delta(
            lambda x: -0.5 * x**2, lambda x: -0.5 * (x - 0.7) ** 2, epsilon, -12.0, 12.0, cells=20_000
        )
        assert found == pytest.approx(gaussian_delta(epsilon, 0.7), abs=1e-6)


def test_innocent_tail_against_real_scores() -> None:
    rng = np.random.default_rng(1)
    n, security = 3, 0.9
    d = _scores.length(n, security)
    rule = coalitions.rules(n - 1)["all ones"]
    drawn = np.empty(1000)
    for i in range(drawn.size):
        code = fingerprinting.generate(n, security, rng)
        pirate = coalitions.by_count(code.words[: n - 1], rule, rng)
        drawn[i] = fingerprinting.scores(code, pirate)[n - 1]
    for z in (0.7, 1.5, 2.2):
        cut = z * math.sqrt(d)
        tail, error = _scores.innocent_tail(_scores.column(n), rule, d, cut)
        assert error < 1e-6
        hits = int((drawn > cut).sum())
        # both tails at 1e-7
        assert stats.binom.cdf(hits, drawn.size, tail) > 1e-7
        assert stats.binom.sf(hits - 1, drawn.size, tail) > 1e-7
        assert tail <= _scores.soundness_bound(_scores.column(n), d, cut)


@pytest.mark.parametrize("name", ["majority", "all ones", "spread"])
def test_distribution_of_an_innocent_score_against_its_tail(name: str) -> None:
    # Two inversions of one generating function: on the imaginary axis, and along the saddle point.
    n, security = 4, 0.1
    law, rule, d = _scores.column(n), coalitions.rules(3)[name], _scores.length(n, security)
    distribution = _scores.score_distribution(law, rule, d, member=False)
    for deviations in (1.0, 2.0, 3.0):
        z = deviations * math.sqrt(d * _scores.share_of_ones(law, rule))
        tail, _ = _scores.innocent_tail(law, rule, d, z)
        assert 1.0 - float(distribution(np.array(z))) == pytest.approx(tail, abs=1e-8)


def test_distribution_of_a_member_has_the_mean_of_the_coalition() -> None:
    # E S = ∫ (1 − F(x)) dx − ∫ F(−x) dx, over x > 0; the coalition's total is that of three members.
    law, rule, d = _scores.column(4), coalitions.rules(3)["minority"], 6000
    mean = d * _scores.coalition_mean(law, rule) / 3.0
    x = mean + np.linspace(-10.0, 10.0, 4001) * math.sqrt(d)
    below = _scores.score_distribution(law, rule, d, member=True)(x)
    found = x[-1] - float(integrate.trapezoid(below, x))
    assert found == pytest.approx(mean, abs=1e-4 * math.sqrt(d))


def test_cheapest_rule_has_the_smallest_total_of_all_rules() -> None:
    law = _scores.column(5)
    least = _scores.coalition_mean(law, _scores.cheapest_rule(law, 4))
    for bits in range(8):
        rule = np.array([0.0, bits & 1, bits >> 1 & 1, bits >> 2 & 1, 1.0])
        assert least <= _scores.coalition_mean(law, rule) + 1e-12
    assert any(least == pytest.approx(_scores.coalition_mean(law, r)) for r in coalitions.rules(4).values())


def test_completeness_bound_is_a_bound() -> None:
    rng = np.random.default_rng(2)
    n, security = 3, 0.9
    d = _scores.length(n, security)
    z = 0.7 * d / n * 0.45
    bound = _scores.completeness_bound(_scores.column(n), n, d, z)
    silent = 0
    for _ in range(200):
        code = fingerprinting.generate(n, security, rng)
        pirate = coalitions.by_count(code.words, coalitions.rules(n)["minority"], rng)
        silent += not (fingerprinting.scores(code, pirate) > z).any()
    # P(Bin(200, bound) ≥ silent) must not be tiny
    assert stats.binom.sf(silent - 1, 200, min(bound, 1.0)) > 1e-6
