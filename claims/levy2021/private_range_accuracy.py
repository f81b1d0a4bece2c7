"""PrivateRange (Algorithm 6, reconstructed) finds data that are concentrated in an interval of radius τ.

If all data lie within τ of some x₀, the chosen centre x̂ is the centre of a bin between the leftmost and
the rightmost occupied one, hence |x̂ − x₀| ≤ 2τ and x₀ ∈ [a, b], with probability at least 1 − (B/τ)
exp(−nε/4) for budget ε (Levy et al. 2021, section 3: "with accuracy Θ(τ)"; the exponent is that of Theorem
1, where the budget is ε/2).

Checked exactly. Data in an interval of length 2τ occupy at most two neighbouring bins of width 2τ, so the
splits (k, n − k) over all neighbouring pairs of bins are all there is; where there are very many bins,
three positions of the pair stand for all, because every bin beside the data costs n wherever they lie.
That the interval contains the *centre* x₀ does not mean that it contains the *data*: the reach beyond the
interval is reported too, and it is why Theorem 1 falls."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Plot, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import private_range


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    n, epsilon, bound = int(point["n"]), float(point["epsilon"]), float(point["ratio"])
    bins = private_range.bins_for(1.0, bound)
    miss, reach, off = 0.0, 0.0, 0.0
    # every pair of neighbouring bins; of very many bins the extremes and the middle
    starts = {bins.first, -1, bins.last - 1} if bins.count > 64 else set(range(bins.first, bins.last))
    for start in sorted(starts):
        for right in range(n + 1):
            x = np.repeat(bins.centre(np.array([start, start + 1])), [n - right, right])
            law = private_range.range_law(x, epsilon, 1.0, bound)
            last = law.start + law.count - 1
            occupied = bins.index(x)
            inside = (law.start <= occupied.max()) & (last >= occupied.min())
            mass = np.exp(law.log_probability + np.log(law.count.astype(float)))
            miss = max(miss, float(mass[~inside].sum()))
            edge = (start + 1 + bins.shift - 0.5) * bins.width  # between the two bins
            if 0 < right < n:
                # data in [x0 − 1, x0 + 1], distances from a centre to x0 and to the data
                for x0 in edge + np.linspace(-1.0, 1.0, 41):
                    held = bins.centre(np.array([start, start + 1]))
                    off = max(off, float(np.abs(held - x0).max()))
                    reach = max(reach, float(np.abs(held[:, None] - (x0 + np.array([-1.0, 1.0]))).max()))
    return {
        "miss": miss,
        "claimed": min(1.0, bound * np.exp(-n * epsilon / 4.0)),
        "distance_to_x0": off,
        "distance_to_data": reach,
    }


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = [
        at_most(
            "probability that the bin lies beside the data",
            row.miss,
            row.claimed,
            {"n": int(row.n), "epsilon": float(row.epsilon), "ratio": float(row.ratio)},
        )
        for row in rows.itertuples()
    ]
    evidence.append(
        at_most("|x̂ − x₀|/τ of a bin that holds data", float(rows["distance_to_x0"].max()), 2.0, {})
    )
    far = float(rows["distance_to_data"].max())
    note = (
        "the printed interval reaches 2τ from its centre: data beyond it are clipped (see theorem-1-utility)"
    )
    evidence.append(exact_evidence("distance from x̂ to the farthest datum, in τ", far, note=note))
    return evidence


_GRID = [
    {"n": n, "epsilon": e, "ratio": r} for n in (5, 10, 20) for e in (0.5, 2.0) for r in (2.0, 2.5, 16.0)
]
_MORE = [{"n": n, "epsilon": e, "ratio": r} for n in (40, 81) for e in (0.1, 1.0) for r in (33.0, 2.0**60)]

CLAIM = Claim(
    id="levy2021/private-range-accuracy",
    kind=Kind.BOUND,
    title="PrivateRange lands on concentrated data",
    statement=r"If $|X_i-x_0|\le\tau$ for all $i$, PrivateRange with budget $\varepsilon$ returns $[a,b]\ni "
    r"x_0$ with "
    r"probability at least $1-\frac B\tau e^{-n\varepsilon/4}$.",
    how="Exact: all splits of n users over two neighbouring bins, for all positions of the pair.",
    source=source("Algorithm 6", "section 3 and appendix D.1 (reconstructed)"),
    bound=Bound.UPPER,
    expected=Verdict.CONFIRMED,
    tiers={
        "smoke": Tier(points=_GRID[:8]),
        "ci": Tier(points=_GRID + _MORE),
        "full": Tier(points=_GRID + _MORE + [{"n": 300, "epsilon": 0.2, "ratio": 2.0**40}]),
    },
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="curve",
            title="Probability that PrivateRange misses the data",
            x="n",
            y="miss",
            claimed="claimed",
            x_label="users n",
            y_label="probability",
            log_y=True,
            select={"epsilon": 2.0, "ratio": 16.0},
        )
    ],
)
