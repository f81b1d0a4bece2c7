"""Privacy curves and what follows from them: the Gaussian trade-off, composition, sampling, groups.

The hockey-stick divergence ``H_ε(P‖Q) = sup_S P(S) − e^ε Q(S)`` of a pair of output laws is the least δ at
which P is (ε, δ)-indistinguishable from Q. δ is computed from logarithms: it keeps its leading digits down to
1e-300, and ε in the hundreds does not overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.checks import (
    non_negative,
    numbers,
    positive,
    probability,
    share,
    unit_interval,
    whole_number,
)

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_SQRT_HALF_PI = math.sqrt(math.pi / 2.0)


@dataclass(frozen=True, slots=True)
class PrivacyBudget:
    """The ε and δ that a mechanism may spend; `claims.Budget` is another thing, the α that a judge may spend.

    Raises ValueError unless epsilon is finite and positive and 0 ≤ delta < 1.

    >>> PrivacyBudget(1.0, 1e-6)
    PrivacyBudget(epsilon=1.0, delta=1e-06)
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        positive(epsilon=self.epsilon)
        unit_interval(delta=self.delta)
        if self.delta == 1.0:
            raise ValueError(f"delta must be below 1, got {self.delta}: every mechanism is (ε, 1)-DP")


# --- The Gaussian privacy curve ------------------------------------------------------------------------


@np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore")
def _log_gaussian_delta(epsilon: Array, mu: Array) -> Array:
    """log δ(ε, μ) for ε ≥ 0 and μ > 0, elementwise.

    With x = ε/μ − μ/2 and y = ε/μ + μ/2, e^ε φ(y) = φ(x), so that δ = φ(x)·(R(x) − R(y)) with Mills' ratio
    R(t) = Φ(−t)/φ(t): the two large terms share their factor and only R is subtracted. For small μ, R(x)
    and R(y) agree in most digits, and R(x) − R(y) = ∫_x^y (1 − tR(t)) dt has no difference left. Where ε/μ
    overflows δ is 0, log δ = −inf.
    """
    from scipy.special import erfcx, log_ndtr

    x, y = epsilon / mu - mu / 2.0, epsilon / mu + mu / 2.0
    result = np.empty_like(x)

    small = mu < 0.5
    if small.any():
        nodes, weights = np.polynomial.legendre.leggauss(12)
        t = (epsilon / mu)[small][:, None] + 0.5 * mu[small][:, None] * nodes
        integral = 0.5 * mu[small] * (_one_minus_t_mills(t) @ weights)
        result[small] = -0.5 * x[small] ** 2 - LOG_SQRT_2PI + np.log(integral)

    ordinary = ~small & (x > -5.0)
    u, v = x[ordinary], y[ordinary]
    difference = _SQRT_HALF_PI * (erfcx(u / math.sqrt(2.0)) - erfcx(v / math.sqrt(2.0)))
    result[ordinary] = -0.5 * u**2 - LOG_SQRT_2PI + np.log(difference)

    large = ~small & ~ordinary  # Φ(−x) is 1 up to 3e-7 here, and the second term is far below it
    e, u, v = epsilon[large], x[large], y[large]
    result[large] = np.log1p(-np.exp(log_ndtr(u)) - np.exp(e + log_ndtr(-v)))
    return result


def _one_minus_t_mills(t: Array) -> Array:
    """1 − t·R(t) for t ≥ −1: from erfcx, and from its asymptotic series where that would cancel."""
    from scipy.special import erfcx

    near = 1.0 - t * _SQRT_HALF_PI * erfcx(np.minimum(t, 30.0) / math.sqrt(2.0))
    s = 1.0 / np.maximum(t, 30.0) ** 2
    # 1 − tR(t) = 1/t² − 3/t⁴ + 15/t⁶ − …; the first term left out is below 1e-15 of the first at t = 30.
    far = s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s * (1 - 11 * s * (1 - 13 * s))))))
    return np.where(t < 30.0, near, far)


def gaussian_delta(epsilon: ArrayLike, mu: ArrayLike) -> Any:
    """H_ε(N(μ, 1)‖N(0, 1)) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), broadcast over both arguments.

    epsilon is any finite number, mu ≥ 0 (sensitivity over standard deviation). Returns a float, or an array
    where an argument is one. Raises ValueError for NaN, infinity or a negative mu.
    Source: Balle and Wang (2018), Theorem 8; Dong, Roth and Su (2022), Corollary 2.13.

    >>> round(gaussian_delta(1.0, 1.0), 6)
    0.126937
    """
    e, m = np.broadcast_arrays(numbers("epsilon", epsilon), numbers("mu", mu, low=0.0))
    flat_e, flat_m = e.ravel(), m.ravel()
    result = np.zeros(flat_e.shape)
    some = flat_m > 0.0
    with np.errstate(over="ignore"):
        result[some] = np.exp(_log_gaussian_delta(np.abs(flat_e[some]), flat_m[some]))
    return shaped(fold(flat_e, result).reshape(e.shape))


