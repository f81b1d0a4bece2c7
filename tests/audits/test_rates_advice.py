"""What would decide an open exponent; the two errors of a fit, refuting the right and passing the wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from audits.evidence import Side, Verdict
from audits.rates import fit_rate
from audits.rates.advice import half_width, with_levels
from audits.rates.cells import Columns, cells_of, log_risk
from audits.rates.diagnostics import Fitted
from audits.rates.regression import exponent_of, regress

RATIO = 2.0


def levels(count):
    return 100.0 * RATIO ** np.arange(count)


def table(rng, count=4, exponent=-1.0, spread=0.01):
    n = levels(count)
    return {"n": n, "risk": 3.0 * n**exponent * np.exp(spread * rng.normal(size=count))}


def fitted(measured, axes=("n",)):
    cells = cells_of(measured, Columns(risk="risk", axes=axes))
    seen = log_risk(cells)
    design = np.column_stack([np.ones(seen.y.size), *(np.log(cells.axes[a]) for a in axes)])
    return Fitted(cells, axes, design, seen, regress(design, seen))


@pytest.mark.parametrize(("count", "added"), [(4, 1), (4, 3), (7, 2)])
def test_the_width_foreseen_is_the_closed_form(count, added):
    found = fitted(table(np.random.default_rng(0), count))
    now = exponent_of(found.fit, 1)
    then = with_levels(found, 0, now, added)
    # Σ(x − x̄)² of k equidistant points is proportional to k(k² − 1).
    squares = [k * (k**2 - 1) for k in (count, count + added)]
    assert then.standard_error / now.standard_error == pytest.approx((squares[0] / squares[1]) ** 0.5)
    quantile = stats.t.isf(0.01, count - 2 + added)
    assert half_width(then, 0.01) == pytest.approx(quantile * then.standard_error)


def test_a_level_of_one_axis_repeats_the_cells_of_the_others():
    n, m = (column.ravel() for column in np.meshgrid(levels(4), [1.0, 4.0, 16.0]))
    noise = np.exp(0.02 * np.random.default_rng(1).normal(size=n.size))
    found = fitted({"n": n, "m": m, "risk": noise / n / m}, ("n", "m"))
    now = exponent_of(found.fit, 1)
    then = with_levels(found, 0, now, 2)
    more = [column.ravel() for column in np.meshgrid(levels(6), [1.0, 4.0, 16.0])]
    grids = [np.column_stack([np.ones(len(x[0])), *map(np.log, x)]) for x in ((n, m), more)]
    before, after = (np.sqrt(np.linalg.inv(g.T @ g)[1, 1]) for g in grids)
    assert then.standard_error / now.standard_error == pytest.approx(after / before)
    assert then.degrees_of_freedom == now.degrees_of_freedom + 6


ADDED = {f"{added} further level": added for added in range(1, 5)}


def test_who_follows_the_advice_mostly_has_a_verdict():
    # The estimate moves with the new cells, so that some stay open: 9 of 10 were decided when this was
    # written. Fewer than 36 of 60 have probability < 1e-6 at 0.85.
    rng = np.random.default_rng(2)
    options = {"claimed": {"n": -1.0}, "tolerance": 0.05, "alpha": 0.001}
    decided, asked = 0, 0
    while asked < 60:
        short = table(rng)
        said = fit_rate(short, "risk", ["n"], **options)["n"].advice
        added = next((count for words, count in ADDED.items() if said.startswith(words)), 0)
        if not added:
            continue
        asked += 1
        longer = table(rng, count=4 + added)
        longer["risk"][:4] = short["risk"]
        decided += fit_rate(longer, "risk", ["n"], **options)["n"].verdict is not Verdict.INCONCLUSIVE
    assert decided >= 36


def test_advice_is_given_where_something_is_open_and_only_there():
    rng = np.random.default_rng(3)
    options = {"claimed": {"n": -1.0}, "alpha": 0.001}
    assert fit_rate(table(rng, 9), "risk", ["n"], **options)["n"].advice == ""
    assert fit_rate(table(rng, 9), "risk", ["n"])["n"].advice == ""
    beyond = fit_rate(table(rng, 4, exponent=-0.9), "risk", ["n"], **options)["n"]
    assert beyond.verdict is Verdict.INCONCLUSIVE
    assert "of n, up to" in beyond.advice
    hopeless = fit_rate(table(rng, 4, spread=3.0), "risk", ["n"], **options)["n"]
    assert "times as many trials" in hopeless.advice
    n = levels(7)
    floor = fit_rate({"n": n, "risk": 1.0 / n + 1e-3}, "risk", ["n"], **options)["n"]
    assert "where the slope has settled" in floor.advice
    faster = fit_rate(table(rng, 7, exponent=-1.3), "risk", ["n"], side=Side.UPPER, **options)["n"]
    assert faster.verdict is Verdict.CONSISTENT


def test_no_number_of_levels_is_advised_where_a_floor_bends_the_line():
    rng, options = np.random.default_rng(6), {"claimed": {"n": -1.0}, "alpha": 0.001}
    n = levels(9)
    said = [
        fit_rate(
            {"n": n, "risk": (1.0 / n + 1e-5) * np.exp(0.02 * rng.normal(size=9))}, "risk", ["n"], **options
        )
        for _ in range(60)
    ]
    open_ = [fit["n"].advice for fit in said if fit.verdict is Verdict.INCONCLUSIVE]
    assert len(open_) > 30
    assert sum("up to" in advice for advice in open_) <= 0.1 * len(open_)


# --- Two errors, each with a level of its own --------------------------------------------------------------


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_a_wrong_slope_passes_no_more_often_than_equivalence_alpha(level):
    # On the boundary, −0.95 where −1 ± 0.05 is claimed. The limit of a t interval with equal variances is
    # exact, and the errors of the fit are at least those. The threshold is passed with probability < 1e-6.
    rng, runs = np.random.default_rng(4), 300
    passed = sum(
        fit_rate(
            table(rng, 6, exponent=-0.95, spread=0.005), "risk", ["n"], {"n": -1.0}, 0.05,
            alpha=1e-4, equivalence_alpha=level,
        ).verdict
        is Verdict.CONSISTENT
        for _ in range(runs)
    )  # fmt: skip
    assert passed <= stats.binom.isf(1e-6, runs, level)
    assert passed > 0, "the interval never fits: the test would not notice a level that is too small"
