"""User-level DP-SCO for strongly convex losses (Algorithm 3 of asi2024): Algorithm 2 on ever more users.

The parameters stand in the proof of Theorem 4.11. What the text leaves open, and what stands here:

* *The logarithm* of k = ⌈log log mn⌉: natural by default; the proof needs (mn)^{1/2^k} ≤ 2, which is the
  binary one.
* *n_i = n/2^{k+1−i}* is rounded down. The last dataset has n/2 users; n/2^k users serve nowhere.
* *C > 2*, "the constant hidden in Theorem 4.1", is an argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from implementations.asi2024.dp_sgd import (
    Output,
    Parameters,
    UserGradients,
    dp_sgd,
    mean_plan,
    printed_parameters,
)
from implementations.checks import one_of, positive, probability
from implementations.interfaces import Array
from implementations.privacy import PrivacyBudget

LOGARITHMS = {"natural": math.log, "binary": math.log2}


def phase_count(n: int, m: int, logarithm: str = "natural") -> int:
    """k = ⌈log log mn⌉, at least 1 (line 2)."""
    positive(n=n, m=m)
    one_of(LOGARITHMS, logarithm=logarithm)
    log = LOGARITHMS[logarithm]
    inner = log(n * m)
    return max(1, math.ceil(log(inner))) if inner > 1.0 else 1


def phase_users(n: int, phases: int) -> list[int]:
    """n_i = n/2^{k+1−i} for i = 1..k, rounded down (line 3)."""
    positive(n=n, phases=phases)
    return [n >> (phases + 1 - i) for i in range(1, phases + 1)]


@dataclass(frozen=True, slots=True)
class Target:
    """E_i and D_i of the proof of Theorem 4.11, for i = 0..k (index 0 belongs to n_0 = n/2^{k+1} users)."""

    optimal: tuple[float, ...]
    reached: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LossClass:
    """Losses with Lipschitz constant G and strong convexity μ, both positive; ValueError otherwise."""

    lipschitz: float
    strong_convexity: float

    def __post_init__(self) -> None:
        positive(lipschitz=self.lipschitz, strong_convexity=self.strong_convexity)


def targets(
    n: int,
    m: int,
    d: int,
    budget: PrivacyBudget,
    losses: LossClass,
    phases: int,
    *,
    constant: float = 2.0,
) -> Target:
    """E_i = (4C²G²/μ)(1/(n_i m) + d·log²(n_i dm/δ)/(n_i²ε²m)), D_i = 16E_i·((2G²/μ)/(16E_0))^{1/2^i}."""
    epsilon, delta = budget.epsilon, budget.delta
    lipschitz, strong_convexity = losses.lipschitz, losses.strong_convexity
    positive(constant=constant)
    probability(delta=delta)
    scale = 4.0 * constant**2 * lipschitz**2 / strong_convexity
    users = [n / 2.0 ** (phases + 1 - i) for i in range(phases + 1)]
    optimal = tuple(
        scale * (1.0 / (k * m) + d * math.log(k * d * m / delta) ** 2 / (k * epsilon) ** 2 / m) for k in users
    )
    first = 2.0 * lipschitz**2 / strong_convexity / (16.0 * optimal[0])
    return Target(optimal, tuple(16.0 * e * first ** (0.5**i) for i, e in enumerate(optimal)))


@dataclass(frozen=True, slots=True)
class Phase:
    """One round: the users [first, first + users), and the parameters of its Algorithm 2."""

    first: int
    users: int
    parameters: Parameters


def schedule(
    n: int,
    m: int,
    d: int,
    budget: PrivacyBudget,
    losses: LossClass,
    *,
    constant: float = 2.0,
    logarithm: str = "natural",
    steps: Callable[[int], int] | None = None,
) -> list[Phase]:
    """Lines 2 to 5 with R̂_j = √(2D_{j−1}/μ) and the setting of Theorem 4.1 for n_j users.

    steps  n_j → T_j in place of the printed number. Raises ValueError where a phase has no user.
    """
    k = phase_count(n, m, logarithm)
    sizes = phase_users(n, k)
    if sizes[0] < 1:
        raise ValueError(f"n = {n} users leave none for the first of {k} phases: n/2^k < 1")
    lipschitz, strong_convexity = losses.lipschitz, losses.strong_convexity
    goal = targets(n, m, d, budget, losses, k, constant=constant)
    plan: list[Phase] = []
    first = 0
    for users, before in zip(sizes, goal.reached, strict=False):
        setting = printed_parameters(
            users, m, d, budget, lipschitz, math.sqrt(2.0 * before / strong_convexity),
            steps=None if steps is None else steps(users),
        )  # fmt: skip
        plan.append(Phase(first, users, setting))
        first += users
    return plan


def localised_sgd(
    user_gradients: Callable[[Phase], UserGradients],
    phases: Sequence[Phase],
    start: Array,
    m: int,
    budget: PrivacyBudget,
    project: Callable[[Array], Array],
    rng: np.random.Generator,
    *,
    average: str = "before",
) -> Output:
    """Lines 4 to 7: Algorithm 2 on the users of each phase, each started where the last one ended.

    user_gradients  phase → gradients of its users, near θ within the phase's smoothing radius.
    Each user serves in one phase, so that (ε, δ) of a phase is (ε, δ) of the whole.
    """
    epsilon, delta = budget.epsilon, budget.delta
    theta, running = np.array(start, dtype=float), np.ones(np.shape(start)[0], dtype=bool)
    for phase in phases:
        plan = mean_plan(phase.users, m, theta.shape[1], epsilon, delta, phase.parameters)
        out = dp_sgd(user_gradients(phase), theta, plan, phase.parameters, project, rng, average=average)
        theta, running = out.theta, running & out.running
    return Output(theta, running)
