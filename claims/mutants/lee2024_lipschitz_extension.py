"""The Lipschitz extension of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.lipschitz_extension"

MUTANTS = [
    Mutant(
        name="lee2024-half-slope",
        bug="Extends with half the slope.",
        replaces=f"{_PLACE}:linear_on_ball",
        swap=("away - size", "0.5 * away - size"),
        caught_by=("lee2024/lemma-3.2", "lee2024/theorem-d.2"),
    ),
    Mutant(
        name="lee2024-sign",
        bug="Has the sign of the linear loss wrong inside the ball.",
        replaces=f"{_PLACE}:linear_on_ball",
        swap=("-(t @ record)", "t @ record"),
        caught_by=("lee2024/lemma-3.2", "lee2024/theorem-3.4"),
    ),
    Mutant(
        name="lee2024-largest",
        bug="Takes the largest value over the cover.",
        replaces=f"{_PLACE}:on_cover",
        swap=(".min(axis=-1)", ".max(axis=-1)"),
        caught_by=("lee2024/lemma-3.2",),
    ),
    Mutant(
        name="lee2024-no-refinement",
        bug="Stops at the best of the 64 angles.",
        replaces=f"{_PLACE}:linear_on_ball",
        swap=("range(60)", "range(0)"),
        caught_by=("lee2024/lemma-3.2",),
    ),
    Mutant(
        name="lee2024-zero-record",
        bug="Treats the zero record as linear outside the ball.",
        replaces=f"{_PLACE}:linear_on_ball",
        swap=("np.maximum(0.0, norm - 1.0)", "norm - 1.0"),
        caught_by=("lee2024/theorem-d.2", "lee2024/theorem-3.4"),
    ),
    Mutant(
        name="lee2024-no-projection",
        bug="Returns the outputs as they are.",
        replaces=f"{_PLACE}:unconstrained_reduction",
        swap=('domain.project(checks.numbers("outputs", outputs))', 'checks.numbers("outputs", outputs)'),
        caught_by=("lee2024/theorem-3.4",),
    ),
]
