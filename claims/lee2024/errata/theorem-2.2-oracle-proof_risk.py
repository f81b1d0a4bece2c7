"""Appendix E.1 of Lee, Liu and Lu (2024): what a total variation of delta/2 in the ball may cost, k = G =
C = 1.

eta = n eps sqrt(1/log(1/delta)), mu = 8 eta log(1/delta)/(n eps)^2; the ball has radius C + sqrt(d/(eta
mu)) + sqrt(2 log(4/delta)/(eta mu)). A law that has delta/2 at its edge, and is exact otherwise, is within
delta/2."""

import numpy as np


def shares(n, d, eps, delta, tolerance):
    """The risk that tolerance/2 at the edge of the ball adds, over the bound of Theorem 2.2."""
    log = np.log(1.0 / delta)
    strength = 8.0 * (n * eps) ** 2 / log * log / (n * eps) ** 2  # eta mu
    radius = 1.0 + np.sqrt(d / strength) + np.sqrt(2.0 * np.log(4.0 / tolerance) / strength)
    return tolerance / 2.0 * radius / (np.sqrt(log) / (n * eps))


for n, d, delta in ((1_000, 10_000, 0.1), (10_000, 1_000_000, 1e-4)):
    found, repaired = shares(n, d, 0.4, delta, delta), shares(n, d, 0.4, delta, min(delta, 1.0 / (n * d)))
    print(f"n = {n}, d = {d}, delta = {delta:g}: {found:.0f} times the bound")
    print(f"  with the tolerance min(delta, 1/(nd)): {repaired:.1g} times")
    assert found > 10.0
    assert repaired < 1.0
