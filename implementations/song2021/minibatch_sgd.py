"""The mini-batch DP-SGD of the experiment: section 6 and appendix E of song2021.

Logistic regression, batches of 250 in a random order drawn once, 10 passes, noise on the sum of a batch, the
last model is the output. Many models (learning rates, noises, ambient dimensions, repetitions) see the same
batches and train side by side: their noise is independent, the order of the data is not part of what privacy
rests on here.

Padding the features with zeros changes no gradient. A model of ambient dimension d is therefore simulated in
the coordinates of the features alone, exactly: Gaussian noise has the same law there for every d, and the
first coordinates of Gamma-norm noise in ℝᵈ are drawn by `noise.spherical_gamma(coordinates=…)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from implementations.checks import one_of, positive, rows_within_unit_ball, whole_number
from implementations.interfaces import Array
from implementations.noise import spherical_gamma

BATCH, EPOCHS = 250, 10
GAUSSIAN_SCALE, GAMMA_SCALE = 0.63, 0.57
"""Standard deviation of the Gaussian noise and scale of the Gamma-norm noise on the sum of a batch, for
gradients of norm at most 1."""


@dataclass(frozen=True, slots=True)
class Model:
    """One training run: its noise ("gaussian", "gamma" or "none"), ambient dimension and learning rate."""

    noise: str
    dimension: int
    learning_rate: float

    def __post_init__(self) -> None:
        one_of(("gaussian", "gamma", "none"), noise=self.noise)
        whole_number(dimension=self.dimension)
        positive(learning_rate=self.learning_rate)


def steps_of(n: int, batch: int, epochs: int) -> int:
    """Number of batches of expected size `batch` in `epochs` passes over n records, rounded.

    The experiment has 2,381:

    >>> steps_of(59_535, 250, 10)
    2381
    """
    return round(epochs * n / batch)


def draw_noise(models: list[Model], coordinates: int, rng: np.random.Generator) -> Array:
    """The noise of one step for every model, restricted to the feature coordinates, (models, coordinates)."""
    noise = np.zeros((len(models), coordinates))
    gaussian = [i for i, m in enumerate(models) if m.noise == "gaussian"]
    noise[gaussian] = GAUSSIAN_SCALE * rng.standard_normal((len(gaussian), coordinates))
    gamma: dict[int, list[int]] = {}
    for i, model in enumerate(models):
        if model.noise == "gamma":
            gamma.setdefault(model.dimension, []).append(i)
    for dimension, places in gamma.items():
        noise[places] = spherical_gamma(
            (len(places),), dimension, GAMMA_SCALE, rng, coordinates=min(coordinates, dimension)
        )
    return noise


def train(
    features: Array,
    labels: Array,
    models: list[Model],
    rng: np.random.Generator,
    *,
    epochs: int = EPOCHS,
    batch: int = BATCH,
) -> Array:
    """Train every model; returns θ after each epoch, (epochs, models, p).

    features  (n, p) with ‖x‖ ≤ 1, labels (n,) of ±1. The last batch of a pass holds what is left, and is
              divided by `batch` like the others.
    Raises ValueError for features longer than 1, other labels, or a model of dimension below p.
    """
    n, p = features.shape
    rows_within_unit_ball(features=features)
    whole_number(epochs=epochs, batch=batch)
    if not np.isin(labels, (-1.0, 1.0)).all():
        raise ValueError("labels must be −1 or +1")
    if any(m.dimension < p for m in models):
        raise ValueError(
            f"no model may have fewer dimensions than features, got {[m.dimension for m in models]}"
        )
    rates = np.array([m.learning_rate for m in models])[:, None]
    theta = np.zeros((len(models), p))
    after = np.empty((epochs, len(models), p))
    signed = features * labels[:, None]  # the gradient is −yx·σ(−y⟨θ, x⟩)
    order = rng.permutation(n)
    starts = range(0, n, batch)
    for epoch in range(epochs):
        noise = draw_noise(models * len(starts), p, rng).reshape(len(starts), len(models), p)
        for start, drawn in zip(starts, noise, strict=True):
            block = signed[order[start : start + batch]]
            margins = block @ theta.T
            weights = 0.5 - 0.5 * np.tanh(0.5 * margins)
            gradient = -(weights.T @ block)
            theta = theta - rates * (gradient + drawn) / batch
        after[epoch] = theta
    return after


def accuracy(features: Array, labels: Array, theta: Array) -> Array:
    """Share of records with the sign of ⟨θ, x⟩ equal to the label, θ (…, p); ⟨θ, x⟩ = 0 counts as wrong."""
    scores = theta @ (features * labels[:, None]).T
    return (scores > 0.0).mean(axis=-1)
