"""Radii and populations of levy2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="levy2021-bounded-radius-halved",
        bug="Takes the radius B of the ball for its diameter 2B in the concentration of bounded samples.",
        replaces="implementations.levy2021.users:bounded_radius",
        swap=("return min(2.0 * bound, 2.0 * bound * math", "return min(2.0 * bound, bound * math"),
        caught_by=("levy2021/printed-formulas",),
    ),
    Mutant(
        name="levy2021-gaussian-radius-ignores-m",
        bug="Takes the radius of single samples.",
        replaces="implementations.levy2021.users:gaussian_radius",
        swap=(" / math.sqrt(m)", ""),
        caught_by=("levy2021/printed-formulas",),
    ),
    Mutant(
        name="levy2021-outliers-at-one-corner",
        bug="Puts all outliers at one corner, whichever was asked for.",
        replaces="implementations.levy2021.users:SignPopulation.user_means",
        swap=("np.ones(n) if self.aligned", "np.ones(n) if True"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-sign-steps-too-long",
        bug="Gives every coordinate the length of the whole vector.",
        replaces="implementations.levy2021.users:SignPopulation.user_means",
        swap=("step = self.radius / math.sqrt(self.dimension)", "step = self.radius"),
        caught_by=(
            "levy2021/sampler-laws",
            "levy2021/corollary-1",
            "levy2021/heterogeneity",
        ),
    ),
]
