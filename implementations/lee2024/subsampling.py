"""The reduction of Lemma 3.5 of Lee, Liu and Lu (2024): run an algorithm on a random part of the dataset.

Each record is kept with probability ε, independently ("secrecy of the sample", Kasiviswanathan et al. 2011).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from implementations.interfaces import Array


def subsampled(
    algorithm: Callable[[Any, np.random.Generator], Any], data: Array, rate: float, rng: np.random.Generator
) -> Any:
    """A′: run the algorithm on the records that survive, each with probability `rate`."""
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate must be in (0, 1], got {rate}")
    return algorithm(data[rng.random(len(data)) < rate], rng)


def exact_law(
    law: Callable[[tuple[int, ...]], dict[Any, float]], data: tuple[int, ...], rate: float
) -> dict[Any, float]:
    """The output law of A′ on a small dataset, by adding up over all 2ⁿ samples.

    law  the output law of the base algorithm on a dataset of any size, as probabilities by outcome.
    Raises ValueError for more than 20 records or a rate outside (0, 1].
    """
    n = len(data)
    if n > 20:
        raise ValueError(f"data must hold at most 20 records, got {n}")
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate must be in (0, 1], got {rate}")
    total: dict[Any, float] = {}
    for mask in range(2**n):
        sample = tuple(record for i, record in enumerate(data) if mask >> i & 1)
        weight = rate ** len(sample) * (1.0 - rate) ** (n - len(sample))
        for outcome, probability in law(sample).items():
            total[outcome] = total.get(outcome, 0.0) + weight * probability
    return total
