"""Theorem B.1: constants of the proof against SciPy, its last line, and a judge that can refute."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from audits.evidence import Verdict, combine
from claims.song2021 import theorem_b_1 as claim
from implementations.song2021 import hard_instance


@pytest.mark.parametrize("beta", [2, 5])
def test_moments_of_the_prior(beta):
    law = stats.beta(beta, beta)
    steps = claim.proof_steps(Fraction(beta))
    spread = integrate.quad(lambda p: 2 * p * (1 - p) * law.pdf(p), 0, 1)[0]
    assert float(steps["E[2P(1 − P)]"][0]) == pytest.approx(spread, rel=1e-8)
    assert float(steps["Var P"][0]) == pytest.approx(law.var(), rel=1e-12)
    assert all(a == b for a, b in steps.values())


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.72, 0.74, 1.0])
def test_the_last_line_in_floating_point(alpha):
    epsilon, d = 0.1, 1000.0
    n = d / (10 * np.expm1(epsilon) * alpha)
    delta = np.expm1(epsilon) / 1000
    left = alpha * (0.9 - 4 * n * np.expm1(epsilon) * alpha / d) / 4.1
    for factor, conditional in ((1.0, False), (alpha, True)):
        margin = left - 160 * alpha * factor * delta * n / d - alpha / 10
        expected = float(claim.last_line(Fraction(alpha).limit_denominator(100), conditional)) * alpha
        assert margin == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert (claim.last_line(Fraction(alpha).limit_denominator(100), False) < 0) == (alpha < 0.729)


def test_the_bound_of_the_proof_at_the_limit_is_the_theorem():
    epsilon, d, alpha = 0.02, 10_000, 0.3
    n = hard_instance.size_limit(d, epsilon, alpha)
    bound = claim.proof_bound(n, d, epsilon, hard_instance.delta_limit(epsilon), alpha)
    assert 0.1 * alpha <= bound <= 0.107 * alpha


@pytest.mark.parametrize(("mean", "expected"), [(0.3, Verdict.CONSISTENT), (0.05, Verdict.REFUTED)])
def test_the_judge_goes_by_the_best_private_estimator(mean, expected):
    rng = np.random.default_rng(1)
    parts = []
    for name, private, centre in (("a", True, mean), ("b", True, 0.45), ("open", False, 0.01)):
        values = centre + 0.01 * rng.standard_normal(100)
        parts.append(pd.DataFrame({"estimator": name, "private": private, "excess": values}))
    rows = pd.concat(parts, ignore_index=True).assign(
        task="risk", d=8, epsilon=0.02, alpha=1.0, load=1.0, n=39, claimed=0.1, proof=0.106
    )
    evidence = claim.judge(rows, 1e-5)
    assert combine(evidence) is expected
    assert evidence[0].point["estimator"] == "a"
    assert sum(e.alpha_spent for e in evidence) <= 1e-5


def test_points_where_the_bound_says_nothing_do_not_pass_alone():
    parts = [
        pd.DataFrame({"estimator": n, "private": p, "excess": 0.45 + 0.01 * np.arange(20) / 20})
        for n, p in (("a", True), ("open", False))
    ]
    rows = pd.concat(parts, ignore_index=True).assign(
        task="risk", d=8, epsilon=1.0, alpha=1.0, load=1.0, n=1, claimed=0.1, proof=0.1
    )
    assert combine(claim.judge(rows, 1e-5)) is Verdict.INCONCLUSIVE
