r"""Theorem 3.4: a lower bound for constrained private optimisation carries over to ℝᵈ with the extended
losses.

The proof has three steps: min L̃ over ℝᵈ equals min L over K (15); the projection onto K keeps privacy;
and L̃(θ; D) ≥ L̃(Π_K θ; D) (17), by Lemma B.3, ‖Π_K(y) − z‖ ≤ ‖y − z‖ for z in K. All three hold. Between
the lines: K is a convex set of diameter C in Definition 3.3 and the ball of radius C, of diameter 2C, in
the proof; that costs a factor of 2 in f at most.

How it is checked. For the linear losses of equation (9) on the unit ball, d up to 8, datasets of 1 to 40
records of norm at most 1: (17) at points of all sizes, and (15) against the minimum −‖mean z‖ over the
ball, from both sides (a descent over directions and norms cannot get below it, and the minimiser reaches
it).

What it does not see. Only linear losses and the unit ball about 0 are tried: another set K, or losses that
bend, could fail unseen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from claims.lee2024.lemma_3_2 import points_around
from implementations import domains
from implementations.lee2024 import lipschitz_extension


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(3)
    d, n = point.d, point.n
    ball = domains.ball(1.0)
    for same in (True, False):
        records = rng.standard_normal((1 if same else n, d))
        records /= np.maximum(np.linalg.norm(records, axis=1, keepdims=True), 1e-12)
        if not same:
            records *= rng.choice([0.0, 0.4, 1.0], (n, 1))  # zero vectors, as in Lemma D.1, and short ones

        def risk(theta: np.ndarray, records: np.ndarray = records) -> np.ndarray:
            losses = [lambda x, z=z: lipschitz_extension.linear_on_ball(x, z) for z in records]
            return lipschitz_extension.extended_risk(losses, theta)

        theta = points_around(d, point.points, rng)
        projected = lipschitz_extension.unconstrained_reduction(theta, ball)
        place = {**point.axes, "records": "one" if same else "random"}
        nearest = theta / np.maximum(np.linalg.norm(theta, axis=1, keepdims=True), 1.0)
        yield equals(
            "largest error of the projection", float(np.abs(projected - nearest).max()), 0.0, error=1e-12
        )
        yield at_most(
            "largest L̃(Π θ) − L̃(θ)", float((risk(projected) - risk(theta)).max()), 1e-9, point=place
        )
        centre = records.mean(axis=0)
        least = -float(np.linalg.norm(centre))
        yield at_most("min over K − least L̃ found", least - float(risk(theta).min()), 1e-9, point=place)
        if least < -1e-9:
            best = float(risk((centre / np.linalg.norm(centre))[None])[0])
            yield equals("L̃ at the minimiser over K", best, least, error=1e-12, point=place)


CLAIM = Claim(
    PAPER,
    "Theorem 3.4",
    "section 3.1",
    kind=Kind.LOWER_BOUND,
    title="From unconstrained to constrained",
    statement=r"""With the extended losses, $\min_{\mathbb R^d}\tilde L=\min_KL$ and $\tilde L(\theta;D)\ge
\tilde L(\Pi_K\theta;D)$ for every $\theta$: so every lower bound over $K$ holds over $\mathbb R^d$.""",
    uses=("lemma-3.2", "lemma-b.3"),
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(2, 5), n=10, points=300),
    ci=grid(d=(1, 2, 3, 8), n=(3, 40), points=600),
)
