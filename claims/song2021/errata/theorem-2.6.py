"""Theorem 2.6 (quoted from Abadi et al. and Mironov): T gradient steps with their noise, one record replaced.

n records, gradients of norm at most L = 1. Replacing a record moves the averaged gradient by up to 2/n in
each step: T steps are as private as one whose shift is larger by √T. For a small ε the theorem holds.
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


replaced, removed = (sqrt(steps) * shift / n / sigma for shift in (2, 1))  # in units of the noise
found = exact_delta(epsilon, replaced)
print(f"stated: δ = {delta:g} at ε = {epsilon:g}")
print(f"found:  δ = {found:.3g} at ε = {epsilon:g} where a gradient +1 is replaced by -1;")
print(f"        ε = {brentq(lambda e: exact_delta(e, replaced) - delta, 1e-9, 200):.3f} at δ = {delta:g}")
print(f"within the statement where a record is removed (n public): δ = {exact_delta(epsilon, removed):.3g}")
print("the statement fails here" if found > delta else "the statement holds here: take a larger ε")
