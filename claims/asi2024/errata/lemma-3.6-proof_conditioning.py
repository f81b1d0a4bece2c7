"""Lemma 3.6, proof: the first answer of Algorithm 1 given that no query halts, tau = 1."""

from math import exp, log

import numpy as np

EPS, DELTA, T, N, A = 1.0, 1e-6, 10, 702, 623
assert 40 * log(4 * T / DELTA) / EPS <= N
# Query 1: all users agree. Later ones: A users at 0, the others at 1.5, the one who is replaced at 0.75 (near
# all) or at -2 (near none). She is near on D where the first answer is above a level and far below it, on D'
# the other way round; the first answer has one law on both.
score = {}
for name, place in (("near", 0.75), ("far", -2.0)):
    users = np.array([0.0] * A + [1.5] * (N - 1 - A) + [place])
    score[name] = (np.abs(users[:, None] - users) <= 1.0).sum() / N
rho = np.linspace(-200, 200, 100_001)  # noise of the threshold, Lap(4/eps); of a score, Lap(8/eps)
mass, passes = EPS / 8 * np.exp(-EPS / 4 * np.abs(rho)) * (rho[1] - rho[0]), {}
for name, value in (score | {"all agree": N}).items():
    x = (value - 0.8 * N + rho) * EPS / 8
    passes[name] = np.where(x < 0, 0.5 * np.exp(-np.abs(x)), 1 - 0.5 * np.exp(-np.abs(x)))
no_halt = {name: (mass * passes["all agree"] * passes[name] ** (T - 1)).sum() for name in score}
ratio, high = no_halt["near"] / no_halt["far"], 0.246  # P(first answer above the level)
here, there = high * ratio / (high * ratio + 1 - high), high / (high + (1 - high) * ratio)
found = here - exp(EPS / 2) * there
stated = DELTA / (2 * exp(EPS / 2)) + T * DELTA / (2 * (exp(EPS) + 1 + T))
print(f"given no halt the first answer is high with probability {here:.3f} on D, {there:.3f} on D'")
print(f"delta at eps/2: stated at most {stated:.2g}, found {found:.3g}")
assert found > 1000 * stated
