"""The packing of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.packing"

MUTANTS = [
    Mutant(
        name="lee2024-rank-lost",
        bug="Leaves the identity out of the generator: words repeat.",
        replaces=f"{_PLACE}:generator_matrix",
        swap=("np.eye(k, dtype=np.int8)", "np.zeros((k, k), dtype=np.int8)"),
        caught_by=("lee2024/lemma-d.1",),
    ),
    Mutant(
        name="lee2024-unscaled",
        bug="Divides by d, not by its root.",
        replaces=f"{_PLACE}:points",
        swap=("math.sqrt(code.shape[1])", "code.shape[1]"),
        caught_by=("lee2024/lemma-d.1",),
    ),
    Mutant(
        name="lee2024-over-integers",
        bug="Adds the words over the integers.",
        replaces=f"{_PLACE}:words",
        swap=("% 2).astype", "% 3 % 2).astype"),
        caught_by=("lee2024/lemma-d.1",),
    ),
    Mutant(
        name="lee2024-distance-linear",
        bug="Takes h/d for its root in the least distance.",
        replaces=f"{_PLACE}:least_distance",
        swap=(
            "math.sqrt(int(weights.min()) / generator.shape[1])",
            "int(weights.min()) / generator.shape[1]",
        ),
        caught_by=("lee2024/lemma-d.1",),
    ),
    Mutant(
        name="lee2024-all-copies",
        bug="Fills the whole dataset with copies.",
        replaces=f"{_PLACE}:dataset",
        swap=("records[: min(n, copies)]", "records[:]"),
        caught_by=("lee2024/lemma-d.1", "lee2024/theorem-d.2"),
    ),
    Mutant(
        name="lee2024-copies-tenfold",
        bug="Takes d/(2 epsilon) copies.",
        replaces=f"{_PLACE}:radius_count",
        swap=("20.0 * epsilon", "2.0 * epsilon"),
        caught_by=("lee2024/lemma-d.1",),
    ),
]
