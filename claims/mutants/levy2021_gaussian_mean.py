"""The Gaussian mechanism on user means with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="levy2021-gaussian-noise-over-n-squared",
        bug="Divides the noise by n twice, once in the sensitivity and once in the mean.",
        replaces="implementations.levy2021.gaussian_mean:gaussian_scale",
        swap=("2.0 * reach / (n *", "2.0 * reach / (n * n *"),
        caught_by=(
            "levy2021/theorem-5",
            "levy2021/theorem-5:tracing",
            "levy2021/corollary-1:optimal",
            "levy2021/sampler-laws",
        ),
    ),
    Mutant(
        name="levy2021-gaussian-half-sensitivity",
        bug="Takes the radius of the ball for its diameter.",
        replaces="implementations.levy2021.gaussian_mean:gaussian_scale",
        swap=("2.0 * reach", "reach"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-gaussian-without-clipping",
        bug="Averages the means as they are.",
        replaces="implementations.levy2021.gaussian_mean:gaussian_mean",
        swap=("(means * np.minimum(1.0, reach / np.maximum(norm, 1e-300)))", "means"),
        caught_by=("levy2021/sampler-laws",),
    ),
]
