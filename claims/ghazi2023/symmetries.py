r"""Algorithms 1 to 6: the programs have the symmetries of what the paper states (Ghazi et al. 2023).

Nothing depends on the units of the loss and of the space, on where 𝒦 lies, on the order of users, on the axes
or on other runs of a batch; as ε goes to 0 the noise has one law on all datasets.

How it is checked. Row by row, with `audits.symmetries`: exactly where the same generator and changed inputs
must give the output changed as stated; by two samples elsewhere, with the distance between distribution
functions that would have been seen.
"""

from __future__ import annotations

import numpy as np

from audits.symmetries import Program, formula, mapped, of_loss, of_space, reordered, repeated, shifted, turn
from claims import symmetric
from claims.ghazi2023 import PAPER
from implementations.ghazi2023 import (
    del_output_pert,
    deletion_sensitivity,
    phased_erm,
    sc_output_pert,
    truncated_gaussian,
    truncated_laplace,
)
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Summary, regularised_minimiser
from implementations.ghazi2023.reading import Guarantee, Reading
from implementations.interfaces import Array

PLANE = np.array([[0.5, 0.25], [0.0, -0.75], [1.0, 0.0], [0.0, 0.0], [0.5, 0.25], [-0.5, 0.0]])
"""Six users in the plane, two alike, one at zero."""


def minimiser(mean: Array, centre: Array, strength: float, radius: float, **p: float) -> Array:
    users = Summary(mean, np.zeros(len(mean)), 50, p["curvature"], p["G"], 9.0)
    return regularised_minimiser(users, strength, centre, [Ball(np.zeros(2), radius)])


def noise(rng: np.random.Generator, gamma: Array, delta: float, runs: int) -> Array:
    """The noise of Algorithm 2 for datasets of several spreads, runs of each."""
    p = del_output_pert.parameters(0.5, 0.1, delta)
    spread = np.resize(gamma, runs)
    out, _ = sc_output_pert.sc_output_pert(np.zeros((runs, 2)), spread, 10_000, p, 1.0, rng, quadratic=True)
    return out


def phases(rng: np.random.Generator, mean: Array, G: float, R: float) -> Array:
    """Algorithm 3, repaired, on linear losses; the printed λ."""
    users = Summary(mean, np.full(len(mean), 1e-9 * G), 10_000, 0.0, G, 1e6)
    base = phased_erm.printed_regulariser(G, R, 10_000, 1e6, 2)
    found = phased_erm.phased_erm(
        users, [Ball(np.zeros(2), R)], np.zeros(2), Guarantee(1.0, 0.1, 0.1), base, rng,
        reading=Reading(variant="corrected", schedule="fewer"),
    )  # fmt: skip
    return found[-1].theta


def deletions(rng: np.random.Generator, runs: int) -> Array:
    return truncated_laplace.draw(0.5, 1e-3, runs, rng)[:, None].astype(float)


def answers(rng: np.random.Generator, runs: int) -> Array:
    """Algorithm 1 on users of two kinds; ⊥ is −100."""
    p = del_output_pert.parameters(1.0, 0.5, 0.5)

    def mean(counts: Array) -> Array:
        return counts[..., :1] / np.maximum(counts.sum(axis=-1, keepdims=True), 1.0)

    table = deletion_sensitivity.count_table(mean, (3, 12))
    return np.nan_to_num(del_output_pert.del_output_pert(table, p, runs, rng), nan=-100.0)


def samples(rng: np.random.Generator, items: Array, sigma: float, origin: float) -> Array:
    return truncated_gaussian.user_from_item(items + origin, 4, sigma, rng) - origin


PROGRAMS: dict[str, Program] = {
    "minimiser": formula(
        minimiser, *of_loss(0, "mean", "G", "curvature", "strength"),
        mapped("rotation", turn(2), "mean", "centre"),
        *of_space(1, mean=-1, G=-1, curvature=-2, strength=-2, centre=1, radius=1),
        mean=PLANE, centre=PLANE[::-1], G=2.0, curvature=0.3, strength=0.7, radius=0.9,
    ),
    "largest gradient": formula(
        lambda x: sc_output_pert.largest_norm(x[None], centred=True), *of_loss(1, "x"), reordered("x"),
        repeated("x"), mapped("rotation", turn(2), "x", moves=False), x=PLANE,
    ),
    "sensitivity of a mean": formula(
        lambda x: deletion_sensitivity.mean_sensitivity(x, 2), *of_space(1, x=1), reordered("x"),
        shifted("x", 2.0**20), x=PLANE[:, 0],
    ),
    "noise of Algorithm 2": Program(
        run=noise, inputs={"gamma": np.array([0.0, 0.125, 0.5]), "delta": 0.3, "runs": 3},
        changes=of_space(1, gamma=1, delta=1), runs="runs",
        blind=[{"gamma": np.array(g)} for g in ([0.0], [0.5], [0.5, 0.0])],
    ),
    "Algorithm 3": Program(
        run=phases, inputs={"mean": PLANE, "G": 1.5, "R": 0.7},
        changes=[*of_loss(0, "mean", "G"), *of_space(1, mean=-1, G=-1, R=1)],
    ),
    "number of deletions": Program(run=deletions, inputs={"runs": 3}, runs="runs"),
    "Algorithm 1": Program(run=answers, inputs={"runs": 3}, runs="runs"),
    "truncated Gaussian": Program(
        run=lambda rng, mean, sigma, bound, runs: truncated_gaussian.draw(mean, sigma, bound, (runs,), rng),
        inputs={"mean": PLANE[0], "sigma": 0.7, "bound": 1.5, "runs": 3},
        changes=of_space(1, mean=1, sigma=1, bound=1), runs="runs",
    ),
    "samples of a user": Program(
        run=samples,
        inputs={"items": PLANE, "sigma": 0.7, "origin": 0.0},
        changes=[*of_space(1, items=1, sigma=1), shifted("origin")],
    ),
}  # fmt: skip

CLAIM = symmetric(PAPER, "Algorithms 1 to 6", "sections 3 to 5", PROGRAMS, size=8000)
