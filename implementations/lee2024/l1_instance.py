"""The instance of Theorem 3.7 of Lee, Liu and Lu (2024): ℓ(θ; z) = ‖θ − z‖₁, with its copies and its padding.

Also private algorithms for it, to hold against the lower bound. Their outputs are (size, d), one a row.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from implementations import checks
from implementations.interfaces import Array
from implementations.lee2024 import product_sampler
from implementations.lee2024.regularised_exponential import parameters
from implementations.privacy import mu_star


def risk(theta: Array, data: Array) -> Array:
    """L(θ; D) = (1/n)·Σ_i ‖θ − z_i‖₁ for θ (…, d) and data (n, d)."""
    return np.abs(np.asarray(theta)[..., None, :] - data).sum(axis=-1).mean(axis=-1)


def minimiser(data: Array) -> Array:
    """A minimiser of the empirical risk: the median of each coordinate, (d,)."""
    return np.median(data, axis=0)


def excess_risk(theta: Array, data: Array) -> Array:
    """L(θ; D) − min L(·; D), (…)."""
    return risk(theta, data) - risk(minimiser(data), data)


def excess_risk_of_bits(theta: Array, ones: Array, n: int) -> Array:
    """`excess_risk` for data of bits, from the number of ones in each column: theta (…, d), ones (d,).

    A column with share p of ones has the risk (1 − p)|θ| + p|1 − θ|, least at min(p, 1 − p).
    """
    p = np.asarray(ones, dtype=float) / n
    value = (1.0 - p) * np.abs(theta) + p * np.abs(1.0 - theta)
    return (value - np.minimum(p, 1.0 - p)).sum(axis=-1)


def copy_and_append(data: Array, n: int, copies: int) -> Array:
    """Each record `copies` times, then zero vectors up to n records (Lemma 3.6), (n, d)."""
    checks.whole_number(n=n, copies=copies)
    if data.shape[0] != n // copies:
        raise ValueError(f"data must hold ⌊n/copies⌋ = {n // copies} records, got {data.shape[0]}")
    repeated = np.repeat(data, copies, axis=0)
    return np.vstack([repeated, np.zeros((n - repeated.shape[0], data.shape[1]))])


def pad(data: Array, n: int) -> Array:
    """Append as many zero vectors as vectors of ones, and one vector of halves for an odd rest, (n, d)."""
    rest = n - data.shape[0]
    if rest < 0:
        raise ValueError(f"n must be at least the {data.shape[0]} records of data, got {n}")
    half, d = rest // 2, data.shape[1]
    return np.vstack([data, np.zeros((half, d)), np.ones((half, d)), np.full((rest % 2, d), 0.5)])


def clip_to_cube(theta: Array) -> Array:
    """The nearest point of [0, 1]ᵈ: it never raises the risk of records in the cube."""
    return np.clip(theta, 0.0, 1.0)


def noisy_median_sign(
    ones: Array, n: int, size: int, rng: np.random.Generator, *, epsilon: float, delta: float
) -> Array:
    """(ε, δ)-private: 1 where the number of ones plus Gaussian noise exceeds n/2, else 0.

    Replacing a record of bits moves the counts by √d in Euclidean norm at most, so the standard deviation is
    √d/μ(ε, δ).
    """
    counts = checks.numbers("ones", ones)
    noise = math.sqrt(counts.size) / _gaussian_mu(epsilon, delta)
    return (counts + noise * rng.standard_normal((size, counts.size)) > n / 2.0).astype(float)


def noisy_mean(
    ones: Array, n: int, size: int, rng: np.random.Generator, *, epsilon: float, delta: float
) -> Array:
    """(ε, δ)-private: the mean of the records plus Gaussian noise, clipped to the cube."""
    counts = checks.numbers("ones", ones)
    noise = math.sqrt(counts.size) / _gaussian_mu(epsilon, delta)
    return clip_to_cube((counts + noise * rng.standard_normal((size, counts.size))) / n)


LEVELS = np.array([0.0, 0.5, 1.0])
"""The values of records, among which a median of each coordinate is found."""


def pure_law(counts: Array, epsilon: float) -> Array:
    """(ε, 0)-private: the law of each coordinate on 0, ½ and 1, by the exponential mechanism with ε/d.

    counts (d, 3) says how many records have 0, ½ and 1 in a coordinate. Replacing a record moves the sum
    of the distances |θ − z| to a level by at most 1, so that weights exp(−(ε/2d)·sum) cost ε/d. Returns
    (d, 3).
    """
    c = checks.numbers("counts", counts)
    checks.positive(epsilon=epsilon)
    sums = c @ np.abs(LEVELS[:, None] - LEVELS)
    weights = np.exp(-0.5 * epsilon / c.shape[0] * (sums - sums.min(axis=1, keepdims=True)))
    return weights / weights.sum(axis=1, keepdims=True)


def pure_levels(
    ones: Array, n: int, size: int, rng: np.random.Generator, *, epsilon: float, delta: float = 0.0
) -> Array:
    """(ε, 0)-private, hence (ε, δ)-private for every δ: draws from `pure_law` for n records of bits."""
    counts = checks.numbers("ones", ones)
    law = pure_law(np.stack([n - counts, 0.0 * counts, counts], axis=1), epsilon)
    reached = np.cumsum(law, axis=1)[:, :-1]
    return LEVELS[(rng.random((size, counts.size, 1)) > reached).sum(axis=-1)]


@functools.lru_cache(maxsize=64)
def _gaussian_mu(epsilon: float, delta: float) -> float:
    """μ*(ε, δ), which takes longer to find than an output takes to draw; no Gaussian noise has δ = 0."""
    checks.probability(delta=delta)
    return float(mu_star(epsilon, delta))


def exponential_mechanism(
    ones: Array, n: int, size: int, rng: np.random.Generator, *, epsilon: float, delta: float
) -> Array:
    """Algorithm 1 on the instance, with rank d and the reading of η and μ that is private.

    Data of bits with c ones in a column have the loss (1/n)((n − c)|θ| + c|1 − θ|) there, Lipschitz with √d
    altogether; the minimisers lie within C = √d of the origin. The sampler is exact.
    """
    counts = checks.numbers("ones", ones)
    d = counts.size
    chosen = parameters(
        n=n, epsilon=epsilon, delta=delta, rank=d, lipschitz=math.sqrt(d), radius=math.sqrt(d),
        inverse_temperature="log-below", regulariser="log",
    )  # fmt: skip
    knots = np.tile([0.0, 1.0], (d, 1))
    weights = chosen.eta / n * np.stack([n - counts, counts], axis=1)
    law = product_sampler.potential(knots, weights)
    return product_sampler.sample(law, size, rng, strength=chosen.strength)
