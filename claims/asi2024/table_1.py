r"""Table 1: the row of this work, excess risk and number of users.

Printed, logarithms omitted: excess risk $1/\sqrt{nm}+\sqrt d/(n\sqrt m\varepsilon)$ for this work, with
$n\ge1/\varepsilon$ users. The rows of other papers are theirs: `ghazi2023/table-1` runs Ghazi et al. and Levy
et al. on one problem.

The problem: linear losses $\langle z,\theta\rangle$ on the ball of diameter 1, every user's mean gradient
Gaussian about $s\,e_1$; Algorithm 2 with T = 256 answers and the step size of theorem-4.1-utility:corrected.
The slope s is 8σ√(d/T), so that a run that stays at its start has an excess risk of 4σ√(d/T) = 4√8·form,
twice the bound, and one that goes the wrong way four times the bound. The least number of users is that with
which AboveThreshold lets agreeing users pass all T queries with probability 0.99.

How it is checked. The excess risk must be at most the printed form with the logarithms of the noise written
out and the constant 2√8, by sampling; the least number of users must lie between 1/ε and 80·log(200·T)/ε,
exactly.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.judge import at_least, at_most, mean_at_most, reported
from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.asi2024 import PAPER
from claims.asi2024.theorem_4_1_utility import STEPS, corrected_rate
from implementations import domains
from implementations.asi2024 import dp_sgd
from implementations.asi2024.above_threshold import halting_law
from implementations.asi2024.outlier_removal import look
from implementations.interfaces import Array
from implementations.privacy import PrivacyBudget

if TYPE_CHECKING:
    import pandas as pd

STEEP = 8.0
"""The slope over σ√(d/T): a run that learns nothing has twice the risk that is allowed."""


def least_users(queries: int, epsilon: float) -> int:
    """Least n with which n agreeing users pass `queries` checks with probability at least 0.99."""

    def pass_all(n: int) -> bool:
        return float(halting_law([float(n)] * queries, 0.8 * n, epsilon / 2.0)[-1]) >= 0.99

    enough = next(2**k for k in itertools.count() if pass_all(2**k))  # a law costs time and memory with n
    return bisect_left(range(enough), True, lo=enough // 2 + 1, key=pass_all)


def answer(mean: Array, point: Point) -> Array:
    """θ̂ of Algorithm 2 where all users agree with their mean up to far less than τ."""
    n, m, d, budget = point.n, 10**point.log10_m, point.d, PrivacyBudget(point.epsilon, point.delta)
    setting = dp_sgd.printed_parameters(n, m, d, budget, 1.0, 1.0, steps=STEPS)
    plan = dp_sgd.mean_plan(n, m, d, point.epsilon, point.delta, setting)
    spread = math.sqrt(8.0 / d) * corrected_rate(n, m, d, point.epsilon, point.delta)
    step = dp_sgd.Parameters(
        steps=STEPS, step_size=1.0 / (spread * math.sqrt(d) * STEPS), radius=setting.radius, tau=setting.tau
    )
    query = look(mean[:, None, :], setting.tau, [n])
    return dp_sgd.dp_sgd(
        lambda theta: query, np.zeros_like(mean), plan, step, domains.ball(0.5).project, point.rng,
        average="after",
    ).theta  # fmt: skip


def measure(point: Point) -> dict[str, Any]:
    """Excess population risks, a row a trial; or the least number of users."""
    if "queries" in point:
        return {"least": float(least_users(point.queries, point.epsilon))}
    n, m, d = point.n, 10**point.log10_m, point.d
    form = corrected_rate(n, m, d, point.epsilon, point.delta)
    slope = min(STEEP * math.sqrt(8.0) * form, 0.5)
    mean = 0.5 / math.sqrt(m * d * n) * point.rng.standard_normal((point.trials, d))
    mean[:, 0] += slope
    # population risk ⟨s·e₁, θ⟩, least at −e₁/2
    risk = slope * (answer(mean, point)[:, 0] + 0.5)
    printed = 1.0 / math.sqrt(n * m) + math.sqrt(d) / (n * math.sqrt(m) * point.epsilon)
    bound = 2.0 * math.sqrt(8.0) * form + 1.0 / math.sqrt(n * m)
    return {"risk": risk, "factor": risk / printed, "bound": np.full(risk.size, bound)}


def judge(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """The risk against the written-out form, cell by cell, and the numbers of users."""
    counted = rows["least"].notna()
    for row in rows[counted].to_dict("records"):
        queries, epsilon = int(row["queries"]), float(row["epsilon"])
        point = {"queries": queries, "epsilon": epsilon}
        quantity = "least n that passes all queries with probability 0.99, times ε"
        found = float(row["least"]) * epsilon
        yield at_least(quantity, found, 1.0, point=point)
        yield at_most(quantity, found, 80.0 * math.log(200.0 * queries) + epsilon, point=point)
    axes = ["n", "log10_m", "d", "epsilon"]
    cells = list(rows[~counted].groupby(axes))
    alpha = budget.split(len(cells))[0]
    for key, cell in cells:
        point, ratio = dict(zip(axes, key, strict=True)), cell["risk"] / cell["bound"]
        yield mean_at_most("risk over the written-out form", ratio, 1.0, alpha=alpha, point=point)
        yield reported("risk over 1/√(nm) + √d/(n√mε)", float(cell["factor"].mean()), point=point)


def _tier(n: tuple[int, ...], queries: tuple[int, ...], trials: int, more: list[Any]) -> Tier:
    cells = [_BASE | {"n": users} for users in n]
    return Tier([*cells, *more, *grid(queries=queries, epsilon=(0.1, 1.0), delta=(0.1,))], trials=trials)


_BASE: dict[str, Any] = {"n": 96_000, "log10_m": 22, "d": 4, "epsilon": 1.0, "delta": 0.1}
_SWEEPS = [
    *(_BASE | {"log10_m": log10_m} for log10_m in (20, 24)),
    *(_BASE | {"d": d} for d in (1, 16)),
    *(_BASE | {"epsilon": epsilon} for epsilon in (0.25, 0.5)),
]

CLAIM = Claim(
    PAPER,
    "Table 1",
    "section 1.1",
    kind=Kind.EXPERIMENT,
    title="Excess risk and users of this work",
    statement=r"The row of this work: up to logarithms its excess risk is $1/\sqrt{nm}+\sqrt d/(n\sqrt "
    r"m\varepsilon)$ with $n\ge1/\varepsilon$ users.",
    expected=CONSISTENT,
    summary="with the logarithms written out",
    measure=measure,
    judge=judge,
    smoke=_tier((48_000,), (1, 16), 200, [_BASE | {"epsilon": 0.5}]),
    ci=_tier((48_000, 96_000, 192_000), (1, 16, 256), 300, _SWEEPS),
    largest_resolution=0.5,
    plots=[
        Plot(
            kind="curve", title="Excess risk of this work", x=x, y="risk", x_label=label,
            y_label="excess risk", log_x=x != "log10_m", log_y=True,
            select={"epsilon": 1.0} | fixed,
        )
        for x, label, fixed in (
            ("n", "users n, with d = 4, m = 10²²", {"d": 4, "log10_m": 22}),
            ("d", "dimension d, n = 96,000, m = 10²²", {"n": 96_000, "log10_m": 22}),
            ("log10_m", "log₁₀ of the items m, n = 96,000, d = 4", {"n": 96_000, "d": 4}),
        )
    ],
)  # fmt: skip
