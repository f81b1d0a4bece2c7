"""The low-rank completion of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.low_rank"

MUTANTS = [
    Mutant(
        name="lee2024-complement-variance",
        bug="Gives the complement the variance lambda, not 1/lambda.",
        replaces=f"{_PLACE}:embed",
        swap=("/ math.sqrt(strength)", "* math.sqrt(strength) * 1.5"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-noise-kept",
        bug="Adds the coordinates to the noise inside the subspace without removing that noise.",
        replaces=f"{_PLACE}:embed",
        swap=("(x - noise @ v) @ v.T", "x @ v.T"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-noise-twice",
        bug="Removes only half of the noise inside the subspace.",
        replaces=f"{_PLACE}:embed",
        swap=("noise @ v)", "0.5 * noise @ v)"),
        caught_by=("lee2024/lemma-e.2",),
    ),
    Mutant(
        name="lee2024-complement-unrooted",
        bug="Divides by lambda, not by its root, in the complement.",
        replaces=f"{_PLACE}:embed",
        swap=("/ math.sqrt(strength)", "/ strength"),
        caught_by=("lee2024/algorithm-1:laws",),
    ),
]
