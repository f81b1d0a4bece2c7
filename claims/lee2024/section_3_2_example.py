r"""Section 3.2, example: if half of the records are 1 = (1, …, 1) and half are 0, then L(θ; D) = d/2 for
every θ in K, so an estimator far from the mean can be a minimiser, and a lower bound for mean estimation
gives none for the risk.

It holds on the cube K = [0, 1]ᵈ: a coordinate costs ½(|θ_j| + |1 − θ_j|) = ½. The section calls K the ℓ_∞
unit ball, and introduces the records as points of {−1, 1}ᵈ before it takes them from {0, 1}ᵈ; its last
paragraph takes the cube, which is meant.

How it is checked. By the implementation of the instance: the spread of the risk over random points and
corners of K, for n up to 40 records, and the distance of the corners from the mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from implementations.lee2024 import l1_instance


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(53)
    n, d = point.n, point.d
    data = np.concatenate([np.ones((n // 2, d)), np.zeros((n // 2, d))])
    corners = rng.choice([0.0, 1.0], (50, d))
    theta = np.concatenate([rng.random((200, d)), corners, np.zeros((1, d))])
    away = float(np.abs(l1_instance.risk(theta, data) - d / 2.0).max())
    yield at_most("largest |L(θ; D) − d/2| over K", away, 1e-12 * d, point=point.axes)
    distance = float(np.linalg.norm(corners[0] - data.mean(axis=0)))
    half = float(np.sqrt(d)) / 2.0
    yield equals("distance of a corner from the mean", distance, half, error=1e-12 * d, point=point.axes)
    excess = float(l1_instance.excess_risk(theta, data).max())
    yield at_most("largest excess risk over K", excess, 1e-12 * d, point=point.axes)
    below = float(l1_instance.risk(np.full((1, d), -1.0), data)[0])
    yield equals("L(θ; D) at θ = −1, outside the cube", below, 1.5 * d)


CLAIM = Claim(
    PAPER,
    "Section 3.2, example",
    "section 3.2",
    name="section-3.2-example",
    kind=Kind.IDENTITY,
    title="Mean estimation and risk are different",
    statement=r"""For as many records $(1,\dots,1)$ as $(0,\dots,0)$ and $\ell(\theta;z)=\|\theta-z\|_1$:
$L(\theta;D)=d/2$ for every $\theta\in K=[0,1]^d$, also at corners whose distance from the mean is $\sqrt
d/2$.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=(2, 10), d=3),
    ci=grid(n=(2, 10, 40), d=(1, 3, 20)),
    summary=r"Holds on the cube $[0,1]^d$.",
)
