r"""Theorem 3.1: the bound of Theorem 3.9 holds for outputs in ℝᵈ, with C = ‖θ*‖ in ℓ_p.

What it adds to Theorem 3.9: projecting onto the cube does not raise the risk of records in {0, ½, 1}ᵈ, so
the minimiser lies there and an unconstrained algorithm is at least as bad as its projection. That holds. C
= ‖θ*‖_p is (number of ones of θ*)^{1/p}, between 0 and d^{1/p}: on the datasets of the proof half of the
columns have a majority of ones, so C differs from the diameter by 2^{−1/p}; for a dataset of zeros it
would be 0. So it falls where Theorem 3.7 falls, and stands where that stands (`:corrected`).

Section 3 calls it "a direct consequence" of Theorems 3.4 and 3.7 (`:by-extension`). Theorem 3.4 is about
ℓ₂ and "with probability at least ½", Theorem 3.7 about the expectation, and Theorem 3.1 about every ℓ_p.
The step of Theorem 3.4 that a projection onto K brings an output nearer to every point of K fails in ℓ₁:
for K = {x ∈ ℝ³: Σx = 0, ‖x‖₁ ≤ 2} the output (1, 0, 0) is at distance 1 of 0, (1, −1, 0) and (1, 0, −1),
and every point of K is at distance 4/3 at least from one of the three. For the records of Theorem 3.7 the
clipping above serves.

How it is checked. The printed form against the proven bound of the pure mechanism of Theorem 3.7.
`:by-extension`: the least of the largest distances, by linear programming. `:corrected`: risks by the
implementation: at random outputs inside, around and far outside the cube, before and after the projection,
over datasets of every kind of record; the median is a minimiser over ℝᵈ, against a grid that leaves the
cube; and C on fingerprinting codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from audits.judge import at_least
from claims import CONSISTENT, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid
from claims.lee2024 import PAPER
from claims.lee2024.theorem_3_9 import CLAIM as EVERY_GEOMETRY
from implementations.lee2024 import fingerprinting, l1_instance

NEAR = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, -1.0]])


def largest_distance() -> float:
    """The least over y with Σy = 0 of the largest ℓ₁-distance to a row of NEAR, by linear programming."""
    from scipy.optimize import linprog

    # variables: y (3), |y − a_i| ≤ e_ij (9), and the largest sum v
    rows, right = [], []
    for i, a in enumerate(NEAR):
        for j in range(3):
            for sign in (1.0, -1.0):
                row = np.zeros(13)
                row[j], row[3 + 3 * i + j] = sign, -1.0
                rows.append(row)
                right.append(sign * a[j])
        row = np.zeros(13)
        row[3 + 3 * i : 6 + 3 * i], row[12] = 1.0, -1.0
        rows.append(row)
        right.append(0.0)
    level, cost = np.zeros((1, 13)), np.zeros(13)
    level[0, :3], cost[12] = 1.0, 1.0
    bounds = [(None, None)] * 3 + [(0.0, None)] * 10
    found: Any = linprog(cost, A_ub=np.array(rows), b_ub=right, A_eq=level, b_eq=[0.0], bounds=bounds)
    return float(found.fun)


def check_extension(point: Point) -> Iterator[Evidence]:
    output = np.array([1.0, 0.0, 0.0])
    farthest = float(np.abs(output - NEAR).sum(axis=1).max())
    yield at_most("largest distance of the best projection", largest_distance(), farthest, error=1e-9)


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(23)
    n, d = point.n, point.d
    for kinds in ((0.0, 1.0), (0.0, 0.5, 1.0), (0.0,)):
        data = rng.choice(kinds, (n, d))
        theta = rng.standard_normal((2000, d)) * 10.0 ** rng.uniform(-1, 2, (2000, 1))
        gain = l1_instance.risk(l1_instance.clip_to_cube(theta), data) - l1_instance.risk(theta, data)
        place = {**point.axes, "records": str(kinds)}
        yield at_most("risk after projection − risk before", float(gain.max()), 1e-9, point=place)
        least = l1_instance.risk(l1_instance.minimiser(data), data)
        levels = np.linspace(-1.0, 2.0, 61)
        columns = np.abs(levels[:, None, None] - data).mean(axis=1)
        yield at_most(
            "risk of the median − least on a grid",
            float(least - columns.min(axis=0).sum()),
            1e-9,
            point=place,
        )
    code = fingerprinting.generate(n, 0.5, rng)
    share = float((l1_instance.minimiser(code.words.astype(float)) >= 0.5).mean())
    yield at_least("(C/d^{1/p})^p on a fingerprinting code", share, 0.4, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Theorem 3.1",
    "section 3",
    kind=Kind.LOWER_BOUND,
    title="Claimed: lower bound without constraint, for every small δ",
    statement=r"""For $p\ge1$, $2^{-o(n)}<\delta<o(1/n)$ and every $(\varepsilon,\delta)$-DP algorithm with
