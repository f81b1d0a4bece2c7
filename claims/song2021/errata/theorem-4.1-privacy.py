"""Theorem 4.1, privacy: two steps of DP-GD on rank 1, both iterates and the noisy argmin of two norms.

In units of L/n: one linear record of slope z = ±1; the others (Huber losses, η one over their smoothness)
have the summed gradient A at θ₀ and A - w at θ₁, w the first noisy gradient. ε = 1, δ = 1e-5.
"""

from math import exp, log, sqrt

import numpy as np

b, delta = 2.0, 1e-5  # Laplace scale 2L/(nε)


def two_steps(sigma, A):
    """δ at 2ε of (w, second noisy gradient A - w + x, selected index): a sum over a grid of w and x."""
    w, dw = np.linspace(A - 1 - 8 * sigma, A + 1 + 8 * sigma, 1201, retstep=True)
    x, dx = np.linspace(-1 - 8 * sigma, 1 + 8 * sigma, 801, retstep=True)

    def law(z, sign):  # density of (w, x) and the index; sign +1 where θ₀ is selected
        gap = sign * (abs(A - w + z) - abs(A + z)) / b
        tail = 0.5 * np.exp(-abs(gap)) * (1 + abs(gap) / 2)  # P(difference of two Laplace draws > |gap|)
        chosen = np.where(gap >= 0, 1 - tail, tail) * np.exp(-(((w - A - z) / sigma) ** 2) / 2)
        return np.outer(chosen, np.exp(-(((x - z) / sigma) ** 2) / 2)) / (2 * np.pi * sigma**2)

    return sum(np.maximum(law(1, k) - exp(2) * law(-1, k), 0).sum() * dw * dx for k in (1, -1))


found = two_steps(sqrt(4 * log(1 / delta)), 5.0), two_steps(2 * sqrt(2) / 0.26805, 8.0)
print(f"stated: δ = {delta:g} at 2ε; found {found[0]:.2g}, {found[1]:.2g} with steps private by themselves")
assert min(found) > 20 * delta
