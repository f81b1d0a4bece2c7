r"""Footnote 3: the local variant of DP-GD is locally private at √n times the noise of the central one.

"Our results for DP-GD almost seamlessly transfer to the local differential privacy setting" (Song et al.
2021, section 3.1): in each of T rounds every record sends its own gradient plus Gaussian noise. A report
moves by at most 2L when its record is replaced, so the T reports of a record are one Gaussian release with μ
= 2L√T/σ, and σ = 2L√T/μ*(ε, δ) is the least noise for which they are (ε, δ)-private. The mean of n reports
has the noise σ/√n = √n·2L√T/(nμ*): √n times the noise of the central algorithm with the same guarantee.

So is the excess risk, "albeit with an increase of a √n factor" (section 1.1): (6) with this noise, public R ≥
‖θ*‖ and η = R/√(T(L² + rank·σ²/n)) is LR·√(1/T + 4·rank/(nμ*²)), against LR·√(1/T + 4·rank/(nμ*)²) of the
central algorithm.

How it is checked. The composition of the T reports, and the √n, exactly. The mean excess risk of the local
program on the pinball losses of `theorem-3.1`, against the bound. The programs against the laws that
this σ makes, on two dense features: a report minus its record's gradient is N(0, σ²I₂), independent over the
records, and on quadratic losses the average of the iterates is the Gaussian of `algorithm-1` with σ/√n for
the noise. A run over a ball stays in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, Tier, at_most, grid, mean_at_most
from claims.song2021 import PAPER
from claims.song2021._oracle import gaussian_draws, in_unit_ball, law_of_average, refused, same
from implementations import losses
from implementations.domains import ball
from implementations.interfaces import Array, Problem
from implementations.privacy import gaussian_delta, mu_star
from implementations.song2021 import local

WIDTH, ETA = 50.0, 5.0
"""Half-width of the quadratic part of the losses of the law, and its learning rate."""


def excess_risks(point: Point) -> tuple[Array, float]:
    """Excess risks of the local program on `rank` coordinates, pinball losses, ‖θ*‖ = 1, and the bound."""
    rank, steps, n = point.rank, point.steps, point.n
    link, optimum = losses.pinball(0.3), np.full(rank, -1.0 / math.sqrt(rank))
    features = np.eye(rank)[np.arange(n) % rank]
    problem = Problem(features, features @ optimum, link)
    noise = local.report_noise(epsilon=point.epsilon, delta=point.delta, steps=steps, lipschitz=1.0)
    share = 4.0 * rank / (n * mu_star(point.epsilon, point.delta) ** 2)
    eta = 1.0 / (steps * math.sqrt(1.0 / steps + share))
    run = local.local_dp_gd(problem, point.trials, point.rng, steps=steps, learning_rate=eta, noise=noise)
    risks = link.value(run.printed @ features.T, problem.targets).mean(axis=1)
    return risks, math.sqrt(1.0 / steps + share)


def check(point: Point) -> Iterator[Evidence]:
    if "rank" in point:
        risks, bound = excess_risks(point)
        yield mean_at_most("excess risk of the local algorithm", risks, bound, alpha=point.alpha)
        return
    n, steps, epsilon, delta = point.n, point.steps, point.epsilon, point.delta
    alpha, rng = point.split(4), point.rng
    noise = local.report_noise(epsilon=epsilon, delta=delta, steps=steps, lipschitz=1.0)
    stated = 2.0 * math.sqrt(steps) / mu_star(epsilon, delta)
    composed = gaussian_delta(epsilon, 2.0 * math.sqrt(steps) / noise)
    note = "that the noise of the program is the calibrated one; the composition is the argument on the page"
    yield at_most("δ at ε of the T reports of one record", composed, delta, note=note)
    steep = local.report_noise(epsilon=epsilon, delta=delta, steps=steps, lipschitz=3.0)
    yield same("noise of a report over 2L√T/μ*, L = 3", steep / (3.0 * stated), 1.0)
    other = local.report_noise(epsilon=2.5, delta=1e-7, steps=5, lipschitz=1.0) * mu_star(2.5, 1e-7)
    yield same("noise of a report over 2L√T/μ* at another ε and δ", other / (2.0 * math.sqrt(5.0)), 1.0)

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
    pair = Problem(np.eye(2), np.zeros(2), losses.huber(WIDTH))  # n = 2: the gradient at 0 is 0
    single = local.local_dp_gd(pair, point.drawn, rng, steps=1, learning_rate=ETA, noise=noise).last
    spread = (ETA * stated) ** 2 / 2.0 * np.eye(2)
    yield from gaussian_draws("a step of two records", single, np.zeros(2), spread, alpha=alpha[3])
    radius = 0.5 * math.sqrt(covariance.trace())
    inside = local.local_dp_gd(problem, 200, rng, **options, domain=ball(radius)).last
    furthest = float(np.linalg.norm(inside, axis=1).max()) / radius
    yield at_most("largest ‖θ_T‖ over the radius of C", furthest, 1.0, decides=False)
    one = {"steps": 1, "learning_rate": ETA, "noise": noise}
    free, held = (
        local.local_dp_gd(problem, 50, np.random.default_rng(7), **one, domain=domain).last / radius
        for domain in (None, ball(radius))
    )
    inside = free / np.maximum(np.linalg.norm(free, axis=1, keepdims=True), 1.0)
    yield same("one step over C, against the projection of the free one", held, inside)
    for name, value in (("delta", 0.0), ("steps", 0), ("lipschitz", 0.0)):
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "steps": steps, "lipschitz": 1.0}
        asked[name] = value
        yield refused(
            f"the noise of {name} = {value}", name, partial(local.report_noise, **asked)
        )  # fmt: skip


RISKS = [
    *grid(n=120, steps=300, epsilon=8.0, delta=1e-3, rank=1),
    *grid(n=120, steps=150, epsilon=8.0, delta=1e-8, rank=2),
]
CLAIM = Claim(
    PAPER,
    "Footnote 3",
    "section 3.1",
    kind=Kind.PRIVACY,
    title="The local variant of DP-GD",
    uses=("theorem-2.6", "theorem-3.1"),
    statement=r"Every record sends its gradient plus $N(0,\sigma^2I)$ in each of $T$ rounds, "
    r"$\sigma=2L\sqrt T/\mu^*(\varepsilon,\delta)$: its reports are $(\varepsilon,\delta)$-locally "
    r"differentially private, and the mean of $n$ reports has $\sqrt n$ times the noise of the central "
    r"algorithm; with a learning rate from a public $R\ge\|\theta^*\|_M$ the excess risk is at most "
    r"$LR\sqrt{1/T+4\,\mathrm{rank}(M)/(n\mu^*(\varepsilon,\delta)^2)}$.",
    expected=CONSISTENT,
    check=check,
    # A Kolmogorov distance. Noise that is 5 % off must be seen: it moves the law of a squared norm by 0.036.
    largest_resolution=0.036,
    smoke=Tier([*RISKS[:1], *grid(n=200, steps=2, epsilon=0.8, delta=0.01, drawn=32_768)], trials=300),
    ci=Tier([*RISKS, *grid(n=200, steps=(1, 2), epsilon=(0.8, 3.0), delta=0.01, drawn=65_536)], trials=600),
    full=Tier(
        [*RISKS, *grid(n=200, steps=(1, 4), epsilon=(1.0, 3.0), delta=0.01, drawn=262_144)], trials=4_000
    ),
)
