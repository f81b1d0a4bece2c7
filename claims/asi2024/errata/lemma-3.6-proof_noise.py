"""Lemma 3.6, proof: T Gaussian answers with the printed variance and means c*tau*log(1/zeta')/n apart."""

from math import exp, log, sqrt

from scipy.special import ndtr

EPS, DELTA = 1.0, 1e-6
step = DELTA / (2 * exp(EPS / 2))  # the delta' of the proof
# c is the constant that Lemma 3.5 hides: a small one only puts the failure off to a larger T
for c, log_t in ((1.0, 0.0), (1.0, log(100)), (0.1, 100.0), (0.01, 10_000.0)):
    zeta = log(2 / DELTA) + max(log_t, log(exp(EPS) + 1 + exp(min(log_t, 50.0))))  # log(1/zeta')
    # distance in standard deviations: sqrt(T)*c*tau*zeta/n over sqrt(4 tau^2 T zeta log(1/delta'))/(n eps)
    mu = c * EPS * sqrt(zeta / (4 * log(1 / step)))
    level = EPS / 2
    found = ndtr(mu / 2 - level / mu) - exp(level) * ndtr(-mu / 2 - level / mu)
    print(f"c = {c:g}, log T = {log_t:.4g}: delta at eps/2 stated <= {step:.3g}, found {found:.3g}")
    assert found > step
