"""The sampler of Gopi, Lee and Liu (2022) behind Lemma E.2 of Lee, Liu and Lu (2024), with its query count.

The target is exp(−F(x) − (λ/2)‖x‖²), F the mean of functions f_1 … f_n that are L-Lipschitz. The outer
loop is the proximal sampler. The inner loop knows F through single functions at single points only: of two
draws x, z of the Gaussian part it accepts x with probability ρ/2, where

    ρ = 1 + Σ_{i=1}^{J} Π_{l=1}^{i} (f_{j(i,l)}(z) − f_{j(i,l)}(x)),   P(J ≥ i) = 1/i!,

has mean exp(F(z) − F(x)). Where ρ leaves [0, 2] the probability is cut, so the sampler is a little biased:
the step size has to be small enough for the wanted total variation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from implementations import checks
from implementations.interfaces import Array
from implementations.lee2024.proximal_sampler import steps_needed

Losses = Callable[[Array, NDArray[np.intp]], Array]
"""Points (m, k) and indices (m,) → f_{index}(point), (m,)."""


@dataclass(frozen=True, slots=True)
class Queried:
    """The last states (size, k), the function values taken by all chains, the steps, and the share of the
    acceptance probabilities that had to be cut.
    """

    points: Array
    queries: int
    steps: int
    cut: float


def default_step_size(*, lipschitz: float, steps: int, tolerance: float) -> float:
    """h = 1/(8L²·log(2T/δ)): the order that Lemma E.2 asks for, Θ(1/(L²·log(T/δ)))."""
    return 1.0 / (8.0 * lipschitz**2 * math.log(2.0 * steps / tolerance))


def schedule(*, lipschitz: float, strength: float, tolerance: float) -> tuple[int, float]:
    """The steps T and the step size h for a total variation of `tolerance`.

    T depends on h, and h on log T: the pair is found by iterating from T = 1, which increases T to a fixed
    point.
    """
    steps = 1
    while True:
        h = default_step_size(lipschitz=lipschitz, steps=steps, tolerance=tolerance)
        needed = steps_needed(lipschitz=lipschitz, strength=strength, step_size=h, tolerance=tolerance)
        if needed <= steps:
            return steps, h
        steps = needed


def sample(
    losses: Losses,
    count: int,
    size: int,
    rng: np.random.Generator,
    *,
    dimension: int,
    lipschitz: float,
    strength: float,
    tolerance: float,
) -> Queried:
    """Run `size` independent chains from N(0, I/λ) with the schedule for `tolerance`.

    losses     the functions f_i, each `lipschitz`-Lipschitz: points (m, k), indices (m,) → (m,).
    count      how many functions there are; F is their mean.
    strength   λ > 0.
    tolerance  total variation to the target; in (0, 1).
    """
    checks.whole_number(count=count, size=size, dimension=dimension)
    checks.positive(lipschitz=lipschitz, strength=strength)
    checks.probability(tolerance=tolerance)
    steps, h = schedule(lipschitz=lipschitz, strength=strength, tolerance=tolerance)
    x = rng.standard_normal((size, dimension)) / math.sqrt(strength)
    queries = cut = tried = 0
    for _ in range(steps):
        y = x + math.sqrt(h) * rng.standard_normal(x.shape)
        x, counts = inner_loop(losses, count, y, rng, strength=strength, step_size=h)
        queries, cut, tried = queries + counts[0], cut + counts[1], tried + counts[2]
    return Queried(points=x, queries=queries, steps=steps, cut=cut / tried)


def inner_loop(
    losses: Losses, count: int, y: Array, rng: np.random.Generator, *, strength: float, step_size: float
) -> tuple[Array, tuple[int, int, int]]:
    """Draw x | y for each row of y; the queries, the cut probabilities, and the attempts that it took."""
    variance = 1.0 / (strength + 1.0 / step_size)
    mean = variance / step_size * y
    out = np.empty_like(y)
    waiting = np.arange(y.shape[0])
    queries = cut = tried = 0
    while waiting.size:
        shape = (waiting.size, y.shape[1])
        x = mean[waiting] + math.sqrt(variance) * rng.standard_normal(shape)
        z = mean[waiting] + math.sqrt(variance) * rng.standard_normal(shape)
        ratio, taken = unbiased_ratio(losses, count, x, z, rng)
        accepted = rng.random(waiting.size) < 0.5 * ratio
        out[waiting[accepted]] = x[accepted]
        queries += taken
        cut += int(((ratio < 0.0) | (ratio > 2.0)).sum())
        tried += waiting.size
        waiting = waiting[~accepted]
    return out, (queries, cut, tried)


def unbiased_ratio(
    losses: Losses, count: int, x: Array, z: Array, rng: np.random.Generator
) -> tuple[Array, int]:
    """ρ with mean exp(F(z) − F(x)) given x and z, (m,), and the function values that it took."""
    ratio = np.ones(x.shape[0])
    alive = np.arange(x.shape[0])
    order, queries = 1, 0
    while alive.size:
        product = np.ones(alive.size)
        for _ in range(order):
            index = rng.integers(0, count, alive.size)
            product *= losses(z[alive], index) - losses(x[alive], index)
            queries += 2 * alive.size
        ratio[alive] += product
        order += 1
        # P(J ≥ i | J ≥ i − 1) = 1/i, which makes P(J ≥ i) = 1/i!
        alive = alive[rng.random(alive.size) < 1.0 / order]
    return ratio, queries
