"""Section 1.1 of Lee, Liu and Lu (2024): rank 1 on the unit ball of R^d, l(theta; z) = z theta_1, z = +-1.

P projects onto the first coordinate, for all z. The output is -e_1 where the sum of the records plus Laplace
noise of scale 2/eps is positive, else e_1: a replaced record moves the sum by 2, so this is (eps, 0)-DP."""

import numpy as np

epsilon, delta, n, rng = 0.5, 1e-6, 100_000, np.random.default_rng(0)
noise = rng.laplace(scale=2.0 / epsilon, size=1_000_000)
worst = 0.0
for total in range(2, 60, 2):  # for larger sums the sign is right
    worst = max(worst, 2.0 * total / n * np.mean(total + noise < 0.0))
print(f"largest excess risk of the noisy sign: {worst * n * epsilon:.2f}/(n eps), for every d")
for d in (10**2, 10**4, 10**6):
    form = np.sqrt(d * np.log(1.0 / delta)) / (n * epsilon)
    print(f"d = {d}: sqrt(d log(1/delta))/(n eps) is {form / worst:.0f} times that")
assert form > 1000.0 * worst
