"""The adaptive queries of levy2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="levy2021-queries-budget-not-split",
        bug="Gives every adaptive query the whole (ε, δ).",
        replaces="implementations.levy2021.adaptive_queries:answer_adaptively",
        swap=("query_budget(epsilon, delta, queries, constants)", "(epsilon, delta)"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-queries-keep-delta",
        bug="Gives every query all of δ.",
        replaces="implementations.levy2021.adaptive_queries:answer_adaptively",
        swap=(
            "step_epsilon, step_delta = query_budget(epsilon, delta, queries, constants)",
            "step_epsilon, step_delta = query_budget(epsilon, delta, queries, constants)[0], delta",
        ),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-queries-see-one-answer",
        bug="Shows a query the first answer only.",
        replaces="implementations.levy2021.adaptive_queries:answer_adaptively",
        swap=("next_query(answers)(data)", "next_query(answers[:1])(data)"),
        caught_by=("levy2021/method-steps",),
    ),
]
