"""diffprivlib's LinearRegression perturbs the coefficients of its objective; one was left without noise.

0.4.0: y² is taken to be at most the square of the *lower* bound of y (`np.abs(bounds_y[i]).max()` with
bounds_y = (lower, upper)).
"""

import numpy as np
from diffprivlib.models import linear_regression as module

from audits import each

_X = np.array([[0.5], [-0.5]])
pairs = {"objective": [((_X, np.array([1.0, 0.0])), (_X, np.array([0.0, 0.0])))]}
POINTS = [np.array([0.0]), np.array([1.0]), np.array([-1.0])]


def perturbed(data, rng):
    X, y = data
    bounds_X = (np.array([-1.0]), np.array([1.0]))
    bounds_y = (np.array([-0.1]), np.array([1.0]))
    objectives, _ = module._construct_regression_obj(X, y, bounds_X, bounds_y, 1.0, 0)
    return np.array([np.ravel(objectives[0](point)[0])[0] for point in POINTS])


objective = each(perturbed)
