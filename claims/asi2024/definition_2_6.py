r"""Definition 2.6: X is nSG(σ) if P(‖X − EX‖ ≥ t) ≤ 2·exp(−t²/(2σ²)) for all t ∈ ℝ.

For t ≤ 0 the left is 1, and for $t<-\sigma\sqrt{2\log2}$ the right is below 1, so that no vector satisfies
the definition for negative t. It is meant for $t\ge0$, as in the cited paper; Lemma 2.7 is read so.

How it is checked. Exactly, for the vector that is 0 surely, whose norm has the smallest tail of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid
from claims.asi2024 import PAPER
from implementations.asi2024.norm_subgaussian import heaviest_tail


def printed_bound(t: float) -> float:
    """2·exp(−t²/2): σ = 1."""
    return 2.0 * math.exp(-0.5 * t**2)


def check(point: Point) -> Iterator[Evidence]:
    """P(0 ≥ t) against 2·exp(−t²/2), σ = 1."""
    bound = printed_bound(point.t)
    yield at_most("P(‖X − EX‖ ≥ t) for X = 0", 1.0 if point.t <= 0.0 else 0.0, bound)
    if point.t >= 0.0:  # the tail that Lemma 2.7 is checked with
        yield at_most("tail of the heaviest norm", float(heaviest_tail(point.t)), bound)


CLAIM = Claim(
    PAPER,
    "Definition 2.6",
    "section 2.3",
    kind=Kind.BOUND,
    title="Norm-sub-Gaussian vectors exist",
    statement=r"The vector $X=0$ satisfies $\Pr[\|X-\mathbb EX\|\ge t]\le2\exp(-t^2/(2\sigma^2))$ for all "
    r"$t\in\mathbb R$.",
    expected=REFUTED,
    finding=Finding(
        Weight.TYPO,
        what=(
            r"For $t=-2\sigma$ the left is 1 for every vector and the right is $0.27$: “for all "
            r"$t\in\mathbb R$” should be for all $t\ge0$."
        ),
        favour=r"For $t\ge0$, which is meant and used: CONFIRMED (`:corrected`).",
        survives=r"The definition for $t\ge0$.",
    ),
    check=check,
    smoke=grid(t=(-2.0, 0.0, 1.0)),
    ci=grid(t=(-10.0, -2.0, 0.0, 1.0, 3.0)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Norm-sub-Gaussian vectors exist, t ≥ 0",
    statement=r"The vector $X=0$ and the heaviest norm satisfy "
    r"$\Pr[\|X-\mathbb EX\|\ge t]\le2\exp(-t^2/(2\sigma^2))$ for all $t\ge0$.",
    expected=CONFIRMED,
    smoke=grid(t=(0.0, 1.0)),
    ci=grid(t=(0.0, 0.1, 1.0, 1.2, 3.0)),
)
CLAIMS = [CORRECTED]
