r"""Lemma 2.5: randomised smoothing over a ball of radius r: a smooth loss within Gr of the loss.

Printed: (1) $\hat\ell\le\ell\le\hat\ell+Gr$; (2) $\hat\ell$ is G-Lipschitz and convex; (3) $\hat\ell$ is
$G\sqrt d/r$-smooth; (4) $\mathbb E\nabla\ell(\theta+y;z)=\nabla\hat L_{\mathcal D}(\theta)$.

(1) is printed with its sides exchanged: by Jensen's inequality the average of a convex function over a ball
is at least its value at the centre. What is meant, and claimed here, is $\ell\le\hat\ell\le\ell+Gr$;
$Gr\,d/(d+1)$ will do for $Gr$, since $\mathbb E\|y\|=rd/(d+1)$; $G\|\theta\|$ attains it at 0.

On the line every convex G-Lipschitz function is affine plus a mixture $\frac12\int|z-a|\,d\ell''(a)$ of
absolute values with total mass at most 2G. Differences, slopes and curvatures of the smoothing are mixtures
of those of $|z|$, so that $|z|$ decides all four properties for d = 1. For d > 1 the largest curvature is
$2GV_{d-1}/(V_dr)$, with V the volume of the unit ball: an upper bound because ∇ℓ is integrated against the
difference of two uniform densities, attained by $G|\langle u,\theta\rangle|$ at 0. It is at most $G\sqrt
d/r$, with equality for d = 1.

How it is checked. Exactly, from the closed form of the smoothed absolute value on a grid of the line that
holds its extremes, and from the Gamma function for d up to 10⁶. (4) is checked for d = 1 against the
difference quotient, and by sampling for the program that draws the points (`:program`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, equals, mean_equals
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, grid
from claims.asi2024 import PAPER
from implementations.asi2024 import smoothing
from implementations.asi2024.dp_sgd import smoothed_gradients
from implementations.interfaces import Array


def line(radius: float) -> Array:
    """Points of the line around the kink, the kink and the ends of the ball included."""
    return np.unique(np.concatenate([np.linspace(-2.0, 2.0, 4001), [0.0, -1.0, 1.0]])) * radius


def check(point: Point) -> Iterator[Evidence]:
    """All four properties; d = 1 from the absolute value, the curvature for every d."""
    r, d = point.r, point.d
    z = line(r)
    smoothed, slope = smoothing.smoothed_absolute(z, r, d), smoothing.smoothed_absolute_slope(z, r, d)
    gap = smoothed - np.abs(z)
    decides = d == 1
    yield at_most("largest ℓ − ℓ̂ of |⟨u, θ⟩|", float((-gap).max()) / r, 1e-12, decides=decides)
    # the loss ‖θ‖ has the largest gap of all: E‖y‖ at its kink
    yield at_most("largest ℓ̂ − ℓ over r", float(gap.max()) / r, d / (d + 1.0), decides=decides)
    yield at_most("largest |slope|", float(np.abs(slope).max()), 1.0, decides=decides)
    yield at_most("largest fall of the slope", float(-np.diff(slope).min()), 1e-12, decides=decides)
    curvature = float(smoothing.smoothed_absolute_curvature(z, r, d).max())
    yield equals("curvature of |⟨u, θ⟩| at 0", curvature, smoothing.smoothness(1.0, r, d))
    rise = float((np.diff(slope) / np.diff(z)).max())
    yield at_most("largest rise of the slope", rise, curvature * (1.0 + 1e-9), decides=False)
    yield at_most("smoothness over √d/r", smoothing.smoothness(1.0, r, d) * r / math.sqrt(d), 1.0)
    yield from check_value(r, d)
    if d == 1:  # ∇ℓ̂ is the difference quotient (ℓ(z + r) − ℓ(z − r))/(2r)
        quotient = (np.abs(z + r) - np.abs(z - r)) / (2.0 * r)
        yield at_most("|E∇ℓ(θ + y) − ∇ℓ̂(θ)|", float(np.abs(quotient - slope).max()), 1e-12)


def check_value(r: float, d: int) -> Iterator[Evidence]:
    """E|z + rB| is r·E|B| at 0, E|B| = Γ(d/2 + 1)/(√π·Γ((d + 3)/2)), plus the integral of its slope, which is
    that of the curvature."""
    logs = math.lgamma(0.5 * d + 1.0) - math.lgamma(0.5 * (d + 3))
    at_zero = r * math.exp(logs) / math.sqrt(math.pi)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for part in (0.0, 0.3, 0.9, 2.0):
        z = part * r / math.sqrt(d)
        pieces = np.linspace(0.0, z, 9)
        middle, half = 0.5 * (pieces[1:] + pieces[:-1])[:, None], 0.5 * np.diff(pieces)[:, None]
        slope = smoothing.smoothed_absolute_slope(middle + half * nodes, r, d)
        value = float(smoothing.smoothed_absolute(z, r, d))
        integral = at_zero + float((half * weights * slope).sum())
        yield equals(f"E|z + rB| over r at z = {part:g}·r/√d", value / r, integral / r, error=1e-6)
        bend = smoothing.smoothed_absolute_curvature(middle + half * nodes, r, d)
        found, wanted = (
            float(smoothing.smoothed_absolute_slope(z, r, d)),
            float((half * weights * bend).sum()),
        )
        yield equals(f"slope against its integral at z = {part:g}·r/√d", found, wanted, error=1e-4)


def check_program(point: Point) -> Iterator[Evidence]:
    """The mean of the gradients that the program draws, against the smoothed slope; both ways to share y."""
    levels = point.split(2)
    theta = np.zeros((point.samples, point.d))
    theta[:, 0] = point.at * point.r
    slope = float(smoothing.smoothed_absolute_slope(point.at * point.r, point.r, point.d))
    for shared, alpha in zip((False, True), levels, strict=True):
        gradients = smoothed_gradients(
            lambda points, items: np.sign(points[..., :1]) + items,
            np.zeros((1, 2, 1)),
            point.r,
            point.rng,
            shared=shared,
        )
        values = 0.5 * (gradients(theta)[:, 0, 0] + 1.0)
        yield mean_equals(
            f"mean gradient, shared={shared}", values, 0.5 * (slope + 1.0), alpha=alpha, method="betting",
            support=(0.0, 1.0),
        )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Lemma 2.5",
    "section 2.2",
    kind=Kind.BOUND,
    title="Smoothing lies above the loss, by at most Gr",
    statement=r"For convex $G$-Lipschitz $\ell$: $\ell\le\hat\ell\le\ell+Gr\,\frac d{d+1}$; $\hat\ell$ is "
    r"convex, $G$-Lipschitz and $2GV_{d-1}/(V_dr)\le G\sqrt d/r$-smooth; $\mathbb "
    r"E\nabla\ell(\theta+y;z)=\nabla\hat L(\theta)$.",
    expected=CONFIRMED,
    summary="with the sides of the first property exchanged, as is meant",
    check=check,
    smoke=grid(d=(1, 3), r=(0.5,)),
    ci=grid(d=(1, 2, 3, 10, 100, 10_000, 1_000_000), r=(0.01, 1.0)),
)
PROGRAM = CLAIM.reading(
    "program",
    title="The program's smoothed gradients are unbiased",
    expected=CONSISTENT,
    check=check_program,
    smoke=grid(d=(1, 3), r=(0.5,), at=(0.4,), samples=(20_000,)),
    ci=grid(d=(1, 2, 5), r=(0.5,), at=(0.0, 0.4, -0.7), samples=(40_000,)),
    largest_resolution=0.03,
)
CLAIMS = [PROGRAM]
