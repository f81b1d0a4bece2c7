r"""Algorithm 6: PrivateRange is ε-DP in one user.

The chosen bin has probability ∝ exp(−ε c/2) with c = max(#left, #right); replacing one user changes every c
by at most 1, so every probability moves by a factor of at most e^ε (Levy et al. 2021, Algorithm 1, line 1,
and appendix D.1, after Feldman and Steinke 2017; the algorithm is reconstructed, the appendix was not at
hand).

The law depends on the data only through the number of users in each bin, so all count vectors of n users on K
bins and all their neighbours decide the statement at (n, K, ε). With two users the bound is reached to all
digits, so no smaller ε holds.

How it is checked. Exactly: the law for every count vector against the laws of all its neighbours, n ≤ 8 and K
≤ 8. For K = 2⁶⁰ the users stand on nine extreme bins, which can refute and does not decide; there, and for
small K with the users anywhere in their bins, rounding is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Plot, Point, at_most, grid
from claims.levy2021 import PAPER
from claims.levy2021._shared import count_vectors, neighbours, range_divergence
from implementations.levy2021 import private_range

WIDTH = 2.0
"""Width of a bin at τ = 1 with the printed constants."""


def check(point: Point) -> Iterator[Evidence]:
    bound = 0.5 * WIDTH * 2.0**point.log2_bins
    bins = private_range.bins_for(1.0, bound)
    whole = bins.count <= 64
    extreme = [bins.first, bins.first + 1, -2, -1, 0, 1, 2, bins.last - 1, bins.last]
    held = np.arange(bins.first, bins.last + 1) if whole else np.unique(extreme)
    counts = count_vectors(point.n, held.size)
    data = [np.clip(np.repeat(bins.centre(held), row), -bound, bound) for row in counts]
    laws = [private_range.range_law(x, point.epsilon, 1.0, bound) for x in data]
    worst = max(range_divergence(laws[i], laws[j]) for i, j in neighbours(counts))
    which = "all neighbouring count vectors" if whole else "count vectors on nine extreme bins"
    yield at_most(f"ε over {which}", worst, point.epsilon, decides=whole)
    if whole:
        places = [np.clip(x + WIDTH * point.rng.uniform(-0.49, 0.49, x.size), -bound, bound) for x in data]
        moved = [private_range.range_law(x, point.epsilon, 1.0, bound) for x in places]
        change = max(range_divergence(a, b) for a, b in zip(laws, moved, strict=True))
        yield at_most("change of the law when users move in their bins", change, 1e-12, decides=False)


EPSILONS = (0.1, 1.0, 8.0)
HUGE = grid(n=(1, 2, 3), log2_bins=60, epsilon=EPSILONS)
CI = [
    *grid(n=(1, 2, 4), log2_bins=(1, 2), epsilon=EPSILONS),
    *grid(n=(3, 4), log2_bins=3, epsilon=EPSILONS),
    *grid(n=8, log2_bins=2, epsilon=EPSILONS),
    *HUGE,
]

CLAIM = Claim(
    PAPER,
    "Algorithm 6",
    "Algorithm 1, line 1; appendix D.1 (reconstructed)",
    name="private-range-privacy",
    kind=Kind.PRIVACY,
    title="PrivateRange is ε-DP in one user",
    statement=r"For every $n$, number of bins $K$ and $\varepsilon>0$, PrivateRange with budget "
    r"$\varepsilon$ is $\varepsilon$-DP when one user is replaced (Algorithm 6 reconstructed: exponential "
    r"mechanism over bins).",
    expected=CONFIRMED,
    check=check,
    smoke=[*CI[::3], *HUGE[:3]],
    ci=CI,
    full=[*CI, *grid(n=6, log2_bins=3, epsilon=(0.01, 1.0, 8.0))],
    plots=[
        Plot(
            kind="curve",
            title="Privacy loss that PrivateRange attains",
            x="n",
            y="value",
            claimed="claimed",
            x_label="users n",
            y_label="largest privacy loss",
            series="log2_bins",
            select={"epsilon": 1.0, "quantity": "ε over all neighbouring count vectors"},
        )
    ],
)
