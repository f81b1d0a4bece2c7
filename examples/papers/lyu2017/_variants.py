"""The six sparse vector algorithms of Figure 1 of Lyu, Su and Li (2017), for queries of sensitivity Δ = 1.

Each algorithm compares queries q_i(D) with a threshold T: it answers ⊤ where q_i(D) + ν_i ≥ T + ρ, else ⊥.
Laplace noise ρ of the threshold is drawn once (Algorithm 2: again after each ⊤), ν_i afresh for each query.
They differ in the scales, in whether they stop after c answers ⊤, and in what they print in place of ⊤.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

BELOW, ABOVE, STOPPED = 0.0, 1.0, -1.0
"""What stands in an output for ⊥, for ⊤, and for a query that is no longer answered."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What tells the algorithms apart.

    threshold_scale, query_scale  scales of the Laplace noise ρ and ν_i; 0 is no noise.
    stop     the number c of answers ⊤ after which the algorithm stops; None for never.
    redraws  whether ρ is drawn again after each ⊤.
    numeric  whether q_i(D) + ν_i is printed in place of ⊤.
    """

    threshold_scale: float
    query_scale: float
    stop: int | None
    redraws: bool = False
    numeric: bool = False


def algorithm_1(epsilon: float, c: int) -> Variant:
    """Of Lyu et al.: ε₁ = ε₂ = ε/2, ρ of scale 1/ε₁, ν of scale 2c/ε₂."""
    first = epsilon / 2.0
    return Variant(1.0 / first, 2.0 * c / (epsilon - first), c)


def algorithm_1_monotonic(epsilon: float, c: int) -> Variant:
    """Algorithm 1 for queries that all move in one direction: ν of scale c/ε₂."""
    first = epsilon / 2.0
    return Variant(1.0 / first, c / (epsilon - first), c)


def algorithm_2(epsilon: float, c: int) -> Variant:
    """Of Dwork and Roth (2014): ρ of scale c/ε₁, drawn again after each ⊤, ν of scale 2c/ε₁."""
    first = epsilon / 2.0
    return Variant(c / first, 2.0 * c / first, c, redraws=True)


def algorithm_3(epsilon: float, c: int) -> Variant:
    """Of Roth's lecture notes (2011): ν of scale c/ε₂, and the noisy answer in place of ⊤."""
    first = epsilon / 2.0
    return Variant(1.0 / first, c / (epsilon - first), c, numeric=True)


def algorithm_4(epsilon: float, c: int) -> Variant:
    """Of Lee and Clifton (2014): ε₁ = ε/4, and ν of scale 1/ε₂ whatever c is."""
    first = epsilon / 4.0
    return Variant(1.0 / first, 1.0 / (epsilon - first), c)


def algorithm_5(epsilon: float) -> Variant:
    """Of Stoddard, Chen and Machanavajjhala (2014): no noise in the queries, and no stop."""
    return Variant(2.0 / epsilon, 0.0, None)


def algorithm_6(epsilon: float) -> Variant:
    """Of Chen, Xiao, Zhang and Xu (2015): ν of scale 1/ε₂, and no stop."""
    first = epsilon / 2.0
    return Variant(1.0 / first, 1.0 / (epsilon - first), None)


def run(
    variant: Variant, queries: ArrayLike, size: int, rng: np.random.Generator, threshold: float = 0.0
) -> NDArray[np.float64]:
    """`size` independent outputs for the answers q_1(D), …, q_k(D): shape (size, k).

    Raises ValueError where `queries` is not a list of finite numbers.
    """
    answers = np.asarray(queries, dtype=float)
    if answers.ndim != 1 or not np.isfinite(answers).all():
        raise ValueError(f"queries must be a list of finite numbers, got {queries!r}")
    line = threshold + rng.laplace(scale=variant.threshold_scale, size=size)
    noisy = answers + rng.laplace(scale=variant.query_scale, size=(size, len(answers)))
    outputs = np.full(noisy.shape, STOPPED)
    left = np.full(size, np.inf if variant.stop is None else variant.stop)
    for i, value in enumerate(noisy.T):
        running = left > 0
        above = running & (value >= line)
        outputs[running, i] = BELOW
        outputs[above, i] = value[above] if variant.numeric else ABOVE
        left[above] -= 1
        if variant.redraws:
            line[above] = threshold + rng.laplace(scale=variant.threshold_scale, size=int(above.sum()))
    return outputs
