"""AboveThreshold (Algorithm 4 of asi2024): answers ⊤ until a noisy score falls below a noisy threshold.

The printed loop adds one noise to the threshold (line 2) and a fresh noise to every score (line 5); the
subscript of the fresh noise is printed as i and meant as t. All answers before the halt are ⊤, so the halting
time is all that a run shows. Algorithm 4 stops after T queries; the object does not know T and goes on as
long as it is asked, which is the same thing for whoever asks T times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.checks import numbers, positive
from implementations.interfaces import Array
from implementations.noise_laws import laplace_cdf, laplace_density, quadrature


def threshold_scale(epsilon: float) -> float:
    """Scale 2/ε of the Laplace noise of the threshold (line 2)."""
    positive(epsilon=epsilon)
    return 2.0 / epsilon


def query_scale(epsilon: float) -> float:
    """Scale 4/ε of the Laplace noise of each score (line 5)."""
    positive(epsilon=epsilon)
    return 4.0 / epsilon


def accuracy(queries: int, gamma: float, epsilon: float) -> float:
    """α = 8·log(2T/γ)/ε of Lemma 2.4, for an AboveThreshold with budget ε."""
    positive(queries=queries, gamma=gamma, epsilon=epsilon)
    return 8.0 * float(np.log(2.0 * queries / gamma)) / epsilon


class AboveThreshold:
    """`trials` independent runs of Algorithm 4 that answer adaptively chosen scores side by side.

    running  (trials,) booleans: the runs that have not halted.
    Raises ValueError for a budget that is not positive or a threshold that is not finite.
    """

    __slots__ = ("_line", "_rng", "_scale", "running")

    def __init__(self, epsilon: float, threshold: float, trials: int, rng: np.random.Generator) -> None:
        positive(trials=trials)
        numbers("threshold", np.asarray(threshold))
        self._rng = rng
        self._scale = query_scale(epsilon)
        # line 2: Δ̂ = Δ − Lap(2/ε), drawn once a run
        self._line = threshold - rng.laplace(scale=threshold_scale(epsilon), size=trials)
        self.running: NDArray[np.bool_] = np.ones(trials, dtype=bool)

    def answer(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Lines 4 to 11 on one score a run, (trials,) or a number: True for ⊤, False for ⊥ or halted
        before."""
        noisy = numbers("scores", np.asarray(scores)) + self._rng.laplace(
            scale=self._scale, size=self._line.shape
        )
        self.running = self.running & ~(noisy < self._line)  # lines 6 to 8
        return self.running


def halting_law(scores: ArrayLike, threshold: float, epsilon: float) -> Array:
    """P(the run halts at query t) for t = 1..T, and last P(it never halts): shape (T + 1,).

    scores (T,) are the scores that the run meets as long as it goes on. By quadrature over the noise of the
    threshold, given which the answers are independent; relative error below 1e-10.

    >>> halting_law([5.0], 5.0, 1.0).round(12).tolist()
    [0.5, 0.5]
    """
    threshold_noise, query_noise = threshold_scale(epsilon), query_scale(epsilon)
    asked = numbers("scores", np.asarray(scores, dtype=float))
    if asked.ndim != 1 or asked.size == 0:
        raise ValueError(f"scores must be a list of at least one score, got shape {asked.shape}")
    kinks = np.unique(np.concatenate([[0.0], threshold - asked]))
    # A product of T distribution functions has slope T, so the panels shrink with T.
    panel = min(threshold_noise, query_noise) / (1.0 + asked.size / 4.0) ** 0.5
    nodes, weights = quadrature(kinks, panel, threshold_noise)
    mass = weights * laplace_density(nodes, threshold_noise)
    kept = np.flatnonzero(mass > 0.0)
    nodes, running = nodes[kept], mass[kept]
    law = np.empty(asked.size + 1)
    for t, score in enumerate(asked):
        gap = score - (threshold - nodes)  # ⊤ at score + ν ≥ Δ − ρ
        law[t] = running @ laplace_cdf(-gap, query_noise)
        running = running * laplace_cdf(gap, query_noise)
    law[-1] = running.sum()
    return law
