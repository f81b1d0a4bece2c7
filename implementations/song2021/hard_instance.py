"""The hard instance of Theorem B.1 of song2021, and estimators to hold against its bound.

D_{p,α} is a law on {0,1}ᵈ × {0,1}: X = 0 with probability 1 − α, otherwise a uniformly random basis vector;
Z ~ ∏ Bernoulli(p_j) independently, and Y = ⟨Z, X⟩. Under the loss |⟨θ, x⟩ − y| a dataset acts only through
the counts of each coordinate: how many records have X = e_j and Y = 0, and how many Y = 1. All functions here
work on batches of such counts, shape (…, d).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from implementations import losses
from implementations.checks import numbers, positive, unit_interval, whole_number
from implementations.interfaces import Adjacency, Array, Problem
from implementations.privacy import mu_star
from implementations.song2021 import dp_gd

Counts = NDArray[np.int64]
PRIOR = 1.0 / 80.0
"""β of the Beta(β, β) prior on each p_j in the proof of Theorem B.1."""


@dataclass(frozen=True, slots=True)
class Sample:
    """n records of D_{p,α}, as counts (…, d) of the records at each coordinate with Y = 0 and with Y = 1."""

    zeros: Counts
    ones: Counts
    n: int


def draw_parameter(size: int, d: int, rng: np.random.Generator, beta: float = PRIOR) -> Array:
    """p ~ Beta(β, β)ᵈ, (size, d). For β = 1/80 nearly every coordinate is 0 or 1 to machine precision."""
    return rng.beta(beta, beta, (size, d))


def draw_sample(p: Array, alpha: float, n: int, rng: np.random.Generator) -> Sample:
    """n independent records of D_{p,α} for each row of p (size, d).

    Given p the records at coordinate j are Binomial(k_j, p_j) ones, (k_1..k_d) multinomial with cells α/d.
    Raises ValueError for α outside [0, 1], p outside [0, 1] or n < 1.
    """
    unit_interval(alpha=alpha)
    whole_number(n=n)
    numbers("p", p, low=0.0, high=1.0)
    size, d = p.shape
    present = rng.binomial(n, alpha, size)
    counts = rng.multinomial(present, np.full(d, 1.0 / d))
    ones = rng.binomial(counts, p)
    return Sample(zeros=counts - ones, ones=ones, n=n)


def dataset(sample: Sample) -> Problem:
    """The records of a single sample, counts (d,), by coordinate, as a problem with features (n, d)."""
    d = sample.zeros.shape[-1]
    total = int(sample.zeros.sum() + sample.ones.sum())
    features = np.zeros((sample.n, d))
    targets = np.zeros(sample.n)
    index = np.concatenate([np.repeat(np.arange(d), sample.zeros), np.repeat(np.arange(d), sample.ones)])
    features[np.arange(total), index] = 1.0
    targets[int(sample.zeros.sum()) : total] = 1.0
    return Problem(features, targets, losses.absolute())


def excess_risk(theta: Array, p: Array, alpha: float) -> Array:
    """E|⟨θ, X₀⟩ − Y₀| − E|⟨p, X₀⟩ − Y₀| over a fresh record, (…), for θ and p of shape (…, d).

    = (α/d)·Σ_j ((1 − p_j)·|θ_j| + p_j·|1 − θ_j| − 2p_j(1 − p_j)).
    """
    risks = (1.0 - p) * np.abs(theta) + p * np.abs(1.0 - theta) - 2.0 * p * (1.0 - p)
    return alpha * risks.mean(axis=-1)


def empirical_excess(theta: Array, sample: Sample) -> Array:
    """(1/n)·Σ|⟨θ, xᵢ⟩ − yᵢ| minus its minimum over θ, (…), for θ and counts of shape (…, d)."""
    risk = sample.zeros * np.abs(theta) + sample.ones * np.abs(1.0 - theta)
    return (risk - np.minimum(sample.zeros, sample.ones)).sum(axis=-1) / sample.n


# --- Estimators --------------------------------------------------------------------------------------------
# Replacing a record moves the signed sums s_j = ones_j − zeros_j by at most 2 in ℓ₁ and in ℓ₂, which a
# flipped label attains.

Estimator = Callable[[Sample, float, float, np.random.Generator], Array]


def signed(sample: Sample) -> Counts:
    """ones − zeros, (…, d)."""
    return sample.ones - sample.zeros


def majority(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """Not private: the majority of the labels of a coordinate, 1/2 where there is none."""
    return 0.5 + 0.5 * np.sign(signed(sample))


def constant(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """0-DP: 1/2 whatever the data are."""
    return np.full(sample.zeros.shape, 0.5)


def laplace_signs(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """ε-DP: the signs of s + Laplace(2/ε)."""
    noisy = signed(sample) + rng.laplace(0.0, 2.0 / epsilon, sample.zeros.shape)
    return (noisy > 0.0).astype(float)


def gaussian_signs(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """(ε, δ)-DP: the signs of s + N(0, (2/μ(ε, δ))²)."""
    noisy = signed(sample) + rng.normal(0.0, 2.0 / mu_star(epsilon, delta), sample.zeros.shape)
    return (noisy > 0.0).astype(float)


def exponential_bits(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """ε-DP: for each coordinate the exponential mechanism, a bit with probability ∝ e^{(ε/2)·its count}.

    The log-odds are (ε/2)·s, and replacing a record moves s by at most 2 in ℓ₁.
    """
    odds = 0.5 * epsilon * signed(sample)
    return (rng.random(odds.shape) < 0.5 * (1.0 + np.tanh(0.5 * odds))).astype(float)


def randomised_response(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
    """ε-DP for each record on its own: the truth with probability γ, else a random one of 2d + 1 records."""
    d = sample.zeros.shape[-1]
    alphabet = 2 * d + 1
    gamma = math.expm1(epsilon) / (math.expm1(epsilon) + alphabet)
    kept_zeros, kept_ones = rng.binomial(sample.zeros, gamma), rng.binomial(sample.ones, gamma)
    lost = rng.binomial(sample.n - sample.zeros.sum(axis=-1) - sample.ones.sum(axis=-1), 1.0 - gamma) + (
        sample.zeros - kept_zeros + sample.ones - kept_ones
    ).sum(axis=-1)
    random = rng.multinomial(lost, np.full(alphabet, 1.0 / alphabet))
    noisy = kept_ones + random[..., :d] - kept_zeros - random[..., d : 2 * d]
    return 0.5 + 0.5 * np.sign(noisy)


def descent(steps: int, noise: str = "calibrated") -> Estimator:
    """Algorithm 1 with `steps` steps and the learning rate of Theorem 3.1 for ‖θ*‖ = √(d/2)."""

    def estimate(sample: Sample, epsilon: float, delta: float, rng: np.random.Generator) -> Array:
        d = sample.zeros.shape[-1]
        sigma = (
            0.0
            if noise == "none"
            else dp_gd.noise_scale(
                epsilon=epsilon,
                delta=delta,
                n=sample.n,
                steps=steps,
                lipschitz=1.0,
                noise=noise,
                adjacency=Adjacency.REPLACE,
            )
        )
        eta = dp_gd.learning_rate(
            radius=math.sqrt(d / 2.0), lipschitz=1.0 / math.sqrt(d), rank=d, noise=sigma, steps=steps
        )
        targets = np.stack([np.zeros(d), np.ones(d)])[:, None, :]
        weights = np.stack([sample.zeros, sample.ones]) / sample.n
        return dp_gd.run(
            dp_gd.coordinate_gradient(losses.absolute(), targets, weights),
            np.zeros(sample.zeros.shape),
            steps=steps,
            learning_rate=eta,
            noise=dp_gd.gaussian_noise(sample.zeros.shape, sigma, rng),
        ).printed

    return estimate


def private_estimators() -> dict[str, Estimator]:
    """Every estimator here that is (ε, δ)-differentially private under replacement of a record, by name."""
    return {
        "constant": constant,
        "randomised response": randomised_response,
        "exponential": exponential_bits,
        "laplace": laplace_signs,
        "gaussian": gaussian_signs,
        "DP-GD, 16 steps": descent(16),
        "DP-GD, 128 steps": descent(128),
    }


def non_private_estimators() -> dict[str, Estimator]:
    """Estimators without privacy, by name."""
    return {"majority": majority, "gradient descent": descent(512, noise="none")}


def size_limit(d: int, epsilon: float, alpha: float) -> int:
    """The largest n that Theorem B.1 speaks of: ⌊d/(10(eᵉ − 1)α)⌋. Raises ValueError where that is 0."""
    positive(epsilon=epsilon, alpha=alpha)
    whole_number(d=d)
    limit = math.floor(d / (10.0 * math.expm1(epsilon) * alpha))
    if limit < 1:
        raise ValueError(f"the theorem needs d ≥ 10(e^ε − 1)α, got d = {d}, ε = {epsilon}, α = {alpha}")
    return limit


def delta_limit(epsilon: float) -> float:
    """The largest δ that Theorem B.1 speaks of: (eᵉ − 1)/1000."""
    return math.expm1(epsilon) / 1000.0
