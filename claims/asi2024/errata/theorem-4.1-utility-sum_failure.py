"""Appendix C.3 of Asi and Liu (2024): the probability gamma' = T (e^(2 eps) gamma + delta/(2 T m n d))
of Lemma 4.6.

n = 10,000, m = d = 1, eps = 1, delta = 0.1, T = m^2 n^2 + m n sqrt(d); delta/(m n d) is stated."""

from math import exp, log, sqrt

n, m, d, eps, delta = 10_000, 1, 1, 1.0, 0.1
steps = (m * n) ** 2 + m * n * sqrt(d)


def fails(gamma):
    """gamma' for one choice of gamma."""
    return steps * (exp(2.0 * eps) * gamma + delta / (2.0 * steps * m * n * d))


stated = delta / (m * n * d)
text, radius = fails(delta / (2.0 * steps * exp(2.0 * eps))), fails(delta / (m * exp(eps) * steps))
bound = 1.0 / sqrt(n * m) + sqrt(d) * log(m * n * d / delta) / (sqrt(m) * n * eps)
print(f"stated {stated:g}; with the gamma of C.3 {text:.3g}, with the gamma of the printed tau {radius:.3g}")
print(f"the whole bound of Theorem 4.1, in units of G R: {bound:.3g}")
assert min(text, radius) > 1000.0 * stated
assert min(text, radius) > bound
