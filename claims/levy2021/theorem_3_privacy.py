r"""Theorem 3, privacy: Algorithm 3 with any first-order method is (ε, δ)-user-level DP for ε ≤ 1, δ > 0.

Each of T answers is (ε′, δ′)-DP with ε′ = ε/(2√(2T log(2/δ))), δ′ = δ/(2T) (Levy et al. 2021, Algorithm 3,
line 2; Theorem 2), and answers are chosen adaptively. The best (ε, δ) of such a composition is known exactly
(Kairouz, Oh and Viswanath 2015): it decides the statement for each (T, ε, δ), if Algorithm 2 keeps what it
promises at (ε′, δ′), which it does since ε′ ≤ 8 log(1/δ′) (theorem-2-privacy; checked here as well).

Proof for all T and δ. By strong composition (Dwork, Rothblum and Vadhan 2010) T answers are (√(2T
log(2/δ))·ε′ + Tε′(e^{ε′} − 1), δ/2 + Tδ′)-DP. The first term is ε/2; ε′ ≤ ε/(2√(2T log 2)) gives Tε′(e^{ε′} −
1) ≤ 0.23ε² for ε ≤ 1; and δ/2 + T·δ/(2T) = δ. The grid below is the arithmetic check of this.

**Flat composition** (`:flat`). The answers of Algorithm 3 are T·d Laplace coordinates. Composed all at once,
in place of d inside of T, they may have ε_c = ε/(2√(TdL)), L = log(2/δ): they are Tdε_c²/2 = ε²/(8L)-zCDP,
and ε²/(8L) + 2√(ε²/8) ≤ ε·(1/√2 + ε/(8L)) ≤ ε for ε ≤ 1. Printed is ε′/√(8d·log(1/δ′)) with ε′ = ε/(2√(2TL)),
δ′ = δ/(2T): the noise has a variance 16·log(2T/δ) times as large, 306 at T = 100, δ = 10⁻⁶. So one of the two
factors log(1/δ) can be taken out of Theorems 3, 4 and 10 and of Corollary 2, and the users by the root of it.
Both splits are run on the same users, on a linear loss whose slope is that of their noise: convex losses, the
method of Theorem 3 (i).

The slack is large: the noise could be several times smaller, reported as the factor by which ε′ may grow; and
the split is private far beyond ε = 1.

How it is checked. Exactly, by the optimal composition theorem, with the budget that the implementation
gives to each answer. Of both splits the noise of the answers must have its ν², from both sides, and the
mean risk is held against HR²/T + Rν√(2/T), which is smaller by √(16·log(2T/δ)) for the flat one."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, equals, mean_at_most, mean_equals, reported
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.levy2021 import PAPER
from claims.levy2021 import _first_order as shared
from claims.levy2021.theorem_3_convex import BALL, RADIUS
from implementations.interfaces import Array
from implementations.levy2021 import first_order
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.winsorized_mean_highd import highd_plan, winsorized_mean_highd
from implementations.privacy import PrivacyBudget, composition_delta, log_pure_composition_delta


def largest_epsilon(delta: float, steps: int) -> float:
    """The largest power of 1.25 up to which the printed split is private."""
    epsilon = 1.0
    while epsilon < 1e4:
        answer = first_order.query_budget(1.25 * epsilon, delta, steps, "paper")
        if composition_delta(1.25 * epsilon, *answer, steps) > delta:
            break
        epsilon *= 1.25
    return epsilon


def check(point: Point) -> Iterator[Evidence]:
    answer_epsilon, answer_delta = first_order.query_budget(point.epsilon, point.delta, point.T, "paper")
    composed = composition_delta(point.epsilon, answer_epsilon, answer_delta, point.T)
    yield at_most("δ of the composition of T answers", composed, point.delta)
    yield at_most("ε′ / (8 log(1/δ′))", answer_epsilon / (8.0 * math.log(1.0 / answer_delta)), 1.0)
    best, _ = first_order.query_budget(point.epsilon, point.delta, point.T, "tuned")
    yield reported("factor by which ε′ could grow", best / answer_epsilon)
    if point.epsilon == 1.0:
        yield reported("ε up to which the split is private", largest_epsilon(point.delta, point.T))


def runs_of_split(point: Point) -> tuple[Array, Array, float]:
    """Excess risks and their bound over σR, and squared noise of the answers over ν², for a split of the
    budget: (risks, noise, bound).
    """
    s = shared.Setting(point.n, point.m, point.d, point.epsilon, point.T, 0.0, point.delta)
    epsilon, delta = first_order.query_budget(s.epsilon, s.delta, s.steps, "paper")
    variance = s.variance
    if point.composed == "flat":
        # The ε of an answer whose coordinates, ε/√(8d·log(1/δ′)) by line 3 of Algorithm 2, are the flat ones.
        epsilon = s.epsilon * math.sqrt(2.0 * math.log(1.0 / delta) / (s.steps * math.log(2.0 / s.delta)))
        variance /= 16.0 * math.log(2.0 * s.steps / s.delta)
    noise, trials = math.sqrt(variance), point.trials
    slope = shared.diagonal(noise / math.sqrt(s.steps), s.d)
    smoothness = noise * math.sqrt(s.steps / 2.0) / (2.0 * RADIUS)
    method = first_order.averaged_sgd(BALL, smoothness, 2.0 * RADIUS, noise, s.steps)
    z = s.sigma / math.sqrt(s.m) * point.rng.standard_normal((s.n, s.d))
    users, seen = slope + z - z.mean(axis=0), list[Array]()

    def answer(theta: Array) -> Array:
        told = PrivacyBudget(epsilon, delta), Concentration(s.tau, s.bound, shared.GAMMA)
        parts = [
            winsorized_mean_highd(np.broadcast_to(users, (len(part), s.n, s.d)), *told, point.rng)
            for part in np.array_split(theta, math.ceil(trials * s.n / 10**6))
        ]
        seen.append(np.concatenate(parts))
        return seen[-1]

    start = np.tile(shared.diagonal(RADIUS, s.d), (trials, 1))
    final = first_order.run_method(method, answer, start, s.steps)
    risk = final @ slope + RADIUS * float(np.linalg.norm(slope))
    bound = smoothness * (2.0 * RADIUS) ** 2 / s.steps + 2.0 * RADIUS * noise * math.sqrt(2.0 / s.steps)
    squares = ((np.array(seen) - slope) ** 2).sum(axis=-1).mean(axis=0)
    return risk / s.sigma, squares / variance, bound / s.sigma


def check_runs(point: Point) -> Iterator[Evidence]:
    risk, squares, bound = runs_of_split(point)
    first, second = point.split(2)
    yield mean_at_most("excess risk over σR", risk, bound, alpha=first)
    quantity = "squared noise of an answer over ν² of its split"
    yield mean_equals(quantity, squares, 1.0, alpha=second)


def check_flat(point: Point) -> Iterator[Evidence]:
    if "composed" in point:
        yield from check_runs(point)
        return
    logs = math.log(2.0 / point.delta)
    coordinate = point.epsilon / (2.0 * math.sqrt(point.T * point.d * logs))
    log_delta = log_pure_composition_delta(point.epsilon, coordinate, point.T * point.d)
    ratio = math.exp(min(log_delta - math.log(point.delta), 700.0))
    yield at_most("δ of the composition of T·d coordinates over δ", ratio, 1.0)
    answer = first_order.query_budget(point.epsilon, point.delta, point.T, "paper")
    printed = highd_plan(100, point.d, *answer, 1.0, 1.0, 0.1).epsilon
    gain = (coordinate / printed) ** 2
    yield equals(
        "variance printed over variance with flat composition",
        gain,
        16.0 * math.log(2.0 * point.T / point.delta),
    )


EPSILONS = (0.01, 0.3, 1.0)
RUNS = [
    {"T": steps, "d": d, "epsilon": 1.0, "delta": delta, "m": 100, "composed": composed,
     "n": shared.users_for(d, 1.0, steps, delta=delta)}
    for steps, d, delta in ((1, 1, 0.1), (2, 1, 0.1), (4, 1, 0.1), (2, 2, 0.1), (2, 1, 1e-6))
    for composed in ("printed", "flat")
]  # fmt: skip
"""The users that the printed split needs; the flat one needs fewer."""

CLAIM = Claim(
    PAPER,
    "Theorem 3",
    "section 4, Algorithm 3",
    name="theorem-3-privacy",
    kind=Kind.PRIVACY,
    title="Algorithm 3 is (ε, δ)-user-level DP for ε ≤ 1",
    uses=("theorem-2-privacy",),
    statement=r"For $\varepsilon\le1$ and $\delta\in(0,1)$, $T$ adaptive answers, each "
    r"$(\varepsilon/(2\sqrt{2T\log(2/\delta)}),\delta/(2T))$-DP, are $(\varepsilon,\delta)$-DP.",
    expected=CONFIRMED,
    rests_on=("levy2021/theorem-2-privacy",),
    check=check,
    smoke=grid(T=(1, 100), epsilon=EPSILONS, delta=(1e-6, 0.5)),
    ci=grid(T=(1, 2, 10, 100, 1000), epsilon=EPSILONS, delta=(1e-9, 1e-6, 0.01, 0.5, 0.99)),
    full=grid(
        T=(1, 2, 3, 10, 100, 1000, 30_000),
        epsilon=EPSILONS,
        delta=(1e-12, 1e-9, 1e-6, 0.01, 0.1, 0.5, 0.99),
    ),
)
FLAT = CLAIM.reading(
    "flat",
    title="Algorithm 3 with the coordinates of all answers composed at once",
    statement=r"For $\varepsilon\le1$, $Td$ adaptive coordinates, each "
    r"$\varepsilon/(2\sqrt{Td\log(2/\delta)})$-DP, are $(\varepsilon,\delta)$-DP; the noise of Algorithm 3 "
    r"then has a variance smaller by $16\log(2T/\delta)$, and for convex losses the excess risk is at most "
    r"$\frac{HR^2}T+R\nu\sqrt{2/T}$ with the smaller $\nu$.",
    expected=CONSISTENT,
    summary="one of two factors log(1/δ) of Theorems 3, 4 and 10 is not needed",
    check=check_flat,
    # Of the noise over ν²: with the variance of the other split it would be 1/48 or 48, or further away.
    largest_resolution=0.9,
    smoke=Tier([*grid(T=(1, 100), d=(1, 64), epsilon=(0.1, 1.0), delta=(1e-6, 0.1)), *RUNS[:4]], trials=1300),
    ci=Tier(
        [
            *grid(T=(1, 10, 1000), d=(1, 4, 256), epsilon=(0.01, 0.3, 1.0), delta=(1e-12, 1e-6, 0.01, 0.5)),
            *RUNS,
        ],
        trials=1300,
    ),
    plots=[
        Plot(
            kind="curve",
            title="Excess risk of Algorithm 3: the printed split of the budget, and all coordinates at once",
            x="T",
            y="value",
            x_label="steps T, with the users that the printed split needs",
            y_label="excess risk over σR",
            claimed="claimed",
            series="composed",
            log_y=True,
            select={"quantity": "excess risk over σR", "d": 1, "delta": 0.1},
        )
    ],
)
CLAIMS = [FLAT]
