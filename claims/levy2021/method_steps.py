r"""Algorithms 3 and 4: the steps, projections and averages are those that the theorems are about.

Theorem 3, Corollary 2 and Theorem 4 speak of first-order methods {Query, Update, Aggregate} that are given
noisy gradients (Levy et al. 2021, section 4 and Algorithm 4; the methods of Proposition 4 are reconstructed).
What such a method does with its answers is not random, but for the iterate that the non-convex variant draws.
So each is given random vectors as answers, which no gradient need be, and must make exactly these steps:

* convex: θ_{t+1} = Π(θ_t − η·g_t), η = 1/(H + ν√(T/2)/R), and θ̂ is the mean of θ_1, …, θ_T;
* strongly convex: η_t = 1/H for t < ⌊T/2⌋, then 2/(μ(s + 2κ)) in step s = 0, 1, … of the rest, κ = H/μ, whose
  iterates are averaged with weights s + 2κ;
* non-convex: η = min(1/(2H), √(Δ/(Hν²T))), and θ̂ is drawn from θ_0, …, θ_{T−1}, each with probability 1/T,
  in every run on its own;
* Algorithm 4: phase t starts where phase t − 1 ended, adds λ_t(θ − θ̂_{t−1}) to the answers and is the
  strongly convex method with H + λ_t and λ_t for H and μ, over the printed number of steps.

Π is the projection onto a ball small enough that many steps are projected, and a run without it is made
besides. The adaptive queries are made one by one, each with all answers before it.

How it is checked. Exactly: all points at which a gradient is asked, and the output, against these formulas.
The drawn iterate by counts: of each iterate, and of pairs of runs that draw the same (binomial limits).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, Tier, equals, grid, mean_equals
from claims.levy2021 import PAPER
from claims.levy2021._strongly_convex import schedule
from implementations import domains
from implementations.levy2021 import adaptive_queries, first_order, phased_erm
from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget

RADIUS, D, RUNS = 0.7, 3, 4
BALL, EVERYWHERE = domains.ball(RADIUS).project, domains.unconstrained().project
ROUNDING = 1e-10
"""Deviation of points of size 1 that is rounding."""


@dataclass(frozen=True, slots=True)
class Case:
    """A method with its parameters: H, μ or Δ, R, ν and T, and the projection."""

    smoothness: float
    second: float
    diameter: float
    noise: float
    steps: int
    project: Callable[[np.ndarray], np.ndarray]


CASES = [
    Case(h, second, r, noise, steps, project)
    for h, second, r, noise in ((1.0, 1.0, 1.0, 0.3), (5.0, 0.4, 2.0, 4.0), (0.2, 0.1, 0.5, 40.0))
    for steps in (1, 2, 5, 8)
    for project in (BALL, EVERYWHERE)
]


def path(case: Case, start: np.ndarray, answers: np.ndarray, sizes: Sequence[float]) -> np.ndarray:
    """θ_0, …, θ_T (T + 1, runs, d) of projected steps with the given answers."""
    thetas = [start]
    for answer, size in zip(answers, sizes, strict=True):
        thetas.append(case.project(thetas[-1] - size * answer))
    return np.array(thetas)


def ran(method: first_order.Method, start: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points (T, runs, d) at which the program asks for an answer, and its output."""
    asked: list[np.ndarray] = []

    def answer(theta: np.ndarray) -> np.ndarray:
        asked.append(theta.copy())
        return answers[len(asked) - 1]

    output = first_order.run_method(method, answer, start, len(answers))
    return np.array(asked), output


