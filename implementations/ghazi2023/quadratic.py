"""Losses with Hessian c·I, with a kink or without: every minimiser of Algorithms 2 to 6 has a closed form.

User i's mean loss is ⟨aᵢ, θ⟩ + (c/2)·‖θ‖². Linear losses have c = 0; the squared loss (c/2)·‖θ − x‖² has
aᵢ = −c·x̄ᵢ. The user means aᵢ are all that the algorithms see, so m may be as large as one likes. A kink adds
s·‖θ − p‖ to the loss of every user, which makes it non-smooth. The minimiser is then a proximal map of the
same point v, which moves at most as far as v does, so that certificates for Hessian c·I hold with a kink as
well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from implementations.checks import non_negative, positive
from implementations.ghazi2023.feasible import Ball, contains, project
from implementations.ghazi2023.sc_output_pert import largest_norm
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Kink:
    """s·‖θ − p‖: slope s > 0, point p (d,)."""

    slope: float
    point: Array

    def __post_init__(self) -> None:
        positive(slope=self.slope)

    def value(self, theta: Array) -> Array:
        """The kink's part of the loss, (trials, d) → (trials,)."""
        return self.slope * np.linalg.norm(theta - self.point, axis=-1)

    def proximal(self, v: Array, hessian: float) -> Array:
        """argmin of the kink plus (hessian/2)·‖θ − v‖², row by row: v, drawn towards p by s/hessian."""
        away = v - self.point
        norm = np.linalg.norm(away, axis=-1, keepdims=True)
        return self.point + away * np.maximum(0.0, 1.0 - self.slope / (hessian * np.maximum(norm, 1e-300)))


class Batches(Protocol):
    """What Algorithms 4 and 6 ask of a dataset: `Users`, or batches drawn from a known law."""

    @property
    def trials(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def m(self) -> float: ...
    @property
    def curvature(self) -> float: ...
    @property
    def lipschitz(self) -> float: ...
    def batch(self, part: slice, /) -> Batches: ...
    def summary(self) -> Summary: ...


@dataclass(frozen=True, slots=True)
class Users:
    """linear (trials, n, d): the aᵢ; curvature c ≥ 0; lipschitz G on 𝒦; m samples a user; a kink or none."""

    linear: Array
    curvature: float
    lipschitz: float
    m: float
    kink: Kink | None = None

    def __post_init__(self) -> None:
        non_negative(curvature=self.curvature)
        positive(lipschitz=self.lipschitz, m=self.m)
        if self.linear.ndim != 3 or 0 in self.linear.shape:
            raise ValueError(f"linear must have shape (trials, n, d), got {self.linear.shape}")

    @property
    def trials(self) -> int:
        return self.linear.shape[0]

    @property
    def n(self) -> int:
        return self.linear.shape[1]

    @property
    def d(self) -> int:
        return self.linear.shape[2]

    def batch(self, part: slice) -> Users:
        """The users of a slice, as a dataset of their own."""
        return Users(self.linear[:, part], self.curvature, self.lipschitz, self.m, self.kink)

    def summary(self) -> Summary:
        """What the algorithms see of the users."""
        return Summary(
            self.linear.mean(axis=1), largest_norm(self.linear, centred=True), self.n, self.curvature,
            self.lipschitz, self.m, self.kink,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Summary:
    """Sufficient for a phase: mean ā (trials, d), spread max‖aᵢ − ā‖ (trials,), n users, c, G, m; a kink."""

    mean: Array
    spread: Array
    n: int
    curvature: float
    lipschitz: float
    m: float
    kink: Kink | None = None

    @property
    def trials(self) -> int:
        return self.mean.shape[0]

    @property
    def d(self) -> int:
        return self.mean.shape[1]

    def excess(self, theta: Array, best: Array) -> Array:
        """Empirical loss at θ minus that at `best`, both (trials, d): (trials,)."""
        squares = (theta**2).sum(axis=-1) - (best**2).sum(axis=-1)
        smooth = ((theta - best) * self.mean).sum(axis=-1) + 0.5 * self.curvature * squares
        return smooth if self.kink is None else smooth + self.kink.value(theta) - self.kink.value(best)


def regularised_minimiser(users: Summary, regulariser: float, centre: Array, balls: Sequence[Ball]) -> Array:
    """argmin over the intersection of the balls of L(θ; x) + (λ/2)‖θ − centre‖²: (trials, d).

    The objective is (c + λ)/2·‖θ − v‖² + const with v = (λ·centre − ā)/(c + λ), so the minimiser is the
    projection of v. A row is NaN where the balls do not meet or the centre is NaN.

    With a kink it is the proximal map of v where that lies in all balls; on a line, where the balls are
    intervals, the nearest point to it. Elsewhere there is no closed form, and the row is NaN as well.
    """
    non_negative(regulariser=regulariser)
    hessian = users.curvature + regulariser
    positive(**{"curvature + regulariser": hessian})
    v = (regulariser * centre - users.mean) / hessian
    if users.kink is None:
        return project(v, balls)
    free = users.kink.proximal(v, hessian)
    if users.d == 1:
        return project(free, balls)
    inside = np.logical_and.reduce([contains(free, ball) for ball in balls])
    return np.where(inside[:, None], free, np.nan)
