"""Privacy accounting of iterated, subsampled mechanisms by privacy-loss distributions.

`compose_all` brackets the exact answer: with ``pessimistic=True`` the ε is never too small,
with ``pessimistic=False`` never too large, for the pair of laws that it is given.

Composition is written out here although dp-accounting has it, because a refuted claim needs a lower bound of
ε, and for pairs of our own making (`Atoms`). dp-accounting is an optional package; the tests hold the two
against each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from implementations.checks import numbers, positive, probability, share, whole_number

Array = NDArray[np.float64]

_TAIL = 1e-15
"""Probability that `compose_all` may move to an infinite loss (or drop) for the window of the convolution."""


def poisson_gaussian_rdp(q: float, sigma: float, orders: Sequence[float]) -> Array:
    """The Rényi divergence at each order α of a Poisson-subsampled Gaussian step, a record added or removed.

    log E_{z ~ N(0, σ²)}[(1 − q + q·e^{(2z − 1)/(2σ²)})^α]/(α − 1), the larger of the two directions (Mironov,
    Talwar and Zhang 2019, Theorem 5), by the trapezoidal rule, which converges geometrically for this
    integrand. Sensitivity 1, noise of standard deviation σ on the sum of the sampled gradients.
    """
    values: list[float] = []
    for order in orders:
        # The integrand lives near z = 0 and near z = α, within about 12σ.
        z = np.linspace(-14.0 * sigma, 14.0 * sigma + order, 40_001)
        log_ratio = np.logaddexp(math.log1p(-q) if q < 1.0 else -math.inf, math.log(q) + (z - 0.5) / sigma**2)
        log_density = -0.5 * (z / sigma) ** 2 - math.log(sigma * math.sqrt(2.0 * math.pi))
        terms = order * log_ratio + log_density
        top = float(terms.max())
        total = float(np.exp(terms - top).sum()) * float(z[1] - z[0])
        values.append(max(0.0, (top + math.log(total)) / (order - 1.0)))
    return np.array(values)


@dataclass(frozen=True, slots=True)
class Atoms:
    """A finite pair of laws: probabilities under P and under Q of each outcome, both (k,); sums may be < 1.

    What is missing from P's sum counts as an infinite loss.
    """

    p: Array
    q: Array


class Continuous(Protocol):
    """A continuous law on the line: the laws of `audits.laws` and the frozen ones of SciPy."""

    def cdf(self, x: Array, /) -> Array:
        """P(X ≤ x), elementwise."""
        ...

    def sf(self, x: Array, /) -> Array:
        """P(X > x), elementwise, accurate where it is small."""
        ...


def discretise(p: Continuous, q: Continuous, edges: Array) -> Atoms:
    """Outcomes of two continuous laws sorted into the cells between `edges` (sorted) and the two tails.

    This is post-processing: δ and ε of the result are never larger than those of the laws.
    Raises ValueError for edges that are not finite and strictly increasing.
    """
    edges = numbers("edges", edges)
    if edges.ndim != 1 or edges.size == 0 or not (np.diff(edges) > 0.0).all():
        raise ValueError(f"edges must be a strictly increasing vector, got {edges}")
    return Atoms(_cells(p, edges), _cells(q, edges))


def _cells(law: Continuous, edges: Array) -> Array:
    """Masses of the cells between `edges` and of the two tails.

    Right of the median 1 − P(X > x) has lost the digits of P(X > x), and a narrow cell would be a difference
    of roundings: the mass is a difference of survival functions there.
    """
    below = np.concatenate([[0.0], law.cdf(edges), [1.0]])
    above = np.concatenate([[1.0], law.sf(edges), [0.0]])
    return np.maximum(np.where(below[1:] <= 0.5, np.diff(below), -np.diff(above)), 0.0)


def subsampled(base: Atoms, rate: float) -> Atoms:
    """Atoms of ((1 − rate)·Q + rate·P, Q): the record takes part with probability `rate`, or is not there."""
    share(rate=rate)
    return Atoms((1.0 - rate) * base.q + rate * base.p, base.q)


def reverse(atoms: Atoms) -> Atoms:
    """The same pair in the other direction."""
    return Atoms(atoms.q, atoms.p)


def compose_all(
    pairs: Sequence[tuple[Atoms, int]], *, step: float = 1e-4, pessimistic: bool
) -> Callable[[float], float]:
    """δ(ε) of independent outcomes of several pairs, some of them repeated, by the fast Fourier transform.

    step         spacing of the grid of privacy losses.
    pessimistic  True: each atom is split over the two neighbouring grid points so that its probabilities
                 under P and Q are both kept ("connect the dots", Doroshenko et al. 2022): δ is never too
                 small, with an error of second order in `step`. False: the loss is rounded down: δ is never
                 too large, with an error of the first order (the loss is off by at most steps·step).
    Returns the function ε ↦ H_{e^ε}(P^steps‖Q^steps) = Σ P(ℓ)·(1 − e^{ε − ℓ})₊ + P(ℓ = ∞).
    """
    positive(step=step)
    grids: list[tuple[int, Array, int]] = []
    sure = 1.0
    for atoms, steps in pairs:
        whole_number(steps=steps)
        kept = atoms.p > 0.0
        finite = kept & (atoms.q > 0.0)
        infinite = float(atoms.p[kept & ~finite].sum())
        p, q = atoms.p[finite], atoms.q[finite]
        sure *= (1.0 - infinite) ** steps
        if p.size:
            grids.append((*_on_grid(p, np.log(p) - np.log(q), step, pessimistic), steps))
    # the mass at an infinite loss, and what the window lost; a lower bound leaves both out
    lost = max(0.0, 1.0 - sure) + 4.0 * _TAIL
    escaped = lost if pessimistic else 0.0
    if not grids:
        return lambda epsilon: escaped
    start, total = _convolve(grids, step)
    losses = (start + np.arange(total.size)) * step

    def delta(epsilon: float) -> float:
        above = slice(int(np.searchsorted(losses, epsilon, side="right")), None)
        return max(0.0, float(total[above] @ -np.expm1(epsilon - losses[above]))) + escaped

    return delta


def epsilon_at(curve: Callable[[float], float], delta: float, *, largest: float = 1e3) -> float:
    """The least ε ≥ 0 with curve(ε) ≤ delta, to 1e-9, by bisection; inf where even `largest` does not do."""
    probability(delta=delta)
    if curve(0.0) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while curve(high) > delta:
        low, high = high, 2.0 * high
        if high > largest:
            return math.inf
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if curve(middle) > delta else (low, middle)
    return high


def _on_grid(p: Array, loss: Array, step: float, pessimistic: bool) -> tuple[int, Array]:
    """Masses of P on consecutive multiples of `step`, and the index of the first."""
    index = np.floor(loss / step)
    first = int(index.min())
    place = (index - first).astype(np.intp)
    size = int(place.max()) + 2
    if not pessimistic:
        return first, np.asarray(np.bincount(place, weights=p, minlength=size), dtype=np.float64)
    # w_a + w_b = p and w_a·e^{−a} + w_b·e^{−b} = p·e^{−ℓ} for the neighbours a ≤ ℓ < b = a + step
    upper = p * -np.expm1(-(loss - index * step)) / -math.expm1(-step)
    masses = np.bincount(place, weights=p - upper, minlength=size)
    masses = masses + np.bincount(place + 1, weights=upper, minlength=size)
    return first, np.asarray(masses, dtype=np.float64)


def _convolve(grids: Sequence[tuple[int, Array, int]], step: float) -> tuple[int, Array]:
    """The convolution of masses on first, first + 1, …, each so many times: index of its first entry, and
    entries.

    The window holds all but 2·_TAIL of the mass by Chernoff's bound, so that wrapping around is harmless.
    """
    from scipy import fft

    rates = np.geomspace(0.01, 1e4, 120)
    ends: list[float] = []
    for sign in (1.0, -1.0):
        bounds = (_log_moments(grids, sign * rates, step) - math.log(_TAIL)) / rates
        ends.append(sign * float(bounds.min()))
    least = sum(steps * first for first, _, steps in grids)
    most = sum(steps * (first + mass.size - 1) for first, mass, steps in grids)
    low = max(least, math.floor(ends[1] / step) - 1)
    high = min(most, math.ceil(ends[0] / step) + 1)
    size = fft.next_fast_len(max(high - low + 1, *(mass.size for _, mass, _ in grids), 1))
    transform: Any = 1.0
    for _, mass, steps in grids:
        transform = transform * np.asarray(fft.rfft(mass, size)) ** steps
    cyclic = np.asarray(fft.irfft(transform, size))
    # entry i of the cyclic result belongs to index `least` + i (mod size); bring `low` to the front
    total = np.roll(cyclic, -((low - least) % size))
    # Entries carry rounding noise of either sign; cutting the negative ones off would add up to a bias.
    return low, total


def _log_moments(grids: Sequence[tuple[int, Array, int]], rates: Array, step: float) -> Array:
    """log E[e^{rate·loss}] of all grids together, for each rate."""
    total = np.zeros(len(rates))
    for first, mass, steps in grids:
        some = np.flatnonzero(mass > 0.0)
        positions, logs = (first + some) * step, np.log(mass[some])
        for place, rate in enumerate(rates):
            terms = logs + rate * positions
            largest = terms.max()
            total[place] += steps * (largest + math.log(np.exp(terms - largest).sum()))
    return total
