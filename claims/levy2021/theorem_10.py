r"""Theorem 10: K adaptive, uniformly concentrated queries are answered with error Õ(√(dK)·τ/(nε)).

The theorem stands in an appendix that was not at hand (end of section 3). Reconstructed: Algorithm 2 in
sequence with ε₀ = ε/(2√(2K log(2/δ))), δ₀ = δ/(2K), the split of Algorithm 3, whose analysis rests on Theorem
10. Privacy: theorem-3-privacy. The variance of one answer then is

    8 · 102,400 · dK·τ²·log(dn/γ)·log(2/δ)·log(2K/δ)/(n²ε²)

(the same algebra as theorem-2-variance), so the exponents are those claimed.

How it is checked. The queries are adaptive: each turns the signs of the coordinates and moves all users by
what the last answer was. The data are at the edge of the concentration: every user at distance τ from the
centre. With the printed constants and every failure probability below 0.001, the exponents of the squared
error of the answers in n, τ² ∝ 1/m, d, ε, K must be −2, −1, 2 (τ² ∝ d counts as one), −2, 1 after division by
the log factors, and the squared error must equal the variance above, both from both sides; answers must not
be correlated. Over six decades of n and four of ε, where queries would cost too much, the errors are those of
A′ of Theorem 2, to which Algorithm 2 is β-close. At δ = 10⁻³ and 10⁻¹² (`:delta`) the squared error must be
that variance, too: δ enters this theorem, Theorem 3 and Corollary 2 by the budget of an answer alone, which
is one function for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier
from claims.levy2021 import PAPER
from claims.levy2021 import _first_order as shared
from implementations.levy2021 import adaptive_queries
from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget

if TYPE_CHECKING:
    from implementations.interfaces import Array


def answer_errors(point: Point, s: shared.Setting, runs: int) -> Array:
    """Errors (runs, K, d): users at distance τ of 0 in both directions of the diagonal."""
    edge = shared.diagonal(s.tau, s.d)
    data = np.where(point.rng.random((runs, s.n, 1)) < 0.5, edge, -edge)
    exact: list[Array] = []

    def next_query(answers: Sequence[Array]) -> adaptive_queries.Query:
        last = (answers[-1] if answers else np.zeros((runs, s.d)))[:, None]
        turn, shift = np.where(last < 0.0, -1.0, 1.0), np.clip(last, -s.tau, s.tau)
        exact.append((turn * data + shift).mean(axis=1))
        return lambda users: turn * users + shift

    answers = adaptive_queries.answer_adaptively(
        data, next_query, s.steps, PrivacyBudget(s.epsilon, s.delta),
        Concentration(s.tau, s.bound, shared.GAMMA, failure=shared.FAILURE), point.rng,
    )  # fmt: skip
    return np.stack(answers, axis=1) - np.stack(exact, axis=1)


def measure(point: Point) -> dict[str, Any]:
    s = shared.setting(point)
    runs = shared.runs_of(point, s)
    if s.oracle:
        answer = shared.oracle(s, point.rng)
        errors = np.stack([answer(np.zeros((runs, s.d))) for _ in range(s.steps)], axis=1)
    else:
        batch = max(1, 200_000 // (s.n * s.d))
        errors = np.concatenate(
            [answer_errors(point, s, min(batch, runs - begin)) for begin in range(0, runs, batch)]
        )
    squares = (errors**2).sum(axis=(1, 2)) / s.steps
    inner = ((errors.sum(axis=1) ** 2).sum(axis=-1) - s.steps * squares) / (s.steps * (s.steps - 1))
    return {
        "noise": squares / s.variance,
        "squared_noise": squares / s.logs,
        "inner": inner / s.variance,
        "off": math.nan,
        "pick": math.nan,
    }


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    run = rows[rows["regime"] == "noise"]
    return [*shared.noise_rate(rows, budget.share(0.6)), *shared.answers(run, budget.share(0.4))]


BASE = {"regime": "noise", "m": 100, "d": 1, "epsilon": 1.0, "steps": 2}
CELLS = shared.star(BASE, **shared.ARMS)
FAR = [
    *shared.star(BASE | {"regime": "far"}, **shared.FAR),
    *shared.star(BASE | {"regime": "long"}, (), steps=shared.LONG),
]

CLAIM = Claim(
    PAPER,
    "Theorem 10",
    "section 3; appendix D.6 (reconstructed)",
    kind=Kind.BOUND,
    title="Adaptive queries with error √(dK) τ/(nε)",
    uses=("theorem-2-privacy", "theorem-2-utility", "theorem-2-variance"),
    statement=r"$K$ adaptive, $(\tau,\gamma)$-uniformly concentrated queries are answered under "
    r"$(\varepsilon,\delta)$-user-level DP with error $\tilde O(\sqrt{dK}\,\tau/(n\varepsilon))$; the "
    r"variance of an answer is $819{,}200\,dK\tau^2/(n\varepsilon)^2$ times log factors.",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(shared.few(CELLS), trials=2200),
    ci=Tier(CELLS + FAR, trials=900),
    full=Tier(CELLS + FAR, trials=4000, chunk=400),
    measure=measure,
    judge=judge,
)
DELTA = CLAIM.reading(
    "delta",
    title=CLAIM.title + ", δ = 10⁻³ and 10⁻¹²",
    statement=r"At $n=\tilde\Omega(\sqrt{dT}/\varepsilon)$ users the answers of $K=2$ adaptive queries have "
    r"the squared noise $\nu^2$ of Theorem 2 for the budget of an answer, for $\delta=10^{-3}$ and "
    r"$10^{-12}$: $\delta$ enters by $\log(2/\delta)\log(2T/\delta)$ alone.",
    judge=shared.judge_delta,
    fits_exponents=False,
    largest_resolution=1.2,
    summary="δ enters by the logarithms of ν² alone",
    smoke=Tier(shared.over_delta(BASE), trials=700),
    ci=Tier(shared.over_delta(BASE), trials=700),
    full=Tier(shared.over_delta(BASE), trials=4000, chunk=400),
)
CLAIMS = [DELTA]
