"""SCOutputPert (Algorithm 2): the minimiser of a strongly convex loss through DelOutputPert.

Only the certified branch of appendix C is here; the enumeration of Algorithm 1 is out of reach for the
numbers of users in question. Whether a dataset has a certificate depends on its users without noise. A
program that shows which datasets it refuses is therefore not private: without a certificate there is an
error, and no output.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from implementations.checks import one_of, positive, probability, whole_number
from implementations.ghazi2023 import del_output_pert
from implementations.ghazi2023.certificate import lemma_factor, quadratic_factor, sensitivity_bound
from implementations.interfaces import Array

Target = Literal["printed", "corrected", "certificate"]
Uncertified = Literal["raise", "nan"]
"""What becomes of a dataset without a certificate: an error, or a row of NaN that is there to be counted."""


def target_sensitivity(
    lipschitz: float,
    strong_convexity: float,
    n: int,
    m: float,
    beta: float,
    kappa: int,
    target: Target = "printed",
) -> float:
    """Δ of line 3.

    "printed"    10·G·√log(1/β)/(μ·n·√m): no union over users and subsets, so it fails for n large against
                 1/β.
    "corrected"  10·G·√((4κ + 1)·ln n + ln(1/β))/(μ·n·√m): Theorem 3.6 for each of the at most n^{4κ+1}
                 pairs of a subset |S| ≤ 4κ and a further user, with n − 4κ − 1 ≥ n/2, that is n ≥ 8κ + 2.
    "certificate" the Δ = O(κγ/(μn)) of appendix C, with which `certified` holds for every loss, quadratic or
                 not, with probability 1 − β: `lemma_factor`·γ/μ, γ = 5G√(ln(n/β)/m) by Lemma 3.8 for each of
                 the n users' gradients about their mean.
    """
    positive(lipschitz=lipschitz, strong_convexity=strong_convexity, m=m)
    probability(beta=beta)
    whole_number(n=n, kappa=kappa)
    one_of(("printed", "corrected", "certificate"), target=target)
    if target == "certificate":
        gamma = 5.0 * lipschitz * math.sqrt(math.log(n / beta) / m)
        return lemma_factor(n, 4 * kappa) * gamma / strong_convexity
    log_term = math.log(1.0 / beta)
    if target == "corrected":
        if n < 8 * kappa + 2:
            raise ValueError(f"n must be at least 8κ + 2 = {8 * kappa + 2} for the corrected Δ, got {n}")
        log_term += (4 * kappa + 1) * math.log(n)
    return 10.0 * lipschitz * math.sqrt(log_term) / (strong_convexity * n * math.sqrt(m))


def parameters(
    epsilon: float,
    delta: float,
    beta: float,
    lipschitz: float,
    strong_convexity: float,
    n: int,
    m: float,
    target: Target = "printed",
) -> del_output_pert.Parameters:
    """What line 4 hands to Algorithm 1. m may be any positive number, since user means are sufficient."""
    kappa = del_output_pert.parameters(epsilon, delta, 1.0).kappa
    sensitivity = target_sensitivity(lipschitz, strong_convexity, n, m, beta, kappa, target)
    return del_output_pert.parameters(epsilon, delta, sensitivity)


def largest_norm(user_gradients: Array, *, centred: bool) -> Array:
    """γ, the largest norm of a user's mean gradient: (…, n, d) → (…).

    At a kink the gradients have to be the subgradients of the optimality condition, whose mean is 0 at an
    optimum inside 𝒦: with any others, sign(0) = 0 say, the certificate proves nothing (`lemma-c.1`).

    centred  subtract the mean over the users first. For losses with Hessian μI only differences of
             gradients matter, and at an optimum on the boundary the gradients do not add up to zero.
    """
    if centred:
        user_gradients = user_gradients - user_gradients.mean(axis=-2, keepdims=True)
    return np.linalg.norm(user_gradients, axis=-1).max(axis=-1)


def certified(
    gamma: Array, n: int, p: del_output_pert.Parameters, strong_convexity: float, *, quadratic: bool
) -> NDArray[np.bool_]:
    """Whether gradients at θ* of norm at most γ prove Δ̄_{4κ} θ*(x) ≤ Δ (appendix C): (…) → (…).

    The caller answers for γ: at a kink of a loss it is that of the subgradients of the optimality condition.

    quadratic  the loss has Hessian μI, so that the sharper factor holds (for centred gradients).
    Raises ValueError for n < 4κ + 2: no certificate can exclude that everybody is deleted.
    """
    r = 4 * p.kappa
    if n < r + 2:
        raise ValueError(f"n must be at least 4κ + 2 = {r + 2} for ({p.epsilon}, {p.delta}), got {n}")
    factor = quadratic_factor(n, r) if quadratic else lemma_factor(n, r)
    return np.asarray(sensitivity_bound(gamma, factor, strong_convexity) <= p.target)


def sc_output_pert(
    minimiser: Array,
    gamma: Array,
    n: int,
    p: del_output_pert.Parameters,
    strong_convexity: float,
    rng: np.random.Generator,
    *,
    quadratic: bool,
    uncertified: Uncertified = "raise",
) -> tuple[Array, NDArray[np.bool_]]:
    """Algorithm 2 on its certified branch: (minimiser + noise (trials, d), certified (trials,)).

    minimiser  θ*(x) of each trial (trials, d).
    gamma      the largest norm of a user's gradient at θ* in each trial (trials,), of n users.

    uncertified  "raise": ValueError where a trial has no certificate and would need the enumeration of
                 Algorithm 1 (`del_output_pert`). "nan": its row is NaN; which rows are is not private, so
                 that this is for counting failures only.
    """
    one_of(("raise", "nan"), uncertified=uncertified)
    good = certified(gamma, n, p, strong_convexity, quadratic=quadratic)
    if uncertified == "raise" and not good.all():
        raise ValueError(
            f"gamma must be certified in every trial, got {float(np.asarray(gamma)[~good][0]):.4g} for n = "
            f"{n}, "
            f"Δ = {p.target:.4g}: only the enumeration of Algorithm 1 can answer there (more users or "
            f"samples "
            f'would do; uncertified="nan" marks such trials, which is not private)'
        )
    noise = p.sigma * rng.standard_normal(minimiser.shape)
    return np.where(good[:, None], minimiser + noise, np.nan), good
