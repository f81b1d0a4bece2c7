"""Theorem 4.1, utility: least excess risk of any method on Algorithm 1's answers over the printed bound."""

from math import log, sqrt

from scipy.special import ndtr

G = R = D = 1
M, EPS = 10**12, 0.1
ratios = []
for logdelta in (50.0, 500.0, 5000.0, 50000.0):  # log(1/delta)
    n = 1.0
    for _ in range(60):  # n = 100 log(mdn/delta)/eps
        n = 100 * (log(M * D * n) + logdelta) / EPS
    t = (M * n) ** 2 + M * n * sqrt(D)
    tau = G * (log(n * D * M * t) + EPS + logdelta) / sqrt(M)
    inner = log(2 * t * M * n * D) + logdelta  # log(1/delta') for Algorithm 1, delta' = delta/(2Tmnd)
    sigma = tau * sqrt(8 * t * (EPS / 2 + log(t) + inner) * (EPS / 2 + inner)) / (n * EPS)  # line 14
    # All items are z = +s or z = -s, s = x sigma/sqrt(T), with loss z*theta on [-R/2, R/2]. T answers
    # z + noise tell the signs apart with total variation 2 Phi(x) - 1 only, so one of them costs R s Phi(-x).
    least = max(R * x * sigma / sqrt(t) * ndtr(-x) for x in (0.7, 0.75, 0.8))
    assert 0.8 * sigma / sqrt(t) <= G
    printed = G * R * (1 / sqrt(n * M) + sqrt(D) * (log(n * D * M) + logdelta) / (n * sqrt(M) * EPS))
    ratios.append(least / printed)
    print(f"log(1/delta) = {logdelta:g}: risk over the bound stated <= a constant, found >= {ratios[-1]:.4g}")
assert ratios[-1] > 5 * ratios[-2] > 25 * ratios[-3]
