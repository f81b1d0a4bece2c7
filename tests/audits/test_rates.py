"""Exponents: oracles (SciPy, statsmodels), coverage, power, directions, curvature, advice, bad input.

Frequencies over N tables are held against their nominal value by the binomial tail (`most`): a false alarm of
such an assertion has probability below 1e-6.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from audits.evidence import Side, Verdict
from audits.rates import Exponent, compare_exponents, fit_rate
from audits.rates.cells import Observed, cells_of, design_of, going_together, log_risk
from audits.rates.diagnostics import CURVED, PLAIN
from audits.rates.family import against_form
from audits.rates.regression import over_trials, regress, too_close

SIZES, LONG = np.geomspace(100.0, 6400.0, 7), np.geomspace(10.0, 1e5, 20)


def noisy(rng, exponent=-1.0, trials=40, sizes=SIZES):
    n = np.repeat(sizes, trials)
    return {"n": n, "risk": 3.0 * n**exponent * rng.exponential(size=n.size)}


def scattered(rng, exponent=-1.0, sizes=SIZES, spread=0.01):
    return {"n": sizes, "risk": sizes**exponent * np.exp(spread * rng.normal(size=sizes.size))}


def only(risk, sizes=SIZES, **options):
    return fit_rate({"n": sizes, "risk": risk}, "risk", ["n"], {"n": -1.0}, **options)["n"]


def most(p, n):
    return stats.binom.isf(1e-6, n, p) / n


# --- The regression ------------------------------------------------------------------------------------


def weighted_case(rng, cells=15):
    design = np.column_stack([np.ones(cells), rng.normal(size=(cells, 2))])
    return design, rng.normal(size=cells), rng.exponential(size=cells) + 0.1


def test_misfit_of_a_mean_is_that_of_dersimonian_and_laird():
    from statsmodels.stats.meta_analysis import combine_effects

    rng = np.random.default_rng(3)
    variance, effect = rng.exponential(size=12) * 0.01 + 0.001, rng.normal(size=12) * 0.3
    fit = regress(np.ones((12, 1)), Observed(effect, variance))
    oracle = combine_effects(effect, variance, method_re="dl")
    assert fit.misfit**2 == pytest.approx(oracle.tau2, rel=1e-9)
    assert fit.coefficients[0] == pytest.approx(oracle.mean_effect_re, rel=1e-9)


def test_trials_with_cells_of_their_own_have_the_closed_form_of_cr3():
    # Bell and McCaffrey (2002): scores with (I − H_gg)⁻¹ on the residuals of each cluster, about their mean.
    design, y, weights = weighted_case(np.random.default_rng(2))
    cluster, root = np.arange(15) // 2, np.sqrt(weights)
    x, z = design * root[:, None], y * root
    bread = np.linalg.inv(x.T @ x)
    residual, moved = z - x @ bread @ x.T @ z, []
    for g in range(8):
        rows = cluster == g
        own = np.eye(rows.sum()) - x[rows] @ bread @ x[rows].T
        moved.append(bread @ x[rows].T @ np.linalg.solve(own, residual[rows]))
    without = np.where(cluster == np.arange(8)[:, None], np.nan, y)
    expected = 7 / 8 * 8 * np.cov(np.array(moved).T, bias=True)
    assert over_trials(design, weights, without) == pytest.approx(expected, rel=1e-8)


# --- Calibration and power -----------------------------------------------------------------------------


@pytest.mark.parametrize("side", list(Side))
def test_false_verdicts_at_the_edge_of_the_tolerance(side):
    # The least favourable case: the exponent is off by exactly the tolerance.
    rng, true = np.random.default_rng(6), -0.9 if side is not Side.LOWER else -1.1
    options = {"side": side, "alpha": 0.05, "equivalence_alpha": 0.1}
    found = [
        fit_rate(noisy(rng, true), "risk", ["n"], {"n": -1.0}, 0.1, **options).verdict for _ in range(300)
    ]
    assert found.count(Verdict.REFUTED) / 300 <= most(0.05, 300)
    assert 0 < found.count(Verdict.CONSISTENT) / 300 <= most(0.1, 300)


def test_power_at_the_resolution():
    rng, options = np.random.default_rng(7), {"claimed": {"n": -1.0}, "side": Side.UPPER, "alpha": 0.01}
    reach = np.mean(
        [fit_rate(noisy(rng), "risk", ["n"], **options)["n"].evidence.resolution for _ in range(100)]
    )
    found = [fit_rate(noisy(rng, -1.0 + reach), "risk", ["n"], **options).verdict for _ in range(200)]
    # The resolution of one table is random, and the mean is used: 0.8 is asked, 0.9 is nominal.
    assert found.count(Verdict.REFUTED) / 200 >= 1.0 - most(0.2, 200)


# --- Verdicts and directions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exponent", "side", "axis", "verdict"),
    [
        (-1.0, Side.TIGHT, "n", Verdict.CONSISTENT), (-1.3, Side.TIGHT, "n", Verdict.REFUTED),
        (-0.7, Side.TIGHT, "n", Verdict.REFUTED), (-0.7, Side.UPPER, "n", Verdict.REFUTED),
        (-1.3, Side.UPPER, "n", Verdict.CONSISTENT), (-0.7, Side.LOWER, "n", Verdict.CONSISTENT),
        (-1.3, Side.LOWER, "n", Verdict.REFUTED),
        # ε → 0: risk ≤ C/ε is broken by ε^−1.3, and kept by ε^−0.7
        (-1.3, Side.UPPER, "epsilon", Verdict.REFUTED), (-0.7, Side.UPPER, "epsilon", Verdict.CONSISTENT),
        (-1.3, Side.LOWER, "epsilon", Verdict.CONSISTENT), (-0.7, Side.LOWER, "epsilon", Verdict.REFUTED),
        (-1.3, Side.TIGHT, "epsilon", Verdict.REFUTED),
    ],
)  # fmt: skip
def test_directions(exponent, side, axis, verdict):
    x, falling = np.geomspace(0.01, 1.0, 7), axis == "epsilon"
    table = scattered(np.random.default_rng(8), exponent, x, 0.001)
    table |= {axis: x, "x": x}
    fit = fit_rate(table, "risk", [axis], {axis: -1.0}, side=side, alpha=0.01)
    assert fit.verdict is verdict
    assert fit[axis].harm == ("lower" if falling else "higher")
    told = fit_rate(table, "risk", ["x"], {"x": -1.0}, side=side, vanishing=["x"] if falling else [])
    assert told.verdict is verdict
    (found,) = fit.evidence()
    assert (found.quantity, found.alpha_spent) == (f"exponent of {axis}", 0.01)
    if side is not Side.TIGHT:
        above = "above" if (side is Side.UPPER) != falling else "below"
        breaks = "is worse" if side is Side.UPPER else "breaks the lower bound"
        assert f"{axis} {'falls' if falling else 'grows'}: an exponent {above} -1 {breaks}" in found.note


def test_a_one_sided_claim_about_an_axis_of_unknown_direction_is_asked_about():
    table = {"eta": np.geomspace(0.01, 0.5, 7), "risk": np.geomspace(1.0, 50.0, 7)}
    assert fit_rate(table, "risk", ["eta"], {"eta": 1.0})["eta"].harm == "either"
    with pytest.raises(ValueError, match="vanishing must say whether 'eta' goes to 0"):
        fit_rate(table, "risk", ["eta"], {"eta": 1.0}, side=Side.UPPER)
    assert fit_rate(table, "risk", ["eta"], {"eta": 1.0}, side=Side.UPPER, vanishing=[]).verdict


def test_the_level_of_equivalence_is_its_own_and_a_pass_says_what_is_true():
    table, options = noisy(np.random.default_rng(10), trials=4000), {"claimed": {"n": -1.0}, "alpha": 1e-6}
    for level, verdict in ((1e-6, Verdict.INCONCLUSIVE), (0.01, Verdict.CONSISTENT)):
        assert fit_rate(table, "risk", ["n"], equivalence_alpha=level, **options).verdict is verdict
    above = fit_rate(table, "risk", ["n"], side=Side.UPPER, equivalence_alpha=0.01, **options)["n"]
    limit = above.exponent.interval(0.01)[1]
    assert f"at most {limit:.4g} at one-sided level 0.01, -0.95 is allowed" in above.evidence.note
    assert "within" not in above.evidence.note


def test_unclaimed_axes_are_context():
    n, d = (a.ravel() for a in np.meshgrid(SIZES, [1.0, 2.0, 4.0]))
    fit = fit_rate({"n": n, "d": d, "risk": d / n}, "risk", ["n", "d"], {"n": -1.0}, alpha=0.02)
    assert [(e.verdict, e.alpha_spent) for e in fit.evidence()] == [(Verdict.CONSISTENT, 0.02), (None, 0.0)]


@pytest.mark.parametrize(
    ("side", "power", "cells", "words"),
    [
        (Side.TIGHT, -1.0, 7, "a logarithm of n could not be seen"),
        (Side.UPPER, -1.5, 9, "nothing measured is tight along n"),
        (Side.LOWER, -0.5, 9, "nothing measured is tight along n"),
    ],
)
def test_evidence_says_what_its_resolution_leaves_unseen(side, power, cells, words):
    n = np.geomspace(100.0, 6400.0, cells)
    table = scattered(np.random.default_rng(0), power, n, 0.02)
    options = {"alpha": 1e-6, "equivalence_alpha": 0.05, "side": side}
    fit = fit_rate(table, "risk", ["n"], {"n": -1.0}, 0.2, **options)
    assert words in fit.evidence()[0].note
    # The logarithm moves the exponent as far as it is said to.
    longer = fit_rate({"n": n, "risk": table["risk"] * np.log(n)}, "risk", ["n"])
    moved = longer["n"].exponent.estimate - fit["n"].exponent.estimate
    assert fit["n"].diagnosis.logarithm == pytest.approx(moved, rel=1e-6)


# --- Dependent cells -----------------------------------------------------------------------------------


def seeds(rng, count, deviation):
    """The same seeds at all sizes, with `deviation` (count, sizes) of the risk relative to its mean."""
    n = np.tile(SIZES, count)
    return {"n": n, "risk": ((1.0 + deviation) / SIZES).ravel(), "seed": np.repeat(np.arange(count), 7)}


def slopes_differ(rng, count):
    along = np.log(SIZES) - np.log(SIZES).mean()
    return 0.1 * rng.normal(size=(count, 1)) * along + 0.02 * rng.normal(size=(count, 7))


def test_a_jackknife_over_trials_is_leaving_each_out_of_all_cells():
    rng = np.random.default_rng(20)
    table = seeds(rng, 12, slopes_differ(rng, 12))
    fit = fit_rate(table, "risk", ["n"], {"n": -1.0}, 0.02)
    assert fit.trials == ("seed", 12)
    # Brute force: the weighted line through the means of the other eleven; five degrees of freedom of cells.
    risk = table["risk"].reshape(12, 7)
    y = [np.log(np.delete(risk, r, axis=0).mean(axis=0)) for r in range(12)]
    slopes = [np.polyfit(np.log(SIZES), v, 1, w=np.sqrt(fit.law.weights))[0] for v in y]
    expected = math.sqrt(11 / 12 * ((slopes - np.mean(slopes)) ** 2).sum())
    assert fit["n"].exponent.standard_error == pytest.approx(expected, rel=0.01)  # the delta method
    assert fit["n"].exponent.degrees_of_freedom == 5.0
    assert "trials by column 'seed' in the place of 12 would decide" in fit["n"].advice


def test_seeds_that_share_a_slope_are_covered_and_never_decided_where_not_named():
    rng = np.random.default_rng(21)
    missed, tables = 0, 200
    for _ in range(tables):
        table = seeds(rng, 10, slopes_differ(rng, 10))
        low, high = fit_rate(table, "risk", ["n"])["n"].exponent.interval(0.025)
        missed += not low <= -1.0 <= high
    assert missed / tables <= most(0.05, tables)
    del table["seed"]
    blind = fit_rate(table, "risk", ["n"], {"n": -1.0})["n"]
    assert (blind.verdict, "go together" in blind.evidence.note) == (Verdict.INCONCLUSIVE, True)
    assert "--trial COLUMN" in blind.advice
    assert fit_rate(table, "risk", ["n"], {"n": -1.0}, trial=False)["n"].advice != blind.advice


def test_cells_too_close_to_the_line_are_inconclusive():
    # Standard deviations given as standard errors.
    exact = {"n": SIZES, "risk": 1.0 / SIZES, "error": 0.02 / SIZES}
    fit = fit_rate(exact, "risk", ["n"], {"n": -1.0}, standard_error="error")["n"]
    assert (fit.verdict, "closer to the line" in fit.evidence.note) == (Verdict.INCONCLUSIVE, True)
    rng, alarms = np.random.default_rng(22), []
    for _ in range(1000):
        table = {"n": SIZES, "risk": (1.0 + 0.05 * rng.normal(size=7)) / SIZES, "e": 0.05 / SIZES}
        cells = cells_of(table, "risk", ["n"], error="e")
        alarms.append(too_close(regress(design_of(cells.axes), log_risk(cells)), cells.spare))
    assert np.mean(np.array(alarms) < 0.05) <= most(0.05, 1000)


def test_independent_rows_do_not_go_together():
    rng, cell = np.random.default_rng(23), np.repeat(np.arange(6), 8)
    found = np.array([going_together(rng.exponential(size=48), cell) for _ in range(2000)])
    assert all((found < level).mean() <= most(level, 2000) for level in (0.05, 0.001))
    assert going_together(np.ones(48), cell) == 1.0
    assert going_together(np.tile(np.arange(8.0), 6), cell) < 1e-6


@pytest.mark.parametrize(
    ("column", "trial", "used"),
    [("Seed", None, True), ("seed", False, False), ("who", None, False), ("who", "who", True)],
)
def test_which_column_names_trials(column, trial, used):
    rng = np.random.default_rng(24)
    table = seeds(rng, 5, 0.1 * rng.normal(size=(5, 7)))
    table[column] = table.pop("seed")
    assert fit_rate(table, "risk", ["n"], trial=trial).trials == ((column, 5) if used else None)


def test_trials_that_cannot_be_used_are_named():
    table = {"n": SIZES, "risk": 1.0 / SIZES, "seed": np.zeros(7)}
    assert "'seed' names 1 trial, and 4 are needed" in fit_rate(table, "risk", ["n"])["n"].evidence.note
    table["seed"] = np.arange(7)  # no trial recurs: cells are independent
    assert fit_rate(table, "risk", ["n"], trial="seed").trials is None


# --- Means at and below 0 ------------------------------------------------------------------------------


def test_the_fit_below_zero_is_weighted_least_squares_of_scipy():
    from scipy.optimize import curve_fit

    table = {"n": SIZES, "risk": 1.0 / SIZES - 2e-4, "error": np.full(7, 3e-4)}
    fit = fit_rate(table, "risk", ["n"], standard_error="error")
    (_, oracle), _ = curve_fit(lambda x, c, e: c * x**e, SIZES, table["risk"], (1.0, -1.0))
    assert fit["n"].exponent.estimate == pytest.approx(oracle, rel=1e-4)
    noise = {"n": SIZES, "risk": np.tile([1.0, -1.0], 4)[:7], "error": np.ones(7)}
    lost = fit_rate(noise, "risk", ["n"], {"n": 1.0}, 9.0, standard_error="error")["n"]
    assert (lost.verdict, "three standard errors above 0" in lost.evidence.note) == (
        Verdict.INCONCLUSIVE,
        True,
    )
    few = fit_rate(noisy(np.random.default_rng(2), trials=4), "risk", ["n"], {"n": -1.0}, 10.0)["n"]
    assert (few.verdict, "relative standard error" in few.evidence.note) == (Verdict.INCONCLUSIVE, True)


# --- Log factors and printed forms -----------------------------------------------------------------------


def test_log_factors_bend_the_plain_slope_and_not_that_against_the_form():
    n = np.geomspace(10.0, 1e5, 12)
    form = np.log(n) / n
    table = pd.DataFrame({"n": n, "f": form, "risk": 7.0 * form})
    assert fit_rate(table, "risk", ["n"], {"n": -1.0}, 0.05).verdict is Verdict.REFUTED
    assert against_form(table, "risk", "f", 0.05)[0].estimate == pytest.approx(1.0)
    # risk ~ f^0.8 with f → 0 is larger than any C·f; f^1.2 is not
    for power, verdict in [(0.8, Verdict.REFUTED), (1.2, Verdict.CONSISTENT)]:
        bent = table.assign(risk=form**power)
        for options in ({"side": Side.UPPER}, {"side": Side.LOWER, "vanishing": False}):
            assert against_form(bent, "risk", "f", 0.05, **options)[0].verdict is verdict


# --- Curvature, a short range ----------------------------------------------------------------------------


def test_a_power_law_is_not_called_curved():
    rng = np.random.default_rng(4)
    found = [only(scattered(rng, spread=0.2)["risk"]).diagnosis for _ in range(600)]
    missed = [not np.prod(d.bend.interval(0.025)) <= 0.0 for d in found]
    assert np.mean(missed) <= most(0.05, 600)
    assert np.mean([d.curved(CURVED) for d in found]) <= most(CURVED, 600)
    assert np.mean([d.plainly_curved for d in found]) <= most(PLAIN, 600)


@pytest.mark.parametrize(
    ("exponent", "side", "verdict"),
    [
        (-0.1, Side.UPPER, Verdict.REFUTED),  # slower than 1/n at both ends
        (-1.4, Side.UPPER, Verdict.CONSISTENT),  # faster at both ends
        (-0.8, Side.UPPER, Verdict.INCONCLUSIVE),  # slower at first, faster at last
        (-1.4, Side.TIGHT, Verdict.REFUTED),
        (-1.0, Side.TIGHT, Verdict.INCONCLUSIVE),
    ],
)
def test_a_verdict_on_a_curve_must_hold_at_both_ends(exponent, side, verdict):
    x = np.log(LONG)
    fit = only(np.exp(exponent * x - 0.04 * (x - x[0]) ** 2), LONG, side=side)
    assert (fit.diagnosis.plainly_curved, fit.verdict) == (True, verdict)
    span = x[-1] - x[0]  # of a quadratic the bend is exact
    assert fit.diagnosis.bend.estimate == pytest.approx(-0.08 * span)
    assert fit.diagnosis.ends == pytest.approx((exponent, exponent - 0.08 * span))


def test_a_short_range_is_named():
    sizes = np.geomspace(100.0, 100.0 * math.sqrt(10.0), 12)
    assert list(only(1.0 / sizes, sizes).diagnosis.warnings()) == ["0.5 decades only"]
    assert not list(only(1.0 / LONG, LONG).diagnosis.warnings())
    assert only(1.0 / SIZES[:4], SIZES[:4]).diagnosis.bend is None


# --- What would decide -----------------------------------------------------------------------------------


def levels(count):
    return 100.0 * 2.0 ** np.arange(count)


@pytest.mark.parametrize(
    ("exponent", "count", "spread", "floor", "says"),
    [
        (-1.0, 9, 0.01, 0.0, ""),
        (-0.9, 4, 0.01, 0.0, "of n, up to"),
        (-1.0, 4, 3.0, 0.0, "times as many trials"),
        (-1.0, 7, 0.0, 1e-3, "the local exponent seems to go from"),  # no number of levels at a floor
        (-1.0, 9, 0.02, 1e-5, "where the slope has settled"),
    ],
)
def test_advice_is_given_where_something_is_open_and_only_there(exponent, count, spread, floor, says):
    table = scattered(np.random.default_rng(3), exponent, levels(count), spread)
    advice = only(table["risk"] + floor, levels(count), alpha=0.001).advice
    assert says in advice
    assert bool(advice) == bool(says)


# --- Baselines, bad input ------ ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({}, {"risk": "loss"}, "no column 'loss'"), ({}, {"axes": []}, "axes must be different"),
        ({}, {"axes": ["risk"]}, "got the risk column 'risk' itself"),
        ({"risk": np.full(7, np.nan)}, {}, "column 'risk' must be finite"),
        ({"n": SIZES - SIZES[0]}, {}, "axis 'n' must be > 0, got 0.0"),
        ({"n": np.full(7, 3.0)}, {}, "at least 3 values"), ({"n": SIZES[:5]}, {}, "one length"),
        ({"risk": np.append(1.0 / SIZES[:-1], -1.0)}, {}, "mean risk must be > 0 in every cell, got -1"),
        ({"risk": np.array(["a"] * 7)}, {}, "must be numbers"), ({"risk": np.array([])}, {}, "non-empty"),
        ({"n": SIZES[:3], "risk": 1.0 / SIZES[:3]}, {}, "at least 4 cells, got 3"),
        ({"m": SIZES**2}, {"axes": ["n", "m"]}, "vary together"),
        ({}, {"claimed": {"m": 1.0}}, "claimed must name axes"),
        ({}, {"claimed": {"n": math.nan}}, "claimed exponent of n must be finite"),
        ({}, {"vanishing": ["eps"]}, "vanishing must name axes"),
        ({}, {"tolerance": -0.1}, "tolerance must be"),
        ({}, {"alpha": 0.7}, "alpha must be in"),
        ({}, {"equivalence_alpha": 0.0}, "equivalence_alpha must be in"),
        ({"e": -np.ones(7)}, {"standard_error": "e"}, "one standard error ≥ 0 per row"),
        ({}, {"trial": "risk"}, "trial must name a column that is neither risk nor axis"),
        ({"g": np.zeros(7)}, {"trial": "g"}, "trial: 'g' names 1 trial"),
        ({"g": [0, 0, 0, 1, 2, 3, 4], "n": [1, 2, 4, 8, 8, 8, 8]}, {"trial": "g"}, "one trial alone"),
    ],
)  # fmt: skip
def test_bad_input_is_named(change, options, words):
    arguments = {"risk": "risk", "axes": ["n"], **options}
    with pytest.raises(ValueError, match=words):
        fit_rate({"n": SIZES, "risk": 1.0 / SIZES, **change}, **arguments)


def test_bad_exponents_are_named():
    with pytest.raises(ValueError, match="estimate must be finite"):
        Exponent(estimate=math.nan, standard_error=0.0)
    with pytest.raises(ValueError, match="worse must be"):
        compare_exponents(*[Exponent(estimate=0, standard_error=1)] * 2, worse="up")
