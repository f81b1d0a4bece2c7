"""A private mean of values in [0, 1]: ε = 1 under replacement of one record."""

import numpy as np


def mechanism(data, size, rng):
    """`size` independent releases; one record moves the mean by at most 1/n."""
    return data.mean() + rng.laplace(scale=1.0 / len(data), size=size)


pairs = [(np.linspace(0.0, 1.0, 20), np.append(np.linspace(0.0, 1.0, 20)[:-1], 0.0))]
adjacency = "replace"
epsilon = 1.0
