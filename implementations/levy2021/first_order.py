"""Winsorized first-order optimisation (Algorithm 3) over an abstract method {Query, Update, Aggregate}.

The methods are reconstructed: Algorithm 7 and Proposition 4 stand in an appendix that was not at hand. They
are standard: averaged projected SGD with the step of Bubeck (2014), Theorem 6.3; SGD for strongly convex
losses with a constant step followed by a decaying one (Kulunchakov and Mairal 2020); SGD with a constant
step and a random iterate for non-convex losses (Davis and Drusvyatskiy 2019)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from implementations.checks import non_negative, positive, probability, whole_number
from implementations.interfaces import Array
from implementations.levy2021.composition import optimal_query_budget, printed_query_budget
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import Constants, Variant, constants_of
from implementations.levy2021.winsorized_mean_highd import winsorized_mean_highd
from implementations.privacy import PrivacyBudget


@dataclass(frozen=True, slots=True)
class State:
    """What a method carries from step to step: the step count and the iterate (trials, d)."""

    step: int
    theta: Array


@dataclass(frozen=True, slots=True)
class Method:
    """An abstract first-order method: its three routines, vectorised over trials.

    query      state → the point (trials, d) at which the next gradient is asked.
    update     (state, gradient) → the next state.
    aggregate  all states o₀, …, o_T → the final point (trials, d).
    """

    query: Callable[[State], Array]
    update: Callable[[State, Array], State]
    aggregate: Callable[[Sequence[State]], Array]


def _step(project: Callable[[Array], Array], size: Callable[[int], float]) -> Callable[[State, Array], State]:
    def update(state: State, gradient: Array) -> State:
        return State(state.step + 1, project(state.theta - size(state.step) * gradient))

    return update


def averaged_sgd(
    project: Callable[[Array], Array], smoothness: float, diameter: float, noise: float, steps: int
) -> Method:
    """Projected SGD for convex H-smooth losses: step 1/(H + ν√T/(R√2)), mean of θ₁ … θ_T.

    Excess risk at most HR²/T + Rν√(2/T) (Bubeck 2014, Theorem 6.3). noise: ν, root of the gradient variance.
    """
    positive(diameter=diameter)
    whole_number(steps=steps)
    size = 1.0 / (smoothness + noise * math.sqrt(steps / 2.0) / diameter)
    return Method(
        query=lambda state: state.theta,
        update=_step(project, lambda _: size),
        aggregate=lambda states: np.mean([s.theta for s in states[1:]], axis=0),
    )


def projected_sgd(project: Callable[[Array], Array], size: float) -> Method:
    """Projected SGD with a constant step, last iterate."""
    positive(size=size)
    return Method(
        query=lambda state: state.theta,
        update=_step(project, lambda _: size),
        aggregate=lambda states: states[-1].theta,
    )


def strongly_convex_sgd(
    project: Callable[[Array], Array], smoothness: float, strong_convexity: float, steps: int
) -> Method:
    """Projected SGD for μ-strongly convex H-smooth losses: excess Õ(GR e^{−μT/(2H)} + ν²/(μT)).

    Step 1/H in the first half, then 2/(μ(s + 2H/μ)) in step s of the second half, whose iterates are
    averaged with weights s + 2H/μ.
    """
    positive(smoothness=smoothness, strong_convexity=strong_convexity)
    whole_number(steps=steps)
    if strong_convexity > smoothness:
        raise ValueError(
            f"strong_convexity must be at most smoothness = {smoothness}, got {strong_convexity}"
        )
    half, shift = steps // 2, 2.0 * smoothness / strong_convexity

    def size(t: int) -> float:
        return 1.0 / smoothness if t < half else 2.0 / (strong_convexity * (t - half + shift))

    def aggregate(states: Sequence[State]) -> Array:
        tail = states[half + 1 :]
        weights = np.arange(len(tail)) + shift
        return np.einsum("t,t...->...", weights / weights.sum(), np.array([s.theta for s in tail]))

    return Method(query=lambda state: state.theta, update=_step(project, size), aggregate=aggregate)


def nonconvex_sgd(
    project: Callable[[Array], Array],
    smoothness: float,
    gap: float,
    noise: float,
    steps: int,
    rng: np.random.Generator,
) -> Method:
    """Projected SGD for H-smooth losses, a uniformly random iterate.

    E‖gradient mapping‖² = O(HΔ/T + √(HΔν²/T)).
    gap: Δ, a bound on F(θ₀) − inf F. Step min(1/(2H), √(Δ/(Hν²T))) (Davis and Drusvyatskiy 2019).
    """
    positive(smoothness=smoothness, gap=gap)
    non_negative(noise=noise)
    whole_number(steps=steps)
    size = 1.0 / (2.0 * smoothness)
    if noise > 0.0:
        size = min(size, math.sqrt(gap / (smoothness * noise**2 * steps)))

    def aggregate(states: Sequence[State]) -> Array:
        path = np.array([s.theta for s in states[:-1]])
        return path[rng.integers(0, len(path), size=path.shape[1]), np.arange(path.shape[1])]

    return Method(query=lambda state: state.theta, update=_step(project, lambda _: size), aggregate=aggregate)


def run_method(method: Method, answer: Callable[[Array], Array], start: Array, steps: int) -> Array:
    """Lines 3 to 9 of Algorithm 3 with `answer(θ)` for the gradient at θ: start (trials, d) → (trials, d)."""
    states = [State(0, start)]
    for _ in range(steps):
        states.append(method.update(states[-1], answer(method.query(states[-1]))))
    return method.aggregate(states)


def query_budget(
    epsilon: float, delta: float, queries: int, constants: Variant | Constants = "paper"
) -> tuple[float, float]:
    """(ε′, δ′) of one of T queries: as printed, or by the optimal composition where the constants say so."""
    split = printed_query_budget if constants_of(constants).composition == "paper" else optimal_query_budget
    return split(epsilon, delta, queries)


def winsorized_first_order(
    user_gradients: Callable[[Array], Array],
    method: Method,
    start: Array,
    steps: int,
    budget: PrivacyBudget,
    concentration: Concentration,
    rng: np.random.Generator,
    *,
    constants: Variant | Constants = "paper",
) -> Array:
    """Algorithm 3, (ε, δ)-DP in one user for ε ≤ 1: start (trials, d) → final points (trials, d).

    user_gradients  θ (trials, d) → the mean gradient of each user (trials, n, d), entries in
                    [−bound, bound].
    concentration   of the users' gradients, uniform in θ (Proposition 1); its bound is the Lipschitz
                    constant, its failure that of a single step.

    Raises ValueError for bad parameters, ε > 1, gradients beyond the bound, or too few users for `failure`.
    """
    whole_number(steps=steps)
    epsilon, delta = budget.epsilon, budget.delta
    probability(delta=delta)
    if epsilon > 1.0:
        raise ValueError(f"epsilon must be at most 1, where the split of the budget is proved, got {epsilon}")
    step = PrivacyBudget(*query_budget(epsilon, delta, steps, constants))

    def answer(theta: Array) -> Array:
        return winsorized_mean_highd(user_gradients(theta), step, concentration, rng, constants=constants)

    return run_method(method, answer, start, steps)
