"""The budgets of levy2021 with planted bugs."""

from __future__ import annotations

import math

from claims.mutants.mutant import Mutant


def no_composition(epsilon: float, delta: float, d: int) -> float:
    """The reference without √d."""
    return epsilon / math.sqrt(8.0 * math.log(1.0 / delta))


def no_query_composition(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """The reference without √T."""
    return epsilon / (2.0 * math.sqrt(2.0 * math.log(2.0 / delta))), delta / (2.0 * queries)


MUTANTS = [
    Mutant(
        name="levy2021-no-composition",
        bug="Gives every coordinate the budget of one: forgets the composition over d coordinates.",
        replaces="implementations.levy2021.composition:printed_coordinate_epsilon",
        by=no_composition,
        caught_by=("levy2021/theorem-2-privacy",),
    ),
    Mutant(
        name="levy2021-no-query-composition",
        bug="Gives every gradient the budget of one: forgets the composition over T steps.",
        replaces="implementations.levy2021.composition:printed_query_budget",
        by=no_query_composition,
        caught_by=("levy2021/theorem-3-privacy",),
    ),
    Mutant(
        name="levy2021-answer-keeps-delta",
        bug="Gives every answer all of δ.",
        replaces="implementations.levy2021.composition:printed_query_budget",
        swap=("delta / (2.0 * queries)", "delta"),
        caught_by=(
            "levy2021/theorem-3-privacy",
            "levy2021/printed-formulas",
        ),
    ),
    Mutant(
        name="levy2021-basic-composition",
        bug="Splits ε over d coordinates in d equal parts: private, and noisier by √d than the theorem.",
        replaces="implementations.levy2021.composition:printed_coordinate_epsilon",
        swap=("math.sqrt(8.0 * d * math.log(1.0 / delta))", "(d * math.sqrt(8.0 * math.log(1.0 / delta)))"),
        caught_by=("levy2021/theorem-4:feasible", "levy2021/printed-formulas"),
    ),
]