def distance(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest deviation, in units of the largest wanted value; infinite where there are more or fewer."""
    if found.shape != wanted.shape:
        return math.inf
    return float(np.abs(found - wanted).max() / max(1.0, float(np.abs(wanted).max())))


def drawn(point: Point, steps: int, runs: int = RUNS) -> tuple[np.ndarray, np.ndarray]:
    """A start inside the ball and answers (T, runs, d)."""
    start = 0.3 * point.rng.standard_normal((runs, D))
    return BALL(start), point.rng.standard_normal((steps, runs, D))


def check_methods(point: Point) -> Iterator[Evidence]:
    worst = {"convex": 0.0, "strongly convex": 0.0, "constant step": 0.0, "non-convex": 0.0}
    for case in CASES:
        start, answers = drawn(point, case.steps)
        high, low = max(case.smoothness, case.second), case.second
        size = 1.0 / (case.smoothness + case.noise * math.sqrt(case.steps / 2.0) / case.diameter)
        sizes, weights = schedule(case.steps, high, low)
        convex = first_order.averaged_sgd(
            case.project, case.smoothness, case.diameter, case.noise, case.steps
        )
        strongly_convex = first_order.strongly_convex_sgd(case.project, high, low, case.steps)
        constant = first_order.projected_sgd(case.project, case.second)
        programs: dict[str, tuple[first_order.Method, list[float], np.ndarray]] = {
            "convex": (convex, [size] * case.steps, np.full(case.steps, 1.0 / case.steps)),
            "strongly convex": (strongly_convex, sizes, weights),
            "constant step": (constant, [case.second] * case.steps, np.ones(1)),
        }
        for name, (method, sizes, weights) in programs.items():
            asked, output = ran(method, start, answers)
            thetas = path(case, start, answers, sizes)
            mean = np.tensordot(weights, thetas[-len(weights) :], axes=1)
            worst[name] = max(worst[name], distance(asked, thetas[:-1]), distance(output, mean))
        method = first_order.nonconvex_sgd(
            case.project, case.smoothness, case.second, case.noise, case.steps, point.rng
        )
        asked, output = ran(method, start, answers)
        least = math.sqrt(case.second / (case.smoothness * case.noise**2 * case.steps))
        size = min(1.0 / (2.0 * case.smoothness), least)
        wanted = path(case, start, answers, [size] * case.steps)[:-1]
        among = float(np.abs(wanted - output).max(axis=-1).min(axis=0).max())
        worst["non-convex"] = max(worst["non-convex"], distance(asked, wanted), among)
    for name, deviation in worst.items():
        yield equals(f"deviation of the steps and the output, {name}", deviation, 0.0, error=ROUNDING)
    still = first_order.nonconvex_sgd(EVERYWHERE, 2.0, 1.0, 0.0, 1, point.rng)
    moved = still.update(first_order.State(0, np.zeros((1, D))), np.ones((1, D))).theta
    yield equals("step of the non-convex method without noise, in 1/(2H)", float(-moved[0, 0]) * 4.0, 1.0)


def check_drawn_iterate(point: Point) -> Iterator[Evidence]:
    """Four steps whose iterates lie far apart; the runs of one call must draw independently."""
    runs, steps = point.trials, 4
    method = first_order.nonconvex_sgd(EVERYWHERE, 1.0, 1.0, 1.0, steps, point.rng)
    answers = -np.ones((steps, runs, 1))
    asked, output = ran(method, np.zeros((runs, 1)), answers)
    picked = np.abs(asked - output).argmin(axis=0).ravel()
    again = np.abs(asked - ran(method, np.zeros((runs, 1)), answers)[1]).argmin(axis=0).ravel()
    shares = point.split(steps + 2)
    for t in range(steps):
        quantity = f"probability of iterate {t} of 4 as the output"
        yield mean_equals(
            quantity, picked == t, 1.0 / steps, alpha=shares[t], method="clopper-pearson",
            largest_resolution=LARGEST,
        )  # fmt: skip
    same = picked[0::2] == picked[1::2]
    yield mean_equals(
        "probability that two calls draw the same iterate", again == picked, 1.0 / steps, alpha=shares[-2],
        method="clopper-pearson", largest_resolution=LARGEST,
    )  # fmt: skip
    yield mean_equals(
        "probability that two runs draw the same iterate", same, 1.0 / steps, alpha=shares[-1],
        method="clopper-pearson", largest_resolution=LARGEST,
    )  # fmt: skip


def check_phases(point: Point) -> Iterator[Evidence]:
    """Algorithm 4 with arbitrary answers: three phases, whose steps and anchors are those of the paper."""
    worst = 0.0
    for project, smoothness in ((BALL, 0.3), (EVERYWHERE, 0.3), (BALL, 6.0)):
        problem = phased_erm.Instance(
            n=64, m=3, d=D, epsilon=0.8, delta=1e-4, sigma=0.5, lipschitz=2.0, smoothness=smoothness,
            diameter=1.5,
        )  # fmt: skip
        phases = [phased_erm.Phase(t, 64 // 2**t, 2.0**t) for t in (1, 2, 3)]
        start, _ = drawn(point, 1)
        asked: list[np.ndarray] = []
        given: list[tuple[int, np.ndarray, float, float]] = []

        def answer(
            theta: np.ndarray, phase: phased_erm.Phase, epsilon: float, delta: float,
            asked: list[np.ndarray] = asked, given: list[tuple[int, np.ndarray, float, float]] = given,
        ) -> np.ndarray:  # fmt: skip
            asked.append(theta.copy())
            given.append((phase.number, point.rng.standard_normal(theta.shape), epsilon, delta))
            return given[-1][1]

        output = phased_erm.run_phases(problem, phases, answer, start, project)
        theta, wanted = start, []
        for phase in phases:
            mu, users = phase.regulariser, phase.users
            # Corollary 2: n²m(G/G̃²)μRε²/d, G̃² = σ²d; H + μ for the smoothness
            inside = users**2 * 3 * (2.0 / (0.5**2 * D)) * mu * 1.5 * 0.8**2 / D
            steps = max(2, math.ceil((smoothness + mu) / mu * math.log(inside)))
            seen = [g for g in given if g[0] == phase.number]
            budget = (0.8 / (2.0 * math.sqrt(2.0 * steps * math.log(2e4))), 1e-4 / (2.0 * steps))
            worst = max([worst, *(distance(np.array(g[2:]) / budget, np.ones(2)) for g in seen)])
            if len(seen) != steps:
                worst = math.inf
                break
            sizes, weights = schedule(steps, smoothness + mu, mu)
            anchor, thetas = theta, [theta]
            for (_, g, _, _), size in zip(seen, sizes, strict=True):
                thetas.append(project(thetas[-1] - size * (g + mu * (thetas[-1] - anchor))))
            wanted += thetas[:-1]
            theta = np.tensordot(weights, np.array(thetas[steps // 2 + 1 :]), axes=1)
        worst = max(worst, distance(np.array(asked), np.array(wanted)), distance(output, theta))
    quantity = "deviation of points, budgets and output of Algorithm 4"
    yield equals(quantity, min(worst, 1e300), 0.0, error=ROUNDING)


def check_queries(point: Point) -> Iterator[Evidence]:
    """Each query sees the data and all answers before it, and no other; there are K answers."""
    data = point.rng.uniform(-1.0, 1.0, (5, 2))
    seen: list[int] = []
    known: list[np.ndarray] = []
    faults = 0

    def next_query(answers: Sequence[np.ndarray]) -> adaptive_queries.Query:
        nonlocal faults
        seen.append(len(answers))
        faults += any(not np.array_equal(a, b) for a, b in zip(answers, known, strict=False))
        known[:] = [a.copy() for a in answers]

        def query(users: np.ndarray) -> np.ndarray:
            nonlocal faults
            faults += not np.array_equal(users, data)
            return users

        return query

    answers = adaptive_queries.answer_adaptively(
        data, next_query, 4, PrivacyBudget(1.0, 0.1), Concentration(0.5, 1.0, 0.01), point.rng
    )
    faults += any(not np.array_equal(a, b) for a, b in zip(answers, known, strict=False))
    yield equals("answers to four adaptive queries", len(answers), 4)
    yield equals(
        "queries that do not see all answers before them", sum(k != t for t, k in enumerate(seen)), 0
    )
    yield equals("queries on other data, answers that change", faults, 0)


PARTS: dict[str, Callable[[Point], Iterator[Evidence]]] = {
    "methods": check_methods,
    "drawn iterate": check_drawn_iterate,
    "phases": check_phases,
    "queries": check_queries,
}


def check(point: Point) -> Iterator[Evidence]:
    yield from PARTS[point.part](point)


LARGEST = 0.04
"""A sixth of the probability ¼ of an iterate: an iterate that is left out is seen, and its double as well."""

CLAIM = Claim(
    PAPER,
    "Algorithms 3 and 4",
    "sections 4 and 5; appendix E.2 (reconstructed)",
    name="method-steps",
    kind=Kind.IDENTITY,
    role="program",
    title="Steps, projections and averages of Algorithms 3 and 4",
    statement=r"Given any answers $g_0,g_1,\dots$, the methods ask at $\theta_{t+1}=\Pi(\theta_t-\eta_t "
    r"g_t)$ with the steps $\eta_t$ of the theorems and return the mean of $\theta_1,\dots,\theta_T$ "
    r"(convex), the weighted mean of the second half (strongly convex) or a uniform iterate (non-convex); "
    r"Algorithm 4 adds $\lambda_t(\theta-\hat\theta_{t-1})$ to the answers of phase $t$.",
    expected=CONSISTENT,
    check=check,
    largest_resolution=LARGEST,
    smoke=Tier(grid(part=tuple(PARTS)), trials=20_000),
    ci=Tier(grid(part=tuple(PARTS)), trials=20_000),
    full=Tier(grid(part=tuple(PARTS)), trials=200_000),
)
