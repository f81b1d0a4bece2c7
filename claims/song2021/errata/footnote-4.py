"""Footnote 4: a bound d·√log(1/δ)/(εn) on the datasets of Theorem 3.3 (x = 0 or a basis vector, y = 0 or 1).

With the loss |⟨θ, x⟩ - y| only the differences s_j = ones - zeros of a coordinate matter. A replaced record
moves them by 2 in ℓ₁ at most: the signs of s_j + Laplace(2/ε) are ε-private, δ = 0. A wrong one costs
|s_j|/n.
"""

from math import e

import numpy as np

d, epsilon, c = 10, 0.04, 1 / 210  # c: the constant that the proof of Theorem 3.3 gives
s = np.arange(1, 5000)
worst = (s * 0.5 * np.exp(-epsilon * s / 2)).max()  # n times the excess of a coordinate, over all datasets
wrong = (50 + np.random.default_rng(0).laplace(0, 2 / epsilon, 1_000_000) <= 0).mean()
print(f"n × mean excess at s = 50: simulated {50 * wrong:.3f}; largest over all s, exact: {worst:.3f}")
print(f"in units of d/(εn): {worst * epsilon:.4f}, which is 1/e = {1 / e:.4f}")
for root in (1, 10, 200):  # √log(1/δ)
    n = 10 * d * root / epsilon
    stated, found = c * d * root / (epsilon * n), d * worst / n
    print(
        f"√log(1/δ) = {root}: stated at least {stated:.2g} on some dataset, found at most {found:.2g} on all"
    )
assert found < stated
