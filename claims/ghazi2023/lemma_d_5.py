r"""Lemma D.5: user-level private estimation of a Gaussian mean needs n ≥ dσ/(24αε√m) users.

Theorem D.4 at σ/√m by Lemma D.3, so it falls with it: the mean of 7 of 1000 users at random is (0,
0.007)-DP at user level for every m, its error is dσ²/(7m), and m cancels.

With δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn) it follows from the corrected theorem and Lemma D.3.

How it is checked. Printed: the admitted δ, the error and the number of users of this mechanism in closed
form, at one point and over a grid of (ε, n, d, k). Corrected: the numbers of the proof (the share that δ
costs, the mean of the largest norms from exact chi laws), and both mechanisms, the one that spends all of δ
and a Gaussian one, at the largest δ for 18 values of ψ.
"""

from __future__ import annotations

from claims import CONFIRMED, REFUTED, Claim, Finding, Kind, Weight, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023.theorem_d_4 import check, check_corrected

CLAIM = Claim(
    PAPER,
    "Lemma D.5",
    "appendix D.1",
    kind=Kind.LOWER_BOUND,
    title="User-level private means of Gaussians need dσ/(24αε√m) users",
    statement=r"For $\psi\in(0,1)$, $\delta\le\sqrt d/(100\psi n\sqrt{\log(100\psi n/\sqrt d)})$, a "
    r"user-level $(\varepsilon,\delta)$-DP mechanism with "
    r"$\mathbb E\|\hat\chi-\chi\|^2\le\alpha^2\le d\sigma^2\psi^2/(6m)$ for all $\chi\in[-\psi\sigma/\sqrt "
    r"m,\psi\sigma/\sqrt m]^d$ has "
    r"$n\ge d\sigma/(24\alpha\varepsilon\sqrt m)$.",
    uses=("lemma-d.3", "theorem-d.4"),
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(
            "It is Theorem D.4 at σ/√m: the mean of 7 of 1000 users at random is (0, 0.007)-DP, is admitted "
            "at d = 10⁷, and breaks the conclusion for every m."
        ),
        favour="With δ of the order 1/(ψn) it holds.",
        survives="The lemma for δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn), with the printed constant 24.",
        follows_from="ghazi2023/theorem-d.4",
    ),
    check=check,
    smoke=grid(m=64),
    ci=grid(m=(1, 64, 10**9)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="User-level private means of Gaussians need dσ/(24αε√m) users, for small δ",
    statement=r"The same for $\delta(\sqrt d+\sqrt{2\ln(1/\delta)}+1)\le\sqrt d/(34\psi n)$.",
    expected=CONFIRMED,
    rests_on=("ghazi2023/theorem-d.4:corrected", "ghazi2023/lemma-d.3"),
    summary="δ(√d + √(2 ln(1/δ)) + 1) ≤ √d/(34ψn), about 1/(34ψn): smaller than printed by a factor √d",
    check=check_corrected,
    smoke=grid(n=100, d=1000, m=64, epsilon=1.0),
    ci=grid(n=(2, 10_000), d=(1, 100_000), m=(64, 10**9), epsilon=1.0),
)
CLAIMS = [CORRECTED]
