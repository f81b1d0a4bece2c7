"""Ghazi et al. (2023), section 6: the exponent 4 kappa + 1 of n in the running time at (1, 1/2).

Algorithm 1 evaluates all datasets with at most 4 kappa + 1 users deleted; Algorithm 3 calls it
ceil(log(n m)) times with that share of the budget."""

from math import ceil, exp, log

DELTA = 0.5


def users(phases):
    """4 kappa + 2 for the budget of one of so many phases, eps = 1 in all."""
    half = 0.5 / phases
    delta_bar = DELTA / phases / (exp(half) + 2.0)
    return 4 * (1 + ceil(log(1.0 / delta_bar) / half)) + 2


once = users(1) - 1
print(f"Algorithm 1: n^{once}")
for n, m in ((1e4, 1.0), (1e4, 1e6), (1e6, 1e17)):
    exponent = users(ceil(log(n * m))) - 1
    print(f"Algorithm 3 with n = {n:g}, m = {m:g}: n^{exponent}")
assert exponent > 100 * once
