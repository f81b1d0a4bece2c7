"""Privacy losses of single draws at the real distance, and what they compose to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.accounting import (
    Atoms,
    compose_all,
    discretise,
    epsilon_at,
    poisson_gaussian_rdp,
    reverse,
    subsampled,
)

Array = NDArray[np.float64]

CELLS = 4000
"""Cells that a continuous loss is sorted into."""
FINEST, POINTS = 1e-4, 200_000
"""Spacing of the grid of losses where few draws are composed, and points that it has at most."""

TAIL = 1e-3
"""Where an atom has at least this share of a Rényi divergence, so may the tail of a law that was cut."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The pair of laws of one draw, on D and on D′.

    kind     "gaussian": N(0, 1) against N(ratio, 1); "laplace": scale 1, moved by ratio; "pure": ε = ratio,
             and nothing more is known; "pair": a finite pair of laws.
    ratio    distance over scale, or ε.
    delta    probability of an infinite loss that comes on top.
    atoms    of a pair: probabilities on D and on D′.
    rate     probability that the record takes part; 1 without subsampling.
    cut      the atoms are cells of laws that go on beyond them.
    """

    kind: str
    ratio: float
    delta: float = 0.0
    atoms: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    rate: float = 1.0
    cut: bool = False

    @property
    def largest(self) -> float:
        """The largest privacy loss in either direction: ε at δ = 0."""
        if self.delta > 0.0:
            return math.inf
        if self.kind == "gaussian":
            return math.inf if self.ratio > 0.0 else 0.0
        if self.kind == "pair":
            p, q = (np.array(x) for x in self.atoms)
            some = (p > 0.0) | (q > 0.0)
            with np.errstate(divide="ignore"):
                bound = float(np.max(np.abs(np.log(p[some]) - np.log(q[some])), initial=0.0))
        else:
            bound = self.ratio
        return math.log1p(self.rate * math.expm1(bound)) if self.rate < 1.0 and bound < 700.0 else bound

    def pairs(self) -> Atoms:
        """The pair as atoms; a continuous one is sorted into cells."""
        if self.kind == "pair":
            base = Atoms(np.array(self.atoms[0]), np.array(self.atoms[1]))
        elif self.kind == "pure":
            top = 1.0 / (1.0 + math.exp(-self.ratio))
            base = Atoms(np.array([top, 1.0 - top]), np.array([1.0 - top, top]))
        else:
            base = self._continuous()
        if self.rate < 1.0:
            base = subsampled(base, self.rate)
        if self.delta > 0.0:
            base = Atoms(
                np.append(base.p * (1.0 - self.delta), self.delta),
                np.append(base.q * (1.0 - self.delta), 0.0),
            )
        return base

    def _continuous(self) -> Atoms:
        from audits.laws import Gaussian, Laplace

        r = self.ratio
        if self.kind == "laplace":
            edges = np.linspace(0.0, r, CELLS + 1)
            return discretise(Laplace(0.0, 1.0), Laplace(r, 1.0), edges)
        edges = np.linspace(min(0.0, r) - 9.0, max(0.0, r) + 9.0, CELLS + 1)
        return discretise(Gaussian(0.0, 1.0), Gaussian(r, 1.0), edges)


def compose(losses: Iterable[Loss], delta: float) -> float:
    """The least ε of all draws together at δ, the larger of the two directions.

    Exact for δ = 0 (largest losses add up) and for Gaussians alone; else by `accounting.compose_all` on a
    grid of losses, whose error is far below a thousandth.
    """
    some = [loss for loss in losses if loss.largest > 0.0 or loss.delta > 0.0]
    if not some:
        return 0.0
    if delta <= 0.0:
        return math.fsum(loss.largest for loss in some)
    if any(math.isinf(loss.ratio) and loss.rate == 1.0 for loss in some):
        return math.inf  # no noise at all
    if all(loss.kind == "gaussian" and loss.rate == 1.0 for loss in some):
        left = delta - math.fsum(loss.delta for loss in some)
        return gaussian_epsilon(math.sqrt(math.fsum(loss.ratio**2 for loss in some)), left)
    # Basic composition: exact where the draws have δ of their own that the claim just covers.
    left = delta - math.fsum(loss.delta for loss in some)
    basic = math.inf
    if left >= -1e-12 * delta:
        basic = math.fsum(replace(loss, delta=0.0).largest for loss in some)
    return min(basic, _by_grid(frozenset(Counter(_merged(some)).items()), delta))


@lru_cache(maxsize=64)
def _by_grid(losses: frozenset[tuple[Loss, int]], delta: float) -> float:
    """ε at δ by convolution of losses on a grid, each loss so many times; runs often cost the same."""
    curve = _curve(losses)
    return epsilon_at(curve, delta) if curve(1e3) <= delta else math.inf


def composed(losses: Iterable[Loss]) -> Callable[[float], float]:
    """The privacy curve δ(ε) of all draws together, at most too large by the rounding of losses to a grid."""
    return _curve(frozenset(Counter(_merged(list(losses))).items()))


def _curve(losses: frozenset[tuple[Loss, int]]) -> Callable[[float], float]:
    """The privacy curve δ(ε), by convolution on a grid, of draws that are given with their numbers."""
    counted = dict(sorted(losses, key=repr))
    width = math.fsum(times * _width(loss) for loss, times in counted.items())
    if math.isinf(width):
        return lambda epsilon: 1.0
    step = max(FINEST, width / POINTS)
    pairs = [(loss.pairs(), times) for loss, times in counted.items()]
    reversed_ = [(reverse(atoms), times) for atoms, times in pairs]
    one, other = (compose_all(some, step=step, pessimistic=True) for some in (pairs, reversed_))
    return lambda epsilon: max(one(epsilon), other(epsilon))


def divergences(losses: Iterable[Loss], orders: Array) -> Array:
    """The Rényi divergences of all draws at each order: they add up (Mironov 2017, Proposition 1)."""
    return _divergences(frozenset(Counter(_merged(list(losses))).items()), tuple(orders.tolist()))


@lru_cache(maxsize=64)
def _divergences(losses: frozenset[tuple[Loss, int]], orders: tuple[float, ...]) -> Array:
    """The sum over draws that are given with their numbers; runs often cost the same."""
    total = np.zeros(len(orders))
    for loss, times in sorted(losses, key=repr):
        total += times * divergence(loss, np.array(orders))
    return total


def divergence(loss: Loss, orders: Array) -> Array:
    """The Rényi divergence of one draw at each order > 1: the larger of D_α(P‖Q) and D_α(Q‖P).

    Closed forms of Mironov (2017, Propositions 5 to 7) for whole Gaussians and Laplace draws, else the sum
    over atoms, into which a continuous loss is sorted: NaN where that is not known.

    >>> divergence(Loss("gaussian", 2.0), np.array([3.0]))
    array([6.])
    """
    from scipy.special import logsumexp

    if loss.delta > 0.0 or math.isinf(loss.ratio):
        return np.full(len(orders), math.inf)
    if loss.largest == 0.0:
        return np.zeros(len(orders))
    if loss.kind == "gaussian" and loss.rate == 1.0:
        return 0.5 * orders * loss.ratio**2
    if loss.kind == "laplace" and loss.rate == 1.0:
        logs = [(orders - 1.0) * loss.ratio + np.log(orders), -orders * loss.ratio + np.log(orders - 1.0)]
        return (logsumexp(logs, axis=0) - np.log(2.0 * orders - 1.0)) / (orders - 1.0)
    if loss.kind == "gaussian":
        return poisson_gaussian_rdp(loss.rate, 1.0 / loss.ratio, orders.tolist())
    atoms = loss.pairs()
    some = (atoms.p > 0.0) | (atoms.q > 0.0)
    column = orders[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q = np.log(atoms.p[some]), np.log(atoms.q[some])
        # log p^α·q^(1 − α), an order a row.
        each = [np.where(np.isneginf(a), a, column * a + (1.0 - column) * b) for a, b in ((p, q), (q, p))]
    sums = np.max(logsumexp(each, axis=-1), axis=0)
    # Where the outermost cells carry the sum, the tail beyond them does.
    outside = loss.cut & (np.max(each, axis=(0, 2)) - sums > math.log(TAIL))
    return np.where(outside, math.nan, np.maximum(sums, 0.0) / (orders - 1.0))


def _merged(losses: Sequence[Loss]) -> list[Loss]:
    """Gaussians without subsampling are one Gaussian; ratios are rounded so that equal ones are found."""
    alone = [loss for loss in losses if loss.kind == "gaussian" and loss.rate == 1.0]
    others = [loss for loss in losses if not (loss.kind == "gaussian" and loss.rate == 1.0)]
    rounded = [replace(loss, ratio=float(f"{loss.ratio:.10g}")) for loss in others]
    if alone:
        ratio = math.sqrt(math.fsum(loss.ratio**2 for loss in alone))
        rounded.append(Loss("gaussian", ratio))
        rounded += [Loss("pure", 0.0, loss.delta) for loss in alone if loss.delta > 0.0]
    return rounded


def _width(loss: Loss) -> float:
    """About how far the losses of a pair reach."""
    if loss.kind == "gaussian":
        return loss.ratio * (loss.ratio + 18.0)
    if loss.kind == "pair":
        p, q = (np.array(x) for x in loss.atoms)
        some = (p > 0.0) & (q > 0.0)
        return 2.0 * float(np.max(np.abs(np.log(p[some]) - np.log(q[some])), initial=0.0))
    return 2.0 * loss.ratio


def gaussian_epsilon(ratio: float, delta: float) -> float:
    """The least ε of N(0, 1) against N(ratio, 1) at δ (Balle and Wang 2018, Theorem 8).

    >>> round(gaussian_epsilon(1.0, 1e-5), 4)
    4.3772
    """
    from scipy.special import log_ndtr, ndtr

    if ratio == 0.0:
        return 0.0
    if delta <= 0.0:
        return math.inf

    def curve(epsilon: float) -> float:
        below = float(epsilon + log_ndtr(-ratio / 2.0 - epsilon / ratio))
        return float(ndtr(ratio / 2.0 - epsilon / ratio)) - math.exp(min(below, 0.0))

    return epsilon_at(curve, delta, largest=1e12)


def between(first: Any, second: Any) -> Loss:
    """The loss of two laws on the line, frozen ones of SciPy, sorted into cells."""
    if hasattr(first.dist, "pmf"):
        low = min(float(law.ppf(1e-15)) for law in (first, second))
        high = max(float(law.ppf(1.0 - 1e-15)) for law in (first, second))
        points = np.arange(low, high + 1.0)
        p, q = np.asarray(first.pmf(points)), np.asarray(second.pmf(points))
    else:
        quantiles = np.concatenate([np.logspace(-12, -3, 400), np.linspace(1e-3, 1 - 1e-3, 1200)])
        quantiles = np.concatenate([quantiles, 1.0 - np.logspace(-3, -12, 400)])
        edges = np.concatenate([law.ppf(quantiles) for law in (first, second)])
        edges = np.unique(edges[np.isfinite(edges)])
        atoms = discretise(first, second, edges)
        p, q = atoms.p, atoms.q
    return replace(finite(p, q), cut=True)


def excess(loss: Loss, epsilon: float) -> float:
    """max P(S) − e^ε·Q(S) over events S and both directions: the least δ that goes with ε.

    >>> round(excess(finite([0.9, 0.1], [0.5, 0.5]), 0.0), 3)
    0.4
    """
    if math.isinf(loss.ratio):
        return 1.0
    atoms = loss.pairs()
    weight = math.exp(min(epsilon, 700.0))
    pairs = ((atoms.p, atoms.q), (atoms.q, atoms.p))
    return max(float(np.sum(np.maximum(p - weight * q, 0.0))) for p, q in pairs)


def finite(p: Any, q: Any) -> Loss:
    """The loss of two finite laws."""
    first, second = np.ravel(np.asarray(p, float)), np.ravel(np.asarray(q, float))
    return Loss("pair", 0.0, atoms=(tuple(first.tolist()), tuple(second.tolist())))
