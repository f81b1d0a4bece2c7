"""Theorem 2.2 of Lee, Liu and Lu (2024) with mu = 8 eta G^2/(n^2 eps^2): losses |x - z|, G = C = k = 1.

Of 101 records 50 are at -1 and 50 at 1, and the last one moves from -1 to 1."""

import numpy as np

epsilon, delta, n = 0.4, 1e-5, 101
x = np.linspace(-5.0, 5.0, 400_001)


def found_delta(eta, mu):
    """The largest P(S) - e^eps Q(S) over the half-lines S = [t, oo)."""
    tails = []
    for z in (1.0, -1.0):
        loss = (50.0 * np.abs(x - 1.0) + 50.0 * np.abs(x + 1.0) + np.abs(x - z)) / n
        log_density = -eta * (loss + mu * x**2 / 2.0)
        density = np.exp(log_density - log_density.max())
        tails.append(np.cumsum(density[::-1]) / density.sum())
    return np.max(tails[0] - np.exp(epsilon) * tails[1])


log = np.log(1.0 / delta)
eta = n * epsilon * np.sqrt(log)
plain = found_delta(eta, 8.0 * eta / (n * epsilon) ** 2)
private = found_delta(eta / log, 8.0 * eta / (n * epsilon) ** 2)
print(f"stated: delta = {delta:g} at eps = {epsilon}; found without log(1/delta) in mu: {plain:.2g}")
print(f"found with log(1/delta) in mu and below the fraction of eta: {max(private, 0.0):.2g}")
assert plain > 1000.0 * delta
