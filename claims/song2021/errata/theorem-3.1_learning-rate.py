"""Theorem 3.1: the learning rate of the proof, ‖θ*‖/√(T(1 + rank·σ²)), is computed from the private data."""

from math import exp, log, sqrt

import numpy as np
from scipy.special import chdtrc

rng, n, steps, sigma = np.random.default_rng(0), 101, 20, 1e6


def zeros(ones):
    """Share of outputs 0 of DP-GD on losses |θ - y|, y = 1 so often and else 0: the optimum is the median."""
    y = np.arange(n) < ones
    eta = np.median(y) / sqrt(steps * (1 + sigma**2))
    theta, total = np.zeros(1000), np.zeros(1000)
    for _ in range(steps):
        theta = theta - eta * (np.sign(theta[:, None] - y).mean(axis=1) + sigma * rng.standard_normal(1000))
        total += theta
    return (total == 0).mean()


here, there = zeros(50), zeros(51)
print(f"neighbours: P(output = 0) should be alike; found {here:g} and {there:g} at σ = {sigma:g}, so δ = 1")
# (e1, 1) replaced by (e2, 0): ‖θ*‖ = 1, rank 1 -> 2; on unused coordinates the output is η·const·N(0, I).
epsilon, delta, unused = 1.0, 1e-5, 100
ratio = sqrt((1 + 4 * log(1 / delta)) / (1 + 2 * log(1 / delta)))  # of the two η; σ² = 2·log(1/δ), T = (nε)²
s = 2 * (epsilon + unused * log(ratio)) / (1 - ratio**-2)  # squared norm where the likelihood ratio is e^ε
found = chdtrc(unused, s / ratio**2) - exp(epsilon) * chdtrc(unused, s)
print(f"a rank that moves from 1 to 2: δ = {delta:g} wanted at ε = {epsilon:g}, found {found:.3f}")
assert (here, there, found > 0.9) == (1, 0, True)
