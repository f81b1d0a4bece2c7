"""Exponents: oracles (SciPy, statsmodels), measured coverage, power, directions, bad input.

Coverage over N tables is held against its nominal value with slack 5·√(p(1 − p)/N): a false alarm of such
an assertion has probability < 3e-7.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from audits.evidence import Side, Verdict
from audits.rates import Exponent, compare_exponents, fit_rate, slope_against
from audits.rates.cells import Columns, Observed, cells_of, going_together, log_risk
from audits.rates.directions import falls
from audits.rates.regression import regress, too_close

SIZES = np.geomspace(100.0, 6400.0, 7)


def noisy(rng, exponent=-1.0, trials=40, sizes=SIZES):
    n = np.repeat(sizes, trials)
    return {"n": n, "risk": 3.0 * n**exponent * rng.exponential(size=n.size)}


def most(p, n):
    return p + 5.0 * math.sqrt(p * (1.0 - p) / n)


# --- The fit itself ------------------------------------------------------------------------------------


def test_plain_line_is_scipys():
    from scipy import stats

    risk = np.exp(np.random.default_rng(0).normal(size=7) * 0.1) / SIZES
    fit = fit_rate({"n": SIZES, "risk": risk}, "risk", ["n"])
    oracle = stats.linregress(np.log(SIZES), np.log(risk))
    assert fit["n"].exponent.estimate == pytest.approx(oracle.slope, rel=1e-12)
    assert fit.constant == pytest.approx(math.exp(oracle.intercept), rel=1e-9)
    assert fit["n"].exponent.standard_error >= oracle.stderr * (1 - 1e-12)
    assert fit["n"].exponent.degrees_of_freedom == 5.0


def test_clusters_widen_the_interval():
    # one shared error per group of four cells, varying with n: cells are far from independent
    rng = np.random.default_rng(2)
    n = np.repeat(np.geomspace(10, 1e4, 10), 4)
    shared = np.repeat(rng.normal(size=10), 4)
    table = {
        "n": n,
        "d": np.tile([1.0, 2.0, 4.0, 8.0], 10),
        "risk": np.exp(0.3 * shared) / n,
        "group": np.repeat(np.arange(10), 4),
    }
    alone = fit_rate(table, "risk", ["n", "d"])["n"].exponent
    grouped = fit_rate(table, "risk", ["n", "d"], cluster="group")["n"].exponent
    assert grouped.standard_error > 1.5 * alone.standard_error
    assert grouped.degrees_of_freedom == 7.0
    assert grouped.estimate == pytest.approx(alone.estimate)


def test_noisy_cells_count_less():
    # the last cell is off by a factor of two, and says itself that it is hardly known
    risk, error = 1.0 / SIZES, 0.001 / SIZES
    risk[-1], error[-1] = 2.0 * risk[-1], 0.9 * risk[-1]
    table = {"n": SIZES, "risk": risk, "error": error}
    assert fit_rate(table, "risk", ["n"], standard_error="error")["n"].exponent.estimate == pytest.approx(
        -1, abs=0.02
    )
    assert fit_rate(table, "risk", ["n"])["n"].exponent.estimate > -0.95


def test_same_seed_same_bits_and_any_container():
    table = noisy(np.random.default_rng(3))
    first, second = (
        fit_rate(table, "risk", ["n"]),
        fit_rate(pd.DataFrame(table), "risk", ["n"]),
    )
    assert first["n"] == second["n"]
    shuffled = pd.DataFrame(table).sample(frac=1.0, random_state=1)
    assert fit_rate(shuffled, "risk", ["n"])["n"].exponent.estimate == pytest.approx(
        first["n"].exponent.estimate, rel=1e-12
    )


# --- Calibration and power -----------------------------------------------------------------------------


def test_intervals_cover_where_the_scatter_grows_and_the_table_does_not_say_so():
    # Other kinds of tables: benchmarks/rates.csv. Nominal 5 % and 0.2 %, which misses may fall short of.
    rng, sizes = np.random.default_rng(5), np.geomspace(10.0, 1e4, 12)
    design = np.column_stack([np.ones(12), np.log(sizes)])
    missed, tables = np.zeros(2), 2000
    for noise in np.linspace(0.02, 0.4, 12) * rng.normal(size=(tables, 12)):
        seen = Observed(noise - np.log(sizes), np.zeros(12), np.arange(12))
        exponent = regress(design, seen).along(np.array([0.0, 1.0]))
        for i, level in enumerate((0.025, 0.001)):
            low, high = exponent.interval(level)
            missed[i] += not low <= -1.0 <= high
    wide, narrow = missed / tables
    assert 0.005 <= wide <= most(0.05, tables)  # and not so wide that the interval says nothing
    assert narrow <= most(0.002, tables)


@pytest.mark.parametrize("side", list(Side))
def test_false_alarms_at_the_edge_of_the_tolerance(side):
    # the least favourable true case: the exponent is off by exactly the tolerance
    rng = np.random.default_rng(6)
    true = -0.9 if side is not Side.LOWER else -1.1
    found = [
        fit_rate(noisy(rng, true), "risk", ["n"], {"n": -1.0}, 0.1, side=side, alpha=0.05).verdict
        for _ in range(500)
    ]
    assert found.count(Verdict.REFUTED) / 500 <= most(0.05, 500)
    # and equivalence is not granted more often than its level either: the truth is on the boundary
    assert found.count(Verdict.CONSISTENT) / 500 <= most(0.05, 500)


def test_power_at_the_resolution():
    rng = np.random.default_rng(7)
    options = {"claimed": {"n": -1.0}, "side": Side.UPPER, "alpha": 0.01}
    widths = [fit_rate(noisy(rng), "risk", ["n"], **options)["n"].resolution for _ in range(100)]
    reach = float(np.mean(widths))
    found = [fit_rate(noisy(rng, -1.0 + reach), "risk", ["n"], **options).verdict for _ in range(300)]
    # resolution is a random estimate here and the mean of it is used: 0.8 is asked, 0.9 is nominal
    assert found.count(Verdict.REFUTED) / 300 >= 0.8 - 5.0 * math.sqrt(0.16 / 300)


# --- Verdicts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exponent", "side", "axis", "verdict"),
    [
        (-1.0, Side.TIGHT, "n", Verdict.CONSISTENT),
        (-1.3, Side.TIGHT, "n", Verdict.REFUTED),
        (-0.7, Side.TIGHT, "n", Verdict.REFUTED),
        (-0.7, Side.UPPER, "n", Verdict.REFUTED),
        (-1.3, Side.UPPER, "n", Verdict.CONSISTENT),
        (-0.7, Side.LOWER, "n", Verdict.CONSISTENT),
        (-1.3, Side.LOWER, "n", Verdict.REFUTED),
        # ε → 0: risk ≤ C/ε is broken by ε^−1.3, and kept by ε^−0.7
        (-1.3, Side.UPPER, "epsilon", Verdict.REFUTED),
        (-0.7, Side.UPPER, "epsilon", Verdict.CONSISTENT),
        (-1.3, Side.LOWER, "epsilon", Verdict.CONSISTENT),
        (-0.7, Side.LOWER, "epsilon", Verdict.REFUTED),
        (-1.3, Side.TIGHT, "epsilon", Verdict.REFUTED),
    ],
)
def test_directions(exponent, side, axis, verdict):
    x = np.geomspace(0.01, 1.0, 7)
    rng, falling = np.random.default_rng(8), axis == "epsilon"
    table = {axis: x, "x": x, "risk": x**exponent * np.exp(0.001 * rng.normal(size=7))}
    fit = fit_rate(table, "risk", [axis], {axis: -1.0}, side=side, alpha=0.01)
    assert fit.verdict is verdict
    assert fit[axis].harm == ("lower" if falling else "higher")
    told = fit_rate(table, "risk", ["x"], {"x": -1.0}, side=side, vanishing=["x"] if falling else [])
    assert told.verdict is verdict
    (found,) = fit.evidence()
    assert (found.quantity, found.alpha_spent) == (f"exponent of {axis}", 0.01)
    assert found.method == ("tost" if side is Side.TIGHT else "one-sided")
    if side is not Side.TIGHT:
        above = "above" if (side is Side.UPPER) != falling else "below"
        breaks = "is worse" if side is Side.UPPER else "breaks the lower bound"
        assert f"{axis} {'falls' if falling else 'grows'}: an exponent {above} -1 {breaks}" in found.note


def test_a_wide_interval_never_passes():
    rng = np.random.default_rng(9)
    for side in Side:
        fit = fit_rate(noisy(rng, trials=12), "risk", ["n"], {"n": -1.0}, 0.05, side=side, alpha=1e-5)
        assert fit.verdict is Verdict.INCONCLUSIVE


def test_equivalence_level_is_its_own_where_asked():
    rng = np.random.default_rng(10)
    table = noisy(rng, trials=4000)
    strict = fit_rate(table, "risk", ["n"], {"n": -1.0}, 0.05, alpha=1e-6)
    assert strict.verdict is Verdict.INCONCLUSIVE
    passed = fit_rate(table, "risk", ["n"], {"n": -1.0}, 0.05, alpha=1e-6, equivalence_alpha=0.01)
    assert passed.verdict is Verdict.CONSISTENT
    assert (passed["n"].low, passed["n"].high) == (strict["n"].low, strict["n"].high)


def test_unclaimed_axes_are_context_and_alpha_is_split():
    n, d = (a.ravel() for a in np.meshgrid(SIZES, [1.0, 2.0, 4.0]))
    table = {"n": n, "d": d, "risk": d / n}
    fit = fit_rate(table, "risk", ["n", "d"], {"n": -1.0}, alpha=0.02)
    assert [e.verdict for e in fit.evidence()] == [Verdict.CONSISTENT, None]
    assert [e.alpha_spent for e in fit.evidence()] == [0.02, 0.0]
    both = fit_rate(table, "risk", ["n", "d"], {"n": -1.0, "d": 1.0}, alpha=0.02)
    assert [e.alpha_spent for e in both.evidence()] == [0.01, 0.01]


def test_cells_too_noisy_for_logarithms_are_inconclusive():
    fit = fit_rate(noisy(np.random.default_rng(2), trials=4), "risk", ["n"], {"n": -1.0}, 10.0)
    assert fit.verdict is Verdict.INCONCLUSIVE
    assert "relative standard error" in fit["n"].note


# --- Directions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "values", "expected"),
    [
        ("n", SIZES, False), ("m", SIZES, False), ("d", SIZES, False), ("p", SIZES, False),
        ("batch", np.array([1.0, 2.0, 8.0]), False), ("steps", SIZES, False), ("epsilon", SIZES, True),
        ("δ", np.array([1e-6, 1e-5]), True), ("mu", np.array([1.0, 2.0]), True), ("1/n", 1 / SIZES, True),
        ("1/ε", SIZES, False), ("log(1/delta)", SIZES, False), ("eta", np.array([0.1, 0.2]), None),
        ("form", np.array([3.5, 0.2]), None),
    ],
)  # fmt: skip
def test_where_an_axis_goes_is_known_by_name_or_values(axis, values, expected):
    assert falls(axis, values) is expected


def test_what_a_one_sided_pass_says_is_true():
    table = noisy(np.random.default_rng(1), -2.0)
    fit = fit_rate(table, "risk", ["n"], {"n": -1.0}, side=Side.UPPER, equivalence_alpha=0.05)["n"]
    limit = fit.exponent.interval(0.05)[1]
    assert f"at most {limit:.4g} at one-sided level 0.05, -0.95 is allowed" in fit.note
    assert "within" not in fit.note


def test_a_one_sided_claim_about_an_axis_of_unknown_direction_is_asked_about():
    table = {"eta": np.geomspace(0.01, 0.5, 7), "risk": np.geomspace(1.0, 50.0, 7)}
    assert fit_rate(table, "risk", ["eta"], {"eta": 1.0})["eta"].harm == "either"
    with pytest.raises(ValueError, match="vanishing must say whether 'eta' goes to 0"):
        fit_rate(table, "risk", ["eta"], {"eta": 1.0}, side=Side.UPPER)
    assert fit_rate(table, "risk", ["eta"], {"eta": 1.0}, side=Side.UPPER, vanishing=[]).verdict


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
    fit = fit_rate(table, "risk", ["n"])
    assert fit.trials == ("seed", 12)
    # Brute force: the weighted line through the means of the other eleven, eleven degrees of freedom or five.
    risk = table["risk"].reshape(12, 7)
    y = [np.log(np.delete(risk, r, axis=0).mean(axis=0)) for r in range(12)]
    slopes = [np.polyfit(np.log(SIZES), v, 1, w=np.sqrt(fit.law.weights))[0] for v in y]
    expected = math.sqrt(11 / 12 * ((slopes - np.mean(slopes)) ** 2).sum())
    assert fit["n"].exponent.standard_error == pytest.approx(expected, rel=0.01)  # the delta method
    assert fit["n"].exponent.degrees_of_freedom == 5.0
    few = fit_rate({k: v[: 4 * 7] for k, v in table.items()}, "risk", ["n"])["n"].exponent
    assert few.degrees_of_freedom == 3.0


def test_seeds_that_share_a_slope_are_covered_and_never_decided_where_not_named():
    rng = np.random.default_rng(21)
    missed, tables = 0, 400
    for _ in range(tables):
        table = seeds(rng, 10, slopes_differ(rng, 10))
        low, high = fit_rate(table, "risk", ["n"])["n"].exponent.interval(0.025)
        missed += not low <= -1.0 <= high
    assert missed / tables <= most(0.05, tables)
    del table["seed"]
    blind = fit_rate(table, "risk", ["n"], {"n": -1.0})["n"]
    assert blind.verdict is Verdict.INCONCLUSIVE
    assert "go together" in blind.note
    assert "--trial COLUMN" in blind.advice
    assert fit_rate(table, "risk", ["n"], {"n": -1.0}, trial=False)["n"].advice != blind.advice


def test_cells_too_close_to_the_line_are_inconclusive():
    # Standard deviations given as standard errors, and shuffled rows of seeds that shift all cells alike.
    exact = {"n": SIZES, "risk": 1.0 / SIZES, "error": 0.02 / SIZES}
    fit = fit_rate(exact, "risk", ["n"], {"n": -1.0}, standard_error="error")["n"]
    assert (fit.verdict, "closer to the line" in fit.note) == (Verdict.INCONCLUSIVE, True)
    rng = np.random.default_rng(22)
    alarms = [
        too_close_of({"n": SIZES, "risk": (1.0 + 0.05 * rng.normal(size=7)) / SIZES, "e": 0.05 / SIZES})
        for _ in range(2000)
    ]
    assert np.mean(np.array(alarms) < 0.05) <= most(0.05, 2000)


def too_close_of(table):
    cells = cells_of(table, Columns(risk="risk", axes=["n"], error="e"))
    seen = log_risk(cells)
    return too_close(regress(np.column_stack([np.ones(7), np.log(SIZES)]), seen), seen, cells.spare)


def test_independent_rows_do_not_go_together():
    rng = np.random.default_rng(23)
    cell = np.repeat(np.arange(6), 8)
    found = np.array([going_together(rng.exponential(size=48), cell) for _ in range(4000)])
    for level in (0.05, 0.001):
        assert (found < level).mean() <= most(level, 4000)
    assert going_together(np.ones(48), cell) == 1.0
    assert going_together(np.tile(np.arange(8.0), 6), cell) < 1e-6


@pytest.mark.parametrize(
    ("column", "trial", "used"),
    [
        ("Seed", None, True),
        ("fold", None, True),
        ("seed", False, False),
        ("who", None, False),
        ("who", "who", True),
    ],
)
def test_which_column_names_trials(column, trial, used):
    rng = np.random.default_rng(24)
    table = seeds(rng, 5, 0.1 * rng.normal(size=(5, 7)))
    table[column] = table.pop("seed")
    assert fit_rate(table, "risk", ["n"], trial=trial).trials == ((column, 5) if used else None)


def test_trials_that_cannot_be_used_are_named():
    table = {"n": SIZES, "risk": 1.0 / SIZES, "seed": np.zeros(7)}
    assert "'seed' names 1 trial, and 3 are needed" in fit_rate(table, "risk", ["n"])["n"].note
    with pytest.raises(ValueError, match="trial: 'seed' names 1 trial"):
        fit_rate(table, "risk", ["n"], trial="seed")
    table["seed"] = np.arange(7) % 3
    assert "a cell has one trial of 'seed' only" in fit_rate(table, "risk", ["n"])["n"].note
    table["seed"] = np.arange(7)  # no trial recurs: cells are independent
    assert fit_rate(table, "risk", ["n"], trial="seed").trials is None


# --- Means at and below 0 ------------------------------------------------------------------------------


def test_noise_below_zero_leaves_the_exponent_unbiased():
    rng = np.random.default_rng(25)
    n = np.repeat(SIZES, 40)
    found, missed, tables = [], 0, 300
    for _ in range(tables):
        fit = fit_rate({"n": n, "risk": 1.0 / n + 1.5e-3 * rng.normal(size=n.size)}, "risk", ["n"])["n"]
        low, high = fit.exponent.interval(0.025)
        found.append(fit.exponent.estimate)
        missed += not low <= -1.0 <= high
    assert np.median(found) == pytest.approx(-1.0, abs=0.02)
    assert missed / tables <= most(0.05, tables)


def test_the_fit_below_zero_is_weighted_least_squares_of_scipy():
    from scipy.optimize import curve_fit

    table = {"n": SIZES, "risk": 1.0 / SIZES - 2e-4, "error": np.full(7, 3e-4)}
    fit = fit_rate(table, "risk", ["n"], standard_error="error")
    (_, oracle), _ = curve_fit(lambda x, c, e: c * x**e, SIZES, table["risk"], (1.0, -1.0))
    assert fit["n"].exponent.estimate == pytest.approx(oracle, rel=1e-4)
    noise = {"n": SIZES, "risk": np.tile([1.0, -1.0], 4)[:7], "error": np.ones(7)}
    lost = fit_rate(noise, "risk", ["n"], {"n": 1.0}, 9.0, standard_error="error")["n"]
    assert lost.verdict is Verdict.INCONCLUSIVE
    assert "three standard errors above 0" in lost.note


# --- Log factors and sums ------------------------------------------------------------------------------


def test_log_factors_bend_the_plain_slope_and_not_the_regressor():
    n = np.geomspace(10.0, 1e5, 12)
    form = np.log(n) / n
    table = {"n": n, "f": form, "risk": 7.0 * form}
    assert fit_rate(table, "risk", ["n"], {"n": -1.0}, 0.05).verdict is Verdict.REFUTED
    fit = slope_against(table, "risk", "f")
    assert fit["f"].exponent.estimate == pytest.approx(1.0)
    assert fit.verdict is Verdict.CONSISTENT
    # risk ~ f^0.8 with f → 0 is larger than any C·f; f^1.2 is not
    for power, verdict in [(0.8, Verdict.REFUTED), (1.2, Verdict.CONSISTENT)]:
        bent = {"f": form, "risk": form**power}
        assert slope_against(bent, "risk", "f", side=Side.UPPER).verdict is verdict
        assert slope_against(bent, "risk", "f", side=Side.LOWER, vanishing=False).verdict is verdict


def test_a_form_above_the_trivial_value_decides_nothing():
    # The risk obeys risk ≤ f with the constant 1 everywhere and no slope shows it: it stays at its trivial
    # value 0.3 until f has fallen below that, at n = 10⁴: 9 sizes are smaller.
    n = np.geomspace(10.0, 1e5, 13)
    table = {"n": n, "f": 3e3 / n, "risk": np.minimum(0.3, 3e3 / n)}
    assert slope_against(table, "risk", "f", side=Side.UPPER).verdict is Verdict.REFUTED
    found = slope_against(table, "risk", "f", side=Side.UPPER, trivial=0.3)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "exceeds the trivial value in 9 cells" in found["f"].note
    fit = fit_rate(table, "risk", ["n"], {"n": -1.0}, side=Side.UPPER, form="f", trivial=0.3)
    assert fit.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("size", [20, 40])
def test_a_form_below_the_trivial_value_changes_nothing(size):
    n = np.geomspace(1e4, 1e7, size)
    table = {"n": n, "f": 3e3 / n, "risk": 1e3 / n}
    plain, told = (slope_against(table, "risk", "f", side=Side.UPPER, **o) for o in ({}, {"trivial": 0.3}))
    assert told.evidence() == plain.evidence()


# --- Baselines -----------------------------------------------------------------------------------------


def test_comparison_false_alarms():
    # truth has not moved by more than the tolerance: at most α/2 on the side that it moved to
    rng = np.random.default_rng(12)
    found = 0
    for _ in range(4000):
        new, old = 0.05 + 0.1 * rng.standard_normal(), 0.1 * rng.standard_normal()
        error = 0.1 * np.sqrt(rng.chisquare(6, 2) / 6)
        found += (
            compare_exponents(
                Exponent(estimate=new, standard_error=error[0], degrees_of_freedom=6),
                Exponent(estimate=old, standard_error=error[1], degrees_of_freedom=6),
                tolerance=0.05,
                alpha=0.05,
            ).answer
            == "worse"
        )
    assert found / 4000 <= most(0.03, 4000)


# --- Display -------------------------------------------------------------------------------------------


def test_plot():
    pytest.importorskip("matplotlib")
    fit = fit_rate(noisy(np.random.default_rng(13)), "risk", ["n"], {"n": -1.0})
    ax = fit.plot()
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert len(ax.get_lines()) >= 3
    with pytest.raises(KeyError, match="no axis 'd'"):
        fit.plot("d")


# --- Bad input -----------------------------------------------------------------------------------------

GOOD = {"n": SIZES, "risk": 1.0 / SIZES}


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({}, {"risk": "loss"}, "no column 'loss'"),
        ({}, {"axes": ["m"]}, "no column 'm'"),
        ({}, {"axes": []}, "axes must be different"),
        ({}, {"axes": ["risk"]}, "got the risk column 'risk' itself"),
        ({}, {"axes": ["n", "n"]}, "axes must be different"),
        ({"risk": np.full(7, np.nan)}, {}, "column 'risk' must be finite, got nan"),
        ({"n": np.append(SIZES[:-1], np.inf)}, {}, "column 'n' must be finite, got inf"),
        ({"n": SIZES - SIZES[0]}, {}, "axis 'n' must be > 0, got 0.0"),
        ({"n": np.full(7, 3.0)}, {}, "at least 3 values"),
        ({"n": SIZES[:5]}, {}, "one length"),
        ({"risk": np.append(1.0 / SIZES[:-1], -1.0)}, {}, "mean risk must be > 0 in every cell, got -1"),
        ({"risk": np.array(["a"] * 7)}, {}, "must be numbers"),
        ({"risk": np.array([])}, {}, "non-empty"),
        ({"n": SIZES[:3], "risk": 1.0 / SIZES[:3]}, {}, "at least 4 cells, got 3"),
        ({"m": SIZES**2}, {"axes": ["n", "m"]}, "vary together"),
        ({}, {"claimed": {"m": 1.0}}, "claimed must name axes"),
        ({}, {"claimed": {"n": math.nan}}, "claimed exponent of n must be finite"),
        ({}, {"vanishing": ["eps"]}, "vanishing must name axes"),
        ({}, {"tolerance": -0.1}, "tolerance must be"),
        ({}, {"alpha": 0.7}, "alpha must be in"),
        ({}, {"equivalence_alpha": 0.0}, "equivalence_alpha must be in"),
        ({"e": -np.ones(7)}, {"standard_error": "e"}, "one standard error ≥ 0 per row"),
        ({"g": np.zeros(7)}, {"cluster": "g"}, "clusters, got 1"),
        ({}, {"trial": "risk"}, "trial must name a column that is neither risk nor axis"),
        ({}, {"trial": True}, "trial must name a column"),
        ({}, {"trivial": 1.0}, "form and trivial go together, got form=None and trivial=1.0"),
        ({}, {"form": "risk", "trivial": 0.0}, "trivial must be finite and > 0, got 0.0"),
    ],
)
def test_bad_input_is_named(change, options, words):
    arguments = {"risk": "risk", "axes": ["n"], **options}
    with pytest.raises(ValueError, match=words):
        fit_rate({**GOOD, **change}, **arguments)


def test_bad_input_elsewhere():
    with pytest.raises(ValueError, match="constant within a cell"):
        fit_rate(
            {"n": np.repeat(SIZES, 2), "risk": np.ones(14), "g": np.arange(14)}, "risk", ["n"], cluster="g"
        )
    # the cells of one cluster are the only ones with another d: they fix that exponent by themselves
    table = {
        "n": [1, 2, 4, 8, 16, 32, 3, 5],
        "d": [1, 1, 1, 1, 1, 1, 2, 3],
        "risk": [1.0] * 8,
        "g": [0, 1, 2, 3, 4, 5, 6, 6],
    }
    with pytest.raises(ValueError, match="alone determines"):
        fit_rate(table, "risk", ["n", "d"], cluster="g")
    with pytest.raises(ValueError, match="estimate must be finite"):
        Exponent(estimate=math.nan, standard_error=1.0)
    with pytest.raises(ValueError, match="standard_error must be"):
        Exponent(estimate=0.0, standard_error=-1.0)
    with pytest.raises(ValueError, match="worse must be"):
        compare_exponents(
            Exponent(estimate=0, standard_error=1), Exponent(estimate=0, standard_error=1), worse="up"
        )


@pytest.mark.parametrize(
    ("side", "power", "claimed", "cells", "words"),
    [
        (Side.TIGHT, -1.0, -1.0, 7, "a logarithm of n could not be seen"),
        (Side.UPPER, -1.0, -1.0, 5, "a true exponent is refuted in 9 of 10 runs only above"),
        (Side.UPPER, -1.5, -1.0, 9, "nothing measured is tight along n"),
        (Side.LOWER, -0.5, -1.0, 9, "nothing measured is tight along n"),
    ],
)
def test_evidence_says_what_its_resolution_leaves_unseen(side, power, claimed, cells, words):
    n = np.geomspace(100.0, 6400.0, cells)
    risk = n**power * np.exp(0.02 * np.random.default_rng(0).normal(size=cells))
    table = {"n": n, "risk": risk}
    options = {"alpha": 1e-6, "equivalence_alpha": 0.05, "side": side}
    fit = fit_rate(table, "risk", ["n"], {"n": claimed}, 0.2, **options)
    assert words in fit.evidence()[0].note
    # The logarithm moves the exponent as far as it is said to.
    longer = fit_rate({"n": n, "risk": risk * np.log(n)}, "risk", ["n"])
    moved = longer["n"].exponent.estimate - fit["n"].exponent.estimate
    assert fit["n"].diagnosis.logarithm == pytest.approx(moved, rel=1e-6)


def test_a_sharp_exponent_leaves_nothing_unseen():
    n = np.geomspace(100.0, 6400.0, 30)
    (found,) = fit_rate({"n": n, "risk": 3.0 / n}, "risk", ["n"], {"n": -1.0}, 0.05).evidence()
    assert found.note == ""
