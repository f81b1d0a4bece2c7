"""Section 2.2: n draws of a σ²-sub-Gaussian vector are (σ√(d log(2n/γ)), γ)-concentrated around its mean.

(Levy et al. 2021, after Definition 3; used wherever a radius τ is needed.)

**It falls** for d = 1: the tail 2 exp(−t²/(2σ²)) of one draw and a union over n need t = σ√(2
log(2n/γ)), larger by √2. A normal variable, truncated to [−B, B] far out so that it is bounded as
required (and still σ²-sub-Gaussian, being strongly log-concave), leaves the printed radius with a
probability far above γ. (For normal vectors with d ≥ 2 the printed radius does hold.)

Corrected: σ√(2 d log(2dn/γ)), a union over dn coordinates.

Checked exactly: the probability that one of n normal vectors leaves the radius, from the χ² law; for the
corrected radius also the union bound itself, which holds for every σ²-sub-Gaussian vector.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict
from claims.harness.claim import Claim, Kind, Plot, Point, Tier
from claims.levy2021._shared import at_most, source

_EDGE = 30.0
"""B/σ of the truncation: the mass beyond is below 1e-190."""


def _leaves(radius: float, n: int, d: int) -> float:
    """P(some of n standard normal vectors is longer than radius)."""
    from scipy.stats import chi2

    if radius >= _EDGE:
        return 0.0
    return -math.expm1(n * math.log1p(-float(chi2.sf(radius**2, d))))


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    n, d, gamma = int(point["n"]), int(point["d"]), float(point["gamma"])
    corrected = math.sqrt(2.0 * d * math.log(2.0 * d * n / gamma))
    return {
        "printed": _leaves(math.sqrt(d * math.log(2.0 * n / gamma)), n, d),
        "corrected": _leaves(corrected, n, d),
        "union": 2.0 * d * n * math.exp(-(corrected**2) / (2.0 * d)),
    }


def _axes(row: Any) -> dict[str, Any]:
    return {"n": int(row.n), "d": int(row.d), "gamma": float(row.gamma)}


def judge_printed(rows: Any, alpha: float) -> list[Evidence]:
    return [
        at_most("P(a normal vector leaves the radius)", row.printed, row.gamma, _axes(row), decides=False)
        for row in rows.itertuples()
    ]


def judge_corrected(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        evidence.append(at_most("union bound, every sub-Gaussian vector", row.union, row.gamma, _axes(row)))
        evidence.append(at_most("P(a normal vector leaves the radius)", row.corrected, row.gamma, _axes(row)))
    return evidence


_GRID = [
    {"n": n, "d": d, "gamma": gamma}
    for n in (1, 10, 1000, 10**6)
    for d in (1, 2, 16)
    for gamma in (0.1, 1e-3, 1e-9)
]
_TIERS = {tier: Tier(points=_GRID) for tier in ("smoke", "ci", "full")}

CLAIMS = [
    Claim(
        id="levy2021/sub-gaussian-concentration",
        kind=Kind.BOUND,
        title="Sub-Gaussian samples are (σ√(d log(2n/γ)), γ)-concentrated",
        statement=r"If $X_1,\dots,X_n$ are i.i.d. $\sigma^2$-sub-Gaussian in $\mathbb R^d$ and bounded, "
        r"then with probability $1-\gamma$ all lie within $\sigma\sqrt{d\log(2n/\gamma)}$ of their mean.",
        how="Exact: the χ² law of normal vectors.",
        source=source("Example after Definition 3", "section 2.2"),
        bound=Bound.UPPER,
        expected=Verdict.REFUTED,
        tiers=_TIERS,
        measure=measure,
        judge=judge_printed,
        plots=[
            Plot(
                kind="curve",
                title="Probability that a normal sample leaves its radius, d = 1, γ = 0.001",
                x="n",
                y="printed",
                claimed="gamma",
                x_label="users n",
                y_label="probability",
                log_x=True,
                log_y=True,
                select={"d": 1, "gamma": 1e-3},
            )
        ],
    ),
    Claim(
        id="levy2021/sub-gaussian-concentration:corrected",
        kind=Kind.BOUND,
        title="Sub-Gaussian samples are (σ√(2d log(2dn/γ)), γ)-concentrated",
        statement=r"If $X_1,\dots,X_n$ are i.i.d. $\sigma^2$-sub-Gaussian in $\mathbb R^d$, then with "
        r"probability $1-\gamma$ all lie within $\sigma\sqrt{2d\log(2dn/\gamma)}$ of their mean.",
        how="Exact: the union bound over coordinates; the χ² law of normal vectors besides.",
        source=source("Example after Definition 3", "section 2.2, corrected"),
        bound=Bound.UPPER,
        expected=Verdict.CONFIRMED,
        tiers=_TIERS,
        measure=measure,
        judge=judge_corrected,
    ),
]
