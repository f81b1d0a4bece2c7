r"""Theorem D.7: the lower-bound instance, with this paper's own algorithms run on it.

The instance of the proof with the radius that makes it G-Lipschitz, B = G/(2μ): users hold m draws of a
truncated normal law N(χ, σ²I; B), σ = B/(1000√d), the loss is (μ/2)‖θ − x‖² on the ball of radius B, and χ
is uniform on the cube of side 2σ/√m, the prior of the fingerprinting argument. Algorithm 2 answers the mean
of all samples plus N(0, s²I), so that its excess population risk is (μ/2)(ds² + dσ²/(nm)), s from the
printed σ of line 3. Algorithm 6 begins with Algorithm 2 on half of the budget and stays within R′ of that
answer, where the noise of its last phase, which does not fall with m (algorithm-4-utility), leaves it. All
risks lie above the bound (G²/μ)·d/(8·10¹⁰·ε²n²m), by a factor of 10²⁰ and more: a comparison with the bound
alone would not notice a mechanism with half of the noise, and a risk is held against its formula from both
sides.

How it is checked. Algorithms 2 and 6 are run on user means drawn from their law; the largest distance of a
user mean from 0 is far below B, so that the truncation is never met. The mean risk against its formula by
sampling, and against the lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, at_least, at_most, grid, mean_equals
from claims.ghazi2023 import PAPER
from claims.ghazi2023.algorithm_3 import printed_sigma
from implementations.ghazi2023 import hard_instances, strongly_convex_erm, strongly_convex_sco
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Users
from implementations.ghazi2023.reading import Guarantee, Reading

LIPSCHITZ, MU, DELTA, BETA = 1.0, 0.5, 1e-6, 1e-3
CONSTANT = 64.0
"""C of N₀ = C·log(1/δ)/ε, line 3 of Algorithm 4."""


def instance(point: Point) -> hard_instances.Instance:
    """The instance with B = G/(2μ), on which the loss is G-Lipschitz."""
    return hard_instances.Instance(LIPSCHITZ / 2.0, MU, point.n, round(point.m), point.d, point.epsilon)


def users_of(point: Point) -> tuple[Users, np.ndarray]:
    """Users with the gradients −μ·(mean of their samples) at 0, and χ: (trials, d)."""
    hard, rng, shape = instance(point), point.rng, (point.runs, point.n, point.d)
    sd = hard.sigma / math.sqrt(point.m)
    chi = sd * rng.uniform(-1.0, 1.0, (point.runs, point.d))
    means = chi[:, None, :] + sd * rng.standard_normal(shape)
    return Users(-MU * means, MU, LIPSCHITZ, point.m), chi


def check_output_perturbation(point: Point) -> Iterator[Evidence]:
    """Algorithm 2: the mean plus noise."""
    hard, (users, chi) = instance(point), users_of(point)
    guarantee = Guarantee(point.epsilon, DELTA, BETA)
    theta, _ = strongly_convex_erm.localise(
        users.summary(), [Ball(np.zeros(point.d), hard.radius)], np.zeros_like(chi), guarantee, point.rng,
        reading=Reading(),
    )  # fmt: skip
    risk = 0.5 * MU * ((theta - chi) ** 2).sum(axis=1)
    noise = printed_sigma(point.epsilon, DELTA, BETA, LIPSCHITZ, MU, point.n, point.m)
    formula = 0.5 * MU * point.d * (noise**2 + hard.sigma**2 / (point.n * point.m))
    yield from judged(point, risk / formula, formula, "Algorithm 2")


def check_sco(point: Point) -> Iterator[Evidence]:
    """Algorithm 6: line 3 is Algorithm 2 with half of the budget, and its answer lies within R′ of that."""
    hard, (users, chi) = instance(point), users_of(point)
    ball, guarantee = [Ball(np.zeros(point.d), hard.radius)], Guarantee(point.epsilon, DELTA, BETA)
    done = strongly_convex_sco.strongly_convex_sco(
        users, ball, guarantee, CONSTANT, point.rng, reading=Reading(variant="corrected")
    )
    noise = printed_sigma(point.epsilon / 2.0, DELTA / 2.0, BETA, LIPSCHITZ, MU, point.n, point.m)
    formula = 0.5 * MU * point.d * (noise**2 + hard.sigma**2 / (point.n * point.m))
    first = 0.5 * MU * ((done.first - chi) ** 2).sum(axis=1)
    yield from judged(point, first / formula, formula, "line 3 of Algorithm 6")
    away = np.linalg.norm(done.theta - done.first, axis=1).max() / done.radius
    yield at_most("distance of the answer from line 3 over R′", float(away), 1.0 + 1e-6, decides=False)
    moved = 0.5 * MU * ((done.theta - done.phases[-1].minimiser) ** 2).sum(axis=1).mean()
    yield at_least(
        "(μ/2)·E‖answer − last minimiser‖² over (μ/2)σ²", moved / (0.5 * MU * noise**2), 0.1, decides=False
    )
    risk = 0.5 * MU * ((done.theta - chi) ** 2).sum(axis=1).mean()
    yield at_least(
        "excess risk of Algorithm 6 over the lower bound", risk / bound_of(point), 1.0, decides=False
    )


def bound_of(point: Point) -> float:
    """(G²/μ)·d/(8·10¹⁰·ε²n²m)."""
    return LIPSCHITZ**2 / MU * point.d / (8e10 * (point.epsilon * point.n) ** 2 * point.m)


def judged(point: Point, ratio: np.ndarray, formula: float, name: str) -> Iterator[Evidence]:
    """The mean risk over its formula, and the formula over the lower bound."""
    yield mean_equals(f"excess risk of {name} over its formula", ratio, 1.0, alpha=point.alpha)
    yield at_least(
        f"excess risk of {name} over the lower bound", formula / bound_of(point), 1.0, decides=False
    )


def check(point: Point) -> Iterator[Evidence]:
    """One of the two algorithms."""
    yield from (check_output_perturbation if point.algorithm == 2 else check_sco)(point)


CLAIM = Claim(
    PAPER,
    "Theorem D.7",
    "appendix D.2",
    name="theorem-d.7-algorithms",
    kind=Kind.LOWER_BOUND,
    title="Algorithms 2 and 6 on the instance of the lower bound",
    statement=r"On the instance of Theorem D.7 with $B=G/(2\mu)$ Algorithm 2 has excess population risk "
    r"$\frac\mu2(ds^2+d\sigma^2/(nm))$, $s$ the standard deviation of its noise, and line 3 of Algorithm 6 "
    r"has it for half of the budget, the answer within $R'$ of it; all are above "
    r"$(G^2/\mu)\,d/(8\cdot10^{10}\varepsilon^2n^2m)$.",
    expected=CONSISTENT,
    summary="far above the bound, by a factor of 10²⁰ and more",
    check=check,
    largest_resolution=0.5,
    smoke=[
        *grid(algorithm=2, n=400, m=100.0, d=(1, 8), epsilon=1.0, runs=2000),
        *grid(algorithm=6, n=4000, m=1e26, d=2, epsilon=1.0, runs=1200),
    ],
    ci=[
        *grid(algorithm=2, n=(400, 1600), m=100.0, d=(1, 8), epsilon=(0.5, 1.0), runs=2000),
        *grid(algorithm=6, n=(4000, 16_000), m=1e26, d=2, epsilon=1.0, runs=1200),
    ],
)
