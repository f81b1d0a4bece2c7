"""Laws of Algorithm 1 on datasets of few clusters, without sampling.

A cluster is a value that several users share. Its users are kept independently with one probability, so the
number kept is binomial; the mean of the kept ones is a function of those numbers; the noise is Gaussian;
the halting time comes from the quadrature of `above_threshold`. The law of one answer is an atom (halted)
and a finite mixture of Gaussians. Over several queries the law is explicit where every user is kept or
dropped for sure: halting at query k shows k − 1 Gaussian vectors with known means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from implementations.asi2024.above_threshold import halting_law
from implementations.asi2024.concentration import (
    concentration_score,
    neighbour_counts,
    selection_probabilities,
)
from implementations.asi2024.outlier_removal import Plan
from implementations.interfaces import Array

_DROPPED = 1e-18


@dataclass(frozen=True, slots=True)
class Clusters:
    """Values of the users for one query: row i of `positions` (c, d) is the value of weights[i] users."""

    positions: Array
    weights: Array

    def __post_init__(self) -> None:
        rows = np.asarray(self.positions, dtype=float)
        rows = rows[:, None] if rows.ndim == 1 else rows
        weights = np.asarray(self.weights, dtype=float)
        if rows.ndim != 2 or weights.shape != rows.shape[:1] or not np.isfinite(rows).all():
            raise ValueError(
                f"positions must be finite rows with a weight each, got {rows.shape}, {weights.shape}"
            )
        object.__setattr__(self, "positions", rows)
        object.__setattr__(self, "weights", weights)

    @property
    def users(self) -> int:
        return int(self.weights.sum())


def score(data: Clusters, tau: float) -> float:
    """The concentration score (2)."""
    return float(concentration_score(data.positions, tau, data.weights))


def kept_probabilities(data: Clusters, tau: float) -> Array:
    """p of lines 8 to 10 for a user of each cluster, (c,)."""
    return selection_probabilities(neighbour_counts(data.positions, 2.0 * tau, data.weights), data.users)


def mean_law(data: Clusters, tau: float) -> tuple[Array, Array]:
    """Probabilities (k,) and values (k, d) of the mean of the kept users; values of probability 1e-18 are
    left out."""
    from scipy.stats import binom

    p = kept_probabilities(data, tau)
    mass, sizes, totals = np.ones(1), np.zeros(1), np.zeros((1, data.positions.shape[1]))
    for position, weight, chance in zip(data.positions, data.weights, p, strict=True):
        count = np.arange(int(weight) + 1)
        law = np.asarray(binom.pmf(count, int(weight), chance))
        count, law = count[law > _DROPPED], law[law > _DROPPED]
        mass = (mass[:, None] * law).ravel()
        sizes = (sizes[:, None] + count).ravel()
        totals = (totals[:, None, :] + count[None, :, None] * position).reshape(-1, totals.shape[1])
        kept = mass > _DROPPED
        mass, sizes, totals = mass[kept], sizes[kept], totals[kept]
    return mass, totals / np.maximum(sizes, 1.0)[:, None]


def answer_probability(data: Clusters, plan: Plan) -> float:
    """P(AboveThreshold says ⊤ to the first query)."""
    return float(halting_law([score(data, plan.tau)], plan.threshold, plan.budget)[-1])


def fixed_mean(data: Clusters, tau: float) -> Array:
    """Mean (d,) of the kept users where nobody is kept by chance; ValueError where somebody is."""
    p = kept_probabilities(data, tau)
    if ((p > 0.0) & (p < 1.0)).any():
        raise ValueError(f"every user must be kept or dropped for sure, got probabilities {p}")
    size = float((p * data.weights).sum())
    return (p * data.weights) @ data.positions / size if size else np.zeros(data.positions.shape[1])


@dataclass(frozen=True, slots=True)
class TranscriptPair:
    """Laws of the transcripts of two neighbouring datasets under one fixed sequence of queries.

    halting, halting_of_neighbour  (T + 1,): probabilities to halt at query 1..T, and never.
    mu   (T + 1,): the distance in standard deviations between the means of the answers that such a run shows.
    """

    halting: Array
    halting_of_neighbour: Array
    mu: Array


def transcript_pair(data: Sequence[Clusters], neighbour: Sequence[Clusters], plan: Plan) -> TranscriptPair:
    """The pair for queries t = 1..T whose values on the two datasets are data[t], neighbour[t].

    A run that halts at query k shows k − 1 answers, a run that never halts T. Raises ValueError where the
    numbers of users or queries differ from the plan's, or a user is kept by chance.
    """
    if not len(data) == len(neighbour) == plan.queries:
        raise ValueError(f"need {plan.queries} queries on both, got {len(data)} and {len(neighbour)}")
    for query in (*data, *neighbour):
        if query.users != plan.n:
            raise ValueError(f"every query must hold {plan.n} users, got {query.users}")
    memo: dict[int, tuple[float, Array]] = {}

    def look(query: Clusters) -> tuple[float, Array]:
        if id(query) not in memo:
            memo[id(query)] = score(query, plan.tau), fixed_mean(query, plan.tau)
        return memo[id(query)]

    moved = np.array(
        [float(((look(a)[1] - look(b)[1]) ** 2).sum()) for a, b in zip(data, neighbour, strict=True)]
    )
    shown = np.concatenate([[0.0], np.cumsum(moved)])
    # halting at query k = 1..T shows k − 1 answers, never halting shows all T
    return TranscriptPair(
        halting=halting_law([look(q)[0] for q in data], plan.threshold, plan.budget),
        halting_of_neighbour=halting_law([look(q)[0] for q in neighbour], plan.threshold, plan.budget),
        mu=np.sqrt(np.concatenate([shown[:-1], shown[-1:]])) / plan.noise,
    )


def ring(n: int, tau: float, share: float) -> Array:
    """n − 1 users evenly on a circle in the plane, (n − 1, 2), each with about share·n of them within 2τ.

    A user sees the k nearest users on either arc and herself, 2k + 1 in all, with k = round((share·n − 1)/2).
    The radius stands halfway between the one at which the k-th leaves and the one at which the next one
    enters, so that no pair is near the edge. All users are within 2τ of the centre for share ≥ 1/3.
    """
    near = round((share * n - 1.0) / 2.0)
    if not 0 < near < (n - 2) / 2:
        raise ValueError(f"share must leave room for a user on either arc, got {share} with n = {n}")
    angles = 2.0 * math.pi * np.arange(n - 1) / (n - 1)
    half_chords = [math.sin(math.pi * k / (n - 1)) for k in (near, near + 1)]
    radius = 0.5 * sum(tau / h for h in half_chords)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def as_clusters(positions: ArrayLike, weights: ArrayLike) -> Clusters:
    """`Clusters` from lists."""
    return Clusters(np.asarray(positions, dtype=float), np.asarray(weights, dtype=float))
