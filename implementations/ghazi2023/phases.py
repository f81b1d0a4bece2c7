"""One phase of Algorithms 3 and 4: a regularised minimiser near the last answer, through SCOutputPert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from implementations.ghazi2023 import del_output_pert, sc_output_pert
from implementations.ghazi2023.feasible import Ball, project
from implementations.ghazi2023.quadratic import Summary, regularised_minimiser
from implementations.ghazi2023.reading import Guarantee, Reading
from implementations.interfaces import Array


@dataclass(frozen=True, slots=True)
class Phase:
    """What one phase used and did: λᵢ, Rᵢ, noise σᵢ, users nᵢ; trials that got an answer, θ̂ᵢ and θ*ᵢ."""

    regulariser: float
    radius: float
    sigma: float
    users: int
    answered: NDArray[np.bool_]
    theta: Array
    minimiser: Array


def run_phase(
    users: Summary,
    index: int,
    base: float,
    centre: Array,
    domain: Sequence[Ball],
    guarantee: Guarantee,
    rng: np.random.Generator,
    *,
    reading: Reading,
) -> Phase:
    """Lines 8 to 12 of Algorithm 3 (8 to 13 of Algorithm 4), with the (ε, δ) and β of this phase.

    λᵢ = λ·4^i; Rᵢ = G/λᵢ; as printed 𝒦ᵢ = 𝒦 ∩ B(θ̂ᵢ₋₁, Rᵢ), reading the θᵢ₋₁ of line 11 as θ̂ᵢ₋₁, since
    any other centre would depend on the data; SCOutputPert with Lipschitz constant 2G and strong
    convexity λᵢ. A trial whose 𝒦ᵢ is empty is NaN from here on; one without a certificate raises
    ValueError (`Reading`).
    """
    regulariser = base * 4.0**index
    radius = users.lipschitz / regulariser
    printed = reading.sets == "printed"
    p = sc_output_pert.parameters(
        guarantee.epsilon,
        guarantee.delta,
        guarantee.beta,
        2.0 * users.lipschitz if printed else users.lipschitz,
        regulariser,
        users.n,
        users.m,
        reading.target,
    )
    if reading.noise == "least":
        p = del_output_pert.parameters(guarantee.epsilon, guarantee.delta, p.target, reading.noise)
    balls = [*domain, Ball(centre, radius)] if printed else domain
    minimiser = regularised_minimiser(users, regulariser, centre, balls)
    # The regulariser has the same gradient for all users, so the spread of the linear parts is that of the
    # gradients.
    theta, good = sc_output_pert.sc_output_pert(
        minimiser,
        users.spread,
        users.n,
        p,
        users.curvature + regulariser,
        rng,
        quadratic=True,
        uncertified=reading.uncertified,
    )
    if reading.variant == "corrected":
        theta = project(theta, domain)
    answered = good & np.isfinite(theta).all(axis=-1)
    return Phase(regulariser, radius, p.sigma, users.n, answered, theta, minimiser)
