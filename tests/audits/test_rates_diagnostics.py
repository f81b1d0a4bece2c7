"""Diagnostics of a power law: curvature, influence, range, clusters; the regression against statsmodels.

A false alarm of an assertion on measured frequencies has probability < 1e-6 (binomial tail, stated there).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audits.evidence import Side, Verdict
from audits.rates import fit_rate
from audits.rates.cells import Observed
from audits.rates.diagnostics import CURVED, PLAIN
from audits.rates.regression import exponent_of, jackknife, regress

SIZES = np.geomspace(100.0, 6400.0, 7)
LONG = np.geomspace(10.0, 1e5, 20)


def only(risk, sizes=SIZES, **options):
    fit = fit_rate({"n": sizes, "risk": risk}, "risk", ["n"], {"n": -1.0}, **options)
    return fit["n"]


# --- The regression ------------------------------------------------------------------------------------


def weighted_case(rng, cells=15):
    design = np.column_stack([np.ones(cells), rng.normal(size=(cells, 2))])
    return design, rng.normal(size=cells), rng.exponential(size=cells) + 0.1


def test_weighted_fit_and_errors_are_those_of_statsmodels():
    import statsmodels.api as sm

    design, y, variance = weighted_case(np.random.default_rng(0))
    y = y * 0.01  # so that no misfit is left beyond the variances, and the weights are 1/v
    fit = regress(design, Observed(y, variance, np.arange(15)))
    assert fit.misfit == 0.0
    oracle = sm.WLS(y, design, weights=1.0 / variance).fit(cov_type="HC3")
    model = sm.WLS(y, design, weights=1.0 / variance).fit()
    assert fit.coefficients == pytest.approx(oracle.params, rel=1e-9)
    assert [exponent_of(fit, j).standard_error for j in range(3)] == pytest.approx(
        np.maximum(oracle.bse, model.bse), rel=1e-9
    )


def test_jackknife_of_clusters_is_the_closed_form_of_cr3():
    # Bell and McCaffrey (2002): scores with (I − H_gg)⁻¹ applied to the residuals of each cluster.
    design, y, weights = weighted_case(np.random.default_rng(2))
    cluster = np.arange(15) // 2
    root = np.sqrt(weights)
    x, z = design * root[:, None], y * root
    bread = np.linalg.inv(x.T @ x)
    residual = z - x @ bread @ x.T @ z
    meat = np.zeros((3, 3))
    for g in range(8):
        rows = cluster == g
        own = np.eye(rows.sum()) - x[rows] @ bread @ x[rows].T
        score = x[rows].T @ np.linalg.solve(own, residual[rows])
        meat += np.outer(score, score)
    assert jackknife(design, y, weights, cluster) == pytest.approx(bread @ meat @ bread, rel=1e-8)


def test_misfit_of_a_mean_is_that_of_dersimonian_and_laird():
    from statsmodels.stats.meta_analysis import combine_effects

    rng = np.random.default_rng(3)
    variance = rng.exponential(size=12) * 0.01 + 0.001
    effect = rng.normal(size=12) * 0.3
    fit = regress(np.ones((12, 1)), Observed(effect, variance, np.arange(12)))
    oracle = combine_effects(effect, variance, method_re="dl")
    assert fit.misfit**2 == pytest.approx(oracle.tau2, rel=1e-9)
    assert fit.coefficients[0] == pytest.approx(oracle.mean_effect_re, rel=1e-9)


# --- Curvature -----------------------------------------------------------------------------------------


def test_a_power_law_is_not_called_curved():
    """Straight lines with scatter: bends are called at most as often as their levels say."""
    rng = np.random.default_rng(4)
    found = [only(np.exp(0.2 * rng.normal(size=7)) / SIZES).diagnosis for _ in range(1000)]
    missed = [not np.prod(d.bend.interval(0.025)) <= 0.0 for d in found]
    for level, count in (
        (0.05, sum(missed)),
        (CURVED, sum(d.curved for d in found)),
        (PLAIN, sum(d.plainly_curved for d in found)),
    ):
        assert stats.binom.sf(count - 1, 1000, level) > 1e-6, level


@pytest.mark.parametrize(("sizes", "constant"), [(SIZES, 0.001), (LONG, 5e-4), (LONG, 2e-3)])
def test_a_rate_with_a_floor_is_plainly_no_power_law(sizes, constant):
    fit = only(1.0 / sizes + constant, sizes)
    assert fit.diagnosis.plainly_curved
    assert fit.verdict is Verdict.INCONCLUSIVE
    assert fit.note.startswith("plainly no power law: the local exponent goes from")
    # 1/n + c has the local exponents −1/(1 + c·n)
    assert fit.diagnosis.ends[0] < -0.9
    assert fit.diagnosis.ends[1] > -0.5


def test_the_bend_of_a_quadratic_is_exact():
    x = np.log(SIZES)
    diagnosis = only(np.exp(-x + 0.05 * (x - x[0]) ** 2)).diagnosis
    span = x[-1] - x[0]
    assert diagnosis.bend.estimate == pytest.approx(0.1 * span)
    assert diagnosis.ends == pytest.approx((-1.0, -1.0 + 0.1 * span))


@pytest.mark.parametrize(
    ("exponent", "bend", "side", "verdict"),
    [
        (-0.1, -0.04, Side.UPPER, Verdict.REFUTED),  # slower than 1/n at both ends
        (-1.4, -0.04, Side.UPPER, Verdict.CONSISTENT),  # faster at both ends
        (-0.8, -0.04, Side.UPPER, Verdict.INCONCLUSIVE),  # slower at first, faster at last
        (-1.4, -0.04, Side.TIGHT, Verdict.REFUTED),
        (-1.0, -0.04, Side.TIGHT, Verdict.INCONCLUSIVE),
    ],
)
def test_a_verdict_on_a_curve_must_hold_at_both_ends(exponent, bend, side, verdict):
    x = np.log(LONG)
    fit = only(np.exp(exponent * x + bend * (x - x[0]) ** 2), LONG, side=side)
    assert fit.diagnosis.plainly_curved
    assert fit.verdict is verdict


def test_the_curved_axis_is_the_one_that_is_named():
    n, d = (a.ravel() for a in np.meshgrid(LONG, [1.0, 2.0, 4.0, 8.0, 16.0]))
    fit = fit_rate({"n": n, "d": d, "risk": d / n + 1e-3 * d}, "risk", ["n", "d"])
    assert fit["n"].diagnosis.plainly_curved
    assert not fit["d"].diagnosis.curved


# --- Influence, range, clusters -------------------------------------------------------------------------


def test_one_influential_cell_is_named():
    risk = 1.0 / SIZES
    risk[-1] *= 4.0
    fit = only(risk)
    pull = fit.diagnosis.pull
    assert pull.cell == {"n": pytest.approx(6400.0)}
    assert pull.without == pytest.approx(-1.0)
    assert "one cell decides, n=6400: -1 without it" in fit.note
    # hat value of an end of seven equal steps 1/7 + 9/28; Cook's distance by its definition
    assert pull.hat == pytest.approx(1 / 7 + 9 / 28)
    x, y = np.log(SIZES), np.log(risk)
    oracle = stats.linregress(x, y)
    residual = y - oracle.intercept - oracle.slope * x
    variance = (residual**2).sum() / 5.0
    assert pull.cook == pytest.approx(residual[-1] ** 2 / (2.0 * variance) * pull.hat / (1.0 - pull.hat) ** 2)


def test_a_cell_with_most_of_the_information_is_named():
    sizes = np.append(np.geomspace(100.0, 130.0, 9), 1e5)
    fit = only(1.0 / sizes, sizes)
    assert fit.diagnosis.heaviest.cell["n"] == pytest.approx(1e5)
    assert "% of the information is in one cell, n=1e+05" in fit.note


def test_a_short_range_and_few_clusters_are_named():
    sizes = np.geomspace(100.0, 100.0 * math.sqrt(10.0), 12)
    assert only(1.0 / sizes, sizes).note == "0.5 decades only"
    assert only(1.0 / SIZES).note == "7 cells only"
    table = {"n": LONG, "risk": 1.0 / LONG, "g": np.arange(20) // 4}
    fit = fit_rate(table, "risk", ["n"], cluster="g")
    assert fit["n"].diagnosis.warnings() == ("5 clusters only",)
    assert only(1.0 / LONG, LONG).note == ""


def test_too_few_cells_for_curvature_have_none():
    diagnosis = only(1.0 / SIZES[:4], SIZES[:4]).diagnosis
    assert diagnosis.bend is None
    assert diagnosis.as_dict()["bend"] is None
    assert not diagnosis.curved


def test_a_risk_without_residuals_has_no_influence():
    assert only(np.ones(7)).diagnosis.pull.cook == 0.0


def test_text_of_a_fit_says_what_is_wrong():
    text = repr(fit_rate({"n": SIZES, "risk": 1.0 / SIZES + 1e-3}, "risk", ["n"], {"n": -1.0}))
    assert "exponent of n: -0.54" in text
    assert "→ INCONCLUSIVE (plainly no power law" in text
