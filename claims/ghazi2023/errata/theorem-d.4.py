"""Theorem D.4 as quoted: the mean of 7 of 14 items at random is (0, 1/2)-DP and breaks the conclusion."""

import numpy as np

n, k, d, epsilon, delta = 14, 7, 420_000, 1.0, 0.5
psi = np.sqrt(6.1 / 7)  # below 1
ratio = 100 * psi * n / np.sqrt(d)
admitted = 1 / (ratio * np.sqrt(np.log(ratio)))
print(f"the theorem admits delta up to {admitted:.3f} (and at most 1/2); the mechanism has delta = {delta}")
assert delta <= admitted

# Each item is shown with probability 1/2, whatever the data: (0, 1/2)-DP. Squared error: d/k (sigma = 1).
alpha2 = d / k
limit = d * psi**2 / 6
print(f"its squared error {alpha2:.0f} is below the allowed d psi^2/6 = {limit:.0f}")
assert alpha2 <= limit
rng = np.random.default_rng(0)
runs = [np.sum(rng.standard_normal((n, d))[rng.permutation(n)[:k]].mean(axis=0) ** 2) for _ in range(3)]
print("squared errors of three runs:", ", ".join(f"{r:.0f}" for r in runs))
assert all(abs(r / alpha2 - 1) < 0.05 for r in runs)

asked = d / (24 * np.sqrt(alpha2) * epsilon)
print(f"stated: n >= {asked:.1f}; found: n = {n}")
assert n < asked
