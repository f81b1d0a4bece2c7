"""The packing of Lemma D.1 of Lee, Liu and Lu (2024): 2^⌊d/2⌋ points of {1/√d, −1/√d}ᵈ, far from each other.

The points are the words of a random linear binary code (Gilbert and Varshamov), a bit b written as
(1 − 2b)/√d. Two words that differ in h places give points at distance 2√(h/d), and the least h of a linear
code is the least weight of a word that is not zero.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from implementations import checks
from implementations.interfaces import Array
from implementations.lee2024.fingerprinting import Bits, bits

MOST_BITS = 20
"""The largest ⌊d/2⌋ for which all words are written out."""


def generator_matrix(d: int, rng: np.random.Generator) -> Bits:
    """[I | A] with A of random bits, (⌊d/2⌋, d): a linear code of full rank, so its words are distinct."""
    if d < 2:
        raise ValueError(f"d must be at least 2, got {d}")
    k = d // 2
    return np.hstack([np.eye(k, dtype=np.int8), rng.integers(0, 2, (k, d - k), dtype=np.int8)])


def words(generator: Bits) -> Bits:
    """All 2^k words of the code, (2^k, d). Raises ValueError for k > MOST_BITS."""
    k = generator.shape[0]
    if k > MOST_BITS:
        raise ValueError(f"generator must have at most {MOST_BITS} rows, got {k}")
    messages = (np.arange(2**k)[:, None] >> np.arange(k)) & 1
    return ((messages @ generator.astype(np.int64)) % 2).astype(np.int8)


def points(code: NDArray[np.int8]) -> Array:
    """The words (K, d) as points of {1/√d, −1/√d}ᵈ."""
    bits("code", code)
    return (1.0 - 2.0 * code.astype(np.float64)) / math.sqrt(code.shape[1])


def least_distance(generator: Bits) -> float:
    """The least Euclidean distance of two points of the packing: 2√(least weight/d)."""
    weights = words(generator)[1:].sum(axis=1, dtype=np.int64)
    return 2.0 * math.sqrt(int(weights.min()) / generator.shape[1])


def radius_count(d: int, epsilon: float) -> int:
    """n* = ⌊d/(20ε)⌋, at least 1: how many copies of a point the datasets of Lemma D.1 hold."""
    checks.positive(epsilon=epsilon)
    checks.whole_number(d=d)
    return max(1, math.floor(d / (20.0 * epsilon)))


def dataset(point: Array, n: int, copies: int) -> Array:
    """min(n, copies) copies of the point and n − copies zero vectors, (n, d)."""
    checks.whole_number(n=n, copies=copies)
    records = np.zeros((n, point.size))
    records[: min(n, copies)] = point
    return records
