"""The proximal (alternating) sampler of Algorithm 1, with function values only and exact rejection.

The target is exp(−f(x) − (λ/2)‖x‖²) on ℝᵏ, f convex and L-Lipschitz: in Algorithm 1
f = ηL(·; D) and λ = ημ. A step draws y | x ~ N(x, h·I) and then x | y exactly, so the chain keeps the
target for every step size h (Lee, Shen and Tian 2021); it has no discretisation error, only a start to
forget.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from implementations import checks
from implementations.interfaces import Array

Values = Callable[[Array], Array]
"""The function f: points (m, k) → values (m,)."""


@dataclass(frozen=True, slots=True)
class Chains:
    """The last states (size, k) of independent chains, the function values that they took altogether, and
    the share of the proposals that was accepted.
    """

    points: Array
    evaluations: int
    acceptance: float


def default_step_size(*, lipschitz: float, dimension: int) -> float:
    """h = 1/(4L²k), where about 0.6 of the proposals are accepted."""
    return 1.0 / (4.0 * lipschitz**2 * dimension)


def steps_needed(*, lipschitz: float, strength: float, step_size: float, tolerance: float) -> int:
    """Steps after which a chain started at N(0, I/λ) is within `tolerance` of the target in total variation.

    The start has relative entropy ≤ L²/(2λ) by the log-Sobolev inequality; a step divides it by (1 + hλ)²
    (Chen, Chewi, Salim and Wibisono 2022, Theorem 3); Pinsker's inequality gives the total variation.
    """
    checks.positive(lipschitz=lipschitz, strength=strength, step_size=step_size, tolerance=tolerance)
    entropy = lipschitz**2 / (2.0 * strength)
    excess = math.log(entropy / (2.0 * tolerance**2))
    return max(1, math.ceil(excess / (2.0 * math.log1p(step_size * strength))))


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long the chains run: number of steps, total variation that the caller can bear, step size h.

    A step size of None stands for 1/(4L²k). Raises ValueError for a number that is not positive.
    """

    steps: int
    tolerance: float
    step_size: float | None = None

    def __post_init__(self) -> None:
        checks.whole_number(steps=self.steps)
        checks.positive(tolerance=self.tolerance)
        if self.step_size is not None:
            checks.positive(step_size=self.step_size)


def sample(
    values: Values,
    size: int,
    rng: np.random.Generator,
    *,
    dimension: int,
    lipschitz: float,
    strength: float,
    schedule: Schedule,
) -> Chains:
    """Run `size` independent chains for `steps` steps from N(0, I/λ) and return where they end.

    values     f, convex and `lipschitz`-Lipschitz in Euclidean norm: points (m, k) → (m,).
    strength   λ > 0.
    Raises ValueError where the number of steps is below `steps_needed`, and where f turns out not to be
    L-Lipschitz between two points that the sampler met: rejection would then be inexact.
    """
    checks.whole_number(size=size, dimension=dimension)
    checks.positive(lipschitz=lipschitz, strength=strength)
    steps, tolerance, h = schedule.steps, schedule.tolerance, schedule.step_size
    if h is None:
        h = default_step_size(lipschitz=lipschitz, dimension=dimension)
    needed = steps_needed(lipschitz=lipschitz, strength=strength, step_size=h, tolerance=tolerance)
    if steps < needed:
        raise ValueError(
            f"steps must be at least {needed} for a total variation of {tolerance:g}, got {steps}"
        )
    x = rng.standard_normal((size, dimension)) / math.sqrt(strength)
    evaluations = proposals = 0
    for _ in range(steps):
        x, taken = step(values, x, rng, lipschitz=lipschitz, strength=strength, step_size=h)
        evaluations += size + taken
        proposals += taken
    return Chains(points=x, evaluations=evaluations, acceptance=size * steps / proposals)


def step(
    values: Values, x: Array, rng: np.random.Generator, *, lipschitz: float, strength: float, step_size: float
) -> tuple[Array, int]:
    """One step of each chain, which keeps the law exp(−f(x) − (λ/2)‖x‖²); and the proposals that it took."""
    y = x + math.sqrt(step_size) * rng.standard_normal(x.shape)
    return restricted_gaussian(values, y, rng, lipschitz=lipschitz, strength=strength, step_size=step_size)


def restricted_gaussian(
    values: Values, y: Array, rng: np.random.Generator, *, lipschitz: float, strength: float, step_size: float
) -> tuple[Array, int]:
    """Draw x | y with density ∝ exp(−f(x) − (λ/2)‖x‖² − ‖x − y‖²/(2h)) for each row of y; and the proposals.

    With v = 1/(λ + 1/h) and m = (v/h)·y the quadratic part is N(m, v·I). For every s > v

        f(m) − f(x) ≤ L·r ≤ L²s/2 + r²/(2s),  r = ‖x − m‖,

    so proposals from N(m, (1/v − 1/s)⁻¹·I), accepted with probability exp(f(m) − f(x) − L²s/2 − r²/(2s)),
    have exactly the law asked for. s = √(kv)/L + v makes the acceptance about exp(−L√(kv)) or better.
    """
    k = y.shape[1]
    variance = 1.0 / (strength + 1.0 / step_size)
    mean = variance / step_size * y
    slack = math.sqrt(k * variance) / lipschitz + variance
    spread = math.sqrt(1.0 / (1.0 / variance - 1.0 / slack))
    at_mean = values(mean)
    x = np.empty_like(y)
    waiting = np.arange(y.shape[0])
    taken = 0
    while waiting.size:
        offset = spread * rng.standard_normal((waiting.size, k))
        proposal = mean[waiting] + offset
        squares = (offset**2).sum(axis=1)
        drop = at_mean[waiting] - values(proposal)
        if (drop > lipschitz * np.sqrt(squares) + 1e-9 * (1.0 + np.abs(at_mean[waiting]))).any():
            raise ValueError(f"lipschitz must bound the slope of f, got {lipschitz}: f falls faster")
        log_accept = drop - 0.5 * lipschitz**2 * slack - squares / (2.0 * slack)
        accepted = -rng.standard_exponential(waiting.size) < log_accept
        x[waiting[accepted]] = proposal[accepted]
        taken += waiting.size
        waiting = waiting[~accepted]
    return x, taken
