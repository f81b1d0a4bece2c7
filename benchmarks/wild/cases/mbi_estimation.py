"""mbi 2.0: a graphical model from noisy marginals; what is computed from what was released shows no more."""

import numpy as np
from mbi import Domain, estimation, marginal_loss

from audits import each, unseeded


def model_of(data):
    table = np.asarray(data)
    measured = []
    for names, columns, shape in ((("a",), table[:, :1], (3,)), (("b",), table[:, 1:], (2,))):
        counts = np.bincount(columns.ravel(), minlength=shape[0]).astype(float)
        noisy = counts + np.random.laplace(0.0, 2.0, counts.size)
        measured.append(marginal_loss.LinearMeasurement(noisy, names))
    model = estimation.MirrorDescent().estimate(Domain(["a", "b"], [3, 2]), measured, iters=20)
    return np.asarray(model.project(("a", "b")).datavector(), dtype=float)


model = unseeded(each(model_of))
_TABLE = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]])
pairs = [(_TABLE, _TABLE[1:])]
