"""The regularised exponential mechanism: the parameters of Algorithm 1 of Lee, Liu and Lu (2024).

The mechanism samples θ with density ∝ exp(−η(L(θ; D) + (μ/2)‖θ‖²)). The samplers stand in modules of their
own; what is computed here is η and μ, in each way in which the formulas can be read, and the privacy that
they give.

Replacing a record moves η·L(·; D) by a function that is 2ηG/n-Lipschitz, and the potential is ημ-strongly
convex, so the mechanism is μ_G-Gaussian private with μ_G = (2ηG/n)/√(ημ) = (2G/n)·√(η/μ) (Lemma E.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from implementations import checks

INVERSE_TEMPERATURES = ("log-above", "log-below")
REGULARISERS = ("plain", "log", "squared")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The inverse temperature η (one over a loss) and the regulariser μ (a loss over a squared length)."""

    eta: float
    mu: float

    @property
    def strength(self) -> float:
        """ημ, the strong convexity of the potential η(L + (μ/2)‖θ‖²)."""
        return self.eta * self.mu

    def gaussian_mu(self, *, n: int, lipschitz: float) -> float:
        """The Gaussian privacy parameter (2G/n)·√(η/μ) under replacement of one of n records (Lemma E.1)."""
        checks.positive(lipschitz=lipschitz)
        checks.whole_number(n=n)
        return 2.0 * lipschitz / n * math.sqrt(self.eta / self.mu)


def parameters(
    *,
    n: int,
    epsilon: float,
    delta: float,
    rank: int,
    lipschitz: float,
    radius: float,
    inverse_temperature: str,
    regulariser: str,
) -> Parameters:
    """Line 1 of Algorithm 1: η and μ for n records, rank k, losses G-Lipschitz, minimisers within radius C.

    inverse_temperature  "log-above": η = nε√(k·log(1/δ))/(GC), as the formula seems to read; "log-below":
                         η = nε√(k/log(1/δ))/(GC), which balances μC² and k/η when μ carries the log.
    regulariser          "plain": μ = 8ηG²/(n²ε²); "log": μ = 8ηG²·log(1/δ)/(n²ε²); "squared":
                         μ = 8η²G²/(n²ε²), whose units do not fit a loss over a squared length.
    Raises ValueError for a parameter out of range or a reading that is not named above.

    >>> p = parameters(n=100, epsilon=0.4, delta=1e-6, rank=2, lipschitz=1.0, radius=1.0,
    ...                inverse_temperature="log-below", regulariser="log")
    >>> round(p.gaussian_mu(n=100, lipschitz=1.0) * math.sqrt(2 * math.log(1e6)), 12)
    0.4
    """
    checks.whole_number(n=n, rank=rank)
    checks.positive(epsilon=epsilon, lipschitz=lipschitz, radius=radius)
    checks.probability(delta=delta)
    log = math.log(1.0 / delta)
    checks.one_of(INVERSE_TEMPERATURES, inverse_temperature=inverse_temperature)
    checks.one_of(REGULARISERS, regulariser=regulariser)
    inside = rank * log if inverse_temperature == "log-above" else rank / log
    eta = n * epsilon * math.sqrt(inside) / (lipschitz * radius)
    plain = 8.0 * eta * lipschitz**2 / (n * epsilon) ** 2
    factor = {"plain": 1.0, "log": log, "squared": eta}[regulariser]
    return Parameters(eta=eta, mu=plain * factor)
