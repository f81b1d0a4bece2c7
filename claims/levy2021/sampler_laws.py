r"""Algorithms 1 to 4 and 6: the programs draw from the laws that the theorems are about.

Privacy and accuracy are decided elsewhere from formulas: the law of the private range, the scale 8τ/(nε), the
budgets ε/√(8d log(1/δ)) of a coordinate and ε/(2√(2T log(2/δ))), δ/(2T) of an answer. That says nothing of a
program that draws something else: a factor lost where the noise is drawn, a budget that is not split, a
selection that gives each candidate all of ε. Here the programs are run and their outputs are held against the
exact laws, which are written down again from the paper (Levy et al. 2021, Algorithms 1 to 4; Algorithm 6 and
appendix A as reconstructed).

* The private range and Algorithm 1 on data with ties, gaps and users at the ends; Algorithm 2 at d = 2 and 4,
  where its law is a mixture of sums of Laplace variables, over all 2^d signs, and at d = 3, padded to 4.
* Algorithm 3 and the adaptive queries by their whole transcripts: on data that do not move with θ, each step
  is −η times an independent answer of Algorithm 2 at the budget of one of T answers.
* Algorithm 4 by the points at which it asks for gradients. The first step of phase t has the size 1/(H +
  λ_t), which gives back the answer: it must be that of Algorithm 2 on the n/2^t users of this phase, at the
  budget of one of T_t answers. (That no user serves in two phases is in algorithm-4:corrected.)
* The oracle of Theorem 2, the mean plus rotated noise, and the user means that instances are drawn from:
  signs, with and without heterogeneity, and Gaussian samples.
* The selection of appendix A. The best of K ~ Geometric(γ) candidates is candidate j with the probability ∫ γ
  f_j(y)/k / (γ + (1 − γ)H(y))² dy, with f_j the density of the score of j, from Algorithm 1 at ε/3, and H the
  mean of the k distribution functions.

How it is checked. Kolmogorov's test of every output against its law, valid for every sample size, both tails;
the resolution is the distance between two distribution functions that it would have caught. Independence by
the same test: of two calls of each program, and of the answers of one run, the difference of F(X) and F(Y)
modulo 1 is uniform.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, drawn_from, grid
from claims.levy2021 import PAPER, _oracle
from implementations.levy2021 import (
    adaptive_queries,
    finite_class,
    first_order,
    gaussian_mean,
    phased_erm,
    private_range,
    users,
    winsorized_mean_1d,
    winsorized_mean_highd,
)
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import Variant
from implementations.privacy import PrivacyBudget

BOUND, DELTA, GAMMA = 4.0, 1e-3, 0.01
LINE = np.array([-4.0, -3.1, 0.2, 0.2, 0.7, 2.9, 4.0])
"""Seven users on the line: both ends, a tie, a gap. The third to the fifth leave the outer bins empty; in
[−10, 10] the gaps have three bins, one and two."""
PLANE = np.array([[1.0, 0.4], [1.0, 0.4], [-0.7, 0.0], [0.1, -1.0], [0.0, 0.0]])
Draw = tuple[str, np.ndarray, Callable[[np.ndarray], np.ndarray]]
"""Quantity, draws, and the distribution function that they should have."""


def copies(data: np.ndarray, size: int) -> np.ndarray:
    return np.broadcast_to(data, (size, *data.shape))


def uniform(x: np.ndarray) -> np.ndarray:
    return np.clip(x, 0.0, 1.0)


def ranks(draws: np.ndarray, law: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """F(x) of each draw, interpolated between 4,000 of the order statistics: uniform where F is the law."""
    x = np.sort(draws)
    grid = x[np.unique(np.linspace(0, x.size - 1, 4000).astype(np.int64))]
    return np.interp(draws, grid, law(grid))


def apart(quantity: str, first: Draw, second: Draw) -> Draw:
    """Two draws of each run: F(X) − G(Y) modulo 1 is uniform where they are independent.

    It piles up at one place where they share their noise, their signs or their bin.
    """
    return quantity, np.mod(ranks(*first[1:]) - ranks(*second[1:]), 1.0), uniform


def of_range(point: Point) -> Iterator[Draw]:
    """The chosen bin, made continuous by adding a uniform part of a bin."""
    cases = ((LINE, 0.4, BOUND), (LINE, 3.0, BOUND), (LINE[2:5], 0.6, BOUND), (LINE, 0.1, 10.0))
    for data, epsilon, bound in cases:
        drawn = private_range.draw_centres(copies(data, point.size), epsilon, 1.0, bound, point.rng)
        centres, weights = _oracle.range_law(data, epsilon, 1.0, bound)
        below = np.concatenate(([0.0], np.cumsum(weights)))
        edges = np.append(centres - 1.0, centres[-1] + 1.0)
        spread = drawn + point.rng.uniform(-1.0, 1.0, drawn.size)
        where = f"{data.size} users, ε = {epsilon:g}, B = {bound:g}"
        yield f"bin of PrivateRange, {where}", spread, lambda x, e=edges, b=below: np.interp(x, e, b)


def of_algorithm_1(point: Point) -> Iterator[Draw]:
    for epsilon in (1.0, 8.0):
        drawn = winsorized_mean_1d.winsorized_mean_1d(
            copies(LINE, point.size), epsilon, 1.0, BOUND, point.rng
        )
        law = _oracle.algorithm_1(LINE, epsilon, 1.0, BOUND)
        yield f"output of Algorithm 1, ε = {epsilon:g}", drawn, law.cdf


def of_algorithm_2(point: Point) -> Iterator[Draw]:
    space = np.column_stack((PLANE[1:], [0.3, -0.9, 0.0, 0.6]))
    wide, tight = 0.05, 0.01  # τ at which nobody is clipped, and τ at which the law depends on the signs
    cases = [(PLANE, 2.0, wide), (PLANE, 40.0, wide), (PLANE, 40.0, tight), (space, 40.0, wide)]
    cases += [(PLANE, 400.0, tight)]  # so little noise that two calls with the same signs show it
    cases += [(np.pad(PLANE[1:], ((0, 0), (0, 2))), epsilon, wide) for epsilon in (2.0, 40.0)]
    for x, epsilon, tau in cases:
        d = x.shape[1]
        padded = np.pad(x, ((0, 0), (0, 1))) if d == 3 else x
        laws = _oracle.algorithm_2(padded, epsilon, DELTA, tau, 1.0, GAMMA)
        drawn = winsorized_mean_highd.winsorized_mean_highd(
            copies(x, point.size), PrivacyBudget(epsilon, DELTA), Concentration(tau, 1.0, GAMMA), point.rng
        )
        for j in range(min(d, 3)):
            where = f"coordinate {j + 1} of {d}, ε = {epsilon:g}, τ = {tau:g}"
            yield f"output of Algorithm 2, {where}", drawn[:, j], laws[j].cdf


def answer_law(x: np.ndarray, epsilon: float, delta: float, answers: int, bound: float) -> _oracle.SumLaw:
    """First coordinate of one of T answers of Algorithm 2: ε/(2√(2T log(2/δ))), δ/(2T)."""
    share = epsilon / (2.0 * math.sqrt(2.0 * answers * math.log(2.0 / delta)))
    return _oracle.algorithm_2(x, share, delta / (2.0 * answers), 0.05, bound, GAMMA)[0]


def of_algorithm_3(point: Point) -> Iterator[Draw]:
    steps, rate = 3, 0.5
    method = first_order.Method(
        query=lambda state: state.theta,
        update=lambda state, gradient: first_order.State(state.step + 1, state.theta - rate * gradient),
        aggregate=lambda states: np.concatenate([s.theta for s in states], axis=-1),
    )
    transcript = first_order.winsorized_first_order(
        lambda theta: copies(PLANE, len(theta)),
        method,
        np.zeros((point.size, 2)),
        steps,
        PrivacyBudget(1.0, DELTA),
        Concentration(0.05, 1.0, GAMMA),
        point.rng,
    ).reshape(point.size, steps + 1, 2)
    answers = -np.diff(transcript, axis=1)[..., 0] / rate
    law = answer_law(PLANE, 1.0, DELTA, steps, 1.0)
    found: list[Draw] = [
        (f"answer {t + 1} of {steps} of Algorithm 3", answers[:, t], law.cdf) for t in range(steps)
    ]
    yield from found
    for t in range(steps - 1):
        yield apart(f"answers {t + 1} and {t + 2} of one run of Algorithm 3", found[t], found[t + 1])


def of_adaptive_queries(point: Point) -> Iterator[Draw]:
    def next_query(answers: Sequence[np.ndarray]) -> adaptive_queries.Query:
        return lambda users: copies(users, point.size)

    answers = adaptive_queries.answer_adaptively(
        PLANE, next_query, 3, PrivacyBudget(0.8, DELTA), Concentration(0.05, 1.0, GAMMA), point.rng
    )
    law = answer_law(PLANE, 0.8, DELTA, 3, 1.0)
    found: list[Draw] = [
        (f"answer {k + 1} of 3 adaptive queries", answers[k][:, 0], law.cdf) for k in range(3)
    ]
    yield from found
    yield apart("answers 1 and 3 of one run of the adaptive queries", found[0], found[2])


def of_algorithm_4(point: Point) -> Iterator[Draw]:
    """Two phases of 8 and 4 users; θ is never projected."""
    users = np.pad(PLANE, ((0, 7), (0, 0)))
    problem = phased_erm.Instance(
        n=16, m=1, d=2, epsilon=1.0, delta=1e-3, sigma=1.0, lipschitz=1.0, smoothness=0.2, diameter=1.0
    )
    asked: dict[tuple[int, int], list[np.ndarray]] = {}

    def gradients(theta: np.ndarray, part: slice) -> np.ndarray:
        asked.setdefault((part.start, part.stop), []).append(theta.copy())
        return copies(users[part], len(theta))

    schedule = [phased_erm.Phase(1, 8, 2.0), phased_erm.Phase(2, 4, 8.0)]
    start = np.zeros((point.size, 2))
    phased_erm.phased_erm(
        problem, gradients, start, lambda x: x, Concentration(0.05, problem.lipschitz, GAMMA), point.rng,
        schedule=schedule,
    )  # fmt: skip
    found: list[Draw] = []
    for (first, last), phase in zip(sorted(asked), schedule, strict=True):
        path = asked[first, last]
        # The first step starts at the anchor of the regulariser, so it is the answer over H + λ.
        answer = (path[0] - path[1])[:, 0] * (problem.smoothness + phase.regulariser)
        law = answer_law(users[first:last], 1.0, problem.delta, len(path), problem.lipschitz)
        found.append((f"first answer of phase {phase.number} of Algorithm 4", answer, law.cdf))
    yield from found
    yield apart("first answers of both phases of one run of Algorithm 4", found[0], found[1])


def of_selection(point: Point) -> Iterator[Draw]:
    losses = np.column_stack((LINE, -0.5 * LINE, np.full(LINE.size, 1.5)))
    for epsilon, stop in ((3.0, 0.2), (12.0, 0.6)):
        chosen = finite_class.learn_finite_class(
            losses, epsilon, Concentration(1.0, BOUND), stop, point.size, point.rng
        )
        weights = _oracle.selection(losses, epsilon / 3.0, 1.0, BOUND, stop)
        edges = np.arange(weights.size + 1)
        below = np.concatenate(([0.0], np.cumsum(weights)))
        spread = chosen + point.rng.random(chosen.size)
        quantity = f"candidate of the selection, ε = {epsilon:g}, γ = {stop:g}"
        yield quantity, spread, lambda x, e=edges, b=below: np.interp(x, e, b)


def of_oracle(point: Point) -> Iterator[Draw]:
    """A′ of Theorem 2 around a given mean, d = 3: sums of four Laplace variables, and the sum of two."""
    mean = np.array([0.4, -0.1, 2.0])
    plan = winsorized_mean_highd.highd_plan(9, 3, 2.0, DELTA, 0.05, 1.0, GAMMA)
    means = copies(mean, point.size)[None]  # one more axis, as for several losses at once
    drawn = winsorized_mean_highd.noisy_mean(means, plan, 9, point.rng)[0]
    answer, radius = (
        2.0 / math.sqrt(32.0 * math.log(1.0 / DELTA)),
        0.5 * math.sqrt(math.log(36.0 / GAMMA) / 4.0),
    )
    scale = 8.0 * radius / (9.0 * answer)
    for j in range(3):
        law = _oracle.SumLaw(np.ones(1), mean[j : j + 1], scale / 2.0, 4)
        yield f"coordinate {j + 1} of the oracle of Theorem 2", drawn[:, j], law.cdf
    # Rows 1 and 2 of the rotation agree in two of four signs: two of four noises double, the others cancel.
    law = _oracle.SumLaw(np.ones(1), mean[:1] + mean[1:2], scale, 2)
    yield "sum of two coordinates of the oracle of Theorem 2", drawn[:, 0] + drawn[:, 1], law.cdf


def of_constants(point: Point) -> Iterator[Draw]:
    """Algorithm 2 and its oracle with the other constants, d = 1, many users at 0: the range holds them.

    The scale is |b − a| over what the range leaves of nε′: 6τ′/(½nε′), or 4.5τ′/(¾nε′).
    """
    n, names = 400, {"corrected": 12.0, "tuned": 6.0}
    for name, times in names.items():
        constants: Variant = "corrected" if name == "corrected" else "tuned"
        plan = winsorized_mean_highd.highd_plan(n, 1, 8.0, DELTA, 0.05, 1.0, GAMMA, constants)
        law = _oracle.SumLaw(np.ones(1), np.zeros(1), times * plan.tau / (n * plan.epsilon), 1)
        drawn = winsorized_mean_highd.winsorized_mean_highd(
            copies(np.zeros((n, 1)), point.size), PrivacyBudget(8.0, DELTA), Concentration(0.05, 1.0, GAMMA),
            point.rng, constants=constants,
        )  # fmt: skip
        yield f"output of Algorithm 2, d = 1, constants {name!r}", drawn[:, 0], law.cdf
        oracle = winsorized_mean_highd.noisy_mean(np.zeros((point.size, 1)), plan, n, point.rng)
        yield f"the oracle of Theorem 2, d = 1, constants {name!r}", oracle[:, 0], law.cdf


def of_gaussian_mean(point: Point) -> Iterator[Draw]:
    """The opponent of theorem-5, one of five users beyond the ball; ε = 1, δ by the formula at μ."""
    from scipy.special import ndtr

    mu, reach = 0.4, 1.0
    delta = float(ndtr(-1.0 / mu + mu / 2.0) - math.e * ndtr(-1.0 / mu - mu / 2.0))
    data = np.vstack((PLANE[1:] * 0.5, [[3.0, 4.0]]))
    mean = np.vstack((PLANE[1:] * 0.5, [[0.6, 0.8]])).mean(axis=0)
    found = gaussian_mean.gaussian_scale(5, reach, 1.0, delta)
    drawn = gaussian_mean.gaussian_mean(copies(data, point.size), reach, found, point.rng)
    scale = 2.0 * reach / (5.0 * mu)
    for j in (0, 1):
        yield (
            f"coordinate {j + 1} of the Gaussian mechanism",
            drawn[:, j],
            lambda x, c=mean[j]: ndtr((x - c) / scale),
        )
    total = drawn.sum(axis=1) - mean.sum()
    yield "sum of two coordinates of the Gaussian mechanism", total, lambda x: ndtr(x / (scale * 2.0**0.5))


def sums(outcomes: np.ndarray, masses: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """All sums of m independent draws from a finite law, with their probabilities; sorted."""
    values, probabilities = np.zeros(1), np.ones(1)
    for _ in range(m):
        values = np.add.outer(values, outcomes).ravel().round(9)
        probabilities = np.outer(probabilities, masses).ravel()
        values, place = np.unique(values, return_inverse=True)
        probabilities = np.bincount(place.ravel(), probabilities)
    return values, probabilities


def of_populations(point: Point) -> Iterator[Draw]:
    """User means: both coordinates of a user at once, in one number whose digits they are."""
    m, radius, up = 3, 2.0, (0.3, 0.9)
    for moved, aligned in ((0.0, True), (0.4, True), (0.4, False)):
        people = users.SignPopulation(radius, up, moved, aligned)
        means = people.user_means(2, m, point.size, point.rng)
        pair: list[Draw] = []
        for user, corner in ((0, 1.0), (1, 1.0 if aligned else -1.0)):
            signs = [(a, b) for a in (1.0, -1.0) for b in (1.0, -1.0)]
            masses = [
                (1.0 - moved) * (up[0] if a > 0.0 else 1.0 - up[0]) * (up[1] if b > 0.0 else 1.0 - up[1])
                + moved * (a == b == corner)
                for a, b in signs
            ]
            step = radius / math.sqrt(2.0) / m
            values, weights = sums(np.array([step * (a + 10.0 * b) for a, b in signs]), np.array(masses), m)
            place = np.abs(values - (means[:, user] @ np.array([1.0, 10.0]))[:, None]).argmin(axis=1)
            below = np.concatenate(([0.0], np.cumsum(weights)))
            exact = float(np.abs(values[place] - means[:, user] @ np.array([1.0, 10.0])).max()) < 1e-6
            spread = place + point.rng.random(place.size) if exact else np.full(place.size, -1.0)
            edges = np.arange(weights.size + 1)
            quantity = f"mean of user {user + 1}, Δ = {moved:g}, {'one corner' if aligned else 'two corners'}"
            pair.append((quantity, spread, lambda x, e=edges, b=below: np.interp(x, e, b)))
        yield from pair
        yield apart(f"users 1 and 2, Δ = {moved:g}, {'one corner' if aligned else 'two corners'}", *pair)
    normal = users.GaussianPopulation((1.0, -3.0), 2.0).user_means(2, 16, point.size, point.rng)
    from scipy.special import ndtr

    yield "mean of 16 Gaussian samples", normal[:, 1, 1], lambda x: ndtr((x + 3.0) / 0.5)
    total = normal.sum(axis=(1, 2))
    yield "sum over users and coordinates of Gaussian means", total, lambda x: ndtr(x + 4.0)


PROGRAMS: dict[str, Callable[[Point], Iterator[Draw]]] = {
    "private range": of_range,
    "algorithm 1": of_algorithm_1,
    "algorithm 2": of_algorithm_2,
    "algorithm 3": of_algorithm_3,
    "adaptive queries": of_adaptive_queries,
    "algorithm 4": of_algorithm_4,
    "selection": of_selection,
    "oracle": of_oracle,
    "constants": of_constants,
    "gaussian mechanism": of_gaussian_mean,
    "populations": of_populations,
}


def check(point: Point) -> Iterator[Evidence]:
    found, again = (list(PROGRAMS[point.program](point)) for _ in range(2))
    found += [apart(f"{a[0]}, two calls", a, b) for a, b in zip(found, again, strict=True)]
    for share, (quantity, draws, law) in zip(point.split(len(found)), found, strict=True):
        yield drawn_from(quantity, draws, law, alpha=share)


CLAIM = Claim(
    PAPER,
    "Algorithms 1 to 4 and 6",
    "sections 3 to 5; appendices A and D",
    name="sampler-laws",
    kind=Kind.IDENTITY,
    role="program",
    title="The programs draw from the laws that the theorems are about",
    statement=r"The outputs of PrivateRange and of Algorithm 1 "
    r"($\xi\sim\mathrm{Lap}(8\tau/(n\varepsilon))$), of Algorithm 2 with "
    r"$\varepsilon'=\varepsilon/\sqrt{8d\log(1/\delta)}$, $\tau'=10\tau\sqrt{\log(dn/\gamma)/d}$, the "
    r"answers of Algorithms 3 and 4 with $(\varepsilon/(2\sqrt{2T\log(2/\delta)}),\delta/(2T))$, and the "
    r"candidate of the pure-DP selection have the laws that these formulas give.",
    expected=CONSISTENT,
    check=check,
    smoke=grid(program=tuple(PROGRAMS), size=20_000),
    ci=grid(program=tuple(PROGRAMS), size=40_000),
    full=grid(program=tuple(PROGRAMS), size=150_000),  # in one call: ten times as many take 9 GiB
    # Kolmogorov's distance. A Laplace scale that is off by a factor 1 + x moves its distribution function by
    # x/(2e) = 0.18x, so that 0.03 is a scale that is off by a sixth; 20,000 draws are enough for it (DKW).
    largest_resolution=0.03,
)
