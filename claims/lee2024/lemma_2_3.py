r"""Lemma 2.3: E_π f = f(x*) + ∫₁^∞ Var_{π_t}(f) dt, where π_t ∝ exp(−t·f − (μ/2)‖x‖²), f is convex with a
minimum at x*, and π = π₁.

It holds: V(t) = E_{π_t} f has the derivative −Var_{π_t} f, and it falls to the minimum of f as t grows.

How it is checked. Both members of the equation are computed by quadrature (`_laws`) for families with one
steep and many shallow directions, d up to 100, at several slopes and regularisers. The integral over t
runs in the variable log t by Gauss–Legendre up to T = 100; the rest is V(T) − f(x*). That it vanishes is
checked against its bound (d + (μ/4)‖x*‖²)/T, which integration by parts gives (`lemma-2.8-proof` with k =
d)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER, _laws

LAST = 100.0
FAMILIES = ("wedge", "separable", "larger")


def family(name: str, along: float, across: float, centre: float) -> _laws.Family:
    """One of the families by name."""
    if name == "wedge":
        return _laws.wedge(along, across)
    return {"separable": _laws.separable, "larger": _laws.larger}[name](along, across, centre)


def check(point: Point) -> Iterator[Evidence]:
    f = family(point.family, point.along, point.across, point.centre)

    def value(t: float, panels: int) -> tuple[float, float]:
        at = _laws.nodes(f, d=point.d, mu=point.mu, t=t, panels=panels)
        return _laws.moments(f, at, t)

    # Var f can change fast at some t (for the wedge: where x₁ reaches the kink), so log t has eight panels.
    integral = {}
    for order, panels in ((5, 10), (8, 8)):
        node, weight = np.polynomial.legendre.leggauss(order)
        half = math.log(LAST) / 16.0
        log_t = half * (2.0 * np.arange(8)[:, None] + node + 1.0)
        at = zip(np.exp(log_t).ravel(), np.tile(half * weight, 8), strict=True)
        integral[order] = float(sum(w * t * value(t, panels)[1] for t, w in at))
    first, last = value(1.0, 12)[0], value(LAST, 12)[0]
    error = abs(integral[8] - integral[5]) + 1e-9 * abs(first)
    yield equals(
        "∫₁^T Var dt + V(T) against E f − f(x*)", integral[8] + last, first, point=point.axes, error=error
    )
    vanishing = (point.d + 0.25 * point.mu * point.centre**2) / LAST
    yield at_most("V(T) − f(x*)", last, vanishing, error=1e-9 * first, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Lemma 2.3",
    "section 2",
    kind=Kind.IDENTITY,
    title="Excess as an integral of variances",
    statement=r"""For convex $f$ with minimum at $x^*$ and $\pi_t\propto\exp(-tf(x)-\frac\mu2\|x\|^2)$,
$$\mathbb E_{\pi_1}f=f(x^*)+\int_1^\infty\operatorname{Var}_{\pi_t}(f)\,\mathrm dt.$$""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(family="wedge", d=(1, 5), along=2.0, across=0.5, centre=0.7, mu=1.0),
    ci=grid(family=FAMILIES, d=(1, 10, 100), along=(0.5, 3.0), across=1.0, centre=0.7, mu=0.1),
)
