"""DelOutputPert of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-del-output-pert-half-kappa",
        bug="Calibrates the noise to 4κΔ for 8κΔ.",
        replaces="implementations.ghazi2023.del_output_pert:parameters",
        swap=("(8.0 * kappa * target)", "(4.0 * kappa * target)"),
        caught_by=("ghazi2023/theorem-3.3-noise",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-whole-epsilon",
        bug="Spends ε, not ε/2, on the test and on the noise.",
        replaces="implementations.ghazi2023.del_output_pert:parameters",
        swap=("half = epsilon / 2.0", "half = epsilon"),
        caught_by=("ghazi2023/theorem-3.3-noise", "ghazi2023/theorem-3.3-privacy"),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-no-root",
        bug="√ln(2/δ̄) without the root.",
        replaces="implementations.ghazi2023.del_output_pert:parameters",
        swap=("math.sqrt(math.log(2.0 / delta_bar))", "math.log(2.0 / delta_bar)"),
        caught_by=("ghazi2023/theorem-3.3-noise",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-no-bottom",
        bug="Answers where nothing is stable.",
        replaces="implementations.ghazi2023.del_output_pert:output_law",
        swap=("return Law(0.0,", "return Law(1.0,"),
        caught_by=("ghazi2023/theorem-3.3-privacy",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-test-without-noise",
        bug="Answers if κ deletions suffice: R₁ is not random.",
        replaces="implementations.ghazi2023.del_output_pert:answer_probability",
        swap=(
            "float(truncated_laplace.upper_tail(p.test_epsilon, p.test_delta)[deletions])",
            "float(deletions <= p.kappa)",
        ),
        caught_by=("ghazi2023/theorem-3.3-privacy",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-draws-refused",
        bug="Keeps an answer only if more than s deletions are allowed.",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("allowed >= deletions", "allowed > deletions"),
        caught_by=("ghazi2023/theorem-3.3-utility",),
    ),
]
