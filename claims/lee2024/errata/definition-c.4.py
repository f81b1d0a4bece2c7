"""Algorithm 2 of Lee, Liu and Lu (2024): n = 20 users, all but the last write a 1 wherever they may.

A column adds c*U to the innocent user's score; columns are independent: the tail of a sum of d equal laws, by
the formula of Lugannani and Rice, which is good to about a per cent."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

n = 20  # users
edge = np.arcsin(np.sqrt(1.0 / (300.0 * n)))
p = np.sin(np.linspace(edge, np.pi / 2.0 - edge, 20_000)) ** 2
q = np.sqrt((1.0 - p) / p)
ones = 1.0 - (1.0 - p) ** (n - 1)  # the coalition writes a 1 unless all its members have a 0


def cumulants(s, d):
    """The log of E exp(s * score), and its first two derivatives."""
    up, down = ones * p * np.exp(s * q), ones * (1.0 - p) * np.exp(-s / q)
    m = [(up * q**i + down / (-q) ** i + (1.0 - ones) * 0.0**i).mean() for i in range(3)]
    return d * np.log(m[0]), d * m[1] / m[0], d * (m[2] / m[0] - (m[1] / m[0]) ** 2)


for security in (1e-8, 1e-12):
    d, z = 100 * n**2 * np.log(n / security), 20 * n * np.log(n / security)
    s = brentq(lambda s, d=d, z=z: cumulants(s, d)[1] - z / 2.0, 1e-4, 0.2)
    w, v = np.sqrt(2.0 * (s * z / 2.0 - cumulants(s, d)[0])), s * np.sqrt(cumulants(s, d)[2])
    returned = (norm.sf(w) + norm.pdf(w) * (1.0 / v - 1.0 / w)) / n
    print(f"security {security:g} is stated; the innocent user is returned with at least {returned:.2g}")
    assert returned > 1.5 * security
