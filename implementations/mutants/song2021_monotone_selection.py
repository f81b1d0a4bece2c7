"""Report-noisy-min of song2021 with the noise of monotone scores."""

from __future__ import annotations

from typing import Any

from implementations.mutants._mutant import Mutant
from implementations.song2021 import stationary_point

_reference = stationary_point.selection_scale


def selection_scale(**parameters: Any) -> float:
    """Sensitivity over ε, without the factor 2 that scores need which may rise and fall together."""
    scale = _reference(**parameters)
    return 0.5 * scale if parameters["scale"] == "corrected" else scale


MUTANT = Mutant(
    name="song2021-monotone-selection",
    bug="Takes the Laplace scale of report-noisy-max for counting queries; gradient norms are not monotone.",
    replaces="implementations.song2021.stationary_point:selection_scale",
    by=selection_scale,
    caught_by=("song2021/theorem-4.1-privacy:corrected",),
)
