"""Algorithm 4: ⊥ on 60 queries, then c times ⊤; queries 0 on D; on D′ 1 where the answer is ⊥, −1 where ⊤."""

from math import exp, log

from scipy.integrate import quad

EPSILON, M = 1.0, 60
RHO, NU = 4.0 / EPSILON, 4.0 / (3.0 * EPSILON)


def below(x):
    return 0.5 * exp(x / NU) if x < 0.0 else 1.0 - 0.5 * exp(-x / NU)


def probability(low, high, c):
    def given(z):
        return exp(-abs(z) / RHO) / (2.0 * RHO) * below(z - low) ** M * below(high - z) ** c

    parts = [(-9, 0), (0, 9), (9, 90)]
    return sum(quad(given, a, b, epsabs=0.0, epsrel=1e-10, limit=500)[0] for a, b in parts)


for c in (1, 5):
    loss = log(probability(0.0, 0.0, c) / probability(1.0, -1.0, c))
    print(f"c = {c}, stated: loss at most {EPSILON:g}; found: {loss:.4f}; (1 + 6c)ε/4 = {(1 + 6 * c) / 4:g}")
    assert abs(loss - (1 + 6 * c) / 4 * EPSILON) < 1e-3
