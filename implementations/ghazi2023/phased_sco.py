"""Phased-SCO (Algorithm 4): as Phased-ERM, with users of its own and the whole budget in every phase."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from implementations.checks import one_of, positive, probability, whole_number
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.phased_erm import logarithm
from implementations.ghazi2023.phases import Phase, run_phase
from implementations.ghazi2023.quadratic import Batches
from implementations.ghazi2023.reading import PRINTED, Guarantee, LogBase, Reading, Variant
from implementations.interfaces import Array


def smallest_batch(epsilon: float, delta: float, constant: float) -> float:
    """N₀ = C·log(1/δ)/ε (line 3)."""
    positive(epsilon=epsilon, constant=constant)
    probability(delta=delta)
    return constant * math.log(1.0 / delta) / epsilon


def phase_count(n: int, least: float, base: LogBase = "e", variant: Variant = "printed") -> int:
    """T of line 4: ⌈log(n/N₀)⌉ as printed; ⌊log₂(n/N₀)⌋, so that the last batch has N₀ users, corrected.

    To base 2 the printed T leaves fewer than N₀ users, n/2^T, to the last phase.

    >>> phase_count(1000, 100.0, "2"), phase_count(1000, 100.0, "2", "corrected")
    (4, 3)
    """
    positive(n=n, least=least)
    if n < 2 * least:
        raise ValueError(
            f"n must be at least 2·N₀ = {math.ceil(2 * least)}, so that one phase has N₀ users, got {n}"
        )
    if variant == "corrected":
        return math.floor(math.log2(n / least))
    return math.ceil(logarithm(n / least, base))


def batch(n: int, index: int, variant: Variant = "printed") -> slice:
    """Line 12: the users of phase i, as a slice of 0, …, n − 1 (user ℓ of the text is ℓ − 1 here).

    "printed"    ℓ ∈ [2⁻ⁱn, 2⁻ⁱ⁺¹n]: where 2⁻ⁱn is whole, user 2⁻ⁱn is in phase i and in phase i + 1.
    "corrected"  ℓ ∈ (2⁻ⁱn, 2⁻ⁱ⁺¹n].

    >>> batch(16, 1), batch(16, 2), batch(16, 2, "corrected")
    (slice(7, 16, None), slice(3, 8, None), slice(4, 8, None))
    """
    whole_number(n=n, index=index)
    one_of(("printed", "corrected"), variant=variant)
    low, high = n / 2**index, n / 2 ** (index - 1)
    first = math.ceil(low) if variant == "printed" else math.floor(low) + 1
    return slice(max(first, 1) - 1, math.floor(high))


def corrected_regulariser(lipschitz: float, diameter: float, n: int, m: float, d: int) -> float:
    """λ = (G/R)·(√d/(n√m) + 1/√(nm)): the second term, which the text leaves out, pays for generalisation."""
    positive(lipschitz=lipschitz, diameter=diameter, n=n, m=m, d=d)
    return lipschitz / diameter * (math.sqrt(d) / (n * math.sqrt(m)) + 1.0 / math.sqrt(n * m))


def phased_sco(
    users: Batches,
    domain: Sequence[Ball],
    start: Array,
    guarantee: Guarantee,
    regulariser: float,
    constant: float,
    rng: np.random.Generator,
    *,
    reading: Reading = PRINTED,
) -> tuple[Phase, ...]:
    """Run Algorithm 4 on every trial: the phases in order; the answer is `theta` of the last (trials, d).

    constant  C of line 3. The other arguments are those of `phased_erm.phased_erm`.
    """
    positive(regulariser=regulariser)
    epsilon, delta, beta, variant = guarantee.epsilon, guarantee.delta, guarantee.beta, reading.variant
    least = smallest_batch(epsilon, delta, constant)  # line 3
    phases = phase_count(users.n, least, reading.base, variant)  # line 4
    theta = np.broadcast_to(start, (users.trials, users.d))  # line 6
    done: list[Phase] = []
    for i in range(1, phases + 1):  # line 7
        part = users.batch(batch(users.n, i, variant)).summary()  # line 12
        phase = run_phase(
            part, i, regulariser, theta, domain, Guarantee(epsilon, delta, beta / phases), rng,
            reading=reading,
        )  # fmt: skip
        theta = phase.theta
        done.append(phase)
    return tuple(done)
