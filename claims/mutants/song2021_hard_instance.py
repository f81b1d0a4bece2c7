"""The private estimators of song2021 with planted bugs."""

from __future__ import annotations

import numpy as np

from claims.mutants.mutant import Mutant
from implementations.interfaces import Array
from implementations.song2021.hard_instance import Sample, signed


def laplace_signs(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """The signs of s + Laplace(2ε)."""
    return (signed(sample) + rng.laplace(0.0, 2.0 * epsilon, sample.zeros.shape) > 0.0).astype(float)


MUTANTS = [
    Mutant(
        name="song2021-scale-upside-down",
        bug="Multiplies the sensitivity by ε where it should divide: for small ε hardly any noise is left.",
        replaces="implementations.song2021.hard_instance:laplace_signs",
        by=laplace_signs,
        caught_by=("song2021/theorem-b.1",),
    ),
]
