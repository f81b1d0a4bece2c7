"""Additive noise: Laplace, geometric, Gaussian, subsampled Gaussian and histogram, with their laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.controls._control import Law
from implementations.interfaces import Array, Mechanism
from implementations.noise_laws import laplace_between, real_cells
from implementations.privacy import mu_star

# ---------------------------------------------------------------------------------------------- Laplace


def laplace(scale: float) -> Mechanism:
    """The sum of the data plus Lap(scale); ε = sensitivity / scale (Dwork, McSherry, Nissim, Smith 2006)."""

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        return float(np.sum(data)) + rng.laplace(scale=scale, size=size)

    return mechanism


def laplace_law(scale: float, edges: Array) -> Callable[[Any], Law]:
    """Law of `laplace` on the cells between `edges`."""
    bounds = np.concatenate([[-np.inf], edges, [np.inf]])

    def law(data: Any) -> Law:
        centred = bounds - float(np.sum(data))
        return Law(
            mass=laplace_between(centred[:-1], centred[1:], scale),
            cell=lambda outputs: real_cells(outputs, edges),
            atoms=False,
        )

    return law


# -------------------------------------------------------------------------------------------- geometric


def geometric(epsilon: float) -> Mechanism:
    """The count plus two-sided geometric noise, P(k) ∝ e^(−ε|k|) (Ghosh, Roughgarden, Sundararajan 2009)."""

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.int64]:
        # The difference of two geometric variables is two-sided geometric.
        success = -math.expm1(-epsilon)
        noise = rng.geometric(success, size) - rng.geometric(success, size)
        return int(np.sum(data)) + noise

    return mechanism


def geometric_law(epsilon: float, low: int, high: int) -> Callable[[Any], Law]:
    """Law of `geometric`: one cell for each integer of (low, high), one for all ≤ low, one for all ≥ high.

    With low and high at or beyond the counts of both datasets the ratio of masses is constant within the two
    end cells, so nothing of the privacy loss is lost (and the law counts as finite).
    """
    ratio = math.exp(-epsilon)

    def law(data: Any) -> Law:
        count = int(np.sum(data))
        if not low <= count <= high:
            raise ValueError(f"the count must lie in [{low}, {high}], got {count}")
        inner = np.abs(np.arange(low + 1, high) - count)
        # P(k) = (1 − r)/(1 + r)·r^|k|, hence P(noise ≥ k) = r^k/(1 + r) for k ≥ 1; at 0 it is 1/(1 + r).
        mass = np.concatenate(
            [
                [ratio ** (count - low) / (1.0 + ratio)],
                (1.0 - ratio) / (1.0 + ratio) * ratio**inner,
                [ratio ** (high - count) / (1.0 + ratio)],
            ]
        )
        return Law(
            mass=mass,
            cell=lambda outputs: (np.clip(np.asarray(outputs, int), low, high) - low).astype(np.intp),
            atoms=True,
        )

    return law


# --------------------------------------------------------------------------------------------- Gaussian


def gaussian(sigma: float) -> Mechanism:
    """The sum of the data plus N(0, sigma²)."""

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        return rng.normal(float(np.sum(data)), sigma, size)

    return mechanism


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The smallest σ that makes the Gaussian mechanism (ε, δ)-DP, exactly (Balle and Wang 2018)."""
    return sensitivity / mu_star(epsilon, delta)


def classical_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """σ = √(2 ln(1.25/δ))·sensitivity/ε, proved for ε < 1 only (Dwork and Roth 2014, Theorem A.1)."""
    return math.sqrt(2.0 * math.log(1.25 / delta)) * sensitivity / epsilon


def gaussian_law(sigma: float, edges: Array) -> Callable[[Any], Law]:
    """Law of `gaussian` on the cells between `edges`."""

    def law(data: Any) -> Law:
        return Law(
            mass=_normal_cells(edges, float(np.sum(data)), sigma),
            cell=lambda outputs: real_cells(outputs, edges),
            atoms=False,
        )

    return law


# ---------------------------------------------------------------------------------- subsampled Gaussian


