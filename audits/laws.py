"""Laws of outputs, known in closed form: Gaussian, Laplace, finite, and mixtures of the first two."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.checks import numbers, positive
from implementations.checks import probabilities as checked

Array = NDArray[np.float64]


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
