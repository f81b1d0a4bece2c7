"""DP-SGD of asi2024 (Algorithm 2) with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_MODULE = "implementations.asi2024.dp_sgd"
MUTANTS = [
    Mutant(
        name="asi2024-radius-of-one-item",
        bug="Leaves √m out of the concentration radius, as for item-level privacy.",
        replaces=f"{_MODULE}:printed_parameters",
        swap=("+ epsilon) / math.sqrt(m)", "+ epsilon)"),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-inner-delta-not-split",
        bug="Passes δ to Algorithm 1 in place of δ/(2Tmnd).",
        replaces=f"{_MODULE}:mean_plan",
        swap=("delta / (2.0 * t * m * n * d)", "delta"),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-plan-of-one-step",
        bug="Makes the noise for one query: Algorithm 1 is set up anew at each step.",
        replaces=f"{_MODULE}:mean_plan",
        swap=("printed_plan(n, t, epsilon", "printed_plan(n, 1, epsilon"),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-gradient-ascent",
        bug="Adds the gradient.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("theta - parameters.step_size", "theta + parameters.step_size"),
        caught_by=("asi2024/theorem-4.11:corrected", "asi2024/theorem-4.1-utility:corrected"),
    ),
    Mutant(
        name="asi2024-no-projection",
        bug="Leaves the projection out.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=(
            "project(theta - parameters.step_size * answer.values)",
            "theta - parameters.step_size * answer.values",
        ),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-average-not-divided",
        bug="Divides the sum of the iterates by T + 1.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("total / parameters.steps", "total / (parameters.steps + 1.0)"),
        caught_by=("asi2024/lemma-4.9:corrected", "asi2024/theorem-4.1-utility:corrected"),
    ),
    Mutant(
        name="asi2024-step-not-taken",
        bug="Starts every step at θ₀.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("project(theta - parameters", "project(start - parameters"),
        caught_by=("asi2024/lemma-4.9:corrected", "asi2024/theorem-4.11:corrected"),
    ),
]
