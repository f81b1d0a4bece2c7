"""eeprivacy 0.0.5: the clamped mean clamps its answer and not the values, the clamped sum does."""

import numpy as np
from eeprivacy.operations import PrivateClampedMean, PrivateClampedSum, PrivateHistogram, PrivateQuantile

from audits import each

_UNIT = {"lower_bound": 0.0, "upper_bound": 1.0}


def average(data, rng):
    return float(PrivateClampedMean(**_UNIT).execute(values=data, epsilon=1.0))


def summed(data, rng):
    return float(PrivateClampedSum(**_UNIT).execute(values=data, epsilon=1.0))


def counted(data, rng):
    return PrivateHistogram(bins=[0.0, 0.5, 1.0]).execute(values=data, epsilon=1.0)


def middle(data, rng):
    options = [0.25, 0.5, 0.75]
    return float(PrivateQuantile(options=options).execute(values=data, epsilon=1.0, quantile=0.5))


mean, total_far, histogram, median = each(average), each(summed), each(counted), each(middle)
mean_far = mean
_FIVE = np.array([1.0, 0.2, 0.4, 0.6, 0.8])
_MOVED, _FAR = np.append(0.0, _FIVE[1:]), np.append(100.0, _FIVE[1:])
pairs = {
    "mean_far": [(_FAR, _MOVED)],
    "mean": [(_FIVE, _MOVED)],
    "total_far": [(_FAR, _MOVED)],
    "histogram": [(_FIVE, _FIVE[1:])],
    "median": [(_FIVE, _FIVE[1:])],
}
