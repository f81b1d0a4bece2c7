"""Laplace noise in floating point: which outputs are possible depends on the data (Mironov, CCS 2012).

The audit looks at the least significant bits of the outputs (`footprints`).
"""

import numpy as np
from diffprivlib.mechanisms import Laplace, Snapping


def adjacency(first, second):
    """Values that differ by at most the sensitivity, 1."""
    return abs(first - second) <= 1.0


def laplace(data, size, rng):
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0, random_state=int(rng.integers(2**32)))
    return np.array([mechanism.randomise(data) for _ in range(size)])


def snapping(data, size, rng):
    mechanism = Snapping(
        epsilon=1.0, sensitivity=1.0, lower=-64.0, upper=64.0, random_state=int(rng.integers(2**32))
    )
    return np.array([mechanism.randomise(data) for _ in range(size)])


pairs = [(0.0, 1.0)]
