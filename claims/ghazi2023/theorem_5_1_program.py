r"""Theorem 5.1, the program on equal batches: every θ̂ᵢ is what Algorithm 4 makes of the i-th n/T users.

theorem-5.1 measures the risk of this program. Here its runs are followed line by line, as in transcripts: T
= ⌈log₂(nm)⌉ phases, the i-th on users (i − 1)⌊n/T⌋ + 1 to i⌊n/T⌋, of which none is in two, each with the
whole (ε, δ) and β/T. So it is (ε, δ)-DP by parallel composition, where SCOutputPert is.

How it is checked. Runs on random linear and quadratic losses, λ such that 𝒦 and the balls are active in
some phases: λᵢ, Rᵢ, σᵢ, nᵢ, the optimality conditions of θ*ᵢ on 𝒦ᵢ, θ̂ᵢ from a generator of the same seed.
The batches for all n up to 60 and all T: disjoint, of ⌊n/T⌋ users. Sizes outside n ≥ T get an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.ghazi2023 import PAPER, _replay
from claims.ghazi2023._guards import accepted
from claims.ghazi2023.transcripts import BETA, DELTA, EPSILON, TRIALS, base_for, data, follow
from implementations.ghazi2023 import equal_batches, sc_output_pert
from implementations.ghazi2023.quadratic import Users
from implementations.ghazi2023.reading import Guarantee, Reading

N, M = 4000, 4e8


def misplaced(largest: int) -> int:
    """Users of all phases of all n ≤ largest and T ≤ n that are not where they belong."""
    wrong = 0
    for n in range(1, largest + 1):
        for phases in range(1, n + 1):
            size = n // phases
            for i in range(1, phases + 1):
                own = list(range(n)[equal_batches.batch(n, i, phases)])
                wrong += own != list(range((i - 1) * size, i * size))
    return wrong


def other_reading(point: Point) -> Iterator[Evidence]:
    """σ of the first phase where the Δ of the union is asked for."""
    x = data(N, M, point.d, 0.3 * (point.d - 1), point.rng)
    phases = equal_batches.phased_sco(
        Users(x.linear, x.curvature, x.lipschitz, M), x.balls, np.zeros((TRIALS, point.d)),
        Guarantee(0.9999, 0.4999, BETA), base_for(N // 50, M, (0.9999, 0.4999, BETA)), point.rng,
        reading=Reading(variant="corrected", target="corrected"),
    )  # fmt: skip
    first, count = phases[0], len(phases)
    p = sc_output_pert.parameters(
        0.9999, 0.4999, BETA / count, 2.0 * x.lipschitz, first.regulariser, first.users, M, "corrected"
    )
    yield equals("σ of phase 1 over the text, Δ of the union", first.sigma / p.sigma, 1.0)


def check(point: Point) -> Iterator[Evidence]:
    seen = _replay.Distances()
    count = math.ceil(math.log2(N * M))
    size = N // count
    call = (EPSILON, DELTA, BETA / count)
    for _ in range(point.runs):
        x = data(N, M, point.d, 0.3 * (point.d - 1), point.rng)
        base = base_for(size, M, call)
        corner = point.rng.choice([-1.0, 1.0], (TRIALS, point.d))
        start = x.region[0][0] - 0.79 / math.sqrt(point.d) * corner
        seed = int(point.rng.integers(2**31))
        phases = equal_batches.phased_sco(
            Users(x.linear, x.curvature, x.lipschitz, M), x.balls, start, Guarantee(EPSILON, DELTA, BETA),
            base, np.random.default_rng(seed),
        )  # fmt: skip
        parts = [replace(x, linear=x.linear[:, k * size : (k + 1) * size]) for k in range(count)]
        follow(phases, parts, start, base, call, True, np.random.default_rng(seed), seen)
    for line, distance in seen.of.items():
        yield at_most(f"distance of {line} to the text", distance, 1e-6)
    yield equals("batches that are not the i-th ⌊n/T⌋ users", misplaced(40), 0)
    yield from other_reading(point)
    few = accepted(lambda: equal_batches.batch(5, 1, 6), lambda: equal_batches.batch(12, 4, 3))
    yield equals("batches outside n ≥ T, i ≤ T that are taken", few, 0)


CLAIM = Claim(
    PAPER,
    "Theorem 5.1",
    "section 5.1",
    variant="program",
    kind=Kind.IDENTITY,
    title="Phased-SCO on equal batches, phase by phase",
    statement=r"Phased-SCO with $T=\lceil\log_2(nm)\rceil$ phases, the $i$-th on the users from "
    r"$(i-1)\lfloor n/T\rfloor+1$ to $i\lfloor n/T\rfloor$ with the whole $(\varepsilon,\delta)$: "
    r"$\hat\theta_i=\Pi_{\mathcal K}(\theta^*_i+\mathcal N(0,\sigma_i^2I))$, $\theta_i^*$ the minimiser over "
    r"$\mathcal K_i$ on these users.",
    expected=CONFIRMED,
    summary="no user is in two phases, so that each has the whole budget",
    check=check,
    smoke=grid(d=1, runs=1),
    ci=grid(d=(1, 2), runs=1),
)
