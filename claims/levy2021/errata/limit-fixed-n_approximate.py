"""Levy et al. (2021), introduction: risk Ω(e^(−εn)) "for all the learning tasks we consider", with a δ.

m is infinite: all n users sit at 0, or all at 1. Answer 1 with probability P[k] where k users sit at 1.
P may grow by one user to min(e^ε P + δ, 1 − e^(−ε)(1 − P − δ)), and so it gets from 0 to 1: no error.
"""

import math
from itertools import pairwise

for n, eps, delta in ((12, 1.0, 1.0 / 144), (6, 1.0, 0.05), (40, 0.3, 1.0 / 1600)):
    p = [0.0]
    for _ in range(n):
        grown = math.exp(eps) * p[-1] + delta
        p.append(min(grown, 1.0 - math.exp(-eps) * (1.0 - p[-1] - delta), 1.0))
    for a, b in pairwise(p):  # both events, both directions: this is (eps, delta)-DP
        for first, second in ((a, b), (b, a), (1 - a, 1 - b), (1 - b, 1 - a)):
            assert first <= math.exp(eps) * second + delta + 1e-12
    stated = f"c·{math.exp(-eps * n):.2g} for some c > 0"
    print(f"n = {n}, ε = {eps}, δ = {delta:.3g}: stated error {stated}; found {max(p[0], 1.0 - p[-1]):g}")
    assert max(p[0], 1.0 - p[-1]) == 0.0
