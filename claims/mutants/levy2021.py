"""The planted bugs of levy2021 that are functions, not a changed text of the reference."""

from __future__ import annotations

import math

import numpy as np

from implementations.interfaces import Array
from implementations.levy2021 import phased_erm, private_range
from implementations.levy2021.constants import Constants, Variant, constants_of

_phases_reference = phased_erm.phases
_range_law_reference = private_range.range_law


def no_composition(epsilon: float, delta: float, d: int) -> float:
    """The reference without √d: every coordinate spends as if it were alone."""
    return epsilon / math.sqrt(8.0 * math.log(1.0 / delta))


def no_query_composition(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """The reference without √T: every answer spends as if it were alone."""
    return epsilon / (2.0 * math.sqrt(2.0 * math.log(2.0 / delta))), delta / (2.0 * queries)


def best_of_geometric(probabilities: Array, stop: float) -> Array:
    """Law of the best of exactly ⌈1/stop⌉ draws."""
    draws = np.ceil(1.0 / stop)
    tail = np.concatenate((np.cumsum(np.asarray(probabilities)[::-1])[::-1], [0.0]))
    return tail[:-1] ** draws - tail[1:] ** draws


def slow_in_users(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference with √n for n, equal to it at n = 1000."""
    return constants_of(constants).noise * tau / (math.sqrt(1000.0 * n) * epsilon)


def no_epsilon(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference at ε = 0.01, whatever ε is."""
    return constants_of(constants).noise * tau / (n * 0.01)


def no_samples(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference at τ = 1: noise that does not know how many samples a user has."""
    return constants_of(constants).noise / (n * epsilon)


def half_noise(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference for a sensitivity of 2τ/n."""
    return 0.5 * constants_of(constants).noise * tau / (n * epsilon)


def double_noise(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference with twice the noise."""
    return 2.0 * constants_of(constants).noise * tau / (n * epsilon)


def phases(problem: phased_erm.Instance, log_factors: float = 1.0) -> list[phased_erm.Phase]:
    """The reference with n/t users in phase t."""
    return [
        phased_erm.Phase(p.number, problem.n // p.number, p.regulariser)
        for p in _phases_reference(problem, log_factors)
    ]


def range_law(
    x: Array, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> private_range.RangeLaw:
    """The reference with exp(−ε c) for exp(−ε c/2)."""
    return _range_law_reference(x, 2.0 * epsilon, tau, bound, constants)


def bins_one_by_one(
    x: Array, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> private_range.RangeLaw:
    """The reference with a segment for each bin."""
    law = _range_law_reference(x, epsilon, tau, bound, constants)
    bins = np.arange(law.bins.first, law.bins.last + 1)
    return private_range.RangeLaw(law.bins, bins, np.ones_like(bins), law.enumerate()[1])


def samples_given_means(means: Array, m: int, sd: float, rng: np.random.Generator) -> Array:
    """Samples around the mean, not given the mean."""
    return means[..., None, :] + sd * rng.standard_normal((*means.shape[:-1], m, means.shape[-1]))
