"""Laws: distribution functions against SciPy, both tails, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from audits.laws import Gaussian, Laplace, Mixture

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
