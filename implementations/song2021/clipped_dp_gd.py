"""Clipped DP-GD (section 5 of Song et al. 2021): Algorithm 1 with clipped gradients (equation 7)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from implementations.checks import positive
from implementations.interfaces import Array, Domain, Problem
from implementations.song2021.clipped_surrogate import surrogate_loss
from implementations.song2021.dp_gd import Averages, Gradient, gaussian_noise, run

MOST_BYTES = 2**27
"""The slopes of all records at all θ at once take no more, however many θ there are."""


def clipped_gradient(problem: Problem, bound: float, *, most_bytes: int = MOST_BYTES) -> Gradient:
    """(1/n)·Σ clip(φ′(⟨θ, xᵢ⟩; yᵢ)·xᵢ) on θ (…, p); `bound` is the clipping norm B > 0 (equation 7).

    The norm of a record's gradient is |φ′|·‖xᵢ‖, so clipping bounds |φ′| by B/‖xᵢ‖; x = 0 gives no gradient.
    Of many θ some are looked at at a time, as the slopes take n numbers for each, `most_bytes` in all.
    """
    positive(bound=bound, most_bytes=most_bytes)
    features, targets, loss = problem.features, problem.targets, problem.loss
    norms = np.linalg.norm(features, axis=1)
    limits = bound / np.where(norms > 0.0, norms, np.inf)
    n, p = features.shape
    most = max(1, most_bytes // (8 * n))

    def gradient(theta: Array) -> Array:
        return np.clip(loss.slope(theta @ features.T, targets), -limits, limits) @ features / n

    def in_parts(theta: Array) -> Array:
        if theta.size <= most * p:
            return gradient(theta)
        flat = theta.reshape(-1, p)
        parts = [gradient(flat[start : start + most]) for start in range(0, len(flat), most)]
        return np.concatenate(parts).reshape(theta.shape)

    return in_parts


def surrogate_risk(problem: Problem, bound: float) -> Callable[[Array], Array]:
    """What clipping optimises: (1/n)·Σ g_{xᵢ}(⟨θ, xᵢ⟩; yᵢ) on θ (…, p), with the g of Lemma 5.1."""
    features, targets, loss = problem.features, problem.targets, problem.loss
    norms = np.linalg.norm(features, axis=1)
    groups = [
        (norms == size, loss if size == 0.0 else surrogate_loss(loss, bound / size))
        for size in np.unique(norms)
    ]

    def risk(theta: Array) -> Array:
        scores = theta @ features.T
        return (
            sum(link.value(scores[..., chosen], targets[chosen]).sum(axis=-1) for chosen, link in groups)
            / features.shape[0]
        )

    return risk


def clipped_dp_gd(
    problem: Problem,
    size: int,
    rng: np.random.Generator,
    *,
    bound: float,
    steps: int,
    learning_rate: float,
    noise_scale: float,
    domain: Domain | None = None,
) -> Averages:
    """Clipped DP-GD from θ₀ = 0, `size` independent runs; each average has shape (size, p).

    noise_scale is that of Algorithm 1 with the clipping norm in the place of L.
    """
    p = problem.features.shape[1]
    return run(
        clipped_gradient(problem, bound),
        np.zeros((size, p)),
        steps=steps,
        learning_rate=learning_rate,
        noise=gaussian_noise((size, p), noise_scale, rng),
        project=None if domain is None else domain.project,
    )
