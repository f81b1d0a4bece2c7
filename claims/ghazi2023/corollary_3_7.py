r"""Corollary 3.7: with probability 1 − β over a random permutation, Δ̄_r θ* ≤ C·G√(r·log n +
log(1/β))/(μn√m), r ≤ n/2.

For r = 0 no constant does: Δ̄₀ is a maximum over n users, and r·log n vanishes. On half items at a, half at
−a in a narrow set (theorem-3.1) the largest of n sums exceeds every fixed multiple of √(m log(1/β)) once n is
large, at any fixed β. The text uses r ∈ ℕ and ℤ≥0, so r = 0 is admitted by the letter. A second corner is n
= 2, r = 1, where the last user is deleted: ‖θ*(x₁) − θ*(∅)‖ has nothing to do with m.

For r ≥ 1 and n − r ≥ 2 (`:corrected`) the constant is 29: Theorem 3.6 for each of the Σ_{s≤r} C(n, s)(n −
s) ≤ n^{r+1} pairs at failure probability β/n^{r+1} gives 5G√((r + 1)log n + log(1/β))/(μ(n − r − 1)√m); (r
+ 1)log n ≤ 2r log n and n/(n − r − 1) ≤ 4, so 5·√2·4 < 29. For r = o(n) it is 5√2 + o(1).

How it is checked. Printed: for r = 0 and constants C up to 30, an n at which the exact upper bound of
P(Δ̄₀ ≤ C·…) is below 1 − β. Corrected: the number of pairs in integers and both factors for all 1 ≤ r ≤ n/2,
n ≤ 60 (they decrease beyond); the constant seen on random permutations is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import (
    CONFIRMED,
    REFUTED,
    Claim,
    Evidence,
    Finding,
    Kind,
    Point,
    Weight,
    at_least,
    at_most,
    grid,
    reported,
)
from claims.ghazi2023 import PAPER
from claims.ghazi2023.theorem_3_1 import WIDTH, datasets, log_success_bound
from implementations.ghazi2023.deletion_sensitivity import mean_sensitivity

CONSTANT = 29.0


def check(point: Point) -> Iterator[Evidence]:
    constant, beta = point.constant, 0.5
    sd = constant * (1.0 + WIDTH) * math.sqrt(math.log(1.0 / beta))  # of one user's sum
    log10_n = (sd**2 / 2.0) / math.log(10.0) + 3.0
    n, m = 10.0**log10_n, max(400, round(100 * sd**2))
    target = constant * (1.0 + WIDTH) * math.sqrt(math.log(1.0 / beta)) / (n * math.sqrt(m))
    success = math.exp(log_success_bound(target, n, m))
    note = f"an upper bound at r = 0, β = 1/2, n = 10^{log10_n:.1f}, m = {m}"
    yield at_least(f"P(Δ̄₀ ≤ {constant}·G√(log(1/β))/(μn√m))", success, 1.0 - beta, decides=False, note=note)


def check_corrected(point: Point) -> Iterator[Evidence]:
    n = point.n
    factor, pairs = 0.0, 0
    for r in range(1, n // 2 + 1):
        if n - r < 2:
            continue
        pairs = max(pairs, sum(math.comb(n, s) * (n - s) for s in range(r + 1)) - n ** (r + 1))
        for log_beta in (0.0, 1.0, 50.0):
            union = 5.0 * math.sqrt((r + 1) * math.log(n) + log_beta) / (n - r - 1)
            factor = max(factor, union * n / math.sqrt(r * math.log(n) + log_beta))
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
    statement=r"For some constant $C$, all $\beta$ and $r\le n/2$ ($r\in\mathbb Z_{\ge0}$): with probability "
    r"$1-\beta$, $\bar\Delta_r\theta^*(x^\pi)\le C\,G\sqrt{r\log n+\log(1/\beta)}/(\mu n\sqrt m)$.",
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=("r = 0: the maximum over n users passes every constant; r = 1, n = 2 deletes everybody"),
        favour="",
        survives="",
    ),
    check=check,
    smoke=grid(constant=(1.0, 5.0)),
    ci=grid(constant=(0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Local deletion sensitivity of a minimiser, 1 ≤ r ≤ n/2, with its constant",
    statement=r"For $1\le r\le n/2$, $r\le n-2$, $\beta\in(0,1)$: with probability $1-\beta$, "
    r"$\bar\Delta_r\theta^*(x^\pi)\le29\,G\sqrt{r\log n+\log(1/\beta)}/(\mu n\sqrt m)$.",
    expected=CONFIRMED,
    summary="r ≥ 1, somebody remains, constant 29",
    check=check_corrected,
    smoke=grid(n=(3, 4, 10)),
    ci=grid(n=(3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 60)),
)
CLAIMS = [CORRECTED]
