"""diffprivlib 0.6.6: the statistics of `tools`, on data at their bounds.

The number of values is public for those that divide by it, so a value is replaced; histograms count, and a
record is added (replaced, it moves two counts by one each).
"""

import numpy as np
from diffprivlib import tools


def repeated(call):
    def mechanism(data, size, rng):
        state = np.random.RandomState(int(rng.integers(2**32)))
        return np.array([call(data, state) for _ in range(size)])

    return mechanism


def of_values(function, **options):
    return repeated(lambda data, state: function(data, epsilon=1.0, random_state=state, **options))


def of_bins(function):
    return repeated(
        lambda data, state: function(
            data[:, 0], data[:, 1], epsilon=1.0, bins=2, range=[(0, 1), (0, 1)], random_state=state
        )[0].ravel()
    )


unit = {"bounds": (0.0, 1.0)}
mean, var, std = of_values(tools.mean, **unit), of_values(tools.var, **unit), of_values(tools.std, **unit)
sum, nansum = of_values(tools.sum, **unit), of_values(tools.nansum, **unit)
sum_added = of_values(tools.sum, bounds=(1.0, 2.0))
nanmean, nanvar = of_values(tools.nanmean, **unit), of_values(tools.nanvar, **unit)
count_nonzero = of_values(tools.count_nonzero)
median = of_values(tools.median, **unit)
quantile = of_values(tools.quantile, quant=0.9, **unit)
percentile = of_values(tools.percentile, percent=25, **unit)
histogram = repeated(
    lambda data, state: tools.histogram(data, epsilon=1.0, bins=3, range=(0, 3), random_state=state)[0]
)
histogram_replaced = histogram
histogram2d = of_bins(tools.histogram2d)
histogramdd = repeated(
    lambda data, state: tools.histogramdd(
        data, epsilon=1.0, bins=2, range=[(0, 1), (0, 1)], random_state=state
    )[0].ravel()
)

_D = np.array([0.0, 0.0, 0.0, 0.0, 0.0])
_HIGH = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
_MIXED = np.array([0.0, 0.0, 0.5, 1.0, 1.0])
_MOVED = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
_PAIRS = [(_HIGH, _D), (_MIXED, _MOVED)]
_NAN = np.array([np.nan, 0.0, 0.0, 0.0, 0.0])
_MOST_NAN = np.array([0.0, 0.0] + [np.nan] * 8)
_MOST_NAN_HIGH = np.array([0.0, 1.0] + [np.nan] * 8)
_BINS = np.array([0.5, 1.5, 1.5, 2.5])
_PLANE = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]])
pairs = dict.fromkeys(globals(), _PAIRS)  # of every function that is not named below
pairs.update(
    nansum=[(_NAN, _D), (_NAN, _HIGH)],
    histogram=[(np.append(_BINS, 1.5), _BINS), (np.append(_BINS, 0.5), _BINS)],
    histogram_replaced=[(_BINS, np.array([2.5, 1.5, 1.5, 2.5]))],
    histogram2d=[(np.vstack([_PLANE, [[0.9, 0.9]]]), _PLANE)],
    histogramdd=[(np.vstack([_PLANE, [[0.9, 0.9]]]), _PLANE)],
    sum_added=[(np.array([2.0, 1.0, 1.0]), np.array([1.0, 1.0]))],
    nanmean=[(_MOST_NAN_HIGH, _MOST_NAN)],
    nanvar=[(_MOST_NAN_HIGH, _MOST_NAN)],
)
