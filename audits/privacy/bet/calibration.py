"""How probable a rare event is on the dataset whose outputs have hardly been seen there.

Let P be the output law of the first dataset and Q that of the second, and let a rare event S have many hits
under P and none under Q. With λ(s) the log-likelihood ratio of outputs of score s, Q(S) = E_P[1_S·e^(−λ)], so
the hits under P say how probable S is under Q. λ is fitted by logistic regression to the counts of both
datasets between the thresholds of a family. Under λ an output of score s is of the first dataset with
probability w = 1/(1 + e^(−λ)), so the sums of w and of 1 − w over all outputs in S estimate n·P(S) and
n·Q(S). These are the maximum likelihood estimates in this model (Qin, Biometrika 1998). They only choose
events: no bound rests on them.
"""

from __future__ import annotations

import numpy as np

from audits.privacy.bet.events import ThresholdFamily
from audits.privacy.outputs.outputs import Floats
from audits.privacy.tuning import TINY, TUNING


def bin_means(thresholds: Floats, first: Floats, second: Floats) -> Floats:
    """The mean score (K + 1,) of the samples below, between and above K thresholds; 0 where none are."""
    pooled = np.concatenate([first, second])
    place = np.searchsorted(thresholds, pooled, side="right")
    count = np.bincount(place, minlength=len(thresholds) + 1)
    return np.bincount(place, pooled, len(thresholds) + 1) / np.maximum(count, 1)


def lesser_shares(family: ThresholdFamily, means: Floats) -> tuple[Floats, Floats]:
    """Share of the lesser dataset in each of the family's 4K events, and the standard error of log(p/q).

    `means` (K + 1,) are the mean scores between the thresholds, as from `bin_means`.
    """
    first, second = (side.astype(np.float64) for side in family.bins())
    count = first + second
    # λ is a straight line in the score, which is centred and scaled to suit the prior.
    line = means - np.average(means, weights=count)
    line /= np.sqrt(np.average(line**2, weights=count)) + TINY
    basis = np.column_stack([np.ones_like(line), line])
    weights, covariance = posterior(basis, first, count, TUNING.steady)
    w = logistic(basis @ weights)

    def tails(mass: Floats) -> Floats:
        # Sums over the bins of the events ≥ and < of every threshold.
        below = np.cumsum(mass, axis=0)[:-1]
        return np.concatenate([mass.sum(axis=0) - below, below])

    halves: list[tuple[Floats, Floats]] = []
    # The lesser dataset is the second for the first half of the events, and the first for the other half.
    for part in (1.0 - w, w):
        found = np.maximum(tails(count * part), TINY)
        slope = tails((count * w * (1.0 - w))[:, None] * basis) / found[:, None]
        halves.append((found, np.einsum("ij,jk,ik->i", slope, covariance, slope) + TUNING.misfit**2))
    hits, error = (np.concatenate(both) for both in zip(*halves, strict=True))
    more, less = family.all_hits()
    # The log of a count has the standard error 1/√hits. The model and the count are combined by their
    # precisions. A count of 0 enters as half a hit: where the scores of the two datasets hardly overlap the
    # model knows nothing, and the missing hits say much.
    seen = less + 0.5
    trust = seen * error / (1.0 + seen * error)
    q = np.exp((1.0 - trust) * np.log(hits) + trust * np.log(np.maximum(less, 0.5)))
    # Where the counts speak against the model by more than luck, they are right.
    q = np.maximum(q, less - TUNING.hope * np.sqrt(less)) / family.size
    return np.clip(q, TINY, 1.0), np.sqrt(error / (1.0 + seen * error) + 1.0 / (more + 1.0))


def posterior(basis: Floats, hits: Floats, count: Floats, precision: float) -> tuple[Floats, Floats]:
    """Logistic regression with a Gaussian prior around 0, by Newton's method: weights (k,) and covariance.

    basis (bins, k); of the `count` samples in each bin `hits` are of the first dataset.
    """
    weights = np.zeros(basis.shape[1])
    covariance = np.eye(len(weights))
    for _ in range(25):
        p = logistic(basis @ weights)
        curvature = (basis * (count * np.maximum(p * (1.0 - p), TUNING.steady))[:, None]).T @ basis
        covariance = np.linalg.inv(curvature + precision * np.eye(len(weights)))
        step = covariance @ (basis.T @ (hits - count * p) - precision * weights)
        # Newton's steps overshoot where the scores nearly separate the two datasets.
        step *= min(1.0, 2.0 / (float(np.abs(basis @ step).max()) + TINY))
        weights = weights + step
        if float(np.abs(step).max()) < TUNING.steady:
            break
    return weights, covariance


def logistic(x: Floats) -> Floats:
    """1/(1 + e^(−x)), kept within what a double can tell from 0 and 1."""
    return 1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0)))
