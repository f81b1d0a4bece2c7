"""Neighbouring datasets on which Algorithm 1 leaks, and the exact privacy of its transcripts on them.

All datasets have τ = 1 and are given as clusters: positions on the line, and how many users share each.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from implementations.asi2024 import clusters
from implementations.asi2024.clusters import Clusters, TranscriptPair
from implementations.asi2024.outlier_removal import Plan
from implementations.interfaces import Array
from implementations.privacy import gaussian_delta


def near_and_far(n: int, share: float) -> tuple[Clusters, Clusters]:
    """Two datasets that differ in one user, whose concentration scores differ by 2 − 2/n; nobody is removed.

    Most users stand at 0 and the others at 1.5, so that all see each other within 2τ but not within τ. The
    last
    user stands at 0.75, within τ of everybody, or at −2, within τ of nobody and within 2τ of the users at 0.
    """
    most = round(share * (n - 1))
    weights = [most, n - 1 - most, 1]
    near = clusters.as_clusters([[0.0], [1.5], [0.75]], weights)
    return near, clusters.as_clusters([[0.0], [1.5], [-2.0]], weights)


def alternating(
    n: int, queries: int, share: float, last: float | None = None
) -> tuple[list[Clusters], list[Clusters]]:
    """Queries under which one dataset has the higher score until the last query, and there the lower.

    last  the share of users at 0 in the last query, where it is not that of the others.
    """
    near, far = near_and_far(n, share)
    near_last, far_last = near_and_far(n, share if last is None else last)
    return [near] * (queries - 1) + [far_last], [far] * (queries - 1) + [near_last]


def half_and_half(n: int, distance: float) -> tuple[Clusters, Clusters]:
    """Two far clusters: no user is kept where each has n/2 users; in the neighbour one has n/2 + 1.

    There each of its users is kept with probability 6/n, so that the mean jumps from 0 to `distance` unless
    none
    of them is kept. n is even.
    """
    first = n // 2
    even = clusters.as_clusters([[distance], [-distance]], [first, n - first])
    return even, clusters.as_clusters([[distance], [-distance]], [first + 1, n - first - 1])


def transcript_delta(pair: TranscriptPair, epsilon: float) -> float:
    """The least δ at which the two transcripts are (ε, δ)-indistinguishable, the larger of both directions.

    A transcript is a halting time and the Gaussian answers before it, so the divergence is the sum over
    halting
    times of P(k)·δ_Gauss(ε − log(P(k)/Q(k)), μ_k).
    """
    return max(
        _directed(p, q, pair.mu, epsilon)
        for p, q in (
            (pair.halting, pair.halting_of_neighbour),
            (pair.halting_of_neighbour, pair.halting),
        )
    )


def _directed(p: Array, q: Array, mu: Array, epsilon: float) -> float:
    seen = p > 0.0
    level = epsilon - np.log(p[seen] / q[seen])
    shift = mu[seen]
    # below 0 the divergence at level x is 1 − e^x + e^x·δ(−x), by the symmetry of the Gaussian pair
    positive, below = np.abs(level), level < 0.0
    delta = np.zeros_like(level)
    some = shift > 0.0
    if some.any():
        delta[some] = gaussian_delta(positive[some], shift[some])
    delta = np.where(below, -np.expm1(-positive) + np.exp(-positive) * delta, delta)
    return float(p[seen] @ delta)


def share_for(n: int, score: float) -> float:
    """The share of users at 0 for which `near_and_far` has about this score: a² + (1 − a)² = score/n."""
    return 0.5 * (1.0 + math.sqrt(min(1.0, max(0.0, 2.0 * score / n - 1.0))))


def worst_alternating(n: int, queries: int, plan: Plan, epsilon: float) -> tuple[float, float]:
    """The largest δ of `alternating` over heights of the score above the threshold, and the score's height.

    Heights run from 0 to 18 units of 1/ε, the scale of AboveThreshold's noise.
    """
    found: list[tuple[float, float]] = []
    for height in (0.0, 4.0, 8.0, 12.0, 18.0):
        share = share_for(n, plan.threshold + height / epsilon)
        if not 0.7 < share < 1.0:
            continue
        pair = clusters.transcript_pair(*alternating(n, queries, share), plan)
        found.append((transcript_delta(pair, epsilon), height))
    return max(found)


EARLY, LATE = (-8.0, -4.0, 0.0, 4.0, 8.0, 16.0), (-4.0, 0.0, 4.0)
"""Heights of the score above the threshold, in units of 1/ε: in all queries but the last, and in the last."""


def worst_two_heights(n: int, plan: Plan, epsilon: float) -> tuple[float, float, float]:
    """The largest δ of `alternating` over `EARLY` and `LATE`, and the two heights."""
    found: list[tuple[float, float, float]] = []
    for early, late in itertools.product(EARLY, LATE):
        share, last = (share_for(n, plan.threshold + height / epsilon) for height in (early, late))
        if 0.7 < share < 1.0 and 0.7 < last < 1.0:
            pair = clusters.transcript_pair(*alternating(n, plan.queries, share, last), plan)
            found.append((transcript_delta(pair, epsilon), early, late))
    return max(found)


def jump(n: int, plan: Plan) -> float:
    """A lower bound on δ at every ε for `half_and_half` at an immense distance.

    On the even dataset the first answer, where there is one, is noise around 0; on its neighbour it is
    immense
    with this probability, and on the even dataset almost never.
    """
    even, odd = half_and_half(n, 1e9)
    if clusters.kept_probabilities(even, plan.tau).any():
        return 0.0
    mass, values = clusters.mean_law(odd, plan.tau)
    return clusters.answer_probability(odd, plan) * float(mass[np.abs(values[:, 0]) > 1e8].sum())


def users_of(condition: str, queries: int, epsilon: float, delta: float, gamma: float = 0.5) -> int:
    """The least even n that a printed condition allows.

    "theorem 3.2": (8·log(T/γ) + 8·log(T/δ))/ε;  "lemma 3.6": 40·log(4T/δ)/ε.
    """
    if condition == "theorem 3.2":
        least = (8.0 * math.log(queries / gamma) + 8.0 * math.log(queries / delta)) / epsilon
    elif condition == "lemma 3.6":
        least = 40.0 * math.log(4.0 * queries / delta) / epsilon
    else:
        raise ValueError(f"condition must be 'theorem 3.2' or 'lemma 3.6', got {condition!r}")
    return 2 * max(2, math.ceil(least / 2.0))
