"""DP-GD with a privately selected stationary point (section 4 of Song et al. 2021, Theorem 4.1).

Gradient descent with Gaussian noise releases θ₀, …, θ_T; report-noisy-min then picks an iterate of small
gradient norm. The norm ‖∇L(θ; D)‖ moves by at most 2L/n when one record is replaced, and it is not monotone
in the data, so ε-differentially private selection needs Laplace noise of scale 2·(2L/n)/ε.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from implementations.checks import one_of, positive, whole_number
from implementations.interfaces import Array
from implementations.song2021.dp_gd import Gradient, gaussian_noise, iterates

SCALES = ("printed", "corrected")


def selection_scale(*, epsilon: float, n: int, lipschitz: float, scale: str) -> float:
    """Scale of the Laplace noise on each gradient norm.

    scale  "printed": 2L/(nε), the numerator that is legible in Theorem 4.1; "corrected": 4L/(nε), twice the
    sensitivity over ε.
    """
    positive(epsilon=epsilon, lipschitz=lipschitz)
    whole_number(n=n)
    one_of(SCALES, scale=scale)
    return (2.0 if scale == "printed" else 4.0) * lipschitz / (n * epsilon)


def two_candidate_probability(gap: Array | float, scale: float) -> Array:
    """P(candidate 0 is reported) of two candidates whose scores differ by `gap` = q₁ − q₀.

    The difference of two Laplace(b) variables has P(Z > t) = ½·e^{−t/b}(1 + t/(2b)) for t ≥ 0.
    """
    t = np.abs(np.asarray(gap, dtype=float)) / scale
    tail = 0.5 * np.exp(-t) * (1.0 + 0.5 * t)
    return np.where(np.asarray(gap) >= 0.0, 1.0 - tail, tail)


def selection_probability(scores: Array, scale: float, index: int, *, nodes: int = 40) -> float:
    """P(`index` is reported) among any number of candidates, by Gauss–Legendre between the kinks.

    P = ∫ f(z − q_k)·∏_{j ≠ k} P(q_j + Z_j > z) dz with f the Laplace density; the integrand is analytic
    between the scores and is cut 60 scales beyond them.
    """
    q = np.asarray(scores, dtype=float)
    knots = np.unique(np.concatenate([q, [q.min() - 60.0 * scale, q.max() + 60.0 * scale]]))
    x, w = np.polynomial.legendre.leggauss(nodes)
    total = 0.0
    for left, right in pairwise(knots):
        parts = max(1, math.ceil((right - left) / (4.0 * scale)))
        edges = np.linspace(left, right, parts + 1)
        middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * (edges[1:] - edges[:-1])
        z = middle[:, None] + half[:, None] * x
        t = (z[..., None] - q) / scale
        survival = np.where(t > 0.0, 0.5 * np.exp(-np.abs(t)), 1.0 - 0.5 * np.exp(-np.abs(t)))
        density = 0.5 / scale * np.exp(-np.abs(t[..., index]))
        others = np.delete(survival, index, axis=-1).prod(axis=-1)
        total += float((half[:, None] * w * density * others).sum())
    return total


def printed_steps(
    *, epsilon: float, delta: float, n: int, lipschitz: float, smoothness: float, initial_risk: float
) -> int:
    """The least T that Theorem 4.1 asks for: β·n²ε²·L(0; D)/(2L²·log(1/δ))."""
    return max(
        1,
        math.ceil(
            smoothness * (n * epsilon) ** 2 * initial_risk / (2.0 * lipschitz**2 * math.log(1.0 / delta))
        ),
    )


def balanced_steps(
    *, mu: float, n: int, lipschitz: float, smoothness: float, rank: int, initial_risk: float
) -> int:
    """T that balances the two terms of (13) for μ-Gaussian privacy.

    (13) reads (1/T)·Σ‖∇L(θₜ)‖² ≤ 2β·L(θ₀)/T + (1/T)·Σ‖bₜ‖², and E‖bₜ‖² = rank·σ² with σ² = 4L²T/(nμ)² grows
    with T: the sum is least at T = (nμ/L)·√(β·L(θ₀)/(2·rank)), where it is 4L·√(2β·L(θ₀)·rank)/(nμ).
    """
    return max(1, round(n * mu / lipschitz * math.sqrt(smoothness * initial_risk / (2.0 * rank))))


@dataclass(frozen=True, slots=True)
class Selected:
    """The selected candidate θ (…, r), its index (…), its score (…), and the least score of all."""

    theta: Array
    index: Array
    norm: Array
    least: Array


def report_noisy_min(
    candidates: Iterable[tuple[Array, Array]], scale: float, rng: np.random.Generator
) -> Selected:
    """The candidate of the least score after Laplace(scale) noise on each score.

    candidates  pairs of scores (…) and points (…, r), one pair a candidate. They are consumed one by one and
                only the best so far is kept, so T iterates cost the memory of one.
    Raises ValueError where there is no candidate.
    """
    best: Array | None = None
    index = norm = least = theta = np.empty(0)
    for t, (score, point) in enumerate(candidates):
        noisy = score + rng.laplace(0.0, scale, np.shape(score))
        if best is None:
            best, index, norm, least, theta = noisy, np.zeros(noisy.shape, dtype=int), score, score, point
            continue
        better = noisy < best
        best = np.where(better, noisy, best)
        index = np.where(better, t, index)
        norm = np.where(better, score, norm)
        least = np.minimum(least, score)
        theta = np.where(better[..., None], point, theta)
    if best is None:
        raise ValueError("candidates must hold at least one pair of scores and points, got none")
    return Selected(theta=theta, index=index, norm=norm, least=least)


def stationary_point(
    gradient: Gradient,
    start: Array,
    rng: np.random.Generator,
    *,
    steps: int,
    learning_rate: float,
    noise_scale: float,
    selection_scale: float,
) -> Selected:
    """Run DP-GD from `start` (…, r) and report the noisy minimum of ‖∇L(θₜ)‖ over t = 0, …, T − 1.

    Batches over the leading axes. The scores of the result are gradient norms.
    """
    last: list[Array] = []

    def remembered(theta: Array) -> Array:
        last[:] = [gradient(theta)]
        return last[0]

    path = iterates(
        remembered,
        start,
        steps=steps,
        learning_rate=learning_rate,
        noise=gaussian_noise(np.shape(start), noise_scale, rng),
    )
    # When the path has moved on from θₜ to θₜ₊₁, `last` holds the gradient at θₜ.
    candidates = ((np.linalg.norm(last[0], axis=-1), theta) for theta, _ in pairwise(path))
    return report_noisy_min(candidates, selection_scale, rng)
