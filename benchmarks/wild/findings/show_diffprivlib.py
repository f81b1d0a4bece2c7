"""Frequencies of an event on two neighbouring datasets, from diffprivlib 0.6.6 alone, without our audit.

Run it where diffprivlib 0.6.6 and scikit-learn 1.6.1 are installed; nothing else is needed. An ε-private
mechanism has P(event | D) ≤ e^ε·P(event | D′). The lower bound is that of two exact binomial intervals
(Clopper and Pearson 1934) at 10⁻⁶ each.
"""

import sys
import warnings

import numpy as np
from diffprivlib import models, tools
from scipy import stats

warnings.simplefilter("ignore")
LEVEL = 1e-6


def compare(name, draw, event, first, second, draws):
    """Print how often the event happens on both datasets and the ε that follows."""
    counts = [
        sum(bool(event(draw(data, seed))) for seed in range(k * draws, (k + 1) * draws))
        for k, data in enumerate((first, second))
    ]
    low = stats.beta.ppf(LEVEL, counts[0], draws - counts[0] + 1) if counts[0] else 0.0
    high = stats.beta.ppf(1 - LEVEL, counts[1] + 1, draws - counts[1]) if counts[1] < draws else 1.0
    print(f"{name}: {counts[0]} and {counts[1]} of {draws} draws; ε ≥ {np.log(low / high):.3f}")


def nan_mean(data, seed):
    return tools.nanmean(data, epsilon=1.0, bounds=(0, 1), random_state=seed)


def nan_var(data, seed):
    return tools.nanvar(data, epsilon=1.0, bounds=(0, 1), random_state=seed)


def slope(data, seed):
    model = models.LinearRegression(
        epsilon=1.0, bounds_X=(-1, 1), bounds_y=(-1, 1), fit_intercept=False, random_state=seed
    )
    return model.fit(*data).coef_[0]


def line(data, seed):
    """(slope, intercept) with the defaults, that is with an intercept."""
    model = models.LinearRegression(epsilon=1.0, bounds_X=(-1, 1), bounds_y=(-1, 1), random_state=seed)
    with np.errstate(all="ignore"):
        model.fit(*data)
    return model.coef_[0], float(model.intercept_)


def steep_at_the_bound(fit):
    """Both noisy means were cut to a bound, that of X to the lower one, and the slope is steep."""
    return abs(abs(fit[1] - fit[0]) - 1.0) < 1e-6 and abs(fit[0]) >= 12.0


def bayes(data, seed):
    model = models.GaussianNB(epsilon=1.0, bounds=(0, 1), random_state=seed)
    return model.partial_fit(*data, classes=[0, 1])


def label(data, seed):
    model = models.DecisionTreeClassifier(
        max_depth=1, epsilon=1.0, bounds=(0, 1), classes=[0, 1], random_state=seed
    )
    return model.fit(*data).predict([[0.5]])[0]


def far_centre(data, seed):
    model = models.KMeans(n_clusters=2, epsilon=1.0, bounds=(0.0, 1.0), random_state=seed)
    return model.fit(data).cluster_centers_.max()


def main(draws):
    few, more = np.array([0.0, 0.0] + [np.nan] * 8), np.array([0.0, 1.0] + [np.nan] * 8)
    compare("nanmean = 0", nan_mean, lambda m: m == 0.0, few, more, draws)
    compare("nanvar > 0.2", nan_var, lambda v: v > 0.2, more, few, draws)
    X, y = np.array([[1.0], [0.5], [-0.5]]), np.array([0.0, 0.5, -0.5])
    far = X.copy()
    far[0] = 1e4
    compare("|slope| < 10⁻⁴", slope, lambda c: abs(c) < 1e-4, (far, y), (X, y), draws)
    low = X.copy()
    low[0] = -1.0
    with_low = low, np.array([1.0, 0.5, -0.5])
    compare("a steep slope", line, steep_at_the_bound, with_low, (X, y), draws)
    X = np.array([[1.0], [0.1], [0.2], [0.3]])
    compare(
        "class 1 has no records",
        bayes,
        lambda m: m.class_count_[1] == 0,
        (X[1:3], np.array([0, 0])),
        (X[1:4], np.array([0, 0, 1])),
        draws,
    )
    flat = np.zeros((1000, 1))
    compare("a centre > 7/8", far_centre, lambda c: c > 0.875, np.vstack([flat, [[1.0]]]), flat, draws)
    same = np.full((2, 1), 0.5)
    compare("label 1", label, lambda c: c == 1, (same, np.array([0, 1])), (same, np.array([0, 0])), draws)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20000)
