"""The computations behind the findings of song2021, against closed forms, quadrature and brute force."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from claims.song2021 import footnote_4, theorem_3_1, theorem_b_1


@pytest.mark.parametrize(("ratio", "freedom", "epsilon"), [(1.4, 1, 1.0), (1.1, 3, 0.2), (2.0, 2, 0.0)])
def test_the_divergence_of_scales_is_that_of_the_densities(ratio, freedom, epsilon):
    wide, narrow = stats.chi2(freedom, scale=ratio**2), stats.chi2(freedom)
    u = np.linspace(1e-9, 20.0, 200_001)  # s = u²: the densities of one degree of freedom end at u = 0
    excess = np.maximum(wide.pdf(u**2) - math.exp(epsilon) * narrow.pdf(u**2), 0.0) * 2.0 * u
    stated = integrate.trapezoid(excess, u)
    assert theorem_3_1.scale_divergence(ratio, freedom, epsilon) == pytest.approx(stated, abs=2e-6)


def test_a_public_radius_and_rank_give_the_printed_bound_where_they_are_exact():
    point = {"n": 50, "epsilon": 0.7, "delta": 1e-4, "rank": 3}
    exact = theorem_3_1.bound_of(point, "calibrated")
    assert theorem_3_1.bound_of({**point, "radius": 1.0, "slack": 1}, "calibrated") == exact
    # (R + 1/R)/2 at R = 4, and the least of it at R = 1.
    assert theorem_3_1.bound_of({**point, "radius": 4.0}, "calibrated") == pytest.approx(2.125 * exact)
    assert theorem_3_1.bound_of({**point, "radius": 0.5}, "calibrated") == pytest.approx(1.25 * exact)
    assert theorem_3_1.bound_of({**point, "slack": 2}, "calibrated") < math.sqrt(2.0) * exact


@pytest.mark.parametrize("epsilon", [0.01, 0.04, 0.3])
def test_the_worst_dataset_of_the_signs_is_at_two_over_epsilon(epsilon):
    cost, s = footnote_4.worst_cost(epsilon)
    assert s == pytest.approx(2.0 / epsilon, abs=1.0)
    assert cost <= (1.0 + 1e-12) / (math.e * epsilon)
    assert cost == pytest.approx(1.0 / (math.e * epsilon), rel=0.02)


@pytest.mark.parametrize("presence", [0.6, 1.0])
def test_the_budget_a_cheater_may_spend_at_probabilities_zero_and_one(presence):
    d, n, epsilon = 8, 40, 0.1
    point = {"presence": presence, "d": d, "n": n, "epsilon": epsilon}
    (found,) = theorem_b_1.overspending_evidence(point, 0.1)
    counts = np.arange(n + 1)

    def excess(times):
        seen = stats.binom.pmf(counts, n, presence / d)
        return float(seen @ (0.5 * np.exp(-0.5 * times * epsilon * counts)))

    assert excess(found.estimate) >= 0.1 > excess(2.0 * found.estimate)
