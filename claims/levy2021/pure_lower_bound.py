r"""Learning with pure DP, lower bound: under user-level ε-DP k hypotheses need log(k)/ε users (A.2).

As m → ∞ every user knows the law, one of k: the data are n users of type j. An ε-DP algorithm that names a
type has P(j | all j) ≤ e^{nε}·P(j | all i), so that Σ_j P(j | all j) ≤ e^{nε}/(k − 1 + e^{nε})·k: the average
error is at least (k − 1)/(k − 1 + e^{nε}), which is ½ at n = log(k − 1)/ε, for every m (Levy et al. 2021,
appendix A.2; reconstructed, the appendix was not at hand).

How it is checked. Exactly: the linear program over all ε-DP laws on all ways to give n users k types, which
is at least the bound; and the exact error of the selection of appendix A on the same users, which is above
that. For n = 1 the bound is reached, and this is judged from both ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, equals, grid, reported
from claims.levy2021 import PAPER, _oracle
from claims.levy2021._shared import SOLVED, count_vectors, least, neighbours


def packing_error(n: int, types: int, epsilon: float) -> float:
    """(k − 1)/(k − 1 + e^{nε}).

    >>> packing_error(0, 4, 1.0)
    0.75
    """
    return (types - 1) / (types - 1 + math.exp(n * epsilon))


def least_error(n: int, types: int, epsilon: float) -> float:
    """Least average error on the k datasets of n equal users, of an ε-DP law on all datasets of n users."""
    counts = count_vectors(n, types)
    datasets = len(counts)
    pairs = np.array(neighbours(counts))
    ordered = np.vstack((pairs, pairs[:, ::-1]))
    # e^{−ε}·P(o | D) ≤ P(o | D′) for every outcome and both directions of each pair
    excess = math.exp(-epsilon) * np.eye(datasets)[ordered[:, 0]] - np.eye(datasets)[ordered[:, 1]]
    cost = np.zeros((datasets, types))
    for j in range(types):
        cost[np.flatnonzero(counts[:, j] == n), j] = -1.0 / types
    rows, laws = np.kron(excess, np.eye(types)), np.kron(np.eye(datasets), np.ones((1, types)))
    return 1.0 + least(cost.ravel(), rows, np.zeros(len(rows)).tolist(), laws)


def error_of_selection(n: int, types: int, epsilon: float) -> float:
    """Exact error of the selection of appendix A: candidate j has loss −1 for users of type j and 1 else."""
    losses = np.where(np.eye(types) == 1.0, -1.0, 1.0)
    hit = [
        _oracle.selection(np.tile(losses[j], (n, 1)), epsilon / 3.0, 0.5, 1.0, 1.0 / (4.0 * types))[j]
        for j in range(types)
    ]
    return 1.0 - float(np.mean(hit))


def check(point: Point) -> Iterator[Evidence]:
    n, types, epsilon = point.n, point.k, point.epsilon
    floor = packing_error(n, types, epsilon)
    if "solved" in point:
        error = least_error(n, types, epsilon)
        yield at_least("least average error of an ε-DP law", error * (1.0 + SOLVED), floor)
        if n == 1:
            yield equals("least average error with one user", error, floor, error=SOLVED)
        yield reported("least average error over the bound", error / floor)
    yield at_least(
        "average error of the selection of appendix A", error_of_selection(n, types, epsilon), floor
    )


SMOKE = [
    *grid(n=(1, 2), k=(2, 4), epsilon=(0.3, 1.0), solved=1),
    *grid(n=(3, 10), k=8, epsilon=1.0),
]

CLAIM = Claim(
    PAPER,
    "Learning with pure DP, lower bound",
    "appendix A.2 (reconstructed)",
    name="pure-lower-bound",
    kind=Kind.LOWER_BOUND,
    title="Under ε-DP k hypotheses need log(k)/ε users, whatever m",
    statement=r"For every $m$, an $\varepsilon$-user-level DP algorithm that tells $k$ laws apart from $n$ "
    r"users errs with probability at least $\frac{k-1}{k-1+e^{n\varepsilon}}$ on average over the laws "
    r"(constants reconstructed).",
    expected=CONFIRMED,
    check=check,
    smoke=SMOKE,
    ci=[
        *grid(n=(1, 2, 3), k=(2, 3, 5), epsilon=(0.3, 1.0, 2.0), solved=1),
        *grid(n=(3, 10, 40), k=(8, 16), epsilon=(0.3, 1.0, 2.0)),
    ],
)