def fold(epsilon: Array, delta_of_abs: Array) -> Array:
    """H_ε(P‖Q) for negative ε from H_{−ε}(Q‖P): 1 − e^ε + e^ε·H_{−ε}(Q‖P), a sum without cancellation."""
    low = np.minimum(epsilon, 0.0)
    return np.where(epsilon < 0.0, -np.expm1(low) + np.exp(low) * delta_of_abs, delta_of_abs)


def bisect(holds: Callable[[Array], Bools], low: Array, high: Array) -> tuple[Array, Array]:
    """Elementwise bisection to neighbouring doubles: `holds` is true at low, false at high."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if ((middle <= low) | (middle >= high)).all():
            break
        ok = holds(middle)
        low, high = np.where(ok, middle, low), np.where(ok, high, middle)
    return low, high


def mu_star(epsilon: ArrayLike, delta: ArrayLike) -> Any:
    """The largest μ for which μ-Gaussian DP implies (ε, δ)-DP: the largest μ with gaussian_delta(ε, μ) ≤ δ.

    epsilon ≥ 0 and delta in [0, 1], broadcast; 0 where delta = 0 and inf where delta = 1. The value is
    rounded down, so gaussian_delta(ε, μ*) ≤ δ. Raises ValueError for arguments out of range or not finite.

    >>> round(mu_star(1.0, 1e-5), 6)
    0.268051
    """
    e, d = np.broadcast_arrays(
        numbers("epsilon", epsilon, low=0.0), numbers("delta", delta, low=0.0, high=1.0)
    )
    flat_e, flat_d = e.ravel(), d.ravel()
    result = np.where(flat_d >= 1.0, np.inf, 0.0)
    some = (flat_d > 0.0) & (flat_d < 1.0)
    if some.any():
        eps, target = flat_e[some], np.log(flat_d[some])

        def holds(mu: Array) -> Bools:
            return _log_gaussian_delta(eps, mu) <= target

        high = np.full(eps.shape, 1.0)
        while not (~holds(high)).all():
            high = np.where(holds(high), 2.0 * high, high)
        low = 0.5 * high
        while not (ok := holds(low)).all():
            low, high = np.where(ok, low, 0.5 * low), np.where(ok, high, low)
        result[some] = bisect(holds, low, high)[0]
    return shaped(result.reshape(e.shape))


def gaussian_epsilon(delta: ArrayLike, mu: ArrayLike) -> Any:
    """The smallest ε ≥ 0 for which μ-Gaussian DP implies (ε, δ)-DP; inf where delta = 0 and mu > 0.

    delta in [0, 1] and mu ≥ 0, broadcast. The value is rounded up, so gaussian_delta(ε, μ) ≤ δ.
    Raises ValueError for arguments out of range or not finite.

    >>> round(gaussian_epsilon(1e-5, 1.0), 4)
    4.3772
    """
    d, m = np.broadcast_arrays(numbers("delta", delta, low=0.0, high=1.0), numbers("mu", mu, low=0.0))
    flat_d, flat_m = d.ravel(), m.ravel()
    result = np.where((flat_d == 0.0) & (flat_m > 0.0), np.inf, 0.0)
    some = (flat_d > 0.0) & (gaussian_delta(0.0, flat_m) > flat_d)
    if some.any():
        mu_some, target = flat_m[some], np.log(flat_d[some])

        def holds(eps: Array) -> Bools:
            return _log_gaussian_delta(eps, mu_some) > target

        low, high = np.zeros(mu_some.shape), np.maximum(mu_some, mu_some**2)
        while holds(high).any():
            high = np.where(holds(high), 2.0 * high, high)
        result[some] = bisect(holds, low, high)[1]
    return shaped(result.reshape(d.shape))


def shaped(values: Array) -> Any:
    """A float for a 0-dimensional array, the array otherwise."""
    return float(values) if values.ndim == 0 else values


# --- Composition ---------------------------------------------------------------------------------------


def log_pure_composition_delta(epsilon: float, step_epsilon: float, steps: int) -> float:
    """log of the least δ for which `steps` mechanisms, each step_epsilon-DP, are together (ε, δ)-DP.

    Exact and attained by randomised response (Kairouz, Oh and Viswanath 2015, Theorem 3.3):
    δ = Σ_l C(k, l)·[e^{(k−l)ε₀} − e^{ε + lε₀}]₊/(1 + e^{ε₀})^k. Minus infinity where δ = 0.
    Raises ValueError for an epsilon that is not finite, step_epsilon ≤ 0, or steps that are no whole number.
    """
    from scipy.special import gammaln, logsumexp

    numbers("epsilon", epsilon)
    positive(step_epsilon=step_epsilon)
    whole_number(steps=steps)
    k, e0 = steps, step_epsilon
    flips = np.arange(k + 1)
    loss = (k - 2 * flips) * e0  # privacy loss of an outcome with l flipped answers
    flips, loss = flips[loss > epsilon], loss[loss > epsilon]
    if flips.size == 0:
        return -math.inf
    log_binomial = gammaln(k + 1) - gammaln(flips + 1) - gammaln(k - flips + 1)
    log_mass = log_binomial + (k - flips) * e0 - k * np.logaddexp(0.0, e0)
    return float(np.asarray(logsumexp(log_mass + np.log(-np.expm1(epsilon - loss)))))


def composition_delta(epsilon: float, step_epsilon: float, step_delta: float, steps: int) -> float:
    """The least δ for which `steps` mechanisms, each (ε₀, δ₀)-DP, are together (ε, δ)-DP.

    Optimal composition: 1 − (1 − δ₀)^k·(1 − δ) with the δ of `log_pure_composition_delta` (the same theorem).
    Raises ValueError like it, and for a step_delta outside [0, 1].

    >>> round(composition_delta(1.0, 1.0, 0.25, 1), 12)
    0.25
    """
    unit_interval(step_delta=step_delta)
    log_pure = log_pure_composition_delta(epsilon, step_epsilon, steps)
    if step_delta == 1.0:
        return 1.0
    return -math.expm1(steps * math.log1p(-step_delta) + math.log1p(-min(math.exp(log_pure), 1.0 - 1e-16)))


def largest_step_epsilon(epsilon: float, delta: float, steps: int, step_delta: float = 0.0) -> float:
    """The largest ε₀ for which `steps` mechanisms that are (ε₀, step_delta)-DP are together (ε, δ)-DP.

    By optimal composition, to 1e-6 relative and rounded down. Raises ValueError for ε ≤ 0, δ outside (0, 1),
    or a step_delta whose composition alone uses up δ.

    >>> e = largest_step_epsilon(1.0, 1e-6, 100)
    >>> composition_delta(1.0, e, 0.0, 100) <= 1e-6 < composition_delta(1.0, 1.00001 * e, 0.0, 100)
    True
    """
    positive(epsilon=epsilon)
    probability(delta=delta)
    whole_number(steps=steps)
    unit_interval(step_delta=step_delta)
    # 1 − (1 − δ₀)^k·(1 − spare) = δ
    spare = -math.expm1(math.log1p(-delta) - steps * math.log1p(-step_delta)) if step_delta < 1.0 else 0.0
    if not spare > 0.0:
        raise ValueError(f"step_delta must be below 1 − (1 − delta)^(1/steps), got {step_delta}")

    def holds(step_epsilon: float) -> bool:
        return log_pure_composition_delta(epsilon, step_epsilon, steps) <= math.log(spare)

    low = high = epsilon / steps  # ε/k always does: basic composition
    while holds(high):
        low, high = high, 2.0 * high
    while high > low * (1.0 + 1e-6):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


# --- Sampling and groups -------------------------------------------------------------------------------


def amplified_epsilon(epsilon: float, q: float) -> float:
    """ε of an (ε₀, δ₀)-DP step on a random share q of the records: log(1 + q(e^{ε₀} − 1)); its δ is q·δ₀.

    Poisson sampling with one record added or removed, or sampling of a fixed number without replacement with
    one record replaced, ε₀ being for the same adjacency (Balle, Barthe and Gaboardi 2018, Theorems 8 and 9).
    Raises ValueError for ε₀ < 0 or q outside (0, 1].

    >>> amplified_epsilon(2.0, 1.0)
    2.0
    """
    non_negative(epsilon=epsilon)
    share(q=q)
    if epsilon < 500.0:
        return math.log1p(q * math.expm1(epsilon))
    return float(np.logaddexp(math.log1p(-q) if q < 1.0 else -math.inf, epsilon + math.log(q)))


def group_privacy(epsilon: float, delta: float, size: int) -> tuple[float, float]:
    """(ε, δ)-DP for one record gives (kε, δ·(1 + e^ε + … + e^{(k−1)ε}))-DP for groups of k = size records.

    The second value is capped at 1. Raises ValueError for epsilon < 0, delta outside [0, 1] or size < 1.
    Source: Vadhan (2017), Lemma 2.2.

    >>> group_privacy(0.0, 0.01, 3)
    (0.0, 0.03)
    """
    non_negative(epsilon=epsilon)
    unit_interval(delta=delta)
    whole_number(size=size)
    if delta == 0.0 or epsilon == 0.0:
        return size * epsilon, min(size * delta, 1.0)
    # the sum is e^{(k−1)ε}·(1 − e^{−kε})/(1 − e^{−ε}); in logs, so that a large kε does not overflow
    log_sum = (size - 1) * epsilon + math.log(-math.expm1(-size * epsilon)) - math.log(-math.expm1(-epsilon))
    return size * epsilon, math.exp(min(math.log(delta) + log_sum, 0.0))
