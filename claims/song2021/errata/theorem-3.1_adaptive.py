"""Theorem 3.1 for a private algorithm: a packing over scales. L = 1, rank 1, loss |θ - y|, all x = 1.

D_R has n records (1, R): θ* = R, and the theorem says E|θ - R| ≤ b·R. With another δ change n, ε and the
scales: the certificate needs b < 1 and a positive mass.
"""

from math import exp, expm1, log, sqrt

n, epsilon, delta, scales = 200, 0.03, 1e-5, 8_000
tau = 1e-6  # intervals (τR, (2 - τ)R), disjoint for R = 1, K, K², … with K = 2/τ

b = sqrt(1 + 2 * log(1 / delta)) / (epsilon * n)
inside = 1 - b / (1 - tau)  # Markov: P(θ in the interval of R) on D_R
# n replaced records lead from D_R to (1, 1), …, (1, 1): P_R ≤ e^{nε}·P_1 + δ(e^{nε} - 1)/(e^ε - 1)
mass = exp(-n * epsilon) * inside - delta * -expm1(-n * epsilon) / expm1(epsilon)
print(f"stated: E|θ - R| ≤ {b:.3f}·R for every R, by an ({epsilon}, {delta})-DP algorithm; n = {n}")
print(f"found:  on (1, 1), …, (1, 1) each of {scales} disjoint intervals then has probability ≥ {mass:.3g},")
print(f"        {scales * mass:.4f} together" if mass > 0 else "        nothing: take another n, ε or δ")
assert b >= 1 or mass <= 0 or scales * mass > 1, "take more scales"
