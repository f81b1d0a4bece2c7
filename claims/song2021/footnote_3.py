r"""Footnote 3: the local variant of DP-GD is locally private at √n times the noise of the central one.

"Our results for DP-GD almost seamlessly transfer to the local differential privacy setting" (Song et al.
2021, section 3.1): in each of T rounds every record sends its own gradient plus Gaussian noise. A report
moves by at most 2L when its record is replaced, so the T reports of a record are one Gaussian release with μ
= 2L√T/σ, and σ = 2L√T/μ*(ε, δ) is the least noise for which they are (ε, δ)-private. The mean of n reports
has the noise σ/√n = √n·2L√T/(nμ*): √n times the noise of the central algorithm with the same guarantee.

How it is checked. The composition of the T reports, and the √n, exactly. The programs against the laws that
this σ makes, on two dense features: a report minus its record's gradient is N(0, σ²I₂), independent over the
records, and on quadratic losses the average of the iterates is the Gaussian of `algorithm-1` with σ/√n for
the noise. A run over a ball stays in it. Beside the laws the reports of a replaced record are audited.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, at_most, audit_privacy, grid
from claims.song2021 import PAPER
from claims.song2021._oracle import beside_a_law, gaussian_draws, in_unit_ball, law_of_average, same
from implementations import losses
from implementations.domains import ball
from implementations.interfaces import Array, Problem
from implementations.privacy import gaussian_delta, mu_star
from implementations.song2021 import local
from implementations.song2021.worst_pairs import huber_pair

WIDTH, ETA = 50.0, 5.0
"""Half-width of the quadratic part of the losses of the law, and its learning rate."""


def check(point: Point) -> Iterator[Evidence]:
    n, steps, epsilon, delta = point.n, point.steps, point.epsilon, point.delta
    alpha, rng = point.split(3), point.rng
    noise = local.report_noise(epsilon=epsilon, delta=delta, steps=steps, lipschitz=1.0)
    stated = 2.0 * math.sqrt(steps) / mu_star(epsilon, delta)
    composed = gaussian_delta(epsilon, 2.0 * math.sqrt(steps) / noise)
    yield at_most("δ at ε of the T reports of one record", composed, delta)
    steep = local.report_noise(epsilon=epsilon, delta=delta, steps=steps, lipschitz=3.0)
    yield same("noise of a report over 2L√T/μ*, L = 3", steep / (3.0 * stated), 1.0)

    x, y = in_unit_ball((point.drawn, 2), rng), rng.uniform(-1.0, 1.0, point.drawn)
    theta = np.array([0.4, -0.7])
    reports = local.local_reports(Problem(x, y, losses.huber(WIDTH)), theta, noise, rng)
    own = ((x @ theta - y) / WIDTH)[:, None] * x
    quiet = local.local_reports(Problem(x, y, losses.huber(WIDTH)), theta, 0.0, rng)
    yield same("reports without noise over 1/50, against the gradients", WIDTH * quiet, WIDTH * own)
    yield from gaussian_draws("a report", reports - own, np.zeros(2), stated**2 * np.eye(2), alpha=alpha[0])

    problem = Problem(x[:n], y[:n], losses.huber(WIDTH))
    options = {"steps": steps, "learning_rate": ETA, "noise": noise}
    averages = local.local_dp_gd(problem, point.drawn, rng, **options).printed
    mean, covariance = law_of_average(
        x[:n].T @ x[:n] / (n * WIDTH), x[:n].T @ y[:n] / (n * WIDTH), learning_rate=ETA,
        noise=stated / math.sqrt(n), steps=steps,
    )  # fmt: skip
    yield from gaussian_draws("the average of the iterates", averages, mean, covariance, alpha=alpha[1])
    radius = 0.5 * math.sqrt(covariance.trace())
    inside = local.local_dp_gd(problem, 200, rng, **options, domain=ball(radius)).last
    furthest = float(np.linalg.norm(inside, axis=1).max()) / radius
    yield at_most("largest ‖θ_T‖ over the radius of C", furthest, 1.0, decides=False)

    def first_report(data: Array, size: int, generator: np.random.Generator) -> Array:
        """All T reports of the first record, whose gradient does not depend on θ: it has n copies."""
        copies = np.repeat(data[:1], size, axis=0)
        same_record = Problem(copies[:, :-1], copies[:, -1], losses.huber(1.0))
        return np.stack(
            [local.local_reports(same_record, np.zeros(1), noise, generator)[:, 0] for _ in range(steps)],
            axis=1,
        )

    result = audit_privacy(
        first_report, [huber_pair(2, 1.0, far=100.0)], epsilon=epsilon, delta=delta,
        adjacency=PAPER.adjacency, alpha=alpha[2], rng=rng, max_samples=2 * point.drawn,
        score=lambda outputs: outputs.sum(axis=1),
    )  # fmt: skip
    yield beside_a_law(result, "the T reports of one record")


CLAIM = Claim(
    PAPER,
    "Footnote 3",
    "section 3.1",
    kind=Kind.PRIVACY,
    title="The local variant of DP-GD",
    statement=r"Every record sends its gradient plus $N(0,\sigma^2I)$ in each of $T$ rounds, "
    r"$\sigma=2L\sqrt T/\mu^*(\varepsilon,\delta)$: its reports are $(\varepsilon,\delta)$-locally "
    r"differentially private, and the mean of $n$ reports has $\sqrt n$ times the noise of the central "
    r"algorithm.",
    expected=CONSISTENT,
    check=check,
    # A Kolmogorov distance. Noise that is 5 % off must be seen: it moves the law of a squared norm by 0.036.
    largest_resolution=0.036,
    smoke=grid(n=200, steps=2, epsilon=1.0, delta=0.01, drawn=32_768),
    ci=grid(n=200, steps=(1, 2), epsilon=(1.0, 3.0), delta=0.01, drawn=65_536),
    full=grid(n=200, steps=(1, 4), epsilon=(1.0, 3.0), delta=0.01, drawn=262_144),
)
