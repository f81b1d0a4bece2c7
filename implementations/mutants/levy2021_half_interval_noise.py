"""levy2021: Takes half the interval for the sensitivity of the clipped mean, as if a user were removed."""

from __future__ import annotations

from implementations.levy2021 import winsorized_mean_1d
from implementations.levy2021.constants import Constants, Variant
from implementations.mutants._mutant import Mutant

_reference = winsorized_mean_1d.noise_scale


def noise_scale(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference for a sensitivity of 2τ/n."""
    return 0.5 * _reference(n, epsilon, tau, constants)


MUTANT = Mutant(
    name="levy2021-half-interval-noise",
    bug="Takes half the interval for the sensitivity of the clipped mean, as if a user were removed.",
    replaces="implementations.levy2021.winsorized_mean_1d:noise_scale",
    by=noise_scale,
    caught_by=("levy2021/theorem-1-privacy",),
)
