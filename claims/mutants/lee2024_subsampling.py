"""Subsampling of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.subsampling"

MUTANTS = [
    Mutant(
        name="lee2024-twice-the-rate",
        bug="Weights a sample as if records were kept twice as often.",
        replaces=f"{_PLACE}:exact_law",
        swap=("weight = rate **", "weight = 1.3 * rate **"),
        caught_by=("lee2024/lemma-3.5:add-remove",),
    ),
    Mutant(
        name="lee2024-without-sampling",
        bug="Keeps every record with probability 1 - rate.",
        replaces=f"{_PLACE}:exact_law",
        swap=("rate ** len(sample) * (1.0 - rate)", "(1.0 - rate) ** len(sample) * rate"),
        caught_by=("lee2024/lemma-3.5:add-remove",),
    ),
    Mutant(
        name="lee2024-rate-unsquared",
        bug="Counts the kept records once only.",
        replaces=f"{_PLACE}:exact_law",
        swap=("(1.0 - rate) ** (n - len(sample))", "(1.0 - rate) ** max(n - len(sample) - 1, 0)"),
        caught_by=("lee2024/lemma-3.5:add-remove",),
    ),
    Mutant(
        name="lee2024-fixed-size",
        bug="Takes a part of fixed size.",
        replaces=f"{_PLACE}:subsampled",
        swap=(
            "data[rng.random(len(data)) < rate]",
            "data[rng.permutation(len(data))[: round(rate * len(data))]]",
        ),
        caught_by=("lee2024/lemma-3.5:program",),
    ),
    Mutant(
        name="lee2024-with-replacement",
        bug="Draws a sample of fixed size with replacement.",
        replaces=f"{_PLACE}:subsampled",
        swap=(
            "data[rng.random(len(data)) < rate]",
            "data[rng.integers(0, len(data), max(1, round(rate * len(data))))]",
        ),
        caught_by=("lee2024/lemma-3.5:program",),
    ),
]
