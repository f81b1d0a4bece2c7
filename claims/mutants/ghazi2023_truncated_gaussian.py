"""Truncated Gaussians and the reduction to items of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-truncated-gaussian-d-degrees",
        bug="d degrees of freedom for d + 2: the lost probability for the lost mean.",
        replaces="implementations.ghazi2023.truncated_gaussian:lost_share",
        swap=("ncx2.sf(ratio, d + 2,", "ncx2.sf(ratio, d,"),
        caught_by=("ghazi2023/lemma-d.2",),
    ),
    Mutant(
        name="ghazi2023-truncated-gaussian-bound-squared-once",
        bug="B/σ for (B/σ)².",
        replaces="implementations.ghazi2023.truncated_gaussian:lost_share",
        swap=("(bound / sigma) ** 2", "bound / sigma"),
        caught_by=("ghazi2023/lemma-d.2",),
    ),
    Mutant(
        name="ghazi2023-truncated-gaussian-not-truncated",
        bug="Draws that are not truncated.",
        replaces="implementations.ghazi2023.truncated_gaussian:draw",
        swap=("z, 0.0)", "z, z)"),
        caught_by=("ghazi2023/lemma-d.2",),
    ),
    Mutant(
        name="ghazi2023-truncated-gaussian-uncentred",
        bug="The noise within a user is not centred.",
        replaces="implementations.ghazi2023.truncated_gaussian:user_from_item",
        swap=("(w - w.mean(axis=1, keepdims=True))", "w"),
        caught_by=("ghazi2023/lemma-d.3",),
    ),
    Mutant(
        name="ghazi2023-truncated-gaussian-wrong-scale",
        bug="σ² for σ within a user.",
        replaces="implementations.ghazi2023.truncated_gaussian:user_from_item",
        swap=("sigma * (w", "sigma**2 * (w"),
        caught_by=("ghazi2023/lemma-d.3",),
    ),
    Mutant(
        name="ghazi2023-truncated-gaussian-variance-for-sd",
        bug="σ² for σ in the draws.",
        replaces="implementations.ghazi2023.truncated_gaussian:draw",
        swap=("sigma * rng", "sigma**2 * rng"),
        caught_by=("ghazi2023/lemma-d.2",),
    ),
    Mutant(
        name="ghazi2023-truncated-gaussian-box",
        bug="Truncates to a box.",
        replaces="implementations.ghazi2023.truncated_gaussian:draw",
        swap=("np.linalg.norm(z, axis=-1, keepdims=True) <= bound", "np.abs(z) <= bound"),
        caught_by=("ghazi2023/lemma-d.2",),
    ),
]
