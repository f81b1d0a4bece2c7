"""levy2021: Halves the budget of the noise once more, private but not as accurate as promised."""

from __future__ import annotations

from implementations.levy2021 import winsorized_mean_1d
from implementations.levy2021.constants import Constants, Variant
from implementations.mutants._mutant import Mutant

_reference = winsorized_mean_1d.noise_scale


def noise_scale(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference with twice the noise."""
    return 2.0 * _reference(n, epsilon, tau, constants)


MUTANT = Mutant(
    name="levy2021-double-noise",
    bug="Halves the budget of the noise once more, private but not as accurate as promised.",
    replaces="implementations.levy2021.winsorized_mean_1d:noise_scale",
    by=noise_scale,
    caught_by=("levy2021/theorem-2-variance",),
)
