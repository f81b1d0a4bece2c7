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
        swap=("delta, beta / phases)", "delta, beta)"),
        caught_by=("ghazi2023/algorithm-6-privacy",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-centre-forgotten",
        bug="Regularises about θ̂₀ in every phase.",
        replaces="implementations.ghazi2023.phased_sco:phased_sco",
        swap=("theta = phase.theta", "theta = theta"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-minimiser-handed-on",
        bug="The next phase starts at θ*ᵢ, data without noise.",
        replaces="implementations.ghazi2023.phased_sco:phased_sco",
        swap=("theta = phase.theta", "theta = phase.minimiser"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-first-batch-again",
        bug="The users of phase 1 in every phase.",
        replaces="implementations.ghazi2023.phased_sco:phased_sco",
        swap=("batch(users.n, i, variant)", "batch(users.n, 1, variant)"),
        caught_by=("ghazi2023/transcripts", "ghazi2023/algorithm-6-privacy"),
    ),
    Mutant(
        name="ghazi2023-phased-sco-batch-without-a-user",
        bug="Corrected batches leave a user out.",
        replaces="implementations.ghazi2023.phased_sco:batch",
        swap=("math.floor(low) + 1", "math.floor(low) + 2"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-too-many-phases",
        bug="⌈log₂(n/N₀)⌉ phases in the corrected form.",
        replaces="implementations.ghazi2023.phased_sco:phase_count",
        swap=("math.floor(math.log2(n / least))", "math.ceil(math.log2(n / least))"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-smallest-batch",
        bug="N₀ with log(2/δ).",
        replaces="implementations.ghazi2023.phased_sco:smallest_batch",
        swap=("math.log(1.0 / delta)", "math.log(2.0 / delta)"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-phases-of-ln",
        bug="⌊ln(n/N₀)⌋ phases in the corrected form: the last noise falls like n^(−1.2).",
        replaces="implementations.ghazi2023.phased_sco:phase_count",
        swap=("math.floor(math.log2(n / least))", "math.floor(math.log(n / least))"),
        caught_by=("ghazi2023/theorem-5.1:last-phase", "ghazi2023/theorem-5.3:last-phase"),
    ),
    Mutant(
        name="ghazi2023-phased-sco-noise-off-in-eps",
        bug="The budget of a phase is ε^1.2.",
        replaces="implementations.ghazi2023.phased_sco:phased_sco",
        swap=("Guarantee(epsilon, delta,", "Guarantee(epsilon**1.2, delta,"),
        caught_by=("ghazi2023/theorem-5.1:last-phase", "ghazi2023/theorem-5.3:last-phase"),
    ),
    Mutant(
        name="ghazi2023-phased-sco-regulariser-off-in-n",
        bug="n^(−1/4) in λ for n^(−1/2).",
        replaces="implementations.ghazi2023.phased_sco:corrected_regulariser",
        swap=("1.0 / math.sqrt(n * m)", "1.0 / math.sqrt(math.sqrt(n) * m)"),
        caught_by=("ghazi2023/theorem-5.1:many-users",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-regulariser-off-in-m",
        bug="λ with 1/√n for 1/√(nm).",
        replaces="implementations.ghazi2023.phased_sco:corrected_regulariser",
        swap=("1.0 / math.sqrt(n * m)", "1.0 / math.sqrt(n)"),
        caught_by=("ghazi2023/theorem-5.1:many-users",),
    ),
    Mutant(
        name="ghazi2023-phased-sco-regulariser-off-in-d",
        bug="λ grows like d.",
        replaces="implementations.ghazi2023.phased_sco:corrected_regulariser",
        swap=("return lipschitz / diameter", "return d * lipschitz / diameter"),
        caught_by=("ghazi2023/theorem-5.1:many-users",),
    ),
]
