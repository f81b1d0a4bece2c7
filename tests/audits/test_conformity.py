"""The test of a declared law: false alarms at any time, what it sees, what it is blind to, bad input.

A true law is refuted with probability α at most over all looks. The runs here have α = 1e-6/12 a case, and
of 60 runs more have a wealth of 20 than is allowed with probability 1e-6 at most.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audits.conformity import check_law
from audits.laws import Finite, Gaussian, Laplace, Mixture

RNG = np.random.default_rng(5)
NORMAL = RNG.normal(size=10_000)
STANDARD = Gaussian(0.0, 1.0)
THIRDS = Finite({-1.0: 0.25, 0.0: 0.5, 2.0: 0.25})
MIXED = Mixture([0.5, 0.5], [Gaussian(0.0, 1.0), Laplace(3.0, 1.0)])

TRUE = [
    (NORMAL, STANDARD),
    (NORMAL.astype(np.float32), STANDARD),
    (NORMAL, stats.norm()),
    (NORMAL, stats.norm.cdf),
    (1e9 + NORMAL, Gaussian(1e9, 1.0)),  # neighbouring doubles are 1e-7 apart: values recur
    (RNG.geometric(0.3, 5_000), stats.geom(0.3)),
    (RNG.choice([-1.0, 0.0, 2.0], 5_000, p=[0.25, 0.5, 0.25]), THIRDS),
    (np.where(RNG.random(5_000) < 0.5, RNG.normal(size=5_000), RNG.laplace(3.0, size=5_000)), MIXED),
    (RNG.random(5_000, dtype=np.float32), stats.uniform()),
    (RNG.laplace(size=1), Laplace(0.0, 1.0)),
]


@pytest.mark.parametrize("case", TRUE, ids=range(len(TRUE)))
def test_a_true_law_is_not_refuted(case):
    samples, law = case
    result = check_law(samples, law, alpha=1e-6 / len(TRUE))
    assert result.verdict == "not-refuted", result.summary()


def test_looking_at_every_time_costs_nothing():
    rng = np.random.default_rng(0)
    largest = [check_law(rng.normal(size=200), STANDARD, alpha=0.05).e_value for _ in range(60)]
    assert sum(wealth >= 20.0 for wealth in largest) <= stats.binom.isf(1e-6, 60, 0.05)


# Found in 10,000 samples at α = 1e-3, each with a margin of many units of log wealth.
FALSE = {
    "scale 10 % too large": (1.1 * NORMAL, STANDARD),
    "scale 5 % too small": (0.95 * NORMAL, STANDARD),
    "a shift of a tenth": (NORMAL + 0.1, STANDARD),
    "tails of t with 8 degrees of freedom": (RNG.standard_t(8, 10_000) * math.sqrt(6 / 8), STANDARD),
    "Laplace with the variance of a Gaussian": (RNG.laplace(size=10_000) / math.sqrt(2), STANDARD),
    "one sample 9 standard deviations out": (np.append(NORMAL, 9.0), STANDARD),
    "rounded to two decimals": (np.round(NORMAL, 2), STANDARD),
    "rounded to six decimals": (np.round(NORMAL, 6), STANDARD),
    "clamped at 2.5": (np.minimum(NORMAL, 2.5), STANDARD),
    "another geometric law": (RNG.geometric(0.32, 10_000), stats.geom(0.3)),
    "even values only": (2 * RNG.geometric(0.5, 10_000), stats.geom(0.3)),
    "an outcome that the law lacks": (np.array([0.0, 2.0, 1.0]), THIRDS),
    "mixed in another share": (
        np.where(RNG.random(10_000) < 0.45, NORMAL, RNG.laplace(3.0, size=10_000)),
        MIXED,
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_law_is_refuted(name):
    samples, law = FALSE[name]
    result = check_law(samples, law, alpha=1e-3)
    assert result.verdict == "refuted", result.summary()
    assert f"by {result.bet}" in result.summary()


def test_what_a_pass_is_worth_is_what_is_found():
    result = check_law(NORMAL, STANDARD, alpha=1e-3)
    assert result.scale <= 1.1
    assert check_law(result.scale * NORMAL, STANDARD, alpha=1e-3).verdict == "refuted"
    assert check_law(NORMAL + result.shift, STANDARD, alpha=1e-3).verdict == "refuted"
    assert "too few" in check_law([0.01], STANDARD, alpha=1e-3).summary()


def test_it_is_blind_to_dependence_and_to_fine_grids():
    turned = np.concatenate(
        [[x, -x] for x in NORMAL[:5_000]]
    )  # the second of each two follows from the first
    for samples in (turned, np.round(NORMAL, 12)):
        assert check_law(samples, STANDARD, alpha=1e-6).verdict == "not-refuted"


@pytest.mark.parametrize(("call", "words"), [
    (lambda: check_law([], STANDARD), "samples must be a list of one or more"),
    (lambda: check_law([[1.0]], STANDARD), r"got shape \(1, 1\)"),
    (lambda: check_law([math.nan], STANDARD), "samples must be finite"),
    (lambda: check_law([1.0], STANDARD, alpha=1.0), "alpha must be"),
    (lambda: check_law([1.0], "normal"), "law must have a distribution function `cdf`"),
    (lambda: check_law([1.0, 2.0], np.negative), "cdf must rise from 0 to 1"),
    (lambda: check_law([1.0], lambda x: np.nan * x), "cdf must rise from 0 to 1"),
    (lambda: check_law([1.0], Gaussian([0.0, 1.0], 1.0)), "mean must be one number"),
    (lambda: check_law([1.0], Finite({"a": 1.0})), "outcomes of the law"),
])  # fmt: skip
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
