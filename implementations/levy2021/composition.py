"""How Algorithms 2 and 3 split a budget over coordinates and queries: as printed, and without slack."""

from __future__ import annotations

import math

from implementations.checks import positive, probability, whole_number
from implementations.privacy import largest_step_epsilon


def printed_coordinate_epsilon(epsilon: float, delta: float, d: int) -> float:
    """ε′ = ε / √(8 d log(1/δ)), line 3 of Algorithm 2."""
    return epsilon / math.sqrt(8.0 * d * math.log(1.0 / delta))


def printed_query_budget(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """(ε/(2√(2T log(2/δ))), δ/(2T)): the budget of one of T queries, line 2 of Algorithm 3.

    Private by strong composition for ε ≤ 1 (Dwork, Rothblum and Vadhan 2010).
    """
    positive(epsilon=epsilon)
    probability(delta=delta)
    whole_number(queries=queries)
    return epsilon / (2.0 * math.sqrt(2.0 * queries * math.log(2.0 / delta))), delta / (2.0 * queries)


def optimal_query_budget(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """The largest ε₀ with δ₀ = δ/(2T) for which T mechanisms that are (ε₀, δ₀)-DP are (ε, δ)-DP."""
    _, step_delta = printed_query_budget(epsilon, delta, queries)
    return largest_step_epsilon(epsilon, delta, queries, step_delta), step_delta
