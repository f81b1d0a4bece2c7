"""Limit of learning with a fixed number of users: the risk is Ω(e^{−εn}) whatever m (section 1.1, appendix
B).

When m → ∞ every user knows P, say P ∈ {δ₀, δ₁}: the data are n users at 0 or n users at 1. An ε-DP
algorithm changes its law by a factor of at most e^{εn} between the two. Hence deciding which has error at
least 1/(1 + e^{εn}) ≥ ½ e^{−εn}, and estimating the mean has squared risk at least e^{εn}/(1 + e^{εn})² ≥ ¼
e^{−εn} (reconstructed; no constant is printed in the main text).

Checked exactly by linear programming: the best law for every number of ones k = 0 … n subject to ε-DP
between neighbours, minimising the worse of the two risks. Two outputs lose nothing for the decision, so
that its value decides. The value is ½ e^{−εn/2} for even n and e^{−ε(n−1)/2}/(1 + e^ε) for odd n: the law
must be private on the datasets in between as well, and the printed rate can be improved to e^{−εn/2}. The
squared risk is the least over seven estimates (an upper bound of the infimum). Sandwich: the exact risk of
Algorithm 1 on the same users.

**Second reading.** "User-level privacy constraints" may include (ε, δ)-DP. Then the floor falls: with n of
order (1/ε) log(1/δ) users the linear program has value exactly 0, so that no hidden constant c > 0 helps;
also for δ = 1/n². The other learning tasks of the paper are not checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Plot, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import winsorized_mean_1d
from implementations.levy2021.hard_instances import zero_one_users


def least_risk(n: int, epsilon: float, delta: float, losses: np.ndarray) -> float:
    """Least worst-case risk of an (ε, δ)-DP law on n + 1 datasets (k ones), outputs with losses (2, outputs).

    (ε, δ) for δ > 0 needs slack variables s ≥ p − e^ε q with Σ s ≤ δ, for both directions of each
    neighbouring pair.
    """
    from scipy.optimize import linprog

    outputs = losses.shape[1]
    p_size, pairs = (n + 1) * outputs, 2 * n
    slack = pairs * outputs if delta > 0.0 else 0
    size = p_size + slack + 1  # the last variable is the risk

    rows: list[np.ndarray] = []
    limits: list[float] = []

    def row(limit: float) -> np.ndarray:
        rows.append(np.zeros(size))
        limits.append(limit)
        return rows[-1]

    for k in range(n):
        for direction, (p, q) in enumerate(((k, k + 1), (k + 1, k))):
            pair = 2 * k + direction
            for o in range(outputs):
                # divided by e^ε: coefficients stay near 1
                r = row(0.0)
                r[p * outputs + o] = math.exp(-epsilon)
                r[q * outputs + o] = -1.0
                if slack:
                    r[p_size + pair * outputs + o] = -math.exp(-epsilon)
            if slack:
                row(delta)[p_size + pair * outputs : p_size + (pair + 1) * outputs] = 1.0
    for end, k in enumerate((0, n)):
        r = row(0.0)
        r[k * outputs : (k + 1) * outputs] = losses[end]
        r[-1] = -1.0
    total = np.zeros((n + 1, size))
    for k in range(n + 1):
        total[k, k * outputs : (k + 1) * outputs] = 1.0
    cost = np.zeros(size)
    cost[-1] = 1.0
    solution = linprog(
        cost,
        A_ub=np.array(rows),
        b_ub=limits,
        A_eq=total,
        b_eq=np.ones(n + 1),
        bounds=(0.0, None),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10},
    )
    if solution.status != 0:
        raise RuntimeError(f"the linear program failed: {solution.message}")
    return float(np.asarray(solution.fun, dtype=np.float64))


def decision_error(n: int, epsilon: float) -> float:
    """Closed form of the least decision error: P(1) grows by e^ε a step up to ½ in the middle, then mirrors.

    >>> decision_error(2, 0.0), decision_error(3, 0.0)
    (0.5, 0.5)
    """
    half = n // 2
    return math.exp(-half * epsilon) * (0.5 if n % 2 == 0 else 1.0 / (1.0 + math.exp(epsilon)))


def _losses(n: int, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Squared losses of estimates (the Bayes estimates of the extreme posteriors among them), and 0/1
    losses.
    """
    edge = 1.0 / (1.0 + math.exp(n * epsilon))
    estimates = np.array([0.0, edge, 0.25, 0.5, 0.75, 1.0 - edge, 1.0])
    return np.array([estimates**2, (1.0 - estimates) ** 2]), np.array([[0.0, 1.0], [1.0, 0.0]])


def _algorithm_1(n: int, epsilon: float) -> float:
    """Exact worst squared risk of Algorithm 1 on all-zero and all-one users (B = 1, τ = 2⁻¹⁰)."""
    worst = 0.0
    for ones, target in ((0, 0.0), (n, 1.0)):
        law = winsorized_mean_1d.winsorized_mean_1d_law(zero_one_users(n, ones), epsilon, 2.0**-10, 1.0)
        worst = max(worst, float(law.weights @ (law.centres - target) ** 2) + 2.0 * law.scale**2)
    return worst


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    n, epsilon = int(point["n"]), float(point["epsilon"])
    squared, decision = _losses(n, epsilon)
    r = math.exp(-n * epsilon)
    return {
        "squared": least_risk(n, epsilon, 0.0, squared),
        "squared_floor": r / (1.0 + r) ** 2,
        "decision": least_risk(n, epsilon, 0.0, decision),
        "decision_exact": decision_error(n, epsilon),
        "algorithm_1": _algorithm_1(n, epsilon),
        "n_epsilon": n * epsilon,
        "quarter": 0.25 * r,
    }


