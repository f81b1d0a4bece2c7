r"""Lemma 2.8, proof: E_p f − f(x*) ≤ k/η + (μ/4)‖x*‖² + G_k·√(2d/(ημ) + ‖x*‖²), the explicit form that the
shorter proof of Lemma 2.8 gives.

It stands in for the printed chain through Lemma 2.7, which falls. Its last term is what the printed
integral amounts to; the first two carry no dimension.

How it is checked. By quadrature, as `lemma-2.8`; the largest ratio is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.lee2024 import PAPER
from claims.lee2024.lemma_2_8 import excesses


def check(point: Point) -> Iterator[Evidence]:
    eta, mu, d = point.eta, point.mu, point.d
    for scaled, excess, error in excesses(point):
        g, square = scaled.across / eta, scaled.minimiser**2
        claimed = 1.0 / eta + 0.25 * mu * square + g * math.sqrt(2.0 * d / (eta * mu) + square)
        yield at_most(f"E f − min f, f = {scaled.name}", excess, claimed, error=error, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Lemma 2.8, proof",
    "appendix E",
    name="lemma-2.8-proof",
    kind=Kind.BOUND,
    title="Excess with explicit constants",
    statement=r"""In the setting of Lemma 2.8:
$\mathbb E_pf-f(x^*)\le\frac k\eta+\frac\mu4\|x^*\|^2+G_k\sqrt{\frac{2d}{\eta\mu}+\|x^*\|^2}$.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(2, 1000), mu=1.0, eta=1.0, ratio=(0.1, 1.0)),
    ci=grid(d=(2, 10, 1000, 100_000), mu=(0.1, 2.0), eta=(0.5, 20.0), ratio=(0.01, 0.3, 1.0, 3.0)),
)
