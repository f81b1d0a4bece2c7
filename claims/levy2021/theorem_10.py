"""Theorem 10: K adaptive, uniformly concentrated queries are answered with error Õ(√(dK) τ/(nε)).

(Levy et al. 2021, end of section 3; the theorem stands in an appendix that was not at hand.
Reconstructed: Algorithm 2 in sequence with ε₀ = ε/(2√(2K log(2/δ))), δ₀ = δ/(2K), the split of
Algorithm 3, whose analysis rests on Theorem 10. Privacy: theorem-3-privacy.)

Checked exactly: the variance of one answer is 8 · 102,400 · dK τ² log(dn/γ) log(2/δ) log(2K/δ)/(n²ε²)
(the same algebra as theorem-2-variance), so the exponents are those claimed. Checked on samples:
adaptive queries on data that are concentrated (each query asks for the square of the data shifted by
the last answer); the mean squared error of the last answer must be that variance (tuned constants; the
failure probability of an answer is below 10⁻⁶, else the algorithm refuses).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier, at_most, mean_equals
from claims.levy2021 import PAPER
from implementations.levy2021 import adaptive_queries, first_order, winsorized_mean_highd

GAMMA = 1e-12


def measure(point: Point) -> dict[str, Any]:
    n, d, k = point.n, point.d, point.K
    epsilon, delta, tau = point.epsilon, 1e-3, 0.01
    step_epsilon, step_delta = first_order.query_budget(epsilon, delta, k, "paper")
    plan = winsorized_mean_highd.highd_plan(n, d, step_epsilon, step_delta, tau, 1.0, GAMMA)
    variance = winsorized_mean_highd.highd_variance(plan, n)
    logs = math.log(d * n / GAMMA) * math.log(2.0 / delta) * math.log(2.0 * k / delta)
    constant = variance / (d * k * tau**2 * logs / (n * epsilon) ** 2)
    if not point.trials:
        return {"constant": constant, "loss": 0.0, "planned": 0.0}
    step_epsilon, step_delta = first_order.query_budget(epsilon, delta, k, "tuned")
    plan = winsorized_mean_highd.highd_plan(n, d, step_epsilon, step_delta, tau, 1.0, GAMMA, "tuned")
    planned = winsorized_mean_highd.highd_variance(plan, n)
    radius = 0.5 * tau / math.sqrt(d)  # the queries below are 2-Lipschitz on the data
    losses = []
    for _ in range(point.trials):
        data = 0.3 + radius * point.rng.uniform(-1.0, 1.0, size=(n, d))
        seen: list[np.ndarray] = []

        def next_query(answers: Any, data: np.ndarray = data, seen: list[np.ndarray] = seen) -> Any:
            shift = np.clip(answers[-1], -0.3, 0.3) if answers else np.zeros(data.shape[1])
            seen.append(((data - shift) ** 2).mean(axis=0))
            return lambda users: (users - shift) ** 2

        answers = adaptive_queries.answer_adaptively(
            data, next_query, k, epsilon, delta, tau, 1.0, GAMMA, point.rng, constants="tuned", failure=1e-6
        )
        losses.append(float(((answers[-1] - seen[-1]) ** 2).sum()))
    return {
        "constant": np.full(len(losses), constant),
        "loss": np.array(losses),
        "planned": np.full(len(losses), planned),
    }


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    evidence = []
    groups = list(rows.groupby(["n", "d", "K", "epsilon"]))
    share = budget.split(len(groups))[0]
    for (n, d, k, epsilon), cell in groups:
        point = {"n": int(n), "d": int(d), "K": int(k), "epsilon": float(epsilon)}
        value = float(cell["constant"].iloc[0])
        evidence.append(at_most("constant of the variance", value, 8.0 * 102_400.0, point=point))
        evidence.append(
            mean_equals(
                "squared error of the last answer",
                cell["loss"].to_numpy(),
                float(cell["planned"].iloc[0]),
                alpha=share,
                point=point,
            )
        )
    return evidence


_SIZES = ((1, 2), (2, 4), (4, 8))
_GRID = [{"n": 20_000, "d": d, "K": k, "epsilon": e} for d, k in _SIZES for e in (0.7, 1.0)]

CLAIM = Claim(
    PAPER,
    "Theorem 10",
    "section 3; appendix D.6 (reconstructed)",
    kind=Kind.BOUND,
    title="Adaptive queries with error √(dK) τ/(nε)",
    statement=r"$K$ adaptive, $(\tau,\gamma)$-uniformly concentrated queries are answered under "
    r"$(\varepsilon,\delta)$-user-level DP with error $\tilde O(\sqrt{dK}\,\tau/(n\varepsilon))$.",
    expected=CONSISTENT,
    smoke=Tier(points=_GRID[1:2], trials=40),
    ci=Tier(points=_GRID[::2] + _GRID[1:2], trials=60),
    full=Tier(points=_GRID, trials=1000, chunk=100),
    measure=measure,
    judge=judge,
)
