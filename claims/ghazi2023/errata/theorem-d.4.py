"""Theorem D.4 as quoted: the mean of 7 of 1000 items at random is (0, 0.007)-DP and breaks the conclusion."""

import numpy as np

n, k, d, epsilon = 1000, 7, 10**7, 0.1
delta, psi = k / n, np.sqrt(6.1 / 7)  # psi is below 1
ratio = 100 * psi * n / np.sqrt(d)
admitted = 1 / (ratio * np.sqrt(np.log(ratio)))
print(f"the theorem admits delta up to {admitted:.3f}; the mechanism has delta = {delta}")
assert delta <= admitted

# Each item is shown with probability k/n, whatever the data: (0, k/n)-DP. Squared error: d/k (sigma = 1).
alpha2 = d / k
limit = d * psi**2 / 6
print(f"its squared error {alpha2:.0f} is below the allowed d psi^2/6 = {limit:.0f}")
assert alpha2 <= limit
shown = np.random.default_rng(0).standard_normal((k, d // 100)).mean(axis=0)  # the data are exchangeable
print(f"squared error of a run in a hundredth of the dimensions, times 100: {100 * np.sum(shown**2):.0f}")
assert abs(100 * np.sum(shown**2) / alpha2 - 1) < 0.05

asked = d / (24 * np.sqrt(alpha2) * epsilon)
print(f"stated: n >= {asked:.0f}; found: n = {n}")
assert n < asked
