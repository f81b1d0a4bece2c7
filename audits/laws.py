"""Laws of outputs: Gaussian, Laplace, finite, mixtures of the first two, and what a density gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.checks import numbers, positive
from implementations.checks import probabilities as checked

Array = NDArray[np.float64]
Distribution = Callable[[Array], Array]
_CELLS, _NODES = 400, 16
"""Of a quadrature: cells of equal width, and nodes in each."""


@dataclass(frozen=True, slots=True)
class Gaussian:
    """N(mean, sd²·I): a number or a vector of numbers as mean, one standard deviation for all coordinates.

    Gaussian(μ) has sd 1; as a claim it stands for μ-Gaussian privacy, see `audits.privacy.claims.GaussianDP`.
    Raises ValueError for a mean or sd that is not finite, and for sd ≤ 0.
    """

    mean: float | Sequence[float]
    sd: float = 1.0

    def __post_init__(self) -> None:
        mean = numbers("mean", self.mean)
        if mean.ndim > 1 or mean.size == 0:
            raise ValueError(f"mean must be a number or a vector, got shape {mean.shape}")
        positive(sd=self.sd)
        plain = float(mean) if mean.ndim == 0 else tuple(float(v) for v in mean)
        object.__setattr__(self, "mean", plain)
        object.__setattr__(self, "sd", float(self.sd))

    def cdf(self, x: ArrayLike) -> Array:
        """P(X ≤ x), elementwise. Raises ValueError for a vector mean."""
        from scipy.special import ndtr

        return np.asarray(ndtr(_standardised(x, self.mean, self.sd)))

    def sf(self, x: ArrayLike) -> Array:
        """P(X > x), elementwise, without a difference from 1. Raises ValueError for a vector mean."""
        from scipy.special import ndtr

        return np.asarray(ndtr(-_standardised(x, self.mean, self.sd)))


@dataclass(frozen=True, slots=True)
class Laplace:
    """The Laplace law with density exp(−|x − mean|/scale) / (2·scale).

    Raises ValueError for a mean or scale that is not finite, and for scale ≤ 0.
    """

    mean: float
    scale: float

    def __post_init__(self) -> None:
        if numbers("mean", self.mean).ndim:
            raise ValueError(f"mean must be one number, got {self.mean!r}")
        positive(scale=self.scale)
        object.__setattr__(self, "mean", float(self.mean))
        object.__setattr__(self, "scale", float(self.scale))

    def cdf(self, x: ArrayLike) -> Array:
        """P(X ≤ x), elementwise."""
        return _laplace_cdf(_standardised(x, self.mean, self.scale))

    def sf(self, x: ArrayLike) -> Array:
        """P(X > x), elementwise, without a difference from 1."""
        return _laplace_cdf(-_standardised(x, self.mean, self.scale))


@dataclass(frozen=True, slots=True, init=False)
class Finite:
    """A law on finitely many outcomes.

    probabilities  a mapping outcome → probability, or a sequence whose i-th entry is the probability of
                   outcome i. Two laws are compared outcome by outcome; one that a law does not name has
                   probability 0 there.

    Raises ValueError for probabilities that are negative, not finite, or do not add up to 1 within 1e-9.
    """

    outcomes: tuple[Hashable, ...]
    probabilities: tuple[float, ...]

    def __init__(self, probabilities: Mapping[Any, float] | Sequence[float] | Array) -> None:
        if isinstance(probabilities, Mapping):
            outcomes: tuple[Hashable, ...] = tuple(probabilities.keys())
            values = checked("probabilities", list(probabilities.values()))
        else:
            values = checked("probabilities", probabilities)
            outcomes = tuple(range(values.size))
        object.__setattr__(self, "outcomes", outcomes)
        object.__setattr__(self, "probabilities", tuple(float(v) for v in values))


@dataclass(frozen=True, slots=True)
class Mixture:
    """Σ weights[i]·components[i], a finite mixture of scalar Gaussian and Laplace laws.

    Raises ValueError for weights that are negative or do not add up to 1 within 1e-9, for lengths that
    differ, and for a component of another kind or with a vector mean.
    """

    weights: Sequence[float]
    components: Sequence[Gaussian | Laplace]

    def __post_init__(self) -> None:
        weights = checked("weights", self.weights)
        if weights.size != len(self.components):
            raise ValueError(
                f"weights and components must have one length, got {weights.size} and {len(self.components)}"
            )
        parts = cast(Sequence[object], self.components)
        for part in parts:
            if not isinstance(part, Gaussian | Laplace) or isinstance(part.mean, tuple):
                raise ValueError(f"components must be scalar Gaussian or Laplace laws, got {part!r}")
        object.__setattr__(self, "weights", tuple(float(w) for w in weights))
        object.__setattr__(self, "components", tuple(self.components))

    def cdf(self, x: ArrayLike) -> Array:
        """P(X ≤ x), elementwise."""
        parts = zip(self.weights, self.components, strict=True)
        return np.sum([weight * part.cdf(x) for weight, part in parts], axis=0)

    def sf(self, x: ArrayLike) -> Array:
        """P(X > x), elementwise, without a difference from 1."""
        parts = zip(self.weights, self.components, strict=True)
        return np.sum([weight * part.sf(x) for weight, part in parts], axis=0)


Law = Gaussian | Laplace | Finite | Mixture


def _standardised(x: ArrayLike, mean: float | Sequence[float], spread: float) -> Array:
    if isinstance(mean, Sequence):
        raise ValueError(f"mean must be one number for a distribution function on the line, got {mean!r}")
    return (np.asarray(x, dtype=np.float64) - mean) / spread


def _laplace_cdf(z: Array) -> Array:
    return np.where(z < 0.0, 0.5 * np.exp(np.minimum(z, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(z, 0.0)))


def distribution_function(
    log_density: Callable[[Array], Array], low: float, high: float, *, breaks: Sequence[float] = ()
) -> Distribution:
    """F(x) = ∫_low^x e^{log density} / ∫_low^high e^{log density}, by Gauss–Legendre quadrature.

    It never comes from the sampler under test, and `audits.judge.drawn_from` takes it.

    log_density   vectorised, up to a constant; smooth between the breaks.
    low, high     the mass outside must be negligible: the caller chooses them.
    breaks        kinks of the density; cell edges are put there.
    Raises ValueError for low ≥ high, or a density that is not finite in between.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"low and high must be finite with low < high, got {low} and {high}")
    inner = [b for b in breaks if low < b < high]
    edges = np.unique(np.concatenate([np.linspace(low, high, _CELLS + 1), inner]))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    top = float(np.max(log_density(np.linspace(low, high, 4 * _CELLS + 1))))

    def integral(left: Array, right: Array) -> Array:
        half = 0.5 * (right - left)
        x = left[:, None] + half[:, None] * (nodes + 1.0)
        return half * (np.exp(log_density(x.ravel()).reshape(x.shape) - top) @ weights)

    mass = integral(edges[:-1], edges[1:])
    if not np.isfinite(mass).all() or mass.sum() <= 0.0:
        raise ValueError(f"log_density must be finite between {low} and {high}, got masses {mass}")
    below = np.concatenate([[0.0], np.cumsum(mass)])

    def cdf(x: Array) -> Array:
        points = np.clip(np.asarray(x, dtype=np.float64).ravel(), low, high)
        cell = np.clip(np.searchsorted(edges, points, side="right") - 1, 0, edges.size - 2)
        return np.clip((below[cell] + integral(edges[cell], points)) / below[-1], 0.0, 1.0)

    return cdf
