"""Theorem 3.7 of Lee, Liu and Lu (2024) for delta = 2^(-n^0.9), against a mechanism with delta = 0.

Each coordinate is 1 where the count of ones plus Laplace noise of scale d/eps is above n/2: replacing a
record moves the d counts by 1 at most, so this is (eps, 0)-DP. Where a column has n/2 + t ones, it errs with
probability exp(-t eps/d)/2 and then loses 2 t/n."""

import numpy as np

d, epsilon = 100, 0.5
ratios = []
for n in (1e12, 1e16, 1e20):
    t = np.linspace(0.0, 20.0, 200_001) * d / epsilon
    excess = d * np.max(2.0 * t / n * np.exp(-t * epsilon / d) / 2.0)
    log_inverse_delta = n**0.9 * np.log(2.0)
    form = d * min(1.0, np.sqrt(d * log_inverse_delta) / (n * epsilon))
    ratios.append(excess / form)
    print(f"n = {n:g}: excess at most {excess:.3g}, form {form:.3g}, ratio {ratios[-1]:.2g}")
assert ratios[0] < 1.0 / 3000.0
assert ratios[2] < 0.01 * ratios[0]
