"""DP-SGD for user-level privacy (Algorithm 2 of asi2024): SGD on smoothed losses, gradients from Algorithm 1.

What the text leaves open, and what stands here:

* *The first iterate.* The input is θ₀, the loop starts with a query at θ₁, which is never set. θ₁ = θ₀
  here, so the printed output is the mean of θ₁ = θ₀, …, θ_T and the last answer is not used:
  `average="before"`. The proof of Theorem 4.1 asks at θ_{t−1}, and Proposition 4.10 averages x₂, …,
  x_{T+1}: `average="after"`.
* *One run of Algorithm 1 or one a step.* Line 4 says "Run Algorithm 1 with query q_t" inside the loop. The
  proof has variance ∝ T and the privacy of one run of T queries: `instance="one"`. `instance="fresh"` is
  one threshold a step with the noise of T queries; Algorithm 1 with T = 1 at every step would be a plan of
  one query.
* *On halting* the output is θ₀, whatever the iterates were before (lines 9 to 12).
* *The points y_j of the smoothing* carry the index of the item only. Fresh for each user and item is
  `shared=False` in `smoothed_gradients`; `shared=True` has one y_j for the j-th item of all users. Both are
  drawn anew at each step.
* *The step size* is printed with √(mnε) under one root in section 4 and with √m·nε in the proof of Theorem
  4.11: `root="whole"` and `root="m"`; only the second gives the printed rate.
* *T = O(m²n² + mn√d)*: the constant is 1 and T is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from implementations.asi2024.outlier_removal import OutlierRemovingMean, Plan, Query, printed_plan
from implementations.asi2024.smoothing import sample_ball
from implementations.checks import one_of, positive, probability
from implementations.interfaces import Array
from implementations.privacy import PrivacyBudget

AVERAGES = ("before", "after")
ROOTS = ("m", "whole")

UserGradients = Callable[[Array], Array | Query]
"""θ (trials, d) → each user's mean gradient near θ, (trials, n, d), or a query looked at before."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What Theorem 4.1 sets: steps T, step size η, smoothing radius r, concentration radius τ."""

    steps: int
    step_size: float
    radius: float
    tau: float

    def __post_init__(self) -> None:
        positive(steps=self.steps, step_size=self.step_size, radius=self.radius, tau=self.tau)


def printed_steps(n: int, m: int, d: int) -> int:
    """T = m²n² + mn√d, rounded up."""
    positive(n=n, m=m, d=d)
    return math.ceil((m * n) ** 2 + m * n * math.sqrt(d))


def printed_parameters(
    n: int,
    m: int,
    d: int,
    budget: PrivacyBudget,
    lipschitz: float,
    distance: float,
    *,
    steps: int | None = None,
    root: str = "m",
) -> Parameters:
    """The setting of Theorem 4.1; `distance` is R̂, `steps` a stated T in place of the printed one.

    r = d^{1/4}R̂/√T, η = (R̂/G)·min{√m·nε/(T√d·log(mnd/δ)), T^{−3/4}, √(nm)/T}, τ = G·log(ndm·e^ε·T/δ)/√m.
    """
    epsilon, delta = budget.epsilon, budget.delta
    positive(lipschitz=lipschitz, distance=distance)
    probability(delta=delta)
    one_of(ROOTS, root=root)
    t = printed_steps(n, m, d) if steps is None else steps
    positive(steps=t)
    signal = math.sqrt(m) * n * epsilon if root == "m" else math.sqrt(m * n * epsilon)
    private = signal / (t * math.sqrt(d) * (math.log(m * n * d) - math.log(delta)))
    return Parameters(
        steps=t,
        step_size=distance / lipschitz * min(private, t**-0.75, math.sqrt(n * m) / t),
        radius=d**0.25 * distance / math.sqrt(t),
        tau=lipschitz * (math.log(n * d * m * t) - math.log(delta) + epsilon) / math.sqrt(m),
    )


def mean_plan(n: int, m: int, d: int, epsilon: float, delta: float, parameters: Parameters) -> Plan:
    """Line 4: Algorithm 1 for T queries with privacy (ε, δ/(2Tmnd)) and radius τ."""
    t = parameters.steps
    return printed_plan(n, t, epsilon, delta / (2.0 * t * m * n * d), parameters.tau)


@dataclass(frozen=True, slots=True)
class Output:
    """θ̂ (trials, d), θ₀ where a run halted; running (trials,) says which runs did not halt."""

    theta: Array
    running: NDArray[np.bool_]


def dp_sgd(
    user_gradients: UserGradients,
    start: Array,
    plan: Plan,
    parameters: Parameters,
    project: Callable[[Array], Array],
    rng: np.random.Generator,
    *,
    average: str = "before",
    instance: str = "one",
) -> Output:
    """Algorithm 2 from θ₀ = start (trials, d), one row a run.

    plan  Algorithm 1's numbers, `mean_plan` as printed. Its T must be at least parameters.steps.
    project  Π, the Euclidean projection onto Θ, row by row.
    """
    one_of(AVERAGES, average=average)
    theta = np.array(start, dtype=float)
    if theta.ndim != 2:
        raise ValueError(f"start must have shape (trials, d), got {theta.shape}")
    means = OutlierRemovingMean(plan, theta.shape[0], rng, instance=instance)
    total = np.zeros_like(theta)
    for _ in range(parameters.steps):
        if average == "before":
            total += theta
        answer = means.answer(user_gradients(theta))  # lines 3 to 5
        theta = project(theta - parameters.step_size * answer.values)  # line 7
        if average == "after":
            total += theta
        if not means.running.any():
            break
    mean = total / parameters.steps  # line 14
    return Output(np.where(means.running[:, None], mean, start), means.running)  # line 10


def smoothed_gradients(
    item_gradient: Callable[[Array, Array], Array],
    items: Array,
    radius: float,
    rng: np.random.Generator,
    *,
    shared: bool = False,
) -> Callable[[Array], Array]:
    """Equation (3): θ → (1/m)·Σⱼ ∇ℓ(θ + yⱼ; z_{i,j}) with yⱼ uniform in the ball of `radius`.

    items (…, n, m, k), the same for all trials or with a leading axis of trials.
    item_gradient  (points (trials, n, m, d), items) → gradients (trials, n, m, d).
    shared  one yⱼ for the j-th item of all users, in place of one for each user and item.
    """
    positive(radius=radius)
    n, m = items.shape[-3:-1]

    def gradients(theta: Array) -> Array:
        trials, d = theta.shape
        y = sample_ball((trials, 1 if shared else n, m), d, radius, rng)
        points = np.broadcast_to(theta[:, None, None, :] + y, (trials, n, m, d))
        return item_gradient(points, items).mean(axis=2)

    return gradients
