"""Clipped DP-GD of song2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant
from implementations.interfaces import Problem
from implementations.song2021.clipped_surrogate import clip
from implementations.song2021.dp_gd import Gradient, glm_gradient


def clipped_gradient(problem: Problem, bound: float) -> Gradient:
    """clip((1/n)·Σ gradients): bounded, but one record can still move it by more than 2B/n."""
    gradient = glm_gradient(problem)
    return lambda theta: clip(gradient(theta), bound)


MUTANTS = [
    Mutant(
        name="song2021-clipped-average",
        bug="Clips the averaged gradient, as one does against exploding gradients, not each record's.",
        replaces="implementations.song2021.clipped_dp_gd:clipped_gradient",
        by=clipped_gradient,
        caught_by=("song2021/theorem-d.4", "song2021/theorem-d.4-proof"),
    ),
]
