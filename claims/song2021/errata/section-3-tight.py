"""Section 3: private gradient descent on k random projections of the features, rank far above εn.

Excess over LD, D = |θ*|: √(2/k) for the projection, 1.2·√(1 + 8k·log(1/δ))/(εn) for privacy with features
cut to norm 1.2, and a little for the cut ones. With rank ≤ εn the printed bound is the smaller one.
"""

from math import log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.stats import chi

for n, epsilon, delta in ((10**6, 1e-3, 1e-8), (10**10, 1e-5, 1e-8)):
    rank, found = n, 1.0
    for k in np.geomspace(50, 1e6, 40).astype(int):
        cut = sqrt(quad(lambda t, k=k: float(2 * (t - 1.2) * chi.sf(t * sqrt(k), k)), 1.2, 3)[0])
        private = 1.2 * sqrt(1 + 8 * k * log(1 / delta)) / (epsilon * n)
        found = min(found, sqrt(2 / k) + private + 4 * cut)
    printed = sqrt(1 + 2 * rank * log(1 / delta)) / (epsilon * n)
    print(f"n = rank = {n:g}, ε = {epsilon:g}: stated as optimal {printed:.3g}·LD; found {found:.2g}·LD")
