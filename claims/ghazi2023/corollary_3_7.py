r"""Corollary 3.7: with probability 1 − β over a random permutation, Δ̄_r θ* ≤ C·G√(r·log n +
log(1/β))/(μn√m), r ≤ n/2.

The constant is 29. Theorem 3.6 for each of the Σ_{s≤r} C(n, s)(n − s) ≤ n^{r+1} pairs of a set and a further
user, at failure probability β/n^{r+1}, gives 5G√((r + 1)log n + log(1/β))/(μ(n − r − 1)√m);
(r + 1)log n ≤ 2r log n and n/(n − r − 1) ≤ 4, so 5·√2·4 < 29. For r = o(n) it is 5√2 + o(1).

The text takes r ∈ ℕ and writes ℤ≥0 where 0 is meant (Observation 3.5), so r ≥ 1. At n = 2, r = 1 the last
user is deleted, and θ*(∅) is not defined: somebody must remain, n − r ≥ 2.

How it is checked. The number of pairs in integers and both factors for all 1 ≤ r ≤ n/2, n ≤ 60 (they decrease
beyond); the constant seen on random permutations is reported.

What it does not see. The verdict is the arithmetic of the union bound, given Theorem 3.6; no data decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023._guards import accepted
from claims.ghazi2023.theorem_3_1 import datasets
from implementations.ghazi2023.deletion_sensitivity import mean_sensitivity

CONSTANT = 29.0


def union_factor(n: int, r: int, log_beta: float) -> float:
    """The bound of the union over all S of at most r users and all others, over √(r·log n + log(1/β))/n."""
    union = 5.0 * math.sqrt((r + 1) * math.log(n) + log_beta) / (n - r - 1)
    return union * n / math.sqrt(r * math.log(n) + log_beta)


def check(point: Point) -> Iterator[Evidence]:
    n = point.n
    factor, pairs = 0.0, 0
    for r in range(1, n // 2 + 1):
        if n - r < 2:
            continue
        pairs = max(pairs, sum(math.comb(n, s) * (n - s) for s in range(r + 1)) - n ** (r + 1))
        factor = max(factor, *(union_factor(n, r, log_beta) for log_beta in (0.0, 1.0, 50.0)))
    too_many = accepted(lambda: mean_sensitivity(np.arange(float(n)), n - 1))
    yield equals("sensitivities for deletions that leave one user", too_many, 0)
    yield at_most("pairs of a set |S| ≤ r and a user beyond n^{r+1}", pairs, 0)
    yield at_most("constant from the union over all pairs", factor, CONSTANT)
    m, worst = 16, 0.0
    for name, items in datasets(n, m).items():
        if name == "circle":
            continue
        for _ in range(20):
            users = point.rng.permutation(items[:, 0]).reshape(n, m).mean(axis=1)
            for r in range(1, n // 2 + 1):
                if n - r >= 2:
                    form = 2.0 * math.sqrt(r * math.log(n) + math.log(2.0)) / (n * math.sqrt(m))
                    worst = max(worst, float(mean_sensitivity(users, r)) / form)
    yield reported("largest Δ̄_r over the form without a constant, β = 1/2", worst, claimed=CONSTANT)


CLAIM = Claim(
    PAPER,
    "Corollary 3.7",
    "section 3.2",
    kind=Kind.BOUND,
    title="Local deletion sensitivity of a minimiser after a random permutation",
    statement=r"For $1\le r\le n/2$, $r\le n-2$, $\beta\in(0,1)$: with probability $1-\beta$ over a random "
    r"permutation, $\bar\Delta_r\theta^*(x^\pi)\le29\,G\sqrt{r\log n+\log(1/\beta)}/(\mu n\sqrt m)$.",
    uses=("theorem-3.6",),
    expected=CONFIRMED,
    summary="with the constant 29, given Theorem 3.6",
    rests_on=("ghazi2023/theorem-3.6",),
    check=check,
    smoke=grid(n=(3, 4, 10)),
    ci=grid(n=(3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 60)),
)
