"""Algorithm 4 of Levy et al. (2021): T = ⌈log₂(Gn√m ε/(σd))⌉ phases of n/2^t fresh users.

G is set to σ√d, which any reading of the bars over G in T gives. Line 4 samples n/2^t users.
"""

import math


def users_of_last_phase(n, m, d, eps, rounding):
    phases = rounding(math.log2(math.sqrt(d) * n * math.sqrt(m) * eps / d))
    return phases, n / 2.0**phases


for n, m, d, eps in ((10**4, 10**4, 4, 1.0), (10**8, 10**4, 64, 1.0), (10**8, 10**6, 64, 0.3)):
    phases, users = users_of_last_phase(n, m, d, eps, math.ceil)
    empty = sum(n < 2**t for t in range(1, phases + 1))
    _, friendly = users_of_last_phase(n, m, d, eps, math.floor)
    print(f"n = {n}, m = {m}, d = {d}, eps = {eps}: {phases} phases, {empty} of them without a user")
    print(f"  stated: at least 1 user in the last phase; found: {users:.3g} (with ⌊·⌋: {friendly:.3g})")
    # In general: at most 2 sqrt(d) / (sqrt(m) eps) with floor, and that does not depend on n.
    assert users < 1.0
    assert friendly <= 2.0 * math.sqrt(d) / (math.sqrt(m) * eps) < 1.0
