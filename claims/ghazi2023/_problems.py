"""Strongly convex problems with exact minimisers: optima inside and on the boundary, kinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from implementations.ghazi2023.feasible import Ball, project
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Problem:
    """items (N, d); `minimise` maps item rows (k, d) to θ* (d,); `gradients` (θ, rows) → one gradient a row.

    lipschitz  G: the largest gradient norm over the set and the items;  strong_convexity μ.
    """

    name: str
    items: Array
    minimise: Callable[[Array], Array]
    gradients: Callable[[Array, Array], Array]
    lipschitz: float
    strong_convexity: float


def squared(name: str, items: Array, centre: Array, radius: float, mu: float) -> Problem:
    """(μ/2)‖θ − x‖² on a ball: the minimiser is the projection of the mean."""
    ball = Ball(centre, radius)
    farthest = float(np.linalg.norm(items - centre, axis=1).max()) + radius
    return Problem(
        name,
        items,
        lambda rows: project(rows.mean(axis=0)[None], [ball])[0],
        lambda theta, rows: mu * (theta - rows),
        mu * farthest,
        mu,
    )


def absolute(name: str, items: Array, mu: float) -> Problem:
    """|θ − x| + (μ/2)θ² on [−1, 1], x in [−1, 1]: kinks at the data.

    The minimiser is a data point or a stationary point (N − 2k)/(Nμ) with k items below: all are tried. The
    gradient at a kink is one subgradient, with sign(0) = 0.
    """

    def minimise(rows: Array) -> Array:
        x = rows[:, 0]
        share = np.arange(-x.size, x.size + 1, 2) / x.size
        candidates = np.clip(np.concatenate((x, -share / mu)), -1.0, 1.0)
        values = np.abs(candidates[:, None] - x).mean(axis=1) + 0.5 * mu * candidates**2
        return candidates[[int(np.argmin(values))]]

    return Problem(
        name, items, minimise, lambda theta, rows: np.sign(theta - rows) + mu * theta, 1.0 + mu, mu
    )


def problems(count: int, rng: np.random.Generator) -> list[Problem]:
    """Problems on `count` items: optimum inside and on the boundary, small and large sets, two dimensions,
    kinks.
    """
    signs = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)[:, None]
    skew = np.where(np.arange(count) < max(1, count // 4), 1.0, -0.3)[:, None]
    plane = rng.normal(size=(count, 2))
    plane /= np.maximum(1.0, np.linalg.norm(plane, axis=1, keepdims=True))
    zero, zeros = np.zeros(1), np.zeros(2)
    return [
        squared("signs, wide interval", signs, zero, 1.0, 1.0),
        squared("signs, narrow interval", signs, zero, 0.02, 2.5),
        squared("signs, optimum on the boundary", signs, np.array([-0.3]), 0.25, 1.0),
        squared("skewed values", skew, zero, 1.0, 0.4),
        squared("vectors in the plane", plane, zeros, 1.0, 1.0),
        squared("vectors in the plane, optimum on the boundary", plane + 0.6, zeros, 0.3, 1.0),
        absolute("absolute loss with a ridge", rng.uniform(-1, 1, size=(count, 1)), 0.5),
        absolute("absolute loss, two values", 0.2 * signs, 0.1),
    ]
