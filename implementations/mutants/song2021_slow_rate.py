"""DP-GD of song2021 with a learning rate that falls too slowly in T."""

from __future__ import annotations

import math

from implementations.mutants._mutant import Mutant


def learning_rate(*, radius: float, lipschitz: float, rank: int, noise: float, steps: int) -> float:
    """The reference with √T left out under the outer root: T^(1/4)."""
    return radius / math.sqrt(math.sqrt(steps) * (lipschitz**2 + rank * noise**2))


MUTANT = Mutant(
    name="song2021-slow-rate",
    bug="Takes the square root of T twice in the learning rate, so that the risk falls like n^(-1/2).",
    replaces="implementations.song2021.dp_gd:learning_rate",
    by=learning_rate,
    caught_by=("song2021/theorem-3.1:corrected",),
)
