"""Localised DP-SGD of asi2024 (Algorithm 3) with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_MODULE = "implementations.asi2024.localised"
MUTANTS = [
    Mutant(
        name="asi2024-phases-in-falling-order",
        bug="Gives the first phase half of the users, and the last the fewest.",
        replaces=f"{_MODULE}:phase_users",
        swap=("n >> (phases + 1 - i)", "n >> i"),
        caught_by=("asi2024/theorem-4.11-proof:corrected", "asi2024/theorem-4.11:corrected"),
    ),
    Mutant(
        name="asi2024-start-not-carried-over",
        bug="Starts every phase at θ₀.",
        replaces=f"{_MODULE}:localised_sgd",
        swap=("user_gradients(phase), theta, plan", "user_gradients(phase), start, plan"),
        caught_by=("asi2024/theorem-4.11:corrected",),
    ),
    Mutant(
        name="asi2024-targets-halved",
        bug="Halves the exponent i times as i/2 in place of 2^−i.",
        replaces=f"{_MODULE}:targets",
        swap=("first ** (0.5**i)", "first ** (0.5 * i)"),
        caught_by=("asi2024/theorem-4.11-proof:corrected",),
    ),
    Mutant(
        name="asi2024-one-logarithm",
        bug="Takes ⌈log mn⌉ phases for ⌈log log mn⌉.",
        replaces=f"{_MODULE}:phase_count",
        swap=("math.ceil(log(inner))", "math.ceil(inner)"),
        caught_by=("asi2024/theorem-4.11-proof:corrected", "asi2024/theorem-4.11:corrected"),
    ),
]
