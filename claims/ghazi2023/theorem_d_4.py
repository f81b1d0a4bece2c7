r"""Theorem D.4 (after Kamath et al. 2019): private estimation of a Gaussian mean needs n ≥ dσ/(24αε) items.

The condition on δ grows with √d/n, and a mechanism may spend all of δ at once: the mean of k = δn items
chosen at random, without noise, is (0, δ)-DP with error α² = dσ²/k. For n = 1000, k = 7, δ = 0.007, ψ² =
6.1/7 and d = 10⁷, δ is admitted (up to 0.018) and α² ≤ dσ²ψ²/6, but dσ/(24αε) is 3486 at ε = 0.1: the
conclusion n ≥ 3486 is false. The theorem is quoted from Kamath et al. (2019); the text's quotation is what is
looked at here. As ε → 0 the conclusion grows without bound, while the mechanism stays. A second way: where
100ψn/√d → 1 the inner logarithm tends to 0, and every δ ≤ 1/2 is admitted.

What the fingerprinting argument can pay is δ of the order 1/(ψn): see the proof in `_fingerprinting`, which
gives the printed conclusion with its constant 24 for δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn).

How it is checked. Printed: the admitted δ, the error and the number of users of this mechanism in closed
form, at one point and over a grid of (ε, n, d, k). Corrected: the numbers of the proof (the share that δ
costs, the mean of the largest norms from exact chi laws), and both mechanisms, the one that spends all of δ
and a Gaussian one, at the largest δ for 18 values of ψ.
"""

from __future__ import annotations

from collections.abc import Iterator

from claims import CONFIRMED, CONSISTENT, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._fingerprinting import ITEM, corrected, mechanism, printed


def check(point: Point) -> Iterator[Evidence]:
    yield from printed(ITEM, point.m)


def check_corrected(point: Point) -> Iterator[Evidence]:
    yield from corrected(ITEM, point.n, point.d, point.m, point.epsilon)


def check_mechanism(point: Point) -> Iterator[Evidence]:
    yield from mechanism(point.n, point.m, point.split(3), point.rng)


CLAIM = Claim(
    PAPER,
    "Theorem D.4",
    "appendix D.1",
    kind=Kind.LOWER_BOUND,
    title="Private means of Gaussians need dσ/(24αε) items",
    statement=r"For $\psi\in(0,1)$, $\delta\le\sqrt d/(100\psi n\sqrt{\log(100\psi n/\sqrt d)})$, an "
    r"item-level $(\varepsilon,\delta)$-DP mechanism with "
    r"$\mathbb E\|\hat\chi-\chi\|^2\le\alpha^2\le d\sigma^2\psi^2/6$ for all "
    r"$\chi\in[-\psi\sigma,\psi\sigma]^d$ has "
    r"$n\ge d\sigma/(24\alpha\varepsilon)$.",
    expected=REFUTED,
    finding=Finding(
        Weight.RANGE,
        what=(
            "The theorem is quoted from Kamath et al. (2019); what is said here is of the quotation. Its "
            "condition on δ grows with √d, but a mechanism may spend all of δ at once: the mean of 7 of "
            "1000 items at random, without noise, is (0, 0.007)-DP with error dσ²/7. At ψ² = 6.1/7 and d = "
            "10⁷ the condition admits δ up to 0.018, and dσ²/7 ≤ dσ²ψ²/6; but at ε = 0.1 the conclusion asks "
            "for n ≥ 3486, and as ε → 0 for any number. At ε = 1 the mean of 7 of 100 items breaks it (349 "
            "are asked for)."
        ),
        favour=(
            "Read for δ of the order 1/n, where such results are used, it holds: a proof with the printed "
            "constant 24 stands beside the claim, and its numbers were computed."
        ),
        survives=(
            "The theorem for δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn), which is about δ ≤ 1/(34ψn): smaller "
            "than printed by a factor √d."
        ),
    ),
    check=check,
    smoke=grid(m=1),
    ci=grid(m=1),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Private means of Gaussians need dσ/(24αε) items, for small δ",
    statement=r"The same for $\delta(\sqrt d+\sqrt{2\ln(1/\delta)}+1)\le\sqrt d/(34\psi n)$.",
    expected=CONFIRMED,
    summary="δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn), about 1/(34ψn): smaller than printed by a factor √d",
    check=check_corrected,
    smoke=grid(n=100, d=1000, m=1, epsilon=1.0),
    ci=grid(n=(2, 100, 10_000), d=(1, 100_000), m=1, epsilon=(0.01, 1.0)),
)
SPENDS = CLAIM.reading(
    "spends-delta",
    kind=Kind.PRIVACY,
    title="The mechanism that spends all of δ at once",
    statement=r"The mean of $k$ of $n$ users chosen at random is $(0,k/n)$-DP: each user is shown with "
    r"probability "
    r"$k/n$, whatever the data; its squared error on $\mathcal N(\chi,\sigma^2I)$ is $d\sigma^2/(km)$.",
    expected=CONSISTENT,
    check=check_mechanism,
    largest_resolution=0.2,
    smoke=grid(n=14, m=4.0),
    ci=grid(n=(14, 26), m=(1.0, 100.0)),
)
CLAIMS = [CORRECTED, SPENDS]
