"""From user level to item level and back by user means (Proposition 3), for Gaussian samples with known σ."""

from __future__ import annotations

import numpy as np

from implementations.interfaces import Array, Mechanism


def user_means(samples: Array) -> Array:
    """The mean of each user's samples, sufficient for Gaussian location: (…, n, m, d) → (…, n, d)."""
    return samples.mean(axis=-2)


def samples_given_means(means: Array, m: int, sd: float, rng: np.random.Generator) -> Array:
    """m Gaussian samples of each user given their mean: (…, n, d) → (…, n, m, d).

    Independent of the unknown location: N(x̄, sd²(I − 11ᵀ/m)) along the samples. Where x̄ ~ N(μ, sd²/m) the
    samples are independent N(μ, sd²).
    """
    noise = sd * rng.standard_normal((*means.shape[:-1], m, means.shape[-1]))
    return means[..., None, :] + noise - noise.mean(axis=-2, keepdims=True)


def to_item_level(mechanism: Mechanism, m: int, sd: float) -> Mechanism:
    """An item-level mechanism on records of variance sd²/m, from a user-level one on samples of variance sd².

    Each record is blown up to m samples of one user. Replacing one record replaces one user, so the result is
    (ε, δ)-DP at item level where `mechanism` is at user level; on Gaussian data the outputs have one law.
    """

    def item_level(data: Array, size: int, rng: np.random.Generator) -> Array:
        outputs = [mechanism(samples_given_means(np.asarray(data), m, sd, rng), 1, rng) for _ in range(size)]
        return np.concatenate(outputs)

    return item_level


def to_user_level(mechanism: Mechanism) -> Mechanism:
    """A user-level mechanism from an item-level one: it sees the user means."""

    def user_level(data: Array, size: int, rng: np.random.Generator) -> Array:
        return mechanism(user_means(np.asarray(data)), size, rng)

    return user_level
