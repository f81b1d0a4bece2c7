"""The exact output laws of Algorithms 1 and 2 of levy2021 on one dataset, from the printed formulas.

Nothing here calls the programs that are held against these laws: bins, weights, scales and budgets are
written down again.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from implementations.interfaces import Array

LARGEST = 200_000
"""Components of a law that are kept in memory: more is no small instance."""


@dataclass(frozen=True, slots=True)
class SumLaw:
    """A mixture of centre + scale·(L₁ + … + L_terms), L_i independent Laplace of scale 1.

    weights, centres  (k,);  terms is 1, 2 or 4.
    """

    weights: Array
    centres: Array
    scale: float
    terms: int

    def cdf(self, x: Array) -> Array:
        """P(X ≤ x) of each x (any shape)."""
        points = np.asarray(x, dtype=np.float64)
        out = np.empty(points.size)
        step = max(1, 4_000_000 // self.centres.size)
        for start in range(0, points.size, step):
            z = (points.ravel()[start : start + step, None] - self.centres) / self.scale
            tail = _tail(np.abs(z), self.terms)
            out[start : start + step] = np.where(z < 0.0, tail, 1.0 - tail) @ self.weights
        return out.reshape(points.shape)


def _tail(z: Array, terms: int) -> Array:
    """P(L₁ + … + L_terms > z) for z ≥ 0: e^{−z} times a polynomial (convolutions of the Laplace density)."""
    if terms == 1:
        return 0.5 * np.exp(-z)
    if terms == 2:
        return np.exp(-z) * (z + 2.0) / 4.0
    if terms == 4:
        return np.exp(-z) * (((z + 9.0) * z + 33.0) * z + 48.0) / 96.0
    raise ValueError(f"terms must be 1, 2 or 4, got {terms}")


def range_law(x: Array, epsilon: float, tau: float, bound: float, width: float = 2.0) -> tuple[Array, Array]:
    """Centres and probabilities of PrivateRange: exp(−½ε·max(#left, #right)) over bins of width 2τ.

    Algorithm 6 as reconstructed: ⌈B/τ⌉ bins, centred at 0; an edge belongs to the bin on its right.
    width  of a bin in units of τ, where it is not the 2 that the paper leads to.
    """
    count = math.ceil(2.0 * bound / (width * tau))
    centres = np.asarray(width * tau * (np.arange(count) - 0.5 * (count - 1)), dtype=np.float64)
    edges = centres - 0.5 * width * tau
    held = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, count - 1)
    cost = [max(int((held < r).sum()), int((held > r).sum())) for r in range(count)]
    weight = np.exp(-0.5 * epsilon * (np.array(cost) - min(cost)))
    return centres, weight / weight.sum()


def clipped_means(
    x: Array, epsilon: float, tau: float, bound: float, half: float = 2.0
) -> tuple[Array, Array]:
    """The clipped mean of Algorithm 1 and its probabilities: half of ε chooses the interval centre ± half·τ.

    half  is 2 as printed.
    """
    centres, weights = range_law(x, 0.5 * epsilon, tau, bound)
    ends = (centres[:, None] - half * tau, centres[:, None] + half * tau)
    return np.clip(x, *ends).mean(axis=1), weights


def algorithm_1(x: Array, epsilon: float, tau: float, bound: float, half: float = 2.0) -> SumLaw:
    """The law of Algorithm 1 on x (n,): noise Lap(8τ/(nε)) as printed, with half = 2."""
    centres, weights = clipped_means(x, epsilon, tau, bound, half)
    return SumLaw(weights, centres, 4.0 * half * tau / (x.size * epsilon), 1)


def algorithm_2(
    x: Array, epsilon: float, delta: float, tau: float, bound: float, gamma: float
) -> list[SumLaw]:
    """The law of each coordinate of the output of Algorithm 2 on x (n, d), d = 1, 2 or 4.

    Line 3: ε′ = ε/√(8d log(1/δ)), τ′ = 10τ√(log(dn/γ)/d), bound √d·B. The signs ω are fair, the coordinates
    of the rotated mean independent given ω, and coordinate j of the output is ω_j·Σ_i H_ij m_i/√d.
    """
    n, d = x.shape
    h = np.array([[1.0]])
    while len(h) < d:
        h = np.block([[h, h], [h, -h]])
    answer = epsilon / math.sqrt(8.0 * d * math.log(1.0 / delta))
    radius = 10.0 * tau * math.sqrt(math.log(d * n / gamma) / d)
    root = math.sqrt(d)
    patterns = list(itertools.product((-1.0, 1.0), repeat=d))
    centres: list[list[Array]] = [[] for _ in range(d)]
    weights: list[Array] = []
    for omega in patterns:
        rotated = (x * np.array(omega)) @ h / root
        # (1 + 1e-9): the programs leave room for rounding of the transform.
        means, masses = zip(
            *(clipped_means(rotated[:, i], answer, radius, root * bound * (1.0 + 1e-9)) for i in range(d)),
            strict=True,
        )
        if np.prod([m.size for m in means]) * len(patterns) > LARGEST:
            raise ValueError(f"the law has too many components: {[m.size for m in means]} bins")
        joint = np.stack(np.meshgrid(*means, indexing="ij"), axis=-1).reshape(-1, d)
        mass = np.stack(np.meshgrid(*masses, indexing="ij"), axis=-1).reshape(-1, d)
        weights.append(mass.prod(axis=1) / len(patterns))
        for j in range(d):
            centres[j].append(omega[j] * (joint @ h[:, j]) / root)
    scale = 8.0 * radius / (n * answer) / root
    return [SumLaw(np.concatenate(weights), np.concatenate(centres[j]), scale, d) for j in range(d)]


def selection(
    losses: Array, epsilon: float, tau: float, bound: float, stop: float, half: float = 2.0
) -> Array:
    """Probability of each candidate to be the best of Geometric(stop) draws; losses (n, k) → (k,).

    A draw takes a candidate at random and scores it by Algorithm 1 at `epsilon`. Summing P(K = m)·m over the
    place of the winner: P(j) = ∫ stop·f_j(y)/k / (stop + (1 − stop)·H(y))² dy with H the mean of the
    distribution functions. On a cell where F_j and H grow in proportion the integral is ΔF_j·stop/k over the
    product of the values of stop + (1 − stop)·H at both ends: exact where the scores of different candidates
    do not mix, and the probabilities add up to 1 everywhere.
    """
    k = losses.shape[1]
    kinds, kind = np.unique(losses, axis=1, return_inverse=True)
    laws = [algorithm_1(column, epsilon, tau, bound, half) for column in kinds.T]
    # A fine grid near every centre: distances of 0 to 40 noise scales, denser where they are small.
    near = laws[0].scale * 40.0 * np.linspace(-1.0, 1.0, 601) ** 3
    y = np.unique(np.concatenate([law.centres for law in laws])[:, None] + near)
    functions = np.array([law.cdf(y) for law in laws])
    kept = stop + (1.0 - stop) * functions[kind].mean(axis=0)
    share = np.diff(functions, axis=1) * (stop / k) / (kept[:-1] * kept[1:])
    return np.asarray(share.sum(axis=1)[kind])
