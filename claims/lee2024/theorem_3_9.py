r"""Theorem 3.9: the bound of Theorem 3.7 holds in every ℓ_p geometry, p ≥ 1, in the form min(1,
√(d·log(1/δ))/(nε))·GC, G the ℓ_p-Lipschitz constant of ‖θ − z‖₁ and C the ℓ_p-diameter of the domain.

What it adds to Theorem 3.7 is G·C = d for every p: G = d^{1−1/p}, C = d^{1/p} for the cube [0, 1]ᵈ. That
holds. (For the unit ℓ_∞ ball [−1, 1]ᵈ, which the text also names, C is twice that.) So it falls where Theorem
3.7 falls, and stands where that stands (`:corrected`).

How it is checked. The printed form, with the G·C that the program of the loss shows, against the proven
bound of the pure mechanism of Theorem 3.7. `:corrected`: G from both sides: the quotient at the direction
of ones reaches d^{1−1/p}, random and sparse directions do not exceed it; C at opposite corners, and random
pairs of points below."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audits.judge import at_least
from claims import CONSISTENT, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, equals, grid
from claims.lee2024 import PAPER
from claims.lee2024.theorem_3_7 import CONSTANT, form, pure_bound
from implementations.lee2024 import l1_instance


def quotient(direction: np.ndarray, p: float) -> float:
    """(ℓ(z + v) − ℓ(z))/‖v‖_p at the record z = 0."""
    zero = np.zeros((1, direction.size))
    rise = l1_instance.risk(direction, zero) - l1_instance.risk(zero[0], zero)
    return float(rise / np.linalg.norm(direction, p))


def check_printed(point: Point) -> Iterator[Evidence]:
    n, d, epsilon, p = float(point.n), point.d, point.epsilon, float(point.p)
    both = quotient(np.ones(d), p) * float(np.linalg.norm(np.ones(d), p))
    claimed = CONSTANT * form(n, d, epsilon, n**0.9 * np.log(2.0)) * both / d
    yield at_least(
        "bound of the pure mechanism over the printed bound", pure_bound(n, d, epsilon) / claimed, 1.0
    )


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(19)
    d, p = point.d, float(point.p)
    inverse = 0.0 if np.isinf(p) else 1.0 / p
    g, c = d ** (1.0 - inverse), d**inverse
    yield equals("ℓ_p-Lipschitz constant", quotient(np.ones(d), p), g, point=point.axes)
    sparse = [np.eye(d)[0], *(rng.standard_normal((200, d)) * (rng.random((200, d)) < 0.3) + 1e-6)]
    largest = max(quotient(v, p) for v in sparse)
    yield at_most("largest other quotient", largest, g * (1.0 + 1e-12), point=point.axes)
    yield equals("ℓ_p-diameter of the cube", float(np.linalg.norm(np.ones(d), p)), c, point=point.axes)
    pairs = rng.random((200, d)) - rng.random((200, d))
    yield at_most("largest ℓ_p-distance in the cube", float(np.linalg.norm(pairs, p, axis=1).max()), c)


CLAIM = Claim(
    PAPER,
    "Theorem 3.9",
    "section 3.2",
    kind=Kind.LOWER_BOUND,
    title="Claimed: lower bound in every geometry, for every small δ",
    statement=r"""For every $p\ge1$, $2^{-o(n)}<\delta<o(1/n)$ and every $(\varepsilon,\delta)$-DP
algorithm there is a dataset with $\mathbb
E[L(\theta)-L(\theta^*)]=\Omega(\min(1,\sqrt{d\log(1/\delta)}/(n\varepsilon))\,GC)$, $G$ and $C$ in
$\ell_p$.""",
    uses=("theorem-3.7",),
    expected=REFUTED,
    check=check_printed,
    smoke=grid(n=1e12, d=100, epsilon=0.5, p=("1", "inf")),
    ci=grid(n=(1e12, 1e20), d=100, epsilon=0.5, p=("1", "2", "inf")),
    finding=Finding(
        Weight.THEOREM,
        what=r"""$GC=d$ for every $p$, so that the counterexample to Theorem 3.7 serves here.""",
        favour=r"""For $\delta\ge2^{-cd}$ it follows from Theorem 3.7: CONSISTENT (`:corrected`).""",
        survives=r"""The bound with $\min(\log(1/\delta),d)$, as for Theorem 3.7.""",
        follows_from="lee2024/theorem-3.7",
    ),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Lower bound in every geometry",
    statement=r"""For every $p\ge1$ the loss $\|\theta-z\|_1$ is $d^{1-1/p}$-Lipschitz and the cube has
diameter $d^{1/p}$ in $\ell_p$, so $GC=d$, and Theorem 3.7 with $\min(\log(1/\delta),d)$ carries over.""",
    expected=CONSISTENT,
    rests_on=("lee2024/theorem-3.7:corrected",),
    check=check,
    smoke=grid(d=(1, 7), p=("1", "2")),
    ci=grid(d=(1, 2, 7, 100), p=("1", "1.5", "2", "4", "inf")),
)
CLAIMS = [CORRECTED]
