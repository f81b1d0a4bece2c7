"""The exact sampler of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.product_sampler"

MUTANTS = [
    Mutant(
        name="lee2024-half-strength",
        bug="Takes lambda for lambda/2: draws with twice the variance.",
        replaces=f"{_PLACE}:sample",
        swap=("z / math.sqrt(strength)", "z / math.sqrt(0.5 * strength)"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-no-mirror",
        bug="Forgets to mirror the draws of intervals in the upper half back.",
        replaces=f"{_PLACE}:sample",
        swap=("np.where(flipped.ravel()[index], -z, z)", "z"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-mean-dropped",
        bug="Leaves out the slope in the mean of a piece.",
        replaces=f"{_PLACE}:sample",
        swap=("- slopes / strength", ""),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-slope-shift",
        bug="Counts a kink once, not twice, in the slope beyond it.",
        replaces=f"{_PLACE}:_slopes",
        swap=("2.0 * passed", "passed"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-mass-sign",
        bug="Subtracts the completed square in the log mass of an interval.",
        replaces=f"{_PLACE}:_intervals",
        swap=("+ slopes**2", "- slopes**2"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-tilt-lost",
        bug="Leaves the linear part out of the slopes.",
        replaces=f"{_PLACE}:_slopes",
        swap=("law.tilt[:, None] + 2.0", "2.0"),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
    Mutant(
        name="lee2024-shared-interval",
        bug="Draws one interval number for all coordinates.",
        replaces=f"{_PLACE}:sample",
        swap=("u = rng.random((size, d))", "u = np.repeat(rng.random((size, 1)), d, axis=1)"),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
    Mutant(
        name="lee2024-weights-unsorted",
        bug="Sorts the kinks and leaves the weights in their old order.",
        replaces=f"{_PLACE}:potential",
        swap=("np.take_along_axis(w, order, 1)", "w"),
        caught_by=("lee2024/algorithm-1",),
    ),
]
