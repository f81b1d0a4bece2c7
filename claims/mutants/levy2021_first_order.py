"""Algorithm 3 and the adaptive queries of levy2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="levy2021-budget-not-split",
        bug="Gives every gradient the whole (ε, δ).",
        replaces="implementations.levy2021.first_order:winsorized_first_order",
        swap=("query_budget(epsilon, delta, steps, constants)", "(epsilon, delta)"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-queries-budget-not-split",
        bug="Gives every adaptive query the whole (ε, δ).",
        replaces="implementations.levy2021.adaptive_queries:answer_adaptively",
        swap=("query_budget(epsilon, delta, queries, constants)", "(epsilon, delta)"),
        caught_by=("levy2021/sampler-laws",),
    ),
]
