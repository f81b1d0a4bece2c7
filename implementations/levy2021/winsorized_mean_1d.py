"""WinsorizedMean1D: clip to a private interval of length ∝ τ, average, add Laplace noise (Algorithm 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from implementations.checks import positive, probability
from implementations.interfaces import Array
from implementations.levy2021.constants import Constants, Variant, constants_of
from implementations.levy2021.private_range import bins_for, miss_probability, private_range, range_law


def noise_scale(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """Laplace scale |b − a| / (n · share of ε): 8τ/(nε) as printed."""
    return constants_of(constants).noise * tau / (n * epsilon)


def failure_probability(
    n: int, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> float:
    """The β of Theorem 1 without γ: (B/τ) exp(−nε/8) as printed, capped at 1."""
    return miss_probability(n, constants_of(constants).range_share * epsilon, tau, bound, constants)


def users_needed(
    failure: float, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> int:
    """The least n with `failure_probability` ≤ failure.

    >>> n = users_needed(1e-6, 1.0, 1.0, 1024.0)
    >>> failure_probability(n, 1.0, 1.0, 1024.0) <= 1e-6 < failure_probability(n - 1, 1.0, 1.0, 1024.0)
    True
    """
    probability(failure=failure)
    positive(epsilon=epsilon)
    bins = bins_for(tau, bound, constants).count
    return math.ceil(4.0 * math.log(bins / failure) / (constants_of(constants).range_share * epsilon))


def winsorized_mean_1d(
    x: Array,
    epsilon: float,
    tau: float,
    bound: float,
    rng: np.random.Generator,
    *,
    constants: Variant | Constants = "paper",
    failure: float | None = None,
) -> Array:
    """Algorithm 1, ε-DP in one user: one private mean for each dataset of a batch, x (…, n) → (…).

    tau      radius of an unknown interval that holds the data; bound: a known one, |x| ≤ bound.
    failure  if given, the greatest probability that the interval may miss the data (β of Theorem 1).

    Raises ValueError for bad parameters, points outside [−bound, bound], or too few users for `failure`
    (the message names the number that would do).
    """
    c = constants_of(constants)
    n = x.shape[-1]
    positive(epsilon=epsilon)
    if failure is not None and failure_probability(n, epsilon, tau, bound, c) > failure:
        needed = users_needed(failure, epsilon, tau, bound, c)
        raise ValueError(f"n = {n} users fail with probability above {failure:g}; n = {needed} would do")
    low, high = private_range(x, c.range_share * epsilon, tau, bound, rng, c)
    mean = np.minimum(np.maximum(x, low[..., None]), high[..., None]).mean(axis=-1)
    return mean + rng.laplace(0.0, noise_scale(n, epsilon, tau, c), size=mean.shape)


@dataclass(frozen=True, slots=True)
class LaplaceMixture:
    """Σ weights·Lap(centres, scale): the exact law of Algorithm 1; weights and centres (k,)."""

    weights: Array
    centres: Array
    scale: float


def winsorized_mean_1d_law(
    x: Array, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> LaplaceMixture:
    """The exact output law of Algorithm 1 on one dataset x (n,): one Laplace for each of ≤ 2²⁰ bins."""
    c = constants_of(constants)
    centre, log_probability = range_law(x, c.range_share * epsilon, tau, bound, c).enumerate()
    reach = c.half_length * tau
    clipped = np.clip(x[None, :], centre[:, None] - reach, centre[:, None] + reach)
    return LaplaceMixture(np.exp(log_probability), clipped.mean(axis=1), noise_scale(x.size, epsilon, tau, c))
