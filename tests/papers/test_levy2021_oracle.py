"""The exact output laws behind levy2021/sampler-laws against independent oracles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from claims.levy2021 import _oracle
from claims.levy2021.pure_lower_bound import least_error, packing_error


@pytest.mark.parametrize("terms", [1, 2])
def test_tails_are_convolutions(terms):
    # The sum of 2·terms variables is the convolution of the sum of `terms` with itself.
    def half(x):
        return _oracle.SumLaw(np.ones(1), np.zeros(1), 1.0, terms).cdf(np.array([x]))[0]

    def density(x, h=1e-5):
        return (half(x + h) - half(x - h)) / (2.0 * h)

    double = _oracle.SumLaw(np.ones(1), np.zeros(1), 1.0, 2 * terms)
    for x in (-2.0, 0.5, 3.0):
        value, _ = quad(lambda u, x=x: half(x - u) * density(u), -40.0, 40.0, points=[0.0, x], limit=400)
        assert double.cdf(np.array([x]))[0] == pytest.approx(value, abs=1e-6)


def test_selection_without_noise_is_the_best_of_a_geometric_number():
    # A huge budget: scores are the losses, and candidate 0 is the best where it is drawn at all.
    stop, k = 0.3, 3
    losses = np.tile([-3.0, 1.0, 3.0], (5, 1))
    law = _oracle.selection(losses, 500.0, 1.0, 4.0, stop)
    kept = [stop * sum((1 - stop) ** m * ((k - i) / k) ** (m + 1) for m in range(400)) for i in range(4)]
    np.testing.assert_allclose(law, -np.diff(kept), atol=1e-9)


def test_least_error_of_two_types_is_randomised_response():
    assert least_error(1, 2, 1.0) == pytest.approx(1.0 / (1.0 + np.e))
    assert least_error(2, 3, 0.5) >= packing_error(2, 3, 0.5) - 1e-9


def test_independent_draws_are_uniform_apart_and_shared_noise_is_not():
    from claims import drawn_from
    from claims.levy2021 import sampler_laws

    rng = np.random.default_rng(3)
    law = _oracle.SumLaw(np.ones(1), np.zeros(1), 1.0, 1)
    x, y = rng.laplace(size=(2, 20_000))
    for second, verdict in ((y, "CONSISTENT"), (x, "REFUTED"), (0.8 * x + 0.2 * y, "REFUTED")):
        quantity, draws, uniform = sampler_laws.apart("two", ("x", x, law.cdf), ("y", second, law.cdf))
        assert drawn_from(quantity, draws, uniform, alpha=1e-6).verdict == verdict
