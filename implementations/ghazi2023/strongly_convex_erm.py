"""Strongly-Convex-ERM (Algorithm 5): half of the budget finds a small ball, half optimises in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from implementations.checks import positive, probability
from implementations.ghazi2023 import sc_output_pert
from implementations.ghazi2023.feasible import Ball, project
from implementations.ghazi2023.phased_erm import phased_erm, printed_regulariser
from implementations.ghazi2023.phases import Phase
from implementations.ghazi2023.quadratic import Summary, regularised_minimiser
from implementations.ghazi2023.reading import PRINTED, Guarantee, Reading, Variant
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Localised:
    """θ₀ (trials, d), its noise σ, the radius R′, and the phases that follow; the answer is the last θ̂."""

    first: Array
    sigma: float
    radius: float
    phases: tuple[Phase, ...]

    @property
    def theta(self) -> Array:
        return self.phases[-1].theta


def noise_radius(sigma: float, d: int, beta: float, variant: Variant) -> float:
    """What R′ allows for Gaussian noise in ℝᵈ.

    "printed"    σ·√(d·log(1/β)) (line 4), without the C of the proof: too small at d = 1.
    "corrected"  σ·(√d + √(2·log(1/β))): P(‖e‖ > R′) ≤ β by Gaussian concentration of the norm.
    """
    positive(sigma=sigma, d=d)
    probability(beta=beta)
    if variant == "printed":
        return sigma * math.sqrt(d * math.log(1.0 / beta))
    return sigma * (math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / beta)))


def localise(
    users: Summary,
    domain: Sequence[Ball],
    start: Array,
    guarantee: Guarantee,
    rng: np.random.Generator,
    *,
    reading: Reading,
) -> tuple[Array, float]:
    """Line 3 of Algorithms 5 and 6: (θ₀ (trials, d), σ) with this (ε, δ) and β. Needs a curvature μ > 0."""
    positive(curvature=users.curvature)
    p = sc_output_pert.parameters(
        guarantee.epsilon,
        guarantee.delta,
        guarantee.beta,
        users.lipschitz,
        users.curvature,
        users.n,
        users.m,
        reading.target,
    )
    minimiser = regularised_minimiser(users, 0.0, start, domain)
    theta, _ = sc_output_pert.sc_output_pert(
        minimiser,
        users.spread,
        users.n,
        p,
        users.curvature,
        rng,
        quadratic=True,
        uncertified=reading.uncertified,
    )
    return (project(theta, domain) if reading.variant == "corrected" else theta), p.sigma


def strongly_convex_erm(
    users: Summary,
    domain: Sequence[Ball],
    guarantee: Guarantee,
    rng: np.random.Generator,
    *,
    reading: Reading = PRINTED,
) -> Localised:
    """Run Algorithm 5 on every trial. `users.curvature` is μ, `users.lipschitz` is G on 𝒦.

    Raises ValueError where a call of SCOutputPert has no certificate (`Reading`).
    """
    epsilon, delta, beta, variant = guarantee.epsilon, guarantee.delta, guarantee.beta, reading.variant
    start = np.zeros((users.trials, users.d))
    half = (epsilon / 2.0, delta / 2.0)
    part = Guarantee(*half, beta)
    first, sigma = localise(users, domain, start, part, rng, reading=reading)  # line 3
    radius = noise_radius(sigma, users.d, beta, variant)  # line 4
    smaller = [*domain, Ball(first, radius)]  # line 5
    regulariser = printed_regulariser(users.lipschitz, radius, users.n, users.m, users.d)  # line 6
    inside = project(first, smaller)  # an element of 𝒦′
    phases = phased_erm(users, smaller, inside, part, regulariser, rng, reading=reading)  # line 7
    return Localised(first, sigma, radius, phases)
