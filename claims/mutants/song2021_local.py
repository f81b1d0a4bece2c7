"""The local variant of song2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="song2021-local-noise-of-the-centre",
        bug="Divides the noise of the mean report by n in the place of √n.",
        replaces="implementations.song2021.local:local_dp_gd",
        swap=("noise / math.sqrt(n)", "noise / n"),
        caught_by=("song2021/footnote-3",),
    ),
    Mutant(
        name="song2021-local-one-round",
        bug="Calibrates the report of one round: T rounds compose.",
        replaces="implementations.song2021.local:report_noise",
        swap=("math.sqrt(steps)", "1.0"),
        caught_by=("song2021/footnote-3",),
    ),
    Mutant(
        name="song2021-local-half-sensitivity",
        bug="Takes L for how far a report moves: a replaced gradient goes from +L to −L.",
        replaces="implementations.song2021.local:report_noise",
        swap=("return 2.0 * lipschitz", "return lipschitz"),
        caught_by=("song2021/footnote-3",),
    ),
    Mutant(
        name="song2021-local-one-noise-for-all-coordinates",
        bug="A report adds one number to all of its coordinates.",
        replaces="implementations.song2021.local:local_reports",
        swap=("rng.standard_normal(problem.features.shape)", "rng.standard_normal((len(slopes), 1))"),
        caught_by=("song2021/footnote-3",),
    ),
    Mutant(
        name="song2021-local-without-projection",
        bug="The constraint set is taken and not used.",
        replaces="implementations.song2021.local:local_dp_gd",
        swap=("None if domain is None else domain.project", "None"),
        caught_by=("song2021/footnote-3",),
    ),
]
