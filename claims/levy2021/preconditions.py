r"""Preconditions: what the programs of this paper refuse.

Theorem 1 bounds the probability that the interval misses the users, Theorem 2 the same in d dimensions; a
program that is told which failure probability is allowed refuses datasets of too few users. The split of the
budget over T answers is proved for ε ≤ 1 (theorem-3-privacy), Algorithm 4 asks for δ ≤ 1/n² and for
gradients bounded by the Lipschitz constant that its regulariser knows.

How it is checked. Calls outside the ranges raise ValueError, and the same calls inside are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, equals, grid
from claims.levy2021 import PAPER
from implementations.levy2021 import adaptive_queries, finite_class, first_order, phased_erm
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.winsorized_mean_1d import winsorized_mean_1d
from implementations.levy2021.winsorized_mean_highd import winsorized_mean_highd
from implementations.privacy import PrivacyBudget

Call = Callable[[], Any]
ALLOWED = 0.01
"""The failure probability that the calls allow."""


def refused(call: Call) -> bool:
    """Whether a call raises ValueError."""
    try:
        call()
    except ValueError:
        return True
    return False


def of_means(rng: np.random.Generator) -> tuple[list[Call], list[Call]]:
    """Means in one dimension and in four, and a finite class: too few users for the failure probability."""

    def line(n: int) -> Any:
        return winsorized_mean_1d(np.zeros(n), 1.0, 0.1, 1.0, rng, failure=ALLOWED)

    def plane(n: int) -> Any:
        told = Concentration(0.1, 1.0, 1e-6, failure=ALLOWED)
        return winsorized_mean_highd(np.zeros((n, 4)), PrivacyBudget(1.0, 1e-3), told, rng)

    def learn(n: int) -> Any:
        told = Concentration(0.1, 1.0, failure=ALLOWED)
        return finite_class.learn_finite_class(np.zeros((n, 2)), 1.0, told, 0.5, 2, rng)

    few = [partial(line, 10), partial(plane, 100), partial(learn, 10)]
    outside = partial(winsorized_mean_highd, np.full((4000, 4), 2.0), PrivacyBudget(1.0, 1e-3),
                      Concentration(0.1, 1.0, 1e-6), rng)  # fmt: skip
    return [*few, outside], [partial(line, 1000), partial(plane, 4000), partial(learn, 1000)]


def of_answers(rng: np.random.Generator) -> tuple[list[Call], list[Call]]:
    """Answers to adaptive queries and to an optimiser: budgets above 1."""
    told = Concentration(0.1, 1.0, 1e-6)

    def adaptive(epsilon: float) -> Any:
        return adaptive_queries.answer_adaptively(
            np.zeros((50, 1)), lambda answers: lambda data: data, 2, PrivacyBudget(epsilon, 1e-3), told, rng
        )

    def descend(epsilon: float) -> Any:
        method = first_order.projected_sgd(lambda theta: theta, 0.1)
        return first_order.winsorized_first_order(
            lambda theta: np.zeros((1, 50, 1)),
            method,
            np.zeros((1, 1)),
            2,
            PrivacyBudget(epsilon, 1e-3),
            told,
            rng,
        )

    calls = (adaptive, descend)
    return [partial(c, 1.01) for c in calls], [partial(c, 1.0) for c in calls]


def of_phases(rng: np.random.Generator) -> tuple[list[Call], list[Call]]:
    """Algorithm 4: δ above 1/n², and a bound that is not the Lipschitz constant."""
    n = 4000
    sizes = {
        "n": n,
        "m": 4,
        "d": 1,
        "epsilon": 1.0,
        "sigma": 1.0,
        "lipschitz": 1.0,
        "smoothness": 1.0,
        "diameter": 2.0,
    }
    problem = phased_erm.Instance(**sizes, delta=1.0 / n**2)

    def run(bound: float) -> Any:
        schedule = phased_erm.phases(problem)[:1]
        return phased_erm.phased_erm(
            problem, lambda theta, part: np.zeros((1, n, 1))[:, part], np.zeros((1, 1)), lambda theta: theta,
            Concentration(0.1, bound, 1e-6), rng, schedule=schedule,
        )  # fmt: skip

    above = partial(phased_erm.Instance, **sizes, delta=1.01 / n**2)
    return [above, partial(run, 2.0), partial(run, 0.5)], [partial(run, 1.0)]


PROGRAMS = {"means": of_means, "answers": of_answers, "phases": of_phases}


def check(point: Point) -> Iterator[Evidence]:
    """Each call by itself."""
    outside, inside = PROGRAMS[point.program](np.random.default_rng(61))
    for i, call in enumerate(outside):
        yield equals(f"refusals of call {i + 1} outside its range", int(refused(call)), 1, point=point.axes)
    for i, call in enumerate(inside):
        yield equals(f"refusals of call {i + 1} inside its range", int(refused(call)), 0, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Preconditions",
    "algorithms 1 to 4, appendix A",
    kind=Kind.IDENTITY,
    role="program",
    title="What the programs refuse",
    statement=r"The programs refuse too few users for an allowed failure probability, users outside the "
    r"bound, $\varepsilon>1$ where a budget is split over answers, $\delta>1/n^2$ and a bound other than "
    r"$G$ in Algorithm 4; and answer inside.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(program=tuple(PROGRAMS)),
    ci=grid(program=tuple(PROGRAMS)),
)
