"""Algorithm 4 (Phased ERM): can its phases be run?

Printed: T = ⌈log₂(Gn√m ε/(σd))⌉ phases, n_t = n/2^t fresh users in phase t, each solved by Algorithm 3 "to
the accuracy of Corollary 2", which asks for n_t large enough (Levy et al. 2021, Algorithm 4 and the sketch
of Theorem 4: {(λ_t, n_t)} are chosen "such that the assumptions of Corollary 2 hold"; ε ≤ 1, δ ≤ 1/n²).

**It falls.** n_T = n/2^T ≤ σd/(G√m ε) = (G̃/G)·√d/(√m ε) with G̃ = σ√d: the last phase has fewer users than
√d/ε by a factor √m G/G̃, while Algorithm 2 needs of the order of √(d log(1/δ))/ε · log. Where G ≥ G̃ it has
less than one user as soon as m > d/ε². Theorem 4's condition on n does not help: it is void for small H
(linear losses), and T grows with n. That every phase has users is not printed as a statement; line 4 asks
for it ("sample n_t users"). Readings: brackets of T and bars over G are lost in the text at hand. With ⌊·⌋
the last phase has at most twice as many users, with Ḡ for G in T it is as with G = σ√d: points with fewer
than half a user at G = σ√d refute all of these.

Corrected: keep the printed phases as long as the answers fail with probability at most ½ (β of Theorem 2).
Phases use disjoint users, so a replaced user changes one phase only, and the whole is (ε, δ)-DP by Theorem
3.

Checked exactly, from the schedule itself: Σ n_t ≤ n, n_t ≥ 1, β of every phase, and the optimal
composition of the answers of every kept phase against δ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Plot, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import composition, first_order, phased_erm
from implementations.levy2021.users import gaussian_radius


def instance(point: Point) -> tuple[phased_erm.Instance, float, float]:
    """σ = R = 1, H = 0 but for rounding, G = ratio·σ√d, δ = 1/n²; with the radius τ and γ = 1/n²."""
    n, m, d = int(point["n"]), int(point["m"]), int(point["d"])
    problem = phased_erm.Instance(
        n=n, m=m, d=d, epsilon=float(point["epsilon"]), delta=1.0 / n**2, sigma=1.0,
        lipschitz=float(point["G_ratio"]) * d**0.5, smoothness=1e-12, diameter=1.0,
    )  # fmt: skip
    gamma = 1.0 / n**2
    return problem, gaussian_radius(n, d, m, 1.0, gamma), gamma


def _composed(problem: phased_erm.Instance, phase: phased_erm.Phase) -> float:
    """δ of the optimal composition of the answers of one phase, over the promised δ."""
    steps = phased_erm.steps_of_phase(problem, phase)
    epsilon, delta = first_order.query_budget(problem.epsilon, problem.delta, steps)
    return composition.composition_delta(problem.epsilon, epsilon, delta, steps) / problem.delta


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    problem, tau, gamma = instance(point)
    printed = phased_erm.phases(problem)
    kept = phased_erm.feasible_phases(problem, tau, gamma)
    tuned = phased_erm.feasible_phases(problem, tau, gamma, constants="tuned")
    # the least n whose first phase is feasible, to a factor of 2
    needed = float(problem.n)
    while needed < 1e15:
        larger, radius, level = instance(
            Point(axes={**point.axes, "n": int(needed)}, trials=0, alpha=point.alpha)
        )
        if phased_erm.feasible_phases(larger, radius, level):
            break
        needed *= 2.0
    return {
        "phases": len(printed),
        "feasible": len(kept),
        "feasible_tuned": len(tuned),
        "used": sum(p.users for p in printed),
        "used_kept": sum(p.users for p in kept),
        "users_last": problem.n / 2.0 ** len(printed),
        "empty": sum(p.users < 1 for p in printed),
        "worst_delta": max((_composed(problem, p) for p in kept), default=0.0),
        "worst_beta": max((phased_erm.phase_failure(problem, p, tau, gamma) for p in kept), default=0.0),
        "n_first": needed,
    }


def _axes(row: Any) -> dict[str, Any]:
    return {k: getattr(row, k) for k in ("n", "m", "d", "epsilon", "G_ratio")}


def judge_printed(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        note = f"{row.phases} phases, {row.empty} without a user, {row.feasible} with β ≤ ½"
        if row.feasible_tuned > row.feasible:
            note += f" ({row.feasible_tuned} with tuned constants)"
        verdict = Verdict.REFUTED if row.users_last < 1.0 else None
        evidence.append(
            exact_evidence(
                "users in the last phase",
                row.users_last,
                bound=1.0,
                verdict=verdict,
                point=_axes(row),
                note=note,
            )
        )
    return evidence


def judge_corrected(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows[rows["feasible"] > 0].itertuples():
        evidence.append(at_most("users of all kept phases over n", row.used_kept / row.n, 1.0, _axes(row)))
        composed = "δ of the answers of one phase over the promised δ, largest"
        evidence.append(at_most(composed, row.worst_delta, 1.0, _axes(row)))
        evidence.append(
            exact_evidence("largest β of a kept phase", row.worst_beta, bound=0.5, point=_axes(row))
        )
        evidence.append(exact_evidence("phases kept", float(row.feasible), point=_axes(row)))
    none = int((rows["feasible"] == 0).sum())
    evidence.append(exact_evidence("grid points without any feasible phase", float(none)))
    least = float(rows["n_first"].min())
    evidence.append(exact_evidence("least n on the grid (to a factor 2) with a feasible first phase", least))
    return evidence


_GRID = [
    {"n": n, "m": m, "d": d, "epsilon": e, "G_ratio": g}
    for n in (10_000, 1_000_000, 100_000_000)
    for m in (100, 10_000)
    for d in (4, 64)
    for e in (0.3, 1.0)
    for g in (1.0, 10.0)
]
_TIERS = {"smoke": Tier(points=_GRID[::5]), "ci": Tier(points=_GRID), "full": Tier(points=_GRID)}

CLAIMS = [
    Claim(
        id="levy2021/algorithm-4",
        kind=Kind.BOUND,
        title="The prescribed phases of Phased ERM can be run",
        statement=r"With $T=\lceil\log_2(Gn\sqrt m\varepsilon/(\sigma d))\rceil$ phases of $n/2^t$ users, "
        r"every phase has "
        r"users enough for Algorithm 3 (at least one).",
        how="Exact: the schedule, and the β of Theorem 2 in every phase, for linear losses.",
        source=source("Algorithm 4", "section 5.1"),
        bound=Bound.LOWER,
        expected=Verdict.REFUTED,
        tiers=_TIERS,
        measure=measure,
        judge=judge_printed,
        plots=[
            Plot(
                kind="curve",
                title="Phases of Algorithm 4 that can be run",
                x="n",
                y="feasible",
                claimed="phases",
                x_label="users n",
                y_label="phases",
                series="m",
                log_x=True,
                select={"d": 4, "epsilon": 1.0, "G_ratio": 1.0},
            )
        ],
    ),
    Claim(
        id="levy2021/algorithm-4:corrected",
        kind=Kind.PRIVACY,
        title="Phased ERM, stopped where the users suffice, is (ε, δ)-user-level DP",
        statement=r"The printed phases, kept while $\beta\le\frac12$, use at most $n$ users, each in one "
        r"phase; with each phase "
        r"$(\varepsilon,\delta)$-DP (Theorem 3) the whole is $(\varepsilon,\delta)$-DP.",
        how="Exact: the schedule and the composition of each phase's answers; phases have disjoint users.",
        source=source("Algorithm 4", "section 5.1, corrected"),
        bound=Bound.UPPER,
        expected=Verdict.CONFIRMED,
        tiers=_TIERS,
        measure=measure,
        judge=judge_corrected,
    ),
]
