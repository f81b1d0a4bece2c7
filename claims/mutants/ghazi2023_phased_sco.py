"""Phased-SCO of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-phased-sco-closed-batches",
        bug="The corrected batches closed as printed.",
        replaces="implementations.ghazi2023.phased_sco:batch",
        swap=("math.floor(low) + 1", "math.ceil(low)"),
        caught_by=("ghazi2023/algorithm-4:corrected",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-nested-batches",
        bug="Phase i uses all users from 2⁻ⁱn on.",
        replaces="implementations.ghazi2023.phased_sco:batch",
        swap=("math.floor(high))", "n)"),
        caught_by=("ghazi2023/algorithm-4:corrected",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-batch-of-3",
        bug="Batches of n/3ⁱ users.",
        replaces="implementations.ghazi2023.phased_sco:batch",
        swap=("n / 2**index, n / 2 ** (index - 1)", "n / 3**index, n / 3 ** (index - 1)"),
        caught_by=("ghazi2023/algorithm-6-privacy",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-regulariser-one-term",
        bug="The corrected λ without 1/√(nm).",
        replaces="implementations.ghazi2023.phased_sco:corrected_regulariser",
        swap=("+ 1.0 / math.sqrt(n * m)", "+ 0.0 * math.sqrt(n * m)"),
        caught_by=("ghazi2023/theorem-5.1-proof:corrected",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-phases-of-log2",
        bug="T to base 2 whatever is asked.",
        replaces="implementations.ghazi2023.phased_sco:phase_count",
        swap=("logarithm(n / least, base)", 'logarithm(n / least, "2")'),
        caught_by=("ghazi2023/algorithm-6-privacy",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-beta-not-split",
        bug="Gives every phase the whole β.",
        replaces="implementations.ghazi2023.phased_sco:phased_sco",
        swap=("delta, beta / phases, rng", "delta, beta, rng"),
        caught_by=("ghazi2023/algorithm-6-privacy",),
    ),
]
