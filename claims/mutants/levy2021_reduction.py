"""The reduction to user means of levy2021 with planted bugs."""

from __future__ import annotations

import numpy as np

from claims.mutants.mutant import Mutant
from implementations.interfaces import Array


def samples_given_means(means: Array, m: int, sd: float, rng: np.random.Generator) -> Array:
    """Samples around the mean, not given the mean."""
    return means[..., None, :] + sd * rng.standard_normal((*means.shape[:-1], m, means.shape[-1]))


MUTANTS = [
    Mutant(
        name="levy2021-uncentred-samples",
        bug="Adds fresh noise to the mean for samples given their mean: the variance is σ²(1 + 1/m).",
        replaces="implementations.levy2021.reduction:samples_given_means",
        by=samples_given_means,
        caught_by=("levy2021/proposition-3",),
    ),
    Mutant(
        name="levy2021-user-mean-over-m-minus-1",
        bug="Divides a user's sum by m − 1.",
        replaces="implementations.levy2021.reduction:user_means",
        swap=("samples.mean(axis=-2)", "samples.sum(axis=-2) / max(samples.shape[-2] - 1, 1)"),
        caught_by=("levy2021/proposition-3",),
    ),
]
