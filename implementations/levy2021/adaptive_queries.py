"""K adaptively chosen, uniformly concentrated queries, each answered by Algorithm 2 (Theorem 10).

Reconstructed: Theorem 10 stands in an appendix. Section 3 says that Algorithm 2 is applied in sequence
"with the right (ε₀, δ₀)"; Algorithm 3, whose analysis rests on Theorem 10, uses ε₀ = ε/(2√(2K log(2/δ)))
and δ₀ = δ/(2K)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from implementations.checks import whole_number
from implementations.interfaces import Array
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import Constants, Variant
from implementations.levy2021.first_order import query_budget
from implementations.levy2021.winsorized_mean_highd import winsorized_mean_highd
from implementations.privacy import PrivacyBudget

Query = Callable[[Array], Array]
"""A query maps the users' data (n, …) to their values (n, d)."""


def answer_adaptively(
    data: Array,
    next_query: Callable[[Sequence[Array]], Query],
    queries: int,
    budget: PrivacyBudget,
    concentration: Concentration,
    rng: np.random.Generator,
    *,
    constants: Variant | Constants = "paper",
) -> list[Array]:
    """Answer K queries on the users' data, (ε, δ)-DP in one user for ε ≤ 1.

    next_query     sees the answers so far and returns the next query.
    concentration  of the query family, uniform (Definition 3), with |φ| ≤ bound.

    Returns the K answers (d,). Raises ValueError for bad parameters, ε > 1, or too few users for `failure`.
    """
    whole_number(queries=queries)
    epsilon, delta = budget.epsilon, budget.delta
    if epsilon > 1.0:
        raise ValueError(f"epsilon must be at most 1, where the split of the budget is proved, got {epsilon}")
    step_epsilon, step_delta = query_budget(epsilon, delta, queries, constants)
    step = PrivacyBudget(step_epsilon, step_delta)
    answers: list[Array] = []
    for _ in range(queries):
        values = next_query(answers)(data)
        answers.append(winsorized_mean_highd(values, step, concentration, rng, constants=constants))
    return answers
