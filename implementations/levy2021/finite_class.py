"""Learning a finite class under pure user-level DP: private selection from private candidates (appendix A).

Reconstructed: the appendix was not at hand. It treats classes of finite metric entropy (a cover of size k)
under ε-DP, and the paper cites Liu and Talwar (2019) for nothing else: a candidate is drawn at random, its
empirical risk is estimated by WinsorizedMean1D over the users' mean losses with budget ε/3, this is
repeated a geometric number of times, and the candidate with the least estimate is returned.
Best-of-geometric selection from ε₀-DP candidates is 3ε₀-DP (Liu and Talwar 2019, Theorem 3.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from implementations.checks import numbers, positive, probability, share, whole_number
from implementations.interfaces import Array
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.constants import Constants, Variant
from implementations.levy2021.winsorized_mean_1d import winsorized_mean_1d

Integers = NDArray[np.int64]


def best_of_geometric(probabilities: Array, stop: float) -> Array:
    """Law of the best of K independent draws, K geometric with success probability `stop` (K ≥ 1).

    probabilities  (k,) of one draw, outcomes ordered from best to worst.

    The chance that the best of K is among the outcomes i … k is f(tail_i), f(t) = stop·t/(1 − (1 − stop)·t),
    so the mass of outcome i is f(tail_i) − f(tail_{i+1}).

    >>> best_of_geometric(np.array([0.5, 0.5]), 1.0)
    array([0.5, 0.5])
    """
    share(stop=stop)
    p = numbers("probabilities", probabilities, low=0.0)
    tail = np.concatenate((np.cumsum(p[::-1])[::-1], [0.0]))
    generated = stop * tail / (1.0 - (1.0 - stop) * tail)
    return generated[:-1] - generated[1:]


def learn_finite_class(
    losses: Array,
    epsilon: float,
    concentration: Concentration,
    stop: float,
    size: int,
    rng: np.random.Generator,
    *,
    constants: Variant | Constants = "paper",
) -> Integers:
    """Index of a candidate of small empirical risk, ε-DP in one user; `size` independent runs → (size,).

    losses         (n, k) mean loss of each user on each of k candidates.
    concentration  of the losses of each candidate: its τ, its bound, and the failure that is accepted.
    stop           success probability of the geometric number of draws; of the order of 1/k, so that most
                   candidates are seen.

    Raises ValueError for bad parameters, or too few users for `failure`.
    """
    positive(epsilon=epsilon)
    whole_number(size=size)
    probability(stop=stop)
    k = losses.shape[1]
    draws = rng.geometric(stop, size=size)
    run = np.repeat(np.arange(size), draws)
    candidate = rng.integers(0, k, size=run.size)
    score = np.empty(run.size)
    for begin in range(0, run.size, 4096):
        part = slice(begin, begin + 4096)
        score[part] = winsorized_mean_1d(
            losses.T[candidate[part]],
            epsilon / 3.0,
            concentration.tau,
            concentration.bound,
            rng,
            constants=constants,
            failure=concentration.failure,
        )
    order = np.lexsort((score, run))  # by run, then by score: the first of each run is its best
    first = np.concatenate(([0], np.cumsum(draws)[:-1]))
    return candidate[order[first]]
