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
    Mutant(
        name="song2021-label-forgotten",
        bug="The gradient in the logits is p and not p − 1 at the label.",
        replaces="implementations.song2021.softmax_fields:coefficients",
        swap=(
            "(point[0] - total) / total",
            "point[0] / total",
        ),
        caught_by=(
            "song2021/theorem-5.3",
            "song2021/theorem-d.5",
        ),
    ),
    Mutant(
        name="song2021-one-sided-clip",
        bug="Clips the positive blocks only.",
        replaces="implementations.song2021.softmax_fields:field",
        swap=(
            "np.clip(c, -b, b)",
            "np.minimum(c, b)",
        ),
        caught_by=("song2021/theorem-d.5",),
    ),
    Mutant(
        name="song2021-clip-by-the-sum",
        bug="Scales by the sum of the absolute values, not by the Euclidean norm.",
        replaces="implementations.song2021.softmax_fields:field",
        swap=(
            "np.linalg.norm(c, axis=-1, keepdims=True)",
            "np.abs(c).sum(axis=-1, keepdims=True)",
        ),
        caught_by=("song2021/theorem-5.3",),
    ),
    Mutant(
        name="song2021-norm-without-the-sum",
        bug="The derivative of the norm leaves out the block of the label.",
        replaces="implementations.song2021.softmax_fields:clipped_curl",
        swap=(
            "point[c] * (s + point[c])",
            "point[c] * point[c]",
        ),
        caught_by=("song2021/theorem-5.3",),
    ),
    Mutant(
        name="song2021-label-block-unclipped",
        bug="A negative block is never called clipped.",
        replaces="implementations.song2021.softmax_fields:clipped_classes",
        swap=(
            "abs(c) > b",
            "c > b",
        ),
        caught_by=("song2021/theorem-d.5",),
    ),
    Mutant(
        name="song2021-softmax-that-overflows",
        bug="Takes the exponentials of the logits as they are.",
        replaces="implementations.song2021.softmax_fields:field",
        swap=("logits - logits.max(axis=-1, keepdims=True)", "logits"),
        caught_by=("song2021/theorem-5.3", "song2021/theorem-d.5"),
    ),
]
