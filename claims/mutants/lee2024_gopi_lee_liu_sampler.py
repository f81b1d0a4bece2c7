"""The sampler of Gopi, Lee and Liu of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.gopi_lee_liu_sampler"

MUTANTS = [
    Mutant(
        name="lee2024-ratio-upside-down",
        bug="Estimates exp(F(x) - F(z)) in place of exp(F(z) - F(x)).",
        replaces=f"{_PLACE}:unbiased_ratio",
        swap=(
            "losses(z[alive], index) - losses(x[alive], index)",
            "losses(x[alive], index) - losses(z[alive], index)",
        ),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-geometric-tail",
        bug="Continues with probability 1/2, not 1/i.",
        replaces=f"{_PLACE}:unbiased_ratio",
        swap=("1.0 / order", "0.5"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-queries-tenfold",
        bug="Counts twenty function values for a difference of two.",
        replaces=f"{_PLACE}:unbiased_ratio",
        swap=("queries += 2", "queries += 20"),
        caught_by=("lee2024/lemma-e.2", "lee2024/theorem-2.2-oracle"),
    ),
    Mutant(
        name="lee2024-small-step",
        bug="Takes a step size ten times smaller than needed.",
        replaces=f"{_PLACE}:default_step_size",
        swap=("(8.0 *", "(80.0 *"),
        caught_by=("lee2024/theorem-2.2-oracle",),
    ),
    Mutant(
        name="lee2024-first-term-only",
        bug="Stops after the first term of the series.",
        replaces=f"{_PLACE}:unbiased_ratio",
        swap=("alive = alive[rng.random(alive.size) < 1.0 / order]", "alive = alive[:0]"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-ratio-not-halved",
        bug="Accepts with probability rho, not rho/2.",
        replaces=f"{_PLACE}:inner_loop",
        swap=("< 0.5 * ratio", "< ratio"),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
    Mutant(
        name="lee2024-forward-noise",
        bug="Adds noise of variance h squared in the forward step of the sampler of Gopi, Lee and Liu.",
        replaces=f"{_PLACE}:sample",
        swap=("math.sqrt(h) * rng", "h * rng"),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
    Mutant(
        name="lee2024-gll-steps-halved",
        bug="Takes half of the scheduled steps.",
        replaces=f"{_PLACE}:sample",
        swap=("for _ in range(steps)", "for _ in range(max(1, steps // 2))"),
        caught_by=("lee2024/algorithm-1",),
    ),
    Mutant(
        name="lee2024-schedule-once",
        bug="Stops after one round of the schedule, with a step size for fewer steps.",
        replaces=f"{_PLACE}:schedule",
        swap=("steps = needed", "return needed, h"),
        caught_by=("lee2024/algorithm-1",),
    ),
]
