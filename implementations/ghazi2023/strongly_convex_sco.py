"""Strongly-Convex-SCO (Algorithm 6): Algorithm 5 with Phased-SCO and room for the sampling error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from implementations.checks import positive, probability
from implementations.ghazi2023 import phased_sco
from implementations.ghazi2023.feasible import Ball, project
from implementations.ghazi2023.phased_erm import printed_regulariser
from implementations.ghazi2023.quadratic import Batches
from implementations.ghazi2023.reading import PRINTED, Guarantee, Reading, Variant
from implementations.ghazi2023.strongly_convex_erm import Localised, localise, noise_radius


def sampling_radius(
    lipschitz: float, strong_convexity: float, n: int, m: float, beta: float, variant: Variant
) -> float:
    """Room for ‖θ*(x) − θ*(𝒟)‖: the second term of line 4.

    "printed" G·√log(1/β)/(μ√(nm)); "corrected" 30·G·√log(2/β)/(μ√(nm)), the bound of Proposition B.1.
    """
    positive(lipschitz=lipschitz, strong_convexity=strong_convexity, n=n, m=m)
    probability(beta=beta)
    unit = lipschitz / (strong_convexity * math.sqrt(n * m))
    if variant == "printed":
        return unit * math.sqrt(math.log(1.0 / beta))
    return unit * 30.0 * math.sqrt(math.log(2.0 / beta))


def strongly_convex_sco(
    users: Batches,
    domain: Sequence[Ball],
    guarantee: Guarantee,
    constant: float,
    rng: np.random.Generator,
    *,
    reading: Reading = PRINTED,
) -> Localised:
    """Run Algorithm 6 on every trial. constant: C of line 3 of Algorithm 4.

    Raises ValueError where a call of SCOutputPert has no certificate (`Reading`).
    """
    epsilon, delta, beta, variant = guarantee.epsilon, guarantee.delta, guarantee.beta, reading.variant
    start = np.zeros((users.trials, users.d))
    half = (epsilon / 2.0, delta / 2.0)
    part = Guarantee(*half, beta)
    first, sigma = localise(users.summary(), domain, start, part, rng, reading=reading)  # line 3
    radius = noise_radius(sigma, users.d, beta, variant) + sampling_radius(
        users.lipschitz, users.curvature, users.n, users.m, beta, variant
    )  # line 4
    smaller = [*domain, Ball(first, radius)]  # line 5
    of = printed_regulariser if variant == "printed" else phased_sco.corrected_regulariser
    regulariser = of(users.lipschitz, radius, users.n, users.m, users.d)  # line 6
    inside = project(first, smaller)  # an element of 𝒦′
    phases = phased_sco.phased_sco(
        users, smaller, inside, part, regulariser, constant, rng, reading=reading
    )  # line 7
    return Localised(first, sigma, radius, phases)
