"""Phased-ERM (Algorithm 3): output perturbation with growing regularisers, all users in every phase."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from implementations.checks import one_of, positive
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.phases import Phase, run_phase
from implementations.ghazi2023.quadratic import Summary
from implementations.ghazi2023.reading import PRINTED, Guarantee, LogBase, Reading
from implementations.interfaces import Array


def logarithm(x: float, base: LogBase) -> float:
    """log x to the base that the text leaves open."""
    return math.log(x) if base == "e" else math.log2(x)


def phase_count(n: int, m: float, base: LogBase = "e") -> int:
    """T = ⌈log(nm)⌉ (line 3), at least 1.

    >>> phase_count(512, 1024.0), phase_count(512, 1024.0, "2")
    (14, 19)
    """
    positive(n=n, m=m)
    one_of(("e", "2"), base=base)
    return max(1, math.ceil(logarithm(n * m, base)))


def fewer_phases(n: int, m: float, d: int) -> int:
    """T = ⌈log₄(n√m/√d)⌉, at least 1: then 4^T·√d ≥ n√m, so that G√d·σ_T is at most K·RG√d/(n√m).

    >>> fewer_phases(512, 1024.0, 1)
    7
    """
    positive(n=n, m=m, d=d)
    return max(1, math.ceil(math.log(n * math.sqrt(m / d), 4.0)))


def printed_regulariser(lipschitz: float, diameter: float, n: int, m: float, d: int) -> float:
    """λ = G√d/(R·n·√m) of the proof of Theorem 4.1."""
    positive(lipschitz=lipschitz, diameter=diameter, n=n, m=m, d=d)
    return lipschitz * math.sqrt(d) / (diameter * n * math.sqrt(m))


def phased_erm(
    users: Summary,
    domain: Sequence[Ball],
    start: Array,
    guarantee: Guarantee,
    regulariser: float,
    rng: np.random.Generator,
    *,
    reading: Reading = PRINTED,
) -> tuple[Phase, ...]:
    """Run Algorithm 3 on every trial: the phases in order; the answer is `theta` of the last (trials, d).

    domain       𝒦 as an intersection of balls.
    start        θ̂₀, an element of 𝒦 (d,) or (trials, d).
    guarantee    (ε, δ), and the target failure probability β, of the whole.
    regulariser  λ.

    Raises ValueError for bad parameters, where n is too small for the budget of one phase, or where a call of
    SCOutputPert has no certificate (`Reading`).
    """
    positive(regulariser=regulariser)
    epsilon, delta, beta = guarantee.epsilon, guarantee.delta, guarantee.beta
    phases = phase_count(users.n, users.m, reading.base)  # line 3
    if reading.schedule == "fewer":
        phases = fewer_phases(users.n, users.m, users.d)
    step_epsilon, step_delta, step_beta = epsilon / phases, delta / phases, beta / phases  # lines 4 and 5
    step = Guarantee(step_epsilon, step_delta, step_beta)
    theta = np.broadcast_to(start, (users.trials, users.d))  # line 6
    done: list[Phase] = []
    for i in range(1, phases + 1):  # line 7
        phase = run_phase(users, i, regulariser, theta, domain, step, rng, reading=reading)
        theta = phase.theta
        done.append(phase)
    return tuple(done)
