"""How a budget is split over steps: the printed splits, and the exact composition behind the tuned ones."""

from __future__ import annotations

import math

import numpy as np

from implementations.levy2021._check import positive, probability


def log_pure_composition_delta(epsilon: float, per_step: float, steps: int) -> float:
    """Natural logarithm of the least δ for which `steps` mechanisms, each `per_step`-DP, are together (ε,
    δ)-DP.

    Exact and attained by randomised response (Kairouz, Oh and Viswanath 2015, Theorem 3.3):
    δ = Σ_l C(k, l) [e^{(k−l)ε₀} − e^{ε + lε₀}]₊ / (1 + e^{ε₀})^k. Minus infinity where δ = 0.
    """
    from scipy.special import gammaln, logsumexp

    if steps < 1:
        raise ValueError(f"steps must be at least 1, got {steps}")
    positive(per_step=per_step)
    k, e0 = steps, per_step
    flips = np.arange(k + 1)
    loss = (k - 2 * flips) * e0  # privacy loss of an outcome with l flipped answers
    flips, loss = flips[loss > epsilon], loss[loss > epsilon]
    if flips.size == 0:
        return -math.inf
    log_binomial = gammaln(k + 1) - gammaln(flips + 1) - gammaln(k - flips + 1)
    log_mass = log_binomial + (k - flips) * e0 - k * np.logaddexp(0.0, e0)
    return float(np.asarray(logsumexp(log_mass + np.log(-np.expm1(epsilon - loss)))))


def composition_delta(epsilon: float, step_epsilon: float, step_delta: float, steps: int) -> float:
    """The least δ for which `steps` mechanisms, each (ε₀, δ₀)-DP, are together (ε, δ)-DP (same theorem).

    >>> round(composition_delta(1.0, 1.0, 0.25, 1), 12)
    0.25
    """
    log_pure = log_pure_composition_delta(epsilon, step_epsilon, steps)
    return -math.expm1(steps * math.log1p(-step_delta) + math.log1p(-min(math.exp(log_pure), 1.0 - 1e-16)))


def printed_coordinate_epsilon(epsilon: float, delta: float, d: int) -> float:
    """ε′ = ε / √(8 d log(1/δ)), line 3 of Algorithm 2."""
    return epsilon / math.sqrt(8.0 * d * math.log(1.0 / delta))


def optimal_coordinate_epsilon(epsilon: float, delta: float, d: int) -> float:
    """The largest ε′ (to 10⁻⁶ relative, rounded down) for which d mechanisms that are ε′-DP are (ε, δ)-DP."""
    positive(epsilon=epsilon)
    probability(delta=delta)
    low, high = epsilon / d, epsilon / d  # ε/d always does: basic composition
    while log_pure_composition_delta(epsilon, high, d) <= math.log(delta):
        low, high = high, 2.0 * high
    while high > low * (1.0 + 1e-6):
        middle = math.sqrt(low * high)
        if log_pure_composition_delta(epsilon, middle, d) <= math.log(delta):
            low = middle
        else:
            high = middle
    return low


def printed_query_budget(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """(ε/(2√(2T log(2/δ))), δ/(2T)): the budget of one of T queries, line 2 of Algorithm 3.

    Private by strong composition for ε ≤ 1 (Dwork, Rothblum and Vadhan 2010).
    """
    positive(epsilon=epsilon, queries=queries)
    probability(delta=delta)
    return epsilon / (2.0 * math.sqrt(2.0 * queries * math.log(2.0 / delta))), delta / (2.0 * queries)


def optimal_query_budget(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """The largest ε₀ with δ₀ = δ/(2T) for which T mechanisms that are (ε₀, δ₀)-DP are (ε, δ)-DP."""
    _, step_delta = printed_query_budget(epsilon, delta, queries)
    spare = -math.expm1(math.log1p(-delta) - queries * math.log1p(-step_delta))
    return optimal_coordinate_epsilon(epsilon, spare, queries), step_delta
