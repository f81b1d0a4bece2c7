"""diffprivlib 0.6.6: models, what is released are the public attributes that end in an underscore.

KMeans: the centre of a cluster without records stays where it is, without noise. A centre starts within
[1/8, 7/8]. With 1000 records at 0 the far centre keeps that place; one more record, at 1, makes it noisy in
each iteration, and then it is often above 7/8.

LinearRegression with bounds_X = (0, 1): the sum of squares of x gets no noise.
`sensitivity = np.max(np.abs([bounds_X[0][i], bounds_X[0][i]])) ** 2` holds the lower bound twice: 0 here.
"""

import warnings

import numpy as np
from diffprivlib import models

from audits import each

warnings.simplefilter("ignore")

BOX = {"epsilon": 1.0, "bounds": (0.0, 1.0)}


def seed(rng):
    return int(rng.integers(2**32))


def fit_pca(data, rng):
    model = models.PCA(n_components=1, epsilon=1.0, centered=True, data_norm=1.0, random_state=seed(rng))
    model.fit(data)
    return np.append(model.explained_variance_, np.abs(model.components_))


def fit_scaler(data, rng):
    model = models.StandardScaler(random_state=seed(rng), **BOX).fit(data)
    return np.append(model.mean_, model.var_)


def fit_logistic(data, rng):
    return (
        models.LogisticRegression(epsilon=1.0, data_norm=1.0, random_state=seed(rng)).fit(*data).coef_.ravel()
    )


def fit_line(low=-1, intercept=False):
    def fit(data, rng):
        model = models.LinearRegression(
            epsilon=1.0,
            bounds_X=(low, 1),
            bounds_y=(-1, 1),
            fit_intercept=intercept,
            random_state=seed(rng),
        )
        with np.errstate(all="ignore"):
            model.fit(*data)
        return np.nan_to_num(np.append(model.coef_, model.intercept_) if intercept else model.coef_)

    return fit


def fit_far_centre(data, rng):
    model = models.KMeans(n_clusters=2, random_state=int(rng.integers(2**31)), **BOX).fit(data)
    return np.sort(model.cluster_centers_.ravel())


def fit_bayes(data, rng):
    model = models.GaussianNB(random_state=seed(rng), **BOX)
    model.partial_fit(*data, classes=[0, 1])
    return np.concatenate([model.theta_.ravel(), model.var_.ravel(), model.class_count_])


def fit_counts(data, rng):
    return models.GaussianNB(random_state=seed(rng), **BOX).partial_fit(*data, classes=[0, 1]).class_count_


def fit_tree(data, rng):
    model = models.DecisionTreeClassifier(max_depth=1, classes=[0, 1], random_state=seed(rng), **BOX)
    return int(model.fit(*data).predict([[0.5]])[0])


def fit_forest(data, rng):
    model = models.RandomForestClassifier(
        n_estimators=1, max_depth=1, classes=[0, 1], random_state=seed(rng), **BOX
    )
    return int(model.fit(*data).predict([[0.5]])[0])


pca, scaler, logistic = each(fit_pca), each(fit_scaler), each(fit_logistic)
linear, unclipped = each(fit_line(intercept=True)), each(fit_line())
one_sided, two_sided, empty_cluster = each(fit_line(low=0)), each(fit_line()), each(fit_far_centre)
bayes_features, bayes_label, bayes_last = each(fit_bayes), each(fit_bayes), each(fit_counts)
tree_added, tree_replaced, forest_replaced = each(fit_tree), each(fit_tree), each(fit_forest)

_PLANE = np.array([[0.0, 0.0], [0.0, 0.1], [0.0, 0.2]])
_OTHER = np.array([[1.0, 0.0], [0.0, 0.1], [0.0, 0.2]])
_LINE = np.array([[0.0], [0.1], [0.2], [0.3]])
_MOVED = np.array([[1.0], [0.1], [0.2], [0.3]])
_Y = np.array([0, 0, 1, 1])
_SIGNED, _FLAT = np.array([[1.0], [0.5], [-0.5]]), np.array([0.0, 0.5, -0.5])
_ONE = np.array([[1.0], [0.0], [0.0]])
# A sum of squares of 0 would do, but the fit does not converge there.
_FEW = ((_ONE, np.zeros(3)), (0.05 * _ONE, np.zeros(3)))
_HEAP = np.zeros((1000, 1))
_SAME = np.full((4, 1), 0.5)
_ONES = np.array([1, 1, 1, 1])
pairs = {
    "pca": [(_PLANE, _OTHER)],
    "scaler": [(_LINE, _MOVED)],
    "logistic": [((_LINE, _Y), (_MOVED, _Y)), ((_LINE, _Y), (_MOVED, np.array([1, 0, 1, 1])))],
    "linear": [((_SIGNED, _FLAT), (_SIGNED * [[-1.0], [1.0], [1.0]], _FLAT + [1.0, 0.0, 0.0]))],
    "unclipped": [((np.array([[1e4], [0.5], [-0.5]]), _FLAT), (_SIGNED, _FLAT))],
    "one_sided": [_FEW],
    "two_sided": [_FEW],
    "empty_cluster": [(np.vstack([_HEAP, [[1.0]]]), _HEAP)],
    "bayes_features": [((_LINE, _Y), (_MOVED, _Y))],
    "bayes_label": [((_LINE[:3], _Y[:3]), (_LINE[:3], 0 * _Y[:3]))],
    "bayes_last": [((_LINE[:3], _Y[:3]), (_LINE[:2], _Y[:2]))],
    "tree_added": [((_SAME, np.array([0, 0, 1, 1])), (_SAME[:3], np.array([0, 0, 1])))],
    "tree_replaced": [((_SAME[:2], np.array([0, 0])), (_SAME[:2], np.array([0, 1])))],
    "forest_replaced": [((_SAME[:2], np.array([0, 0])), (_SAME[:2], np.array([0, 1])))],
}
