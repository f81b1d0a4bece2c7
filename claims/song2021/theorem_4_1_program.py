r"""Theorem 4.1, the program: descent, and the noisy selection of one of its iterates.

Given the norms of T candidates the program reports the least one after Laplace noise of scale b = 4L/(nε) on
each. A candidate that is t scales behind a single other one is reported with probability ½e^{−t}(1 + t/2);
five equal ones are reported equally often, whatever noise is added to each, as long as all have the same; and
among three, two of them equal, the probability is an integral over one Laplace density. Without noise the
program must report the first iterate of least gradient norm among θ₀, …, θ_{T−1}, and return it with its
norm.

The privacy of the selection is tight on many candidates (one norm falls by 2L/n, all others rise): a hundred
of them make the loss nearly ε on an event that is not rare. On two, the event on which it is ε is rare.

How it is checked. The probabilities from both sides; the choice without noise exactly, on logistic losses in
three dimensions with a step so large that the norms rise and fall; σ and b against their formulas.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONSISTENT, Evidence, Point, equals, grid, mean_equals
from claims.song2021._oracle import same
from claims.song2021.theorem_4_1_privacy import CORRECTED
from implementations import losses
from implementations.interfaces import Array, Mechanism, Problem
from implementations.song2021 import dp_gd, stationary_point


def selection(scale: float) -> Mechanism:
    """Report-noisy-min on a dataset of scores (m,): the index of the candidate that it reports."""

    def reported_index(data: Array, size: int, rng: np.random.Generator) -> Array:
        candidates = ((np.full(size, score), np.zeros((size, 1))) for score in data)
        return stationary_point.report_noisy_min(candidates, scale, rng).index

    return reported_index


# --- Laws --------------------------------------------------------------------------------------------------


def last_of_three(gap: float) -> float:
    """P(the last is reported) of three candidates, `gap` scales behind two equal ones.

    With t the noisy score of the last, relative to the others', ∫ ½e^{−|t − gap|}·P(Lap > t)² dt.
    """
    from scipy.integrate import quad

    def integrand(t: float) -> float:
        tail = 0.5 * math.exp(-abs(t))
        return 0.5 * math.exp(-abs(t - gap)) * (tail if t > 0.0 else 1.0 - tail) ** 2

    return sum(quad(integrand, a, b)[0] for a, b in ((-40.0, 0.0), (0.0, gap), (gap, 40.0)))


def check_laws(point: Point) -> Iterator[Evidence]:
    b, size, rng = 0.3, point.draws, point.rng
    run = selection(b)
    cases = [
        *(([0.0, gap], 1, 0.5 * math.exp(-gap) * (1.0 + 0.5 * gap)) for gap in (0.5, 1.5, 4.0)),
        ([1.5, 0.0], 0, 0.5 * math.exp(-1.5) * 1.75),
        *(([2.0] * 5, k, 0.2) for k in (0, 2, 4)),
        ([0.0, 0.0, 1.0], 2, last_of_three(1.0)),
        ([0.0, 1.0, 0.0], 1, last_of_three(1.0)),
        ([1.0, 0.0, 0.0], 0, last_of_three(1.0)),
    ]
    for (scores, index, stated), alpha in zip(cases, point.split(len(cases)), strict=True):
        hits = (run(b * np.array(scores), size, rng) == index).astype(float)
        quantity = f"P({index} is reported) of candidates at {', '.join(f'{s:g}' for s in scores)} scales"
        yield mean_equals(quantity, hits, stated, alpha=alpha, method="clopper-pearson")


def check_choice(point: Point) -> Iterator[Evidence]:
    """No noise: index, iterate, norm and least norm, against a loop over the iterates."""
    n, rng, eta, steps = 8, np.random.default_rng(point.problem), 40.0, 6
    x, y = rng.standard_normal((n, 3)), rng.choice([-1.0, 1.0], n)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0)

    def slope(theta: Array) -> Array:
        return -(y / (1.0 + np.exp(y * (x @ theta)))) @ x / n

    path = [0.5 * rng.standard_normal(3)]
    for _ in range(steps - 1):
        path.append(path[-1] - eta * slope(path[-1]))
    norms = [float(np.linalg.norm(slope(theta))) for theta in path]
    best = int(np.argmin(norms))
    found = stationary_point.stationary_point(
        dp_gd.glm_gradient(Problem(x, y, losses.logistic())), path[0][None, None, :], rng, steps=steps,
        learning_rate=eta, noise_scale=0.0, selection_scale=0.0,
    )  # fmt: skip
    yield equals("index of the iterate of least gradient norm", int(found.index[0, 0]), best, decides=False)
    yield same("that iterate", found.theta[0, 0], path[best])
    yield same("its norm, and the least norm", [found.norm[0, 0], found.least[0, 0]], [norms[best]] * 2)
    scores = rng.random((5, 200))
    noisy = stationary_point.report_noisy_min([(row, row[:, None]) for row in scores], 0.5, rng)
    chosen = np.take_along_axis(scores, noisy.index.astype(int)[None, :], axis=0)[0]
    yield same("score that is reported with noise", noisy.norm, chosen)
    yield same("candidate that is reported with noise", noisy.theta[:, 0], chosen)
    yield same("least score of all, with noise", noisy.least, scores.min(axis=0))


def check_formulas(point: Point) -> Iterator[Evidence]:
    """The Laplace scales, the T that the theorem asks for, and the probabilities of the selection."""
    b = 0.02
    for gap in (0.0, 0.5, 3.0):
        stated = 0.5 * math.exp(-gap) * (1.0 + 0.5 * gap)
        pair = stationary_point.two_candidate_probability(np.array([b * gap, -b * gap]), b)
        yield same("P(0 is reported) of two candidates, closed form", pair, [1.0 - stated, stated])
        last = last_of_three(gap)
        for scale in (b, 20.0):
            behind = scale * np.array([0.0, 0.0, gap])
            shares = [stationary_point.selection_probability(behind, scale, k) for k in range(3)]
            yield same("P(k is reported) of three, quadrature", shares, [0.5 - 0.5 * last] * 2 + [last])
    for n, epsilon, lipschitz in ((41, 0.7, 3.0), (9, 2.0, 0.5)):  # 149.05 steps, rounded up: 150
        for name, factor in (("printed", 2.0), ("corrected", 4.0)):
            scale = stationary_point.selection_scale(epsilon=epsilon, n=n, lipschitz=lipschitz, scale=name)
            yield same(f"nε/L times the {name} scale", scale * n * epsilon / lipschitz, factor)
        steps = stationary_point.printed_steps(
            epsilon=epsilon, delta=0.01, n=n, lipschitz=lipschitz, smoothness=2.5, initial_risk=6.0
        )
        stated = 2.5 * (n * epsilon) ** 2 * 6.0 / (2.0 * lipschitz**2 * math.log(100.0))
        yield equals("least T that Theorem 4.1 asks for", steps, math.ceil(stated), decides=False)
        balanced = stationary_point.balanced_steps(
            mu=0.8, n=1_000 * n, lipschitz=lipschitz, smoothness=2.5, rank=3, initial_risk=6.0
        )
        stated = 800.0 * n / lipschitz * math.sqrt(2.5)  # √(β·L(θ₀)/(2·rank)) = √2.5
        yield equals("T that balances the terms of (13)", balanced, round(stated), decides=False)
    below = stationary_point.printed_steps(
        epsilon=2.0, delta=0.01, n=90, lipschitz=1.0, smoothness=2.5, initial_risk=-6.0
    )
    yield equals("least T where the risk at θ₀ is below 0", below, 1, decides=False)
    few = {"n": 1, "lipschitz": 1.0, "smoothness": 1.0, "initial_risk": 1e-3}
    least = stationary_point.printed_steps(epsilon=0.1, delta=0.01, **few)
    balanced = stationary_point.balanced_steps(mu=0.1, rank=1, **few)
    yield equals("least T where the theorem asks for less than one step", least, 1, decides=False)
    yield equals("balanced T where it is less than one step", balanced, 1, decides=False)


def check(point: Point) -> Iterator[Evidence]:
    if "draws" in point:
        yield from check_laws(point)
    elif "problem" in point:
        yield from check_choice(point)
    else:
        yield from check_formulas(point)


PARTS = [*grid(problem=range(12)), *grid(part="formulas")]
PROGRAM = CORRECTED.reading(
    "program",
    role="program",
    title="The program that selects a stationary point",
    statement=r"Report-noisy-min with $\mathrm{Lap}(4L/(n\varepsilon))$ on scores that move by at most "
    r"$2L/n$ is $\varepsilon$-differentially private, and reports two, three and five candidates as often as "
    r"Laplace noise says; without noise it returns the iterate of least gradient norm among $\theta_0,\dots,"
    r"\theta_{T-1}$; descent and selection together are $(2\varepsilon,\delta)$-differentially private.",
    expected=CONSISTENT,
    check=check,
    # A probability. A Laplace scale that is 10 % off must be seen: it moves the share of a candidate t = 1.5
    # scales behind, ½e^{−t}(1 + t/2), by 0.1·¼t(1 + t)e^{−t} = 0.021.
    largest_resolution=0.021,
    smoke=[*PARTS, *grid(draws=60_000)],
    ci=[*PARTS, *grid(draws=200_000)],
    full=[*PARTS, *grid(draws=2_000_000)],
    plots=(),
)
CLAIMS = [PROGRAM]
