r"""Section 5, privacy: clipping bounds the sensitivity of a step by 2B/n, for any losses and features.

Clipped DP-GD replaces each record's gradient v by v·min(1, B/‖v‖) before the average is taken (equation 7). A
replaced record then moves the average by at most 2B/n, although no Lipschitz constant is known, so that T
steps with noise of standard deviation σ = 2B√T/(n·μ(ε, δ)) are one Gaussian release with μ(ε, δ), the largest
parameter that is (ε, δ)-private. (With σ² = 2B²T·log(1/δ)/(nε)² it falls as Theorem 2.6 does.) Averages of
gradients that are clipped only afterwards have no such bound: a single record moves them by up to 2B.

An instance that hides nothing: n − 1 records x = 1, y = 0 and one record x = 100 with a gradient far beyond B
of either sign, Huber losses of width 1 and η = n/(n − 1). While |θ| ≤ B ≤ 1 the other records pull every
iterate back to 0 in one step, θₜ₊₁ = −η·(∓B/n + bₜ): so θ̄ is Gaussian with mean ±ηB/n and standard deviation
ησ/√T, a sufficient statistic of all T steps, with the full μ. An iterate leaves [−B, B] with probability
below 1e-12 here.

How it is checked. The difference of the averaged clipped gradients of random neighbours, over features up to
norm 100 and steep losses, against 2B/n, which linear losses of opposite sign attain. The program on the
instance above against its Gaussian law (Kolmogorov–Smirnov), and, on two dense features with two clipped
records, against the law of `algorithm-1`. Over a ball its output stays in the ball.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, drawn_from, equals
from claims import CONSISTENT, Adjacency, Claim, Evidence, Kind, Point, grid
from claims.song2021 import PAPER
from claims.song2021._oracle import gaussian_draws, in_unit_ball, law_of_average, refused, same
from implementations import losses
from implementations.domains import ball
from implementations.interfaces import Array, Problem
from implementations.privacy import mu_star
from implementations.song2021 import clipped_dp_gd, clipped_surrogate, dp_gd

WIDTH, FAR = 1.0, 100.0
"""Width of the Huber losses of the instance, and the feature of the replaced record."""


def neighbours(n: int) -> tuple[Array, Array]:
    """(n, 2) records (x, y): all (1, 0), but one at (FAR, ±∞ for all that θ can reach)."""
    first = np.column_stack([np.ones(n), np.zeros(n)])
    second = first.copy()
    first[0], second[0] = (FAR, 1e9), (FAR, -1e9)
    return first, second


def noise_of(point: Point) -> float:
    """σ = 2B√T/(n·μ(ε, δ)), from the implementation with the clipping norm in the place of L."""
    return dp_gd.noise_scale(
        epsilon=point.epsilon, delta=point.delta, n=point.n, steps=point.steps, lipschitz=point.B,
        noise="calibrated", adjacency=Adjacency.REPLACE,
    )  # fmt: skip


def program(
    point: Point, data: Array, size: int, rng: np.random.Generator, radius: float | None = None
) -> Array:
    """`size` outputs of clipped DP-GD on records (x, y); over [−radius, radius] where it is given."""
    problem = Problem(data[:, :1], data[:, 1], losses.huber(WIDTH))
    return clipped_dp_gd.clipped_dp_gd(
        problem, size, rng, bound=point.B, steps=point.steps, learning_rate=point.n / (point.n - 1),
        noise_scale=noise_of(point), domain=None if radius is None else ball(radius),
    ).printed[:, 0]  # fmt: skip


def largest_move(point: Point) -> float:
    """Largest ‖ḡ(D) − ḡ(D′)‖·n/(2B) over random neighbours and θ; the last pair has opposite gradients."""
    n, rng, worst = point.n, point.rng, 0.0
    for trial in range(point.instances):
        p = int(rng.integers(1, 5))
        x = rng.standard_normal((n + 1, p)) * np.exp(rng.uniform(-5.0, 4.6, (n + 1, 1)))
        y = rng.standard_normal(n + 1)
        x[1] = 0.0
        if trial == point.instances - 1:
            x[[0, n]], y[[0, n]] = FAR, (1e9, -1e9)
        rows = np.arange(n), np.append(np.arange(1, n), n)
        theta = rng.standard_normal((20, p))
        first, second = (
            clipped_dp_gd.clipped_gradient(Problem(x[r], y[r], losses.absolute()), point.B)(theta)
            for r in rows
        )
        move = np.linalg.norm(first - second, axis=1).max()
        worst = max(worst, float(move) * n / (2.0 * point.B))
    return worst


def average_apart(point: Point) -> float:
    """Largest difference of the averaged clipped gradient from the mean of each record's `clip`."""
    x, theta = point.rng.standard_normal((point.n, 3)) * point.B * 2.0, point.rng.standard_normal(3)
    problem = Problem(x, point.rng.standard_normal(point.n), losses.logistic())
    rows = losses.logistic().slope(x @ theta, problem.targets)[:, None] * x
    mean = clipped_surrogate.clip(rows.reshape(2, -1, 3), point.B).mean(axis=(0, 1))
    return float(np.abs(clipped_dp_gd.clipped_gradient(problem, point.B)(theta) - mean).max())


