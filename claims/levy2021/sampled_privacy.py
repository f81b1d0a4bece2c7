r"""Theorems 1, 2 and 3, whole programs: the algorithms keep their privacy on adversarial pairs.

Theorems 1, 2 and 3 and appendix A are decided exactly elsewhere, part by part. Here the programs themselves
are audited, as one would audit a stranger's: Algorithm 1, Algorithm 2 (d = 2, random rotation included),
Algorithm 3 (two gradient steps) and the selection from a finite class, each on datasets that differ in one
whole user: at opposite ends of the range among users at 0, and at the tie of a median, where the chosen bin
reacts most (Levy et al. 2021, Theorems 1 to 3).

How it is checked. A sequential test on samples of the whole programs, any stopping time, two adversarial
pairs each; what it would have caught is the resolution, an ε.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, audit_privacy, grid
from claims.levy2021 import PAPER
from implementations.levy2021 import finite_class, first_order, winsorized_mean_1d, winsorized_mean_highd

N, BOUND, DELTA, GAMMA = 8, 8.0, 1e-3, 0.01
EPSILON = {"algorithm 1": 1.0, "algorithm 2": 4.0, "algorithm 3": 1.0, "selection": 1.0}


def tile(data: Any, size: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(data, dtype=float), (size, *np.shape(data)))


def algorithm_1(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    return winsorized_mean_1d.winsorized_mean_1d(tile(data, size), EPSILON["algorithm 1"], 1.0, BOUND, rng)


def algorithm_2(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    return winsorized_mean_highd.winsorized_mean_highd(
        tile(data, size), EPSILON["algorithm 2"], DELTA, 0.1, BOUND, GAMMA, rng
    )


def algorithm_3(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    users = np.asarray(data, dtype=float)

    def gradients(theta: np.ndarray) -> np.ndarray:
        return np.clip(theta[:, None, :] - users, -BOUND, BOUND)

    method = first_order.projected_sgd(lambda theta: np.clip(theta, -1e6, 1e6), 0.5)
    start = np.zeros((size, users.shape[1]))
    return first_order.winsorized_first_order(
        gradients, method, start, 2, EPSILON["algorithm 3"], DELTA, 0.1, BOUND, GAMMA, rng, constants="tuned"
    )


def selection(data: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    losses = np.asarray(data, dtype=float)
    return finite_class.learn_finite_class(losses, EPSILON["selection"], 0.5, 1.0, 0.3, size, rng)


MECHANISMS = {
    "algorithm 1": algorithm_1,
    "algorithm 2": algorithm_2,
    "algorithm 3": algorithm_3,
    "selection": selection,
}


def pairs(algorithm: str) -> list[tuple[np.ndarray, np.ndarray]]:
    width = {"algorithm 1": 1, "algorithm 2": 2, "algorithm 3": 2, "selection": 3}[algorithm]
    reach = 1.0 if algorithm == "selection" else BOUND
    crowd = np.zeros((N, width))
    tie = np.where(np.arange(N) < N // 2, -0.6 * reach, 0.6 * reach)[:, None] * np.ones(width)
    found = []
    for base in (crowd, tie):
        low, high = base.copy(), base.copy()
        low[0, 0], high[0, 0] = -reach, reach
        found.append((low, high))
    return [(a[:, 0], b[:, 0]) if width == 1 else (a, b) for a, b in found]


def check(point: Point) -> Iterator[Evidence]:
    name = point.algorithm
    delta = DELTA if name in ("algorithm 2", "algorithm 3") else 0.0
    result = audit_privacy(
        MECHANISMS[name], pairs(name), epsilon=EPSILON[name], delta=delta, adjacency=PAPER.adjacency,
        alpha=point.alpha, rng=point.rng, max_samples=point.samples,
    )  # fmt: skip
    yield result.evidence(name)


CLAIM = Claim(
    PAPER,
    "Theorems 1, 2 and 3",
    "sections 3 and 4, appendix A",
    name="sampled-privacy",
    kind=Kind.PRIVACY,
    title="The whole algorithms keep their privacy on adversarial pairs",
    statement=r"Algorithm 1 at $\varepsilon=1$, Algorithm 2 at $(4,10^{-3})$, Algorithm 3 at $(1,10^{-3})$ "
    r"and the pure-DP selection at $\varepsilon=1$ are private when one user is replaced.",
    expected=CONSISTENT,
    check=check,
    smoke=grid(algorithm="algorithm 1", samples=10_000),
    ci=grid(algorithm=tuple(MECHANISMS), samples=60_000),
    full=grid(algorithm=tuple(MECHANISMS), samples=1_000_000),
)
