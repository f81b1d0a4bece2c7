r"""Lemma 4.2: L(θ*ᵢ; x) − L(θ; x) ≤ (λᵢ/2)‖θ̂ᵢ₋₁ − θ‖² for all θ ∈ 𝒦, θ*ᵢ the minimiser of the regularised
loss on 𝒦ᵢ.

For the minimiser over 𝒦 it is one line. The text says that the minimiser over 𝒦ᵢ = 𝒦 ∩ B(θ̂ᵢ₋₁, Rᵢ), Rᵢ =
G/λᵢ, is the same. That is so for θ̂ᵢ₋₁ ∈ 𝒦 (the minimiser then lies within G/λᵢ of θ̂ᵢ₋₁), but Algorithm 3
does not project, and for θ̂ᵢ₋₁ ∉ 𝒦 it is false (`lemma-4.2-proof`: in the plane, with a set that θ̂ᵢ₋₁
faces at height h < R and a slope along its edge, the minimiser over 𝒦 is √(R² + h²) away).

The lemma survives where 𝒦ᵢ is not empty. Let h ≤ R be the distance of θ̂ᵢ₋₁ to 𝒦, p its projection, t = ‖θ
− θ̂ᵢ₋₁‖ > R, and q the point of the segment from p to θ at distance R. Since q ∈ 𝒦ᵢ and every point of 𝒦 is
h away, L(θ*ᵢ) ≤ L(q) + λR²/2 − λh²/2 ≤ L(θ) + λR‖θ − q‖ + λ(R² − h²)/2. Along the segment the squared
distance is h² + 2cu + u², c ≥ 0; minimising over ‖θ − q‖, the claim (λ/2)t² suffices if R − √(R² − h²) ≤ h,
which holds for 0 ≤ h ≤ R.

How it is checked. That last inequality on a fine grid. And the implementation's minimisers on random
problems in one to three dimensions, linear and quadratic, θ̂ᵢ₋₁ inside and outside 𝒦: the largest of L(θ*ᵢ)
− L(θ) − (λᵢ/2)‖θ̂ᵢ₋₁ − θ‖² over all θ ∈ 𝒦 is L(θ*ᵢ) − min_𝒦 Lᵢ, in closed form. The minimisers themselves
against random feasible points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid, reported
from claims.ghazi2023 import PAPER
from implementations.ghazi2023.feasible import Ball, contains
from implementations.ghazi2023.quadratic import Kink, Summary, regularised_minimiser


def random_problem(
    d: int, outside: bool, trials: int, rng: np.random.Generator
) -> tuple[Summary, Ball, np.ndarray, float]:
    """(users, 𝒦, θ̂ᵢ₋₁ (trials, d), λ): G = 1 on the unit ball, R = 1/λ."""
    curvature = float(rng.choice([0.0, 0.3]))
    mean = rng.normal(size=(trials, d))
    mean *= (
        (1.0 - curvature) * rng.uniform(size=(trials, 1)) ** 0.2 / np.linalg.norm(mean, axis=1, keepdims=True)
    )
    regulariser = float(rng.uniform(0.2, 4.0))
    direction = rng.normal(size=(trials, d))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    reach = (
        rng.uniform(1.0, 1.0 + 0.99 / regulariser, (trials, 1)) if outside else rng.uniform(size=(trials, 1))
    )
    users = Summary(mean, np.zeros(trials), 10, curvature, 1.0, 4.0)
    return users, Ball(np.zeros(d), 1.0), direction * reach, regulariser


def loss(users: Summary, theta: np.ndarray) -> np.ndarray:
    """L(θ; x) in each trial."""
    smooth = (users.mean * theta).sum(axis=1) + 0.5 * users.curvature * (theta**2).sum(axis=1)
    if users.kink is None:
        return smooth
    return smooth + users.kink.slope * np.sqrt(((theta - users.kink.point) ** 2).sum(axis=1))


def beaten(
    users: Summary,
    regulariser: float,
    centre: np.ndarray,
    minimiser: np.ndarray,
    ball: Ball,
    near: Ball,
    rng: np.random.Generator,
) -> float:
    """The largest Lᵢ(θ*ᵢ) − Lᵢ(q) over random feasible points q, near the minimiser and anywhere."""

    def objective(theta: np.ndarray) -> np.ndarray:
        return loss(users, theta) + 0.5 * regulariser * ((theta - centre) ** 2).sum(axis=1)

    worst = -np.inf
    for size in (1e-3, 0.03, 0.3, 2.0):
        other = minimiser + size * rng.normal(size=minimiser.shape)
        allowed = contains(other, ball, 0.0) & contains(other, near, 0.0)
        if allowed.any():
            worst = max(worst, float((objective(minimiser) - objective(other))[allowed].max()))
    return worst


def with_kink(d: int, trials: int, rng: np.random.Generator) -> tuple[float, int]:
    """The largest violation of optimality and feasibility by the minimisers of losses with a kink; how many.

    Without curvature and with θ̂ᵢ₋₁ in 𝒦 the minimiser is never cut off by the ball; slopes are so small that
    it is in 𝒦 in most trials, and the others have no closed form in two dimensions or more.
    """
    users, ball, centre, regulariser = random_problem(d, False, trials, rng)
    users = replace(users, mean=0.6 * users.mean, kink=Kink(0.4, np.full(d, 0.3)))
    near = Ball(centre, 1.0 / regulariser)
    mine = regularised_minimiser(users, regulariser, centre, [ball, near])
    there = np.isfinite(mine).all(axis=1)
    part = replace(users, mean=users.mean[there], spread=users.spread[there])
    near = Ball(centre[there], near.radius)
    feasible = contains(mine[there], ball) & contains(mine[there], near)
    excess = part.excess(mine[there], centre[there]) - (loss(part, mine[there]) - loss(part, centre[there]))
    wrong = [float((~feasible).sum()), float(np.abs(excess).max())]
    wrong += [beaten(part, regulariser, centre[there], mine[there], ball, near, rng) for _ in range(20)]
    return max(wrong), int(there.sum())


def check(point: Point) -> Iterator[Evidence]:
    worst, met = zip(*(with_kink(point.d, 200, point.rng) for _ in range(point.problems)), strict=True)
    yield at_most("Lᵢ(θ*ᵢ) − Lᵢ(q) with a kink", max(worst), 1e-9, note=f"{sum(met):,} minimisers")
    h = np.linspace(0.0, 1.0, 100_001)
    yield at_most(
        "R − √(R² − h²) − h, the largest for 0 ≤ h ≤ R = 1", float((1 - np.sqrt(1 - h**2) - h).max()), 1e-12
    )
    for place, outside in (("inside 𝒦", False), ("outside 𝒦", True)):
        worst, met, lost, order = -np.inf, 0, -np.inf, 0.0
        for _ in range(point.problems):
            users, ball, centre, regulariser = random_problem(point.d, outside, 200, point.rng)
            near = Ball(centre, 1.0 / regulariser)
            mine = regularised_minimiser(users, regulariser, centre, [ball, near])
            swapped = regularised_minimiser(users, regulariser, centre, [near, ball])
            there = np.isfinite(mine).all(axis=1)
            order = max(order, float(np.abs(mine - swapped)[there].max()))
            met += int(there.sum())
            best = regularised_minimiser(users, regulariser, centre, [ball])
            least = loss(users, best) + 0.5 * regulariser * ((best - centre) ** 2).sum(axis=1)
            feasible = contains(mine, ball) & contains(mine, near)
            worst = max(worst, float((loss(users, mine) - least)[there].max()))
            excess = users.excess(mine, centre) - (loss(users, mine) - loss(users, centre))
            order = max(order, float(np.abs(excess)[there].max()))
            lost = max(
                lost,
                float((~feasible[there]).sum()),
                beaten(users, regulariser, centre, mine, ball, near, point.rng),
            )
        words = f"L(θ*ᵢ) − L(θ) − (λ/2)‖θ̂ − θ‖², worst θ, θ̂ {place}"
        yield at_most(words, worst, 1e-9, note=f"{met:,} problems with a non-empty set")
        yield at_most(
            f"distance of the minimisers with the two sets exchanged, or of excess losses, θ̂ {place}",
            order,
            1e-8,
        )
        yield at_most(f"Lᵢ(θ*ᵢ) − Lᵢ(q), random q in 𝒦ᵢ, or minimisers outside 𝒦ᵢ, θ̂ {place}", lost, 1e-9)


def check_proof(projected: bool, point: Point) -> Iterator[Evidence]:
    worst = 0.0
    for _ in range(point.problems):
        users, ball, centre, regulariser = random_problem(point.d, not projected, 200, point.rng)
        mine = regularised_minimiser(users, regulariser, centre, [ball, Ball(centre, 1.0 / regulariser)])
        best = regularised_minimiser(users, regulariser, centre, [ball])
        worst = max(worst, float(np.nan_to_num(np.linalg.norm(mine - best, axis=1)).max()))
    yield at_most("distance of the minimisers over 𝒦ᵢ and over 𝒦", worst, 1e-8)
    yield reported("problems tried", 200 * point.problems)


CLAIM = Claim(
    PAPER,
    "Lemma 4.2",
    "section 4.1",
    kind=Kind.BOUND,
    title="What a regularised minimiser loses against any θ",
    statement=r"For $\theta\in\mathcal K$ and $\mathcal K_i\ne\emptyset$: $\mathcal L(\theta_i^*;x)-\mathcal "
    r"L(\theta;x)\le\frac{\lambda_i}2\|\hat\theta_{i-1}-\theta\|^2$, for $\theta_i^*$ the minimiser over "
    r"$\mathcal K_i$ and over $\mathcal K$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=2, problems=10),
    ci=grid(d=(1, 2, 3), problems=100),
)
PROOF = Claim(
    PAPER,
    "Lemma 4.2",
    "section 4.1, the sentence before it",
    name="lemma-4.2-proof",
    kind=Kind.IDENTITY,
    title="Claimed, before the lemma: the minimisers over 𝒦ᵢ and over 𝒦 agree",
    statement=r"$\theta^*_{\ell_i,\mathcal K_i}(x)=\theta^*_{\ell_i,\mathcal K}(x)$ for the "
    r"$\hat\theta_{i-1}$ of Algorithm 3.",
    expected=REFUTED,
    finding=Finding(
        Weight.PROOF,
        what=(
            "The minimisers over 𝒦ᵢ and over 𝒦 differ where θ̂ᵢ₋₁ lies outside 𝒦, where Algorithm 3 may "
            "put it: if 𝒦 is the half-plane y ≥ h with 0 < h < Rᵢ, θ̂ᵢ₋₁ = 0 and the loss −G·x, the "
            "minimiser over 𝒦 is (Rᵢ, h), at distance √(Rᵢ² + h²) > Rᵢ."
        ),
        favour="With θ̂ᵢ₋₁ in 𝒦, which a projection gives, the two agree.",
        survives="The lemma itself, by another argument, wherever 𝒦ᵢ is not empty.",
        follows_from="ghazi2023/algorithm-3:feasible-sets",
    ),
    check=partial(check_proof, False),
    smoke=grid(d=2, problems=5),
    ci=grid(d=(2, 3), problems=20),
)
PROOF_CORRECTED = PROOF.reading(
    "corrected",
    statement=r"$\theta^*_{\ell_i,\mathcal K_i}(x)=\theta^*_{\ell_i,\mathcal K}(x)$ for "
    r"$\hat\theta_{i-1}\in\mathcal K$.",
    expected=CONFIRMED,
    summary="for θ̂ᵢ₋₁ ∈ 𝒦",
    check=partial(check_proof, True),
)
CLAIMS = [PROOF, PROOF_CORRECTED]
