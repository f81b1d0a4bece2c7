"""The quadrature of section 2 of lee2024 with planted bugs: the lemmas about laws call no implementation, so
the computation that stands in for the law is what can be wrong.
"""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "claims.lee2024._laws"

MUTANTS = [
    Mutant(
        name="lee2024-variance-uncentred",
        bug="Takes the second moment for the variance.",
        replaces=f"{_PLACE}:moments",
        swap=("(value - first) ** 2", "value**2"),
        caught_by=("lee2024/lemma-2.3", "lee2024/lemma-2.3:sampled"),
    ),
    Mutant(
        name="lee2024-second-moment",
        bug="Takes the second moment for the variance: larger than the bounds allow.",
        replaces=f"{_PLACE}:moments",
        swap=("density @ (value - first) ** 2", "density @ value**2"),
        caught_by=("lee2024/lemma-2.5:corrected", "lee2024/lemma-2.7:corrected"),
    ),
    Mutant(
        name="lee2024-regulariser-weak",
        bug="Leaves the regulariser of the first coordinate out of the reference density.",
        replaces=f"{_PLACE}:nodes",
        swap=("log_weight = log_r[:, None] + log_x - 0.5 * mu * x**2", "log_weight = log_r[:, None] + log_x"),
        caught_by=("lee2024/lemma-2.6:corrected", "lee2024/lemma-2.6:centred"),
    ),
    Mutant(
        name="lee2024-temperature-lost",
        bug="Integrates f under a law a hundred times hotter.",
        replaces=f"{_PLACE}:moments",
        swap=("at.log_weight - t * family", "at.log_weight - 0.01 * t * family"),
        caught_by=("lee2024/lemma-2.3", "lee2024/lemma-2.5:corrected", "lee2024/lemma-2.3:sampled"),
    ),
    Mutant(
        name="lee2024-mean-of-squares",
        bug="Takes the mean of f squared for the mean of f.",
        replaces=f"{_PLACE}:moments",
        swap=("first = float(density @ value)", "first = float(density @ value**2)"),
        caught_by=("lee2024/lemma-2.8", "lee2024/lemma-2.8-proof"),
    ),
    Mutant(
        name="lee2024-volume-lost",
        bug="Leaves the volume element r^(m-1) out.",
        replaces=f"{_PLACE}:nodes",
        swap=("np.log((half * weight).ravel()) + (m - 1) * np.log(r)", "np.log((half * weight).ravel())"),
        caught_by=("lee2024/lemma-2.3:sampled",),
    ),
]
