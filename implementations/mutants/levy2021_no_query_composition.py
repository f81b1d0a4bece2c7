"""levy2021: Gives every gradient the budget of one."""

from __future__ import annotations

import math

from implementations.mutants._mutant import Mutant


def printed_query_budget(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """The reference without √T."""
    return epsilon / (2.0 * math.sqrt(2.0 * math.log(2.0 / delta))), delta / (2.0 * queries)


MUTANT = Mutant(
    name="levy2021-no-query-composition",
    bug="Gives every gradient the budget of one: forgets the composition over T steps.",
    replaces="implementations.levy2021.composition:printed_query_budget",
    by=printed_query_budget,
    caught_by=("levy2021/theorem-3-privacy",),
)
