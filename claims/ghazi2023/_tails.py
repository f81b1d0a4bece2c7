"""Exact laws of a user's sum under a random permutation, and the constant that a tail bound would need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from implementations.interfaces import Array


def needed_constant(values: Array, probabilities: Array, unit: float) -> float:
    """The least c with P(V > c·unit·√log(1/β)) ≤ β for all β < 1/e, from the exact law of V ≥ 0.

    A value v with q = P(V ≥ v) asks for c·unit·√log(1/β) ≥ v at every β < min(q, 1/e); the right side falls
    in β.
    """
    order = np.argsort(values)[::-1]
    v, tail = values[order], np.cumsum(probabilities[order])
    # Equal values share one tail: the last of them in this order holds all of it.
    last = np.concatenate((v[1:] < v[:-1] - 1e-12 * max(1.0, float(v[0])), [True]))
    v, tail = v[last], np.minimum(tail[last], 1.0)
    level = np.sqrt(np.maximum(np.log(1.0 / tail), 1.0))
    return float((v / (unit * level)).max())


def sign_sums(total: int, positive: int, m: int) -> tuple[Array, Array]:
    """(|S|, probability) of the sum S of m of `total` items, `positive` of them p = 1 − positive/total,
    others −positive/total.

    Sampling without replacement: the number of positive items is hypergeometric. The items add up to zero.
    """
    from scipy.stats import hypergeom

    share = positive / total
    k = np.arange(max(0, m - (total - positive)), min(m, positive) + 1)
    return np.abs(k - m * share), np.asarray(hypergeom.pmf(k, total, positive, m))


def subset_norms(vectors: Array, m: int) -> tuple[Array, Array]:
    """(‖Σ‖, probability) of the sum over all m-subsets of the rows (N, d), each equally likely."""
    subsets = np.array(list(combinations(range(len(vectors)), m)))
    norms = np.linalg.norm(vectors[subsets].sum(axis=1), axis=1)
    return norms, np.full(len(norms), 1.0 / len(norms))


def vector_families(count: int, d: int, rng: np.random.Generator) -> Sequence[Array]:
    """Sets of vectors that add up to zero with norms ≤ 1: signs, a rare direction, simplex, sphere."""
    families = []
    signs = np.zeros((count, d))
    signs[:, 0] = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    rare = np.zeros((count, d))
    rare[:2, 0] = 1.0
    simplex = np.zeros((count, d))
    angles = 2.0 * math.pi * (np.arange(count) % 3) / 3.0
    simplex[:, 0] = np.cos(angles)
    if d > 1:
        simplex[:, 1] = np.sin(angles)
    sphere = rng.normal(size=(count, d))
    for vectors in (signs, rare, simplex, sphere / np.linalg.norm(sphere, axis=1, keepdims=True)):
        centred = vectors - vectors.mean(axis=0)
        families.append(centred / np.linalg.norm(centred, axis=1).max())
    return families
