r"""Algorithm 2 (SCOutputPert), line 3: Δ = 10G√(log(1/β))/(μn√m) leaves out the union over users and subsets.

Theorem 3.1 says that an algorithm exists whose σ contains log n·log(1/δ)/ε beside log(1/β): that term pays
for the union over the users and the sets of deleted users, as in Corollary 3.7, and with it the theorem is
right (theorem-3.1). Line 3 of Algorithm 2, which the text takes for this algorithm, has log(1/β) alone.
Such a Δ holds for one user, not for all of them.

Take ℓ(θ; x) = (μ/2)(θ − x)² with half of the nm items at a and half at −a, on [−w, w] with w = a/100, so
that G = 1.01·μa. Deleting user i moves the optimum 0 by a|Sᵢ|/((n − 1)m), Sᵢ the sum of m signs drawn
without replacement, and where some user's move exceeds Δ the dataset is not stable and the output is
another one. The Sᵢ are negatively associated (sums over disjoint parts of a permutation; Joag-Dev and
Proschan 1983), so P(no Sᵢ > t) ≤ (1 − P(S₁ > t))ⁿ ≤ exp(−n·P(S₁ > t)). The hypergeometric tail is at least
(1 − 2m/(nm))^m times the binomial one. With β = 0.9 and n = 10⁴ the success probability is below 0.1. For β
< 1/e, the range of Theorem 3.6, an instance needs a number of users that nobody
has: at β = 0.36, 10√log(1/β) is 10.1 standard deviations, exceeded with probability 3·10⁻²⁴, and n = 10²⁵
users make it certain. For the β = 1/(nm) of sections 4 and 5 the logarithm covers the n users, and this
instance is no counterexample.

What survives. Theorem 3.1 with the σ that it states, by Δ = 10G√((4κ + 1)·ln n + ln(1/β))/(μn√m).

How it is checked. The exact upper bound of the success probability against 1 − β.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_least
from claims.ghazi2023 import PAPER
from implementations.ghazi2023 import sc_output_pert

WIDTH = 0.01
"""w/a: the half-length of the set in units of the data."""


def log_success_bound(target: float, n: float, m: int) -> float:
    """Upper bound of log P(no user of a random permutation moves the optimum by more than `target`), μ = a
    = 1.
    """
    from scipy.stats import binom

    if not target < WIDTH:
        raise ValueError(f"the set must be wider than the target, got {target}")
    sum_needed = target * (n - 1.0) * m
    k = math.floor((sum_needed + m) / 2.0)  # S = 2·(number of +) − m > t exactly if the number is above this
    log_tail = float(binom.logsf(k, m, 0.5)) + m * math.log1p(-2.0 / n)
    return -n * math.exp(log_tail)


def check(point: Point) -> Iterator[Evidence]:
    n, m, beta = 10.0**point.log10_n, point.m, point.beta
    lipschitz = 1.0 + WIDTH
    target = sc_output_pert.parameters(1.0, 1e-6, beta, lipschitz, 1.0, n, m).target  # type: ignore[arg-type]
    success = math.exp(log_success_bound(target, n, m))
    note = "an upper bound of the success probability on half items at a, half at −a"
    yield at_least("success probability of Algorithm 2", success, 1.0 - beta, decides=False, note=note)


PRINTED = [{"beta": 0.9, "log10_n": 4, "m": 400}, {"beta": 0.9, "log10_n": 6, "m": 10_000}]
BELOW = [{"beta": 0.36, "log10_n": 25, "m": 1000}, {"beta": 0.36, "log10_n": 30, "m": 1000}]
CLAIM = Claim(
    PAPER,
    "Algorithm 2",
    "section 3.2, line 3",
    name="algorithm-2-utility",
    kind=Kind.BOUND,
    title="SCOutputPert with the Δ of line 3 succeeds with probability 1 − β",
    statement=r"With probability $\ge1-\beta$ over a random permutation, Algorithm 2 with "
    r"$\Delta=10G\sqrt{\log(1/\beta)}/(\mu n\sqrt m)$ (line 3) outputs $\theta^*(x^\pi)+\mathcal "
    r"N(0,\sigma^2I)$, for all $\beta\in(0,1)$ and $n\ge C\log(1/\delta)/\varepsilon$.",
    expected=REFUTED,
    finding=Finding(
        Weight.ALGORITHM,
        what="Line 3 has √(log(1/β)) where the σ of Theorem 3.1 has √(log n·log(1/δ)/ε + log(1/β)): the two "
        "do not match, and line 3 lacks the union over users and subsets. It shows for large β first, which "
        "Theorem 3.1 admits (Theorem 3.6 asks for β < 1/e): for the squared loss with half of the items at 1 "
        "and half at −1 on [−0.01, 0.01], β = 0.9, n = 10⁴ users of m = 400 items, some user's deletion "
        "moves the optimum by more than Δ with probability above 0.9, so that θ* + noise is returned with "
        "probability below 0.1, the printed 1 − β. For β < 1/e it takes n = 10²⁵ users (β = 0.36).",
        favour="Theorem 3.1 itself says that an algorithm exists, with the larger σ, and holds "
        "(`theorem-3.1`); at the β = 1/(nm) of sections 4 and 5 no instance is known on which line 3 fails.",
        survives=(
            "Theorem 3.1 and all that is built on it, with Δ = 10G√((4κ + 1) ln n + ln(1/β))/(μn√m) in line"
            " 3."
        ),
    ),
    check=check,
    smoke=[*PRINTED[:1], *BELOW[:1]],
    ci=[*PRINTED, *BELOW],
)
