"""Appendix A: a finite class is learnt under pure user-level DP by private selection from private candidates.

Best of a geometric number of ε₀-DP candidates is 3ε₀-DP (Liu and Talwar 2019, Theorem 3.2), used here with
ε₀ = ε/3 (reconstructed; the appendix was not at hand).

Decided by a closed form, for all laws of one draw. With γ the stopping probability, h_i the chance of an
outcome better than i and p_i that of i, the best of K has mass γ p_i / ((γ + (1 − γ)h_i)(γ + (1 −
γ)h_{i+1})). p_i changes by a factor of at most e^{ε₀}; so does h, but h ≤ 1, and (γ + (1 − γ)h)/(γ + (1 −
γ)h′) is largest at h = 1, h′ = e^{−ε₀}. Hence the loss is at most ε₀ + 2 log 1/(γ + (1 − γ)e^{−ε₀}) <
3ε₀. The first formula is compared with the implemented law.

Besides, a search: pairs P, P′ of ε₀-DP laws on k ordered outcomes that are extreme (each ratio e^{±ε₀},
every pattern of signs), three stopping probabilities; how much of 3ε₀ is reached is reported. The score
of one draw is the output of Algorithm 1, ε₀-DP by theorem-1-privacy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import finite_class

_STOPS = (1e-6, 0.01, 0.5)


def _closed_form(p: np.ndarray, stop: float) -> np.ndarray:
    """Law of the best of K draws by the formula of the docstring; outcomes ordered from best to worst."""
    head = np.concatenate(([0.0], np.cumsum(p)))
    kept = stop + (1.0 - stop) * head
    return stop * p / (kept[:-1] * kept[1:])


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    epsilon, k = float(point["epsilon"]), int(point["outcomes"])
    step = epsilon / 3.0
    worst, mismatch = 0.0, 0.0
    bound = max(step - 2.0 * math.log(stop + (1.0 - stop) * math.exp(-step)) for stop in _STOPS)
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
            for stop in _STOPS:
                a, b = (
                    finite_class.best_of_geometric(p, stop),
                    finite_class.best_of_geometric(q / q.sum(), stop),
                )
                mismatch = max(mismatch, float(np.abs(a - _closed_form(p, stop)).max()))
                with np.errstate(divide="ignore"):
                    loss = np.abs(np.log(a) - np.log(b))[(a > 0.0) | (b > 0.0)]
                worst = max(worst, float(loss.max()))
    return {"loss": worst, "closed_form": bound, "mismatch": mismatch}


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {"epsilon": float(row.epsilon), "outcomes": int(row.outcomes)}
        largest = "privacy loss of the selection, largest over all laws of a draw (closed form)"
        evidence.append(at_most(largest, row.closed_form, row.epsilon, point))
        evidence.append(at_most("implemented law against the closed form", row.mismatch, 1e-9, point))
        searched = "privacy loss of the selection over extreme laws"
        evidence.append(at_most(searched, row.loss, row.epsilon * (1 + 1e-6), point, decides=False))
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
    how="Exact: closed form for all laws of a draw, compared with the implemented law; a search over extreme "
    "pairs besides.",
    source=source("Learning with pure DP", "appendix A (reconstructed)"),
    bound=Bound.UPPER,
    expected=Verdict.CONFIRMED,
    tiers={tier: Tier(points=_GRID) for tier in ("smoke", "ci", "full")},
    measure=measure,
    judge=judge,
)
