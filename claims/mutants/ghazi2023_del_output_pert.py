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
    Mutant(
        name="ghazi2023-del-output-pert-variance-for-sd",
        bug="Noise of standard deviation σ².",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("noise = p.sigma *", "noise = p.sigma**2 *"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-one-noise",
        bug="One noise for all runs of a call.",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=(
            "rng.standard_normal((size, table.values.shape[-1]))",
            "np.ones((size, 1)) * rng.standard_normal((1, table.values.shape[-1]))",
        ),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-laplace-noise",
        bug="Laplace noise for Gaussian noise.",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("rng.standard_normal(", "rng.laplace(size="),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-whole-dataset",
        bug="Adds the noise to f(x) for f(x₋S).",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("centres[tie] + noise", "table.values[tuple(table.counts)] + noise"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-mean-of-ties",
        bug="Takes the mean of the ties.",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("centres[tie] + noise", "centres.mean(axis=0) + noise"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-whole-budget-in-the-draw",
        bug="Draws R₁ with (ε, δ) for (ε̄, δ̄).",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("draw(p.test_epsilon, p.test_delta,", "draw(p.epsilon, p.delta,"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-no-draw",
        bug="Answers if κ deletions suffice.",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("(allowed >= deletions)", "(p.kappa >= deletions + 0 * allowed)"),
        caught_by=("ghazi2023/algorithm-1", "ghazi2023/sampled-privacy"),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-never-refuses",
        bug="Answers whatever R₁ allows.",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("(allowed >= deletions)", "(allowed >= 0 * deletions)"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-twice-the-target",
        bug="Tests stability against 2Δ.",
        replaces="implementations.ghazi2023.del_output_pert:del_output_pert",
        swap=("smallest_stable(table, p.target, p.kappa)", "smallest_stable(table, 2 * p.target, p.kappa)"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-law-of-twice-the-target",
        bug="The law with stability against 2Δ.",
        replaces="implementations.ghazi2023.del_output_pert:output_law",
        swap=("smallest_stable(table, p.target, p.kappa)", "smallest_stable(table, 2 * p.target, p.kappa)"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-del-output-pert-below-2-kappa",
        bug="Never deletes 2κ users.",
        replaces="implementations.ghazi2023.del_output_pert:answer_probability",
        swap=("deletions > 2 * p.kappa", "deletions >= 2 * p.kappa"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
]
