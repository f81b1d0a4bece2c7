"""Randomised smoothing of asi2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_MODULE = "implementations.asi2024.smoothing"
MUTANTS = [
    Mutant(
        name="asi2024-ball-radius-uniform",
        bug="Draws the length uniformly: the points crowd around the centre.",
        replaces=f"{_MODULE}:sample_ball",
        swap=("rng.random(shape) ** (1.0 / d)", "rng.random(shape)"),
        caught_by=("asi2024/lemma-2.5:program",),
    ),
    Mutant(
        name="asi2024-sphere-for-ball",
        bug="Draws from the sphere in place of the ball.",
        replaces=f"{_MODULE}:sample_ball",
        swap=("rng.random(shape) ** (1.0 / d)", "np.ones(shape)"),
        caught_by=("asi2024/lemma-2.5:program",),
    ),
    Mutant(
        name="asi2024-ball-not-normalised",
        bug="Forgets to normalise the direction.",
        replaces=f"{_MODULE}:sample_ball",
        swap=("(length / norm)", "length"),
        caught_by=("asi2024/lemma-2.5:program",),
    ),
    Mutant(
        name="asi2024-smoothness-of-one-cap",
        bug="Takes the volume of one cap of the symmetric difference of two balls.",
        replaces=f"{_MODULE}:smoothness",
        swap=("2.0 * lipschitz", "lipschitz"),
        caught_by=("asi2024/lemma-2.5:corrected",),
    ),
    Mutant(
        name="asi2024-slope-not-centred",
        bug="Returns P(B ≤ z/r) for the slope.",
        replaces=f"{_MODULE}:smoothed_absolute_slope",
        swap=("radius, d) - 1.0", "radius, d)"),
        caught_by=("asi2024/lemma-2.5:corrected", "asi2024/lemma-2.5:program"),
    ),
    Mutant(
        name="asi2024-gradients-not-smoothed",
        bug="Asks for gradients at θ itself.",
        replaces="implementations.asi2024.dp_sgd:smoothed_gradients",
        swap=("theta[:, None, None, :] + y", "theta[:, None, None, :] + 0.0 * y"),
        caught_by=("asi2024/lemma-2.5:program",),
    ),
]
