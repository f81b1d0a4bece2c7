"""Theorem B.1: the last line of the proof, and a judge that can refute."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from audits.evidence import Verdict, combine
from claims import Budget
from claims.song2021 import theorem_b_1 as claim


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.72, 0.74, 1.0])
def test_the_last_line_in_floating_point(alpha):
    epsilon, d = 0.1, 1000.0
    n = d / (10 * np.expm1(epsilon) * alpha)
    delta = np.expm1(epsilon) / 1000
    left = alpha * (0.9 - 4 * n * np.expm1(epsilon) * alpha / d) / 4.1
    exact = Fraction(alpha).limit_denominator(100)
    for factor, reading in ((1.0, "without-alpha"), (alpha, "corrected"), (alpha, "with-alpha")):
        expected = float(claim.last_line(exact, reading)) * alpha
        assert left - 160 * alpha * factor * delta * n / d == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert (claim.last_line(exact, "without-alpha") < Fraction(1, 10)) == (alpha < 0.729)


def made_up(means, epsilon):
    rng = np.random.default_rng(1)
    parts = [
        pd.DataFrame(
            {"estimator": name, "private": private, "excess": mean + 0.01 * rng.standard_normal(100)}
        )
        for name, private, mean in means
    ]
    fixed = {"d": 8, "epsilon": epsilon, "presence": 1.0, "load": 1.0, "n": 39, "bound": 0.106}
    return pd.concat(parts, ignore_index=True).assign(**fixed)


@pytest.mark.parametrize(("mean", "expected"), [(0.3, Verdict.CONSISTENT), (0.05, Verdict.REFUTED)])
def test_the_judge_goes_by_the_best_private_estimator(mean, expected):
    rows = made_up((("a", 1, mean), ("b", 1, 0.45), ("open", 0, 0.01)), 0.02)
    evidence = list(claim.judge(rows, Budget(1e-5)))
    assert combine(evidence) is expected
    assert evidence[0].point["estimator"] == "a"
    assert sum(e.alpha_spent for e in evidence) <= 1e-5


def test_points_where_the_bound_says_nothing_do_not_pass_alone():
    rows = made_up((("a", 1, 0.45), ("open", 0, 0.45)), 1.0)
    assert combine(claim.judge(rows, Budget(1e-5))) is Verdict.INCONCLUSIVE
