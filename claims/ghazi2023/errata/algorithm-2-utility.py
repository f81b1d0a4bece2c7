"""Algorithm 2, line 3: on two-valued data some user's deletion moves the optimum by more than Delta."""

from math import comb, floor, log, sqrt

import numpy as np

# Loss (theta - x)^2/2 on [-0.01, 0.01], so mu = 1 and G = 1.01; half of the n*m items are 1, half are -1.
n, m, beta, G = 10_000, 400, 0.9, 1.01
delta = 10 * G * sqrt(log(1 / beta)) / (n * sqrt(m))  # line 3
# The optimum is 0. Deleting user i moves it by |S_i|/((n - 1)m), S_i = 2 * (number of her ones) - m.
ones = floor((delta * (n - 1) * m + m) / 2)
# Drawing without replacement: at least (1 - 2/n)^m times the binomial tail.
alone = sum(comb(m, k) for k in range(ones + 1, m + 1)) / 2**m * (1 - 2 / n) ** m
# The S_i are negatively associated: P(no user above) <= (1 - P(one user above))^n.
bound = (1 - alone) ** n
print(f"Algorithm 2 should return the optimum plus noise with probability at least {1 - beta:.3f};")
print(f"found: no single deletion exceeds Delta with probability at most {bound:.3g}")
assert bound < (1 - beta) / 2

rng = np.random.default_rng(0)  # the same by drawing a permutation of all items
signs = rng.permuted(np.repeat(np.array([1, -1], dtype=np.int8), n * m // 2))
sums = np.abs(signs.reshape(n, m).sum(axis=1, dtype=np.int64))
print(f"in a random permutation {int((sums > delta * (n - 1) * m).sum())} of {n} users exceed Delta")
assert sums.max() > delta * (n - 1) * m
