"""DP-GD of song2021 with planted bugs."""

from __future__ import annotations

import math
from typing import Any

from claims.mutants.mutant import Mutant
from implementations.song2021 import dp_gd

_noise_scale_reference = dp_gd.noise_scale


def half_noise(**parameters: Any) -> float:
    """The reference for a sensitivity of L/n."""
    return 0.5 * _noise_scale_reference(**parameters)


def less_noise(**parameters: Any) -> float:
    """The reference times 0.85."""
    return 0.85 * _noise_scale_reference(**parameters)


def slow_rate(*, radius: float, lipschitz: float, rank: int, noise: float, steps: int) -> float:
    """The reference with √T left out under the outer root: T^(1/4)."""
    return radius / math.sqrt(math.sqrt(steps) * (lipschitz**2 + rank * noise**2))


def steps_not_rooted(**parameters: Any) -> float:
    """The reference times √T."""
    return math.sqrt(parameters["steps"]) * _noise_scale_reference(**parameters)


MUTANTS = [
    Mutant(
        name="song2021-half-noise",
        bug=(
            "Takes L/n for the sensitivity of the averaged gradient: a replaced record is removed and "
            "another one added."
        ),
        replaces="implementations.song2021.dp_gd:noise_scale",
        by=half_noise,
        caught_by=("song2021/theorem-2.6:corrected", "song2021/theorem-2.6:add-remove"),
    ),
    Mutant(
        name="song2021-slow-rate",
        bug="Takes the square root of T twice in the learning rate, so that the risk falls like n^(-1/2).",
        replaces="implementations.song2021.dp_gd:learning_rate",
        by=slow_rate,
        caught_by=("song2021/theorem-3.1:corrected",),
    ),
    Mutant(
        name="song2021-steps-not-rooted",
        bug="Composes T steps linearly: σ grows like T, not like √T. Private, but far too noisy.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        by=steps_not_rooted,
        caught_by=(
            "song2021/theorem-2.7",
            "song2021/theorem-2.7:high-probability",
            "song2021/theorem-3.2",
            "song2021/corollary-5.2",
        ),
    ),
    Mutant(
        name="song2021-less-noise",
        bug="Takes a noise of 0.85 of what is stated: where the formula has slack (ε ≤ 1) it stays private.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        by=less_noise,
        caught_by=("song2021/theorem-2.6:program",),
    ),
    Mutant(
        name="song2021-ascent",
        bug="Adds the gradient in the place of subtracting it: the privacy is the same.",
        replaces="implementations.song2021.dp_gd:iterates",
        swap=("theta - learning_rate", "theta + learning_rate"),
        caught_by=("song2021/theorem-2.6:program", "song2021/theorem-3.1"),
    ),
    Mutant(
        name="song2021-no-projection",
        bug="Forgets the projection to C after a step.",
        replaces="implementations.song2021.dp_gd:iterates",
        swap=("if project is not None:", "if False and project is not None:"),
        caught_by=("song2021/theorem-2.7",),
    ),
    Mutant(
        name="song2021-average-of-one-more",
        bug="Divides the sum of T iterates by T + 1, as if the start were among them.",
        replaces="implementations.song2021.dp_gd:run",
        swap=("printed=(total - first) / steps", "printed=(total - first) / (steps + 1)"),
        caught_by=("song2021/theorem-2.6:program",),
    ),
]
