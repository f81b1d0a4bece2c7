"""Intersections of Euclidean balls: the sets 𝒦, 𝒦ᵢ and 𝒦′ of Algorithms 3 to 6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from implementations.checks import positive
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball in each trial: centre (d,) or (trials, d), one radius."""

    centre: Array
    radius: float

    def __post_init__(self) -> None:
        positive(radius=self.radius)


def _norm(x: Array) -> Array:
    """‖x‖₂ row by row, (…, d) → (…); on a line |x|, which is the same number."""
    return np.abs(x[..., 0]) if x.shape[-1] == 1 else np.sqrt(np.add.reduce(x * x, axis=-1))


def contains(points: Array, ball: Ball, slack: float = 1e-9) -> NDArray[np.bool_]:
    """Whether each point (trials, d) lies in the ball, to `slack` of its radius and rounding: (trials,).

    Late phases have radii far below the rounding error of the coordinates, which must not make them empty.
    """
    distance, limit = _norm(points - ball.centre), ball.radius * (1.0 + slack)
    inside = np.asarray(distance <= limit)
    if inside.all():  # then rounding decides nothing, and its size need not be known
        return inside
    size = _norm(points) + _norm(ball.centre)
    return np.asarray(distance <= limit + 1e-14 * size)


def _onto(points: Array, ball: Ball) -> Array:
    offset = points - ball.centre
    norm = _norm(offset)[..., None]
    return np.where(
        norm > ball.radius, ball.centre + offset * (ball.radius / np.maximum(norm, ball.radius)), points
    )


def _onto_two(points: Array, first: Ball, second: Ball, scale: float) -> Array:
    """The nearest point of the intersection of two balls; NaN where they do not meet.

    scale  the smallest radius of all balls of the set: what lies in a ball is decided to 10⁻⁹ of it.
    """
    one, two = _onto(points, first), _onto(points, second)
    # From the smaller ball: seen from the larger, where the spheres meet is lost to rounding of its radius.
    small, large = (second, first) if second.radius < first.radius else (first, second)
    axis = large.centre - small.centre
    distance = _norm(axis)[..., None]
    if points.shape[-1] == 1:  # two intervals: clipping to one and then to the other is the projection
        meeting = _onto(one, second)
    else:  # neither single projection is feasible: the answer lies on the sphere where the two surfaces meet
        with np.errstate(divide="ignore", invalid="ignore"):
            unit = axis / distance
            beyond = (distance - large.radius) * (distance + large.radius)
            along = (beyond + small.radius**2) / (2.0 * distance)
            height = np.sqrt(np.maximum(small.radius**2 - along**2, 0.0))
            offset = points - small.centre
            across = offset - (offset * unit).sum(axis=-1, keepdims=True) * unit
            across = across / _norm(across)[..., None]
            meeting = small.centre + along * unit + height * across
    # To a share of the smallest radius: a share of a larger may be more than the smallest ball.
    slack = 1e-9 * scale
    result = np.where(
        contains(one, second, slack / second.radius)[:, None],
        one,
        np.where(contains(two, first, slack / first.radius)[:, None], two, meeting),
    )
    size = (_norm(first.centre) + _norm(second.centre))[..., None]
    apart = distance > (first.radius + second.radius) * (1.0 + 1e-12) + 1e-14 * size
    return np.where(apart, np.nan, result)


def _onto_three(points: Array, balls: Sequence[Ball]) -> Array:
    """The nearest points where the surfaces of three balls meet; NaN where they do not.

    Seen from the centre of the smallest ball, of radius s, the surface of a ball (c, r) is ‖x‖ = s and the
    plane 2⟨c, x⟩ = ‖c‖² − r² + s². Two planes leave an affine set, and the nearest point of a sphere in it is
    sought.
    """
    small, *large = sorted(balls, key=lambda ball: ball.radius)
    v = points - small.centre
    rows = np.stack([np.broadcast_to(ball.centre - small.centre, points.shape) for ball in large], axis=-2)
    norms = _norm(rows)
    radii = np.array([ball.radius for ball in large])
    heights = 0.5 * ((norms - radii) * (norms + radii) + small.radius**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.linalg.pinv(rows)
        foot = (inverse @ heights[..., None])[..., 0]
        across = v - (inverse @ (rows @ v[..., None]))[..., 0]
        across = across / np.maximum(_norm(across)[..., None], 1e-300)
        left = small.radius**2 - (foot**2).sum(axis=-1, keepdims=True)
        return small.centre + foot + np.sqrt(np.maximum(left, 0.0)) * across


def project(points: Array, balls: Sequence[Ball]) -> Array:
    """The nearest points of the intersection of up to three balls, row by row (trials, d); NaN where it is
    empty, or a point or a centre is NaN.

    The nearest point of the intersection of two balls that lies in the third is the answer; where no pair has
    such a point, all three surfaces pass through the answer. Raises ValueError for no ball or more than
    three.
    """
    if not 1 <= len(balls) <= 3:
        raise ValueError(f"balls must hold one to three balls, got {len(balls)}")
    result = np.array(points, dtype=float)
    # A point of every ball is its own projection; a NaN lies in no ball.
    within = [_norm(points - ball.centre) <= ball.radius for ball in balls]
    outside = ~np.logical_and.reduce(within)
    if outside.any():
        points = points[outside]
        balls = [Ball(np.broadcast_to(b.centre, result.shape)[outside], b.radius) for b in balls]
        lost = np.isnan(points).any(axis=-1) | ~_centres_known(balls, len(points))
        nearest = _onto_known(np.where(lost[:, None], 0.0, points), balls)
        result[outside] = np.where(lost[:, None], np.nan, nearest)
    return result


def _onto_known(points: Array, balls: Sequence[Ball]) -> Array:
    """`project`, where no point is NaN; rows with a NaN centre may come out as anything."""
    if len(balls) == 1:
        return _onto(points, balls[0])
    least = min(ball.radius for ball in balls)
    if len(balls) == 2:
        return _onto_two(points, balls[0], balls[1], least)
    result = np.full(points.shape, np.nan)
    for k in range(3):
        first, second, third = balls[k], balls[k - 1], balls[k - 2]
        nearest = _onto_two(points, first, second, least)
        found = contains(nearest, third, 1e-9 * least / third.radius) & np.isnan(result).any(axis=-1)
        result = np.where(found[:, None], nearest, result)
        if not np.isnan(result).any():
            return result
    open_rows = np.isnan(result).any(axis=-1) & _centres_known(balls, len(points))
    if open_rows.any() and points.shape[-1] > 1:
        rows = [Ball(np.broadcast_to(b.centre, points.shape)[open_rows], b.radius) for b in balls]
        nearest = _onto_three(points[open_rows], rows)
        each = np.stack([contains(nearest, b, 1e-6 * least / b.radius) for b in rows])
        inside = np.asarray(each.all(axis=0))
        result[open_rows] = np.where(inside[:, None], nearest, np.nan)
    return result


def _centres_known(balls: Sequence[Ball], trials: int) -> NDArray[np.bool_]:
    """The trials (trials,) in which no centre is NaN."""
    known = [~np.isnan(ball.centre).any(axis=-1) for ball in balls]
    return np.logical_and.reduce([np.broadcast_to(each, (trials,)) for each in known])
