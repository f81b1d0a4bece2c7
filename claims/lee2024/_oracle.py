"""Convex functions on ℝᵈ that see one coordinate x₁ and the norm r of the other m = d − 1, and the laws
π_t ∝ exp(−t·f − (μ/2)‖x‖²), integrated by quadrature.

In these coordinates π_t has the density r^{m−1}·exp(−t·f(x₁, r) − (μ/2)(x₁² + r²)). A function is convex
in x where f is convex, and not decreasing in r. Panels of Gauss–Legendre nodes end at the kinks of f, so
the integrands are smooth on each panel; the error is taken from half the panels."""

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


def nodes(family: Family, *, d: int, mu: float, t: float = 1.0, panels: int = 12) -> Nodes:
    """Nodes for the law π_t, `panels` panels of twelve nodes between two kinks."""
    m = d - 1
    if m == 0:
        r, log_r = np.zeros(1), np.zeros(1)
    else:
        # The norm of x₂ is cut where its marginal density is e^{−45} of its peak, found on a coarse grid.
        furthest = (math.sqrt(m) + _REACH) / math.sqrt(mu)
        rough = furthest * np.geomspace(1e-7, 1.0, 500)
        x, log_x = _along(family, rough, mu=mu, t=t, panels=4, order=4)
        log_joint = log_x - 0.5 * mu * x**2 - t * family.value(x, rough[:, None])
        marginal = np.logaddexp.reduce(log_joint, axis=1) + (m - 1) * np.log(rough) - 0.5 * mu * rough**2
        kept = np.flatnonzero(marginal > marginal.max() - 45.0)
        low, high = rough[max(kept[0] - 1, 0)], rough[min(kept[-1] + 1, rough.size - 1)]
        edges = np.linspace(0.0 if kept[0] == 0 else low, high, 2 * panels + 1)
        node, weight = np.polynomial.legendre.leggauss(12)
        half = 0.5 * np.diff(edges)[:, None]
        r = (edges[:-1, None] + half * (node + 1.0)).ravel()
        log_r = np.log((half * weight).ravel()) + (m - 1) * np.log(r) - 0.5 * mu * r**2
    x, log_x = _along(family, r, mu=mu, t=t, panels=panels, order=12)
    log_weight = log_r[:, None] + log_x - 0.5 * mu * x**2
    return Nodes(x.ravel(), np.broadcast_to(r[:, None], x.shape).ravel(), log_weight.ravel())


def _along(family: Family, r: Array, *, mu: float, t: float, panels: int, order: int) -> tuple[Array, Array]:
    """Nodes in x₁ and their log weights, (r.size, N), for each r.

    For fixed r the least f lies at a kink, so beyond |x₁|² = kink² + 140/μ the density is below e^{−70}
    of its peak. Between two kinks the panels shrink towards both ends, where a steep f has its mass."""
    kinks = family.kinks(r)
    reach = np.sqrt((kinks**2).max(axis=1, keepdims=True) + 140.0 / mu)
    reach = np.minimum(reach, _REACH / math.sqrt(mu) + t * family.along / mu)
    # The Gaussian part has its peak at ± slope/μ or at 0 where f is linear: panels end there as well.
    peaks = np.array([-t * family.along / mu, 0.0, t * family.along / mu])
    kinks = np.concatenate([kinks, np.broadcast_to(peaks, (r.size, 3))], axis=1)
    kinks = np.sort(np.clip(kinks, -reach, reach), axis=1)
    ends = np.concatenate([-reach, kinks, reach], axis=1)
    steps = np.linspace(-1.0, 1.0, panels + 1)
    steps = 0.5 + 0.5 * np.sign(steps) * (1.0 - (1.0 - np.abs(steps)) ** 5)
    edges = ends[:, :-1, None] + np.diff(ends, axis=1)[..., None] * steps
    node, weight = np.polynomial.legendre.leggauss(order)
    half = 0.5 * np.diff(edges, axis=2)[..., None]
    with np.errstate(divide="ignore"):
        log_x = np.log(half * weight)
    x = edges[..., :-1, None] + half * (node + 1.0)
    return x.reshape(r.size, -1), log_x.reshape(r.size, -1)


def _law(family: Family, at: Nodes, t: float) -> Array:
    """The probabilities of the nodes under π_t."""
    log_density = at.log_weight - t * family.value(at.x, at.r)
    density = np.exp(log_density - log_density.max())
    return density / density.sum()


def mean(family: Family, at: Nodes, function: Callable[[Array, Array], Array], t: float = 1.0) -> float:
    """E of a function of (x₁, r) under π_t."""
    return float(_law(family, at, t) @ function(at.x, at.r))


def moments(family: Family, at: Nodes, t: float = 1.0) -> tuple[float, float]:
    """E f and Var f under π_t."""
    law, value = _law(family, at, t), family.value(at.x, at.r)
    first = float(law @ value)
    return first, float(law @ (value - first) ** 2)


def worst_wedge(
    ratio: Callable[[Family, int], float], *, mu: float, evaluations: int = 30
) -> tuple[Family, float, float]:
    """The wedge max(0, b·r − a·x₁) with the largest ratio that a search over both slopes finds.

    ratio  of a function at a number of panels. The search (Nelder and Mead, in the logarithms of the slopes
           in units of √μ) starts at a = b = 2√μ and runs on few panels.
    Returns the wedge, its ratio on more panels, and the difference of the two as the numerical error.
    """
    from scipy.optimize import minimize

    root = math.sqrt(mu)

    def at(logs: Array) -> Family:
        along, across = root * np.exp(np.clip(logs, -4.0, 6.0))
        return wedge(float(along), float(across))

    found = minimize(
        lambda logs: -ratio(at(logs), 6),
        np.log([2.0, 2.0]),
        method="Nelder-Mead",
        options={"maxfev": evaluations, "initial_simplex": np.log([[2.0, 2.0], [8.0, 2.0], [2.0, 8.0]])},
    )
    best = at(np.asarray(found.x))
    fine = ratio(best, 12)
    return best, fine, abs(fine + float(found.fun)) + 1e-9 * abs(fine)
