"""Differentially private gradient descent: Algorithm 1 of song2021.

The engine (`iterates`, `run`) takes any gradient on arrays of shape (…, r), so that families of problems,
trials and coordinates run as one batch. `dp_gd` is the algorithm on a generalised linear model with any
features; `reduce_to_span` gives the problem of dimension rank that has the same risks in law, because the
gradients never leave the span of the features and Gaussian noise is spherical (proof of Theorem 3.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from implementations.checks import one_of, positive, probability, rows_within_unit_ball, whole_number
from implementations.interfaces import Adjacency, Array, Domain, Loss, Mechanism, Problem
from implementations.privacy import mu_star

Gradient = Callable[[Array], Array]
NOISE = ("printed", "calibrated", "corrected")
BLOCK = 8192
"""Runs that `mechanism` does side by side: as many as fit a cache with a hundred records."""


def noise_scale(
    *,
    epsilon: float,
    delta: float,
    n: int,
    steps: int,
    lipschitz: float,
    noise: str,
    adjacency: Adjacency,
) -> float:
    """Standard deviation σ of the Gaussian noise of each step, in units of the averaged gradient.

    noise      "printed": σ² = 2L²T·log(1/δ)/(nε)² (Theorem 2.6), whatever the adjacency;
               "corrected": σ² = 8L²T·log(1/δ)/(nε)², the sensitivity 2L/n of a replacement accounted for;
               "calibrated": σ = s·√T/μ(ε, δ), the least noise for which T adaptive steps of sensitivity s are
               (ε, δ)-differentially private.
    adjacency  replacement of a record has s = 2L/n; adding or removing one, with the public n as the divisor,
               has s = L/n. Only "calibrated" depends on it.
    """
    positive(epsilon=epsilon, lipschitz=lipschitz)
    probability(delta=delta)
    whole_number(n=n, steps=steps)
    one_of(NOISE, noise=noise)
    if noise == "printed":
        return lipschitz * math.sqrt(2.0 * steps * math.log(1.0 / delta)) / (n * epsilon)
    if noise == "corrected":
        return lipschitz * math.sqrt(8.0 * steps * math.log(1.0 / delta)) / (n * epsilon)
    return sensitivity(lipschitz, n, adjacency) * math.sqrt(steps) / mu_star(epsilon, delta)


def sensitivity(lipschitz: float, n: int, adjacency: Adjacency) -> float:
    """Euclidean sensitivity of the averaged gradient (1/n)·Σ ∂ℓ(θ; dᵢ), n public."""
    if adjacency is Adjacency.REPLACE:
        return 2.0 * lipschitz / n
    if adjacency is Adjacency.ADD_REMOVE:
        return lipschitz / n
    raise ValueError(f"adjacency must be replace or add-remove, got {adjacency!r}")


def learning_rate(*, radius: float, lipschitz: float, rank: int, noise: float, steps: int) -> float:
    """η = ‖θ*‖_M/√(T·(L² + rank·σ²)), which minimises the right-hand side of (6), proof of Theorem 3.1.

    noise is σ. With radius 0 the optimum is the start, and η = 0 is what the formula gives.
    """
    return radius / math.sqrt(steps * (lipschitz**2 + rank * noise**2))


@dataclass(frozen=True, slots=True)
class Averages:
    """What a run of `steps` updates gives, each of shape (…, r).

    printed  average of θ₁..θ_T: the output of Algorithm 1;
    proof    average of θ₀..θ_{T−1}: the one that telescopes in the proof of Theorem 3.1;
    last     θ_T.
    """

    printed: Array
    proof: Array
    last: Array


def iterates(
    gradient: Gradient,
    start: Array,
    *,
    steps: int,
    learning_rate: float | Array,
    noise: Callable[[], Array | float],
    project: Callable[[Array], Array] | None = None,
) -> Iterator[Array]:
    """Yield θ₀, θ₁, …, θ_T of θₜ₊₁ = Π(θₜ − η·(∇L(θₜ) + bₜ)), each a fresh array (…, r).

    gradient       maps θ (…, r) to the averaged (sub)gradient (…, r).
    learning_rate  η, a number or an array that broadcasts against θ.
    noise          draws bₜ, one call a step.
    project        Π; None for the unconstrained problem.
    """
    whole_number(steps=steps)
    theta = np.array(start, dtype=float)
    yield theta
    for _ in range(steps):
        theta = theta - learning_rate * (gradient(theta) + noise())
        if project is not None:
            theta = project(theta)
        yield theta


def run(
    gradient: Gradient,
    start: Array,
    *,
    steps: int,
    learning_rate: float | Array,
    noise: Callable[[], Array | float],
    project: Callable[[Array], Array] | None = None,
) -> Averages:
    """`iterates`, averaged; the arguments are the same."""
    total = np.zeros_like(start, dtype=float)
    first = last = np.array(start, dtype=float)
    for theta in iterates(
        gradient, start, steps=steps, learning_rate=learning_rate, noise=noise, project=project
    ):
        total += theta
        last = theta
    return Averages(printed=(total - first) / steps, proof=(total - last) / steps, last=last)


def gaussian_noise(
    shape: tuple[int, ...], scale: float | Array, rng: np.random.Generator
) -> Callable[[], Array]:
    """A source of independent N(0, scale²) arrays of `shape`, one a call; `scale` broadcasts."""
    return lambda: scale * rng.standard_normal(shape)


def glm_gradient(problem: Problem) -> Gradient:
    """Averaged subgradient (1/n)·Σ φ′(⟨θ, xᵢ⟩; yᵢ)·xᵢ of a generalised linear model, on θ (…, p)."""
    features, targets, loss = problem.features, problem.targets, problem.loss
    n = features.shape[0]
    return lambda theta: loss.slope(theta @ features.T, targets) @ features / n


def coordinate_gradient(loss: Loss, targets: Array, weights: Array) -> Gradient:
    """Averaged subgradient where every feature is a basis vector, in O(k·r) whatever n is.

    targets (k, …, r) and weights (k, …, r): a share weights[i, …, j] of the records has feature eⱼ and target
    targets[i, …, j]. The gradient in coordinate j is Σᵢ weights[i, …, j]·φ′(θⱼ; targets[i, …, j]).
    """

    def gradient(theta: Array) -> Array:
        total = weights[0] * loss.slope(theta, targets[0])
        for target, weight in zip(targets[1:], weights[1:], strict=True):
            total = total + weight * loss.slope(theta, target)
        return total

    return gradient


def coordinate_risk(loss: Loss, targets: Array, weights: Array, theta: Array) -> Array:
    """Σⱼ Σᵢ weights[i, …, j]·φ(θⱼ; targets[i, …, j]), shape (…): the risk of `coordinate_gradient`."""
    total = (weights[0] * loss.value(theta, targets[0])).sum(axis=-1)
    for target, weight in zip(targets[1:], weights[1:], strict=True):
        total = total + (weight * loss.value(theta, target)).sum(axis=-1)
    return total


def dp_gd(
    problem: Problem,
    size: int,
    rng: np.random.Generator,
    *,
    steps: int,
    learning_rate: float,
    noise_scale: float,
    domain: Domain | None = None,
) -> Averages:
    """Algorithm 1 from θ₀ = 0 on any features, `size` independent runs, each array (size, p)."""
    p = problem.features.shape[1]
    return run(
        glm_gradient(problem),
        np.zeros((size, p)),
        steps=steps,
        learning_rate=learning_rate,
        noise=gaussian_noise((size, p), noise_scale, rng),
        project=None if domain is None else domain.project,
    )


def span_basis(features: Array) -> Array:
    """An orthonormal basis (p, rank) of the span of the rows of `features` (n, p)."""
    _, singular, rows = np.linalg.svd(features, full_matrices=False)
    tolerance = singular.max(initial=0.0) * max(features.shape) * np.finfo(float).eps
    return rows[singular > tolerance].T


def reduce_to_span(problem: Problem) -> tuple[Problem, Array]:
    """The problem of dimension rank with the same scores ⟨θ, xᵢ⟩, and the basis V (p, rank) used.

    A run of Algorithm 1 with noise bₜ in ℝᵖ projects to the run of the reduced problem with noise Vᵀbₜ, which
    is N(0, σ²I_rank): same risks, step by step. Gamma-norm noise has to be projected with
    ``noise.spherical_gamma(coordinates=rank)``.
    """
    basis = span_basis(problem.features)
    optimum = None if problem.optimum is None else problem.optimum @ basis
    return Problem(problem.features @ basis, problem.targets, problem.loss, optimum), basis


def mechanism(
    loss: Loss,
    *,
    epsilon: float,
    delta: float,
    steps: int,
    learning_rate: float,
    noise: str,
    adjacency: Adjacency,
    domain: Domain | None = None,
) -> Mechanism:
    """Algorithm 1 as a mechanism on datasets (n, p + 1), whose last column is the target.

    Returns θ^priv, the average of θ₁..θ_T, (size, p): all that the algorithm releases. The records must have
    ‖x‖·lipschitz ≤ `loss.lipschitz` for the privacy to hold; this is checked. The divisor n is the number of
    records of `data`: a record removed while n is public is a record with x = 0, whose gradient is 0.
    """

    def algorithm(data: Array, size: int, rng: np.random.Generator) -> Array:
        records = np.asarray(data, dtype=float)
        features, targets = records[:, :-1], records[:, -1]
        rows_within_unit_ball(features=features)
        scale = noise_scale(
            epsilon=epsilon,
            delta=delta,
            n=len(records),
            steps=steps,
            lipschitz=loss.lipschitz,
            noise=noise,
            adjacency=adjacency,
        )
        problem = Problem(features, targets, loss)
        blocks = [min(BLOCK, size - start) for start in range(0, size, BLOCK)]
        return np.concatenate(
            [
                dp_gd(
                    problem,
                    block,
                    rng,
                    steps=steps,
                    learning_rate=learning_rate,
                    noise_scale=scale,
                    domain=domain,
                ).printed
                for block in blocks
            ]
        )

    return algorithm
