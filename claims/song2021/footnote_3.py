r"""Footnote 3: the local variant of DP-GD is locally private at √n times the noise of the central one.

"Our results for DP-GD almost seamlessly transfer to the local differential privacy setting" (Song et al.
2021, section 3.1): in each of T rounds every record sends its own gradient plus Gaussian noise. A report
moves by at most 2L when its record is replaced, so the T reports of a record are one Gaussian release with μ
= 2L√T/σ, and σ = 2L√T/μ*(ε, δ) is the least noise for which they are (ε, δ)-private. The mean of n reports
has the noise σ/√n = √n·2L√T/(nμ*): √n times the noise of the central algorithm with the same guarantee.

How it is checked. The composition of the T reports exactly. The programs against the laws that this σ makes:
each report of one round standardised is N(0, 1), and on the Huber losses of `theorem-2.6` the average of the
iterates is Gaussian with the variance η²σ²/(nT). The reports of a replaced record are audited by sampling.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, at_most, audit_privacy, drawn_from, grid
from claims.song2021 import PAPER
from implementations import losses
from implementations.interfaces import Array, Problem
from implementations.privacy import gaussian_delta, mu_star
from implementations.song2021 import local
from implementations.song2021.worst_pairs import huber_pair


def problem_of(data: Array) -> Problem:
    return Problem(data[:, :-1], data[:, -1], losses.huber(1.0))


def check(point: Point) -> Iterator[Evidence]:
    from scipy.special import ndtr

    n, steps, epsilon, delta = point.n, point.steps, point.epsilon, point.delta
    alpha, rng = point.split(3), point.rng
    noise = local.report_noise(epsilon=epsilon, delta=delta, steps=steps, lipschitz=1.0)
    stated = 2.0 * math.sqrt(steps) / mu_star(epsilon, delta)
    composed = gaussian_delta(epsilon, 2.0 * math.sqrt(steps) / noise)
    yield at_most("δ at ε of the T reports of one record", composed, delta)

    # n is so large that the iterates stay where the losses are quadratic: 7σ/√n < 1.
    # At θ = 0 the records with target 0 have the gradient 0, and the outlier at ±far has ∓1.
    pair = huber_pair(n, 1.0, far=100.0)
    reports = local.local_reports(problem_of(pair[0]), np.zeros(1), noise, rng)[:, 0]
    reports[0] += 1.0
    yield drawn_from("law of a report", reports / stated, ndtr, alpha=alpha[0], note="standardised")

    averages = local.local_dp_gd(
        problem_of(pair[0]), point.sampled, rng, steps=steps, learning_rate=n / (n - 1), noise=noise
    ).printed[:, 0]
    spread = n / (n - 1) * stated / math.sqrt(n * steps)
    yield drawn_from(
        "law of the average of the iterates", (averages - 1.0 / (n - 1)) / spread, ndtr, alpha=alpha[1],
        note="standardised",
    )  # fmt: skip

    def first_report(data: Array, size: int, generator: np.random.Generator) -> Array:
        """All T reports of the first record, whose gradient does not depend on θ: it has n copies."""
        copies = problem_of(np.repeat(data[:1], size, axis=0))
        return np.stack(
            [local.local_reports(copies, np.zeros(1), noise, generator)[:, 0] for _ in range(steps)], axis=1
        )

    result = audit_privacy(
        first_report, [pair], epsilon=epsilon, delta=delta, adjacency=PAPER.adjacency, alpha=alpha[2],
        rng=rng, max_samples=50 * point.sampled, score=lambda outputs: outputs.sum(axis=1),
    )  # fmt: skip
    yield result.evidence("the T reports of one record")


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
    largest_resolution=4.0,  # of ε, which is up to 3
    smoke=grid(n=2_000, steps=2, epsilon=1.0, delta=0.01, sampled=1_000),
    ci=grid(n=2_000, steps=2, epsilon=(1.0, 3.0), delta=0.01, sampled=2_000),
    full=grid(n=4_000, steps=(1, 4), epsilon=(1.0, 3.0), delta=0.01, sampled=4_000),
)
