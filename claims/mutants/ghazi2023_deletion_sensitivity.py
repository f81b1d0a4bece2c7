"""Deletion sensitivity of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-deletion-sensitivity-one-axis",
        bug="Keeps the jump along the last type only.",
        replaces="implementations.ghazi2023.deletion_sensitivity:count_table",
        swap=("np.maximum(step[tuple(later)], jump)", "jump + 0.0 * step[tuple(later)]"),
        caught_by=("ghazi2023/theorem-3.3-utility",),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-half-reach",
        bug="Looks 2κ deletions down for 4κ.",
        replaces="implementations.ghazi2023.deletion_sensitivity:smallest_stable",
        swap=("(deleted <= 4 * kappa)", "(deleted <= 2 * kappa)"),
        caught_by=(
            "ghazi2023/theorem-3.3-utility",
            "ghazi2023/theorem-3.3-privacy:without-empty-corrected",
            "ghazi2023/theorem-3.3-privacy",
        ),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-local-only",
        bug="Tests the dataset alone, not the datasets below it.",
        replaces="implementations.ghazi2023.deletion_sensitivity:smallest_stable",
        swap=("bad = np.logical_or.accumulate(bad, axis=axis)", "bad = bad"),
        caught_by=("ghazi2023/observation-3.5", "ghazi2023/theorem-3.3-privacy"),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-largest-deletion",
        bug="Takes the largest stable deletion for the smallest.",
        replaces="implementations.ghazi2023.deletion_sensitivity:smallest_stable",
        swap=("int(deleted[stable].min())", "int(deleted[stable].max())"),
        caught_by=("ghazi2023/theorem-3.3-utility",),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-no-further-deletions",
        bug="Evaluates Δ̄ at the dataset itself for Δ̄_r.",
        replaces="implementations.ghazi2023.deletion_sensitivity:brute_force",
        swap=("range(min(r, len(x)) + 1)", "range(1)"),
        caught_by=("ghazi2023/section-6-runtime", "ghazi2023/theorem-3.3-utility"),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-count-to-4-kappa",
        bug="Counts datasets with 4κ for 4κ + 1 deletions.",
        replaces="implementations.ghazi2023.deletion_sensitivity:table_counts",
        swap=("range(min(4 * kappa + 1, n) + 1)", "range(min(4 * kappa, n) + 1)"),
        caught_by=("ghazi2023/section-6-runtime",),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-open-reach",
        bug="Looks at fewer than 4κ deletions.",
        replaces="implementations.ghazi2023.deletion_sensitivity:smallest_stable",
        swap=("(deleted <= 4 * kappa)", "(deleted < 4 * kappa)"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-strict",
        bug="Wants Δ̄ below Δ, not at most Δ.",
        replaces="implementations.ghazi2023.deletion_sensitivity:smallest_stable",
        swap=("table.step > target", "table.step >= target"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-mean-over-n",
        bug="Divides by the users before the deletion.",
        replaces="implementations.ghazi2023.deletion_sensitivity:mean_sensitivity",
        swap=("/ (left - 1)", "/ left"),
        caught_by=("ghazi2023/definition-3.2",),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-mean-one-end",
        bug="Looks at the greatest number only.",
        replaces="implementations.ghazi2023.deletion_sensitivity:mean_sensitivity",
        swap=("(ordered[..., ::-1], -ordered)", "(ordered[..., ::-1],)"),
        caught_by=("ghazi2023/definition-3.2",),
    ),
    Mutant(
        name="ghazi2023-deletion-sensitivity-table-below-r",
        bug="Δ̄_r over fewer than r deletions.",
        replaces="implementations.ghazi2023.deletion_sensitivity:table_sensitivity",
        swap=("table.deleted <= r", "table.deleted < max(r, 1)"),
        caught_by=("ghazi2023/definition-3.2",),
    ),
]