output in $\mathbb R^d$ there is a dataset with $\mathbb
E[L(\theta)-L(\theta^*)]=\Omega(\min(1,\sqrt{d\log(1/\delta)}/ (n\varepsilon))\,GC)$, $C=\|\theta^*\|_p$.""",
    uses=("theorem-3.4", "theorem-3.7"),
    expected=REFUTED,
    check=EVERY_GEOMETRY.check,
    smoke=EVERY_GEOMETRY.smoke,
    ci=EVERY_GEOMETRY.ci,
    finding=Finding(
        Weight.THEOREM,
        what=r"""The mechanism that refutes Theorem 3.7 has its outputs in $\mathbb R^d$ as well, and $C$
is at most the diameter there.""",
        favour=r"""For $\delta\ge2^{-cd}$ it follows from Theorem 3.7: CONSISTENT (`:corrected`).""",
        survives=r"""The bound with $\min(\log(1/\delta),d)$, as for Theorem 3.7.""",
        follows_from="lee2024/theorem-3.7",
    ),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Lower bound without constraint",
    statement=r"""Projection onto the cube never raises the risk of the $\ell_1$ instance, so Theorem 3.9
with $\min(\log(1/\delta),d)$ holds for outputs in $\mathbb R^d$, with
$C=\|\theta^*\|_p\ge(0.4)^{1/p}d^{1/p}$ on the datasets of its proof.""",
    expected=CONSISTENT,
    rests_on=("lee2024/theorem-3.7:corrected",),
    check=check,
    smoke=grid(n=3, d=5),
    ci=grid(n=(2, 3, 8), d=(1, 5, 40)),
)
EXTENSION = CLAIM.reading(
    "by-extension",
    title="Claimed: Theorem 3.1 is a direct consequence of Theorems 3.4 and 3.7",
    statement=r"""The step (17) of Theorem 3.4 in $\ell_1$: for convex $K$ and every $\theta$ there is
$\hat\theta\in K$ with $\|\hat\theta-y\|_1\le\|\theta-y\|_1$ for all $y\in K$.""",
    expected=REFUTED,
    check=check_extension,
    smoke=grid(d=3),
    ci=grid(d=3),
    finding=Finding(
        Weight.PROOF,
        what=r"""Theorem 3.4 is about $\ell_2$ and "with probability at least $\frac12$", Theorem 3.7 about
the expectation, Theorem 3.1 about every $\ell_p$. The step (17) has no counterpart in $\ell_1$: for
$K=\{x\in\mathbb R^3:\sum x=0,\|x\|_1\le2\}$ the point $(1,0,0)$ is within 1 of $0$, $(1,-1,0)$ and
$(1,0,-1)$, and every point of $K$ is at least $\frac43$ from one of them.""",
        favour=r"""The end of section 3.2 has another argument: projecting onto the cube does not raise the
loss $\|\theta-z\|_1$. With it, Theorem 3.1 follows from Theorem 3.9 (`:corrected`); no
risk rises under the projection at outputs inside and outside the cube, on records of every kind.""",
        survives=r"""Theorem 3.1 as far as Theorem 3.7 stands, by clipping; Theorem 3.4 is not needed.""",
    ),
)
CLAIMS = [CORRECTED, EXTENSION]
