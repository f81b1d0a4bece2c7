r"""Algorithm 1: the program takes the printed steps, with the printed noise, and releases the printed
average.

DP-GD (Song et al. 2021, section 2): θₜ₊₁ = Π_C(θₜ − η(∇L(θₜ; D) + bₜ)) for t = 0, …, T − 1, L(θ; D) the
average of the n losses, bₜ ~ N(0, σ²I_p) independent; the output is the average of θ₁, …, θ_T. All claims
about this paper run this program, most of them on coordinate problems, in rank 1 or with bounds from one
direction only; here every part of it is held against what is printed, from both.

On losses that are quadratic wherever the iterates go, the output is Gaussian for any features, with a mean
and a covariance in closed form: the noise of every step, its independence over steps, coordinates and runs,
σ for each choice of it and L ≠ 1, n, T, η and the average all enter. An iterate leaves the quadratic part
with a probability below 1e-12 here.

How it is checked. The output on two dense features against its Gaussian law (Kolmogorov–Smirnov after
whitening: coordinates, their sum, sums of two runs, the squared norm); the recursion with given noise, over a
ball, step by step against the lines above, and its three averages; a projected step against the projection of
the free one; the gradient and risk by coordinates against those by records; the span of the features and the
problem in it; σ, the sensitivity, η and the Gaussian privacy curve against their formulas; losses and sets
against their definitions; what must be refused is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from claims import CONSISTENT, Adjacency, Claim, Evidence, Kind, Point, equals, grid
from claims.song2021 import PAPER
from claims.song2021._oracle import (
    apart,
    gaussian_draws,
    in_unit_ball,
    law_of_average,
    refused,
    same,
    stated_noise,
    steeper,
)
from implementations import losses
from implementations.domains import ball, box
from implementations.interfaces import Problem
from implementations.privacy import amplified_epsilon, gaussian_delta, gaussian_epsilon, mu_star
from implementations.song2021 import dp_gd
from implementations.song2021.worst_pairs import huber_pair

STEEP, WIDTH, ETA = 2.0, 50.0, 5.0
"""Lipschitz constant and half-width of the quadratic part of the loss of the law, and its learning rate."""


# --- The law of the output ---------------------------------------------------------------------------------


def check_law(point: Point) -> Iterator[Evidence]:
    n, steps, rng = point.n, point.steps, point.rng
    steep = steeper(losses.huber(WIDTH), STEEP)
    x, y = in_unit_ball((n, 2), rng), rng.uniform(-1.0, 1.0, n)
    data, bend = np.column_stack([x, y]), STEEP / WIDTH / n
    parameters = {"epsilon": point.epsilon, "delta": point.delta, "steps": steps, "learning_rate": ETA}
    free, bounded = (
        dp_gd.mechanism(
            steep, **parameters, noise=point.noise, adjacency=Adjacency.REPLACE, domain=domain
        )
        for domain in (None, ball(1.0))
    )  # fmt: skip
    sigma = stated_noise(point.noise, point.epsilon, point.delta, n, steps, STEEP)
    mean, covariance = law_of_average(
        bend * x.T @ x, bend * x.T @ y, learning_rate=ETA, noise=sigma, steps=steps
    )
    yield from gaussian_draws("θ^priv", free(data, point.sampled, rng), mean, covariance, alpha=point.alpha)
    if steps == 1:
        loose, held = (run(data, 50, np.random.default_rng(point.n)) for run in (free, bounded))
        inside = loose / np.maximum(np.linalg.norm(loose, axis=1, keepdims=True), 1.0)
        yield same("one step over the unit ball, against the projection of the free one", held, inside)


# --- Step by step ------------------------------------------------------------------------------------------


def check_steps(point: Point) -> Iterator[Evidence]:
    """Given noise, logistic losses in three dense features, over a ball, from θ₀ ≠ 0."""
    steps, rng, eta = 5, point.rng, 3.0
    x, y = in_unit_ball((7, 3), rng), rng.choice([-1.0, 1.0], 7)
    draws, start = rng.standard_normal((steps, 4, 3)), 0.1 * rng.standard_normal((4, 3))
    path = [start]
    for noise in draws:
        slopes = -y / (1.0 + np.exp(y * (path[-1] @ x.T)))
        moved = path[-1] - eta * (slopes @ x / 7.0 + noise)
        path.append(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True) / 0.7, 1.0))
    gradient = dp_gd.glm_gradient(Problem(x, y, losses.logistic()))
    options = {"steps": steps, "learning_rate": eta, "project": ball(0.7).project}
    taken = [*dp_gd.iterates(gradient, start, noise=iter(draws).__next__, **options)]
    run = dp_gd.run(gradient, start, noise=iter(draws).__next__, **options)
    yield same("θ₀, …, θ_T over a ball, step by step", np.stack(taken), np.stack(path))
    yield same("average of θ₁..θ_T", run.printed, np.mean(path[1:], axis=0))
    yield same("average of θ₀..θ_{T−1}", run.proof, np.mean(path[:-1], axis=0))
    yield same("θ_T", run.last, path[-1])


def check_gradients(point: Point) -> Iterator[Evidence]:
    """Records at basis vectors, three kinds of targets: by coordinates and by records."""
    rng = point.rng
    counts, targets = rng.integers(1, 5, (3, 2)), rng.normal(0.0, 1.0, (3, 2))
    weights, theta, link = counts / counts.sum(), rng.standard_normal((6, 2)), losses.pinball(0.3)
    rows = [(np.eye(2)[j], targets[i, j]) for i in range(3) for j in range(2) for _ in range(counts[i, j])]
    features, labels = np.stack([x for x, _ in rows]), np.array([t for _, t in rows])
    distance = theta @ features.T - labels
    slopes, values = np.where(distance > 0.0, 0.3, -1.0), np.where(distance > 0.0, 0.3, -1.0) * distance
    by_coordinate = dp_gd.coordinate_gradient(link, targets, weights)(theta)
    by_record = dp_gd.glm_gradient(Problem(features, labels, link))(theta)
    yield same("averaged gradient by coordinates", by_coordinate, slopes @ features / len(rows))
    yield same("averaged gradient by records", by_record, slopes @ features / len(rows))
    first, second = huber_pair(3, 0.5, far=100.0)
    yield same("the Huber pair, width ½", [first[:, 1], second[:, 1]], [[50.0, 0.0, 0.0], [-50.0, 0.0, 0.0]])
    risk = dp_gd.coordinate_risk(link, targets, weights, theta)
    yield same("averaged loss by coordinates", risk, values.mean(axis=1))


def check_span(point: Point) -> Iterator[Evidence]:
    """Six records of rank 2 in ℝ⁵, the second direction ten thousand times weaker than the first."""
    rng = point.rng
    x = rng.standard_normal((6, 2)) * [1.0, 1e-4] @ rng.standard_normal((2, 5))
    optimum, targets = rng.standard_normal(5), rng.standard_normal(6)
    small, basis = dp_gd.reduce_to_span(Problem(x, targets, losses.absolute(), optimum))
    yield same("dimension of the span of features of rank 2", basis.shape, (5, 2))
    if basis.shape == (5, 2):
        yield same("VᵀV for the basis V of the span", basis.T @ basis, np.eye(2))
        theta = rng.standard_normal(5)
        yield same("scores in the span", small.features @ (basis.T @ theta), x @ theta)
        assert small.optimum is not None
        yield same("scores of the optimum in the span", small.features @ small.optimum, x @ optimum)
        yield same("targets of the problem in the span", small.targets, targets)
        values = losses.absolute().value(x @ theta, targets)
        yield same(
            "losses in the span", small.loss.value(small.features @ (basis.T @ theta), small.targets), values
        )


# --- Formulas, losses and sets -----------------------------------------------------------------------------


def check_formulas(point: Point) -> Iterator[Evidence]:
    for n, steps, epsilon, delta, lipschitz in ((50, 7, 0.6, 1e-4, 3.0), (9, 2, 2.5, 0.03, 0.4)):
        for kind in dp_gd.NOISE:
            for adjacency, moves in ((Adjacency.REPLACE, 2.0), (Adjacency.ADD_REMOVE, 1.0)):
                found = dp_gd.noise_scale(
                    epsilon=epsilon, delta=delta, n=n, steps=steps, lipschitz=lipschitz, noise=kind,
                    adjacency=adjacency,
                )  # fmt: skip
                stated = stated_noise(kind, epsilon, delta, n, steps, lipschitz)
                stated *= 0.5 * moves if kind == "calibrated" else 1.0
                yield same(f"σ, {kind}, {adjacency.value}, over its formula", found / stated, 1.0)
                moved = dp_gd.sensitivity(lipschitz, n, adjacency) * n / lipschitz
                yield same(f"sensitivity over L/n, {adjacency.value}", moved, moves)
        eta = dp_gd.learning_rate(radius=2.0, lipschitz=lipschitz, rank=3, noise=0.7, steps=steps)
        yield same("η over its formula", eta * math.sqrt(steps * (lipschitz**2 + 3 * 0.49)) / 2.0, 1.0)


def check_curve(point: Point) -> Iterator[Evidence]:
    """The Gaussian privacy curve Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2), its two inverses, and amplification."""
    from scipy.special import ndtr

    for epsilon, delta in ((0.05, 0.01), (1.0, 1e-6), (1.0, 0.1), (4.0, 1e-3)):
        mu = mu_star(epsilon, delta)
        from_phi = ndtr(-epsilon / mu + mu / 2.0) - math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2.0)
        yield same("δ(ε, μ*) over δ", from_phi / delta, 1.0)
        yield same("δ(ε, μ) of the program over its formula", gaussian_delta(epsilon, mu) / from_phi, 1.0)
        yield same("ε(δ, μ*) over ε", gaussian_epsilon(delta, mu) / epsilon, 1.0)
        amplified = math.exp(amplified_epsilon(epsilon, 0.3))
        yield same("e^ε of a step on a share q = 0.3", amplified, 0.7 + 0.3 * math.exp(epsilon))
    for epsilon, mu in ((-1.0, 0.7), (0.0, 0.7), (0.0, 3.0)):  # ε < 0 occurs where a release is composed
        from_phi = ndtr(-epsilon / mu + mu / 2.0) - math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2.0)
        yield same(f"δ({epsilon:g}, {mu:g})", gaussian_delta(epsilon, mu), from_phi)


def check_losses(point: Point) -> Iterator[Evidence]:
    """Links against their definitions; every slope against a central difference where there is no kink."""
    z, h = point.rng.uniform(-4.0, 4.0, 4_000), 1e-6
    y = np.where(point.rng.random(z.size) < 0.5, -1.0, 1.0)
    margin, gap = y * z, z - y
    quadratic = np.where(np.abs(gap) <= 0.7, gap**2 / 1.4, np.abs(gap) - 0.35)
    for link, stated in (
        (losses.absolute(), np.abs(gap)),
        (losses.pinball(0.3), np.where(gap > 0.0, 0.3 * gap, -gap)),
        (losses.hinge(1.5), np.maximum(0.0, 1.5 - margin)),
        (losses.logistic(), np.log1p(np.exp(-margin))),
        (losses.huber(0.7), quadratic),
        (losses.pseudo_huber(0.7), np.sqrt(gap**2 + 0.49) - 0.7),
        (losses.linear(), margin),
    ):
        slopes = (link.value(z + h, y) - link.value(z - h, y)) / (2.0 * h)
        smooth = (np.abs(gap) > 2.0 * h) & (np.abs(margin - 1.5) > 2.0 * h)
        yield same(f"{link.name} loss", link.value(z, y), stated)
        # Where the link has a second derivative, at most 1/0.7 here, a difference is off by h times it.
        difference = apart(link.slope(z, y)[smooth], slopes[smooth])
        quantity = f"slope of the {link.name} loss against a central difference"
        yield equals(quantity, difference, 0.0, error=1e-5, decides=False, method="central difference")
        steepest = float(np.abs(link.slope(np.linspace(-1e9, 1e9, 7), np.ones(7))).max())
        yield same(f"largest slope of the {link.name} loss", steepest, link.lipschitz)


def check_sets(point: Point) -> Iterator[Evidence]:
    points, centre = 3.0 * point.rng.standard_normal((200, 3)), np.array([0.5, -1.0, 2.0])
    low, high = np.array([-1.0, 0.0, 0.5]), np.array([1.0, 0.2, 0.5])
    for name, domain, middle in (("0", ball(1.5), 0.0 * centre), ("c", ball(1.5, centre), centre)):
        offset = points - middle
        stated = middle + offset / np.maximum(np.linalg.norm(offset, axis=1, keepdims=True) / 1.5, 1.0)
        yield same(f"projection to the ball about {name}", domain.project(points), stated)
        yield same(f"diameter of the ball about {name}", domain.diameter, 3.0)
    yield same(
        "projection to a box", box(low, high).project(points), np.minimum(np.maximum(points, low), high)
    )
    yield same("diameter of a box", box(low, high).diameter, math.sqrt(4.04))


def check_guards(point: Point) -> Iterator[Evidence]:
    """What the guarantee rests on is asked of the data, and numbers that make no sense are refused."""
    good: dict[str, Any] = {"epsilon": 1.0, "delta": 0.01, "steps": 2, "learning_rate": 0.1}
    kinds: dict[str, Any] = {"noise": "calibrated", "adjacency": Adjacency.REPLACE}
    algorithm = dp_gd.mechanism(losses.huber(1.0), **good, **kinds)
    long = np.array([[0.8, 0.61, 0.0], [0.1, 0.2, 1.0]])
    yield refused("a record of norm 1.006", "features", lambda: algorithm(long, 1, point.rng))
    scale: dict[str, Any] = {"epsilon": 1.0, "delta": 0.01, "n": 5, "steps": 2, "lipschitz": 1.0, **kinds}
    for name, value in (
        ("epsilon", 0.0), ("delta", 1.0), ("n", 0), ("steps", 0), ("lipschitz", -1.0), ("noise", "none"),
        ("adjacency", "replace"),
    ):  # fmt: skip
        asked: dict[str, Any] = {**scale, name: value}
        yield refused(f"the noise of {name} = {value}", name, partial(dp_gd.noise_scale, **asked))
    still = dp_gd.glm_gradient(Problem(long[:, :2], long[:, 2], losses.absolute()))
    none = {"learning_rate": 1.0, "noise": lambda: 0.0}
    yield refused("no step", "steps", lambda: dp_gd.run(still, np.zeros(2), steps=0, **none))


PARTS = {
    "law": check_law,
    "steps": check_steps,
    "gradients": check_gradients,
    "span": check_span,
    "formulas": check_formulas,
    "curve": check_curve,
    "losses": check_losses,
    "sets": check_sets,
    "guards": check_guards,
}


def check(point: Point) -> Iterator[Evidence]:
    yield from PARTS[point.part](point)


def laws(sampled: int, **axes: Any) -> list[dict[str, Any]]:
    return grid(part="law", n=40, epsilon=1.0, delta=0.01, sampled=sampled, **axes)


EXACT = grid(part=[part for part in PARTS if part != "law"])
CLAIM = Claim(
    PAPER,
    "Algorithm 1",
    "section 2",
    kind=Kind.IDENTITY,
    role="program",
    title="The program of DP-GD is the printed one",
    statement=r"From $\theta_0$, $\theta_{t+1}=\Pi_C\big(\theta_t-\eta(\nabla L(\theta_t;D)+b_t)\big)$, "
    r"$b_t\sim N(0,\sigma^2I_p)$ independent, and the output is the average of $\theta_1,\dots,\theta_T$; on "
    r"losses that are quadratic where the iterates are, $\nabla L(\theta)=H\theta-c$, from $\theta_0=0$, the "
    r"output is Gaussian with mean $\frac\eta T\sum_{m=1}^TS_mc$ and covariance "
    r"$\frac{\eta^2\sigma^2}{T^2}\sum_{m=1}^TS_mS_m^\top$, $S_m=\sum_{s<m}(I-\eta H)^s$.",
    expected=CONSISTENT,
    check=check,
    # A Kolmogorov distance. Noise that is 5 % off must be seen: it moves the law of the squared norm of two
    # coordinates by 2·log(1.05)/e = 0.036.
    largest_resolution=0.036,
    smoke=[*EXACT, *laws(32_768, noise=("printed", "corrected", "calibrated"), steps=(1, 3))],
    ci=[*EXACT, *laws(131_072, noise=("printed", "corrected", "calibrated"), steps=(1, 3, 10))],
)
