"""Appendix A: a finite class is learnt under pure user-level DP by private selection from private candidates.

Best of a geometric number of ε₀-DP candidates is 3ε₀-DP (Liu and Talwar 2019, Theorem 3.2), used here with
ε₀ = ε/3 (reconstructed; the appendix was not at hand).

Checked exactly on finite laws of one draw: for pairs P, P′ of ε₀-DP laws on k ordered outcomes that are
extreme (each ratio e^{±ε₀}, every pattern of signs), the largest privacy loss of the selection over three
stopping probabilities is at most 3ε₀; how much of it is reached is reported. The score of one draw is the
output of Algorithm 1, ε₀-DP by theorem-1-privacy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims._claim import Claim, Kind, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import finite_class


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    epsilon, k = float(point["epsilon"]), int(point["outcomes"])
    step = epsilon / 3.0
    worst = 0.0
    for signs in itertools.product((0.0, 1.0), repeat=k):
        up = np.array(signs)
        if up.min() == up.max():
            continue
        for weights in (np.ones(k), *(np.where(np.arange(k) == i, 1e-6, 1.0) for i in range(k))):
            # p such that raising it by e^{ε₀} on one sign and lowering it on the other keeps the total at 1
            share = 1.0 / (1.0 + math.exp(step))
            p = np.where(
                up == 1.0,
                weights * share / weights[up == 1].sum(),
                weights * (1 - share) / weights[up == 0].sum(),
            )
            q = np.where(up == 1.0, p * math.exp(step), p * math.exp(-step))
            for stop in (1e-6, 0.01, 0.5):
                a, b = (
                    finite_class.best_of_geometric(p, stop),
                    finite_class.best_of_geometric(q / q.sum(), stop),
                )
                with np.errstate(divide="ignore"):
                    loss = np.abs(np.log(a) - np.log(b))[(a > 0.0) | (b > 0.0)]
                worst = max(worst, float(loss.max()))
    return {"loss": worst}


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = [
        at_most(
            "privacy loss of the selection over extreme laws",
            row.loss,
            row.epsilon * (1 + 1e-6),
            {"epsilon": float(row.epsilon), "outcomes": int(row.outcomes)},
        )
        for row in rows.itertuples()
    ]
    evidence.append(
        exact_evidence("largest part of ε that is reached", float((rows["loss"] / rows["epsilon"]).max()))
    )
    return evidence


_GRID = [{"epsilon": e, "outcomes": k} for e in (0.3, 3.0, 9.0) for k in (2, 3, 5)]

CLAIM = Claim(
    id="levy2021/pure-learner",
    kind=Kind.PRIVACY,
    title="Private selection from private candidates is 3ε₀-DP",
    statement=r"The best of a geometric number of $\varepsilon/3$-DP candidates is $\varepsilon$-DP in one "
    r"user.",
    how="Exact: extreme pairs of ε₀-DP laws on up to five ordered outcomes.",
    source=source("Learning with pure DP", "appendix A (reconstructed)"),
    bound=Bound.UPPER,
    expected=Verdict.CONFIRMED,
    tiers={tier: Tier(points=_GRID) for tier in ("smoke", "ci", "full")},
    measure=measure,
    judge=judge,
)
