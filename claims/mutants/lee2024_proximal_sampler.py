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
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-step-not-rooted",
        bug="Adds noise of variance h squared in the forward step.",
        replaces=f"{_PLACE}:sample",
        swap=("math.sqrt(h) *", "h *"),
        caught_by=("lee2024/lemma-e.2",),
    ),
]
