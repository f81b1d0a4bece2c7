"""Theorem 3.1: the number of steps, the bound, and a judge that can refute."""

import math

import numpy as np
import pandas as pd
import pytest

from audits.evidence import Verdict, combine
from claims.song2021 import theorem_3_1 as claim
from implementations.privacy import mu_star


@pytest.mark.parametrize(
    ("n", "epsilon", "up", "down"), [(10, 0.5, 25, 25), (3, 0.5, 3, 2), (1, 0.1, 1, 1), (10, 0.3, 9, 9)]
)
def test_the_number_of_steps(n, epsilon, up, down):
    assert claim.steps_of(n, epsilon, "up") == up
    assert claim.steps_of(n, epsilon, "down") == down


def test_the_bound_is_the_printed_one_and_the_corrected_one_follows_from_the_proof():
    point = {"n": 40, "epsilon": 0.5, "delta": 1e-4, "rank": 3}
    assert claim.bound_of(point, "printed") == pytest.approx(math.sqrt(1 + 6 * math.log(1e4)) / 20)
    sigma = 2 * math.sqrt(400) / (40 * mu_star(0.5, 1e-4))
    assert claim.bound_of(point, "calibrated") == pytest.approx(math.sqrt((1 + 3 * sigma**2) / 400))
    assert claim.bound_of(point, "calibrated") <= math.sqrt(1 + 24 * math.log(1e4)) / 20


def made_up(ratio, trials=200):
    """Rows of one grid point whose hard loss has `ratio` times the bound on average."""
    rng = np.random.default_rng(3)
    rows = []
    for loss, mean in (("pinball(0.2)", ratio), ("absolute", 0.4 * ratio)):
        values = 0.1 * mean * (1 + 0.1 * rng.standard_normal(trials))
        rows.append(pd.DataFrame({"loss": loss, "trial": range(trials), "printed": values, "proof": values}))
    fixed = {"n": 32, "epsilon": 1.0, "delta": 1e-3, "rank": 1, "rounding": "up", "p": 0, "bound": 0.1}
    return pd.concat(rows, ignore_index=True).assign(**fixed)


@pytest.mark.parametrize(("ratio", "expected"), [(0.9, Verdict.CONSISTENT), (1.2, Verdict.REFUTED)])
def test_the_judge_goes_by_the_worst_loss(ratio, expected):
    evidence = claim.bound_evidence(made_up(ratio), 1e-5)
    assert combine(evidence) is expected
    assert all(e.point["loss"] == "pinball(0.2)" for e in evidence)
    assert sum(e.alpha_spent for e in evidence) <= 1e-5 * (1 + 1e-9)
