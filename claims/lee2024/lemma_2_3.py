r"""Lemma 2.3: E_π f = f(x*) + ∫₁^∞ Var_{π_t}(f) dt, where π_t ∝ exp(−t·f − (μ/2)‖x‖²), f is convex with a
minimum at x*, and π = π₁.

It holds: V(t) = E_{π_t} f has the derivative −Var_{π_t} f, and it falls to the minimum of f as t grows.

How it is checked. Both members of the equation are computed by quadrature (`_oracle`) for families with one
steep and many shallow directions, d up to 100, at several slopes and regularisers. The integral over t
runs in the variable log t by Gauss–Legendre up to T = 100; the rest is V(T) − f(x*). That it vanishes is
checked against its bound (d + (μ/4)‖x*‖²)/T, which integration by parts gives (`lemma-2.8-proof` with k =
d). `:sampled` holds the quadrature itself, on which Lemmas 2.3 to 2.8 rest, against draws of the samplers of
the implementation, for every family that these lemmas use."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, equals, mean_equals
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, grid
from claims.lee2024 import PAPER, _oracle
from implementations.lee2024 import product_sampler, proximal_sampler
from implementations.lee2024.proximal_sampler import Schedule

LAST = 100.0
FAMILIES = ("wedge", "separable", "larger")


def family(name: str, along: float, across: float, centre: float) -> _oracle.Family:
    """One of the families by name."""
    if name == "wedge":
        return _oracle.wedge(along, across)
    return {"separable": _oracle.separable, "larger": _oracle.larger}[name](along, across, centre)


def check(point: Point) -> Iterator[Evidence]:
    f = family(point.family, point.along, point.across, point.centre)

    def value(t: float, panels: int) -> tuple[float, float]:
        at = _oracle.nodes(f, d=point.d, mu=point.mu, t=t, panels=panels)
        return _oracle.moments(f, at, t)

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


def drawn(f: _oracle.Family, point: Point) -> np.ndarray:
    """Draws of π ∝ exp(−f − (μ/2)‖x‖²): exact ones in the plane where f is a sum, else chains."""
    size, d, mu = point.size, point.d, point.mu
    if d == 2 and point.family == "separable":
        law = product_sampler.potential(
            np.array([[point.centre], [0.0]]), np.array([[point.along], [point.across]])
        )
        return product_sampler.sample(law, 10 * size, point.rng, strength=mu)
    lipschitz = math.hypot(point.along, point.across)
    h = proximal_sampler.default_step_size(lipschitz=lipschitz, dimension=d)
    steps = proximal_sampler.steps_needed(lipschitz=lipschitz, strength=mu, step_size=h, tolerance=1e-4)
    return proximal_sampler.sample(
        lambda x: f.value(x[:, 0], np.linalg.norm(x[:, 1:], axis=1)), size, point.rng, dimension=d,
        lipschitz=lipschitz, strength=mu, schedule=Schedule(steps=steps, tolerance=1e-4),
    ).points  # fmt: skip


def check_sampled(point: Point) -> Iterator[Evidence]:
    hinge = point.family == "hinge"
    f = _oracle.hinge(point.along, point.centre) if hinge else family(
        point.family, point.along, point.across, point.centre
    )  # fmt: skip
    at = _oracle.nodes(f, d=point.d, mu=point.mu)
    first, variance = _oracle.moments(f, at)
    x = drawn(f, point)
    value = f.value(x[:, 0], np.linalg.norm(x[:, 1:], axis=1))
    along = _oracle.mean(f, at, lambda x, r: x)
    square = _oracle.mean(f, at, lambda x, r: x**2)
    levels = point.split(4)
    for alpha, (name, values, expected) in zip(
        levels,
        (
            ("f", value, first),
            ("(f − E f)²", (value - first) ** 2, variance),
            ("x₁", x[:, 0], along),
            ("x₁²", x[:, 0] ** 2, square),
        ),
        strict=True,
    ):
        scale = math.sqrt(variance if name.startswith("f") else square)
        unit = variance if name.startswith("(") else square if name == "x₁²" else scale
        yield mean_equals(
            f"mean of {name} less that by quadrature, in its unit", (values - expected) / unit, 0.0,
            alpha=alpha, point=point.axes,
        )  # fmt: skip


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
SAMPLED = CLAIM.reading(
    "sampled",
    title="The quadrature behind Lemmas 2.3 to 2.8",
    statement=r"""The moments of $f$ and of $x_1$ under $\exp(-f-\frac\mu2\|x\|^2)$ by quadrature are those of
draws of the exact and of the proximal sampler, for wedges, cones, sums and hinges.""",
    expected=CONSISTENT,
    check=check_sampled,
    smoke=grid(family=("separable", "wedge"), d=2, along=1.0, across=0.5, centre=0.7, mu=1.0, size=3000),
    ci=grid(family=(*FAMILIES, "hinge"), d=(2, 4), along=1.0, across=0.8, centre=0.7, mu=0.6, size=6000),
    largest_resolution=0.5,
)
CLAIMS = [SAMPLED]
