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
    Mutant(
        name="song2021-training-batches-with-replacement",
        bug="Draws a batch with replacement.",
        replaces="implementations.song2021.minibatch_sgd:train",
        swap=("order = rng.permutation(n)", "order = rng.integers(0, n, n)"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-batches-of-the-file",
        bug="Leaves the records in the order of the file.",
        replaces="implementations.song2021.minibatch_sgd:train",
        swap=("order = rng.permutation(n)", "order = np.arange(n)"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-new-order-every-pass",
        bug="Draws a new order for every pass.",
        replaces="implementations.song2021.minibatch_sgd:train",
        swap=(
            "for epoch in range(epochs):",
            "for epoch in range(epochs):\n        order = rng.permutation(n)",
        ),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-last-batch-left-out",
        bug="Leaves out the smaller last batch of a pass.",
        replaces="implementations.song2021.minibatch_sgd:train",
        swap=("range(0, n, batch)", "range(0, n - batch + 1, batch)"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-noise-on-the-average",
        bug="Adds the noise to the average of a batch and not to its sum.",
        replaces="implementations.song2021.minibatch_sgd:train",
        swap=(
            "(gradient + draw_noise(models, p, rng)) / batch",
            "(gradient / batch + draw_noise(models, p, rng))",
        ),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-divides-by-the-last-batch",
        bug="Divides by the number of records in the batch.",
        replaces="implementations.song2021.minibatch_sgd:train",
        swap=("draw_noise(models, p, rng)) / batch", "draw_noise(models, p, rng)) / len(block)"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-average-of-the-passes",
        bug="Averages the models of the passes.",
        replaces="implementations.song2021.minibatch_sgd:train",
        swap=(
            "after[epoch] = theta",
            "after[epoch] = theta if epoch == 0 else (theta + epoch * after[epoch - 1]) / (epoch + 1)",
        ),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-gaussian-doubled",
        bug="Draws the Gaussian noise with a deviation of 2·0.63.",
        replaces="implementations.song2021.minibatch_sgd:draw_noise",
        swap=("GAUSSIAN_SCALE * rng", "2.0 * GAUSSIAN_SCALE * rng"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-gamma-of-the-features",
        bug="Draws the Gamma noise in the dimension of the features.",
        replaces="implementations.song2021.minibatch_sgd:draw_noise",
        swap=("dimension, GAMMA_SCALE, rng", "coordinates, GAMMA_SCALE, rng"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-training-ties-count",
        bug="Counts a score of 0 as right.",
        replaces="implementations.song2021.minibatch_sgd:accuracy",
        swap=("scores > 0.0", "scores >= 0.0"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-gamma-of-one-dimension-less",
        bug="Draws the norm from Gamma(d − 1), the power of r in the volume of a sphere.",
        replaces="implementations.noise:spherical_gamma",
        swap=("rng.standard_gamma(dimension, size=shape)", "rng.standard_gamma(dimension - 1, size=shape)"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-gamma-of-fixed-norm",
        bug="Takes the mean of the norm for the norm.",
        replaces="implementations.noise:spherical_gamma",
        swap=("rng.standard_gamma(dimension, size=shape)", "np.full(shape, float(dimension))"),
        caught_by=("song2021/section-6-training",),
    ),
    Mutant(
        name="song2021-rest-of-the-direction",
        bug="Takes the direction in the kept coordinates for the direction in all.",
        replaces="implementations.noise:spherical_gamma",
        swap=("if kept < dimension:", "if False and kept < dimension:"),
        caught_by=("song2021/section-6-training",),
    ),
]
