"""What the checks of asi2024's lemmas compute with, with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="asi2024-light-norm",
        bug="Leaves the factor 2 out of the tail of the heaviest norm.",
        replaces="implementations.asi2024.norm_subgaussian:excess_exponential",
        swap=("2.0 * x * math.sqrt", "x * math.sqrt"),
        caught_by=("asi2024/lemma-2.7",),
    ),
    Mutant(
        name="asi2024-proxy-halved",
        bug="Leaves the 2 out of 2·log M(λ)/λ².",
        replaces="implementations.asi2024.norm_subgaussian:variance_proxy",
        swap=("2.0 * np.log1p", "np.log1p"),
        caught_by=("asi2024/lemma-2.7",),
    ),
    Mutant(
        name="asi2024-clipped-from-above-only",
        bug="Leaves entries below the band where they are.",
        replaces="implementations.asi2024.pure_approximation:clipped_to",
        swap=("np.clip(row, low, high)", "np.minimum(row, high)"),
        caught_by=("asi2024/lemma-4.5:corrected",),
    ),
    Mutant(
        name="asi2024-pure-table-of-half-the-budget",
        bug="Looks for the nearest (ε, 0)-private table among those with half of the budget.",
        replaces="implementations.asi2024.pure_approximation:nearest_pure",
        swap=("-math.exp(epsilon)", "-math.exp(0.25 * epsilon)"),
        caught_by=("asi2024/lemma-4.5:corrected",),
    ),
    Mutant(
        name="asi2024-chain-that-stands-still",
        bug="Lets the drifting chain rise by the factor e^ε only, without the δ.",
        replaces="implementations.asi2024.pure_approximation:drifting_chain",
        swap=("math.exp(epsilon) * last + delta", "math.exp(epsilon) * last"),
        caught_by=("asi2024/lemma-4.5:corrected",),
    ),
    Mutant(
        name="asi2024-law-of-the-mean-not-normalised",
        bug="The law of the mean divides by the number of all users.",
        replaces="implementations.asi2024.clusters:mean_law",
        swap=("np.maximum(sizes, 1.0)[:, None]", "data.users"),
        caught_by=("asi2024/lemma-3.7:program",),
    ),
    Mutant(
        name="asi2024-clusters-within-tau",
        bug="The law of the clusters counts users within τ.",
        replaces="implementations.asi2024.clusters:kept_probabilities",
        swap=("2.0 * tau", "tau"),
        caught_by=("asi2024/lemma-3.7:program",),
    ),
    Mutant(
        name="asi2024-transcript-shows-the-halting-query",
        bug="Counts the answer at the halting query among those shown.",
        replaces="implementations.asi2024.clusters:transcript_pair",
        swap=("[shown[:-1], shown[-1:]]", "[shown[1:], shown[-1:]]"),
        caught_by=("asi2024/algorithm-1:clusters",),
    ),
    Mutant(
        name="asi2024-cluster-mean-over-all-users",
        bug="Divides the fixed mean by all users.",
        replaces="implementations.asi2024.clusters:fixed_mean",
        swap=("@ data.positions / size", "@ data.positions / data.users"),
        caught_by=("asi2024/algorithm-1:clusters",),
    ),
]
