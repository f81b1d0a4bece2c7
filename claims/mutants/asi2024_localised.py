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
    Mutant(
        name="asi2024-phases-with-one-distance",
        bug="Uses the distance of the first phase in all phases.",
        replaces=f"{_MODULE}:schedule",
        swap=(
            "math.sqrt(2.0 * before / strong_convexity)",
            "math.sqrt(2.0 * goal.reached[0] / strong_convexity)",
        ),
        caught_by=("asi2024/algorithm-3",),
    ),
    Mutant(
        name="asi2024-localisation-radius-without-two",
        bug="Leaves the 2 out of R̂² = 2D/μ.",
        replaces=f"{_MODULE}:schedule",
        swap=("math.sqrt(2.0 * before / strong_convexity)", "math.sqrt(before / strong_convexity)"),
        caught_by=("asi2024/algorithm-3",),
    ),
    Mutant(
        name="asi2024-users-serve-twice",
        bug="Gives all phases the same first users.",
        replaces=f"{_MODULE}:schedule",
        swap=("first += users", "first += 0"),
        caught_by=("asi2024/algorithm-3",),
    ),
    Mutant(
        name="asi2024-phase-noise-of-one-dimension",
        bug="Leaves d out of the δ of a phase.",
        replaces=f"{_MODULE}:localised_sgd",
        swap=("theta.shape[1], epsilon", "1, epsilon"),
        caught_by=("asi2024/algorithm-3:noise",),
    ),
    Mutant(
        name="asi2024-phases-with-one-step-size",
        bug="Runs all phases with the step size of the first.",
        replaces=f"{_MODULE}:localised_sgd",
        swap=("plan, phase.parameters, project", "plan, phases[0].parameters, project"),
        caught_by=("asi2024/algorithm-3:run",),
    ),
    Mutant(
        name="asi2024-localised-without-projection",
        bug="Leaves the projection out.",
        replaces=f"{_MODULE}:localised_sgd",
        swap=("phase.parameters, project, rng", "phase.parameters, (lambda x: x), rng"),
        caught_by=("asi2024/algorithm-3:run",),
    ),
    Mutant(
        name="asi2024-halt-of-an-earlier-phase-forgotten",
        bug="Reports the halts of the last phase only.",
        replaces=f"{_MODULE}:localised_sgd",
        swap=("running & out.running", "out.running"),
        caught_by=("asi2024/algorithm-3:run",),
    ),
]
