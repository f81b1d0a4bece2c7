r"""Lemma 3.7: on (τ, γ)-concentrated data with n ≥ 8·log(T/γ)/ε nobody is removed, with probability 1 − (T
+ 1)γ.

It falls twice.

* "$s_i^{conc}=n$ with probability 1 − γ": concentration is within τ of a *centre*, so two users may be 2τ
  apart, and the score counts pairs within τ. Two clusters of n/2 users at $x\pm\tau$ are (τ,
  0)-concentrated and have score n/2, far below 4n/5; the larger n, the surer AboveThreshold halts. In d
  dimensions the score can be n/(2d): users on the 2d points $\pm\tau e_j$ are √2τ apart. It can be less,
  down to n over the number of points of a ball of radius τ that are pairwise more than τ apart: n/5 in the
  plane, on a pentagon. (For d = 1 n/2 is the least, since one half of $[x-\tau,x+\tau]$ with k users has k²
  near pairs.)
* Even where all users agree and the score is n, the gap to the threshold is 0.2n, while Lemma 2.4 needs
  $\alpha=16\log(2T/\gamma)/\varepsilon$ for the budget ε/2. At $n=8\log(T/\gamma)/\varepsilon$ the first
  query already fails with probability about $\frac23(\gamma/T)^{0.2}$.

What survives: for $(\tau/2,\gamma)$-concentrated data all pairs are within τ and the score is n, all counts
within 2τ are n, and with $n\ge80\log(2T/\gamma)/\varepsilon$ AboveThreshold says ⊤ to all T queries with
probability 1 − γ. The union over T queries gives $1-(T+1)\gamma$.

How it is checked. Exactly. The halting law for score n at the printed n and at the corrected one; for two
and for 2d clusters at the edge, with their scores and selection probabilities as computed by the
implementation. All (τ/2, 0)-concentrated datasets have the same scores and counts, so one decides. The
program by sampling, against the exact law (`:program`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from audits.judge import at_least, at_most, equals, mean_equals, reported
from claims import CONFIRMED, CONSISTENT, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from claims.asi2024 import PAPER
from implementations.asi2024 import clusters, outlier_removal
from implementations.asi2024.above_threshold import halting_law
from implementations.asi2024.clusters import Clusters
from implementations.asi2024.outlier_removal import printed_plan


def corners(n: int, d: int) -> Clusters:
    """n users spread evenly over the 2d points ±0.99·e_j: within τ = 1 of the origin."""
    places = 0.99 * np.concatenate([np.eye(d), -np.eye(d)])
    share = np.full(2 * d, n // (2 * d))
    share[: n - share.sum()] += 1
    return clusters.as_clusters(places, share)


def all_kept(data: Clusters, queries: int, epsilon: float, delta: float) -> float:
    """P(S_i = D for all T queries) if every query has the values `data`."""
    plan = printed_plan(data.users, queries, epsilon, delta, 1.0)
    kept = clusters.kept_probabilities(data, plan.tau)
    passed = halting_law([clusters.score(data, plan.tau)] * queries, plan.threshold, plan.budget)[-1]
    return float(passed * np.prod(kept**data.weights) ** queries)


def check(point: Point) -> Iterator[Evidence]:
    """Users who all agree, and users at the edge of concentration, at the printed n and at a hundred times
    it."""
    least = 1.0 - (point.T + 1) * point.gamma
    n = math.ceil(8.0 * math.log(point.T / point.gamma) / point.epsilon)
    agree = clusters.as_clusters([[0.0]], [n])
    yield at_least("P(nobody removed), all users agree", all_kept(agree, point.T, point.epsilon, 0.5), least)
    for d, many in ((1, n + n % 2), (1, 100 * n), (2, 100 * n)):
        edge = corners(many, d)
        score = clusters.score(edge, 1.0)
        note = f"n = {many}, clusters at ±τe_j, d = {d}: (τ, 0)-concentrated, score {score:g}"
        found = all_kept(edge, point.T, point.epsilon, 0.5)
        yield at_least("P(nobody removed), users at the edge", found, least, note=note)


def check_corrected(point: Point) -> Iterator[Evidence]:
    """The score of a dataset at the edge of (τ/2)-concentration, and the failure of AboveThreshold at score
    n."""
    n = math.ceil(80.0 * math.log(2.0 * point.T / point.gamma) / point.epsilon)
    edge = clusters.as_clusters([[-0.5], [0.5]], [n // 2, n - n // 2])
    yield equals("score of two clusters τ apart, over n", clusters.score(edge, 1.0) / n, 1.0)
    kept = clusters.kept_probabilities(edge, 1.0)
    yield equals("least probability to be kept", float(kept.min()), 1.0)
    failure = 1.0 - all_kept(edge, point.T, point.epsilon, 0.5)
    yield at_most("P(somebody removed | all concentrated)", failure, point.gamma)
    yield from check_edges()
    yield reported("least c with n = c·log(2T/γ)/ε", least_constant(point.T, point.gamma, point.epsilon))


def check_edges() -> Iterator[Evidence]:
    """The scores of users at the edge of concentration, which the docstring and the finding name."""
    for d in (1, 2, 3, 10):
        found = clusters.score(corners(60, d), 1.0)
        yield equals(f"score of 60 users at ±τe_j, times 2d/n, d = {d}", found * 2 * d / 60, 1.0)
        wide = clusters.score(corners(60, d), 2.0)
        yield equals(f"score of the same with radius 2τ, over n, d = {d}", wide / 60, 1.0)
    angles = 2.0 * math.pi * np.arange(5) / 5.0
    pentagon = clusters.as_clusters(0.99 * np.stack([np.cos(angles), np.sin(angles)], axis=1), [12] * 5)
    yield equals("score of 60 users on a pentagon, times 5/n", clusters.score(pentagon, 1.0) * 5.0 / 60, 1.0)


def check_program(point: Point) -> Iterator[Evidence]:
    """The program against the exact law: who answers all T queries, and the mean of users kept by chance.

    All users agree for the first check. For the second 45 % stand at 0, 15 % at 1.9τ and 40 % at 3.8τ: the
    first and
    the last are kept by chance, the same users once as clusters and once one by one.
    """
    n, runs = point.n, point.samples
    levels = point.split(3)
    plan = printed_plan(n, point.T, point.epsilon, 0.5, 1.0)
    agree = clusters.as_clusters([[0.0]], [n])
    run = outlier_removal.OutlierRemovingMean(plan, runs, point.rng)
    for _ in range(point.T):
        answer = run.answer(agree.positions, agree.weights)
    yield mean_equals(
        "share of runs that answer all queries", answer.running.astype(float),
        all_kept(agree, point.T, point.epsilon, 0.5), alpha=levels[0], method="betting", support=(0.0, 1.0),
    )  # fmt: skip
    some = clusters.as_clusters([[0.0], [1.9], [3.8]], [0.45 * n, 0.15 * n, 0.4 * n])
    mass, values = clusters.mean_law(some, 1.0)
    rows = np.repeat(some.positions, some.weights.astype(int), axis=0)
    queries = {
        "clusters": outlier_removal.look(some.positions, 1.0, some.weights),
        "single users": outlier_removal.look(rows, 1.0),
    }
    for level, (name, query) in zip(levels[1:], queries.items(), strict=True):
        means = outlier_removal.kept_mean(query, runs, point.rng)[:, 0]
        yield mean_equals(
            f"mean of the kept users over its largest value, {name}", means / 3.8,
            float(mass @ values[:, 0]) / 3.8, alpha=level, method="betting", support=(0.0, 1.0),
        )  # fmt: skip


def least_constant(queries: int, gamma: float, epsilon: float) -> float:
    """The smallest multiple of log(2T/γ)/ε, in steps of 1/2, at which score n passes with probability 1 −
    γ."""
    unit = math.log(2.0 * queries / gamma) / epsilon

    def fit(halves: int) -> bool:
        n = 0.5 * halves * unit
        return bool(halting_law([n] * queries, 0.8 * n, epsilon / 2.0)[:-1].sum() <= gamma)

    return 0.5 * bisect_left(range(160), True, lo=1, key=fit)


CLAIM = Claim(
    PAPER,
    "Lemma 3.7",
    "section 3, appendix B.5",
    kind=Kind.BOUND,
    title="Nobody is removed from concentrated data",
    statement=r"If $(q_i(Z_1),\dots,q_i(Z_n))$ is $(\tau,\gamma)$-concentrated for all $i\in[T]$ and "
    r"$n\ge8\log(T/\gamma)/\varepsilon$, then with probability at least $1-(T+1)\gamma$, $S_i=\mathcal D$ "
    r"for all $i\in[T]$.",
    uses=("lemma-2.4-accuracy",),
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(
            r"Concentration puts users within $\tau$ of a centre, and the score counts pairs within "
            r"$\tau$: half of the users at $+\tau$ and half at $-\tau$ are $(\tau,0)$-concentrated and "
            "have score $n/2<4n/5$, so that Algorithm 1 halts, and the more surely the larger $n$ is. "
            r"Besides, $n=8\log(T/\gamma)/\varepsilon$ is small: 37 users who all agree "
            r"($\varepsilon=1$, $T=1$, $\gamma=0.01$) are answered with probability 0.76, and 0.98 is "
            "stated."
        ),
        favour=(
            r"Read with $\tau$-concentration as all pairs within $\tau$, and with a larger constant for "
            r"$n$, the lemma holds: the law of AboveThreshold was integrated for up to 100 queries "
            r"(`:corrected`). The radius $2\tau$ in the score would do as well: all pairs are within it."
        ),
        survives=(
            r"For $(\tau/2,\gamma)$-concentrated data and $n\ge80\log(2T/\gamma)/\varepsilon$ the "
            "lemma holds; the rates of the paper change by constants only."
        ),
    ),
    check=check,
    smoke=grid(T=(1, 10), gamma=(0.01,), epsilon=(1.0,)),
    ci=grid(T=(1, 10, 100), gamma=(1e-6, 1e-3), epsilon=(0.1, 1.0, 5.0)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Nobody is removed from (τ/2)-concentrated data with n ≥ 80·log(2T/γ)/ε",
    statement=r"If the values are $(\tau/2,\gamma)$-concentrated for all $i\in[T]$ and "
    r"$n\ge80\log(2T/\gamma)/\varepsilon$, "
    r"then with probability at least $1-(T+1)\gamma$, $S_i=\mathcal D$ for all $i\in[T]$.",
    expected=CONFIRMED,
    summary="half the radius, ten times the users",
    check=check_corrected,
    ci=grid(T=(1, 10, 100), gamma=(1e-6, 1e-3, 0.3), epsilon=(0.1, 1.0, 5.0)),
)
PROGRAM = CORRECTED.reading(
    "program",
    title="The program answers and keeps users as the exact law says",
    statement=r"The program of Algorithm 1 answers all $T$ queries, and keeps users by chance, with the "
    r"probabilities of the law that the checks of this lemma use.",
    expected=CONSISTENT,
    check=check_program,
    smoke=grid(T=(3,), n=(60,), epsilon=(1.0,), samples=(10_000,)),
    ci=grid(T=(1, 5), n=(60, 100), epsilon=(1.0, 2.0), samples=(20_000,)),
    largest_resolution=0.1,
)
CLAIMS = [CORRECTED, PROGRAM]
