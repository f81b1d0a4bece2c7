"""Sums of terms and the choice between two forms, against exact laws and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import curve_fit

from audits.rates.forms import compare_forms, fit_form, parsed

SIZES = np.geomspace(100.0, 6400.0, 7)
LONG = np.geomspace(1e2, 1e6, 12)


def grid(rng, spread):
    n, m, d = (a.ravel() for a in np.meshgrid([1e2, 1e3, 1e4], [1.0, 16.0, 256.0], [1.0, 10.0, 100.0]))
    law = 3.0 / n + 0.5 * np.sqrt(d) / (n * np.sqrt(m))
    return {"n": n, "m": m, "d": d, "risk": law * np.exp(spread * rng.normal(size=27))}


def test_coefficients_are_covered_and_a_term_of_no_use_is_not_needed():
    rng, missed, needed, tables = np.random.default_rng(0), 0, 0, 100
    for _ in range(tables):
        fit = fit_form(grid(rng, 0.05), "risk", "a/n + b*sqrt(d)/(n*sqrt(m)) + c/sqrt(n)")
        low, high = fit.coefficients["b"].interval(0.025)
        missed += not low <= 0.5 <= high
        needed += fit.coefficients["c"].interval(0.025)[0] > 0.0
    # Fewer than the binomial's upper 10⁻⁶ quantile at the nominal level.
    assert missed <= stats.binom.isf(1e-6, tables, 0.05)
    assert needed <= stats.binom.isf(1e-6, tables, 0.025)


def test_the_fit_of_two_terms_is_relative_least_squares_of_scipy():
    risk = (2.0 / SIZES + 1e-3) * np.exp(0.05 * np.random.default_rng(1).normal(size=7))
    fit = fit_form({"n": SIZES, "risk": risk}, "risk", "a/n + b")
    law = np.array([c.estimate for c in fit.coefficients.values()]) @ np.stack([1.0 / SIZES, np.ones(7)])
    (a, b), _ = curve_fit(lambda n, a, b: a / n + b, SIZES, risk, (2.0, 1e-3), sigma=law)
    assert [c.estimate for c in fit.coefficients.values()] == pytest.approx([a, b], rel=1e-5)
    place = fit.coefficients["a"].estimate / fit.coefficients["b"].estimate
    assert fit.crossings == (f"the term of a is larger up to n = {place:.4g}, that of b beyond",)


def test_what_is_missing_shows_as_a_power_that_is_left():
    exact = {"n": LONG, "risk": LONG**-0.8}
    assert fit_form(exact, "risk", "a/n").trends["n"].estimate == pytest.approx(0.2, abs=0.02)
    assert abs(fit_form(exact, "risk", "n**-0.8").trends["n"].estimate) < 1e-9


def test_trials_that_share_a_slope_widen_the_coefficients():
    rng = np.random.default_rng(2)
    along = np.log(SIZES) - np.log(SIZES).mean()
    risk = (1.0 + 0.1 * rng.normal(size=(20, 1)) * along + 0.01 * rng.normal(size=(20, 7))) / SIZES
    table = {"n": np.tile(SIZES, 20), "risk": risk.ravel(), "seed": np.repeat(np.arange(20), 7)}
    named, apart = (fit_form(table, "risk", "a/n", trial=t).trends["n"] for t in ("seed", False))
    assert named.standard_error > 3.0 * apart.standard_error


@pytest.mark.parametrize(("spread", "told"), [(0.01, 25), (0.05, 0)])
@pytest.mark.parametrize("right", [0, 1])
def test_a_logarithm_is_told_from_a_power_or_left_open_and_never_mistaken(right, spread, told):
    forms = ("log(n)/n", "n**-0.86")
    law = [np.log(SIZES) / SIZES, SIZES**-0.86][right]
    rng, tables = np.random.default_rng(3), 40
    found = [
        compare_forms({"n": SIZES, "risk": law * np.exp(spread * rng.normal(size=7))}, "risk", *forms)
        for _ in range(tables)
    ]
    chosen = [choice.better for choice in found]
    assert chosen.count(forms[1 - right]) <= stats.binom.isf(1e-6, tables, 0.05)
    assert chosen.count(forms[right]) >= told
    assert all("would" in choice.advice for choice in found if choice.better is None)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("a/", "must be a formula"), ("a + b", "must name columns"), ("a*b/n", "must be finite and > 0"),
        ("a/n + 1", "must be a sum of terms"), ("n**a", "must be a sum of terms"),
        ("a*__import__('os')/n", "is no column"), ("a*open(n)", "is no column"),
        ("log('n')/n", "is no column, coefficient"), ("a*(n - 100)", "finite and > 0 in every cell"),
        ("a*n.real", "is no column"), ("a*log(n - 200)", "finite and > 0"), ("a/n - b/n", "the term of 'b'"),
    ],
)  # fmt: skip
def test_what_is_no_form_is_named(form, says):
    with pytest.raises(ValueError, match=says):
        fit_form({"n": SIZES, "risk": 1.0 / SIZES}, "risk", form)


def test_a_form_without_coefficients_has_one():
    form = parsed("log(n)/n + 1/n^2", ["n"])
    assert form.terms({"n": SIZES}) == pytest.approx((np.log(SIZES) / SIZES + SIZES**-2.0)[:, None])
    with pytest.raises(ValueError, match="are the same in all cells"):
        compare_forms({"n": SIZES, "risk": 1.0 / SIZES}, "risk", "1/n", "n**-1")