def measure_approximate(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    n, epsilon, delta = int(point["n"]), float(point["epsilon"]), float(point["delta"])
    squared, _ = _losses(n, epsilon)
    return {"squared": least_risk(n, epsilon, delta, squared), "quarter": 0.25 * math.exp(-n * epsilon)}


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {"n": int(row.n), "epsilon": float(row.epsilon)}
        agrees = abs(row.decision - row.decision_exact) <= 1e-6 * row.decision_exact
        evidence.append(
            exact_evidence(
                "least decision error (linear program)",
                row.decision,
                bound=2.0 * row.quarter,
                point=point,
                verdict=Verdict.CONFIRMED
                if agrees and row.decision >= 2.0 * row.quarter
                else Verdict.REFUTED,
                note=f"closed form {row.decision_exact:.6g}",
            )
        )
        evidence.append(at_most("¼ e^{−εn} against the squared floor", row.quarter, row.squared_floor, point))
        evidence.append(
            at_most(
                "squared floor against the linear program", row.squared_floor, row.squared * (1 + 1e-6), point
            )
        )
        evidence.append(at_most("floor against Algorithm 1", row.squared_floor, row.algorithm_1, point))
    half = float((rows["decision"] * np.exp(0.5 * rows["n_epsilon"])).min())
    evidence.append(exact_evidence("decision error times e^{εn/2}: smallest on the grid", half))
    return evidence


def judge_approximate(rows: Any, alpha: float) -> list[Evidence]:
    return [
        exact_evidence(
            "least squared risk (linear program)",
            row.squared,
            bound=row.quarter,
            point={"n": int(row.n), "epsilon": float(row.epsilon), "delta": float(row.delta)},
            # the hidden constant is not known: only a risk of 0 refutes every c > 0
            verdict=Verdict.REFUTED if row.squared <= 1e-3 * row.quarter else None,
            note="the outputs 0 and 1 with P(1) rising from 0 to 1 over the datasets with k ones",
        )
        for row in rows.itertuples()
    ]


_GRID = [{"n": n, "epsilon": e} for n in (1, 2, 3, 5, 8) for e in (0.1, 0.5, 1.0)]
_MORE = [{"n": n, "epsilon": e} for n in (12, 20) for e in (0.1, 0.5)]

CLAIMS = [
    Claim(
        id="levy2021/limit-fixed-n",
        kind=Kind.LOWER_BOUND,
        title="With n users the risk is Ω(e^{−εn}) for every m (ε-DP)",
        statement=r"For $\varepsilon$-DP at user level and any $m$, the worst-case risk is at least "
        r"$c\,e^{-\varepsilon "
        r"n}$: $c=\frac12$ for the error of deciding between two laws, $c=\frac14$ for the squared error of "
        r"a mean in $[0,1]$ (constants reconstructed; no other task checked).",
        how="Exact: linear program over all ε-DP laws on all-zero/all-one users, against the closed form.",
        source=source(
            "Limit of learning with a fixed number of users", "section 1.1; appendix B (reconstructed)"
        ),
        bound=Bound.LOWER,
        expected=Verdict.CONFIRMED,
        tiers={
            "smoke": Tier(points=_GRID),
            "ci": Tier(points=_GRID + _MORE),
            "full": Tier(points=_GRID + _MORE),
        },
        measure=measure,
        judge=judge,
        plots=[
            Plot(
                kind="sandwich",
                title="Least risk with n users, m → ∞",
                x="n",
                y="algorithm_1",
                low="squared",
                x_label="users n",
                y_label="squared risk",
                log_y=True,
                select={"epsilon": 0.5},
            )
        ],
    ),
    Claim(
        id="levy2021/limit-fixed-n:approximate",
        kind=Kind.LOWER_BOUND,
        title="The same floor under (ε, δ)-DP",
        statement=r"For $(\varepsilon,\delta)$-DP at user level with $\delta>0$ and any $m$, the worst-case "
        r"squared risk "
        r"is at least $c\,e^{-\varepsilon n}$ for some $c>0$.",
        how="Exact: the linear program with (ε, δ) constraints has value 0, so that no c will do.",
        source=source("Limit of learning with a fixed number of users", "section 1.1, read with δ > 0"),
        bound=Bound.LOWER,
        expected=Verdict.REFUTED,
        tiers={
            tier: Tier(
                points=[{"n": n, "epsilon": 1.0, "delta": 0.05} for n in (2, 4, 6, 8)]
                + [{"n": 12, "epsilon": 1.0, "delta": 1.0 / 144.0}]
            )
            for tier in ("smoke", "ci", "full")
        },
        measure=measure_approximate,
        judge=judge_approximate,
    ),
]
