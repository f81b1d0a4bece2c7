"""Proof of Theorem 5.3: given theta_0 the users of line 7 are not fresh draws, because theta_0 used them."""

from itertools import product
from math import ceil, erf, exp, log, sqrt

# Squared loss, fair signs, 4 users of one item: theta_0 = mean + N(0, s^2). Line 7 starts with users 3, 4.
s = 0.3
batch, weight = 0.0, 0.0
for signs in product((-1, 1), repeat=4):
    above = 0.5 * (1 + erf(sum(signs) / 4 / s / sqrt(2)))  # P(theta_0 > 0 | these users)
    batch += above * (signs[2] + signs[3]) / 2
    weight += above
print("Theorem 5.1, applied in line 7 with K' = K and a ball about theta_0, takes samples from D: mean 0")
print(f"found: given theta_0 > 0, the mean of the users of the first batch is {batch / weight:.4f}")
assert batch / weight > 0.2

# At the noise of line 3, epsilon = 1, delta = 0.1, beta = 1/(2 n^2 m), G/mu = 2:
e = 0.25
d = 0.05 / (exp(e) + 2)
kappa = 1 + ceil(log(1 / d) / e)
for n in (10**4, 10**8, 10**10, 10**16):
    sigma = 2 * sqrt(log(2 / d)) * 8 * kappa / e * 20 * sqrt(log(2 * n**2)) / n  # m = 1
    rho = sqrt(0.5 / (1 + sigma**2 * n))  # correlation of theta_0 and the mean of the first half
    print(f"n = {n:.0e}: the correlation of theta_0 and the mean of the first batch is {rho:.4f}")
assert rho > 0.2
