"""Algorithm 2 of Lee, Liu and Lu (2024): n = 20 users, all but the last write a 1 wherever they may.

A column adds c*U to the innocent user's score; columns are independent, so the tail of the score is that
of a sum of d equal laws: the formula of Lugannani and Rice, which is good to about a per cent."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

n = 20
edge = np.arcsin(np.sqrt(1.0 / (300.0 * n)))
r = np.linspace(edge, np.pi / 2.0 - edge, 20_001)
p = np.sin(0.5 * (r[1:] + r[:-1])) ** 2
q = np.sqrt((1.0 - p) / p)
ones = 1.0 - (1.0 - p) ** (n - 1)  # the coalition writes a 1 unless all its members have a 0
for security in (1e-8, 1e-12):
    d, z = 100 * n**2 * np.log(n / security), 20 * n * np.log(n / security)

    def kumulant(s):
        return d * np.log(np.mean(1.0 - ones + ones * (p * np.exp(s * q) + (1.0 - p) * np.exp(-s / q))))

    slope = lambda s: (kumulant(s + 1e-5) - kumulant(s - 1e-5)) / 2e-5
    s = brentq(lambda s: slope(s) - z / 2.0, 1e-4, 0.2)
    w, v = np.sqrt(2.0 * (s * z / 2.0 - kumulant(s))), s * np.sqrt((slope(s + 1e-4) - slope(s - 1e-4)) / 2e-4)
    tail = norm.sf(w) + norm.pdf(w) * (1.0 / v - 1.0 / w)
    print(f"an innocent user is above Z/2 with probability {tail:.2g}, and returned with at least {tail / n:.2g};")
    print(f"  the security that is stated is {security:g}")
    assert tail / n > 1.5 * security
