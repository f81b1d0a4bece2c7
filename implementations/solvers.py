"""Minimisers of empirical risks, exact or with a certified gap: the L(θ*) of an excess risk."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from implementations.interfaces import Array, Problem


@dataclass(frozen=True, slots=True)
class Minimum:
    """A minimiser `point` (p,), its risk `value`, and `gap`: value − gap is a certified lower bound."""

    point: Array
    value: float
    gap: float


def risk(problem: Problem, theta: Array) -> Array:
    """Empirical risk (1/n)·Σ φ(⟨θ, xᵢ⟩; yᵢ) of each row of θ (…, p), shape (…)."""
    return problem.loss.value(theta @ problem.features.T, problem.targets).mean(axis=-1)


def weighted_median(values: Array, weights: Array) -> float:
    """The minimiser of Σ wᵢ·|θ − vᵢ| that is nearest to zero; values and weights (n,), weights ≥ 0.

    >>> weighted_median(np.array([-1.0, 2.0]), np.array([1.0, 1.0]))
    0.0
    """
    if values.shape != weights.shape or values.ndim != 1 or not (weights >= 0).all() or weights.sum() <= 0:
        raise ValueError(f"values and weights must be (n,) with weights ≥ 0, got {values} and {weights}")
    order = np.argsort(values, kind="stable")
    values, cumulative = values[order], np.cumsum(weights[order])
    half = cumulative[-1] / 2.0
    # The minimisers are [low, high]: no more than half of the weight lies strictly on either side.
    low = float(values[np.searchsorted(cumulative, half * (1.0 - 1e-12), side="left")])
    high = float(
        values[min(np.searchsorted(cumulative, half * (1.0 + 1e-12), side="right"), values.size - 1)]
    )
    return min(max(0.0, low), high)


def minimise_absolute(problem: Problem) -> Minimum:
    """Least-absolute-deviation regression by linear programming; the dual solution certifies the gap.

    The dual of min (1/n)·Σ|⟨θ, xᵢ⟩ − yᵢ| is max −(1/n)·Σ sᵢyᵢ over |sᵢ| ≤ 1 with Σ sᵢxᵢ = 0.
    Raises ValueError for another loss or when the solver fails.
    """
    from scipy.optimize import linprog

    if problem.loss.name != "absolute":
        raise ValueError(f"loss must be absolute, got {problem.loss.name}")
    features, targets = problem.features, problem.targets
    n, p = features.shape
    identity = np.eye(n)
    above = np.hstack([features, -identity])
    solution = linprog(
        np.concatenate([np.zeros(p), np.full(n, 1.0 / n)]),
        A_ub=np.vstack([above, np.hstack([-features, -identity])]),
        b_ub=np.concatenate([targets, -targets]),
        bounds=[(None, None)] * p + [(0.0, None)] * n,
        method="highs",
    )
    if not solution.success or solution.x is None:
        raise ValueError(f"the linear program was not solved: {solution.message}")
    point = np.asarray(solution.x[:p])
    value = float(risk(problem, point))
    dual = np.asarray(solution.ineqlin.marginals)
    slopes = -n * (dual[:n] - dual[n:])
    # Make the dual point feasible to the last bit: orthogonal to the features, inside the box.
    slopes = slopes - features @ np.linalg.lstsq(features, slopes, rcond=None)[0]
    slopes = slopes / max(1.0, float(np.abs(slopes).max(initial=0.0)))
    return Minimum(point, value, max(0.0, value + float(slopes @ targets) / n))


def minimise_smooth(problem: Problem, *, radius: float, tolerance: float = 1e-9) -> Minimum:
    """A quasi-Newton descent polished by Newton steps, on a convex smooth risk.

    radius  an upper bound of the norm of some minimiser. By convexity the gap is at most
            ‖∇L(θ)‖·(‖θ‖ + radius), which is what `gap` holds.
    Raises ValueError for a loss that is not convex and smooth, or where the gap stays above `tolerance`.
    """
    loss = problem.loss
    if not loss.convex or not math.isfinite(loss.smoothness):
        raise ValueError(f"loss must be convex and smooth, got {loss.name}")
    from scipy.optimize import minimize

    features, targets = problem.features, problem.targets
    n, p = features.shape

    def gradient(theta: Array) -> Array:
        return features.T @ loss.slope(features @ theta, targets) / n

    point = np.asarray(
        minimize(lambda theta: float(risk(problem, theta)), np.zeros(p), jac=gradient, method="BFGS").x
    )
    for _ in range(20):
        scores, step = features @ point, 1e-6
        curvature = (loss.slope(scores + step, targets) - loss.slope(scores - step, targets)) / (2.0 * step)
        hessian = (features.T * curvature) @ features / n
        candidate = point - np.linalg.lstsq(hessian, gradient(point), rcond=None)[0]
        if not np.linalg.norm(gradient(candidate)) < np.linalg.norm(gradient(point)):
            break
        point = candidate
    gap = float(np.linalg.norm(gradient(point)) * (np.linalg.norm(point) + radius))
    if gap > tolerance * (1.0 + radius):
        raise ValueError(f"no minimum found within radius {radius}: gap {gap}")
    return Minimum(point, float(risk(problem, point)), gap)
