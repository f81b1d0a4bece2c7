"""Algorithm 3 on m queries and one more, T = 0, c = 1: P(m times ⊥, then a number ≤ 0) on D and D′, ε = 1."""

from math import exp, log

from scipy.integrate import dblquad

EPSILON, M = 1.0, 10
B = 2.0 / EPSILON  # of the threshold and of the queries


def density(x):
    return exp(-abs(x) / B) / (2.0 * B)


def below(x):
    return 0.5 * exp(x / B) if x < 0.0 else 1.0 - 0.5 * exp(-x / B)


def probability(early, last):
    def both(z, y):  # the number y ≤ 0 was at least the noisy threshold z; M queries were below it
        return density(y - last) * density(z) * below(z - early) ** M

    return dblquad(both, -40.0, 0.0, -40.0, lambda y: y, epsabs=0.0, epsrel=1e-8)[0]


loss = log(probability(0.0, 1.0) / probability(1.0, 0.0))
print(f"stated: loss at most ε = {EPSILON:g}")
print(f"found:  {loss:.6f}, which is (m - 1)ε/2 = {(M - 1) * EPSILON / 2:g}")
assert abs(loss - (M - 1) * EPSILON / 2.0) < 1e-5
