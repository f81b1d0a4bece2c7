r"""Theorem D.8: private strongly convex ERM has excess empirical risk Ω((G²/μ)·d/(ε²n²m)) for √d/ε ≤ n ≤
cd/ε².

The text prints "cd/ε² ≤ n ≥ √d/ε"; the remark after it and the proof need n ≤ cd/ε², which is read here. It
falls as Theorem D.7 does: δ = 1/2 is admitted for d ≥ 10⁴n√log n, and the minimiser θ_k on k = n/2 users at
random is (0, 1/2)-DP. For every loss and 𝒟 its excess empirical risk is at most 8G²/(μnm): the k users and
the other n − k split the empirical risk, E L(θ_k; rest) = E L(θ_k; 𝒟) ≤ L(θ*; 𝒟) + 4G²/(μkm), L(θ_k; own) ≤
L(θ*; own), and E L(θ*(x); x) ≥ L(θ*; 𝒟) − 4G²/(μnm) (stability of the minimiser, Shalev-Shwartz et al.
2009); so (1 − k/n)·4/(km) + 4/(nm). At d = n², ε = 1 the theorem asks for c·G²/(μm).

By the letter, n ≥ cd/ε², the bound is at most (c′/c)·G²/(μnm) with two hidden constants, and nothing that
is computed here contradicts it for every choice of them: `:by-the-letter` stays open.

What survives. For δ as in theorem-d.7:corrected the text's own steps give the bound from that theorem;
nothing more is checked here.

How it is checked. For constants down to 10⁻⁹, n so large that the risk of that mechanism lies below the
claimed one, with every hypothesis evaluated; its share of the risk by the exact law on Gaussian data
(squared loss: E‖mean of k − mean of n‖² = (1/k − 1/n)·dσ²/m) as a check of the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import (
    INCONCLUSIVE,
    REFUTED,
    Claim,
    Evidence,
    Finding,
    Kind,
    Point,
    Weight,
    at_least,
    grid,
    undecided,
)
from claims.ghazi2023 import PAPER
from claims.ghazi2023.theorem_d_7 import printed_delta
from implementations.ghazi2023 import hard_instances


def check(point: Point) -> Iterator[Evidence]:
    n = math.ceil(max(1e6, 100.0 / point.constant))
    d, m, delta = float(n) ** 2, 10.0, 0.5
    where = {"n": float(n), "d": d, "constant": point.constant}
    admitted = math.sqrt(d) <= n and delta <= printed_delta(n, d) and n <= point.constant * d
    shown = hard_instances.shown_users(n, delta)
    if not (admitted and shown <= delta * n):
        yield undecided("the mechanism is not admitted", delta, "it breaks a hypothesis", point=where)
        return
    risk = (1.0 - shown / n) * 4.0 / (shown * m) + 4.0 / (n * m)  # in units of G²/μ
    claimed = point.constant * d / (float(n) ** 2 * m)
    note = f"the minimiser on {shown} of {n} users without noise is (0, 1/2)-DP; any loss, any distribution"
    yield at_least("bound of its excess empirical risk, in G²/μ", risk, claimed, point=where, note=note)


def by_the_letter(point: Point) -> Iterator[Evidence]:
    why = "both the c of the range and that of the bound are hidden: n ≥ cd/ε² leaves only (c′/c)·G²/(μnm)"
    yield undecided("risk of showing half of the users over G²/(μnm)", 8.0, why, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Theorem D.8",
    "appendix D.2",
    kind=Kind.LOWER_BOUND,
    title="Lower bound for private strongly convex ERM",
    statement=r"For some $c>0$ and all large $d,n,m$ with $\sqrt d/\varepsilon\le n\le cd/\varepsilon^2$, "
    r"$\delta\le\sqrt d/(200\sqrt{n\sqrt{\log n}})$: for some $\mu$-strongly convex $G$-Lipschitz loss every "
    r"$(\varepsilon,\delta)$-DP algorithm has excess empirical risk at least "
    r"$c\frac{G^2}\mu\frac d{\varepsilon^2n^2m}$ on some $\mathcal D$.",
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(
            "as Theorem D.7; for δ of the order 1/n it follows from theorem-d.7:corrected by the text's "
            "own steps"
        ),
        favour="",
        survives="",
    ),
    check=check,
    smoke=grid(constant=(1.0, 1e-6)),
    ci=grid(constant=(1.0, 1e-3, 1e-6, 1e-9)),
)
LETTER = CLAIM.reading(
    "by-the-letter",
    title="Lower bound for private strongly convex ERM, n ≥ cd/ε² as printed",
    statement=r"The same for $cd/\varepsilon^2\le n$ and $n\ge\sqrt d/\varepsilon$, as printed.",
    expected=INCONCLUSIVE,
    summary="two hidden constants; neither refuted nor shown here",
    check=by_the_letter,
    smoke=grid(epsilon=1.0),
    ci=grid(epsilon=1.0),
)
CLAIMS = [LETTER]