def dense(point: Point, alpha: float) -> Iterator[Evidence]:
    """Two dense features, two records far out that are clipped to B: the Gaussian law of `algorithm-1`."""
    n, rng, width, eta = point.n, point.rng, 50.0, 5.0
    x, y = in_unit_ball((n, 2), rng), rng.uniform(-1.0, 1.0, n)
    x[:2], y[:2] = [[30.0, 40.0], [-6.0, 8.0]], 1e9
    mean, covariance = law_of_average(
        x[2:].T @ x[2:] / (n * width), x[2:].T @ y[2:] / (n * width) + point.B * np.array([0.0, 1.6]) / n,
        learning_rate=eta, noise=2.0 * point.B * point.steps**0.5 / (n * mu_star(point.epsilon, point.delta)),
        steps=point.steps,
    )  # fmt: skip
    draws = clipped_dp_gd.clipped_dp_gd(
        Problem(x, y, losses.huber(width)), point.sampled, rng, bound=point.B, steps=point.steps,
        learning_rate=eta, noise_scale=noise_of(point),
    ).printed  # fmt: skip
    yield from gaussian_draws("θ̄ on dense features", draws, mean, covariance, alpha=alpha)


def check(point: Point) -> Iterator[Evidence]:
    from scipy.special import ndtr

    if "instances" in point:
        quantity = "largest move of the averaged clipped gradient, over 2B/n"
        yield equals(
            quantity, largest_move(point), 1.0, note="random neighbours; attained by opposite gradients"
        )
        quantity = "average of gradients that are clipped one by one (7), largest difference over B"
        yield equals(quantity, average_apart(point) / point.B, 0.0, error=1e-14, decides=False)
        return
    pair = neighbours(point.n)
    to_law, to_dense = point.split(2)
    centre = point.B / (point.n - 1)
    scale = 2.0 * point.B / ((point.n - 1) * mu_star(point.epsilon, point.delta))
    draws = program(point, pair[0], point.sampled, point.rng)
    yield drawn_from(
        "distance of θ̄ from its Gaussian law", draws, lambda v: ndtr((v - centre) / scale), alpha=to_law
    )
    yield from dense(point, to_dense)
    radius = 0.5 * scale
    inside = np.abs(program(point, pair[0], 1_000, point.rng, radius)).max()
    yield at_most("largest |θ̄| over the radius of C", inside / radius, 1.0, decides=False)
    if point.steps == 1:
        free, held = (program(point, pair[0], 50, np.random.default_rng(7), r) for r in (None, radius))
        moved = np.clip(free, -radius, radius) / radius
        yield same("one step over C, against the projection of the free one", held / radius, moved)
    bad = Problem(pair[0][:, :1], pair[0][:, 1], losses.huber(WIDTH))
    yield refused("a clipping norm of 0", "bound", lambda: clipped_dp_gd.clipped_gradient(bad, 0.0))


MOVES = grid(n=(2, 20), B=(0.01, 1.0, 30.0), instances=20)


def sampled(steps: tuple[int, ...], samples: int) -> list[dict[str, float | int | str]]:
    return grid(epsilon=1.0, delta=1e-2, n=100, steps=steps, B=0.5, sampled=samples)


CLAIM = Claim(
    PAPER,
    "Section 5, privacy",
    "section 5, equation (7)",
    name="section-5-privacy",
    kind=Kind.PRIVACY,
    title="Clipped DP-GD is private for any losses and features",
    statement=r"Algorithm 1 with each record's gradient $v$ replaced by $v\min(1,B/\|v\|_2)$ is "
    r"$(\varepsilon,\delta)$-differentially private under replacement of one record when "
    r"$\sigma=2B\sqrt T/(n\,\mu(\varepsilon,\delta))$, $\mu(\varepsilon,\delta)$ the largest parameter for "
    r"which the Gaussian mechanism is $(\varepsilon,\delta)$-private; no Lipschitz constant is needed.",
    expected=CONSISTENT,
    check=check,
    # A Kolmogorov distance. Noise that is 5 % off must be seen: it moves the law of a squared norm by 0.036.
    largest_resolution=0.036,
    smoke=[*MOVES, *sampled((4,), 32_768), *sampled((1,), 32_768)],
    ci=[*MOVES, *sampled((1, 4), 100_000)],
    full=[*MOVES, *sampled((1, 4), 1_000_000)],
)
