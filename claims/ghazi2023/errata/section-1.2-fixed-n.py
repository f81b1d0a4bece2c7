"""Ghazi et al. (2023), section 1.2: the largest m for 24,000 users at (1, 0.1).

Algorithm 3 has ceil(log(n m)) phases of budget (eps/T, delta/T), and each needs n >= 4 kappa + 2, since
Algorithm 1 looks 4 kappa deletions down."""

from math import ceil, exp, log

DELTA = 0.1


def users(phases):
    """4 kappa + 2 for the budget of one of so many phases, eps = 1 in all."""
    half = 0.5 / phases
    delta_bar = DELTA / phases / (exp(half) + 2.0)
    return 4 * (1 + ceil(log(1.0 / delta_bar) / half)) + 2


n, log10_m = 24_000, 0
while users(ceil(log(n) + (log10_m + 1) * log(10.0))) <= n:
    log10_m += 1
print(f"with {n} users the theorem ends at m = 10^{log10_m}; stated: the risk tends to 0 as m grows")
assert log10_m < 1000
