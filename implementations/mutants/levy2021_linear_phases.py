"""levy2021: Gives phase t n/t users for n/2^t."""

from __future__ import annotations

from implementations.levy2021 import phased_erm
from implementations.mutants._mutant import Mutant

_reference = phased_erm.phases


def phases(problem: phased_erm.Instance, log_factors: float = 1.0) -> list[phased_erm.Phase]:
    """The reference with n/t users in phase t."""
    return [
        phased_erm.Phase(p.number, problem.n // p.number, p.regulariser)
        for p in _reference(problem, log_factors)
    ]


MUTANT = Mutant(
    name="levy2021-linear-phases",
    bug="Gives phase t n/t users for n/2^t: phases overlap, and a user is used more than once.",
    replaces="implementations.levy2021.phased_erm:phases",
    by=phases,
    caught_by=("levy2021/algorithm-4:corrected",),
)
