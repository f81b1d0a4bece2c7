"""Laws by quadrature, and a distance from a law that is allowed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from audits import laws
from audits.evidence import Verdict
from audits.judge import drawn_from

LAW = stats.norm().cdf


def test_distribution_function_is_that_of_the_density() -> None:
    cdf = laws.distribution_function(lambda x: -np.abs(x - 0.3), -40.0, 40.0, breaks=[0.3])
    x = np.linspace(-10, 10, 201)
    assert cdf(x) == pytest.approx(stats.laplace(0.3).cdf(x), abs=1e-13)


def test_an_allowed_distance_is_allowed_and_no_more() -> None:
    rng = np.random.default_rng(8)
    draws = 0.05 + rng.standard_normal(40_000)  # Kolmogorov distance 0.02
    assert drawn_from("x", draws, LAW, alpha=1e-6).verdict is Verdict.REFUTED
    assert drawn_from("x", draws, LAW, alpha=1e-6, allowed=0.02).verdict is Verdict.CONSISTENT
    assert drawn_from("x", 2.0 * draws, LAW, alpha=1e-6, allowed=0.02).verdict is Verdict.REFUTED
