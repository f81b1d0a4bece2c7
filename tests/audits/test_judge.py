"""The vocabulary of judging against independent oracles; `drawn_from` by its false-alarm rate, too."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, norm, t

from audits import judge
from audits.evidence import Evidence, Verdict, combine

CONFIRMED, CONSISTENT = Verdict.CONFIRMED, Verdict.CONSISTENT
REFUTED, INCONCLUSIVE = Verdict.REFUTED, Verdict.INCONCLUSIVE
fractions = st.fractions(-3, 3, max_denominator=10**6)
reals = st.floats(-1e6, 1e6)


# --- Exact values --------------------------------------------------------------------------------------


@given(fractions, fractions)
def test_rational_numbers_are_compared_without_slack(measured, claimed):
    expected = {
        "at_most": measured <= claimed,
        "at_least": measured >= claimed,
        "equals": measured == claimed,
    }
    for name, holds in expected.items():
        found = getattr(judge, name)("q", measured, claimed)
        assert found.verdict is (CONFIRMED if holds else REFUTED)
        assert (found.estimate, found.claimed) == (float(measured), float(claimed))


def test_counts_are_compared_without_slack_whatever_their_type():
    many = 10**12
    for one in (1, np.int64(1)):
        assert judge.at_most("count", many + one, many).verdict is REFUTED
        assert judge.at_least("count", many - one, many).verdict is REFUTED
        assert judge.equals("count", many + one, many).verdict is REFUTED
    assert judge.equals("count", np.int64(many), many).verdict is CONFIRMED


@given(reals, reals)
def test_floats_have_the_slack_of_rounding_and_no_more(measured, claimed):
    a, b = Fraction(measured), Fraction(claimed)
    slack = abs(b) * Fraction(1, 10**9) + Fraction(1, 10**300)
    above, below = judge.at_most("q", measured, claimed), judge.at_least("q", measured, claimed)
    if a <= b:
        assert above.verdict is CONFIRMED
    if a >= b:
        assert below.verdict is CONFIRMED
    if a > b + 2 * slack:
        assert above.verdict is REFUTED
    if a < b - 2 * slack:
        assert below.verdict is REFUTED
    both = judge.equals("q", measured, claimed).verdict
    assert both is (CONFIRMED if {above.verdict, below.verdict} == {CONFIRMED} else REFUTED)


@given(st.integers(-40, 40), st.integers(-40, 40), st.integers(1, 12))
def test_a_numerical_error_leaves_open_what_it_may_change(measured, claimed, error):
    # Quarters are exact in binary. The true value may be anything in [measured − error, measured + error].
    m, c, e = measured / 4, claimed / 4, error / 4
    found = judge.at_most("q", m, c, error=e)
    certain = CONFIRMED if measured + error <= claimed else REFUTED if measured - error > claimed else None
    assert found.verdict is (certain or INCONCLUSIVE)
    assert (found.low, found.high) == (m - e, m + e)
    assert judge.at_least("q", -m, -c, error=e).verdict is found.verdict
    apart = abs(measured - claimed) > error
    assert judge.equals("q", m, c, error=e).verdict is (REFUTED if apart else CONFIRMED)


def test_infinite_bounds():
    assert judge.at_most("q", 1.0, math.inf).verdict is CONFIRMED
    assert judge.at_most("q", 1.0, -math.inf).verdict is REFUTED
    assert judge.at_least("q", 1.0, math.inf).verdict is REFUTED
    assert judge.at_most("q", math.inf, 1.0).verdict is REFUTED
    assert judge.equals("q", math.inf, math.inf).verdict is CONFIRMED


def test_an_instance_of_a_statement_about_all_can_only_refute():
    assert judge.at_most("q", 1.0, 2.0, decides=False).verdict is None
    assert judge.at_most("q", 1.0, 1.1, error=0.5, decides=False).verdict is None
    assert judge.at_most("q", 3.0, 2.0, decides=False).verdict is REFUTED


def test_context_and_what_is_left_open():
    shown = judge.reported("q", Fraction(1, 4), claimed=2, point={"n": np.int64(3)}, note="why")
    assert (shown.verdict, shown.estimate, shown.claimed, shown.note) == (None, 0.25, 2.0, "why")
    assert shown.point == {"n": 3}
    assert type(shown.point["n"]) is int
    left = judge.undecided("q", 0.5, "too few users")
    assert (left.verdict, left.note, left.claimed) == (INCONCLUSIVE, "too few users", None)


# --- Samples -------------------------------------------------------------------------------------------


def test_limits_of_a_symmetric_sample_are_those_of_student():
    half = np.random.default_rng(0).normal(0.0, 1.0, 50)
    values = np.concatenate([half, -half]) + 3.0
    se = values.std(ddof=1) / 10.0
    upper = judge.mean_at_most("q", values, 3.0, alpha=1e-3, point={"n": np.float64(2.0)})
    assert (upper.low, upper.high) == pytest.approx((3.0 - t.isf(1e-3, 99) * se, 3.0 + t.isf(1e-3, 99) * se))
    assert upper.point == {"n": 2.0}
    tight = judge.mean_equals("q", values, 3.0, alpha=1e-3)
    assert tight.high - tight.estimate == pytest.approx(t.isf(5e-4, 99) * se)
    assert (tight.alpha_spent, tight.confidence) == (1e-3, 0.999)


def test_a_reported_mean_has_the_interval_of_student():
    values = np.random.default_rng(3).exponential(1.0, 200)
    found = judge.sample_mean("mean", values, point={"n": 4}, note="context")
    oracle = t.interval(judge.CONFIDENCE, 199, loc=values.mean(), scale=values.std(ddof=1) / math.sqrt(200))
    assert (found.low, found.high) == pytest.approx(oracle)
    assert (found.verdict, found.point, found.samples, found.alpha_spent) == (None, {"n": 4}, 200, 0.0)


def test_a_constant_is_simultaneous_over_the_cells():
    means, errors = [1.0, 2.0, 1.9], [0.1, 0.1, 0.5]
    points = [{"cell": k} for k in range(3)]
    top = judge.constant("top", means, errors, 50, points=points)
    reach = t.isf(0.0015 / 3, 49)
    assert top.point == {"cell": 1}
    assert (top.low, top.high) == pytest.approx((2.0 - 0.1 * reach, 1.9 + 0.5 * reach))
    least = judge.constant("least", [-m for m in means], errors, [50] * 3, points=points, least=True)
    assert (least.low, least.high, least.point) == (-top.high, -top.low, top.point)
    assert top.samples == least.samples == 150


# --- Draws --------------------------------------------------------------------------------------------


def test_distance_is_kolmogorovs():
    draws = np.random.default_rng(0).standard_normal(1000)
    found = judge.drawn_from("normal", draws, norm.cdf, alpha=1e-6)
    assert found.estimate == pytest.approx(kstest(draws, "norm").statistic)
    assert found.verdict is CONSISTENT
    assert found.alpha_spent == 1e-6


def test_false_alarms_keep_the_level():
    # 500 tests at 0.01: 5 expected; 24 has probability below 1e-8.
    rng = np.random.default_rng(1)
    runs = [judge.drawn_from("U", rng.random(200), lambda x: x, alpha=0.01) for _ in range(500)]
    assert sum(e.verdict is REFUTED for e in runs) < 24


def test_a_law_at_the_resolution_is_caught():
    # A part r of the mass moved from the lower to the upper half is r away: caught with
    # probability ≥ 0.9: of 200 runs fewer than 150 has probability below 1e-8.
    rng = np.random.default_rng(2)
    n = 5000
    r = judge.drawn_from("U", rng.random(n), lambda x: x, alpha=1e-4).resolution
    assert r is not None
    caught = 0
    for _ in range(200):
        u = rng.random(n)
        moved = np.where((u < 0.5) & (rng.random(n) < 2.0 * r), u + 0.5, u)
        caught += judge.drawn_from("U", moved, lambda x: x, alpha=1e-4).verdict is REFUTED
    assert caught >= 150


# --- Many pieces ---------------------------------------------------------------------------------------


def piece(estimate, verdict, claimed=1.0, alpha=0.0):
    return Evidence(
        quantity="q", estimate=estimate, low=-9.0, high=9.0, confidence=0.9, method="t", claimed=claimed,
        verdict=verdict, resolution=1.0, alpha_spent=alpha,
    )  # fmt: skip


def test_the_deciding_piece_comes_first():
    far, near = piece(0.1, CONSISTENT), piece(0.9, CONSISTENT)
    a_little, a_lot = piece(1.5, REFUTED), piece(5.0, REFUTED)
    left_open, context = piece(0.5, INCONCLUSIVE), piece(7.0, None)
    found = judge.deciding_first([context, far, a_little, left_open, near, a_lot])
    assert found == (a_lot, a_little, left_open, near, far, context)
    # Units are those of the claimed value: 3 below 4 is nearer than 1 below 2.
    assert judge.deciding_first([piece(1.0, CONSISTENT, 2.0), piece(3.0, CONSISTENT, 4.0)])[0].estimate == 3.0
    # Both infinite: no distance, and no failure.
    infinite = Evidence(
        quantity="q", estimate=math.inf, low=0.0, high=math.inf, confidence=1.0, method="t", claimed=math.inf,
        verdict=CONFIRMED,
    )  # fmt: skip
    assert judge.deciding_first([infinite]) == (infinite,)


def test_one_piece_stands_for_many_and_spends_what_they_spent():
    pieces = [piece(0.2, CONSISTENT, alpha=1e-3), piece(0.9, CONSISTENT, alpha=2e-3)]
    shown = judge.decisive(pieces)
    assert (shown.estimate, shown.alpha_spent) == (0.9, pytest.approx(3e-3))
    assert judge.decisive(pieces, lambda e: -e.estimate).estimate == 0.2
    assert judge.decisive([*pieces, piece(1.0, REFUTED)], lambda e: -e.estimate).verdict is REFUTED


def test_cells_are_the_combinations_that_occur():
    rows = pd.DataFrame({"n": [2, 1, 2], "d": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]})
    found = judge.cells(rows, ["n", "d"])
    assert [(point, part["x"].tolist()) for point, part in found] == [
        ({"n": 2, "d": "a"}, [1.0, 3.0]),
        ({"n": 1, "d": "b"}, [2.0]),
    ]
    assert type(found[0][0]["n"]) is int


# --- The sandwich --------------------------------------------------------------------------------------


def normals(rng, mean, trials=60):
    return rng.normal(mean, 0.3, trials)


def test_both_halves_of_a_sandwich_are_needed():
    rng = np.random.default_rng(6)
    above, low = {"a": normals(rng, 2.0), "b": normals(rng, 3.0)}, {"open": normals(rng, 0.2)}
    found = judge.sandwich(above, 1.0, low, alpha=1e-3, point={"n": 5})
    assert combine(found) is CONSISTENT
    assert [e.quantity for e in found] == ["error of a", "error of b", "error of open, without privacy"]
    assert math.fsum(e.alpha_spent for e in found) == pytest.approx(1e-3)
    assert all(e.point == {"n": 5} for e in found)
    # Without a mechanism below the bound the instance may be hard for everybody.
    for open_ in ({}, {"a": normals(rng, 1.5)}, {"a": normals(rng, 1.0)}, {"a": np.full(60, 1.2)}):
        assert combine(judge.sandwich(above, 1.0, open_, alpha=1e-3)) is INCONCLUSIVE
    # A deterministic mechanism has the same error in every trial; the best mechanism counts.
    best = {"bad": normals(rng, 4.0), "good": np.full(60, 0.2)}
    assert combine(judge.sandwich(above, 1.0, best, alpha=1e-3)) is CONSISTENT


def test_a_private_mechanism_near_the_bound_is_left_open():
    values = {"a": np.random.default_rng(7).normal(1.02, 0.3, 60)}
    found = judge.sandwich(values, 1.0, {"open": np.zeros(60)}, alpha=1e-3)
    assert found[0].verdict is INCONCLUSIVE
    assert "below the bound" in found[0].note


def test_a_private_mechanism_of_one_value_is_shown_where_it_is_above():
    others = {"a": normals(np.random.default_rng(8), 2.0), "same": np.full(60, 1.5)}
    found = judge.sandwich(others, 1.0, {"open": np.zeros(60)}, alpha=1e-3)
    assert (found[1].verdict, found[1].estimate) == (None, 1.5)
    below = judge.sandwich({"same": np.full(60, 0.5)}, 1.0, {"open": np.zeros(60)}, alpha=1e-3)
    # Equal values in so many trials do not bound the mean: nothing is refuted and nothing passes.
    assert below[0].verdict is INCONCLUSIVE


def test_equal_errors_below_the_bound_refute_it_where_errors_have_a_ceiling():
    claimed, ceiling, alpha = 0.05, 1.0, 1e-3
    # The law of mean `claimed` that most often gives equal trials below it: 0, or the ceiling.
    least = math.ceil(math.log(alpha) / math.log1p(-claimed / ceiling)) + 1
    for trials, verdict in ((least - 1, INCONCLUSIVE), (least, REFUTED)):
        found = judge.sandwich({"a": np.zeros(trials)}, claimed, {}, alpha=alpha, ceiling=ceiling)[0]
        assert found.verdict is verdict
        assert (found.high < claimed) is (verdict is REFUTED)
    assert (1.0 - claimed / ceiling) ** least <= alpha
    with pytest.raises(ValueError, match=r"ceiling must be at least the largest error, 2, got 1"):
        judge.sandwich({"a": np.full(9, 2.0)}, claimed, {}, alpha=alpha, ceiling=ceiling)


def test_a_private_mechanism_below_the_bound_refutes_it():
    rng = np.random.default_rng(9)
    private = {"a": normals(rng, 2.0), "b": normals(rng, 0.5)}
    found = judge.sandwich(private, 1.0, {"open": normals(rng, 0.2)}, alpha=1e-5)
    assert [e.verdict for e in found] == [CONSISTENT, REFUTED, None]
    assert combine(judge.sandwich({"b": normals(rng, 0.5)}, 1.0, {}, alpha=1e-5)) is REFUTED
