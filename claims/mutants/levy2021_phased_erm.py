"""Algorithm 4 of levy2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant
from implementations.levy2021 import phased_erm

_phases_reference = phased_erm.phases


def phases(problem: phased_erm.Instance, log_factors: float = 1.0) -> list[phased_erm.Phase]:
    """The reference with n/t users in phase t."""
    return [
        phased_erm.Phase(p.number, problem.n // p.number, p.regulariser)
        for p in _phases_reference(problem, log_factors)
    ]


MUTANTS = [
    Mutant(
        name="levy2021-linear-phases",
        bug="Gives phase t n/t users for n/2^t: phases overlap, and a user is used more than once.",
        replaces="implementations.levy2021.phased_erm:phases",
        by=phases,
        caught_by=("levy2021/algorithm-4:corrected",),
    ),
    Mutant(
        name="levy2021-phases-reuse-users",
        bug="Starts every phase at the first user, who serves in all phases and spends the budget in each.",
        replaces="implementations.levy2021.phased_erm:phased_erm",
        swap=("np.cumsum([0, *(p.users for p in plan)])", "np.cumsum([0, *(0 * p.users for p in plan)])"),
        caught_by=("levy2021/algorithm-4:corrected",),
    ),
    Mutant(
        name="levy2021-phase-budget-not-split",
        bug="Gives every gradient of a phase the whole (ε, δ).",
        replaces="implementations.levy2021.phased_erm:run_phases",
        swap=(
            "query_budget(problem.epsilon, problem.delta, steps, constants)",
            "(problem.epsilon, problem.delta)",
        ),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-regulariser-doubles",
        bug="Doubles λ from phase to phase, where it should grow fourfold.",
        replaces="implementations.levy2021.phased_erm:phases",
        swap=("4.0**t", "2.0**t"),
        caught_by=(
            "levy2021/printed-formulas",
            "levy2021/theorem-4:feasible",
        ),
    ),
    Mutant(
        name="levy2021-regulariser-without-privacy",
        bug="Leaves the privacy term out of λ.",
        replaces="implementations.levy2021.phased_erm:phases",
        swap=("+ log_factors * (p.sigma * p.d / p.epsilon) ** 2 / (p.n**2 * p.m)", ""),
        caught_by=("levy2021/printed-formulas",),
    ),
    Mutant(
        name="levy2021-no-regulariser",
        bug="Minimises the loss itself in every phase.",
        replaces="implementations.levy2021.phased_erm:run_phases",
        swap=("+ mu * (point - anchor)", ""),
        caught_by=("levy2021/method-steps",),
    ),
    Mutant(
        name="levy2021-anchored-at-the-start",
        bug="Regularises towards the first point in every phase.",
        replaces="implementations.levy2021.phased_erm:run_phases",
        swap=("anchor, mu = theta, phase.regulariser", "anchor, mu = start, phase.regulariser"),
        caught_by=("levy2021/method-steps",),
    ),
    Mutant(
        name="levy2021-phases-share-a-user",
        bug="Lets every phase begin with the last user of the phase before.",
        replaces="implementations.levy2021.phased_erm:phased_erm",
        swap=("slice(first[phase.number], first", "slice(max(first[phase.number] - 1, 0), first"),
        caught_by=("levy2021/algorithm-4:corrected",),
    ),
]
