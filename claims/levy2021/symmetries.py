r"""Algorithms 1 to 4 and 6: the programs have the symmetries of what the paper states (Levy et al. 2021).

T of a phase, the number of users that is asked for and every β are numbers without a unit; λ has the unit of
the loss over that of θ squared; a mean follows its data. Each row below says what a formula or a program of
Algorithms 1 to 4 and 6 has of this, and `audits.symmetries` runs it: units of the loss and of the space from
2⁻⁴⁰ to 2⁴⁰, a shift of the origin by 2³⁰, users and items in another order, a reflection, other kinds of
arrays; of a batch, that no run repeats or follows another and that very different datasets do not touch each
other; of private programs, that the output has one law on all datasets as ε goes to 0.

How it is checked. Exactly where the law allows: the same generator, changed inputs, and the output changed as
stated; by two samples elsewhere, with the distance between distribution functions that would have been seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audits.symmetries import (
    Program,
    formula,
    larger,
    mapped,
    of_loss,
    of_space,
    reordered,
    repeated,
    shifted,
    turn,
    unit,
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
    users,
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


def oracle(rng: np.random.Generator, mean: Array, tau: float, runs: int) -> Array:
    plan = winsorized_mean_highd.highd_plan(50, 3, 0.5, 1e-6, tau, 9.0, 0.01)
    return winsorized_mean_highd.noisy_mean(np.broadcast_to(mean, (runs, 3)), plan, 50, rng)


def gaussian(rng: np.random.Generator, x: Array, runs: int, **p: float) -> Array:
    return gaussian_mean.gaussian_mean(np.broadcast_to(x, (runs, *x.shape)), rng=rng, **p)


def selected(rng: np.random.Generator, losses: Array, epsilon: float, runs: int, **p: float) -> Any:
    return finite_class.learn_finite_class(losses, epsilon, Concentration(**p, gamma=0.01), 0.3, runs, rng)


def gaussian_users(rng: np.random.Generator, mean: Array, sd: float, origin: float, runs: int) -> Array:
    people = users.GaussianPopulation(tuple(mean + origin), sd)
    return people.user_means(4, 9, runs, rng) - origin


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


def each_phase(of: Callable[[phased_erm.Instance, phased_erm.Phase], float]) -> Callable[..., Array]:
    """A number of each phase that has a user."""

    def run(**p: float) -> Array:
        problem = phased_erm.Instance(n=900, m=5, d=4, epsilon=0.8, delta=1e-6, **p)
        return np.array([of(problem, phase) for phase in phased_erm.phases(problem) if phase.users])

    return run


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
    "noise of Algorithm 1": formula(
        lambda **p: winsorized_mean_1d.noise_scale(**p), *of_space(1, tau=1), *unit("ε", -1, epsilon=1),
        *larger("n over ε", 0, epsilon=-1, n=1), n=50, epsilon=0.3, tau=0.7,
    ),
    "β of Algorithm 1": formula(
        lambda **p: winsorized_mean_1d.failure_probability(**p), *of_space(0, tau=1, bound=1),
        *larger("n over ε", 0, epsilon=-1, n=1), n=50, epsilon=0.5, tau=0.7, bound=9.0,
    ),
    "users of Algorithm 1": formula(
        lambda **p: winsorized_mean_1d.users_needed(**p), *of_space(0, tau=1, bound=1),
        failure=1e-3, epsilon=0.5, tau=0.7, bound=9.0,
    ),
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
    "Algorithm 2, one user": Program(
        run=mean_d, inputs=DATA | {"x": SPREAD[:1], "bound": 1.0}, changes=OF_DATA
    ),
    "oracle of Theorem 2": Program(
        run=oracle, inputs={"mean": SPREAD[0], "tau": 0.5, "runs": 3}, changes=of_space(1, mean=1, tau=1),
        laws=[mapped("reflection", np.negative, "mean")], runs="runs",
    ),
    "Gaussian mechanism": Program(
        run=gaussian, inputs={"x": SPREAD, "reach": 0.75, "scale": 0.2, "runs": 3}, runs="runs",
        changes=[*of_space(1, x=1, reach=1, scale=1), reordered("x"), repeated("x")],
        laws=[mapped("rotation", turn(3), "x")],
        blind=[{"scale": 1e9, "x": x} for x in (np.ones((5, 3)), -np.ones((5, 3)), 0.0 * SPREAD)],
    ),
    "mean of the Gaussian mechanism": Program(
        run=gaussian, inputs={"x": SPREAD, "reach": 0.75, "scale": 1e-200, "runs": 1},
        changes=[with_zero("x", n=5), repeated("x"), mapped("rotation", turn(3), "x")],
    ),
    "noise of the Gaussian mechanism": formula(
        lambda **p: gaussian_mean.gaussian_scale(**p), *of_space(1, reach=1), *larger("users", -1, n=1),
        n=50, reach=0.75, epsilon=0.5, delta=1e-6,
    ),
    **{f"method, {name}": method(step) for name, step in STEPS.items()},
    "λ of the phases": formula(
        each_phase(lambda _, phase: phase.regulariser), *of_loss(1, *LOSSES), *of_space(-2, **LENGTHS),
        **PROBLEM,
    ),
    "T of the phases": formula(
        each_phase(lambda problem, phase: phased_erm.steps_of_phase(problem, phase)), *of_loss(0, *LOSSES),
        *of_space(0, **LENGTHS), **PROBLEM,
    ),
    "β of the phases": formula(
        lambda tau, **p: each_phase(
            lambda problem, phase: phased_erm.phase_failure(problem, phase, tau, 1e-6, "tuned")
        )(**p),
        *of_loss(0, *LOSSES, "tau"), *of_space(0, **LENGTHS, tau=-1), tau=0.3, **PROBLEM,
    ),
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
    "signs of users": Program(
        run=lambda rng, radius: users.SignPopulation(radius, (0.25, 0.5), 0.3).user_means(4, 9, 3, rng),
        inputs={"radius": 1.5}, changes=of_space(1, radius=1),
    ),
    "Gaussian users": Program(
        run=gaussian_users, inputs={"mean": SPREAD[0], "sd": 0.7, "origin": 0.0, "runs": 3}, runs="runs",
        changes=[*of_space(1, mean=1, sd=1), shifted("origin")],
    ),
    "radius of bounded samples": formula(
        lambda **p: users.bounded_radius(**p), *of_space(1, bound=1), *larger("items", -0.5, m=1),
        n=50, m=400, bound=0.7, gamma=0.01,
    ),
    "radius of Gaussian samples": formula(
        lambda **p: users.gaussian_radius(**p), *of_space(1, sd=1), *larger("items", -0.5, m=1),
        n=50, d=3, m=400, sd=0.7, gamma=0.01,
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
