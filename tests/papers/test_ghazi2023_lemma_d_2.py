"""The tail of Lemma D.2's proof against mpmath."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claims.ghazi2023.lemma_d_2 import log_tail

EPS = float(np.finfo(float).eps)
POINTS = [
    *((d, 70.0 * math.sqrt(d)) for d in (7, 8, 10, 100, 6000)),  # of the printed step
    *((d, 70.0 * d) for d in (2, 3, 10, 100, 1000, 10_000)),  # of the corrected one
    (5, 0.01),
    (10_001, 9_000.0),
    (1_000_000, 1_000_000.0),
]


@pytest.mark.parametrize(("d", "factor"), POINTS)
def test_log_tail_is_the_regularised_upper_gamma_function(d: int, factor: float) -> None:
    """Γ(a, x)/Γ(a) with a = (d − 1)/2 and x = factor/2, at every point of the claims and at d = 10⁶.

    The error is at most four roundings of what is added up, a·log x, x and log Γ(a), and one for each of the
    a terms: below 10⁻⁹ at every point of the claims, which hold it against −10d.
    """
    mpmath = pytest.importorskip("mpmath", reason="the dev extra has mpmath")
    a, x = (d - 1) / 2.0, factor / 2.0
    with mpmath.workdps(40):
        # P(U ≥ factor) = 1 − P(U < factor) loses the digits of a small tail: the upper function keeps them.
        exact = mpmath.log(mpmath.gammainc(mpmath.mpf(a), mpmath.mpf(x), regularized=True))
        error = abs(float(mpmath.mpf(log_tail(d, factor)) - exact))
    allowed = EPS * (4.0 * (a * abs(math.log(x)) + x + abs(math.lgamma(a))) + a + 4.0)
    assert error <= allowed
    if d <= 10_000:
        assert allowed < 1e-9
