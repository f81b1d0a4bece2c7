"""Mini-batch SGD of song2021 with planted bugs."""

from __future__ import annotations

import math

import numpy as np

from claims.mutants.mutant import Mutant
from implementations.interfaces import Array
from implementations.song2021 import minibatch_sgd

_draw_noise_reference = minibatch_sgd.draw_noise


def draw_noise(models: list[minibatch_sgd.Model], coordinates: int, rng: np.random.Generator) -> Array:
    """The reference with the Gaussian noise multiplied by √d."""
    noise = _draw_noise_reference(models, coordinates, rng)
    scale = [math.sqrt(m.dimension) if m.noise == "gaussian" else 1.0 for m in models]
    return noise * np.array(scale)[:, None]


MUTANTS = [
    Mutant(
        name="song2021-norm-calibrated",
        bug="Multiplies the Gaussian noise by √d, as if its norm had to cover a sensitivity per coordinate.",
        replaces="implementations.song2021.minibatch_sgd:draw_noise",
        by=draw_noise,
        caught_by=("song2021/section-6-figure-2",),
    ),
]
