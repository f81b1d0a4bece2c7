"""Algorithms 3 to 6 written down a second time, and a program's transcript held against them.

The noise is read from a generator of the same seed as the program's. A minimiser over an intersection of
balls is not computed again but recognised: v − p must be a non-negative combination of the outward normals p
− c of the balls on whose surface p lies, which decides in any dimension whether p is the projection of v.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from claims.ghazi2023.algorithm_1 import kappa_and_sigma
from claims.ghazi2023.algorithm_2 import printed_target
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.phases import Phase

Array = np.ndarray
Region = list[tuple[Array, float]]
"""Balls, centres (trials, d), whose intersection is a feasible set."""
LINES = ("N₀", "T", "λᵢ", "Rᵢ", "σᵢ", "nᵢ", "answered", "θ*ᵢ", "θ̂ᵢ", "θ₀", "R′")
"""What is compared."""
SMALLEST = 1e-8
"""Distances are measured in radii, but not in radii below this, where rounding of the coordinates shows."""


@dataclass(slots=True)
class Distances:
    """The largest distance that was met, by what was compared."""

    of: dict[str, float] = field(default_factory=dict[str, float])
    refused: int = 0

    def note(self, line: str, distance: float) -> None:
        assert line in LINES
        self.of[line] = max(self.of.get(line, 0.0), distance if math.isfinite(distance) else math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """linear (trials, n, d): user i's loss is ⟨aᵢ, θ⟩ + (c/2)‖θ‖²; 𝒦; m samples a user; G on 𝒦."""

    linear: Array
    curvature: float
    lipschitz: float
    m: float
    region: Region

    @property
    def shape(self) -> tuple[int, int, int]:
        trials, n, d = self.linear.shape
        return trials, n, d

    @property
    def balls(self) -> list[Ball]:
        """𝒦 for the implementation."""
        return [Ball(centre, radius) for centre, radius in self.region]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What SCOutputPert is called with: budget, β, G and μ."""

    epsilon: float
    delta: float
    beta: float
    lipschitz: float
    mu: float

    def sigma(self, n: int, m: float) -> float:
        """σ of line 3 of Algorithm 1."""
        return kappa_and_sigma(self.epsilon, self.delta, self.target(n, m))[1]

    def certified(self, spread: Array, hessian: float, n: int, m: float) -> Array:
        """Whether users' gradients this far from their mean move the optimum by at most Δ (appendix C)."""
        left = n - 4 * kappa_and_sigma(self.epsilon, self.delta, 1.0)[0]
        return spread * n / (hessian * left * (left - 1)) <= self.target(n, m)

    def target(self, n: int, m: float) -> float:
        """Δ of line 3."""
        return printed_target(self.lipschitz, self.mu, n, m, self.beta)


def projection_error(v: Array, p: Array, balls: Sequence[tuple[Array, float]]) -> float:
    """How far p (d,) is from being the nearest point to v (d,) in the intersection, in the smallest radius.

    0 if p lies in every ball and v − p = Σ aₖ(p − cₖ), aₖ ≥ 0, over the balls on whose surface p lies.
    """
    from scipy.optimize import nnls

    unit = max(min(r for _, r in balls), SMALLEST * (1.0 + float(np.linalg.norm(p))))
    if not np.isfinite(p).all():
        return math.inf
    outside = max(float(np.linalg.norm(p - c)) - r for c, r in balls) / unit
    # Near a surface in the smallest radius: a share of a large radius may be more than the small ball.
    near = 1e-6 * unit + 1e-15 * (1.0 + float(np.linalg.norm(p)))
    normals = [p - c for c, r in balls if float(np.linalg.norm(p - c)) > max(r - near, 0.0)]
    gap = v - p
    if not normals:
        return max(outside, float(np.linalg.norm(gap)) / unit)
    directions = [a / max(float(np.linalg.norm(a)), 1e-300) for a in normals]
    rest = float(nnls(np.stack(directions, axis=1), gap)[1])
    return max(outside, rest / max(unit, float(np.linalg.norm(gap))))


