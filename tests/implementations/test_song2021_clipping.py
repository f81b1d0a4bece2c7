"""Clipped gradients of song2021 in little memory; what they are is held in the claims."""

import tracemalloc

import numpy as np

from implementations import losses
from implementations.interfaces import Problem
from implementations.song2021 import clipped_dp_gd


def test_clipped_gradient_of_many_parameters_is_taken_in_parts():
    """The same numbers, and memory that does not grow with the slopes of all records at all θ."""
    rng = np.random.default_rng(1)
    problem = Problem(rng.normal(size=(50, 2)), rng.normal(size=50), losses.huber(1.0))
    theta = rng.normal(size=(4, 5_001, 2))
    whole = clipped_dp_gd.clipped_gradient(problem, 0.3)(theta)
    gradient = clipped_dp_gd.clipped_gradient(problem, 0.3, most_bytes=50 * 8 * 1_000)
    tracemalloc.start()
    try:
        parts = gradient(theta)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-15)
    assert parts.shape == theta.shape
    assert peak < 4e6  # all slopes at once are 8 MB, and there are several such arrays
