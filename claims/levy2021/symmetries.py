r"""Algorithms 1 to 4 and 6: the programs have the symmetries of what the paper states (Levy et al. 2021).

A mean follows its data. Nothing depends on the units of the loss and of the space, on the origin, on the
order of users and items, or on other runs or datasets of a batch; as ε goes to 0 the output of a private
program has one law on all datasets.

How it is checked. Row by row, with `audits.symmetries`: exactly where the same generator and changed inputs
must give the output changed as stated; by two samples elsewhere, with the distance between distribution
functions that would have been seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audits.symmetries import (
    Program,
    formula,
    mapped,
    of_loss,
    of_space,
    reordered,
    repeated,
    shifted,
    turn,
    with_zero,
)
from claims import symmetric
from claims.levy2021 import PAPER
from implementations.interfaces import Array
from implementations.levy2021 import (
    finite_class,
    first_order,
    gaussian_mean,
    phased_erm,
    private_range,
    reduction,
    winsorized_mean_1d,
    winsorized_mean_highd,
)
from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget

LINE = np.array([-1.125, -0.625, 0.25, 0.25, 0.625, 1.875, -1.875])
"""Seven users in [−2, 2]: a tie, a gap, both ends; nobody between two bins, where a reflection shows."""
SPREAD = np.array([[0.5, 0.25, 0.0], [0.0, -0.75, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.25, 0.0]])
Step = Callable[..., first_order.Method]


def range_centre(rng: np.random.Generator, x: Array, runs: int, **p: Any) -> Array:
    return private_range.draw_centres(np.broadcast_to(x, (runs, *x.shape)), rng=rng, **p)


def mean_1d(rng: np.random.Generator, x: Array, runs: int, **p: Any) -> Array:
    return winsorized_mean_1d.winsorized_mean_1d(np.broadcast_to(x, (runs, *x.shape)), rng=rng, **p)


def mean_d(rng: np.random.Generator, x: Array, epsilon: float, runs: int, **p: float) -> Array:
    told = PrivacyBudget(epsilon, 1e-6), Concentration(**p, gamma=0.01)
    return winsorized_mean_highd.winsorized_mean_highd(np.broadcast_to(x, (runs, *x.shape)), *told, rng)


def gaussian(rng: np.random.Generator, x: Array, runs: int, **p: float) -> Array:
    return gaussian_mean.gaussian_mean(np.broadcast_to(x, (runs, *x.shape)), rng=rng, **p)


def selected(rng: np.random.Generator, losses: Array, epsilon: float, runs: int, **p: float) -> Any:
    return finite_class.learn_finite_class(losses, epsilon, Concentration(**p, gamma=0.01), 0.3, runs, rng)


def everywhere(theta: Array) -> Array:
    return theta


STEPS: dict[str, Step] = {
    "convex": lambda rng, H, mu, R, nu: first_order.averaged_sgd(everywhere, H, R, nu, 6),
    "strongly convex": lambda rng, H, mu, R, nu: first_order.strongly_convex_sgd(everywhere, H, mu, 6),
    "non-convex": lambda rng, H, mu, R, nu: first_order.nonconvex_sgd(everywhere, H, mu * R**2, nu, 6, rng),
}


def method(step: Step) -> Program:
    """The method on a quadratic loss around `target`, with noise of size ν."""

    def run(rng: np.random.Generator, start: Array, target: Array, origin: float, **p: float) -> Array:
        noise = iter(p["nu"] * rng.standard_normal((6, *start.shape)))
        found = first_order.run_method(
            step(rng, **p), lambda theta: p["H"] * (theta - target - origin) + next(noise), start + origin, 6
        )
        return found - origin

    return Program(
        run=run,
        inputs={"start": np.array([[1.0, -2.0]]), "target": np.array([0.5, 0.25]), "origin": 0.0, "H": 3.0,
                "mu": 0.5, "R": 2.0, "nu": 0.7},
        changes=[*of_loss(0, "H", "mu", "nu"), *of_space(1, start=1, target=1, R=1, H=-2, mu=-2, nu=-1),
                 shifted("origin")],
    )  # fmt: skip


def algorithm_4(rng: np.random.Generator, z: Array, origin: float, tau: float, **p: float) -> Array:
    """Two phases of 30 and 15 users with the gradients H(θ − z_u), in a box around the origin."""
    problem = phased_erm.Instance(n=60, m=5, d=4, epsilon=0.8, delta=1e-6, **p)
    half = 0.5 * problem.diameter
    found = phased_erm.phased_erm(
        problem, lambda theta, of: problem.smoothness * (theta[:, None] - origin - z[None, of]),
        np.full((3, 4), origin), lambda theta: np.clip(theta, origin - half, origin + half),
        Concentration(tau, problem.lipschitz, 1e-3), rng, schedule=phased_erm.phases(problem)[:2],
        constants="tuned",
    )  # fmt: skip
    return found - origin


DATA: dict[str, Any] = {"x": LINE, "epsilon": 1.5, "tau": 0.5, "bound": 2.0, "runs": 3}
OF_DATA = [*of_space(1, x=1, tau=1, bound=1), reordered("x")]
MIRRORED = mapped("reflection", np.negative, "x")
ENDS = [{"epsilon": 1e-7, "x": x} for x in (np.full(7, -2.0), np.full(7, 2.0), 1e-3 * LINE)]
CORNERS = [{"epsilon": 1e-7, "x": x} for x in (np.ones((5, 3)), -np.ones((5, 3)), 1e-3 * SPREAD)]
ONE_PLACE, TWO_PLACES = np.zeros(4000), np.repeat([-2.0, 2.0], 2000)
"""Two datasets whose least costs differ by 2,000."""
PROBLEM = {"sigma": 0.7, "lipschitz": 3.0, "smoothness": 0.4, "diameter": 2.0}
LOSSES = ("sigma", "lipschitz", "smoothness")
LENGTHS = {"sigma": -1.0, "lipschitz": -1.0, "smoothness": -2.0, "diameter": 1.0}

PROGRAMS: dict[str, Program] = {
    "bin of a point": formula(
        lambda x, origin: private_range.bins_for(0.5, 2.0**40).index(x + origin) - origin, shifted("origin"),
        x=LINE, origin=0.0,
    ),
    "private range": Program(
        run=range_centre, inputs=DATA, changes=OF_DATA, laws=[MIRRORED], blind=ENDS, runs="runs"
    ),
    "private range, a wide one": Program(
        run=range_centre, inputs=DATA | {"x": np.full(7, 2.0**39), "epsilon": 0.2, "bound": 2.0**40},
        changes=OF_DATA, laws=[MIRRORED], runs="runs",
    ),
    "private range of several datasets": Program(
        run=lambda rng, x: private_range.draw_centres(x, 1.0, 0.5, 2.0, rng),
        inputs={"x": ONE_PLACE[None]}, datasets=("x", (ONE_PLACE, TWO_PLACES)),
    ),
    "Algorithm 1": Program(
        run=mean_1d, inputs=DATA, changes=OF_DATA, laws=[MIRRORED], blind=ENDS, runs="runs"
    ),
    "Algorithm 2": Program(
        run=mean_d, inputs=DATA | {"x": SPREAD, "bound": 1.0}, changes=OF_DATA, blind=CORNERS, runs="runs",
        laws=[mapped("reflection of one coordinate", lambda x: x * np.array([-1.0, 1.0, 1.0]), "x")],
    ),
    "Gaussian mechanism": Program(
        run=gaussian, inputs={"x": SPREAD, "reach": 0.75, "scale": 0.2, "runs": 3}, runs="runs",
        changes=[*of_space(1, x=1, reach=1, scale=1), reordered("x"), repeated("x")],
        laws=[mapped("rotation", turn(3), "x")],
        blind=[{"scale": 1e9, "x": x} for x in (np.ones((5, 3)), -np.ones((5, 3)), 0.0 * SPREAD)],
    ),
    **{f"method, {name}": method(step) for name, step in STEPS.items()},
    "Algorithm 4": Program(
        run=algorithm_4,
        inputs=PROBLEM | {"z": np.tile(SPREAD[:, [0, 1, 2, 0]], (12, 1)), "tau": 0.4, "origin": 0.0},
        changes=[*of_loss(0, *LOSSES, "tau"), *of_space(1, **LENGTHS, tau=-1, z=1), shifted("origin")],
    ),
    "selection": Program(
        run=selected, runs="runs", changes=[*of_loss(0, "losses", "tau", "bound"), reordered("losses")],
        inputs={"losses": np.column_stack([LINE, 0.5 * LINE, np.ones(7)]), "epsilon": 3.0, "tau": 0.5,
                "bound": 2.0, "runs": 3},
        blind=[{"epsilon": 1e-7, "losses": np.tile(row, (7, 1))} for row in (np.zeros(3), LINE[4:])],
    ),
    "samples given their means": Program(
        run=lambda rng, mean, sd, origin: reduction.samples_given_means(mean + origin, 4, sd, rng) - origin,
        inputs={"mean": SPREAD, "sd": 0.7, "origin": 0.0},
        changes=[*of_space(1, mean=1, sd=1), shifted("origin")],
    ),
    "means of users": formula(
        lambda x: reduction.user_means(x), reordered("x", axis=1), repeated("x", axis=1),
        with_zero("x", n=5, axis=1), mapped("rotation", turn(3), "x"), x=SPREAD[None],
    ),
}  # fmt: skip

CLAIM = symmetric(PAPER, "Algorithms 1 to 4 and 6", "sections 3 to 5", PROGRAMS)
