"""Lemma B.2: moments and both sides against floating-point integration over the prior."""

from fractions import Fraction
from itertools import product

import pytest
from scipy import integrate, stats

from claims.song2021 import lemma_b_2 as claim


@pytest.mark.parametrize(("a", "b", "beta"), [(0, 0, 2), (3, 1, 2), (2, 2, 5)])
def test_moments_are_those_of_the_beta_law(a, b, beta):
    law = stats.beta(beta, beta)
    expected = integrate.quad(lambda p: p**a * (1 - p) ** b * law.pdf(p), 0, 1)[0]
    assert float(claim.moment(a, b, Fraction(beta))) == pytest.approx(expected, rel=1e-9)


def test_both_sides_are_the_integrals_of_the_statement():
    n, beta = 3, Fraction(2)
    f = [Fraction(v, 3) for v in (1, -2, 5, 0, 4, 4, -1, 7)]
    law = stats.beta(2, 2)

    def integrand(p, side):
        total = 0.0
        for value, z in zip(f, product((0, 1), repeat=n), strict=True):
            k = sum(z)
            weight = p**k * (1 - p) ** (n - k)
            if side == "left":
                total += weight * float(value) * (k - n * p)
            else:
                total += weight * 2 * ((float(value) - 0.5) ** 2 + (p - 0.5) ** 2 - (float(value) - p) ** 2)
        return total * law.pdf(p)

    assert float(claim.left(f, n, beta)) == pytest.approx(integrate.quad(integrand, 0, 1, ("left",))[0])
    assert float(claim.right(f, n, beta)) == pytest.approx(integrate.quad(integrand, 0, 1, ("right",))[0])


def test_the_line_is_that_of_the_conditional_means():
    # E[P | Z] from the moments, for every k of n = 5, and both sides of the line.
    n, beta = 5, Fraction(7, 3)
    for k in range(n + 1):
        mean = claim.moment(k + 1, n - k, beta) / claim.moment(k, n - k, beta)
        assert mean == (beta + k) / (2 * beta + n)
        assert k - n * mean == 2 * beta * (mean - Fraction(1, 2))
    assert claim.gap_of_the_line(4) == 0
