"""The constants of the Winsorized mean estimators: as printed, repaired, and with the slack taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Variant = Literal["paper", "corrected", "tuned"]


@dataclass(frozen=True, slots=True)
class Constants:
    """What Algorithms 1, 2 and 6 leave to choose.

    bin_width     width of a bin of PrivateRange, in units of τ.
    half_length   half the length of the interval to which the data are clipped, in units of τ.
    range_share   part of ε that PrivateRange spends; the rest pays for the Laplace noise.
    rotation      "paper": τ′ = 10 τ √(log(dn/γ)/d);  "union": τ′ = τ √(2 log(2dn/γ)/d).
    composition   "paper": ε′ = ε/√(8 d log(1/δ));  "optimal": the largest ε′ whose d-fold composition is
                  (ε, δ)-DP.
    """

    bin_width: float
    half_length: float
    range_share: float
    rotation: Literal["paper", "union"]
    composition: Literal["paper", "optimal"]

    @property
    def noise(self) -> float:
        """Laplace scale of Algorithm 1 in units of τ/(nε): length of the interval over its share of ε."""
        return 2.0 * self.half_length / (1.0 - self.range_share)


PAPER = Constants(2.0, 2.0, 0.5, "paper", "paper")
"""As printed: |b − a| = 4τ (Algorithm 1, line 1), noise 8τ/(nε), and B/τ bins, the factor before the
exponential of Theorem 1, hence bins of width 2τ. Theorem 1 is false with them: see
`implementations.levy2021.private_range`."""

CORRECTED = Constants(2.0, 3.0, 0.5, "paper", "paper")
"""The smallest change under which the proof of Theorem 1 holds: the median bin may stick out of the data by
half a bin, so the interval must reach 2τ + τ to each side. Noise 12τ/(nε) instead of 8τ/(nε)."""

TUNED = Constants(0.5, 2.25, 0.25, "union", "optimal")
"""The same proof with its slack removed.

* Bins of τ/2: the interval reaches 2τ + τ/4; four times the bins cost only log 4 in the exponent.
* A quarter of ε for the range: noise 6τ/(nε), for twice the users before β is small.
* τ′ = τ √(2 log(2dn/γ)/d): Hoeffding for ⟨ω, v⟩ with ‖v‖ = τ/√d and a union over dn coordinates gives
  probability γ exactly; the printed 10 leaves (γ/dn)⁵⁰.
* ε′ by the optimal composition of d mechanisms that are ε′-DP (Kairouz, Oh, Viswanath 2015)."""

_BY_NAME = {"paper": PAPER, "corrected": CORRECTED, "tuned": TUNED}


def constants_of(constants: Variant | Constants) -> Constants:
    """The constants by name, or the given ones.

    Raises ValueError for an unknown name.

    >>> constants_of("paper").noise, constants_of("corrected").noise
    (8.0, 12.0)
    """
    if isinstance(constants, Constants):
        return constants
    if constants not in _BY_NAME:
        raise ValueError(f"constants must be one of {sorted(_BY_NAME)}, got {constants!r}")
    return _BY_NAME[constants]
