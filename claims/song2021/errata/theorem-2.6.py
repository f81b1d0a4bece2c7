"""Theorem 2.6 (quoted from Abadi et al. and Mironov): one gradient step with its noise, one record replaced.

n records, gradients of norm at most L = 1. Replacing a record moves the averaged gradient by up to 2/n.
"""

from math import exp, log, sqrt

from scipy.optimize import brentq
from scipy.special import ndtr

n, epsilon, delta, steps = 100, 1.0, 1e-5, 1
sigma = sqrt(2 * steps * log(1 / delta)) / (n * epsilon)


def exact_delta(eps, mu):
    """δ of N(mu, 1) against N(0, 1) at eps: P(x > t) - e^eps Q(x > t), the likelihood ratio at t is e^eps."""
    t = eps / mu + mu / 2
    return ndtr(mu - t) - exp(eps) * ndtr(-t)


replaced, removed = 2 / n / sigma, 1 / n / sigma  # shifts of the averaged gradient in units of the noise
found = exact_delta(epsilon, replaced)
print(f"stated: δ = {delta:g} at ε = {epsilon:g}")
print(f"found:  δ = {found:.3g} at ε = {epsilon:g} where a gradient +1 is replaced by -1;")
print(f"        ε = {brentq(lambda e: exact_delta(e, replaced) - delta, 0.1, 20):.3f} at δ = {delta:g}")
print(f"within the statement where a record is removed (n public): δ = {exact_delta(epsilon, removed):.3g}")
assert found > 100 * delta > 100 * exact_delta(epsilon, removed)
