r"""Theorem 3.1: the bound of Theorem 3.9 holds for outputs in ℝᵈ, with C = ‖θ*‖ in ℓ_p.

What it adds to Theorem 3.7, on which it rests: projecting onto the cube does not raise the risk of records in
{0, ½, 1}ᵈ, so the minimiser lies there and an unconstrained algorithm is at least as bad as its projection.
That holds. C = ‖θ*‖_p is (number of ones of θ*)^{1/p}, between 0 and d^{1/p}: on the datasets of the proof
half of the columns have a majority of ones, so C differs from the diameter by 2^{−1/p}; for a dataset of
zeros it would be 0.

How it is checked. Risks by the implementation: at random outputs inside, around and far outside the cube,
before and after the projection, over datasets of every kind of record; the median is a minimiser over ℝᵈ,
against a grid that leaves the cube; and C on fingerprinting codes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audits.judge import at_least
from claims import CONSISTENT, Claim, Evidence, Kind, Point, at_most, grid
from claims.lee2024 import PAPER
from implementations.lee2024 import fingerprinting, l1_instance


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
    title="Lower bound without constraint",
    statement=r"""Projection onto the cube never raises the risk of the $\ell_1$ instance, so
Theorem 3.9 holds for
outputs in $\mathbb R^d$, with $C=\|\theta^*\|_p\ge(0.4)^{1/p}d^{1/p}$ on the datasets of its proof.""",
    expected=CONSISTENT,
    rests_on=("lee2024/theorem-3.7",),
    check=check,
    smoke=grid(n=3, d=5),
    ci=grid(n=(2, 3, 8), d=(1, 5, 40)),
)
