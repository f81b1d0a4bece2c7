"""PyDP 1.1.5: the bounded algorithms and mechanisms of Google's library, a record added at the bound."""

import numpy as np
import pydp.algorithms.laplacian as laplacian
import pydp.algorithms.numerical_mechanisms as numerical

from audits import unseeded


def adjacency(first, second):
    """Values that differ by at most the sensitivity, 1."""
    return abs(first - second) <= 1.0


def of_values(kind, **options):
    def mechanism(data, size):
        values = list(data)
        return np.array(
            [kind(epsilon=1.0, dtype="float", **options).quick_result(values) for _ in range(size)],
            dtype=float,
        )

    return unseeded(mechanism)


def of_value(make):
    def mechanism(value, size):
        built = make()
        return np.array([built.add_noise(value) for _ in range(size)])

    return unseeded(mechanism)


unit = {"lower_bound": 0.0, "upper_bound": 1.0}
count = of_values(laplacian.Count)
sum, mean = of_values(laplacian.BoundedSum, **unit), of_values(laplacian.BoundedMean, **unit)
variance = of_values(laplacian.BoundedVariance, **unit)
deviation = of_values(laplacian.BoundedStandardDeviation, **unit)
max, min = of_values(laplacian.Max, **unit), of_values(laplacian.Min, **unit)
median = of_values(laplacian.Median, **unit)
percentile = of_values(laplacian.Percentile, percentile=0.9, **unit)
laplace = of_value(lambda: numerical.LaplaceMechanism(1.0, 1.0))
gaussian = of_value(lambda: numerical.GaussianMechanism(1.0, 0.01, 1.0))

_LOW, _MIXED = [0.0, 0.0, 0.0, 0.0], [0.0, 0.25, 0.75, 1.0]
_ADDED = [(_LOW + [1.0], _LOW), (_MIXED + [0.0], _MIXED)]
pairs = dict.fromkeys(globals(), _ADDED)  # of every function that is not named below
pairs.update(laplace=[(0.0, 1.0)], gaussian=[(0.0, 1.0)])
