"""Ghazi et al. (2023), abstract: the users that excess risk alpha = 0.01 needs, against the dimension.

sqrt(d)/(n sqrt(m)) <= alpha needs m >= d/(alpha n)^2; Algorithm 3 has ceil(log(n m)) phases of budget
eps/T, and each needs n >= 4 kappa + 2, since Algorithm 1 looks 4 kappa deletions down."""

from math import ceil, exp, log

DELTA = 1e-6


def users(phases):
    """4 kappa + 2 for the budget of one of so many phases, eps = 1 in all."""
    half = 0.5 / phases
    delta_bar = DELTA / phases / (exp(half) + 2.0)
    return 4 * (1 + ceil(log(1.0 / delta_bar) / half)) + 2


found = []
for log10_d in (0, 10, 100):
    n = 2
    while n < users(ceil(log(n) + max(0.0, log10_d * log(10.0) - 2.0 * log(0.01 * n)))):
        n += 1
    found.append(n)
    print(f"d = 10^{log10_d}: at least {n} users")
assert found[2] > 10 * found[0]
