"""The private selection of song2021 with planted bugs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from claims.mutants.mutant import Mutant
from implementations.song2021 import stationary_point
from implementations.song2021 import stationary_point as module

_stationary_point_reference = module.stationary_point
_selection_scale_reference = stationary_point.selection_scale


def first_iterate(
    gradient: module.Gradient, start: module.Array, rng: np.random.Generator, **parameters: Any
) -> module.Selected:
    """The reference, with the first candidate reported whatever the others are."""
    found = _stationary_point_reference(gradient, start, rng, **parameters)
    norm = np.linalg.norm(gradient(np.asarray(start, dtype=float)), axis=-1)
    return replace(found, theta=np.array(start), index=np.zeros_like(found.index), norm=norm)


def monotone_selection(**parameters: Any) -> float:
    """Sensitivity over ε, without the factor 2 that scores need which may rise and fall together."""
    scale = _selection_scale_reference(**parameters)
    return 0.5 * scale if parameters["scale"] == "corrected" else scale


MUTANTS = [
    Mutant(
        name="song2021-first-iterate",
        bug="Starts the running minimum at 0 in the place of infinity, so that nothing is ever smaller.",
        replaces="implementations.song2021.stationary_point:stationary_point",
        by=first_iterate,
        caught_by=("song2021/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="song2021-monotone-selection",
        bug="Takes the Laplace scale of report-noisy-max for counts; gradient norms are not monotone.",
        replaces="implementations.song2021.stationary_point:selection_scale",
        by=monotone_selection,
        caught_by=("song2021/theorem-4.1-privacy:corrected",),
    ),
    Mutant(
        name="song2021-selection-without-noise",
        bug="Reports the least norm itself: the Laplace noise is drawn and not added.",
        replaces="implementations.song2021.stationary_point:report_noisy_min",
        swap=("noisy = score + rng.laplace", "noisy = score + 0.0 * rng.laplace"),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
    Mutant(
        name="song2021-another-theta",
        bug="Returns the last candidate with the norm of the selected one.",
        replaces="implementations.song2021.stationary_point:report_noisy_min",
        swap=("theta = np.where(better[..., None], point, theta)", "theta = point"),
        caught_by=("song2021/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="song2021-four-times-the-steps",
        bug="Balances the wrong terms of (13): four times as many steps, and twice the noise in each.",
        replaces="implementations.song2021.stationary_point:balanced_steps",
        swap=("max(1, round(", "4 * max(1, round("),
        caught_by=("song2021/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="song2021-next-iterate",
        bug="Returns the iterate after the one of least gradient norm.",
        replaces="implementations.song2021.stationary_point:stationary_point",
        swap=("for theta, _ in pairwise(path)", "for _, theta in pairwise(path)"),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
    Mutant(
        name="song2021-one-candidate-more",
        bug="Takes one step more than T, so that θ_T is a candidate.",
        replaces="implementations.song2021.stationary_point:stationary_point",
        swap=("steps=steps", "steps=steps + 1"),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
    Mutant(
        name="song2021-sum-of-absolute-values",
        bug="Selects by the sum of the absolute values of the gradient.",
        replaces="implementations.song2021.stationary_point:stationary_point",
        swap=("np.linalg.norm(last[0], axis=-1)", "np.abs(last[0]).sum(axis=-1)"),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
    Mutant(
        name="song2021-gumbel-selection",
        bug="Adds Gumbel noise, which is private too and not what is stated.",
        replaces="implementations.song2021.stationary_point:report_noisy_min",
        swap=("rng.laplace(", "rng.gumbel("),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
    Mutant(
        name="song2021-keeps-the-score",
        bug="Compares with the score of the best candidate, not with its noisy score.",
        replaces="implementations.song2021.stationary_point:report_noisy_min",
        swap=("best = np.where(better, noisy, best)", "best = np.where(better, score, best)"),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
    Mutant(
        name="song2021-selection-lipschitz-forgotten",
        bug="The Laplace scale takes L = 1.",
        replaces="implementations.song2021.stationary_point:selection_scale",
        swap=("* lipschitz / (n * epsilon)", "/ (n * epsilon)"),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
    Mutant(
        name="song2021-steps-of-one-over-n",
        bug="The T of the theorem with nε for (nε)².",
        replaces="implementations.song2021.stationary_point:printed_steps",
        swap=("(n * epsilon) ** 2", "(n * epsilon)"),
        caught_by=("song2021/theorem-4.1-privacy:program",),
    ),
]
