"""A noisy mean, as somebody might write it: audit it with `dpclaims audit examples/my_mechanism.py`."""

import numpy as np

# Twenty people, each with a number between 0 and 1; one of them is replaced.
PEOPLE = np.linspace(0.0, 1.0, 20)
OTHERS = np.concatenate([PEOPLE[:-1], [0.0]])


def mechanism(data, size, rng):
    """`size` independent private means. Replacing one of n people moves the mean by at most 1/n."""
    return data.mean() + rng.laplace(scale=1.0 / len(data), size=size)


def too_little_noise(data, size, rng):
    """The slip: all values lie within ½ of the middle, so the mean is thought to move by at most ½/n."""
    return data.mean() + rng.laplace(scale=0.5 / len(data), size=size)


pairs = [(PEOPLE, OTHERS)]
adjacency = "replace"
epsilon = 1.0
