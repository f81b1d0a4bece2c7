"""A private mean and a count, as somebody might write them: `dpclaims trace examples/traced_release.py`.

`dpclaims trace examples/traced_release.py:with_a_leak` names the line that leaks.
"""

import numpy as np

PEOPLE = np.array([0.9, 0.2, 0.4, 0.7, 0.1])
OTHERS = np.array([0.3, 0.2, 0.4, 0.7, 0.1])


def mechanism(data, size, rng):
    """Half of the budget for the mean, half for the number of large values."""
    mean = data.mean() + rng.laplace(scale=2.0 / len(data), size=size)
    large = (data > 0.5).sum() + rng.laplace(scale=2.0, size=size)
    return np.column_stack([mean, large])


def with_a_leak(data, size, rng):
    """The slip: the noise of the mean is scaled to the range that the data happen to have."""
    width = data.max() - data.min()
    mean = data.mean() + rng.laplace(scale=2.0 * width / len(data), size=size)
    large = (data > 0.5).sum() + rng.laplace(scale=2.0, size=size)
    return np.column_stack([mean, large])


pairs = [(PEOPLE, OTHERS)]
adjacency = "replace"
epsilon = 1.0
