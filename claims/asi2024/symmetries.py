r"""Algorithms 1 to 4: the programs have the symmetries of what the paper states (Asi and Liu 2024).

τ and the noise have the unit of the values, η has that of the space over that of a gradient. Nothing depends
on where the values lie, on the order of the users, on the axes or on other runs of a batch; as ε goes to 0
the output of a private program has one law on all datasets.

How it is checked. Row by row, with `audits.symmetries`: exactly where the same generator and changed inputs
must give the output changed as stated; by two samples elsewhere, with the distance between distribution
functions that would have been seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.symmetries import Program, formula, mapped, of_loss, of_space, reordered, shifted, turn, unit
from claims import symmetric
from claims.asi2024 import PAPER
from implementations.asi2024 import concentration, dp_sgd, outlier_removal, smoothing
from implementations.asi2024.above_threshold import AboveThreshold
from implementations.interfaces import Array

FAR = np.array([[0.0, 0.0], [0.75, 0.25], [1.5, 0.0], [3.0, -1.0], [-2.0, 0.5], [0.5, -0.75], [0.0, 0.0]])
"""Seven users in the plane at τ = 1: some near all, some near few, two at one place."""


def answers(rng: np.random.Generator, x: Array, origin: float, tau: float, noise: float, runs: int) -> Array:
    """Two queries of Algorithm 1 that nobody halts; the second has the values turned round."""
    plan = outlier_removal.Plan(n=len(x), queries=2, tau=tau, budget=0.5, threshold=-1e9, noise=noise)
    mean = outlier_removal.OutlierRemovingMean(plan, runs, rng)
    return np.concatenate([mean.answer(side * x + origin).values - origin for side in (1.0, -1.0)], axis=1)


def blind_answer(rng: np.random.Generator, x: Array, epsilon: float, runs: int) -> Array:
    """The first answer over its noise, with the printed plan."""
    plan = outlier_removal.printed_plan(len(x), 1, epsilon, 1e-3, 1.0)
    return outlier_removal.OutlierRemovingMean(plan, runs, rng).answer(x).values / plan.noise


def halting(rng: np.random.Generator, scores: Array, epsilon: float, runs: int) -> Array:
    above = AboveThreshold(epsilon, 0.5, runs, rng)
    return np.array([above.answer(score) for score in scores]).sum(axis=0, dtype=float)[:, None]


def descent(rng: np.random.Generator, start: Array, target: Array, origin: float, **p: float) -> Array:
    """Three steps of Algorithm 2 on the smoothed loss (G/2R)‖θ − z‖² of four users of two items."""
    setting = dp_sgd.Parameters(steps=3, step_size=p["eta"], radius=p["radius"], tau=p["tau"])
    plan = outlier_removal.Plan(
        n=4, queries=3, tau=p["tau"], budget=0.5, threshold=-1e9, noise=0.3 * p["tau"]
    )
    gradients = dp_sgd.smoothed_gradients(
        lambda theta, items: p["curvature"] * (theta - items),
        (target + origin)[:, None].repeat(2, 1),
        p["radius"],
        rng,
    )
    out = dp_sgd.dp_sgd(gradients, start + origin, plan, setting, lambda theta: theta, rng)
    return out.theta - origin


def close(x: Array, origin: float, tau: float) -> Array:
    """Users near each user, the score, and the probabilities to be kept."""
    counts = concentration.neighbour_counts(x + origin, tau)
    score = concentration.concentration_score(x + origin, tau)
    return np.concatenate([counts, [score], concentration.selection_probabilities(counts, len(x))])


def length(power: float, **powers: float) -> list[Any]:
    return unit("unit of the values", power, **powers)


PROGRAMS: dict[str, Program] = {
    "who is near": formula(
        close, *length(0, x=1, tau=1), shifted("origin"), mapped("rotation", turn(2), "x", moves=False),
        x=FAR, origin=0.0, tau=1.0,
    ),
    "score": formula(
        lambda x, tau: concentration.concentration_score(x, tau), reordered("x"), x=FAR, tau=1.0
    ),
    "Algorithm 1": Program(
        run=answers, inputs={"x": FAR, "origin": 0.0, "tau": 1.5, "noise": 0.4, "runs": 3}, runs="runs",
        changes=[*length(1, x=1, tau=1, noise=1), shifted("origin")],
    ),
    "Algorithm 1, blind": Program(
        run=blind_answer, inputs={"x": FAR, "epsilon": 1e-6, "runs": 3}, runs="runs",
        blind=[{"x": x} for x in (FAR, 0.0 * FAR, 1e-3 * FAR, 1e3 * FAR)],
    ),
    "Algorithm 4": Program(
        run=halting, inputs={"scores": np.array([1.0, 0.0, -1.0]), "epsilon": 0.7, "runs": 3},
        blind=[{"epsilon": 1e-7, "scores": s} for s in (np.zeros(3), np.array([50.0, -50.0, 20.0]))],
        runs="runs",
    ),
    "Algorithm 2": Program(
        run=descent,
        inputs={"start": np.array([[1.0, -2.0]]), "target": FAR[:4], "origin": 0.0, "eta": 0.5,
                "radius": 0.25, "curvature": 0.7, "tau": 4.0},
        changes=[*of_space(1, start=1, target=1, radius=1, curvature=-2, eta=2, tau=-1),
                 *of_loss(0, "curvature", "tau", eta=-1), shifted("origin")],
    ),
    "points of the ball": Program(
        run=lambda rng, radius, runs: smoothing.sample_ball((runs,), 3, radius, rng),
        inputs={"radius": 0.7, "runs": 3}, changes=of_space(1, radius=1), runs="runs",
    ),
    "smoothed loss": formula(
        lambda z, radius: smoothing.smoothed_absolute(z, radius, 3), *length(1, z=1, radius=1),
        mapped("reflection", np.negative, "z", moves=False), z=np.array([-0.5, 0.0, 0.25, 3.0]), radius=0.7,
    ),
}  # fmt: skip

CLAIM = symmetric(PAPER, "Algorithms 1 to 4", "sections 3 and 4, appendix A", PROGRAMS, size=8000)
