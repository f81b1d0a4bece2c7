"""The regularised exponential mechanism of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.regularised_exponential"

MUTANTS = [
    Mutant(
        name="lee2024-gdp-sensitivity",
        bug="Takes G/n for the sensitivity: a replaced record is removed and another one added.",
        replaces=f"{_PLACE}:Parameters.gaussian_mu",
        swap=("2.0 * lipschitz / n", "lipschitz / n"),
        caught_by=("lee2024/theorem-2.2-privacy:corrected",),
    ),
    Mutant(
        name="lee2024-mu-quarter",
        bug="Takes 2 for 8 in mu, as if one record moved the loss by G/n.",
        replaces=f"{_PLACE}:parameters",
        swap=("8.0 * eta", "2.0 * eta"),
        caught_by=("lee2024/theorem-2.2-privacy:corrected",),
    ),
    Mutant(
        name="lee2024-eta-squared-root",
        bug="Drops the root of k/log(1/delta) in eta.",
        replaces=f"{_PLACE}:parameters",
        swap=("math.sqrt(inside)", "inside"),
        caught_by=("lee2024/theorem-2.2-utility", "lee2024/theorem-2.2-privacy:corrected"),
    ),
    Mutant(
        name="lee2024-log-not-inverted",
        bug="Takes the log of delta times n.",
        replaces=f"{_PLACE}:parameters",
        swap=("rank * log if", "rank / log if"),
        caught_by=("lee2024/theorem-2.2-utility:both-logs",),
    ),
    Mutant(
        name="lee2024-mu-unsquared",
        bug="Divides by n*epsilon once, not squared.",
        replaces=f"{_PLACE}:parameters",
        swap=("(n * epsilon) ** 2", "(n * epsilon)"),
        caught_by=("lee2024/theorem-2.2-utility", "lee2024/theorem-2.2-privacy:corrected"),
    ),
    Mutant(
        name="lee2024-eta-unsquared",
        bug="Takes eta to the power 3/2, not squared, in the reading of mu with eta squared.",
        replaces=f"{_PLACE}:parameters",
        swap=('"squared": eta}', '"squared": math.sqrt(eta)}'),
        caught_by=("lee2024/algorithm-1",),
    ),
    Mutant(
        name="lee2024-strength-halved",
        bug="Halves the strong convexity, as if the regulariser were mu/4.",
        replaces=f"{_PLACE}:Parameters.strength",
        swap=("self.eta * self.mu", "0.5 * self.eta * self.mu"),
        caught_by=("lee2024/algorithm-1",),
    ),
]
