r"""Lemma 2.4: Var_π f ≤ d for convex f on ℝᵈ and π ∝ exp(−f) (Theorem 3 of Chewi 2021).

It holds, and no constant below 1 would do: a norm, or any positively homogeneous f of degree 1, has
f ~ Gamma(d, 1) under π, whose variance is d.

How it is checked. By quadrature over the radius for f = φ(‖x‖) in d up to 10,000 dimensions (powers from
1 to 8, truncated cones, exponential growth, piecewise-linear with random slopes and kinks), and in one
dimension over 40 random convex piecewise-linear functions that are not symmetric. At least one f must
reach d within 0.1 %, so that the check bites."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from audits.judge import at_least
from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.lee2024 import PAPER

Array = np.ndarray
POWERS = (1.0, 1.2, 2.0, 8.0)


def radial_moments(
    profile: Callable[[Array], Array], d: int, high: float, cells: int = 4000
) -> tuple[float, float]:
    """E f and Var f for f(x) = profile(‖x‖) under exp(−f), by Gauss–Legendre in the radius up to `high`."""
    node, weight = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(0.0, high, cells + 1)
    half = 0.5 * np.diff(edges)[:, None]
    r = (edges[:-1, None] + half * (node + 1.0)).ravel()
    value = profile(r)
    log_density = np.log((half * weight).ravel()) + (d - 1) * np.log(r) - value
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    first = float(density @ value)
    return first, float(density @ (value - first) ** 2)


def profiles(d: int, rng: np.random.Generator) -> dict[str, tuple[Callable[[Array], Array], float]]:
    """Profiles with the radius beyond which no mass is left."""
    reach = d + 14.0 * math.sqrt(d) + 60.0
    found: dict[str, tuple[Callable[[Array], Array], float]] = {
        f"r^{p:g}": (lambda r, p=p: r**p, reach ** (1.0 / p)) for p in POWERS
    }
    found["max(0, r − d)"] = (lambda r: np.maximum(0.0, r - d), d + reach)
    found["max(0, r − 1)·3"] = (lambda r: 3.0 * np.maximum(0.0, r - 1.0), 1.0 + reach)
    found["e^r"] = (lambda r: np.exp(np.minimum(r, 700.0)), math.log(reach) + 1.0)
    for i in range(4):
        slopes = np.cumsum(rng.exponential(1.0, 3))
        kinks = np.cumsum(rng.exponential(d, 3))
        found[f"random {i}"] = (
            lambda r, s=slopes, k=kinks: (
                r * s[0] + sum(b * np.maximum(0.0, r - c) for b, c in zip(s, k, strict=True))
            ),
            reach / slopes[0],
        )
    return found


def line_variance(knots: Array, weights: Array, tilt: float) -> float:
    """Var f for f(x) = tilt·x + Σ w·|x − a| on the line under exp(−f), by exact integrals of each piece."""
    order = np.argsort(knots)
    a, w = knots[order], weights[order]
    slopes = tilt - w.sum() + 2.0 * np.concatenate([[0.0], np.cumsum(w)])
    values = tilt * a + (w * np.abs(a[:, None] - a)).sum(axis=1)
    base = values.min()
    moments = np.zeros(3)
    for i in range(a.size - 1):
        node, weight = np.polynomial.legendre.leggauss(30)
        for left, right in zip(
            np.linspace(a[i], a[i + 1], 41)[:-1], np.linspace(a[i], a[i + 1], 41)[1:], strict=True
        ):
            x = left + 0.5 * (right - left) * (node + 1.0)
            f = values[i] - base + slopes[i + 1] * (x - a[i])
            e = 0.5 * (right - left) * weight * np.exp(-f)
            moments += [e.sum(), (e * f).sum(), (e * f * f).sum()]
    for start, slope in ((values[0] - base, -slopes[0]), (values[-1] - base, slopes[-1])):
        # ∫₀^∞ (v + s·u)^p·e^{−(v + s·u)} du, p = 0, 1, 2
        e = math.exp(-start) / slope
        moments += [e, e * (start + 1.0), e * (start**2 + 2.0 * start + 2.0)]
    first = moments[1] / moments[0]
    return float(moments[2] / moments[0] - first**2)


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(1)  # the family is part of the statement's check, not of its randomness
    d = point.d
    found = {}
    for name, (profile, high) in profiles(d, rng).items():
        coarse, fine = (radial_moments(profile, d, high, cells)[1] for cells in (2000, 4000))
        found[name] = fine
        yield at_most(
            f"Var f, f = {name}", fine, float(d), error=abs(fine - coarse) + 1e-9 * d, point=point.axes,
            decides=fine < d * (1.0 - 1e-6),
        )  # fmt: skip
    yield at_least("largest Var f/d", max(found.values()) / d, 0.999, point=point.axes)
    if d == 1:
        for _ in range(40):
            size = int(rng.integers(2, 6))
            weights, knots = rng.exponential(1.0, size), 4.0 * rng.standard_normal(size)
            tilt = float(rng.uniform(-0.9, 0.9) * weights.sum())
            yield at_most("Var f on the line", line_variance(knots, weights, tilt), 1.0)


CLAIM = Claim(
    PAPER,
    "Lemma 2.4",
    "section 2",
    kind=Kind.BOUND,
    title="Variance at most the dimension",
    statement=r"For convex $f$ on $\mathbb R^d$ and $\pi\propto e^{-f}$: $\operatorname{Var}_\pi f\le d$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(1, 10)),
    ci=grid(d=(1, 2, 3, 10, 100, 10_000)),
)
