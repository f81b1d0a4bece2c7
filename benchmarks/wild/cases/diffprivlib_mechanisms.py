"""diffprivlib 0.6.6: the mechanisms, on values that differ by the sensitivity.

Laplace noise in floating point: which outputs are possible depends on the data (Mironov, CCS 2012). There the
audit looks at the least significant bits of the outputs (`footprints`).
"""

import numpy as np
from diffprivlib import mechanisms as m


def adjacency(first, second):
    """Values, or vectors of utilities, that differ by at most 1; any two labels."""
    if isinstance(first, str):
        return True
    return float(np.abs(np.asarray(first) - np.asarray(second)).max()) <= 1.0


def repeated(make):
    """Builds the mechanism once a call of the audit, and draws from it."""

    def mechanism(data, size, rng):
        drawing = make(data, np.random.RandomState(int(rng.integers(2**32))))
        return [drawing() for _ in range(size)]

    return mechanism


def of_value(kind, **options):
    def make(value, state):
        built = kind(random_state=state, **options)
        return lambda: built.randomise(value)

    return repeated(make)


def of_utilities(kind):
    def make(utilities, state):
        return kind(epsilon=1.0, sensitivity=1.0, utility=list(utilities), random_state=state).randomise

    return repeated(make)


unit = {"epsilon": 1.0, "sensitivity": 1.0}
count = {"epsilon": 1.0, "sensitivity": 1}
laplace, snapping = of_value(m.Laplace, **unit), of_value(m.Snapping, lower=-64.0, upper=64.0, **unit)
laplace_delta = of_value(m.Laplace, delta=0.1, **unit)
laplace_truncated = of_value(m.LaplaceTruncated, lower=0.0, upper=1.0, **unit)
laplace_folded = of_value(m.LaplaceFolded, lower=0.0, upper=1.0, **unit)
bounded_domain = of_value(m.LaplaceBoundedDomain, lower=0.0, upper=1.0, delta=0.0, **unit)
bounded_noise = of_value(m.LaplaceBoundedNoise, delta=0.1, **unit)
geometric = of_value(m.Geometric, **count)
geometric_truncated = of_value(m.GeometricTruncated, lower=0, upper=3, **count)
geometric_folded = of_value(m.GeometricFolded, lower=0, upper=3, **count)
gaussian = of_value(m.Gaussian, delta=0.01, **unit)
gaussian_analytic = of_value(m.GaussianAnalytic, delta=0.01, **unit)
gaussian_discrete = of_value(m.GaussianDiscrete, delta=0.01, **count)
exponential = of_utilities(m.Exponential)
permute_and_flip = of_utilities(m.PermuteAndFlip)
binary = of_value(m.Binary, epsilon=1.0, value0="no", value1="yes")
categorical = of_value(
    m.ExponentialCategorical, epsilon=1.0, utility_list=[("a", "b", 1), ("a", "c", 2), ("b", "c", 2)]
)
hierarchical = of_value(m.ExponentialHierarchical, epsilon=1.0, hierarchy=[["a", "b"], ["c", "d"]])
uniform = of_value(m.Uniform, delta=0.2, sensitivity=1.0)
staircase = of_value(m.Staircase, **unit)

_VALUES, _COUNTS = [(0.0, 1.0)], [(1, 2), (0, 1)]
_UTILITIES = [([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]), ([2.0, 1.0, 0.0, 0.0], [1.0, 2.0, 1.0, 1.0])]
pairs = dict.fromkeys(globals(), _VALUES)  # of every function that is not named below
pairs.update({name: _COUNTS for name in pairs if "geometric" in name or name == "gaussian_discrete"})
pairs.update(exponential=_UTILITIES, permute_and_flip=_UTILITIES, binary=[("no", "yes")])
pairs.update(categorical=[("a", "c"), ("a", "b")], hierarchical=[("a", "d"), ("a", "b")])
