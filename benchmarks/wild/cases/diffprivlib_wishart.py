"""diffprivlib before 0.4: Wishart noise is positive semidefinite, no output is below the data's own moments.

With a record of norm 1 every released eigenvalue is at least that of AᵀA; without it smaller ones are common.
"""

import numpy as np
from diffprivlib import models

from audits import each

LOW, HIGH = [[-1.0], [-1.0]], [[1.0], [1.0]]


def fit_regression(data, rng):
    X, y = data
    with np.errstate(all="ignore"):
        try:  # the arguments of 0.3, where bounds are for the intercept alone
            model = models.LinearRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False)
            if not hasattr(model, "data_norm"):
                raise TypeError
        except TypeError:
            model = models.LinearRegression(
                epsilon=1.0, bounds_X=(-1, 1), bounds_y=(-1, 1), fit_intercept=False
            )
        return np.append(model.fit(X, y).coef_, getattr(model, "singular_", []))


def fit_pca(data, rng):
    try:
        model = models.PCA(n_components=2, epsilon=1.0, centered=True, data_norm=1.0)
        return np.array(model.fit(data).explained_variance_)
    except np.linalg.LinAlgError:
        return np.full(2, -1.0)


linear_regression, pca = each(fit_regression), each(fit_pca)
_X = np.array([[1.0], [0.0], [0.0]])
_Z = np.zeros((3, 2))
_Z1 = _Z.copy()
_Z1[0, 0] = 1.0
pairs = {
    "linear_regression": [((_X, np.zeros(3)), (0 * _X, np.zeros(3)))],
    "pca": [(_Z1, _Z)],
}
