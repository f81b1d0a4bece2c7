r"""Section 1.1: under a constrained domain (Assumption 1.1) and low-rank gradients (Assumption 1.3) "there
is a dimension-dependent lower bound" √(d·log(1/δ))/(εn), read off Bassily et al. (2014).

Assumption 1.3 has one projection P of rank B with (I − P)∇ℓ(θ; z) = 0 "for all z", so P does not depend on
the data, and an algorithm may use it: ℓ(θ; z) depends on Pθ alone, and an optimal algorithm on the set PK,
of dimension B and a diameter of at most C, has the excess risk O(GC√(B·log(1/δ))/(nε)), whatever d is. So
no instance of small rank has the bound of section 1.1. At rank 1 the sign of a noisy sum does it: for ℓ(θ;
z) = z·θ₁ on the unit ball of ℝᵈ, z = ±1, the sum moves by 2 where a record is replaced, and with Laplace
noise of scale 2/ε the excess is at most 2/(e·nε). In the construction of Bassily et al. the universe of
records spans ℝᵈ; it is the gradients of one dataset whose rank is small, about √d.

What survives: the bound with a P that depends on the dataset, and a rank of the order √d; for rank 1 with
such a P a stable histogram finds P, at a cost that does not depend on d.

How it is checked. The excess of the noisy sign in closed form, at its worst sum, against the form, d up to
10⁶."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from audits.judge import at_least
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid
from claims.lee2024 import PAPER

CONSTANT = 1e-2
"""In the place of the hidden constant."""


def excess(n: int, epsilon: float) -> float:
    """The largest expected excess of the noisy sign over the sums n, n − 2, … of n records ±1."""
    total = np.arange(n % 2, min(n, math.ceil(100.0 / epsilon)) + 1, 2, dtype=float)
    wrong = 0.5 * np.exp(-0.5 * epsilon * total)
    return float((2.0 * total / n * wrong).max())


def check(printed: bool, point: Point) -> Iterator[Evidence]:
    n, d, epsilon = point.n, point.d, point.epsilon
    found = excess(n, epsilon)
    if printed:
        form = min(1.0, math.sqrt(d * math.log(1.0 / point.delta)) / (n * epsilon))
        yield at_least(
            "largest excess at rank 1 over √(d·log(1/δ))/(nε)", found / form, CONSTANT, point=point.axes
        )
    else:
        yield at_most("largest excess at rank 1, times nε", found * n * epsilon, 2.0 / math.e, error=1e-12)


CLAIM = Claim(
    PAPER,
    "Section 1.1",
    "section 1.1",
    kind=Kind.LOWER_BOUND,
    title="Claimed: low-rank gradients on a bounded domain leave a bound that grows with d",
    statement=r"""Under Assumptions 1.1 and 1.3 with a rank that does not grow with $d$ there is a lower
bound $\Omega(\sqrt{d\log(1/\delta)}/(\varepsilon n))$ for $(\varepsilon,\delta)$-DP algorithms; computed
at rank 1 with the constant $\frac1{100}$.""",
    expected=REFUTED,
    check=partial(check, True),
    smoke=grid(n=10**5, d=10**6, epsilon=0.5, delta=1e-6),
    ci=grid(n=(10**5, 10**7), d=(10**6, 10**8), epsilon=(0.1, 1.0), delta=(1e-6, 1e-10)),
    finding=Finding(
        Weight.RANGE,
        what=r"""With one projection $P$ for all $z$, as Assumption 1.3 is printed, $P$ is public, and an
algorithm on $P\mathcal K$ has an excess risk that depends on the rank only. For
$\ell(\theta;z)=z\theta_1$, $z=\pm1$, on the unit ball it is at most $2/(e\,n\varepsilon)$ for every $d$:
at $d=10^6$ and $\delta=10^{-6}$ the form is 5,000 times larger.""",
        favour=r"""The sentence goes back to Bassily et al. (2014), where the gradients of one dataset, not
of all records that there could be, have a small rank. With $P$ depending on the dataset and a rank of the
order $\sqrt d$ such a bound is known.""",
        survives=r"""The bound for a $P$ that depends on the dataset, and a rank of the order $\sqrt d$.""",
    ),
)
RANK_ONE = CLAIM.reading(
    "rank-one",
    kind=Kind.BOUND,
    title="The noisy sign at rank 1",
    statement=r"""For $\ell(\theta;z)=z\theta_1$, $z=\pm1$, on the unit ball of $\mathbb R^d$, the sign of
the sum of the records with Laplace noise of scale $2/\varepsilon$ has an excess risk of at most
$2/(e\,n\varepsilon)$.""",
    expected=CONFIRMED,
    check=partial(check, False),
    smoke=grid(n=(1, 10), d=10, epsilon=0.5),
    ci=grid(n=(1, 2, 3, 10, 10**5), d=10, epsilon=(1e-3, 0.5, 1.0)),
    summary="At rank 1 the dimension does not matter.",
)
CLAIMS = [RANK_ONE]
