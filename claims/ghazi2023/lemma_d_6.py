r"""Lemma D.6: the same for truncated Gaussians, n ≥ dσ/(50αε√m) users.

For B > ψσ√d/√m + 100√d·σ truncation changes a sample with probability below e^{−4800d} (Lemma D.2), so the
mechanism that shows k of n users breaks this lemma as well: k = 13, n = 1000, δ = 0.013, d = 10⁷, ε = 0.1.

With δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn) it follows from Lemma D.5: a mechanism for truncated samples
becomes one for Gaussian samples by truncating them first, α grows by η = ‖χᵗʳ − χ‖ ≤ ‖χ‖e^{−4800d}, and for
α ≥ η the constant 24 becomes at most 48 < 50 (33.6 for η ≤ 0.4α); (α + η)² ≤ dσ²ψ²/(6m) follows from α² ≤
dσ²ψ²/(12m) for η ≤ 0.4α.

How it is checked. Printed: the admitted δ, the error and the number of users of this mechanism in closed
form, at one point and over a grid of (ε, n, d, k). Corrected: the numbers of the proof (the share that δ
costs, the mean of the largest norms from exact chi laws), and both mechanisms, the one that spends all of δ
and a Gaussian one, at the largest δ for 18 values of ψ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_least, at_most, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._fingerprinting import ITEM, TRUNCATED, corrected, printed


def check(point: Point) -> Iterator[Evidence]:
    yield from printed(TRUNCATED, point.m)


def check_corrected(point: Point) -> Iterator[Evidence]:
    yield from corrected(TRUNCATED, point.n, point.d, point.m, point.epsilon)
    # from Lemma D.5 with α + η for α, η ≤ 0.4α what truncation moves
    alpha = math.sqrt(point.d / (TRUNCATED.cap * point.m))
    gaussian = 1.4 * alpha
    yield at_most("(α + η)² over dσ²ψ²/(6m), ψ = 1", gaussian**2 * ITEM.cap * point.m / point.d, 1.0)
    asked = point.d / (ITEM.factor * gaussian * point.epsilon * math.sqrt(point.m))
    stated = point.d / (TRUNCATED.factor * alpha * point.epsilon * math.sqrt(point.m))
    yield at_least("users that Lemma D.5 asks for at α + η over those stated at α", asked / stated, 1.0)


CLAIM = Claim(
    PAPER,
    "Lemma D.6",
    "appendix D.1",
    kind=Kind.LOWER_BOUND,
    title="User-level private means of truncated Gaussians need dσ/(50αε√m) users",
    statement=r"For $\delta\le\sqrt d/(100\psi n\sqrt{\log(100\psi n/\sqrt d)})$, "
    r"$B>\psi\sigma\sqrt{d/m}+100\sqrt d\sigma$, a user-level $(\varepsilon,\delta)$-DP mechanism "
    r"on $\mathcal N^{\mathrm{tr}}(\chi,\sigma^2I;B)$ with $\mathbb "
    r"E\|\hat\chi-\chi^{\mathrm{tr}}\|^2\le\alpha^2\le d\sigma^2\psi^2/(12m)$ "
    r"has $n\ge d\sigma/(50\alpha\varepsilon\sqrt m)$.",
    uses=("lemma-d.2", "lemma-d.5"),
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(
            "It follows from Lemma D.5 and falls with it: the mean of 13 of 1000 users at random is "
            "(0, 0.013)-DP, is admitted at d = 10⁷, and breaks the conclusion at ε = 0.1."
        ),
        favour="With δ of the order 1/(ψn) it holds.",
        survives="The lemma for δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn), with the printed constant 50.",
        follows_from="ghazi2023/theorem-d.4",
    ),
    check=check,
    smoke=grid(m=64),
    ci=grid(m=(1, 64)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="User-level private means of truncated Gaussians need dσ/(50αε√m) users, for small δ",
    statement=r"The same for $\delta(\sqrt d+\sqrt{2\ln(1/\delta)}+1)\le\sqrt d/(34\psi n)$ and "
    r"$\alpha\ge2.5\|\chi^{\mathrm{tr}}-\chi\|$.",
    expected=CONFIRMED,
    rests_on=("ghazi2023/lemma-d.5:corrected", "ghazi2023/lemma-d.2"),
    summary="δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn), about 1/(34ψn): smaller than printed by a factor √d",
    check=check_corrected,
    smoke=grid(n=100, d=1000, m=64, epsilon=1.0),
    ci=grid(n=(2, 10_000), d=(1, 100_000), m=64, epsilon=1.0),
)
CLAIMS = [CORRECTED]