def subsampled_gaussian(rate: float, sigma: float) -> Mechanism:
    """Each record is kept with probability `rate`, independently; the kept sum plus N(0, sigma²).

    One step of DP-SGD for scalar records in [−1, 1] (Abadi et al. 2016; Poisson sampling).
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        records = np.asarray(data, float)
        kept = rng.random((size, records.size)) < rate
        return kept @ records + rng.normal(0.0, sigma, size)

    return mechanism


def subsampled_gaussian_law(rate: float, sigma: float, edges: Array) -> Callable[[Any], Law]:
    """Law of `subsampled_gaussian` for few records: a mixture over the 2ⁿ subsets."""

    def law(data: Any) -> Law:
        sums, weights = np.zeros(1), np.ones(1)
        for record in np.asarray(data, float):
            sums = np.concatenate([sums, sums + record])
            weights = np.concatenate([weights * (1.0 - rate), weights * rate])
        mass = sum(
            weight * _normal_cells(edges, centre, sigma) for centre, weight in zip(sums, weights, strict=True)
        )
        return Law(mass=np.asarray(mass), cell=lambda outputs: real_cells(outputs, edges), atoms=False)

    return law


def subsampled_gaussian_epsilon(delta: float, rate: float, sigma: float) -> float:
    """The smallest ε at δ of one record 1 added to, or removed from, records that sum to 0: exact.

    The pair is A = (1 − rate)·N(0, σ²) + rate·N(1, σ²) against B = N(0, σ²). The likelihood ratio
    A/B = 1 − rate + rate·exp((2x − 1)/(2σ²)) increases in x, so both directions have a half line as event.
    """
    from scipy.special import ndtr

    def delta_at(epsilon: float) -> float:
        def above(x: float) -> tuple[float, float]:
            base, shifted = float(ndtr(-x / sigma)), float(ndtr((1.0 - x) / sigma))
            return (1.0 - rate) * base + rate * shifted, base

        def threshold(ratio: float) -> float:  # where A/B = ratio
            return 0.5 + sigma**2 * math.log((ratio - 1.0 + rate) / rate)

        a, b = above(threshold(math.exp(epsilon)))
        forward = a - math.exp(epsilon) * b
        if math.exp(-epsilon) <= 1.0 - rate:  # B/A never exceeds 1/(1 − rate)
            return forward
        a, b = above(threshold(math.exp(-epsilon)))
        return max(forward, (1.0 - b) - math.exp(epsilon) * (1.0 - a))

    return _smallest_epsilon(delta_at, delta)


# -------------------------------------------------------------------------------------------- histogram


def histogram(bins: int, scale: float) -> Mechanism:
    """Counts of the records 0 … bins−1, each plus Lap(scale); output (size, bins).

    Replacing one record moves two counts by one: ε-DP needs scale 2/ε. Scale 1/ε is what add/remove needs,
    and the classic slip under replacement.
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        counts = np.bincount(np.asarray(data, int), minlength=bins)
        return counts + rng.laplace(scale=scale, size=(size, bins))

    return mechanism


def histogram_law(bins: int, scale: float, changed: Sequence[int], edges: Array) -> Callable[[Any], Law]:
    """Law of `histogram` on the grid of cells of the two counts that differ between the datasets.

    All other counts have the same law on both and are independent of these two: they carry no information.
    """
    first, second = changed
    bounds = np.concatenate([[-np.inf], edges, [np.inf]])
    width = len(edges) + 1

    def law(data: Any) -> Law:
        counts = np.bincount(np.asarray(data, int), minlength=bins)
        sides = [
            laplace_between(bounds[:-1] - counts[k], bounds[1:] - counts[k], scale) for k in (first, second)
        ]
        return Law(
            mass=np.outer(*sides).ravel(),
            cell=lambda outputs: (
                real_cells(outputs[:, first], edges) * width + real_cells(outputs[:, second], edges)
            ),
            atoms=False,
        )

    return law


# ---------------------------------------------------------------------------------------------- shared


def _normal_cells(edges: Array, mean: float, sigma: float) -> Array:
    from scipy.special import ndtr

    z = (np.concatenate([[-np.inf], edges, [np.inf]]) - mean) / sigma
    low, high = z[:-1], z[1:]
    return np.where(low > 0.0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))


def _smallest_epsilon(delta_at: Callable[[float], float], delta: float) -> float:
    from scipy.optimize import root_scalar

    if delta_at(0.0) <= delta:
        return 0.0
    high = 1.0
    while delta_at(high) > delta:
        high *= 2.0
    return float(root_scalar(lambda epsilon: delta_at(epsilon) - delta, bracket=(0.0, high), xtol=1e-13).root)
