"""Laws: distribution functions against SciPy, both tails, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audits.laws import Finite, Gaussian, Laplace, Mixture

POINTS = np.array([-30.0, -9.0, -1.0, 0.3, 0.7, 2.0, 12.0, 36.0])


@pytest.mark.parametrize(
    ("law", "oracle"),
    [(Gaussian(0.3, 1.7), stats.norm(0.3, 1.7)), (Laplace(0.3, 1.7), stats.laplace(0.3, 1.7))],
)
def test_distribution_functions_agree_with_scipy_in_both_tails(law, oracle):
    np.testing.assert_allclose(law.cdf(POINTS), oracle.cdf(POINTS), rtol=1e-12)
    np.testing.assert_allclose(law.sf(POINTS), oracle.sf(POINTS), rtol=1e-12)


def test_the_distribution_function_of_a_mixture_is_the_weighted_sum():
    law = Mixture([0.25, 0.75], [Gaussian(0.0, 1.0), Laplace(2.0, 0.5)])
    parts = stats.norm(), stats.laplace(2.0, 0.5)
    np.testing.assert_allclose(law.cdf(POINTS), 0.25 * parts[0].cdf(POINTS) + 0.75 * parts[1].cdf(POINTS))
    np.testing.assert_allclose(
        law.sf(POINTS), 0.25 * parts[0].sf(POINTS) + 0.75 * parts[1].sf(POINTS), rtol=1e-12
    )


def test_a_vector_has_no_distribution_function():
    with pytest.raises(ValueError, match="mean must be one number for a distribution function"):
        Gaussian([0.0, 1.0], 1.0).cdf(0.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Gaussian(0.0, 0.0), "sd must be one number > 0, got 0.0"),
        (lambda: Gaussian(math.nan, 1.0), "mean must be finite"),
        (lambda: Gaussian([[0.0]], 1.0), "mean must be a number or a vector"),
        (lambda: Gaussian("x", 1.0), "mean must be numbers, got 'x'"),  # type: ignore[arg-type]
        (lambda: Laplace(0.0, -1.0), "scale must be one number > 0, got -1.0"),
        (lambda: Laplace([0.0], 1.0), "mean must be one number"),  # type: ignore[arg-type]
        (lambda: Finite([0.5, 0.6]), "add up to 1, got 1.1"),
        (lambda: Finite([-0.5, 1.5]), "probabilities must be ≥ 0, got -0.5"),
        (lambda: Finite([]), "non-empty"),
        (lambda: Finite([math.inf, 0.0]), "must be finite"),
        (lambda: Mixture([1.0], []), "one length, got 1 and 0"),
        (lambda: Mixture([0.4, 0.5], [Gaussian(0.0, 1.0)] * 2), "add up to 1"),
        (lambda: Mixture([1.0], [Gaussian([0.0, 1.0], 1.0)]), "scalar Gaussian or Laplace"),
        (lambda: Mixture([1.0], [Finite([1.0])]), "scalar Gaussian or Laplace"),  # type: ignore[list-item]
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
