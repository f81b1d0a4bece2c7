"""Phased-SCO on equal batches: Algorithm 4 with as many phases as Algorithm 3, each on its own n/T users.

It is not in the text. Algorithm 4 halves its batches, so that the number of phases, and with it the noise
of the last one, does not depend on m; here it does, and Theorem 5.1 holds for every m.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from implementations.checks import positive, whole_number
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.phases import Phase, run_phase
from implementations.ghazi2023.quadratic import Batches
from implementations.ghazi2023.reading import Guarantee, Reading
from implementations.interfaces import Array

CORRECTED = Reading(variant="corrected")


def phase_count(n: int, m: float) -> int:
    """T = ⌈log₂(nm)⌉, at least 1: then 4^T ≥ nm and the noise of the last phase is at most that of the bound.

    >>> phase_count(1024, 1024.0)
    20
    """
    positive(n=n, m=m)
    return max(1, math.ceil(math.log2(n) + math.log2(m)))


def batch(n: int, index: int, phases: int) -> slice:
    """The users of phase i = 1, …, T, ⌊n/T⌋ of them, as a slice of 0, …, n − 1; ValueError for n < T.

    >>> batch(11, 1, 3), batch(11, 3, 3)
    (slice(0, 3, None), slice(6, 9, None))
    """
    whole_number(n=n, index=index, phases=phases)
    if n < phases or index > phases:
        raise ValueError(f"n must be at least phases = {phases}, and index at most that, got {n} and {index}")
    size = n // phases
    return slice((index - 1) * size, index * size)


def phased_sco(
    users: Batches,
    domain: Sequence[Ball],
    start: Array,
    guarantee: Guarantee,
    regulariser: float,
    rng: np.random.Generator,
    *,
    reading: Reading = CORRECTED,
) -> tuple[Phase, ...]:
    """Run it on every trial: the phases in order; the answer is `theta` of the last (trials, d).

    Every user is in one phase at most, so each phase has the whole (ε, δ) (parallel composition) and β/T. The
    arguments are those of `phased_sco.phased_sco`.

    Raises ValueError where n/T users are too few for a phase, or where a call has no certificate (`Reading`).
    """
    positive(regulariser=regulariser)
    phases = phase_count(users.n, users.m)
    step = Guarantee(guarantee.epsilon, guarantee.delta, guarantee.beta / phases)
    theta = np.broadcast_to(start, (users.trials, users.d))
    done: list[Phase] = []
    for i in range(1, phases + 1):
        part = users.batch(batch(users.n, i, phases)).summary()
        phase = run_phase(part, i, regulariser, theta, domain, step, rng, reading=reading)
        theta = phase.theta
        done.append(phase)
    return tuple(done)
