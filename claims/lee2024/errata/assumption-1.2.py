"""Assumption 1.2 of Lee, Liu and Lu (2024): two losses in the plane, each 1-Lipschitz, each least at norm 1.

l_i(x) = max(|<u_i, x - p_i>|, s |x - p_i|), p = (0, 1) and (0, -1), s = 1/(2 D); the lines <u_i, x - p_i> = 0
meet at (D, 0). Half of the records have l_1, half l_2; G = C = 1, k = d = 2, delta = 1e-5, G_2 = 0."""

import numpy as np
from scipy.optimize import minimize_scalar


def risk(x, y, far):
    total = 0.0
    for sign in (1.0, -1.0):
        line = np.abs(x + sign * far * (y - sign)) / np.hypot(1.0, far)
        total = total + np.maximum(line, np.hypot(x, y - sign) / (2.0 * far))
    return total / 2.0


for far in (10.0, 100.0, 1000.0):  # the risk is convex and even in y, so it is least on the line y = 0
    best = minimize_scalar(
        risk, args=(0.0, far), bounds=(0.0, far), method="bounded", options={"xatol": 1e-6}
    )
    print(f"D = {far:g}: each loss is least at norm 1, the mean at ({best.x:.2f}, 0)")
for power in (1e2, 1e3, 1e4):  # power = n eps; the private reading of eta and mu, for D = 1000
    eta, mu = power * np.sqrt(2.0 / np.log(1e5)), 8.0 * np.sqrt(2.0 * np.log(1e5)) / power
    x, y = np.meshgrid(np.linspace(-4.0, 4.0, 801), np.linspace(-4.0, 4.0, 801))
    log_density = -eta * (risk(x, y, 1000.0) + mu * (x**2 + y**2) / 2.0)
    p = np.exp(log_density - log_density.max())
    excess, bound = np.average(risk(x, y, 1000.0), weights=p) - best.fun, np.sqrt(2.0 * np.log(1e5)) / power
    print(f"n eps = {power:g}: expected excess {excess:.3f}, G C sqrt(k log(1/delta))/(n eps) = {bound:.5f}")
    assert excess > 13.0 * bound
