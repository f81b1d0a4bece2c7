"""Algorithm 3: with the lambda of Theorem 4.1 the ball of phase 2 misses the feasible set."""

import math

import numpy as np

# K = [-1/2, 1/2], so R = 1 and G = 1; all users have the loss 0, so that every optimum is the centre.
n, m, epsilon, delta, beta = 6000, 10**4, 1.0, 0.1, 0.05
T = math.ceil(math.log(n * m))
lam = 1 / (n * math.sqrt(m))  # lambda = G sqrt(d)/(R n sqrt(m))
e = epsilon / T / 2  # line 3 of Algorithm 1 at (epsilon/T, delta/T)
d = delta / T / (math.exp(e) + 2)
kappa = 1 + math.ceil(math.log(1 / d) / e)
target = 10 * 2 * math.sqrt(math.log(T / beta)) / (4 * lam * n * math.sqrt(m))  # line 3 of Algorithm 2: 2G
sigma = 2 * math.sqrt(math.log(2 / d)) * 8 * kappa * target / e
radius = 1 / (16 * lam)  # R_2 = G/lambda_2
print(f"noise of phase 1: {sigma:.3g} times the length of K; radius of the ball of phase 2: {radius:.3g}")
answers = sigma * np.random.default_rng(0).standard_normal(100_000)
empty = float((np.abs(answers) > 0.5 + radius).mean())
print("K_2 = K and a ball about the answer of phase 1 is taken to have a point;")
print(f"it is empty in a share {empty:.3f} of 100,000 runs")
exact = math.erfc((0.5 + radius) / sigma / math.sqrt(2))
print(f"exactly: with probability {exact:.4f}")
assert exact > 0.9
assert abs(empty - exact) < 0.01
