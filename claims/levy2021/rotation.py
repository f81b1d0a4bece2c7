r"""Algorithm 2, rotation: what the random rotation is for, and the dimension from which it pays.

Algorithm 2 flips signs at random and applies a Hadamard matrix, so that two users at distance 2τ differ by
2τ/√d·√(log) in every coordinate with high probability, whatever their direction; then τ′ = 10τ√(log(dn/γ)/d)
will do for the radius of a coordinate (Levy et al. 2021, section 3).

What an algorithm without it does. With the same radius and no rotation, users who differ along one axis keep
their whole distance 2τ in one coordinate. Let 60 % of them sit at the right edge of a bin and 40 % lie 2τ to
the right. The interval ends τ′ to the right of the edge, and the mean is off by 0.4·(2τ − τ′) as soon as τ′ <
2τ, which is d > 25·log(dn/γ). With the Hadamard matrix and no random signs the same happens along (1, …,
1)/√d, which the matrix sends to an axis. So Theorem 2 needs both; at d = 1024, ε = 8·log(1/δ) the error would
be 0.26τ, three and a half standard deviations of the noise.

What it is worth. Without a rotation a coordinate needs the radius τ, and the noise is τ/τ′ times as large or
as small: the rotation lowers the variance by the factor d/(100·log(dn/γ)), so that it *raises* it for d <
100·log(dn/γ), about 2,000 (with the constants of the union bound in place of 10: d < 2·log(2dn/γ), about 32).

How it is checked. By sampling Algorithm 2 at d = 1024 on both directions: Theorem 2 says that the output is
β-close to a law symmetric about the mean, so it falls below the mean along the direction with a probability
between ½ − β and ½ + β (binomial limits). The factor exactly, from the plan of the implementation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import equals, mean_at_least, mean_at_most, reported
from claims import CONSISTENT, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.levy2021 import PAPER
from implementations.levy2021 import winsorized_mean_highd
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.private_range import bins_for
from implementations.privacy import PrivacyBudget

DELTA, GAMMA, BOUND = 1e-12, 0.01, 8.0
EPSILON = 8.0 * math.log(1.0 / DELTA)
"""The largest ε for which Algorithm 2 is private (theorem-2-privacy)."""
MAJORITY = 0.6
WITHOUT_ROTATION = 0.995
"""P(below the mean) of the algorithm without rotation: 1 − ½e^{−x}, with an error of x = 4.8 noise scales."""


def plan_of(n: int, d: int, constants: str = "paper") -> winsorized_mean_highd.Plan:
    return winsorized_mean_highd.highd_plan(
        n, d, EPSILON, DELTA, 1.0, BOUND, GAMMA, "tuned" if constants == "tuned" else "paper"
    )


def below_the_mean(point: Point) -> np.ndarray:
    """Whether each output of Algorithm 2 lies below the mean along the direction of the data (trials,)."""
    n, d = point.n, point.d
    plan = plan_of(n, d)
    bins = bins_for(plan.tau, plan.bound * (1.0 + 1e-9), plan.constants)
    edge = (bins.shift - 0.5) * bins.width - 1e-6  # between the bins −1 and 0
    place = np.where(np.arange(n) < MAJORITY * n, edge, edge + 2.0)
    direction = np.eye(d)[0] if point.direction == "axis" else np.ones(d) / math.sqrt(d)
    data = place[:, None] * direction
    found = []
    for _ in range(point.trials):
        output = winsorized_mean_highd.winsorized_mean_highd(
            data, PrivacyBudget(EPSILON, DELTA), Concentration(1.0, BOUND, GAMMA), point.rng
        )
        found.append(float(output @ direction) < place.mean())
    return np.array(found, dtype=float)


def printed_beta(n: int, d: int) -> float:
    root = math.sqrt(d * math.log(1.0 / DELTA))
    return 2.0 * GAMMA + d**2 * BOUND * math.exp(-n * EPSILON / (24.0 * root))


def check(point: Point) -> Iterator[Evidence]:
    if "direction" in point:
        below, beta = below_the_mean(point), printed_beta(point.n, point.d)
        sides = ((mean_at_most, 0.5 + beta), (mean_at_least, 0.5 - beta))
        for (judged, claimed), alpha in zip(sides, point.split(2), strict=True):
            quantity = "P(below the mean, along the direction)"
            yield judged(quantity, below, claimed, alpha=alpha, method="clopper-pearson")
        return
    n, d = point.n, point.d
    factor = plan_of(n, d).tau ** 2
    claimed = 100.0 * math.log(d * n / GAMMA) / d
    yield equals("variance with the rotation over that without", factor, claimed)
    yield reported("the same with tuned constants", plan_of(n, d, "tuned").tau ** 2)
    if d == 1:
        for constants in ("paper", "tuned"):
            least = next(2**k for k in range(20) if plan_of(n, 2**k, constants).tau <= 1.0)
            yield reported(f"least d (power of two) from which the rotation helps, {constants}", least)


EXACT = grid(n=(100, 10_000, 1_000_000), d=(1, 16, 256, 1024, 2048, 16_384))
SAMPLED = grid(n=420, d=1024, direction=("axis", "all ones"))

CLAIM = Claim(
    PAPER,
    "Algorithm 2",
    "section 3",
    name="rotation",
    kind=Kind.BOUND,
    title="What the random rotation of Algorithm 2 is for, and from which d it pays",
    statement=r"Whatever the direction in which users at distance $2\tau$ differ, the output of Algorithm 2 "
    r"is $\beta$-close to a law symmetric about $\bar X$ (Theorem 2). The rotation multiplies the variance "
    r"by $100\log(dn/\gamma)/d$.",
    expected=CONSISTENT,
    summary="with the printed constants the rotation pays from d ≈ 100·log(dn/γ) ≈ 2,000 on, and raises the "
    "variance below; with those of the union bound from d ≈ 32 on",
    check=check,
    smoke=Tier([*SAMPLED[1:], *EXACT[:2]], trials=30),
    ci=Tier([*SAMPLED, *EXACT], trials=60),
    largest_resolution=WITHOUT_ROTATION - 0.52,
    plots=[
        Plot(
            kind="curve",
            title="Variance with the rotation over that without",
            x="d",
            y="value",
            x_label="dimension d",
            y_label="factor",
            series="n",
            log_x=True,
            log_y=True,
            select={"quantity": "variance with the rotation over that without"},
        )
    ],
)
