"""levy2021: Gives every coordinate the budget of one."""

from __future__ import annotations

import math

from implementations.mutants._mutant import Mutant


def printed_coordinate_epsilon(epsilon: float, delta: float, d: int) -> float:
    """The reference without √d."""
    return epsilon / math.sqrt(8.0 * math.log(1.0 / delta))


MUTANT = Mutant(
    name="levy2021-no-composition",
    bug="Gives every coordinate the budget of one: forgets the composition over d coordinates.",
    replaces="implementations.levy2021.composition:printed_coordinate_epsilon",
    by=printed_coordinate_epsilon,
    caught_by=("levy2021/theorem-2-privacy:corrected",),
)
