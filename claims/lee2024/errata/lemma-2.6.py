"""Lemma 2.6 of Lee, Liu and Lu (2024): f(x) = max(0, 10 |x_2| - 10 x_1), mu = 1, k = 1, minimiser x* = 0.

The law depends on x_1 and r = |x_2| only, with the density r^(d-2) exp(-f - (x_1^2 + r^2)/2)."""

import numpy as np


def moments(d, a, b):
    """E x_1^2 and Var f, by summing over a fine grid of x_1 and r."""
    top = np.sqrt(d) + 8.0
    x = np.linspace(-8.0, top, 800)[:, None]
    r = np.linspace(0.0, top, 801)[None, 1:]
    f = np.maximum(0.0, b * r - a * x)
    log_density = (d - 2) * np.log(r) - f - (x**2 + r**2) / 2.0
    p = np.exp(log_density - log_density.max())
    p /= p.sum()
    mean = (p * f).sum()
    return (p * x**2).sum(), (p * (f - mean) ** 2).sum()


for d in (2, 10, 100):
    found, _ = moments(d, 10.0, 10.0)
    print(f"d = {d}: E(x_1 - x_1*)^2 = {found:.2f}; Lemma 2.6 states at most k/mu = 1")
    assert found > 1.2
for d in (100, 10_000):
    _, variance = moments(d, np.sqrt(np.sqrt(d) / 2.0), 1.0)
    print(f"d = {d}: Var f = {variance:.1f} where Lemma 2.7 states a constant times (1 + 1)(1 + 0) = 2")
    assert variance > 0.4 * np.sqrt(d)
