"""Link losses: slopes are subgradients within the Lipschitz bound, smooth ones match finite differences."""

import math

import numpy as np
import pytest

from implementations import losses

ALL = [
    losses.absolute(),
    losses.pinball(0.3),
    losses.hinge(0.5),
    losses.logistic(),
    losses.huber(0.4),
    losses.pseudo_huber(0.4),
    losses.linear(),
]


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
def test_slope_is_a_subgradient_within_the_lipschitz_bound(loss):
    z = np.linspace(-3.0, 3.0, 61)[:, None]
    other = np.linspace(-3.0, 3.0, 41)[None, :]
    for y in (-1.0, 1.0):
        slope = loss.slope(z, np.array(y))
        assert np.abs(slope).max() <= loss.lipschitz
        # convexity: φ(w) ≥ φ(z) + φ′(z)(w − z) for all z, w
        gap = loss.value(other, np.array(y)) - loss.value(z, np.array(y)) - slope * (other - z)
        assert gap.min() > -1e-12


@pytest.mark.parametrize("loss", [x for x in ALL if math.isfinite(x.smoothness)], ids=lambda loss: loss.name)
def test_smooth_slopes_match_finite_differences_and_their_smoothness(loss):
    z = np.linspace(-2.0, 2.0, 401) + 1e-3
    h = 1e-6
    y = np.array(1.0)
    numeric = (loss.value(z + h, y) - loss.value(z - h, y)) / (2 * h)
    assert np.allclose(numeric, loss.slope(z, y), atol=1e-8)
    second = np.abs(np.diff(loss.slope(z, y)) / np.diff(z))
    assert second.max() <= loss.smoothness * (1 + 1e-9) + 1e-12


def test_logistic_stays_finite_far_out():
    z = np.array([-1e6, 1e6])
    loss = losses.logistic()
    assert loss.value(z, np.array(1.0)).tolist() == [1e6, 0.0]
    assert loss.slope(z, np.array(1.0)).tolist() == [-1.0, 0.0]
