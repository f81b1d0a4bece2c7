"""Lemma 4.5: an (eps, delta)-DP algorithm of ten users with no (2 eps, 0)-DP one within delta."""

from itertools import pairwise
from math import exp

EPS, DELTA, USERS = 0.1, 0.01, 10
# Each of ten users holds a bit. With c ones the algorithm outputs 1 with probability p[c].
p = [0.0]
for _ in range(USERS):
    p.append(exp(EPS) * p[-1] + DELTA)
for a, b in [*pairwise(p), *pairwise(p[::-1])]:  # neighbours differ in one bit; two outputs, so two events
    assert a <= exp(EPS) * b + DELTA + 1e-12
    assert 1 - a <= exp(EPS) * (1 - b) + DELTA + 1e-12
# A (2 eps, 0)-DP algorithm with q[c] within v of p[c] has q[0] <= v and q[10] >= p[10] - v, and
# q[10] <= exp(20 eps) q[0]; hence v >= p[10]/(1 + exp(20 eps)).
found = p[-1] / (1 + exp(2 * EPS * USERS))
print(f"total variation to the nearest (2 eps, 0)-DP algorithm: stated <= {DELTA:g}, found >= {found:.5f}")
assert found > 1.9 * DELTA
