"""G.5 of Lee, Liu and Lu (2024): the largest k with k/n > 2 e^k delta, for delta = 1/(n log n) = o(1/n).

With n = k n_k the proof gets n of order k sqrt(d/log(1/delta)); for the printed sqrt(d log(1/delta)) the k
has to be of order log(1/delta). Everything is in logarithms, so that n may be huge."""

from math import log

from scipy.optimize import brentq


def largest(log_n, log_inverse_delta):
    """The larger root of log k - log n = log 2 + k - log(1/delta)."""
    return brentq(lambda k: log(k) - log_n - log(2.0) - k + log_inverse_delta, 1.0, 2.0 * log_inverse_delta)


shares = []
for log_n in (50.0, 1e4, 1e8):
    inverse = log_n + log(log_n)
    k = largest(log_n, inverse)
    shares.append(k / inverse)
    print(f"n = e^{log_n:g}: the largest k is {k:.1f}, log(1/delta) = {inverse:g}: share {shares[-1]:.2g}")
    inverse = 1.1 * log_n
    print(f"  and for delta = n^(-1.1): share {largest(log_n, inverse) / inverse:.2g}")
assert shares[0] > 20.0 * shares[1] > 20.0**2 * shares[2]
