"""Divergences of "⊥ or a Gaussian", datasets of few types of users, statistics for Algorithm 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from implementations.ghazi2023.del_output_pert import Law
from implementations.interfaces import Array
from implementations.privacy import gaussian_delta

Counts = tuple[int, ...]


def hockey_stick(epsilon: float, answer: ArrayLike, other: ArrayLike, shift: ArrayLike) -> Array:
    """sup_S P(S) − e^ε·Q(S), elementwise, for P, Q with answer probabilities p, q and Gaussians `shift` sd
    apart.

    ⊥ belongs to S if 1 − p > e^ε(1 − q). Among the answers, sup p·N(0, 1) − e^ε·q·N(shift, 1) is p times the
    Gaussian hockey-stick divergence at ε + ln(q/p).
    """
    p, q, mu = np.broadcast_arrays(
        np.asarray(answer, float), np.asarray(other, float), np.asarray(shift, float)
    )
    bottom = np.maximum(0.0, (1.0 - p) - math.exp(epsilon) * (1.0 - q))
    both = (p > 0.0) & (q > 0.0)
    level = epsilon + np.log(np.where(both, q, 1.0) / np.where(both, p, 1.0))
    return bottom + np.where(both, p * gaussian_delta(level, mu), p)


def divergence(epsilon: float, first: Law, second: Law) -> float:
    """The larger hockey-stick divergence of two output laws of Algorithm 1 with the same σ."""
    shift = float(np.linalg.norm(first.centre - second.centre)) / first.sigma
    pair = np.array([first.answer, second.answer])
    return float(hockey_stick(epsilon, pair, pair[::-1], shift).max())


def datasets(n: int, types: int) -> list[Counts]:
    """All vectors of `types` counts that add up to n."""
    if types == 1:
        return [(n,)]
    return [(first, *rest) for first in range(n + 1) for rest in datasets(n - first, types - 1)]


def neighbours(counts: Counts) -> Iterator[Counts]:
    """The datasets with one user replaced by a user of another type."""
    for gone in range(len(counts)):
        for new in range(len(counts)):
            if gone != new and counts[gone] > 0:
                changed = list(counts)
                changed[gone] -= 1
                changed[new] += 1
                yield tuple(changed)


Statistic = Callable[[Array], Array]


def mean_of(values: tuple[float, ...]) -> Statistic:
    """The mean of the users' values, 0 on the empty dataset."""

    def statistic(counts: Array) -> Array:
        total = counts.sum(axis=-1, keepdims=True)
        return (counts @ np.array(values))[..., None] / np.maximum(total, 1.0)

    return statistic


def majority_of(values: tuple[float, ...]) -> Statistic:
    """The value of the most frequent type: a jump wherever the majority changes."""

    def statistic(counts: Array) -> Array:
        return np.array(values)[np.argmax(counts, axis=-1)][..., None]

    return statistic


def staircase(slope: float, step: float, width: int) -> Statistic:
    """slope·(users of the last type) plus a jump of `step` at every `width`-th of them."""

    def statistic(counts: Array) -> Array:
        return (slope * counts[..., -1] + step * np.floor(counts[..., -1] / width))[..., None]

    return statistic


def statistics(target: float) -> dict[str, Statistic]:
    """Statistics of three types whose jumps are far below, just below and far above the target Δ."""
    huge = 1e6 * target
    return {
        "mean of 0, Δ, 10⁶Δ": mean_of((0.0, target, huge)),
        "mean of 0, ±10Δ": mean_of((0.0, -10.0 * target, 10.0 * target)),
        "majority of 0, Δ, 10⁶Δ": majority_of((0.0, target, huge)),
        "Δ for each user of type 3": staircase(target, 0.0, 1),
        "Δ for each user of type 3, 10⁶Δ at every 6th": staircase(target, huge, 6),
    }
