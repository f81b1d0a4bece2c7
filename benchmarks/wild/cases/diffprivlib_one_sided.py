"""diffprivlib 0.6.6, LinearRegression with bounds_X = (0, 1): the sum of squares of x gets no noise.

`sensitivity = np.max(np.abs([bounds_X[0][i], bounds_X[0][i]])) ** 2` holds the lower bound twice: 0 here.
"""

import numpy as np
from diffprivlib import models

from audits import each

_X = np.array([[1.0], [0.0], [0.0]])
# A sum of squares of 0 would do, but the fit does not converge there.
_PAIR = ((_X, np.zeros(3)), (0.05 * _X, np.zeros(3)))
pairs = {"one_sided": [_PAIR], "two_sided": [_PAIR]}


def fitted(low):
    def fit(data, rng):
        model = models.LinearRegression(
            epsilon=1.0,
            bounds_X=(low, 1),
            bounds_y=(-1, 1),
            fit_intercept=False,
            random_state=int(rng.integers(2**32)),
        )
        with np.errstate(all="ignore"):
            return np.nan_to_num(model.fit(*data).coef_)

    return fit


one_sided, two_sided = each(fitted(0)), each(fitted(-1))
