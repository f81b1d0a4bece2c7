"""The clipped surrogate of song2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant
from implementations.song2021 import clipped_surrogate

_clip_levels_reference = clipped_surrogate.clip_levels


def clip_levels(
    f: clipped_surrogate.PiecewiseLinear, bound: clipped_surrogate.Fraction
) -> tuple[clipped_surrogate.Level, clipped_surrogate.Level]:
    """The reference, with the infimum for the supremum in y₁."""
    y1, y2 = _clip_levels_reference(f, bound)
    return (f.breaks[0] if isinstance(y1, clipped_surrogate.Fraction) else y1), y2


MUTANTS = [
    Mutant(
        name="song2021-first-kink",
        bug="Follows f from the first kink on, not from the last one at which its slope is below the clip.",
        replaces="implementations.song2021.clipped_surrogate:clip_levels",
        by=clip_levels,
        caught_by=("song2021/lemma-5.1:corrected", "song2021/lemma-5.1-proof"),
    ),
]
