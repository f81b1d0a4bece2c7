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


def contains(points: Array, ball: Ball, slack: float = 1e-9) -> NDArray[np.bool_]:
    """Whether each point (trials, d) lies in the ball, to `slack` of its radius and rounding: (trials,).

    Late phases have radii far below the rounding error of the coordinates, which must not make them empty.
    """
    size = np.linalg.norm(points, axis=-1) + np.linalg.norm(ball.centre, axis=-1)
    return np.asarray(
        np.linalg.norm(points - ball.centre, axis=-1) <= ball.radius * (1.0 + slack) + 1e-14 * size
    )


def _onto(points: Array, ball: Ball) -> Array:
    offset = points - ball.centre
    norm = np.linalg.norm(offset, axis=-1, keepdims=True)
    return np.where(
        norm > ball.radius, ball.centre + offset * (ball.radius / np.maximum(norm, ball.radius)), points
    )


def _onto_two(points: Array, first: Ball, second: Ball) -> Array:
    """The nearest point of the intersection of two balls; NaN where they do not meet."""
    one, two = _onto(points, first), _onto(points, second)
    axis = second.centre - first.centre
    distance = np.linalg.norm(axis, axis=-1, keepdims=True)
    if points.shape[-1] == 1:  # two intervals: clipping to one and then to the other is the projection
        meeting = _onto(one, second)
    else:  # neither single projection is feasible: the answer lies on the sphere where the two surfaces meet
        with np.errstate(divide="ignore", invalid="ignore"):
            unit = axis / distance
            along = (distance**2 + first.radius**2 - second.radius**2) / (2.0 * distance)
            height = np.sqrt(np.maximum(first.radius**2 - along**2, 0.0))
            offset = points - first.centre
            across = offset - (offset * unit).sum(axis=-1, keepdims=True) * unit
            across = across / np.linalg.norm(across, axis=-1, keepdims=True)
            meeting = first.centre + along * unit + height * across
    result = np.where(
        contains(one, second)[:, None], one, np.where(contains(two, first)[:, None], two, meeting)
    )
    size = np.linalg.norm(first.centre, axis=-1, keepdims=True) + np.linalg.norm(
        second.centre, axis=-1, keepdims=True
    )
    apart = distance > (first.radius + second.radius) * (1.0 + 1e-12) + 1e-14 * size
    return np.where(apart, np.nan, result)


def project(points: Array, balls: Sequence[Ball], *, rounds: int = 2000) -> Array:
    """The nearest points of the intersection, row by row (trials, d); a row of NaN where none was found.

    One or two balls in closed form. A third ball: where the closed form already lies in it, that is the
    answer; elsewhere Dykstra's algorithm, whose result must lie in every ball to 1e-6 of its radius.
    """
    if not balls:
        raise ValueError("balls must hold at least one ball, got none")
    if len(balls) == 1:
        return _onto(points, balls[0])
    result = _onto_two(points, balls[0], balls[1])
    if len(balls) == 2:
        return result
    inside = np.logical_and.reduce([contains(result, ball) for ball in balls[2:]])
    if inside.all():
        return result
    x, corrections = points, [np.zeros_like(points) for _ in balls]
    for _ in range(rounds):
        before = x
        for k, ball in enumerate(balls):
            y = _onto(x + corrections[k], ball)
            corrections[k] = x + corrections[k] - y
            x = y
        if np.nan_to_num(np.abs(x - before)).max() <= 1e-13 * max(ball.radius for ball in balls):
            break
    feasible = np.logical_and.reduce([contains(x, ball, 1e-6) for ball in balls])
    return np.where(inside[:, None], result, np.where(feasible[:, None], x, np.nan))
