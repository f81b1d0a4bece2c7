"""WinsorizedMeanHighD: rotate at random, run Algorithm 1 on each coordinate, rotate back (Algorithm 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from implementations.checks import positive, probability, whole_number, within
from implementations.hadamard import hadamard_transform, next_power_of_two
from implementations.interfaces import Array
from implementations.levy2021.composition import printed_coordinate_epsilon
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import Constants, Variant, constants_of
from implementations.levy2021.winsorized_mean_1d import (
    failure_probability,
    noise_scale,
    users_needed,
    winsorized_mean_1d,
)
from implementations.privacy import PrivacyBudget, largest_step_epsilon


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters that Algorithm 2 hands to Algorithm 1 for each of its coordinates.

    dimension  D, the least power of two that is at least d: d in every formula of the algorithm.
    epsilon    ε′ of one coordinate.   tau   τ′, the radius of one rotated coordinate.
    bound      √D·B, a bound on the rotated coordinates.
    """

    dimension: int
    epsilon: float
    tau: float
    bound: float
    constants: Constants


def highd_plan(
    n: int,
    d: int,
    epsilon: float,
    delta: float,
    tau: float,
    bound: float,
    gamma: float,
    constants: Variant | Constants = "paper",
) -> Plan:
    """Lines 3 of Algorithm 2: ε′ = ε/√(8D log(1/δ)), τ′ = 10τ √(log(Dn/γ)/D) as printed.

    Raises ValueError for a parameter that is not positive, or δ, γ outside (0, 1).
    """
    whole_number(n=n, d=d)
    positive(epsilon=epsilon, tau=tau, bound=bound)
    probability(delta=delta, gamma=gamma)
    c = constants_of(constants)
    dimension = next_power_of_two(d)
    if c.rotation == "paper":
        radius = 10.0 * tau * math.sqrt(math.log(dimension * n / gamma) / dimension)
    else:  # 2 exp(−τ′²D/(2τ²)) for one coordinate of one user, nD of them
        radius = tau * math.sqrt(2.0 * math.log(2.0 * dimension * n / gamma) / dimension)
    split = printed_coordinate_epsilon if c.composition == "paper" else largest_step_epsilon
    return Plan(dimension, split(epsilon, delta, dimension), radius, math.sqrt(dimension) * bound, c)


def highd_failure(plan: Plan, n: int, gamma: float) -> float:
    """2γ + D·β(ε′, τ′, √D·B): the β of Theorem 2 before its rounding (a union over the coordinates)."""
    one = failure_probability(n, plan.epsilon, plan.tau, plan.bound, plan.constants)
    return min(1.0, 2.0 * gamma + plan.dimension * one)


def highd_variance(plan: Plan, n: int) -> float:
    """Sum over all D coordinates of the Laplace variance 2·scale² (Theorem 2 bounds this)."""
    return 2.0 * plan.dimension * noise_scale(n, plan.epsilon, plan.tau, plan.constants) ** 2


def winsorized_mean_highd(
    x: Array,
    budget: PrivacyBudget,
    concentration: Concentration,
    rng: np.random.Generator,
    *,
    constants: Variant | Constants = "paper",
) -> Array:
    """Algorithm 2, (ε, δ)-DP in one user: one private mean for each dataset of a batch, x (…, n, d) → (…, d).

    concentration  the data lie within ℓ₂ distance τ of one point with probability 1 − γ, and |x| ≤ bound in
                   every coordinate.

    A dimension that is no power of two is padded with zeros. Raises ValueError for bad parameters, points
    outside [−bound, bound]^d, or too few users for `failure` (the message names the number that would do).
    """
    n, d = x.shape[-2:]
    epsilon, delta = budget.epsilon, budget.delta
    tau, bound, gamma = concentration.tau, concentration.bound, concentration.gamma
    failure = concentration.failure
    plan = highd_plan(n, d, epsilon, delta, tau, bound, gamma, constants)
    within(bound, x=x)
    if failure is not None and highd_failure(plan, n, gamma) > failure:
        raise ValueError(
            f"n = {n} users fail with probability above {failure:g}; "
            f"{_users_needed(d, epsilon, delta, tau, bound, gamma, failure, plan)} would do"
        )
    padded = x
    if d < plan.dimension:
        padded = np.zeros((*x.shape[:-1], plan.dimension))
        padded[..., :d] = x
    signs = 2.0 * rng.integers(0, 2, size=(*x.shape[:-2], plan.dimension)) - 1.0
    rotated = hadamard_transform(padded * signs[..., None, :])
    mean = winsorized_mean_1d(
        np.ascontiguousarray(np.swapaxes(rotated, -1, -2)),
        plan.epsilon,
        plan.tau,
        plan.bound * (1.0 + 1e-9),  # rounding of the transform
        rng,
        constants=plan.constants,
    )
    return (hadamard_transform(mean) * signs)[..., :d]


def noisy_mean(mean: Array, plan: Plan, n: int, rng: np.random.Generator) -> Array:
    """A′ of Theorem 2: the exact mean plus the noise of Algorithm 2, mean (…, d) → (…, d).

    `winsorized_mean_highd` is β-close to it; it costs nothing in n.
    """
    d = mean.shape[-1]
    noise = rng.laplace(
        0.0, noise_scale(n, plan.epsilon, plan.tau, plan.constants), (*mean.shape[:-1], plan.dimension)
    )
    signs = 2.0 * rng.integers(0, 2, size=noise.shape) - 1.0
    return mean + (hadamard_transform(noise) * signs)[..., :d]


def _users_needed(
    d: int, epsilon: float, delta: float, tau: float, bound: float, gamma: float, failure: float, plan: Plan
) -> str:
    if failure <= 2.0 * gamma:
        return f"no n does, because failure = {failure:g} ≤ 2γ = {2 * gamma:g}; a smaller γ"
    n = 1
    for _ in range(50):  # τ′ grows with log n, so this is monotone and settles at once
        plan = highd_plan(n, d, epsilon, delta, tau, bound, gamma, plan.constants)
        allowed = (failure - 2.0 * gamma) / plan.dimension
        needed = users_needed(allowed, plan.epsilon, plan.tau, plan.bound, plan.constants)
        if needed <= n:
            break
        n = needed
    return f"n = {n}"
