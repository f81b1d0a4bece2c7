"""levy2021: Leaves out d^(−1/2)."""

from __future__ import annotations

import numpy as np

from implementations import hadamard
from implementations.interfaces import Array
from implementations.mutants._mutant import Mutant

_reference = hadamard.hadamard_transform


def hadamard_transform(x: Array) -> Array:
    """H x without d^(−1/2)."""
    return np.sqrt(x.shape[-1]) * _reference(x)


MUTANT = Mutant(
    name="levy2021-unnormalised-rotation",
    bug="Leaves out d^(−1/2): the rotation is no isometry, and the result comes back d times too large.",
    replaces="implementations.hadamard:hadamard_transform",
    by=hadamard_transform,
    caught_by=("levy2021/theorem-3-convex",),
)
