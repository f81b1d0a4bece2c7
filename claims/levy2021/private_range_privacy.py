"""PrivateRange (Algorithm 6, reconstructed) is ε-DP in one user.

The chosen bin has probability ∝ exp(−ε c/2) with c = max(#left, #right); replacing one user changes every c
by at most 1, so every probability moves by a factor of at most e^ε (Levy et al. 2021, Algorithm 1, line 1,
and appendix D.1, after Feldman and Steinke 2017).

Checked exactly. The law depends on the data only through the number of users in each bin, so all count
vectors of n users on K bins and all their neighbours decide the statement at (n, K, ε). For K = 2⁶⁰ the
users stand on nine extreme bins; with two users the bound is reached to all digits, so no smaller ε holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict
from claims.harness.claim import Claim, Kind, Plot, Point, Tier
from claims.levy2021._shared import at_most, count_vectors, neighbours, range_divergence, source
from implementations.levy2021 import private_range


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    n, epsilon = int(point["n"]), float(point["epsilon"])
    width = 2.0  # of a bin, at τ = 1 with the printed constants
    bound = 0.5 * width * 2.0 ** float(point["log2_bins"])
    bins = private_range.bins_for(1.0, bound)
    if bins.count <= 64:
        held = np.arange(bins.first, bins.last + 1)
    else:
        held = np.unique([bins.first, bins.first + 1, -2, -1, 0, 1, 2, bins.last - 1, bins.last])
    counts = count_vectors(n, held.size)
    centres = bins.centre(held)
    data = [np.clip(np.repeat(centres, row), -bound, bound) for row in counts]
    laws = [private_range.range_law(x, epsilon, 1.0, bound) for x in data]
    # the same counts with points anywhere in their bins: rounding must hide where
    shifted = [np.clip(x + width * rng.uniform(-0.49, 0.49, n), -bound, bound) for x in data]
    moved = (
        max(
            range_divergence(law, private_range.range_law(x, epsilon, 1.0, bound))
            for law, x in zip(laws, shifted, strict=True)
        )
        if bins.count <= 64
        else 0.0
    )
    worst = max((range_divergence(laws[i], laws[j]) for i, j in neighbours(counts)), default=0.0)
    return {"bins": float(bins.count), "datasets": len(counts), "divergence": worst, "within_bins": moved}


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {"n": int(row.n), "log2_bins": float(row.log2_bins), "epsilon": float(row.epsilon)}
        whole = row.bins <= 64
        which = "all neighbouring count vectors" if whole else "count vectors on nine extreme bins"
        evidence.append(at_most(f"ε over {which}", row.divergence, row.epsilon, point, decides=whole))
    moved = float(rows["within_bins"].max())
    name = "change of the law when users move within their bins, drawn positions"
    evidence.append(at_most(name, moved, 1e-9, {}, decides=False))
    return evidence


_SMALL = [{"n": n, "log2_bins": k, "epsilon": e} for n in (1, 2, 4) for k in (1, 2) for e in (0.1, 1.0, 8.0)]
_MORE = [{"n": n, "log2_bins": k, "epsilon": e} for n, k in ((3, 3), (4, 3), (8, 2)) for e in (0.1, 1.0, 8.0)]
_HUGE = [{"n": n, "log2_bins": 60, "epsilon": e} for n in (1, 2, 3) for e in (0.1, 1.0, 8.0)]

CLAIM = Claim(
    id="levy2021/private-range-privacy",
    kind=Kind.PRIVACY,
    title="PrivateRange is ε-DP in one user",
    statement=r"For every $n$, number of bins $K$ and $\varepsilon>0$, PrivateRange with budget "
    r"$\varepsilon$ is "
    r"$\varepsilon$-DP when one user is replaced (Algorithm 6 reconstructed: exponential mechanism over "
    r"bins).",
    how="Exact: the law for every count vector against the laws of all its neighbours.",
    source=source("Algorithm 6", "Algorithm 1, line 1; appendix D.1 (reconstructed)"),
    bound=Bound.UPPER,
    expected=Verdict.CONFIRMED,
    tiers={
        "smoke": Tier(points=_SMALL[:6] + _HUGE[:3]),
        "ci": Tier(points=_SMALL + _MORE + _HUGE),
        "full": Tier(
            points=_SMALL + _MORE + _HUGE + [{"n": 6, "log2_bins": 3, "epsilon": e} for e in (0.01, 1.0, 8.0)]
        ),
    },
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="curve",
            title="Privacy loss that PrivateRange attains",
            x="n",
            y="divergence",
            claimed="epsilon",
            x_label="users n",
            y_label="largest privacy loss",
            series="log2_bins",
            select={"epsilon": 1.0},
        )
    ],
)
