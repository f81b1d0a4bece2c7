"""Section 5 of song2021, Lemma B.3: the mathematics of the claims by other means."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from scipy import integrate, optimize

from claims.song2021 import lemma_5_1, lemma_b_3, theorem_d_4
from implementations.song2021 import logistic_instance

# --- Lemma B.3 ------------------------------------------------------------------------------------------


def program(factor, delta, atoms, centre):
    """The same supremum on many atoms by SciPy's solver, with slacks for the two hockey-stick divergences."""
    k = len(atoms)
    best = -np.inf
    for sign in (1, -1):
        cost = np.concatenate(
            [-sign * atoms, sign * atoms + (factor - 1) * np.abs(atoms - centre), np.zeros(2 * k)]
        )
        eye, zero = np.eye(k), np.zeros((k, k))
        upper = np.block(
            [
                [eye, -factor * eye, -eye, zero],
                [-factor * eye, eye, zero, -eye],
                [np.zeros((1, 2 * k)), np.ones((1, k)), np.zeros((1, k))],
                [np.zeros((1, 3 * k)), np.ones((1, k))],
            ]
        )
        right = np.concatenate([np.zeros(2 * k), [delta, delta]])
        total = np.zeros((2, 4 * k))
        total[0, :k] = total[1, k : 2 * k] = 1
        result = optimize.linprog(cost, A_ub=upper, b_ub=right, A_eq=total, b_eq=[1, 1])
        best = max(best, -result.fun)
    return best


@pytest.mark.parametrize(
    ("factor", "delta", "centre"),
    [
        ("3/2", "1/10", "0"),
        ("27/10", "0", "0"),
        ("11/10", "1/100", "1/2"),
        ("3", "1/3", "-3/4"),
        ("2", "1/20", "2"),
    ],
)
def test_three_atoms_are_enough(factor, delta, centre):
    grid = np.linspace(-1.0, 1.0, 9)
    inside = min(max(F(centre), F(-1)), F(1))
    exact, _ = lemma_b_3.worst(F(factor), F(delta), sorted({F(-1), F(1), inside}), F(centre))
    numbers = float(F(factor)), float(F(delta)), float(F(centre))
    assert float(exact) == pytest.approx(program(numbers[0], numbers[1], grid, numbers[2]), abs=1e-7)


# --- Section 5 ----------------------------------------------------------------------------------------------


def test_failures_of_single_functions():
    f = lemma_5_1.clipped_surrogate.PiecewiseLinear((F(0), F(1)), (F(-3), F(-2), F(1)))
    assert lemma_5_1.surrogate_failures((f, F(1), (1,))) == {
        "functions": 1,
        "value": 0,
        "wrong": 0,
        "concave": 0,
    }
    assert lemma_5_1.proof_failures((f, F(1), (3, 4))) == {"functions": 1, "levels": 0, "d1": 0, "d2": 0}
    # at the norm 1 the last slope of f is the bound: no u exceeds it, and y₂ is infinite
    assert lemma_5_1.proof_failures((f, F(1), (1,))) == {"functions": 1, "levels": 0, "d1": 0, "d2": 0}
    assert lemma_5_1.clipped_surrogate.clip_levels(f, F(1)) == (F(1), math.inf)


@pytest.mark.parametrize("b", [1e-6, 0.01, 0.1, 0.24999])
def test_the_lines_of_theorem_d_4_that_hold_for_all_b(b):
    found = theorem_d_4.inequalities(b)
    r, q = math.log1p(b / (1.0 - 2.0 * b)), math.log1p(0.5 * b / (1.0 - b))
    low, high, curvature = (left for left, _ in list(found.values())[:3])
    assert low == pytest.approx(2.0 / 3.0 * ((1.0 - b) * r / b - math.log(2.0)), abs=1e-8)
    assert high == pytest.approx(2.0 / 3.0 * (math.log(2.0) - (1.0 - b) * q / b), abs=1e-8)
    assert curvature == pytest.approx((1.0 - b / 2.0) / 12.0)
    assert r == pytest.approx(integrate.quad(lambda s: 1.0 / (1.0 - s), b, 2.0 * b)[0])
    # The bounds that the docstring draws from them.
    assert low >= 2.0 / 3.0 * (1.0 - math.log(2.0)) - 1e-8
    assert high >= 2.0 / 3.0 * (math.log(2.0) - 0.5) - 1e-8
    assert curvature >= 7.0 / 96.0
    excess = logistic_instance.risk(np.array(math.log(1.0 / b - 1.0))) - math.log(2.0)
    closed = (2.0 * math.log1p(math.sqrt(b / (1.0 - b))) + math.log(1.0 / b)) / 3.0 - math.log(2.0)
    assert excess == pytest.approx(closed)
