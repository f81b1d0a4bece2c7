"""Theorem D.4: the excess risk of the instance, against the same difference in 60 digits."""

import numpy as np
import pytest

from claims.song2021.theorem_d_4 import excess_risk


@pytest.mark.parametrize("theta", [1e-10, 1e-3, 1.0, -3.0, 20.0])
@pytest.mark.parametrize("n", [3, 4, 5, 7, 3_000, 50_000_000_001])
def test_the_excess_risk_is_exact_far_below_the_last_digit_of_the_risk(n, theta):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        negative = mpmath.mpf(n // 3) / n

        def risk(t):
            positive = (1 - negative) * mpmath.log1p(mpmath.exp(-t / 2))
            return positive + negative * mpmath.log1p(mpmath.exp(t))

        optimum = mpmath.findroot(lambda t: mpmath.diff(risk, t), 0)
        expected = risk(mpmath.mpf(theta)) - risk(optimum)
        found, least = excess_risk(np.array([theta]), n)
        assert float(found[0] / expected) == pytest.approx(1.0, abs=1e-11)
        assert least == pytest.approx(float(optimum), abs=1e-14)
