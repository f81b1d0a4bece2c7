"""Theorem 4.1, privacy, with no condition on n: Algorithm 2 with T = 2 on n = 20 users, G = R = d = 1."""

from math import exp, log, sqrt

from scipy.special import ndtr

EPS, DELTA, N, M, T = 1.0, 1e-6, 20, 10**8, 2
tau = (log(N * M * T / DELTA) + EPS) / sqrt(M)
inner = DELTA / (2 * T * M * N)
sigma = tau * sqrt(8 * T * (EPS / 2 + log(T / inner)) * (EPS / 2 - log(inner))) / (N * EPS)  # line 14
assert 2 * tau < 2  # gradients +1 and -1 are outliers to each other
a, b = 4 / EPS, 8 / EPS
chance = []
for plus in (N // 2, N // 2 + 1):  # users with loss +theta; the others have loss -theta
    gap = 0.8 * N - (plus**2 + (N - plus) ** 2) / N
    passes = (b**2 * exp(-gap / b) - a**2 * exp(-gap / a)) / (2 * (b**2 - a**2))
    kept = 1 - (1 - max(plus - N / 2, 0) * 6 / N) ** plus  # somebody with gradient +1 is kept
    # the first answer is 1 + noise if somebody is kept, else noise; the first step is -eta times it
    chance.append(passes * (kept * ndtr(0.5 / sigma) + (1 - kept) * ndtr(-0.5 / sigma)))
found = chance[1] - exp(EPS) * chance[0]
print(f"n = {N}, log(mdn/delta)/eps = {log(M * N / DELTA) / EPS:.3g}, noise {sigma:.3g}")
print(f"delta of a first step longer than eta*G/2: stated <= {DELTA:g}, found {found:.4g}")
assert found > 1000 * DELTA
