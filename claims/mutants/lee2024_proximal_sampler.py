"""The proximal sampler of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.proximal_sampler"

MUTANTS = [
    Mutant(
        name="lee2024-no-slack",
        bug="Leaves the constant of the envelope out, so that acceptance is capped at 1.",
        replaces=f"{_PLACE}:restricted_gaussian",
        swap=("drop - 0.5 * lipschitz**2 * slack - squares", "drop - squares"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-proposal-variance",
        bug="Proposes with the variance of the Gaussian part, but accepts as if it were wider.",
        replaces=f"{_PLACE}:restricted_gaussian",
        swap=("spread = math.sqrt(1.0 / (1.0 / variance - 1.0 / slack))", "spread = math.sqrt(variance)"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-mean-unshrunk",
        bug="Centres the proposals at y, not at y shrunk by the regulariser.",
        replaces=f"{_PLACE}:restricted_gaussian",
        swap=("variance / step_size * y", "y"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-steps-linear",
        bug="Counts the contraction of a step as 1 + 20*h*lambda: too few steps.",
        replaces=f"{_PLACE}:steps_needed",
        swap=("step_size * strength", "20.0 * step_size * strength"),
        caught_by=("lee2024/algorithm-1", "lee2024/lemma-e.2"),
    ),
    Mutant(
        name="lee2024-step-not-rooted",
        bug="Adds noise of variance h squared in the forward step.",
        replaces=f"{_PLACE}:sample",
        swap=("math.sqrt(h) *", "h *"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-steps-halved",
        bug="Takes half of the steps.",
        replaces=f"{_PLACE}:sample",
        swap=("for _ in range(steps)", "for _ in range(steps // 2)"),
        caught_by=("lee2024/algorithm-1",),
    ),
    Mutant(
        name="lee2024-steps-needed-halved",
        bug="Counts the contraction of a step twice.",
        replaces=f"{_PLACE}:steps_needed",
        swap=("/ (2.0 * math.log1p", "/ (4.0 * math.log1p"),
        caught_by=("lee2024/algorithm-1",),
    ),
    Mutant(
        name="lee2024-proposal-shifted",
        bug="Proposes about a shifted centre and accepts as if it were not.",
        replaces=f"{_PLACE}:restricted_gaussian",
        swap=(
            "offset = spread * rng.standard_normal((waiting.size, k))",
            "offset = spread * (0.1 + rng.standard_normal((waiting.size, k)))",
        ),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
    Mutant(
        name="lee2024-proposal-unrooted",
        bug="Takes the variance of the proposals for their standard deviation.",
        replaces=f"{_PLACE}:restricted_gaussian",
        swap=(
            "spread = math.sqrt(1.0 / (1.0 / variance - 1.0 / slack))",
            "spread = 1.0 / (1.0 / variance - 1.0 / slack)",
        ),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
    Mutant(
        name="lee2024-start-shifted",
        bug="Starts the chains at 5, not at 0.",
        replaces=f"{_PLACE}:sample",
        swap=(
            "x = rng.standard_normal((size, dimension)) / math.sqrt(strength)",
            "x = 5.0 + rng.standard_normal((size, dimension)) / math.sqrt(strength)",
        ),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
    Mutant(
        name="lee2024-step-size-flat",
        bug="Leaves the dimension out of the step size.",
        replaces=f"{_PLACE}:default_step_size",
        swap=("* dimension)", ")"),
        caught_by=("lee2024/algorithm-1",),
    ),
    Mutant(
        name="lee2024-means-uncounted",
        bug="Does not count the function values at the means.",
        replaces=f"{_PLACE}:sample",
        swap=("evaluations += size + taken", "evaluations += taken"),
        caught_by=("lee2024/algorithm-1",),
    ),
]
