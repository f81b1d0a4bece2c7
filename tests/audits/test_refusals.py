"""What is judged refuses input outside its domain with a ValueError that says what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audits import accounting as acc
from audits import judge, laws
from audits.bounds import check_bound, check_mean, clopper_pearson
from audits.divergence import hockey_stick
from audits.evidence import Evidence, Verdict
from audits.judge import mean_at_most
from audits.laws import Finite, Gaussian, Laplace, Mixture

GOOD = {"quantity": "ε", "estimate": 1.0, "low": 0.5, "high": 2.0, "confidence": 0.99, "method": "sequential"}
OPEN = {"open": [0.1, 0.2]}
NORMAL = stats.norm()
LAW = NORMAL.cdf
ATOMS = acc.Atoms(np.array([0.6, 0.4]), np.array([0.4, 0.6]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"estimate": math.nan}, "needs numbers"),
        ({"low": math.nan}, "needs numbers"),
        ({"low": 1.5}, "interval must hold the estimate"),
        ({"high": 0.9}, "interval must hold the estimate"),
        ({"confidence": 0.0}, "confidence must be in"),
        ({"confidence": 1.1}, "confidence must be in"),
        ({"verdict": Verdict.CONFIRMED}, "CONFIRMED needs an exact computation"),
        (
            {"verdict": Verdict.CONFIRMED, "confidence": 1.0, "samples": 5},
            "CONFIRMED needs an exact computation",
        ),
        ({"verdict": Verdict.CONSISTENT}, "CONSISTENT needs a resolution"),
    ],
)
def test_evidence(change, words):
    with pytest.raises(ValueError, match=words):
        Evidence(**{**GOOD, **change})


@pytest.mark.parametrize(
    ("values", "change", "words"),
    [
        ([1.0, math.nan], {}, "values must be finite"),
        ([1.0, -math.inf], {}, "values must be finite"),
        (["a", "b"], {}, "values must be numbers"),
        ([1.0], {}, "at least 2 trials, got 1"),
        ([1.0, 2.0], {"claimed": math.nan}, "claimed must be finite"),
        ([1.0, 2.0], {"alpha": 0.0}, "alpha must be in"),
        ([1.0, 2.0], {"method": "t"}, "method must be one of"),
        ([1.0, 2.0], {"support": (0, 1)}, "support is for"),
        ([1.0, 2.0], {"method": "betting"}, "support must be given"),
        ([1.0, 2.0], {"method": "betting", "support": (0, 1)}, "values must lie in the support"),
        ([1.0, 2.0], {"method": "betting", "support": (1, 1)}, "low < high"),
        ([1.0, 2.0], {"method": "clopper-pearson"}, "values must be 0 or 1"),
    ],
)
def test_a_checked_sample(values, change, words):
    with pytest.raises(ValueError, match=words):
        check_bound(values, **{"claimed": 1.0, "alpha": 0.1, "quantity": "x", **change})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean_at_most("x", [1.0, 2.0], 1.0, alpha=0.1, largest_resolution=0.0), "must be > 0"),
        (
            lambda: check_mean(1.0, 0.0, 10, 1.0, alpha=0.1, quantity="x"),
            "standard_error must be one",
        ),
        (lambda: check_mean(1.0, 0.1, 1, 1.0, alpha=0.1, quantity="x"), "trials must be a whole number ≥ 2"),
        (lambda: clopper_pearson(3, 2, 0.1), "hits must be in"),
        (lambda: clopper_pearson(1, 2, 1.0), "alpha must be in"),
        (lambda: judge.at_most("δ", math.nan, 1.0), "'δ' needs numbers, got nan"),
        (lambda: judge.equals("δ", 1.0, math.nan), "'δ' needs numbers"),
        (lambda: judge.at_least("δ", 1.0, 1.0, error=-1.0), "error must be finite and ≥ 0, got -1.0"),
        (lambda: judge.at_most("δ", 1.0, 1.0, error=math.inf), "error must be finite"),
        (lambda: judge.reported("δ", math.nan), "needs numbers"),
        (lambda: judge.mean_at_most("risk", [1.0, math.nan], 1.0, alpha=0.1), "values must be finite"),
        (lambda: judge.mean_at_least("risk", [1.0, 2.0], 1.0, alpha=0.7), "alpha must be in"),
        (lambda: judge.mean_equals("risk", [1.0], 1.0, alpha=0.1), "at least 2 trials"),
        (lambda: judge.sandwich({}, 1.0, OPEN, alpha=0.1), "at least one mechanism"),
        (lambda: judge.sandwich({"a": [1.0, 2.0]}, 0.0, OPEN, alpha=0.1), "claimed must be finite and > 0"),
        (lambda: judge.sandwich({"a": [1.0, 2.0]}, math.nan, OPEN, alpha=0.1), "claimed must be finite"),
        (lambda: judge.sandwich({"a": [1.0, math.nan]}, 1.0, OPEN, alpha=0.1), "values must be finite"),
        (lambda: judge.sandwich({"a": [1.0, 2.0]}, 1.0, {"b": [1.0, math.inf]}, alpha=0.1), "values must be"),
        (lambda: judge.sandwich({"a": [math.inf] * 2}, 1.0, OPEN, alpha=0.1), "values must be finite"),
        (lambda: judge.drawn_from("U", [0.1] * 7, LAW, alpha=0.1), "draws"),
        (lambda: judge.drawn_from("U", [math.nan] * 9, LAW, alpha=0.1), "draws"),
        (lambda: judge.drawn_from("U", [0.1] * 9, LAW, alpha=1.0), "alpha"),
        (lambda: judge.decisive([]), "at least one"),
        (lambda: hockey_stick(Finite([1.0]), Gaussian(0.0, 1.0), 1.0), "both laws must be Finite or neither"),
        (lambda: hockey_stick(Gaussian([0.0, 1.0], 1.0), Gaussian(0.0, 1.0), 1.0), "one length, got 2 and 1"),
        (lambda: hockey_stick(Gaussian([0.0, 1.0], 1.0), Gaussian([0.0, 1.0], 2.0), 1.0), "one sd"),
        (lambda: hockey_stick(Gaussian([0.0, 1.0], 1.0), Laplace(0.0, 1.0), 1.0), "vector means"),
        (lambda: hockey_stick(Gaussian(0.0, 1.0), Gaussian(0.0, 1.0), math.nan), "epsilon must be finite"),
        (lambda: hockey_stick(Gaussian(0.0, 1.0), Gaussian(0.0, 1.0), math.inf), "epsilon must be finite"),
        (lambda: acc.discretise(NORMAL, NORMAL, np.array([1.0, 0.0])), "edges must be a strictly"),
        (lambda: acc.discretise(NORMAL, NORMAL, np.array([np.inf])), "edges must be finite"),
        (lambda: acc.compose_all([(ATOMS, 0)], pessimistic=True), "steps"),
        (lambda: acc.compose_all([(ATOMS, 1)], step=0.0, pessimistic=True), "step"),
        (lambda: laws.distribution_function(np.abs, 1.0, 0.0), "low"),
        (lambda: Gaussian(0.0, 0.0), "sd must be one number > 0, got 0.0"),
        (lambda: Gaussian(math.nan, 1.0), "mean must be finite"),
        (lambda: Gaussian([[0.0]], 1.0), "mean must be a number or a vector"),
        (lambda: Gaussian("x", 1.0), "mean must be numbers, got 'x'"),  # type: ignore[arg-type]
        (lambda: Laplace(0.0, -1.0), "scale must be one number > 0, got -1.0"),
        (lambda: Laplace([0.0], 1.0), "mean must be one number"),  # type: ignore[arg-type]
        (lambda: Finite([0.5, 0.6]), "add up to 1, got 1.1"),
        (lambda: Finite([-0.5, 1.5]), "probabilities must be ≥ 0, got -0.5"),
        (lambda: Finite([]), "non-empty"),
        (lambda: Finite([math.inf, 0.0]), "must be finite"),
        (lambda: Mixture([1.0], []), "one length, got 1 and 0"),
        (lambda: Mixture([0.4, 0.5], [Gaussian(0.0, 1.0)] * 2), "add up to 1"),
        (lambda: Mixture([1.0], [Gaussian([0.0, 1.0], 1.0)]), "scalar Gaussian or Laplace"),
        (lambda: Mixture([1.0], [Finite([1.0])]), "scalar Gaussian or Laplace"),  # type: ignore[list-item],
        (lambda: Gaussian([0.0, 1.0], 1.0).cdf(0.0), "mean must be one number for a distribution function"),
    ],
)
def test_calls(call, words):
    with pytest.raises(ValueError, match=words):
        call()
