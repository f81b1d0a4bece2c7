"""DP-GD of song2021 with noise that grows like T."""

from __future__ import annotations

import math
from typing import Any

from implementations.mutants._mutant import Mutant
from implementations.song2021 import dp_gd

_reference = dp_gd.noise_scale


def noise_scale(**parameters: Any) -> float:
    """The reference times √T."""
    return math.sqrt(parameters["steps"]) * _reference(**parameters)


MUTANT = Mutant(
    name="song2021-steps-not-rooted",
    bug="Composes T steps linearly: σ grows like T, not like √T. Private, but far too noisy.",
    replaces="implementations.song2021.dp_gd:noise_scale",
    by=noise_scale,
    caught_by=(
        "song2021/theorem-2.7",
        "song2021/theorem-2.7:high-probability",
        "song2021/theorem-3.2",
        "song2021/corollary-5.2",
    ),
)
