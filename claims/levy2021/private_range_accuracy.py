r"""Algorithm 6: PrivateRange finds data that are concentrated in an interval of radius τ.

If all data lie within τ of some x₀, the chosen centre x̂ is the centre of a bin between the leftmost and the
rightmost occupied bin, hence |x̂ − x₀| ≤ 2τ and x₀ ∈ [a, b], with probability at least 1 − (B/τ) exp(−nε/4)
for budget ε (Levy et al. 2021, section 3: "with accuracy Θ(τ)"; the exponent is that of Theorem 1, where the
budget is ε/2; Algorithm 6 is reconstructed).

Data in an interval of length 2τ occupy at most two neighbouring bins of width 2τ, so the splits (k, n − k)
over all neighbouring pairs of bins are all there is; where there are very many bins, three positions of the
pair stand for all, because every bin beside the data costs n wherever they lie.

That the interval contains the *centre* x₀ does not mean that it contains the *data*: the reach beyond the
interval is reported too, and it is why Theorem 1 falls.

How it is checked. Exactly: all splits of n users over two neighbouring bins, for all positions of the pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Plot, Point, at_most, grid, reported
from claims.levy2021 import PAPER
from claims.levy2021._shared import beside
from implementations.levy2021 import private_range


def distances(bins: private_range.Bins) -> tuple[float, float]:
    """Largest distance from the centre of a bin that holds data to x₀, and to the farthest datum, in τ.

    All data lie in [x₀ − 1, x₀ + 1] and occupy the two bins that meet at an edge.
    """
    left = -1  # every edge is alike, and near 0 no digit is lost
    centres = bins.centre(np.array([left, left + 1]))
    x0 = (left + 0.5 + bins.shift) * bins.width + np.linspace(-1.0, 1.0, 41)
    to_data = centres[:, None, None] - (x0[:, None] + np.array([-1.0, 1.0]))
    return float(np.abs(centres[:, None] - x0).max()), float(np.abs(to_data).max())


def check(point: Point) -> Iterator[Evidence]:
    bins = private_range.bins_for(1.0, point.ratio)
    claimed = min(1.0, point.ratio * math.exp(-point.n * point.epsilon / 4.0))
    missed = beside(point.n, point.epsilon, point.ratio)
    yield at_most("probability that the bin lies beside the data", missed, claimed)
    if bins.count > 1:
        to_centre, to_data = distances(bins)
        yield at_most("|x̂ − x₀|/τ of a bin that holds data", to_centre, 2.0)
        note = "the printed interval reaches 2τ from x̂: data beyond it are clipped (see theorem-1-utility)"
        yield reported("distance from x̂ to the farthest datum, in τ", to_data, note=note)


GRID = grid(n=(5, 10, 20), epsilon=(0.5, 2.0), ratio=(2.0, 2.5, 16.0))
CI = [*GRID, *grid(n=(40, 81), epsilon=(0.1, 1.0), ratio=(33.0, 2.0**60))]

CLAIM = Claim(
    PAPER,
    "Algorithm 6",
    "section 3 and appendix D.1 (reconstructed)",
    name="private-range-accuracy",
    kind=Kind.BOUND,
    title="PrivateRange lands on concentrated data",
    statement=r"If $|X_i-x_0|\le\tau$ for all $i$, PrivateRange with budget $\varepsilon$ returns $[a,b]\ni "
    r"x_0$ with probability at least $1-\frac B\tau e^{-n\varepsilon/4}$.",
    expected=CONFIRMED,
    check=check,
    smoke=GRID[:8],
    ci=CI,
    full=[*CI, *grid(n=300, epsilon=0.2, ratio=2.0**40)],
    plots=[
        Plot(
            kind="curve",
            title="Probability that PrivateRange misses the data",
            x="n",
            y="value",
            claimed="claimed",
            x_label="users n",
            y_label="probability",
            log_y=True,
            select={
                "epsilon": 2.0,
                "ratio": 16.0,
                "quantity": "probability that the bin lies beside the data",
            },
        )
    ],
)
