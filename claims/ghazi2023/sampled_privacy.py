r"""Theorems 3.3, 4.1 and 5.1, whole programs: what the algorithms show keeps its privacy on pairs made to
strain it.

theorem-3.3-privacy, algorithm-3 and algorithm-4 decide privacy exactly, from laws and budgets, and
algorithm-1, algorithm-2 and transcripts say that the programs have these laws. Here the programs are audited
as one would audit a stranger's: the whole transcript (θ̂₁, …, θ̂_T), on neighbouring datasets.

Algorithms 2 to 6 run on their certified branch only (algorithm-2). Both datasets of a pair lie inside the
certificate; outside it the programs raise an error and have no output. With a NaN in place of the error,
which is what `uncertified="nan"` is for and what makes failures countable, the programs are not private:
one user moved four times as far turns P(NaN) from 0 to 1.

* Algorithm 1, ⊥ shown, on κ and on κ + 1 outliers: the subset changes and ⊥ has the steepest odds. The exact
  ε of ⊥ against an answer is reported; it is about ε/2, the share of the test.
* Two phases of Algorithm 1 on the disjoint batches of Algorithm 4, put together here, outliers in both: the
  replaced user is in phase 1, or in phase 2 only, and becomes an outlier. ⊥ in a phase is shown and ends the
  run.
* Algorithms 3, 4 and 5 on their certified branch, corrected: one user's gradient moves across the whole ball
  for which the optimum is certified, along the first axis. Every eighth θ̂ᵢ (of Algorithm 4 each) is shown, in
  units of the radius of 𝒦 or 𝒦′.

Algorithms 3 to 5 spend little of their budget on any pair: σ is many times what is needed
(theorem-3.3-privacy reports how many). So samples say that nothing large has been forgotten, no more.

How it is checked. By the sequential test at the claimed (ε, δ). Whether the test would see what is there is
tried on Algorithm 1 as well: of the same program on the same pair it must refute that it is private with
nine tenths of the exact ε, else the run is inconclusive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, audit_privacy, grid, reported, undecided
from claims.ghazi2023 import PAPER, _replay
from claims.ghazi2023.algorithm_1 import line_3
from implementations.ghazi2023 import (
    del_output_pert,
    phased_erm,
    phased_sco,
    sc_output_pert,
    strongly_convex_erm,
)
from implementations.ghazi2023.deletion_sensitivity import count_table
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Summary, Users
from implementations.ghazi2023.reading import Guarantee, Reading

BOTTOM = 1e9
"""Stands for ⊥, or for a θ̂ that there is not, in units of the noise."""
EPSILON, DELTA = 1.0, 1e-6
SHARP = 0.9
"""Part of the exact ε that the audit of Algorithm 1 must be able to refute."""
FAR, NEAR = 1, 0
"""Types of users of Algorithms 1 and 4: outliers with slope 1, ordinary users with slope 0."""
Pair = tuple[np.ndarray, np.ndarray]


def with_bottom(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values), BOTTOM, values)


def outlier_table(types: np.ndarray, scale: float) -> Any:
    """f = scale times the share of outliers among the users."""
    counts = [int((types == kind).sum()) for kind in (FAR, NEAR)]

    def share(c: np.ndarray) -> np.ndarray:
        return scale * c[..., :1] / np.maximum(c.sum(axis=-1, keepdims=True), 1.0)

    return count_table(share, counts)


def of_algorithm_1(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    p = del_output_pert.parameters(EPSILON, DELTA, 1.0)
    out = del_output_pert.del_output_pert(outlier_table(np.asarray(data), 1e6), p, size, rng)
    return with_bottom(out[:, 0] / p.sigma)


def of_two_phases(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    """Two phases of Algorithm 1 on the batches of Algorithm 4: (θ̂₁, θ̂₂ − θ̂₁) in units of the noise.

    Linear losses, 𝒦 as wide as one likes.
    """
    users = np.asarray(data)
    shown = np.zeros((size, 2))
    for i in (1, 2):
        part = users[phased_sco.batch(len(users), i, "corrected")]
        p = sc_output_pert.parameters(EPSILON, DELTA, 0.05, 2.0, 4.0**i, len(part), 1e6)
        # Slope 1 moves the optimum by 1/λᵢ a user.
        out = del_output_pert.del_output_pert(outlier_table(part, -(4.0**-i)), p, size, rng)
        shown[:, i - 1] = out[:, 0] / p.sigma
    shown[np.isnan(shown[:, 0]), 1] = np.nan  # ⊥ in phase 1 ends the run
    return with_bottom(shown)


def one_summary(data: Any, size: int, curvature: float, m: float) -> Summary:
    users = np.asarray(data, dtype=float)
    spread = float(_replay.spread_of(users[None])[0])
    mean = np.broadcast_to(users.mean(axis=0), (size, users.shape[1]))
    return Summary(mean, np.full(size, spread), len(users), curvature, 1.0, m)


N, M, WIDE = 4000, 1.6e9, 0.05


def shown(phases: Any, start: np.ndarray, radius: float) -> np.ndarray:
    """Every eighth θ̂ᵢ relative to the start, in units of the radius of the set."""
    moves = [(phase.theta - start) / radius for phase in phases[::8]]
    return with_bottom(np.concatenate(moves, axis=1))


def of_algorithm_3(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    users = one_summary(data, size, 0.0, M)
    start = np.zeros((size, 2))
    phases = phased_erm.phased_erm(
        users, [Ball(np.zeros(2), 1.0)], start, Guarantee(EPSILON, 0.1, 0.05), WIDE, rng,
        reading=Reading(variant="corrected"),
    )  # fmt: skip
    return shown(phases, start, 1.0)


def of_algorithm_5(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    users = one_summary(data, size, 0.5, 1e20)
    done = strongly_convex_erm.strongly_convex_erm(
        users, [Ball(np.zeros(2), 1.0)], Guarantee(EPSILON, 0.1, 0.05), rng,
        reading=Reading(variant="corrected"),
    )  # fmt: skip
    return np.column_stack(
        (with_bottom(done.first / done.sigma), shown(done.phases, done.first, done.radius))
    )


def of_algorithm_4(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    users = np.asarray(data, dtype=float)
    start = np.zeros((size, 2))
    copies = Users(np.broadcast_to(users, (size, *users.shape)), 0.0, 1.0, M)
    phases = phased_sco.phased_sco(
        copies, [Ball(np.zeros(2), 1.0)], start, Guarantee(EPSILON, 0.1, 0.05), WIDE, 64.0, rng,
        reading=Reading(variant="corrected"),
    )  # fmt: skip
    return with_bottom(np.concatenate([phase.theta for phase in phases], axis=1))


def one_batch_pairs() -> list[Pair]:
    """One user of phase 1, or of phase 2, at either end of what is certified there; the others agree."""
    n, pairs = 1200, []
    for i in (1, 2):
        part = range(n)[phased_sco.batch(n, i, "corrected")]
        call = _replay.Call(epsilon=EPSILON, delta=0.1, beta=0.05 / 3, lipschitz=2.0, mu=1.0)
        left = len(part) - 4 * line_3(call.epsilon, call.delta, 1.0)[0]
        reach = 0.5 * call.target(len(part), M) * left * (left - 1) / len(part)
        users = np.tile([0.1, 0.0], (n, 1))
        pairs.append(
            (replaced(users, part[0], [0.1 - reach, 0.0]), replaced(users, part[0], [0.1 + reach, 0.0]))
        )
    return pairs


def outlier_pairs(program: str) -> list[Pair]:
    kappa = line_3(EPSILON, DELTA, 1.0)[0]
    if program == "algorithm 1":
        users = np.array([FAR] * kappa + [NEAR] * (8 * kappa))
        return [(users, replaced(users, kappa, FAR))]
    n = 1024
    first, second = (np.arange(n)[phased_sco.batch(n, i, "corrected")] for i in (1, 2))
    users = np.full(n, NEAR)
    users[first[:kappa]] = users[second[:kappa]] = FAR
    return [(users, replaced(users, int(part[-1]), FAR)) for part in (first, second)]


def replaced(users: np.ndarray, at: int, by: Any) -> np.ndarray:
    changed = users.copy()
    changed[at] = by
    return changed


def certified_pairs(n: int, m: float, half: bool) -> list[Pair]:
    """One user at either end of the largest ball that is certified in the first call; the others agree."""
    steps = math.ceil(math.log(n * m))
    share = 2.0 * steps if half else float(steps)
    call = _replay.Call(epsilon=EPSILON / share, delta=0.1 / share, beta=0.05 / steps, lipschitz=2.0, mu=1.0)
    left = n - 4 * line_3(call.epsilon, call.delta, 1.0)[0]
    reach = 0.5 * call.target(n, m) * left * (left - 1) / n
    users = np.tile([0.1, 0.0], (n, 1))
    return [(replaced(users, 0, [0.1 - reach, 0.0]), replaced(users, 0, [0.1 + reach, 0.0]))]


Program = tuple[Callable[[Any, int, np.random.Generator], np.ndarray], float, Callable[[], list[Pair]]]
PROGRAMS: dict[str, Program] = {
    "algorithm 1": (of_algorithm_1, DELTA, lambda: outlier_pairs("algorithm 1")),
    "two phases": (of_two_phases, DELTA, lambda: outlier_pairs("two phases")),
    "algorithm 4": (of_algorithm_4, 0.1, one_batch_pairs),
    "algorithm 3": (of_algorithm_3, 0.1, lambda: certified_pairs(N, M, False)),
    "algorithm 5": (of_algorithm_5, 0.1, lambda: certified_pairs(20_000, 1e20, True)),
}


def odds_of_bottom() -> float:
    """The exact privacy loss of "answer" between κ and κ + 1 outliers, from Definition 3.4."""
    kappa, _, below = line_3(EPSILON, DELTA, 1.0)
    answer = [1.0 - below[s - 1] for s in (kappa, kappa + 1)]
    return abs(math.log(answer[0] / answer[1]))


def check(point: Point) -> Iterator[Evidence]:
    mechanism, delta, pairs = PROGRAMS[point.program]

    def audit(epsilon: float) -> Any:
        return audit_privacy(
            mechanism, pairs(), epsilon=epsilon, delta=delta, adjacency=PAPER.adjacency, alpha=point.alpha,
            rng=point.rng, max_samples=point.samples,
        )  # fmt: skip

    yield audit(EPSILON).evidence(f"transcripts of {point.program}")
    if point.program == "algorithm 1":
        claimed = SHARP * odds_of_bottom()
        words = f"samples in which an audit of Algorithm 1 refutes {SHARP} of its exact ε"
        control = audit(claimed)
        if control.refuted:
            yield reported(words, control.samples)
        else:
            yield undecided(
                words, control.samples, f"ε = {claimed:.4g} is not refuted, so the audit is blind"
            )


CLAIM = Claim(
    PAPER,
    "Theorems 3.3, 4.1 and 5.1",
    "sections 3 to 5",
    name="sampled-privacy",
    kind=Kind.PRIVACY,
    title="The programs keep their privacy on pairs made to strain them, inside the certificate",
    statement=r"Algorithm 1, and two phases of it on disjoint batches, at $(1,10^{-6})$ with $\perp$ shown; "
    r"and Algorithms 3, 4 and 5 at $(1,0.1)$ with all $\hat\theta_i$ shown, on pairs of datasets that both "
    r"have the certificate of appendix C, satisfy $(\varepsilon,\delta)$-DP for replacement of one user.",
    role="program",
    expected=CONSISTENT,
    check=check,
    smoke=grid(program="algorithm 1", samples=200_000),
    ci=[
        *grid(program="algorithm 1", samples=200_000),
        *grid(program=("two phases", "algorithm 3", "algorithm 5"), samples=20_000),
        *grid(program="algorithm 4", samples=4000),
    ],
    largest_resolution=2.0,
)
