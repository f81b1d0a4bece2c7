"""TDLap, the deletion sensitivity of means and the parameters of Algorithm 1 of ghazi2023."""

from __future__ import annotations

import math

import numpy as np
import pytest

from implementations.ghazi2023 import del_output_pert, truncated_laplace
from implementations.ghazi2023.deletion_sensitivity import (
    brute_force,
    mean_sensitivity,
)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 2.5])
@pytest.mark.parametrize("delta", [0.5, 1e-2, 1e-9])
def test_mass_is_proportional_to_the_printed_density(epsilon: float, delta: float) -> None:
    kappa = truncated_laplace.half_width(epsilon, delta)
    assert kappa >= 1 + math.log(1 / delta) / epsilon > kappa - 1
    mass = truncated_laplace.mass(epsilon, delta)
    assert mass.size == 2 * kappa + 1
    assert mass.sum() == pytest.approx(1.0, abs=1e-12)
    for x in range(2 * kappa + 1):  # the printed density, one value at a time
        assert mass[x] / mass[kappa] == pytest.approx(math.exp(-epsilon * abs(x - kappa)), rel=1e-10)
    tail = truncated_laplace.upper_tail(epsilon, delta)
    assert tail[-1] == 0.0
    assert tail[0] == pytest.approx(1.0)
    assert tail[kappa] == pytest.approx((1.0 + mass[kappa]) / 2.0)


@pytest.mark.parametrize("n", [3, 4, 6, 7])
def test_closed_form_of_the_mean(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(10):
        x = rng.choice([-3.0, 0.0, 0.5, 2.0, 10.0], size=n)
        for r in range(n - 1):
            expected = brute_force(
                lambda y: np.array([sum(y) / len(y)]) if y else np.zeros(1), tuple(x), r, empty=False
            )
            assert float(mean_sensitivity(x, r)) == pytest.approx(expected, abs=1e-12)
    batch = rng.normal(size=(4, n))
    assert mean_sensitivity(batch, 1).tolist() == pytest.approx(
        [float(mean_sensitivity(row, 1)) for row in batch]
    )


def test_parameters_of_algorithm_1_by_hand() -> None:
    p = del_output_pert.parameters(1.0, 0.5, 2.0)
    delta_bar = 0.5 / (math.exp(0.5) + 2.0)
    assert p.test_delta == pytest.approx(delta_bar)
    assert p.kappa == 1 + math.ceil(2 * math.log(1 / delta_bar)) == 5
    assert p.sigma == pytest.approx(2 * math.sqrt(math.log(2 / delta_bar)) * 8 * 5 * 2.0 / 0.5)
