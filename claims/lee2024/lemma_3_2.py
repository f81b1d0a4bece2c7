r"""Lemma 3.2: for f convex and G-Lipschitz on a bounded convex K, f̃(x) = min over y in K of f(y) + G‖x −
y‖₂ is G-Lipschitz on ℝᵈ and equals f on K (Cobzaş and Mustăţa 1978); it is convex (used in section 3.1).

It holds; the minimum needs K closed, else it is an infimum, which changes nothing.

How it is checked. Equation (9), the linear loss on the unit ball, is computed by the implementation and
held against its definition on a fine cover of the ball from above and below (d = 2), and in d up to 8 for
equality inside, Lipschitz quotients and midpoint convexity over pairs of points of all sizes, the worst
reported. For general f, maxima of affine functions on a square, with a cover."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from implementations.lee2024 import lipschitz_extension


def points_around(d: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Directions at random, norms from 0.01 to 100, many near 1."""
    directions = rng.standard_normal((count, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    norms = np.where(rng.random(count) < 0.5, 10.0 ** rng.uniform(-2, 2, count), rng.uniform(0.9, 1.2, count))
    return directions * norms[:, None]


def disc(size: int) -> tuple[np.ndarray, float]:
    """A cover of the unit disc, its boundary included, and the largest distance to it."""
    radius = np.linspace(0.0, 1.0, size)
    angle = np.linspace(0.0, 2.0 * math.pi, 6 * size, endpoint=False)
    r, a = (g.ravel() for g in np.meshgrid(radius, angle))
    return np.stack([r * np.cos(a), r * np.sin(a)], axis=1), 0.5 / (size - 1) + math.pi / (6 * size)


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(7)
    d = point.d
    for size in (0.0, 0.3, 1.0):
        z = rng.standard_normal(d)
        z *= size / np.linalg.norm(z)

        def extended(x: np.ndarray, z: np.ndarray = z) -> np.ndarray:
            return lipschitz_extension.linear_on_ball(x, z)

        x, y = points_around(d, point.pairs, rng), points_around(d, point.pairs, rng)
        x[: point.pairs // 4] = y[: point.pairs // 4] * (1.0 + 1e-4)
        inside = x[np.linalg.norm(x, axis=1) <= 1.0]
        place = {**point.axes, "norm of z": size}
        gap = float(np.abs(extended(inside) + inside @ z).max())
        yield at_most("largest |f̃ − f| on K", gap, 1e-12, point=place)
        far = np.linalg.norm(x - y, axis=1)
        rise = np.abs(extended(x) - extended(y)) - far
        yield at_most("largest |f̃(x) − f̃(y)| − ‖x − y‖", float(rise.max()), 1e-10, point=place)
        bend = extended(0.5 * (x + y)) - 0.5 * (extended(x) + extended(y))
        yield at_most("largest f̃(midpoint) − mean of the ends", float(bend.max()), 1e-9, point=place)
        if d == 2:
            cover, mesh = disc(60)
            some = x[:400]
            above = lipschitz_extension.on_cover(-cover @ z, cover, 1.0, some)
            yield at_most(
                "largest f̃ − min over a cover", float((extended(some) - above).max()), 1e-9, point=place
            )
            yield at_most(
                "largest min over a cover − f̃", float((above - extended(some)).max()), 2.0 * mesh, point=place
            )
    if d == 2:
        yield from _square(point, rng)


def _square(point: Point, rng: np.random.Generator) -> Iterator[Evidence]:
    """f = max of affine functions with slopes of norm ≤ G on [0, 1]²; all inequalities up to the mesh."""
    grid_1d = np.linspace(0.0, 1.0, 41)
    cover = np.stack([g.ravel() for g in np.meshgrid(grid_1d, grid_1d)], axis=1)
    slopes = rng.standard_normal((4, 2))
    lipschitz = float(np.linalg.norm(slopes, axis=1).max())
    values = (cover @ slopes.T + rng.standard_normal(4)).max(axis=1)
    on = lipschitz_extension.on_cover(values, cover, lipschitz, cover)
    yield at_most("largest |f̃ − f| on the square", float(np.abs(on - values).max()), 1e-12, point=point.axes)
    x, y = 3.0 * rng.standard_normal((2, 300, 2))
    f = [lipschitz_extension.on_cover(values, cover, lipschitz, p) for p in (x, y, 0.5 * (x + y))]
    stacked = lipschitz_extension.on_cover(values, cover, lipschitz, np.stack([x, y]))
    moved = float(np.abs(stacked - np.stack(f[:2])).max())
    yield equals("change of f̃ where points come in batches", moved, 0.0, error=1e-12, point=point.axes)
    rise = np.abs(f[0] - f[1]) - lipschitz * np.linalg.norm(x - y, axis=1)
    yield at_most("largest rise of f̃ beyond G‖x − y‖", float(rise.max()), 1e-10, point=point.axes)
    mesh = 2.0 * lipschitz * math.sqrt(2.0) / 80.0
    bend = f[2] - 0.5 * (f[0] + f[1])
    yield at_most("f̃(midpoint) − mean of the ends", float(bend.max()), mesh, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Lemma 3.2",
    "section 3.1",
    kind=Kind.IDENTITY,
    title="Lipschitz extension",
    statement=r"""For $f$ convex and $G$-Lipschitz on a bounded convex $K$, $\tilde f(x)=\min_{y\in
K}f(y)+G\|x-y\|_2$
is convex and $G$-Lipschitz on $\mathbb R^d$, and $\tilde f=f$ on $K$.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=2, pairs=200),
    ci=grid(d=(1, 2, 3, 8), pairs=4000),
)
