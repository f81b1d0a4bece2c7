"""Lemma 3.6: the privacy of Algorithm 1 on two neighbouring datasets of n = 702 users, T = 10, tau = 1."""

from math import log, sqrt

import numpy as np
from scipy.special import ndtr

EPS, DELTA, T, N, A = 1.0, 1e-6, 10, 702, 623
assert 40 * log(4 * T / DELTA) / EPS <= N
sigma = sqrt(8 * T * (EPS / 2 + log(T / DELTA)) * (EPS / 2 - log(DELTA))) / (N * EPS)  # line 14
score = {}
for name, place in (("near", 0.75), ("far", -2.0)):  # one user differs
    users = np.array([0.0] * A + [1.5] * (N - 1 - A) + [place])
    gap = np.abs(users[:, None] - users)
    assert ((gap <= 2.0).sum(axis=1) >= 2 * N / 3).all()  # so Algorithm 1 keeps everybody
    score[name] = (gap <= 1.0).sum() / N
rho, laws = np.linspace(-200, 200, 100_001), []  # noise of the threshold, Lap(4/eps); of a score, Lap(8/eps)
for order in (["near"] * 9 + ["far"], ["far"] * 9 + ["near"]):  # one dataset, its neighbour
    mass, law = EPS / 8 * np.exp(-EPS / 4 * np.abs(rho)) * (rho[1] - rho[0]), []
    for query in order:
        x = (score[query] - 0.8 * N + rho) * EPS / 8
        passes = np.where(x < 0, 0.5 * np.exp(-np.abs(x)), 1 - 0.5 * np.exp(-np.abs(x)))
        law, mass = [*law, (mass * (1 - passes)).sum()], mass * passes
    laws.append(np.array([*law, mass.sum()]))
mu = np.maximum(2.75 / N * np.sqrt(range(T + 1)) / sigma, 1e-9)  # a halt at query k + 1 shows k answers
level = EPS - np.log(laws[0] / laws[1])
found = laws[0] @ (ndtr(mu / 2 - level / mu) - np.exp(level) * ndtr(-mu / 2 - level / mu))
print(f"delta at eps = {EPS:g}: stated at most {DELTA:g}, found {found:.3g}: {found / DELTA:.0f} times")
assert found > 10 * DELTA
