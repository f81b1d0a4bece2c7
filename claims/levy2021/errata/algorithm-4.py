"""Algorithm 4 of Levy et al. (2021): T = ⌈log₂(Gn√m ε/(σd))⌉ phases of n/2^t fresh users (line 4).

G is set to σ√d, which any reading of the bars over G in T gives; R = σ = 1. (7) is (G + λ_t·R)-Lipschitz.
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
    print(f"  users of the last phase: {users:.3g} (with ⌊·⌋: {friendly:.3g}, always ≤ 2√d/(√m·ε))")
    base = math.sqrt(d / (n * m) + d**2 / (n**2 * m * eps**2))  # λ
    print(f"  Algorithm 3 takes G-Lipschitz losses; λ_T·R = {4.0**phases * base / math.sqrt(d):.2g}·G")
