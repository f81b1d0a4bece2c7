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
    Mutant(
        name="song2021-half-laplace-signs",
        bug="Takes 1 for the sensitivity of ones − zeros: a flipped label moves it by 2.",
        replaces="implementations.song2021.hard_instance:laplace_signs",
        swap=("2.0 / epsilon", "1.0 / epsilon"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-half-gaussian-signs",
        bug="Takes 1 for the sensitivity of ones − zeros: a flipped label moves it by 2.",
        replaces="implementations.song2021.hard_instance:gaussian_signs",
        swap=("2.0 / mu_star", "1.0 / mu_star"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-whole-budget-on-each-count",
        bug="Spends ε on each of the two counts that a flipped label moves.",
        replaces="implementations.song2021.hard_instance:exponential_bits",
        swap=("0.5 * epsilon * signed", "epsilon * signed"),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
    Mutant(
        name="song2021-short-alphabet",
        bug="Forgets the record X = 0 in the alphabet of randomised response.",
        replaces="implementations.song2021.hard_instance:randomised_response",
        swap=(
            "gamma = math.expm1(epsilon) / (math.expm1(epsilon) + alphabet)",
            "gamma = math.expm1(epsilon) / math.exp(epsilon)",
        ),
        caught_by=("song2021/theorem-b.1:estimators",),
    ),
]
