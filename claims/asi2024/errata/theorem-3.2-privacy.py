"""Theorem 3.2, privacy: one query to Algorithm 1 at the least n of the theorem, tau = 1."""

from math import ceil, exp, log

EPS, DELTA, T = 1.0, 1e-6, 1
GAMMA = DELTA  # gamma = 1/2, which the theorem admits, gives n = 118 and 0.0076
n = 2 * ceil((8 * log(T / GAMMA) + 8 * log(T / DELTA)) / EPS / 2)
# n/2 users at x and n/2 at -x with x immense, against n/2 + 1 at x and n/2 - 1 at -x: one user differs.
# First dataset: a user has n/2 others within 2 tau, so she is kept with probability 0; the answer is noise.
# Second dataset: the n/2 + 1 users at x are kept with probability (f - n/2)/(n/6) = 6/n each.
kept = 1 - (1 - 6 / n) ** (n // 2 + 1)  # somebody is kept, and the answer is near x
score = ((n // 2 + 1) ** 2 + (n // 2 - 1) ** 2) / n
# AboveThreshold(eps/2) says yes if Lap(4/eps) + Lap(8/eps) is at least 4n/5 - score.
a, b, gap = 4 / EPS, 8 / EPS, 4 * n / 5 - score
passes = (b**2 * exp(-gap / b) - a**2 * exp(-gap / a)) / (2 * (b**2 - a**2))
found = passes * kept
print(f"n = {n}, eps = {EPS:g}. An event that has probability 0 on one of two neighbouring datasets")
print(f"has on the other: stated at most delta = {DELTA:g}, found {found:.4g}")
assert found > 100 * DELTA
