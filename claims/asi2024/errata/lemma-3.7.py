"""Lemma 3.7: how surely Algorithm 1 removes nobody from concentrated data, T = 1, tau = 1."""

from math import ceil, exp, log

EPS, GAMMA, T = 1.0, 0.01, 1


def passes(gap):
    """P(AboveThreshold(eps/2) says yes to a score `gap` below 4n/5): Lap(4/eps) + Lap(8/eps) >= gap."""
    a, b = 4 / EPS, 8 / EPS
    tail = (b**2 * exp(-abs(gap) / b) - a**2 * exp(-abs(gap) / a)) / (2 * (b**2 - a**2))
    return tail if gap > 0 else 1 - tail


least = 1 - (T + 1) * GAMMA
n = ceil(8 * log(T / GAMMA) / EPS)
agree = passes(0.8 * n - n)
print(f"n = {n} users with one value, score n: P(nobody removed) stated >= {least:g}, found {agree:.3f}")
assert agree < least
for many in (38, 1000):  # half of the users at +tau, half at -tau: within tau of 0, so (tau, 0)-concentrated
    found = passes(0.8 * many - many / 2)  # pairs across are 2 tau apart: the score is n/2
    print(f"n = {many}, half at +tau, half at -tau: stated >= {least:g}, found {found:.2g}")
    assert found < least
