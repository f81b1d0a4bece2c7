"""Phased ERM (Algorithm 4) for convex SCO: regularised problems on fresh users, solved by Algorithm 3."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from implementations.checks import positive, whole_number
from implementations.interfaces import Array
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import Constants, Variant
from implementations.levy2021.first_order import query_budget, run_method, strongly_convex_sgd
from implementations.levy2021.winsorized_mean_highd import highd_failure, highd_plan, winsorized_mean_highd
from implementations.privacy import PrivacyBudget


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
        whole_number(n=self.n, m=self.m, d=self.d)
        positive(epsilon=self.epsilon, sigma=self.sigma, lipschitz=self.lipschitz, diameter=self.diameter)
        if self.epsilon > 1.0 or not 0.0 < self.delta <= 1.0 / self.n**2:
            raise ValueError(
                f"Algorithm 4 needs epsilon ≤ 1 and delta ≤ 1/n² = {1 / self.n**2:.3g}, "
                f"got {self.epsilon} and {self.delta}"
            )

    @property
    def spread(self) -> float:
        """G̃ = σ√d."""
        return self.sigma * math.sqrt(self.d)


def phases(problem: Instance, log_factors: float = 1.0) -> list[Phase]:
    """Lines 1 and 3 of Algorithm 4: T = ⌈log₂(Gn√m ε/(σd))⌉, n_t = n/2^t, λ_t = 4^t λ.

    λ = √(GḠ/(nm) + log_factors·σ²d²/(n²mε²))/R with Ḡ = min{G, σ√d}; log_factors = 1 as printed.
    """
    p = problem
    count = math.ceil(math.log2(p.lipschitz * p.n * math.sqrt(p.m) * p.epsilon / (p.sigma * p.d)))
    least = min(p.lipschitz, p.spread)
    base = (
        math.sqrt(
            p.lipschitz * least / (p.n * p.m)
            + log_factors * (p.sigma * p.d / p.epsilon) ** 2 / (p.n**2 * p.m)
        )
        / p.diameter
    )
    return [Phase(t, int(p.n // 2**t), 4.0**t * base) for t in range(1, max(count, 1) + 1)]


def steps_of_phase(problem: Instance, phase: Phase) -> int:
    """T of Corollary 2 with H + λ_t for H and λ_t for μ: (H/μ)·log(n²m(G/G̃²)μRε²/d), G̃ = σ√d, at least 2.

    With this T the two terms of Theorem 3 (ii), GR·exp(−μT/H) and G̃²d/(μn²mε²), are equal. The argument of
    the logarithm has no unit: neither the unit of the loss nor that of θ changes T.
    """
    p, mu = problem, phase.regulariser
    inside = phase.users**2 * p.m * p.lipschitz / p.spread**2 * mu * p.diameter * p.epsilon**2 / p.d
    return max(2, math.ceil((p.smoothness + mu) / mu * math.log(inside)))


def phase_failure(
    problem: Instance, phase: Phase, tau: float, gamma: float, constants: Variant | Constants = "paper"
) -> float:
    """The β of Theorem 2 for one answer of Algorithm 3 in this phase; 1 where it has no user."""
    if phase.users < 1:
        return 1.0
    steps = steps_of_phase(problem, phase)
    epsilon, delta = query_budget(problem.epsilon, problem.delta, steps, constants)
    plan = highd_plan(phase.users, problem.d, epsilon, delta, tau, problem.lipschitz, gamma, constants)
    return highd_failure(plan, phase.users, gamma)


def feasible_phases(
    problem: Instance,
    tau: float,
    gamma: float,
    failure: float = 0.5,
    constants: Variant | Constants = "paper",
    log_factors: float = 1.0,
) -> list[Phase]:
    """The corrected plan: the printed phases up to the first whose answers fail too often.

    Too often means with probability above `failure`. A later phase has half the users, but a larger λ_t and
    so fewer steps: for H far above λ_t it may fail less often. It is left out all the same, as it starts
    from where the phase before it ends. May be empty.
    """
    kept: list[Phase] = []
    for phase in phases(problem, log_factors):
        if phase_failure(problem, phase, tau, gamma, constants) > failure:
            break
        kept.append(phase)
    return kept


Answer = Callable[[Array, Phase, float, float], Array]
"""(θ (trials, d), phase, ε′, δ′) → a private mean of the phase's loss gradients at θ (trials, d)."""


def run_phases(
    problem: Instance,
    schedule: list[Phase],
    answer: Answer,
    start: Array,
    project: Callable[[Array], Array],
    constants: Variant | Constants = "paper",
) -> Array:
    """The loop of Algorithm 4 with a given way to answer gradient queries: start (trials, d) → (trials, d).

    The gradient of the regulariser, λ_t(θ − θ̂_{t−1}), is public: it is added after the private mean.
    """
    theta = start
    for phase in schedule:
        steps = steps_of_phase(problem, phase)
        epsilon, delta = query_budget(problem.epsilon, problem.delta, steps, constants)
        anchor, mu = theta, phase.regulariser
        method = strongly_convex_sgd(project, problem.smoothness + mu, mu, steps)

        def gradient(
            point: Array, phase: Phase = phase, epsilon: float = epsilon, delta: float = delta,
            anchor: Array = anchor, mu: float = mu,
        ) -> Array:  # fmt: skip
            return answer(point, phase, epsilon, delta) + mu * (point - anchor)

        theta = run_method(method, gradient, theta, steps)
    return theta


def phased_erm(
    problem: Instance,
    user_gradients: Callable[[Array, slice], Array],
    start: Array,
    project: Callable[[Array], Array],
    concentration: Concentration,
    rng: np.random.Generator,
    *,
    schedule: list[Phase] | None = None,
    constants: Variant | Constants = "paper",
) -> Array:
    """Algorithm 4: start (trials, d) → final points (trials, d).

    It is (ε, δ)-DP in one user, who serves in one phase.

    user_gradients  (θ (trials, d), users) → mean loss gradients of these users (trials, len, d), without
                    regulariser.
    concentration   of the users' gradients, uniform in θ; its bound is the Lipschitz constant of the problem.
    schedule        the phases; None takes the printed ones.

    Raises ValueError where the bound is another number, or where a phase has no user, or too few for
    `failure` (the message names the number).
    """
    if concentration.bound != problem.lipschitz:
        raise ValueError(
            f"bound must be the Lipschitz constant {problem.lipschitz:g} of the problem, "
            f"got {concentration.bound:g}"
        )
    plan = phases(problem) if schedule is None else schedule
    empty = [p.number for p in plan if p.users < 1]
    if empty:
        raise ValueError(f"n = {problem.n} users leave none for phase {empty[0]} of {len(plan)}: n/2^t < 1")
    first = dict(
        zip((p.number for p in plan), np.cumsum([0, *(p.users for p in plan)]).tolist(), strict=False)
    )

    def answer(theta: Array, phase: Phase, epsilon: float, delta: float) -> Array:
        users = slice(first[phase.number], first[phase.number] + phase.users)
        return winsorized_mean_highd(
            user_gradients(theta, users), PrivacyBudget(epsilon, delta), concentration, rng,
            constants=constants,
        )  # fmt: skip

    return run_phases(problem, plan, answer, start, project, constants)