def at_the_edge(data: Data, call: Call, hessian: float, trial: int, user: int, share: float) -> None:
    """Moves one user so that the spread of a trial is this share of the largest that is certified."""
    n, d = data.shape[1:]
    unit = np.zeros(d)
    unit[0] = 1.0
    left = n - 4 * kappa_and_sigma(call.epsilon, call.delta, 1.0)[0]
    largest = call.target(n, data.m) * hessian * left * (left - 1) / n
    others = np.delete(data.linear[trial], user, axis=0).mean(axis=0)
    # At distance s from the others' mean the user is s(n − 1)/n from the mean of all.
    data.linear[trial, user] = others + share * largest * n / (n - 1) * unit


def apart(balls: Sequence[tuple[Array, float]]) -> bool:
    """Whether two of the balls do not meet, beyond the rounding of their centres.

    The radii of late phases are below that rounding, and a centre on the edge of 𝒦 is then not outside it.
    """
    for k, (a, r) in enumerate(balls):
        for b, s in balls[k + 1 :]:
            rounding = 1e-14 * float(np.linalg.norm(a) + np.linalg.norm(b))
            if float(np.linalg.norm(a - b)) > r + s + rounding:
                return True
    return False


def spread_of(linear: Array) -> Array:
    """The largest distance of a user's aᵢ to their mean, in each trial."""
    return np.linalg.norm(linear - linear.mean(axis=1, keepdims=True), axis=2).max(axis=1)


def first_answer(
    data: Data, call: Call, theta: Array, corrected: bool, rng: np.random.Generator, seen: Distances
) -> float:
    """Line 3 of Algorithms 5 and 6: holds θ₀ against the optimum on 𝒦 plus noise, and returns σ."""
    trials, n, d = data.shape
    sigma = call.sigma(n, data.m)
    noise = sigma * rng.standard_normal((trials, d))
    for t in range(trials):
        balls = [(c[t], r) for c, r in data.region]
        (centre, radius), free = balls[0], -data.linear[t].mean(axis=0) / data.curvature
        away = float(np.linalg.norm(free - centre))
        optimum = free if away <= radius else centre + (free - centre) * radius / away
        moved = optimum + noise[t]
        error = projection_error(moved, theta[t], balls) if corrected else _far(theta[t], moved, sigma)
        seen.note("θ₀", error)
    return sigma


def phase(
    done: Phase,
    regulariser: float,
    part: Data,
    centre: Array,
    call: tuple[float, float, float],
    corrected: bool,
    rng: np.random.Generator,
    seen: Distances,
) -> None:
    """Lines 8 to 12 of Algorithm 3 on the users of this phase, held against what the program did.

    regulariser  λᵢ.   part  users and region, 𝒦, or 𝒦′ of Algorithms 5 and 6.   centre  θ̂ᵢ₋₁.
    call         (ε, δ, β) of this phase.
    """
    trials, n, d = part.shape
    radius = part.lipschitz / regulariser
    hessian = part.curvature + regulariser
    outer = Call(epsilon=call[0], delta=call[1], beta=call[2], lipschitz=2.0 * part.lipschitz, mu=regulariser)
    sigma = outer.sigma(n, part.m)
    good = outer.certified(spread_of(part.linear), hessian, n, part.m)
    noise = sigma * rng.standard_normal((trials, d))
    wanted = (regulariser * centre - part.linear.mean(axis=1)) / hessian
    seen.note("λᵢ", abs(done.regulariser / regulariser - 1.0))
    seen.note("Rᵢ", abs(done.radius / radius - 1.0))
    seen.note("σᵢ", abs(done.sigma / sigma - 1.0))
    seen.note("nᵢ", abs(done.users - n))
    for t in range(trials):
        outer_balls = [(c[t], r) for c, r in part.region]
        balls = [*outer_balls, (centre[t], radius)]
        answers = bool(good[t]) and not np.isnan(centre[t]).any() and not apart(balls)
        seen.refused += not answers
        seen.note("answered", float(done.answered[t] != answers or np.isnan(done.theta[t]).any() == answers))
        if not answers:
            continue
        seen.note("θ*ᵢ", projection_error(wanted[t], done.minimiser[t], balls))
        moved = done.minimiser[t] + noise[t]
        corrected_error = projection_error(moved, done.theta[t], outer_balls) if corrected else 0.0
        seen.note("θ̂ᵢ", corrected_error if corrected else _far(done.theta[t], moved, sigma))


def _far(a: Array, b: Array, sigma: float) -> float:
    """Distance in units of σ, or of the rounding error of the coordinates where σ is below that."""
    return float(np.linalg.norm(a - b)) / max(sigma, SMALLEST * (1.0 + float(np.linalg.norm(b))))
