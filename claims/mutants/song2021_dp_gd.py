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
]
