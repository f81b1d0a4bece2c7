"""The logistic instance of Theorem D.4 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="song2021-features-exchanged",
        bug="The features of the two kinds of records are exchanged.",
        replaces="implementations.song2021.logistic_instance:problem",
        swap=(
            "np.where(negative, 1.0, 0.5)",
            "np.where(negative, 0.5, 1.0)",
        ),
        caught_by=(
            "song2021/theorem-d.4-proof",
            "song2021/theorem-d.4",
        ),
    ),
    Mutant(
        name="song2021-half-and-half",
        bug="Half of the records have the negative label, not a third.",
        replaces="implementations.song2021.logistic_instance:problem",
        swap=(
            "np.arange(n) < n // 3",
            "np.arange(n) < n // 2",
        ),
        caught_by=("song2021/theorem-d.4-proof",),
    ),
    Mutant(
        name="song2021-kink-of-norm-one",
        bug="The clip is reached where it would be for a feature of norm 1.",
        replaces="implementations.song2021.logistic_instance:upper_kink",
        swap=(
            "0.5 / b - 1.0",
            "1.0 / b - 1.0",
        ),
        caught_by=("song2021/theorem-d.4-proof",),
    ),
    Mutant(
        name="song2021-half-the-optimum",
        bug="The minimiser for features of norm 1: the factor 2 of x = 1/2 is left out.",
        replaces="implementations.song2021.logistic_instance:clipped_optimum",
        swap=(
            "2.0 * math.log",
            "math.log",
        ),
        caught_by=("song2021/theorem-d.4-proof",),
    ),
    Mutant(
        name="song2021-risk-of-norm-one",
        bug="The risk takes x = 1 for all records.",
        replaces="implementations.song2021.logistic_instance:risk",
        swap=(
            "-0.5 * theta",
            "-theta",
        ),
        caught_by=("song2021/theorem-d.4-proof",),
    ),
    Mutant(
        name="song2021-line-without-its-height",
        bug="The line beyond the kink starts at 0 and not on the loss.",
        replaces="implementations.song2021.logistic_instance:clipped_risk",
        swap=(
            " + math.log(1.0 / (1.0 - b))",
            "",
        ),
        caught_by=("song2021/theorem-d.4-proof",),
    ),
]
