r"""Lemma 3.8: sums of m of N vectors that add up to zero, drawn without replacement, concentrate with
constant 5.

For vectors of norm at most G with sum zero and β < 1/e, P(‖Σ_{j≤m} v_π(j)‖ > 5G√(m log(1/β))) ≤ β. The proof:
E‖Σ‖² = m(N − m)/(N(N − 1))·Σ‖vᵢ‖² ≤ mG², so E‖Σ‖ ≤ √m·G; exchanging a chosen entry with one that is not
chosen changes ‖Σ‖ by at most 2G, any other exchange by nothing, so Proposition A.1 applies with Σc² = m(N −
m)·4G²; t = 4G√(m log(1/β)) gives the tail exp(−N·t²/(16m(N − m)G²)) ≤ β, and √m·G ≤ G√(m log(1/β)) for β ≤
1/e. Each of these steps is an inequality between numbers, for all vectors at once, given Proposition A.1.

How much is needed: the largest constant over the exact laws below is about 1.47 (m = 3, N large: three
equal signs), and √2 as m and N/m grow; 5 is more than three times too large. With 1 for the 4 of
Proposition A.1, which its proof gives (proposition-a.1), t = 2G√(m log(1/β)) has the same tail,
and 3 is enough for 5; so it is in Theorem 3.6.

How it is checked. The steps of the proof on a grid of (N, m, β) with the corners m = 1, N − 1, N; E‖Σ‖² by
enumeration; and the smallest constant that the exact law needs (all m-subsets of small sets of vectors in ℝᵈ;
hypergeometric laws of two values for N up to 10⁵) against 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023._tails import needed_constant, sign_sums, subset_norms, vector_families

CONSTANT = 5.0


def proof_steps(of_a_1: float = 4.0, constant: float = CONSTANT) -> tuple[float, float]:
    """The largest of (t + √m·G)/(constant·G√(m log(1/β))) and of the tail of Proposition A.1 over β.

    of_a_1  the constant of Proposition A.1, 4 as printed; t = (constant − 1)·G√(m log(1/β)).
    """
    threshold, tail = 0.0, 0.0
    for beta in (*np.geomspace(1e-30, 0.3, 200), 1.0 / math.e - 1e-9):
        level = math.log(1.0 / beta)
        for total in (2, 3, 10, 1000):
            for m in {1, total // 2, total - 1}:
                t = (constant - 1.0) * math.sqrt(m * level)
                threshold = max(threshold, (t + math.sqrt(m)) / (constant * math.sqrt(m * level)))
                squares = m * (total - m) * 4.0  # Σ c² over the pairs of a chosen and another entry, G = 1
                tail = max(tail, math.exp(-total * t**2 / (of_a_1 * squares)) / beta)
    return threshold, tail


def check(point: Point) -> Iterator[Evidence]:
    threshold, tail = proof_steps()
    yield at_most("(t + √m·G)/(5G√(m log(1/β))), the largest", threshold, 1.0, note="given Proposition A.1")
    yield at_most("tail of Proposition A.1 over β, the largest", tail, 1.0, note="given Proposition A.1")
    sharper = max(proof_steps(of_a_1=1.0, constant=3.0))
    yield at_most("the same two with 1 for the 4 of Proposition A.1 and 3 for 5", sharper, 1.0, decides=False)
    worst, moment = 0.0, 0.0
    for d in (1, 2, 4):
        for vectors in vector_families(point.vectors, d, point.rng):
            for m in range(1, point.vectors + 1):
                norms, probabilities = subset_norms(vectors, m)
                moment = max(moment, float((norms**2 * probabilities).sum()) / m)
                worst = max(worst, needed_constant(norms, probabilities, math.sqrt(m)))
    yield at_most("E‖Σ‖²/(mG²) by enumeration, the largest", moment, 1.0, decides=False)
    signs = max(
        needed_constant(
            *sign_sums(total, max(1, round(share * total)), m), max(share, 1 - share) * math.sqrt(m)
        )
        for total in (20, 1000, 100_000)
        for share in (0.5, 0.3, 0.05)
        for m in (1, 2, 3, 4, 5, 7, 10, 17)
    )
    yield at_most("constant that the enumerated vectors need", worst, CONSTANT, decides=False)
    yield at_most("constant that two-valued items need", signs, CONSTANT, decides=False)
    yield reported("smallest constant consistent with all exact laws", max(worst, signs), claimed=CONSTANT)


CLAIM = Claim(
    PAPER,
    "Lemma 3.8",
    "section 3.2, appendix A",
    kind=Kind.BOUND,
    title="Sums of randomly permuted vectors, constant 5",
    statement=r"For $v_1,\dots,v_N\in\mathbb R^d$ with $\sum v_i=0$, $\|v_i\|\le G$, $\beta<1/e$ and a "
    r"random permutation: $\Pr[\|\sum_{j\le m}v_{\pi(j)}\|>5G\sqrt{m\log(1/\beta)}]\le\beta$.",
    uses=("proposition-a.1",),
    expected=CONFIRMED,
    summary="and with 3 for 5, by Proposition A.1 with 1 for 4",
    rests_on=("ghazi2023/proposition-a.1",),
    check=check,
    smoke=grid(vectors=6),
    ci=grid(vectors=(4, 6, 9, 12)),
)
