"""Phased ERM (Algorithm 4): regularised problems on fresh users, each solved by Algorithm 3, for convex SCO."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from implementations.interfaces import Array
from implementations.levy2021._check import positive
from implementations.levy2021.constants import Constants, Variant
from implementations.levy2021.first_order import strongly_convex_sgd, winsorized_first_order


@dataclass(frozen=True, slots=True)
class Phase:
    """One round: n_t users, regulariser λ_t; both as printed (n_t is rounded down)."""

    number: int
    users: int
    regulariser: float


@dataclass(frozen=True, slots=True)
class Instance:
    """The parameters of the SCO problem: n users with m samples, dimension d, budget, σ, G, H, R."""

    n: int
    m: int
    d: int
    epsilon: float
    delta: float
    sigma: float
    lipschitz: float
    smoothness: float
    diameter: float

    def __post_init__(self) -> None:
        positive(n=self.n, m=self.m, d=self.d, epsilon=self.epsilon, sigma=self.sigma)
        positive(lipschitz=self.lipschitz, diameter=self.diameter)
        if self.epsilon > 1.0 or not 0.0 < self.delta <= 1.0 / self.n**2:
            raise ValueError(
                f"Algorithm 4 needs epsilon ≤ 1 and delta ≤ 1/n² = {1 / self.n**2:.3g}, "
                f"got {self.epsilon} and {self.delta}"
            )

    @property
    def spread(self) -> float:
        """G̃ = σ√d."""
        return self.sigma * math.sqrt(self.d)


def phases(problem: Instance) -> list[Phase]:
    """Lines 1 and 3 of Algorithm 4: T = ⌈log₂(Gn√m ε/(σd))⌉, n_t = n/2^t, λ_t = 4^t λ.

    λ = √(GḠ/(nm) + σ²d²/(n²mε²))/R with Ḡ = min{G, σ√d}.
    """
    p = problem
    count = math.ceil(math.log2(p.lipschitz * p.n * math.sqrt(p.m) * p.epsilon / (p.sigma * p.d)))
    least = min(p.lipschitz, p.spread)
    base = (
        math.sqrt(p.lipschitz * least / (p.n * p.m) + (p.sigma * p.d / p.epsilon) ** 2 / (p.n**2 * p.m)) / p.diameter
    )
    return [Phase(t, int(p.n // 2**t), 4.0**t * base) for t in range(1, max(count, 1) + 1)]


def steps_of_phase(problem: Instance, phase: Phase) -> int:
    """T of Corollary 2 with H + λ_t for H and λ_t for μ: (H/μ) log(n²m (G/G̃) μ R ε²/d), at least 2."""
    p, mu = problem, phase.regulariser
    inside = phase.users**2 * p.m * (p.lipschitz / p.spread) * mu * p.diameter * p.epsilon**2 / p.d
    return max(2, math.ceil((p.smoothness + mu) / mu * math.log(max(inside, 2.0))))


def phased_erm(
    problem: Instance,
    user_gradients: Callable[[Array, slice], Array],
    start: Array,
    project: Callable[[Array], Array],
    tau: float,
    gamma: float,
    rng: np.random.Generator,
    *,
    plan: list[Phase] | None = None,
    constants: Variant | Constants = "paper",
    failure: float | None = None,
) -> Array:
    """Algorithm 4: start (trials, d) → final points (trials, d); (ε, δ)-DP in one user, who serves in one phase.

    user_gradients  (θ (trials, d), users) → mean loss gradients of these users (trials, len, d), without regulariser.
    tau, gamma      uniform concentration of the users' gradients. The gradient of the regulariser is known to all users,
                    so that it is added after the private mean.
    plan            the phases; None takes the printed ones.

    Raises ValueError where a phase has no user, or too few for `failure` (the message names the number).
    """
    schedule = phases(problem) if plan is None else plan
    empty = [p.number for p in schedule if p.users < 1]
    if empty:
        raise ValueError(f"n = {problem.n} users leave none for phase {empty[0]} of {len(schedule)}: n_t = n/2^t < 1")
    theta, used = start, 0
    for phase in schedule:
        users = slice(used, used + phase.users)
        used += phase.users
        steps = steps_of_phase(problem, phase)
        anchor, mu = theta, phase.regulariser
        method = strongly_convex_sgd(project, problem.smoothness + mu, mu, steps)

        def regularised(state_update: Callable, anchor: Array = anchor, mu: float = mu) -> Callable:
            return lambda state, g: state_update(state, g + mu * (state.theta - anchor))

        method = type(method)(method.query, regularised(method.update), method.aggregate)
        theta = winsorized_first_order(
            lambda point, users=users: user_gradients(point, users),
            method, theta, steps, problem.epsilon, problem.delta, tau, problem.lipschitz, gamma, rng,
            constants=constants, failure=failure,
        )  # fmt: skip
    return theta
