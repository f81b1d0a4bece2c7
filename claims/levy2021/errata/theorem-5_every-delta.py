"""Theorem 5 of Levy et al. (2021) names no δ. Publish the mean x of a random share δ of the users.

A replaced user is in the share with probability δ: this is (0, δ)-DP. On the linear losses of the proof,
with mean μ, Rx/‖x‖ has the excess R(‖μ‖ − ⟨μ, x⟩/‖x‖) ≤ 2R‖x − μ‖, and for N(μ, I) and m samples of each of
δn users E‖x − μ‖ ≤ √(d/(mδn)). Here R = σ = 1, and ‖μ‖ is as large as one likes.
"""

import math

import numpy as np

rng = np.random.default_rng(0)
x, mu = 3.0 + rng.standard_normal((1000, 50)), np.full(50, 3.0)
excess = np.linalg.norm(mu) - x @ mu / np.linalg.norm(x, axis=1)
assert (excess <= 2.0 * np.linalg.norm(x - mu, axis=1)).all()

m = 10
for n, d, eps, delta in ((100, 10**6, 1.0, 0.01), (100, 10**12, 1.0, 0.01), (10**6, 10**11, 1.0, 0.5)):
    bound = math.sqrt(d / (m * n)) + d / (n * math.sqrt(m) * eps)
    found = 2.0 * math.sqrt(d / (m * delta * n))
    print(
        f"n = {n}, d = {d}, eps = {eps}, delta = {delta}: stated order {bound:.4g}, found at most {found:.4g}"
    )
    print(f"  found / stated = {found / bound:.2g} for every mu (it falls like 1/sqrt(d))")
    assert found < 0.2 * bound
assert math.sqrt(10**11) / 1.0 <= 10**6  # the last case lies in n >= sqrt(d) / eps
