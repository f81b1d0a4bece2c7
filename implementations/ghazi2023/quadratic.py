"""Losses with Hessian c·I, for which every minimiser of Algorithms 2 to 6 has a closed form.

User i's mean loss is ⟨aᵢ, θ⟩ + (c/2)·‖θ‖². Linear losses have c = 0; the squared loss (c/2)·‖θ − x‖² has
aᵢ = −c·x̄ᵢ. The user means aᵢ are all that the algorithms see, so m may be as large as one likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from implementations.checks import non_negative, positive
from implementations.ghazi2023.feasible import Ball, project
from implementations.ghazi2023.sc_output_pert import largest_norm
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Users:
    """linear (trials, n, d): the aᵢ; curvature c ≥ 0; lipschitz G of the loss on 𝒦; m samples a user."""

    linear: Array
    curvature: float
    lipschitz: float
    m: float

    def __post_init__(self) -> None:
        non_negative(curvature=self.curvature)
        positive(lipschitz=self.lipschitz, m=self.m)
        if self.linear.ndim != 3 or 0 in self.linear.shape:
            raise ValueError(f"linear must have shape (trials, n, d), got {self.linear.shape}")

    @property
    def n(self) -> int:
        return self.linear.shape[1]

    @property
    def d(self) -> int:
        return self.linear.shape[2]

    def batch(self, part: slice) -> Users:
        """The users of a slice, as a dataset of their own."""
        return Users(self.linear[:, part], self.curvature, self.lipschitz, self.m)

    def summary(self) -> Summary:
        """What the algorithms see of the users."""
        return Summary(
            self.linear.mean(axis=1), largest_norm(self.linear, centred=True), self.n, self.curvature,
            self.lipschitz, self.m,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Summary:
    """Sufficient for a phase: mean ā (trials, d), spread max‖aᵢ − ā‖ (trials,), n users, c, G, m."""

    mean: Array
    spread: Array
    n: int
    curvature: float
    lipschitz: float
    m: float

    @property
    def trials(self) -> int:
        return self.mean.shape[0]

    @property
    def d(self) -> int:
        return self.mean.shape[1]

    def excess(self, theta: Array, best: Array) -> Array:
        """Empirical loss at θ minus that at `best`, both (trials, d): (trials,)."""
        squares = (theta**2).sum(axis=-1) - (best**2).sum(axis=-1)
        return ((theta - best) * self.mean).sum(axis=-1) + 0.5 * self.curvature * squares


def regularised_minimiser(users: Summary, regulariser: float, centre: Array, balls: Sequence[Ball]) -> Array:
    """argmin over the intersection of the balls of L(θ; x) + (λ/2)‖θ − centre‖²: (trials, d).

    The objective is (c + λ)/2·‖θ − v‖² + const with v = (λ·centre − ā)/(c + λ), so the minimiser is the
    projection of v. A row is NaN where the balls do not meet or the centre is NaN.
    """
    non_negative(regulariser=regulariser)
    hessian = users.curvature + regulariser
    positive(**{"curvature + regulariser": hessian})
    return project((regulariser * centre - users.mean) / hessian, balls)
