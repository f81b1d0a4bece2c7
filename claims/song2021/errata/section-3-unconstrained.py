"""Section 3.1: a convex 3-Lipschitz problem on all of R^p whose private risk grows with p at a fixed nε.

F(θ; z) = -<θ, z> + 2·max(0, |θ| - 1), |z| ≤ 1. Datasets: n copies of v, for M vectors v of entries ±1/√p that
have inner products of at most 1/2. With another n, ε or δ take p so large that the total exceeds 1.
"""

from math import ceil, comb, exp, expm1, log

import numpy as np

n, epsilon, delta, p = 20, 1.0, 1e-60, 200

rng = np.random.default_rng(0)
theta, z = rng.standard_normal((2, 10_000, 5)) * rng.exponential(1, (2, 10_000, 1))
z /= np.maximum(1, np.linalg.norm(z, axis=1, keepdims=True))
norm = np.linalg.norm(theta, axis=1)


def risk(t):
    return -(t * z).sum(axis=1) + 2 * np.maximum(0, np.linalg.norm(t, axis=1) - 1)


assert (risk(theta) >= risk(theta / np.maximum(1, norm)[:, None]) - 1e-12).all()  # projecting costs nothing
# Excess < 1/8 means <θ, v> > 7/8 in the ball, for one v at most, as |v + v'| ≤ √3. Markov: P ≥ 1/2.
M = log(2**p) - log(sum(comb(p, k) for k in range(ceil(p / 4))))  # log of Gilbert's bound
total = exp(M - n * epsilon) * (0.5 - delta * expm1(n * epsilon) / expm1(epsilon))
print("stated: for unconstrained convex problems no lower bound grows with p")
print(f"found:  excess 1/16 at nε = {n * epsilon:g}, p = {p} needs a total probability of {total:.3g}")
