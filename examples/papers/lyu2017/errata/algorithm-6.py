"""Algorithm 6: m times ⊥, then m times ⊤; all queries 0 on D; on D′ m queries 1 and m queries −1, T = 0."""

from math import exp, log

from scipy.integrate import quad

EPSILON, M = 1.0, 20
B = 2.0 / EPSILON  # of the threshold and of the queries


def below(x):
    return 0.5 * exp(x / B) if x < 0.0 else 1.0 - 0.5 * exp(-x / B)


def probability(low, high):
    def given(z):
        return exp(-abs(z) / B) / (2.0 * B) * below(z - low) ** M * below(high - z) ** M

    parts = [(-40, -1), (-1, 0), (0, 1), (1, 40)]
    return sum(quad(given, a, b, epsabs=0.0, epsrel=1e-10, limit=500)[0] for a, b in parts)


loss = log(probability(0.0, 0.0) / probability(1.0, -1.0))
print(f"stated: loss at most ε = {EPSILON:g}")
print(f"found:  {loss:.4f}, more than mε/2 = {M * EPSILON / 2:g}")
assert loss > M * EPSILON / 2.0
