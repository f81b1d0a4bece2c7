"""Algorithm 3 and the private selection do what they are for; laws and steps are held in the claims."""

from __future__ import annotations

import numpy as np
import pytest

from implementations.levy2021.concentration import Concentration
from implementations.levy2021.finite_class import learn_finite_class
from implementations.levy2021.first_order import (
    strongly_convex_sgd,
    winsorized_first_order,
)
from implementations.privacy import PrivacyBudget


def _identity(theta):
    return theta


def test_winsorized_first_order_finds_the_minimum():
    # The noise has variance below 1e-4 per step: the distance 0.2 is out of reach.
    rng = np.random.default_rng(3)
    n, d, steps = 60_000, 2, 4
    z = 0.01 * rng.standard_normal((1, n, d)) + 0.5
    method = strongly_convex_sgd(_identity, 1.0, 1.0, steps)
    final = winsorized_first_order(
        lambda theta: theta[:, None, :] - z, method, np.zeros((1, d)), steps, PrivacyBudget(1.0, 1e-3),
        Concentration(0.05, 3.0, 1e-6, failure=1e-3), rng, constants="tuned",
    )  # fmt: skip
    assert np.abs(final - 0.5).max() < 0.2
    with pytest.raises(ValueError, match="epsilon must be at most 1"):
        winsorized_first_order(
            lambda theta: theta[:, None, :] - z, method, np.zeros((1, d)), steps, PrivacyBudget(2.0, 1e-3),
            Concentration(0.05, 3.0, 1e-6), rng,
        )  # fmt: skip


def test_finite_class_prefers_the_best_candidate():
    rng = np.random.default_rng(6)
    losses = np.tile([0.5, -0.5, 0.45], (3000, 1)) + rng.uniform(-0.01, 0.01, (3000, 3))
    chosen = learn_finite_class(losses, 1.0, Concentration(0.02, 1.0), 0.05, 200, rng)
    # Best unless it is never drawn: probability Σ 0.05·0.95^{k−1}(2/3)^k < 0.1; > 60 of 200 below 1e-9.
    assert (chosen != 1).sum() < 60
