r"""Concentration score: replacing one user changes the score (2) by up to 2 − 2/n.

The paper hands the score $s(\mathcal D,\tau)=\frac1n\sum_Z\sum_{Z'}\mathbf 1(\|q(Z)-q(Z')\|\le\tau)$ to
AboveThreshold with budget $\varepsilon/2$ and uses Lemma 2.4, which is for sensitivity 1. A replaced user has
$n-1$ pairs with others, and the double sum counts each of them twice, once in her row and once in her column:
the score changes by $2|f-f'|/n$ with $f, f'$ the numbers of others near her before and after. Hence the
sensitivity is exactly $2-2/n$, for all datasets: $f$ and $f'$ lie between 0 and $n-1$, and all users at one
place with one of them moved away attain both.

How it is checked. For small n the score is computed for every dataset on a grid of the line and all of its
neighbours; for large n for the pair that attains the bound. Both are exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, equals, grid
from claims.asi2024 import PAPER
from implementations.asi2024.concentration import concentration_score

EXHAUSTIVE = 5


def largest_change(n: int) -> float:
    """Largest change of the score at τ = 1 under replacement of the first user.

    For n ≤ 5 over all datasets on {0, 1/2, …, 3}, otherwise for all users at 0, one of whom moves to 3.
    """
    places = np.arange(7) / 2.0
    if n > EXHAUSTIVE:
        pair = np.zeros((2, n, 1))
        pair[1, 0, 0] = 3.0
        return float(np.ptp(concentration_score(pair, 1.0)))
    worst = 0.0
    for others in itertools.combinations_with_replacement(places, n - 1):
        data = np.array([(first, *others) for first in places])[:, :, None]
        worst = max(worst, float(np.ptp(concentration_score(data, 1.0))))
    return worst


def check(point: Point) -> Iterator[Evidence]:
    """The largest change against 2 − 2/n, from both sides."""
    yield equals("change of the score", largest_change(point.n), 2.0 - 2.0 / point.n)


CLAIM = Claim(
    PAPER,
    "Concentration score",
    "section 3, equation (2)",
    kind=Kind.PRIVACY,
    title="The concentration score has sensitivity 2 − 2/n",
    statement=r"For all $n\ge2$ and $\tau>0$, the largest change of $s(\mathcal "
    r"D,\tau)=\frac1n\sum_{Z}\sum_{Z'}\mathbf 1(\|q(Z)-q(Z')\|\le\tau)$ under replacement of one user "
    r"is exactly $2-2/n$.",
    expected=CONFIRMED,
    summary="the sensitivity that lemma-3.6-proof needs and takes for 1; the paper does not state it",
    check=check,
    smoke=grid(n=(2, 3, 4, 100)),
    ci=grid(n=(2, 3, 4, 5, 10, 100, 1000)),
)
