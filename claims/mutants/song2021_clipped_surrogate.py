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
    Mutant(
        name="song2021-only-clipped-below",
        bug="The straight line beyond y₂ is forgotten: the surrogate is flat there.",
        replaces="implementations.song2021.clipped_surrogate:surrogate_loss",
        swap=(
            " + bound * np.maximum(z - high, 0.0)",
            "",
        ),
        caught_by=("song2021/lemma-5.1:corrected",),
    ),
    Mutant(
        name="song2021-slope-of-the-loss",
        bug="The surrogate keeps the slope of the loss itself.",
        replaces="implementations.song2021.clipped_surrogate:surrogate_loss",
        swap=(
            "np.clip(loss.slope(z, y), -bound, bound)",
            "loss.slope(z, y)",
        ),
        caught_by=("song2021/lemma-5.1:corrected",),
    ),
    Mutant(
        name="song2021-wrong-way-where-all-is-steep",
        bug="Where every slope is below −b the line rises.",
        replaces="implementations.song2021.clipped_surrogate:surrogate_loss",
        swap=(
            "np.where(never_up, -bound * z,",
            "np.where(never_up, bound * z,",
        ),
        caught_by=("song2021/lemma-5.1:corrected",),
    ),
    Mutant(
        name="song2021-steep-corner-falls",
        bug="Where every slope of a piecewise-linear link is above b the line falls.",
        replaces="implementations.song2021.clipped_surrogate:surrogate",
        swap=(
            "f.offset + bound * y",
            "f.offset - bound * y",
        ),
        caught_by=("song2021/lemma-5.1:corrected",),
    ),
    Mutant(
        name="song2021-falls-where-all-is-steep",
        bug="Where every slope is above b the line falls.",
        replaces="implementations.song2021.clipped_surrogate:surrogate_loss",
        swap=("np.where(always_up, bound * z, follow)", "np.where(always_up, -bound * z, follow)"),
        caught_by=("song2021/lemma-5.1:corrected",),
    ),
]
