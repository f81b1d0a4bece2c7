"""Batches of users drawn from their exact law, so that Algorithms 4 and 6 run at any number of users."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from implementations.ghazi2023.quadratic import Kink, Summary

DEVIATION = 0.5
"""Root of the variance of one sample's slope in all coordinates together."""


@dataclass(frozen=True, slots=True)
class Population:
    """What Algorithms 4 and 6 ask of a dataset, without the dataset: the batches and the mean of all users.

    Each of m samples of each user has a linear part N(slope, (deviation²/d)·I); curvature, G and kink are
    common to all. The batches have independent means, whose weighted mean is that of all.

    bounds  n, …, 0, falling: a batch holds the users from bounds[i] to bounds[i − 1].
    means   (batches, trials, d) the mean slope of each batch.
    """

    n: int
    m: float
    curvature: float
    lipschitz: float
    kink: Kink | None
    bounds: tuple[int, ...]
    means: np.ndarray
    spread: float

    @property
    def trials(self) -> int:
        return self.means.shape[1]

    @property
    def d(self) -> int:
        return self.means.shape[2]

    def batch(self, part: slice) -> Population:
        """The users of a slice; ValueError unless it is a union of whole batches."""
        if part.start not in self.bounds or part.stop not in self.bounds or part.start >= part.stop:
            raise ValueError(f"part must be a union of batches with bounds {self.bounds}, got {part}")
        last, first = self.bounds.index(part.start), self.bounds.index(part.stop)
        return Population(
            part.stop - part.start, self.m, self.curvature, self.lipschitz, self.kink,
            tuple(b - part.start for b in self.bounds[first : last + 1]), self.means[first:last], self.spread,
        )  # fmt: skip

    def summary(self) -> Summary:
        """What one phase sees of the users."""
        sizes = -np.diff(np.array(self.bounds, dtype=float))
        mean = np.tensordot(sizes / sizes.sum(), self.means, axes=1)
        return Summary(
            mean, np.full(self.trials, self.spread), self.n, self.curvature, self.lipschitz, self.m, self.kink
        )


@dataclass(frozen=True, slots=True)
class Losses:
    """The law of a sample's loss: mean slope (d,), curvature, a kink or none, and how samples deviate.

    deviation  0: every sample of every user has the same loss.
    """

    slope: np.ndarray
    curvature: float
    kink: Kink | None = None
    deviation: float = DEVIATION


def halves(n: int, phases: int) -> tuple[int, ...]:
    """The bounds of `phases` batches of Algorithm 4 with half-open intervals, and of what is left.

    >>> halves(20, 2)
    (20, 10, 5, 0)
    """
    return (*(n // 2**i for i in range(phases + 1)), 0)


def population(
    losses: Losses, bounds: tuple[int, ...], m: float, trials: int, rng: np.random.Generator
) -> Population:
    """Users with losses of this law, in batches with these falling bounds, the first of which is n; G is 1.

    The spread of users within a batch is that of the largest of n Gaussian norms and of their mean, drawn
    once and taken for every batch: it decides about the certificate only, and is far from its threshold.
    """
    from scipy.special import chdtri

    slope, deviation = losses.slope, losses.deviation
    d = len(slope)
    n = bounds[0]
    sizes = -np.diff(np.array(bounds, dtype=float))
    unit = deviation / math.sqrt(m * d)
    noise = rng.standard_normal((len(sizes), trials, d)) if deviation > 0.0 else np.zeros((1, 1, 1))
    means = np.broadcast_to(slope + unit / np.sqrt(sizes)[:, None, None] * noise, (len(sizes), trials, d))
    # The largest of n chi-squared numbers, by inversion: P(max ≤ q) = P(χ² ≤ q)ⁿ.
    largest = float(chdtri(d, -math.expm1(math.log(rng.uniform()) / n)))
    spread = unit * (math.sqrt(largest) + math.sqrt(rng.chisquare(d)))
    return Population(n, m, losses.curvature, 1.0, losses.kink, bounds, means, spread)
