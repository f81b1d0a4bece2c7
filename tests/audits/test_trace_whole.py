"""Whole noise hides whole differences alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from audits.trace import trace_privacy


@pytest.mark.parametrize(
    ("unit", "then", "verdict"),
    [
        (1.0, 1.0, "nothing-found"),
        (1.0, math.sqrt(3.0), "nothing-found"),  # multiplied with its noise
        (2.0, 1.0, "nothing-found"),
        (math.sqrt(3.0), 1.0, "lost"),  # the entry of the record is the only one that is no whole number
        (0.5, 1.0, "lost"),
    ],
)
def test_whole_noise_on_a_fraction_has_no_cost_that_is_known(unit: float, then: float, verdict: str) -> None:
    def program(data, rng):
        noise = rng.geometric(0.5, size=3) - rng.geometric(0.5, size=3)
        return (np.eye(3)[data[0]] * unit + noise) * then

    pairs = [(np.array([0]), np.array([1]))]
    result = trace_privacy(program, pairs, epsilon=3.0, adjacency="replace", seeds=2, black_box=False)
    assert result.verdict == verdict, result.summary()
