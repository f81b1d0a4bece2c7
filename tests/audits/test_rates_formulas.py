"""Formulas of a rate's fit, each held against one written in another way; levels and signs among them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from audits.evidence import Side
from audits.rates import compare_forms, fit_rate
from audits.rates.cells import Cells, log_risk
from audits.rates.exponents import Exponent, compare_exponents


def test_the_error_of_a_cell_is_that_of_a_mean_of_independent_rows() -> None:
    rng = np.random.default_rng(1)
    n = np.repeat([10.0, 20.0, 40.0, 80.0], 12)
    risk = (1.0 + 0.1 * rng.normal(size=n.size)) / n
    found = fit_rate({"n": n, "risk": risk}, "risk", ["n"]).cells["standard_error"]
    np.testing.assert_allclose(found, stats.sem(risk.reshape(4, 12), axis=1))
    # With few rows a cell the relative spread of all of them is one.
    few = fit_rate({"n": n[::3], "risk": risk[::3]}, "risk", ["n"]).cells
    rows = risk[::3].reshape(4, 4)
    spread = np.sqrt((rows / rows.mean(axis=1, keepdims=True)).var(axis=1, ddof=1).mean())
    np.testing.assert_allclose(few["standard_error"], rows.mean(axis=1) * spread / 2.0)


def test_the_logarithm_of_a_mean_is_corrected_towards_that_of_the_risk() -> None:
    """E log X of X ~ Normal(1, 0.1²) by quadrature: about −v/2, and what the fit adds takes it to 0."""
    error = 0.1
    law = stats.norm(1.0, error)
    mean, _ = integrate.quad(lambda x: math.log(x) * law.pdf(x), 0.2, 1.8)
    cells = Cells({"n": np.ones(1)}, np.ones(1), np.full(1, error), 1, math.inf, True)
    assert abs(mean + float(log_risk(cells).y[0])) < 0.05 * abs(mean)


@pytest.mark.parametrize(("side", "limits"), [(Side.TIGHT, 2.0), (Side.UPPER, 1.0)])
def test_the_error_is_split_over_the_axes_and_the_limits_that_refute(side: Side, limits: float) -> None:
    rng = np.random.default_rng(2)
    n, d = (a.ravel() for a in np.meshgrid(2.0 ** np.arange(4, 10), 2.0 ** np.arange(4)))
    table = {"n": n, "d": d, "risk": d / n * np.exp(0.05 * rng.normal(size=n.size))}
    fit = fit_rate(table, "risk", ["n", "d"], {"n": -1.0, "d": 1.0}, side=side, alpha=0.04)
    for axis in fit.axes:
        exponent, evidence = axis.exponent, axis.evidence
        assert exponent.degrees_of_freedom == n.size - 3
        width = stats.t.isf(0.04 / 2.0 / limits, n.size - 3) * exponent.standard_error
        ends = [x for x in (evidence.low, evidence.high) if math.isfinite(x)]
        np.testing.assert_allclose([abs(x - exponent.estimate) for x in ends], width)


def test_two_forms_are_compared_with_the_degrees_of_freedom_that_their_fits_leave() -> None:
    """Of 6 cells each form takes one constant: 5 are left to the weight's interval, (low, high) at 0.05."""
    n = np.geomspace(1e2, 1e4, 6)
    noise = np.exp(0.002 * np.random.default_rng(3).normal(size=6))
    choice = compare_forms({"n": n, "risk": np.log(n) / n * noise}, "risk", "log(n)/n", "n**-0.86")
    y = np.log(np.log(n) / n * noise)
    told = [np.log(n**-0.86), np.log(np.log(n) / n)]
    # A cell is foreseen by the constant of the others, nearly their mean distance in the logarithm.
    left_out = [t + (np.sum(y - t) - (y - t)) / 5.0 for t in told]
    design, rest = left_out[1] - left_out[0], y - left_out[0]
    weight = design @ rest / (design @ design)
    residual = rest - weight * design
    leverage = design**2 / (design @ design)
    hc3 = np.sqrt(np.sum((design * residual / (1.0 - leverage)) ** 2)) / (design @ design)
    model = np.sqrt(residual @ residual / 5.0 / (design @ design))
    assert choice.weight == pytest.approx(weight, rel=0.02)
    # The second prediction is that of the first form; errors are root mean squares of both.
    assert choice.errors == pytest.approx([np.sqrt(np.mean((y - t) ** 2)) for t in left_out[::-1]], rel=0.05)
    half = stats.t.isf(0.05, 5) * max(hc3, model)
    assert choice.high - choice.weight == pytest.approx(half, rel=0.03)


def test_a_change_of_exponents_has_welchs_interval_and_the_sign_of_harm() -> None:
    old = Exponent(estimate=-1.0, standard_error=0.03, degrees_of_freedom=8)
    new = Exponent(estimate=-0.7, standard_error=0.02, degrees_of_freedom=5)
    variances = np.array([0.02, 0.03]) ** 2
    df = variances.sum() ** 2 / (variances**2 / [5, 8]).sum()
    width = stats.t.isf(0.005, df) * math.sqrt(variances.sum())
    change = compare_exponents(new, old, alpha=0.01)
    assert (change.low, change.high) == pytest.approx((0.3 - width, 0.3 + width))
    answers = {
        (worse, sign): compare_exponents(*((new, old) if sign > 0 else (old, new)), worse=worse).answer
        for worse in ("higher", "lower", "either")
        for sign in (1, -1)
    }
    assert answers == {
        ("higher", 1): "worse", ("higher", -1): "better", ("lower", 1): "better", ("lower", -1): "worse",
        ("either", 1): "worse", ("either", -1): "worse",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("shift", "high", "low"), [(0.08, "undecided", "no worse"), (-0.08, "no worse", "undecided")]
)
def test_no_worse_is_one_sided(shift: float, high: str, low: str) -> None:
    """±0.08 with a standard error of 0.05: only in the direction of the shift is more than 0.05 open."""
    old = Exponent(estimate=-1.0, standard_error=0.03)
    new = Exponent(estimate=-1.0 + shift, standard_error=0.04)
    assert compare_exponents(new, old, worse="higher").answer == high
    assert compare_exponents(new, old, worse="lower").answer == low
    edge = stats.norm.isf(0.05) * 0.05
    for worse, sign in ("higher", 1.0), ("lower", -1.0):
        for beyond, answer in (-1e-6, "no worse"), (1e-6, "undecided"):
            moved = Exponent(estimate=-1.0 + sign * (0.05 - edge + beyond), standard_error=0.04)
            assert compare_exponents(moved, old, worse=worse).answer == answer
