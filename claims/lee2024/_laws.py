"""Convex functions on ℝᵈ that see one coordinate x₁ and the norm r of the other m = d − 1, and the laws
π_t ∝ exp(−t·f − (μ/2)‖x‖²), integrated by quadrature.

In these coordinates π_t has the density r^{m−1}·exp(−t·f(x₁, r) − (μ/2)(x₁² + r²)). A function is convex in x
where f is convex, and not decreasing in r. Panels of Gauss–Legendre nodes end at the kinks of f, so the
integrands are smooth on each panel; the error is taken from half the panels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_REACH = 11.0
"""Standard deviations beyond which the strongly log-concave density is below 1e-26 of its peak."""


@dataclass(frozen=True, slots=True)
class Family:
    """One convex function f(x₁, r) ≥ 0 with minimum 0 at x₁ = `minimiser`, r = 0.

    along, across  its Lipschitz constants in x₁ and in r: G ≤ ‖(along, across)‖ and G_1 = across.
    kinks          r (…,) → the places of the kinks in x₁, (…, K).
    """

    name: str
    value: Callable[[Array, Array], Array]
    kinks: Callable[[Array], Array]
    along: float
    across: float
    minimiser: float = 0.0


def wedge(along: float, across: float) -> Family:
    """max(0, across·r − along·x₁): x₁ is pushed up by the mass of the other coordinates."""
    return Family(
        "max(0, b·r − a·x₁)",
        lambda x, r: np.maximum(0.0, across * r - along * x),
        lambda r: (across * r / along)[..., None],
        along,
        across,
    )


def separable(along: float, across: float, centre: float) -> Family:
    """along·|x₁ − c| + across·r."""
    return Family(
        "a·|x₁ − c| + b·r",
        lambda x, r: along * np.abs(x - centre) + across * r,
        lambda r: np.full((*r.shape, 1), centre),
        along,
        across,
        centre,
    )


def larger(along: float, across: float, centre: float) -> Family:
    """max(along·|x₁ − c|, across·r)."""
    return Family(
        "max(a·|x₁ − c|, b·r)",
        lambda x, r: np.maximum(along * np.abs(x - centre), across * r),
        lambda r: np.stack(
            [centre - across * r / along, np.full_like(r, centre), centre + across * r / along], -1
        ),
        along,
        across,
        centre,
    )


def hinge(along: float, centre: float) -> Family:
    """along·max(0, c − x₁): linear below c, flat above it, and blind to the other coordinates."""
    return Family(
        "a·max(0, c − x₁)",
        lambda x, r: along * np.maximum(0.0, centre - x),
        lambda r: np.full((*r.shape, 1), centre),
        along,
        0.0,
        max(centre, 0.0),
    )


@dataclass(frozen=True, slots=True)
class Nodes:
    """Quadrature nodes (N,) with the log of weight × reference density r^{m−1}·exp(−(μ/2)(x₁² + r²))."""

    x: Array
    r: Array
    log_weight: Array


def nodes(family: Family, *, d: int, mu: float, largest: float = 1.0, panels: int = 12) -> Nodes:
    """Nodes for all laws π_t with t ≤ largest."""
    root, m = math.sqrt(mu), d - 1
    t, w = np.polynomial.legendre.leggauss(12)
    if m == 0:
        r, log_r = np.zeros(1), np.zeros(1)
    else:
        shift = largest * family.across / mu
        low = max(0.0, math.sqrt(max(m - 1, 0)) / root - shift - _REACH / root)
        edges = np.linspace(low, math.sqrt(m) / root + _REACH / root, 2 * panels + 1)
        half = 0.5 * np.diff(edges)[:, None]
        r = (edges[:-1, None] + half * (t + 1.0)).ravel()
        log_r = np.log((half * w).ravel()) + (m - 1) * np.log(r) - 0.5 * mu * r**2
    reach = _REACH / root + largest * family.along / mu
    kinks = np.clip(family.kinks(r), -reach, reach)
    ends = np.concatenate([np.full((r.size, 1), -reach), kinks, np.full((r.size, 1), reach)], axis=1)
    steps = np.linspace(0.0, 1.0, panels + 1)
    # a law at t has its width 1/(t·slope) at a kink: panels shrink towards both ends of each stretch
    steps = 0.5 * (1.0 - np.cos(math.pi * steps))
    edges = ends[:, :-1, None] + np.diff(ends, axis=1)[..., None] * steps
    half = 0.5 * np.diff(edges, axis=2)[..., None]
    x = edges[..., :-1, None] + half * (t + 1.0)
    with np.errstate(divide="ignore"):
        log_x = np.log(half * w)
    shape = (r.size, -1)
    x, log_x = x.reshape(shape), log_x.reshape(shape)
    log_weight = log_r[:, None] + log_x - 0.5 * mu * x**2
    return Nodes(x.ravel(), np.broadcast_to(r[:, None], x.shape).ravel(), log_weight.ravel())


def mean(family: Family, at: Nodes, function: Callable[[Array, Array], Array], t: float = 1.0) -> float:
    """E of a function of (x₁, r) under π_t."""
    log_density = at.log_weight - t * family.value(at.x, at.r)
    density = np.exp(log_density - log_density.max())
    return float((density * function(at.x, at.r)).sum() / density.sum())


def moments(family: Family, at: Nodes, t: float = 1.0) -> tuple[float, float]:
    """E f and Var f under π_t."""
    log_density = at.log_weight - t * family.value(at.x, at.r)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    value = family.value(at.x, at.r)
    first = float(density @ value)
    return first, float(density @ (value - first) ** 2)
