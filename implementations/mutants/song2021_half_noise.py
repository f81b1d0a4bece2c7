"""DP-GD of song2021 with half the noise."""

from __future__ import annotations

from typing import Any

from implementations.mutants._mutant import Mutant
from implementations.song2021 import dp_gd

_reference = dp_gd.noise_scale


def noise_scale(**parameters: Any) -> float:
    """The reference for a sensitivity of L/n."""
    return 0.5 * _reference(**parameters)


MUTANT = Mutant(
    name="song2021-half-noise",
    bug=(
        "Takes L/n for the sensitivity of the averaged gradient: a replaced record is removed and another "
        "one added."
    ),
    replaces="implementations.song2021.dp_gd:noise_scale",
    by=noise_scale,
    caught_by=("song2021/theorem-2.6:corrected", "song2021/theorem-2.6:add-remove"),
)
