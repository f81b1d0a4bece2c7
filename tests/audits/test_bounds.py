"""Printed bounds against means: false alarms, power at the resolution, exactness, bad input.

Rates over N independent repetitions are held against their nominal value with slack z·√(p(1 − p)/N), z = 5:
a false alarm of such an assertion has probability < 3e-7.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.bounds import check_bound, check_mean, clopper_pearson
from audits.evidence import Side, Verdict
from audits.judge import mean_at_most


def most(p, n):
    return p + 5.0 * math.sqrt(p * (1.0 - p) / n)


def verdicts(draw, n, **options):
    return [check_bound(draw(), quantity="risk", **options) for _ in range(n)]


def share(evidence, verdict=Verdict.REFUTED):
    return sum(e.verdict is verdict for e in evidence) / len(evidence)


LAWS = {
    "normal": lambda rng, n: rng.normal(1.0, 0.3, n),
    "exponential": lambda rng, n: rng.exponential(1.0, n),
    "mirrored exponential": lambda rng, n: 2.0 - rng.exponential(1.0, n),
    "chi-square of 1": lambda rng, n: rng.chisquare(1.0, n),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("side", [Side.UPPER, Side.LOWER])
def test_student_false_alarms(law, side):
    # The mean is exactly on the bound, the least favourable true case.
    rng = np.random.default_rng(1)
    found = verdicts(lambda: LAWS[law](rng, 150), 1000, claimed=1.0, side=side, alpha=0.01)
    assert share(found) <= most(0.01, 1000)


@pytest.mark.slow
def test_student_false_alarms_far_in_the_tail():
    # Without the shift for skewness this test raises six times as many as it may.
    rng = np.random.default_rng(2)
    values = rng.exponential(1.0, (40_000, 100))
    found = [check_bound(v, 1.0, side=Side.LOWER, alpha=1e-3, quantity="risk") for v in values]
    assert share(found) <= most(1e-3, 40_000)


@pytest.mark.parametrize("method", ["betting", "clopper-pearson"])
@pytest.mark.parametrize("p", [0.02, 0.9])
@pytest.mark.parametrize("side", list(Side))
def test_exact_methods_never_exceed_their_level(method, p, side):
    rng = np.random.default_rng(3)
    support = (0.0, 1.0) if method == "betting" else None
    n = 150
    found = verdicts(
        lambda: (rng.random(120) < p).astype(float),
        n, claimed=p, side=side, alpha=0.1, method=method, support=support,
    )  # fmt: skip
    assert share(found) <= most(0.1, n)


@pytest.mark.parametrize(
    "method", ["student-t", "clopper-pearson", pytest.param("betting", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("side", list(Side))
def test_power_at_the_resolution(method, side):
    # A mean at claimed ± resolution must be refuted in 0.9 of the runs. The betting resolution is an
    # approximation from the realised width: 0.8 is asked of it.
    rng = np.random.default_rng(4)
    support = (0.0, 1.0) if method == "betting" else None
    options = {"side": side, "alpha": 0.01, "method": method, "support": support, "quantity": "risk"}
    claimed, n = 0.3, 500
    typical = check_bound((rng.random(n) < claimed).astype(float), claimed, **options)
    assert typical.verdict is Verdict.CONSISTENT
    sign = -1.0 if side is Side.LOWER else 1.0
    p = claimed + sign * typical.resolution
    found = [check_bound((rng.random(n) < p).astype(float), claimed, **options) for _ in range(200)]
    assert share(found) >= (0.8 if method == "betting" else 0.9) - 5.0 * math.sqrt(0.09 / 200)
    # and half of it must not be caught as often: the resolution is not padded
    p = claimed + sign * typical.resolution / 2.0
    found = [check_bound((rng.random(n) < p).astype(float), claimed, **options) for _ in range(200)]
    assert share(found) <= 0.6


@pytest.mark.parametrize(
    ("side", "claimed", "verdict"),
    [
        (Side.UPPER, 0.9, Verdict.REFUTED),
        (Side.UPPER, 1.1, Verdict.CONSISTENT),
        (Side.LOWER, 0.9, Verdict.CONSISTENT),
        (Side.LOWER, 1.1, Verdict.REFUTED),
        (Side.TIGHT, 0.9, Verdict.REFUTED),
        (Side.TIGHT, 1.1, Verdict.REFUTED),
        (Side.TIGHT, 1.0, Verdict.CONSISTENT),
    ],
)
def test_sides(side, claimed, verdict):
    values = 1.0 + 0.01 * np.random.default_rng(5).normal(size=200)
    found = check_bound(values, claimed, side=side, alpha=1e-3, quantity="risk", point={"n": 10})
    assert found.verdict is verdict
    assert found.samples == 200
    assert found.claimed == claimed
    assert found.point == {"n": 10}
    assert found.alpha_spent == 1e-3
    assert found.confidence == pytest.approx(0.999 if side is Side.TIGHT else 0.998)
    # the same from mean and standard error: no skewness there, so the interval is no wider
    error = float(values.std(ddof=1)) / math.sqrt(200)
    short = check_mean(float(values.mean()), error, 200, claimed, side=side, alpha=1e-3, quantity="risk")
    assert short.verdict is verdict
    assert short.high - short.low <= found.high - found.low + 1e-15


@given(st.integers(1, 300), st.floats(0.0, 1.0), st.floats(1e-9, 0.4))
@settings(max_examples=100)
def test_clopper_pearson_inverts_the_binomial(n, fraction, alpha):
    from scipy.stats import binom

    k = round(fraction * n)
    low, high = clopper_pearson(k, n, alpha)
    assert 0.0 <= low <= k / n <= high <= 1.0
    if k > 0:
        assert binom.sf(k - 1, n, low) == pytest.approx(alpha, rel=1e-6)
    if k < n:
        assert binom.cdf(k, n, high) == pytest.approx(alpha, rel=1e-5)


def betting_limits(values, support):
    options = {"method": "betting", "support": support, "quantity": "share"}
    found = check_bound(values, 0.0, side=Side.TIGHT, alpha=0.01, **options)
    return found.low, found.high


def test_betting_is_sharper_than_hoeffding_for_small_spread():
    values = np.clip(np.random.default_rng(6).normal(0.2, 0.02, 1000), 0.0, 1.0)
    low, high = betting_limits(values, (0.0, 1.0))
    assert low <= values.mean() <= high
    assert high - low < 0.5 * 2.0 * math.sqrt(math.log(2.0 / 0.01) / 2000.0)
    shifted = betting_limits(3.0 + 2.0 * values, (3.0, 5.0))
    assert shifted == pytest.approx((3.0 + 2.0 * low, 3.0 + 2.0 * high))


def test_what_cannot_be_refuted_is_inconclusive():
    rng = np.random.default_rng(7)
    constant = check_bound(np.full(50, 0.3), 0.2, alpha=0.01, quantity="risk")
    assert constant.verdict is Verdict.INCONCLUSIVE  # a sample without spread says nothing of the tails
    few = check_bound([0.0, 1.0], 0.5, alpha=1e-3, quantity="risk", method="clopper-pearson")
    assert few.verdict is Verdict.INCONCLUSIVE
    wide = mean_at_most("risk", rng.normal(0, 1, 50), 0.0, alpha=0.01, largest_resolution=0.1)
    assert wide.verdict is Verdict.INCONCLUSIVE
    assert "resolution" in wide.note
    wide = mean_at_most("risk", rng.normal(9, 1, 50), 0.0, alpha=0.01, largest_resolution=0.1)
    assert wide.verdict is Verdict.REFUTED  # a refutation needs no resolution
