"""Theorem 4 of Levy et al. (2021) asks for no users where the losses are linear (H = 0).

All samples are +G, or all are −G; ℓ(θ; z) = θz on an interval of length R: decide the sign.
P(answer "+" | k users at +G) may grow by one user to min(e^ε P + δ, 1 − e^(−ε)(1 − P − δ)) at most, so
from an error p at k = 0 it must reach 1 − p at k = n. The error costs RG·p, whatever m is.
"""

import math


def least_error(n, eps, delta):
    low, high = 0.0, 0.5
    for _ in range(60):
        p = reached = 0.5 * (low + high)
        for _ in range(n):
            grown = math.exp(eps) * reached + delta
            reached = min(grown, 1.0 - math.exp(-eps) * (1.0 - reached - delta), 1.0)
        low, high = (low, p) if reached >= 1.0 - p else (p, high)
    return low


n, eps = 10, 0.1
error = least_error(n, eps, 1.0 / n**2)
for m, sigma in ((1, 1e-6), (10**6, 1e-6), (10**6, 1e-12)):
    # d = 1, R = G = 1; the gradients have no noise, so that they are sigma-sub-Gaussian for every sigma > 0.
    bound = math.sqrt(sigma / (m * n)) + sigma / (n * math.sqrt(m) * eps)
    print(f"m = {m}, sigma = {sigma}: stated (log factors left out) {bound:.2g}; found at least {error:.3f}")
    assert error > 0.26 > 100.0 * bound
