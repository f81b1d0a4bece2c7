r"""Lemma B.3: for a convex K, x = Π_K(y) and z in K: ‖x − z‖₂ ≤ ‖y − z‖₂.

It holds, for closed K; the name of Pythagoras belongs to the squared form, which is checked as well:
‖x − z‖² + ‖y − x‖² ≤ ‖y − z‖².

How it is checked. With the projections that the implementations use, balls (centred anywhere) and boxes,
in dimensions 1 to 50, over random y of all sizes and z in K, corners among them; the largest excess is
reported, and Π(y) must lie in K."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from implementations import domains


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(5)
    d, count = point.d, point.points
    centre = rng.standard_normal(d)
    low = rng.standard_normal(d)
    high = low + rng.exponential(1.0, d)
    direction = rng.standard_normal((count, d))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    in_ball = centre + 1.7 * direction * rng.choice([0.0, 0.5, 1.0], (count, 1))
    in_box = low + (high - low) * rng.choice([0.0, 0.3, 1.0], (count, d))
    y = rng.standard_normal((count, d)) * 10.0 ** rng.uniform(-2, 3, (count, 1))
    for name, domain, z in (
        ("ball", domains.ball(1.7, centre), in_ball),
        ("box", domains.box(low, high), in_box),
    ):
        x = domain.project(y)
        place = {**point.axes, "K": name}
        yield equals(
            "largest move of a point of K", float(np.abs(domain.project(z) - z).max()), 0.0, error=1e-12
        )
        beyond = np.linalg.norm(x - centre, axis=1) - 1.7 if name == "ball" else np.maximum(low - x, x - high)
        yield at_most("how far Π(y) lies outside of K", float(beyond.max()), 1e-12, point=place)
        scale = 1.0 + np.linalg.norm(y - z, axis=1)
        plain = np.linalg.norm(x - z, axis=1) - np.linalg.norm(y - z, axis=1)
        yield at_most("largest ‖x − z‖ − ‖y − z‖", float((plain / scale).max()), 1e-12, point=place)
        squares = ((x - z) ** 2).sum(1) + ((y - x) ** 2).sum(1) - ((y - z) ** 2).sum(1)
        yield at_most("largest ‖x − z‖² + ‖y − x‖² − ‖y − z‖²", float((squares / scale**2).max()), 1e-12,
                      point=place)  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Lemma B.3",
    "appendix B",
    kind=Kind.IDENTITY,
    title="Projection onto a convex set",
    statement=r"For convex $K$, $x=\Pi_K(y)$, $z\in K$: $\|x-z\|_2\le\|y-z\|_2$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(1, 4), points=1000),
    ci=grid(d=(1, 2, 5, 50), points=50_000),
)
