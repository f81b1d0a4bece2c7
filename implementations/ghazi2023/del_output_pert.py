"""DelOutputPert (Algorithm 1): Gaussian output perturbation behind a test of deletion sensitivity.

R₁ is drawn once and the chosen subset does not depend on it, apart from whether it is allowed. So the
output law on a dataset is ⊥ with probability P(R₁ < s) and N(f(x₋S), σ²I) otherwise, where s = |S| is the
least number of deletions that leaves a stable dataset (nothing stable: ⊥ always).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from implementations.checks import one_of, positive, probability
from implementations.ghazi2023 import truncated_laplace
from implementations.ghazi2023.deletion_sensitivity import CountTable, smallest_stable
from implementations.interfaces import Array
from implementations.privacy import gaussian_delta

Noise = Literal["printed", "least"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Line 3: ε̄ = ε/2, δ̄ = δ/(e^ε̄ + 2), κ = κ(ε̄, δ̄), σ = 2·√ln(2/δ̄)·8κΔ/ε̄ or less; and Δ itself."""

    epsilon: float
    delta: float
    target: float
    test_epsilon: float
    test_delta: float
    kappa: int
    sigma: float


def parameters(epsilon: float, delta: float, target: float, noise: Noise = "printed") -> Parameters:
    """The parameters of Algorithm 1 for a budget (ε, δ) and a target deletion sensitivity Δ (line 3).

    noise  "printed": σ of line 3. "least": the σ of `least_noise`.

    The text assumes ε ≤ 1 and δ ≤ 1/2. Raises ValueError outside that range or for Δ ≤ 0.
    """
    positive(epsilon=epsilon, target=target)
    probability(delta=delta)
    if epsilon > 1.0 or delta > 0.5:
        raise ValueError(f"need epsilon ≤ 1 and delta ≤ 1/2, as the text assumes, got {epsilon} and {delta}")
    half = epsilon / 2.0
    delta_bar = delta / (math.exp(half) + 2.0)
    kappa = truncated_laplace.half_width(half, delta_bar)
    one_of(("printed", "least"), noise=noise)
    sigma = 2.0 * math.sqrt(math.log(2.0 / delta_bar)) * (8.0 * kappa * target) / half
    if noise == "least":
        sigma = target * least_noise(epsilon, delta)
    return Parameters(epsilon, delta, target, half, delta_bar, kappa, sigma)


@cache
def least_noise(epsilon: float, delta: float) -> float:
    """The least σ/Δ, rounded up by at most 10⁻⁶ of it, with which Algorithm 1 is (ε, δ)-DP for every f.

    Two neighbours matter through the least numbers of deletions s, s′ that leave a stable dataset, |s − s′| ≤
    1, and the distance of the two centres, at most (s + s′ + 2)Δ (`theorem-3.3-privacy`). Of ⊥ or a Gaussian
    against the same, the hockey-stick divergence at ε is max(0, P(⊥) − e^ε·P′(⊥)) + p·δ_Gauss(ε − ln(p/p′)),
    p and p′ the probabilities of an answer, which differ by a factor of at most e^{ε/2} unless one is 0.

    >>> round(least_noise(1.0, 1e-6) / parameters(1.0, 1e-6, 1.0).sigma, 3)
    0.129
    """
    p = parameters(epsilon, delta, 1.0)
    tail = np.append(truncated_laplace.upper_tail(p.test_epsilon, p.test_delta), 0.0)
    first = np.concatenate([np.arange(tail.size), np.arange(1, tail.size), np.arange(tail.size - 1)])
    other = np.concatenate([np.arange(tail.size), np.arange(tail.size - 1), np.arange(1, tail.size)])
    here, there = tail[first], tail[other]
    silent = np.maximum(0.0, (1.0 - here) - math.exp(epsilon) * (1.0 - there))
    if np.where(there > 0.0, silent, silent + here).max() > delta:
        raise ValueError(f"no noise gives ({epsilon}, {delta})-DP: the test alone spends more")
    both = (here > 0.0) & (there > 0.0)
    here, there, silent, apart = here[both], there[both], silent[both], (first + other + 2.0)[both]
    level = epsilon - np.log(here / there)
    low, high = 0.0, p.sigma
    while high - low > 1e-6 * high:
        middle = 0.5 * (low + high)
        found = float((silent + here * gaussian_delta(level, apart / middle)).max())
        low, high = (low, middle) if found <= delta else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class Law:
    """The exact output law: ⊥ with probability 1 − answer, else N(centre, σ²I); centre (d,)."""

    answer: float
    centre: Array
    sigma: float


def answer_probability(deletions: int | None, p: Parameters) -> float:
    """P(R₁ ≥ s), the probability that s deletions are allowed; 0 for None (nothing is stable)."""
    if deletions is None or deletions > 2 * p.kappa:
        return 0.0
    return float(truncated_laplace.upper_tail(p.test_epsilon, p.test_delta)[deletions])


def output_law(table: CountTable, p: Parameters, *, tie: int = 0) -> Law:
    """The law of Algorithm 1 on the dataset of the table.

    tie  which of the tied subsets line 9 takes ("ties broken arbitrarily"): the first by default, −1 the
         last.
    """
    found = smallest_stable(table, p.target, p.kappa)
    if found is None:
        return Law(0.0, np.zeros(table.values.shape[-1]), p.sigma)
    deletions, centres = found
    return Law(answer_probability(deletions, p), centres[tie], p.sigma)


def del_output_pert(
    table: CountTable, p: Parameters, size: int, rng: np.random.Generator, *, tie: int = 0
) -> Array:
    """Run Algorithm 1 `size` times: (size, d); a row of NaN is ⊥.

    Line by line: R₁ is drawn (line 4), stability is tested (5 to 8), the smallest subset is taken (9),
    Gaussian noise is added (10).
    """
    allowed = truncated_laplace.draw(p.test_epsilon, p.test_delta, size, rng)
    found = smallest_stable(table, p.target, p.kappa)
    noise = p.sigma * rng.standard_normal((size, table.values.shape[-1]))
    if found is None:
        return np.full_like(noise, np.nan)
    deletions, centres = found
    return np.where((allowed >= deletions)[:, None], centres[tie] + noise, np.nan)
