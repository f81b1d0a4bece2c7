r"""Theorem 3.9: the bound of Theorem 3.7 holds in every ℓ_p geometry, p ≥ 1, in the form min(1,
√(d·log(1/δ))/(nε))·GC, G the ℓ_p-Lipschitz constant of ‖θ − z‖₁ and C the ℓ_p-diameter of the domain.

What it adds to Theorem 3.7, on which it rests, is G·C = d for every p: G = d^{1−1/p}, C = d^{1/p} for the
cube [0, 1]ᵈ. That holds. (For the unit ℓ_∞ ball [−1, 1]ᵈ, which the text also names, C is twice that.)

How it is checked. G from both sides: the quotient at the direction of ones reaches d^{1−1/p}, random and
sparse directions do not exceed it, losses by the implementation; C at opposite corners, and random pairs
of points below."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from implementations.lee2024 import l1_instance


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(19)
    d = point.d
    p = np.inf if point.p == "inf" else float(point.p)
    inverse = 0.0 if np.isinf(p) else 1.0 / p
    g, c = d ** (1.0 - inverse), d**inverse
    z = rng.integers(0, 2, (1, d)).astype(float)

    def quotient(direction: np.ndarray) -> float:
        step = z[0] + direction
        rise = l1_instance.risk(step, z) - l1_instance.risk(z[0], z)
        return float(rise / np.linalg.norm(direction, p))

    yield equals("ℓ_p-Lipschitz constant", quotient(np.ones(d)), g, point=point.axes)
    sparse = [np.eye(d)[0], *(rng.standard_normal((200, d)) * (rng.random((200, d)) < 0.3) + 1e-6)]
    yield at_most(
        "largest other quotient", max(quotient(v) for v in sparse), g * (1.0 + 1e-12), point=point.axes
    )
    yield equals("ℓ_p-diameter of the cube", float(np.linalg.norm(np.ones(d), p)), c, point=point.axes)
    pairs = rng.random((200, d)) - rng.random((200, d))
    yield at_most("largest ℓ_p-distance in the cube", float(np.linalg.norm(pairs, p, axis=1).max()), c)
    both = quotient(np.ones(d)) * float(np.linalg.norm(np.ones(d), p))
    yield equals("G·C", both, float(d), error=1e-9 * d, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Theorem 3.9",
    "section 3.2",
    kind=Kind.LOWER_BOUND,
    title="Lower bound in every geometry",
    statement=r"""For every $p\ge1$ the loss $\|\theta-z\|_1$ is $d^{1-1/p}$-Lipschitz and the cube
has diameter
$d^{1/p}$ in $\ell_p$, so $GC=d$ and Theorem 3.7 carries over.""",
    expected=CONSISTENT,
    rests_on=("lee2024/theorem-3.7",),
    check=check,
    smoke=grid(d=(1, 7), p=("1", "2")),
    ci=grid(d=(1, 2, 7, 100), p=("1", "1.5", "2", "4", "inf")),
)
