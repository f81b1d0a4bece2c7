"""Theorem 4.1, utility: the condition on T uses L(0; D), which may be negative. One loss, n copies, x = 1."""

from math import log, sqrt

import numpy as np

epsilon, delta, gamma, L, beta = 1.0, 1e-5, 0.1, 1.0, 1.0


def loss(z):
    """1-Lipschitz, 1-smooth, and convex."""
    return np.sqrt(1 + (z - 1) ** 2) - 2


z = np.linspace(-5, 7, 120_001)
slope = np.gradient(loss(z), z)
print(f"slopes within ±{abs(slope).max():.3f}, curvature up to {np.gradient(slope, z).max():.3f}")
print(f"least loss {loss(z).min():.3f}, at {z[loss(z).argmin()]:.3f}; L(0; D) = {loss(0.0):.3f}")
found = abs((loss(1e-6) - loss(-1e-6)) / 2e-6)
for n in (10**3, 10**6):
    least = beta * (n * epsilon) ** 2 * loss(0.0) / (2 * L**2 * log(1 / delta))  # T must be at least this
    stated = L * sqrt(log(1 / delta)) * log(1 / gamma) / (epsilon * n)
    print(f"n = {n:.0e}: T = 1 ≥ {least:.3g}, so θ₀ is selected; stated O({stated:.2g}), found {found:.3f}")
    assert least <= 1
    assert found > 50 * stated
