"""The clipped softmax fields of song2021 with planted bugs."""

from __future__ import annotations

from fractions import Fraction

from claims.mutants.mutant import Mutant
from implementations.song2021 import softmax_fields


def clipped_curl(point: softmax_fields.Point, b: Fraction, j: int, k: int) -> softmax_fields.Curl:
    """b·(∂N_j/∂z_k − ∂N_k/∂z_j)/√D with N = (−S, E₂, …, E_K): the derivative of 1/√D is left out."""
    total = sum(point[1:], Fraction(0))

    def slope(a: int, c: int) -> Fraction:
        if c == 0:
            return Fraction(0)
        return -point[c] if a == 0 else point[c] if a == c else Fraction(0)

    return softmax_fields.Curl(slope(j, k) - slope(k, j), float(b) / float(total))


MUTANTS = [
    Mutant(
        name="song2021-constant-norm",
        bug="Treats the factor B/‖∇ℓ‖ as a constant, as automatic differentiation with a detached norm does.",
        replaces="implementations.song2021.softmax_fields:clipped_curl",
        by=clipped_curl,
        caught_by=("song2021/theorem-5.3",),
    ),
]
