"""What Algorithms 3 to 6 are asked to guarantee, and how their printed lines are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from implementations.checks import one_of, positive, probability
from implementations.ghazi2023.del_output_pert import Noise
from implementations.ghazi2023.sc_output_pert import Target, Uncertified

Variant = Literal["printed", "corrected"]
"""Printed: θ̂ᵢ is used as Algorithm 2 returns it, inside 𝒦 or not, so that 𝒦ᵢ may be empty.
Corrected: θ̂ᵢ is first projected onto 𝒦, which costs no privacy."""

LogBase = Literal["e", "2"]

Schedule = Literal["printed", "fewer"]
"""Phases of Algorithm 3: ⌈log(nm)⌉ as printed, or ⌈log₄(n√m/√d)⌉, after which the noise of the last
phase is that of the bound as well."""

Sets = Literal["printed", "domain"]
"""Sets of Algorithms 3 and 4: 𝒦 ∩ B(θ̂ᵢ₋₁, Rᵢ) with losses 2G-Lipschitz, as printed; or 𝒦 alone with G.
The ball never matters where θ̂ᵢ₋₁ ∈ 𝒦, and the regulariser has one gradient for all users, so that it
drops out of centred gradients."""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """(ε, δ)-DP for one user, and an answer except with the target failure probability β.

    Raises ValueError for epsilon ≤ 0, or delta or beta outside (0, 1).
    """

    epsilon: float
    delta: float
    beta: float

    def __post_init__(self) -> None:
        positive(epsilon=self.epsilon)
        probability(delta=self.delta, beta=self.beta)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the lines are read: as printed or corrected, Δ of Algorithm 2 likewise, and the base of "log".

    noise        σ of Algorithm 1 as printed, or the least that its privacy needs.
    uncertified  what becomes of a trial without a certificate in any phase: an error, or NaN, which is not
                 private (`sc_output_pert`).

    Raises ValueError for any other value.
    """

    variant: Variant = "printed"
    target: Target = "printed"
    base: LogBase = "e"
    schedule: Schedule = "printed"
    sets: Sets = "printed"
    noise: Noise = "printed"
    uncertified: Uncertified = "raise"

    def __post_init__(self) -> None:
        one_of(("printed", "corrected"), variant=self.variant, target=self.target)
        one_of(("e", "2"), base=self.base)
        one_of(("printed", "fewer"), schedule=self.schedule)
        one_of(("printed", "domain"), sets=self.sets)
        one_of(("printed", "least"), noise=self.noise)
        one_of(("raise", "nan"), uncertified=self.uncertified)


PRINTED = Reading()
