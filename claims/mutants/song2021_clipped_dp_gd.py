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
    Mutant(
        name="song2021-clipped-slopes",
        bug="Clips φ′ and not the gradient φ′·x, as if every feature had norm 1.",
        replaces="implementations.song2021.clipped_dp_gd:clipped_gradient",
        swap=(
            "bound / np.where(norms > 0.0, norms, np.inf)",
            "np.full(norms.shape, bound)",
        ),
        caught_by=(
            "song2021/section-5-privacy",
            "song2021/corollary-5.2",
        ),
    ),
    Mutant(
        name="song2021-normalised-gradients",
        bug="Scales every gradient to norm B, small ones too: B/‖v‖ without the minimum with 1.",
        replaces="implementations.song2021.clipped_dp_gd:clipped_gradient",
        swap=(
            "np.clip(loss.slope(theta @ features.T, targets), -limits, limits)",
            "np.sign(loss.slope(theta @ features.T, targets)) * limits",
        ),
        caught_by=(
            "song2021/section-5-privacy",
            "song2021/corollary-5.2",
        ),
    ),
    Mutant(
        name="song2021-one-clip-for-all",
        bug="The surrogate clips every link at B, whatever the norm of the features.",
        replaces="implementations.song2021.clipped_dp_gd:surrogate_risk",
        swap=(
            "bound / size",
            "bound",
        ),
        caught_by=("song2021/corollary-5.2",),
    ),
    Mutant(
        name="song2021-noise-half-at-the-call",
        bug="The call gives half the noise that was asked for.",
        replaces="implementations.song2021.clipped_dp_gd:clipped_dp_gd",
        swap=(
            "noise_scale, rng",
            "0.5 * noise_scale, rng",
        ),
        caught_by=("song2021/section-5-privacy",),
    ),
    Mutant(
        name="song2021-clipped-without-projection",
        bug="The constraint set is taken and not used.",
        replaces="implementations.song2021.clipped_dp_gd:clipped_dp_gd",
        swap=(
            "None if domain is None else domain.project",
            "None",
        ),
        caught_by=("song2021/section-5-privacy",),
    ),
    Mutant(
        name="song2021-clipped-starts-at-one",
        bug="Starts at (1, …, 1).",
        replaces="implementations.song2021.clipped_dp_gd:clipped_dp_gd",
        swap=("np.zeros((size, p))", "np.ones((size, p))"),
        caught_by=("song2021/section-5-privacy",),
    ),
    Mutant(
        name="song2021-clip-of-the-largest-coordinate",
        bug="Takes the largest coordinate for the norm of a feature vector.",
        replaces="implementations.song2021.clipped_dp_gd:clipped_gradient",
        swap=("np.linalg.norm(features, axis=1)", "np.abs(features).max(axis=1)"),
        caught_by=("song2021/section-5-privacy",),
    ),
]
