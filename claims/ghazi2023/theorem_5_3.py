r"""Theorem 5.3: a private mechanism has excess population risk Õ((G²/μ)(d/(n²m) + 1/(nm))), for every m.

The theorem says that a mechanism exists. Algorithm 6 does not have this risk for large m
(algorithm-6-utility), and the proof uses the same users twice (theorem-5.3-proof). Both are mended by the
same reduction: one half of the users for line 3, the other half for Phased-SCO on equal batches
(theorem-5.1) inside 𝒦′ = 𝒦 ∩ B(θ₀, R′), which is then independent of them; either half has the whole
budget. With probability 1 − 2β θ*(𝒟) lies within R′ = σ₀(√d + √(2 log(1/β))) + 30G√(log(2/β))/ (μ√(nm/2))
of θ₀ (algorithm-6), and then the risk is the bound of theorem-5.1 with R′ for R and n/2 for n;
else it is at most RG ≤ 2G²/μ, with 2β = 1/(n²m). Since R′ is of the order G/μ·(K₀√d/(n√m) + 1/√(nm)), the
product is Õ((G²/μ) (√d/(n√m) + 1/√(nm))²), and (a + b)² ≤ 2a² + 2b².

How it is checked. The bound from the printed formulas, over K₀·K·T·√(log(2/β))·(G²/μ)(d/(n²m) + 1/(nm)),
for m up to 10¹³⁰, d up to 10⁴, ε down to 0.05; K₀, K·T: constants and logarithms of the two noises. As m
grows at fixed n the ratio does not.

What it does not see. No program runs: formulas are held against formulas. The ratios lie between 3·10⁻¹¹ and
0.05, the largest that is allowed, and half of them below 2·10⁻⁵: there a lost factor of a thousand
would pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023.algorithm_3 import printed_sigma
from claims.ghazi2023.theorem_5_1 import factor, proof_terms

CONSTANT = 0.05


def check(point: Point) -> Iterator[Evidence]:
    n, m, d = round(10.0**point.log10_n), 10.0**point.log10_m, point.d
    epsilon, delta = point.epsilon, point.delta
    half, beta = n // 2, 0.5 / (float(n) ** 2 * m)
    first = printed_sigma(epsilon, delta, beta, 1.0, 1.0, half, m)  # G = μ = 1
    reach = first * (math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / beta)))
    reach += 30.0 * math.sqrt(math.log(2.0 / beta) / (half * m))
    risk = reach * proof_terms(half, m, d, epsilon, delta) + 2.0 * beta * 2.0
    form = d / (float(n) ** 2 * m) + 1.0 / (n * m)
    hidden = first * half * math.sqrt(m) * factor(half, m, epsilon, delta) * math.sqrt(math.log(2.0 / beta))
    yield at_most(
        "bound of the risk over K₀·K·T·√log(2/β)·(G²/μ)(d/(n²m) + 1/(nm))", risk / form / hidden, CONSTANT
    )
    yield reported("log10 of the bound over (G²/μ)(d/(n²m) + 1/(nm))", math.log10(risk / form))


CLAIM = Claim(
    PAPER,
    "Theorem 5.3",
    "section 5.2",
    kind=Kind.BOUND,
    title="A private mechanism with the excess population risk d/(n²m) + 1/(nm)",
    statement=r"For $G$-Lipschitz $\mu$-strongly convex losses and $n\ge\tilde "
    r"O(\log(1/\delta)\log(m)/\varepsilon)$ there is an $(\varepsilon,\delta)$-DP mechanism with excess "
    r"population risk $\tilde O_\varepsilon(\frac{G^2}\mu(\frac d{n^2m}+\frac1{nm}))$: half of the users for "
    r"line 3 of Algorithm 6, half for Phased-SCO on equal batches.",
    uses=("theorem-3.1", "proposition-b.1", "theorem-5.1"),
    expected=CONFIRMED,
    summary="with users of their own for line 3 and equal batches in line 7, for every m",
    rests_on=(
        "ghazi2023/lemma-5.2:on-the-batch",
        "ghazi2023/theorem-3.1",
        "ghazi2023/proposition-b.1",
        "ghazi2023/algorithm-6",
    ),
    check=check,
    smoke=grid(log10_n=8.0, log10_m=(10.0, 60.0), d=10, epsilon=1.0, delta=0.1),
    ci=grid(
        log10_n=(6.0, 9.0, 12.0),
        log10_m=(0.0, 10.0, 100.0, 130.0),
        d=(1, 10**4),
        epsilon=(0.05, 1.0),
        delta=(1e-9, 0.5),
    ),
)
