r"""Algorithms 3 to 6, the feasible sets: minimisers over an intersection of up to three balls are exact.

Line 11 of Algorithm 3 takes 𝒦ᵢ = 𝒦 ∩ B(θ̂ᵢ₋₁, Rᵢ), Algorithms 5 and 6 do so inside 𝒦 ∩ B(θ₀, R′): two or
three balls whose radii lie many powers of ten apart. For losses with Hessian cI a minimiser over 𝒦ᵢ is the
nearest point p of the set to a known v. It is recognised, not computed again: p lies in every ball, and v −
p is a non-negative combination of the outward normals p − c of the balls on whose surface p lies (the
conditions of Karush, Kuhn and Tucker, which are sufficient since balls are convex).

Whether a set is empty is known by construction. A point common to the balls is chosen first, inside, on one
surface or on all of them. Empty sets have two balls apart, or three equal ones that meet in pairs and not
together: the centres are the corners of an equilateral triangle of side 1.8r to 1.95r, and the point nearest
to all three is 1.04r away from them or more.

How it is checked. Points from inside to far outside, sets with radii up to nine powers of ten apart in every
order, in one batch with empty sets and with rows without a point or without a centre: every row is answered
exactly if its set has a point, the answer satisfies the conditions, and where all surfaces pass through the
known point and v is built from their normals, the answer is that point. What lies in a ball is decided to a
share of 10⁻⁹ of its radius, from both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._replay import projection_error
from implementations.ghazi2023.feasible import Ball, contains, project

RADII = ((1.0, 0.6, 0.35), (1.0, 1.0, 1.0), (1.0, 1e-2, 0.3), (0.8, 1e-5, 1e-3), (1.0, 1e-9, 0.1))
ROWS = 12
"""Rows of each kind in a batch."""


def units(rows: int, d: int, rng: np.random.Generator) -> np.ndarray:
    z = rng.normal(size=(rows, d))
    return z / np.linalg.norm(z, axis=1, keepdims=True)


def meeting(
    radii: Sequence[float], d: int, depth: str, rng: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray]]:
    """(a common point (rows, d), centres): deep inside, on the surface of the last ball, or of all."""
    q = 0.3 * rng.normal(size=(ROWS, d))
    centres: list[np.ndarray] = []
    for k, r in enumerate(radii):
        on = depth == "all" or (depth == "last" and k == len(radii) - 1)
        share = np.ones((ROWS, 1)) if on else rng.uniform(0.0, 0.95, size=(ROWS, 1))
        # A hair inside, so that rounding of the centres does not empty the set.
        hair = 1e-10 * min(radii) + 1e-15
        centres.append(q + (share * r - hair) * units(ROWS, d, rng))
    return q, centres


def apart(radii: Sequence[float], d: int, rng: np.random.Generator) -> list[np.ndarray] | None:
    """Centres of balls without a common point; None where there are fewer than two balls.

    Half of the rows have the first two balls a thousandth apart; the others, of three equal balls in two or
    more dimensions, meet in pairs: their centres are a triangle of sides 1.8r to 1.95r.
    """
    if len(radii) < 2:
        return None
    _, centres = meeting(radii, d, "inside", rng)
    centres[1] = centres[0] + (radii[0] + radii[1]) * 1.001 * units(ROWS, d, rng)
    if len(radii) == 3 and d > 1 and len(set(radii)) == 1:
        side = radii[0] * rng.uniform(1.8, 1.95, size=(ROWS, 1))
        basis = np.linalg.qr(rng.normal(size=(ROWS, d, d)))[0]
        for k, angle in enumerate(2.0 * np.pi * np.arange(3) / 3.0):
            corner = np.cos(angle) * basis[:, :, 0] + np.sin(angle) * basis[:, :, 1]
            centres[k][ROWS // 2 :] = (side / np.sqrt(3.0) * corner)[ROWS // 2 :]
    return centres


def batch(
    radii: Sequence[float], d: int, rng: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray, np.ndarray]:
    """(points v, centres, kind of each row, the answer where it is known): rows in a random order.

    kind  0: the set has a point;  1: it has none;  2: the row has no point or no centre.
    """
    parts: list[tuple[np.ndarray, list[np.ndarray], int, np.ndarray]] = []
    unknown = np.full((ROWS, d), np.nan)
    for depth in ("inside", "last", "all"):
        q, centres = meeting(radii, d, depth, rng)
        reach = min(radii) * 10.0 ** rng.uniform(-1.0, 3.0, size=(ROWS, 1))
        parts.append((q + reach * units(ROWS, d, rng), centres, 0, unknown))
    q, centres = meeting(radii, d, "all", rng)
    weights = rng.exponential(size=(len(radii), ROWS, 1))
    pulled = q + sum(w * (q - c) * min(radii) / r for w, c, r in zip(weights, centres, radii, strict=True))
    parts.append((pulled, centres, 0, q))
    if (empty := apart(radii, d, rng)) is not None:
        parts.append((rng.normal(size=(ROWS, d)), empty, 1, unknown))
    q, centres = meeting(radii, d, "inside", rng)
    lost = q.copy()
    lost[::2] = np.nan
    centres[-1][1::2, 0] = np.nan
    parts.append((lost, centres, 2, unknown))
    order = rng.permutation(ROWS * len(parts))
    return (
        np.concatenate([v for v, *_ in parts])[order],
        [np.concatenate([c[k] for _, c, *_ in parts])[order] for k in range(len(radii))],
        np.concatenate([np.full(ROWS, kind) for *_, kind, _ in parts])[order],
        np.concatenate([known for *_, known in parts])[order],
    )


def allowed(smallest: float) -> float:
    """How far the nearest point may be from the planted q, where sets are larger by h = 2·10⁻⁹s + 4·10⁻¹⁴.

    ‖p − q‖² ≤ 2⟨v − q, p − q⟩ = 2Σ aₖ⟨q − cₖ, p − q⟩ ≤ 2hΣ aₖrₖ, and Σ aₖrₖ ≤ 20s for smallest radius s:
    the sum of three exponential numbers is above 20 with probability 5·10⁻⁷.
    """
    return float(np.sqrt(2.0 * (2e-9 * smallest + 4e-14) * 20.0 * smallest))


def check(point: Point) -> Iterator[Evidence]:
    rng, d = point.rng, point.d
    wrong = answered = rows = 0
    worst = off = 0.0
    for chosen in RADII:
        for radii in sorted(set(permutations(chosen[: point.balls]))):
            v, centres, kind, known = batch(radii, d, rng)
            p = project(v, [Ball(c, r) for c, r in zip(centres, radii, strict=True)])
            there = np.isfinite(p).all(axis=1)
            rows += len(v)
            wrong += int((there & (kind > 0)).sum() + (~there & (kind == 0)).sum())
            planted = there & np.isfinite(known).all(axis=1)
            off = max(off, float(np.abs(p - known)[planted].max(initial=0.0)) / allowed(min(radii)))
            for t in np.flatnonzero(there & (kind == 0)):
                balls = [(c[t], r) for c, r in zip(centres, radii, strict=True)]
                worst = max(worst, projection_error(v[t], p[t], balls))
                answered += 1
    yield equals("rows answered though the set is empty, or not answered though it has a point", wrong, 0)
    note = f"{answered:,} answers of {rows:,} rows"
    yield at_most("distance from the conditions for the nearest point, in radii", worst, 1e-5, note=note)
    yield at_most("distance to the known nearest point, over what rounding allows", off, 1.0)
    shares = np.array([-1e-3, -1e-8, 1e-10, 1e-8, 1e-3])
    away = units(len(shares), d, rng)
    for radius in (1e-3, 1.0, 50.0):
        inside = contains(radius * (1.0 + shares)[:, None] * away, Ball(np.zeros(d), radius))
        misjudged = int((inside != np.array([True, True, True, False, False])).sum())
        yield equals("points of a ball to 10⁻⁹ of its radius, and no others", misjudged, 0)


CLAIM = Claim(
    PAPER,
    "Algorithms 3 to 6",
    "sections 4 and 5, appendix B",
    name="feasible-sets",
    kind=Kind.IDENTITY,
    title="Nearest points of intersections of balls",
    statement=r"For balls with a common point the projection $p$ of $v$ onto $\bigcap_k\mathcal B(c_k,r_k)$, "
    r"$k\le3$, lies in each, and $v-p$ is a non-negative combination of $p-c_k$ over the balls with "
    r"$\|p-c_k\|=r_k$; without a common point there is no answer.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(1, 2, 3), balls=(1, 2, 3)),
    ci=grid(d=(1, 2, 3, 7), balls=(1, 2, 3)),
)
