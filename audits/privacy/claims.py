"""Claims of privacy, each in its own unit, as what they allow of one event.

A claim on two output laws P and Q, in both orders, allows for every event E a set of pairs (P(E), Q(E)). This
set is convex, so that it is told by its supporting lines: P(E) ≤ e^ε·Q(E) + δ(ε) for every ε ≥ 0, where δ(ε)
is the largest hockey-stick divergence that the claim allows at ε. Its upper edge, the largest P(E) for each
Q(E), is 1 − f for the trade-off function f of Dong, Roth and Su (2022).

For claims on Rényi divergences the set is that of all laws of two points, as D_α(P‖Q) is at least its value
on (E, not E), and as these laws satisfy the claim themselves: no conversion is sharper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.checks import non_negative, numbers
from implementations.privacy import gaussian_delta

Array = NDArray[np.float64]
T = TypeVar("T")

ROUNDED = 0.01
"""A point of a curve may lie above what the other points imply by this share, as tables are rounded."""
SAMPLED = np.linspace(0.0, 10.0, 201)
"""Where a curve that is given as a function is read."""


class Claim(Protocol):
    """What every claim has. `at` gives the claims of the same kind with another value: they allow the more,
    the greater the value."""

    @property
    def unit(self) -> str:
        """The symbol of the parameter that an audit bounds from below."""
        ...

    @property
    def value(self) -> float:
        """The claimed value of that parameter."""
        ...

    def at(self, value: float) -> Claim:
        """The claim of this kind with another value of the parameter."""
        ...

    def delta(self, epsilon: float) -> float:
        """The largest P(E) − e^ε·Q(E) over all events and laws that the claim allows, ε ≥ 0."""
        ...

    def least(self, p: ArrayLike, q: ArrayLike) -> Array:
        """The least value whose claim allows an event of probabilities p ≥ q (arrays that broadcast); of ε
        what the event itself asks for, as its complement is an event of its own."""
        ...

    def edge(self, q: ArrayLike) -> tuple[Array, Array]:
        """The largest P(E) for each q = Q(E), 0 < q < 1, or a little more, and the slope of a line through
        that point which has all that the claim allows below it or on it."""
        ...


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    return np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)


# A claim but for a probability: P = (1 − δ)·P₁ + δ·P₂, Q = (1 − δ)·Q₁ + δ·Q₂ with a claim on P₁ and Q₁, the
# field `certain`, δ being `failure`; at worst P₂(E) = 1 and Q₂(E) = 0.


def _delta_but(self: Any, epsilon: float) -> float:
    return self.failure + (1.0 - self.failure) * self.certain.delta(epsilon)


def _least_but(self: Any, p: ArrayLike, q: ArrayLike) -> Array:
    x, y = _pair(np.asarray(p) - self.failure, q)
    y = np.minimum(y / (1.0 - self.failure), 1.0)
    return self.certain.least(np.maximum(x / (1.0 - self.failure), y), y)


def _edge_but(self: Any, q: ArrayLike) -> tuple[Array, Array]:
    y = np.asarray(q, dtype=np.float64) / (1.0 - self.failure)
    inside = y < 1.0
    p, slope = self.certain.edge(np.where(inside, y, 0.5))
    return np.where(inside, self.failure + (1.0 - self.failure) * p, 1.0), np.where(inside, slope, 0.0)


@property
def _first(self: Any) -> float:
    """The value of a claim whose parameter is its first field."""
    return getattr(self, fields(self)[0].name)


def _with_first(self: T, value: float) -> T:
    """The claim with another first field."""
    kind: Any = type(self)
    return kind(value, *(getattr(self, one.name) for one in fields(kind)[1:]))


# --- (ε, δ) -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pure:
    """ε-differential privacy (Dwork, McSherry, Nissim and Smith 2006).

    >>> round(Pure(1.0).delta(0.0), 6)
    0.462117
    """

    epsilon: float
    unit = "ε"
    value, at = _first, _with_first

    def __post_init__(self) -> None:
        non_negative(epsilon=self.epsilon)

    def delta(self, epsilon: float) -> float:
        """(e^ε₀ − e^ε)/(1 + e^ε₀), or 0: that of randomised response (Kairouz, Oh and Viswanath 2015)."""
        non_negative(epsilon=epsilon)
        below = min(epsilon - self.epsilon, 0.0)
        return -math.expm1(below) / (1.0 + math.exp(-self.epsilon))

    def least(self, p: ArrayLike, q: ArrayLike) -> Array:
        p, q = _pair(p, q)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.fmax(np.log(p / q), 0.0)

    def edge(self, q: ArrayLike) -> tuple[Array, Array]:
        a, q = math.exp(self.epsilon), np.asarray(q, dtype=np.float64)
        before = q * (1.0 + a) <= 1.0
        return np.where(before, a * q, 1.0 - (1.0 - q) / a), np.where(before, a, 1.0 / a)


@dataclass(frozen=True, slots=True, init=False)
class Approximate:
    """(ε, δ)-differential privacy (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006); `failure` is its δ.

    >>> Approximate(1.0, 1e-5).delta(1.0)
    1e-05
    """

    epsilon: float
    failure: float
    unit = "ε"
    value, at = _first, _with_first

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon", Pure(epsilon).epsilon)
        object.__setattr__(self, "failure", _failure(delta))

    @property
    def certain(self) -> Pure:
        """What holds where the claim does not fail."""
        return Pure(self.epsilon)

    # δ + (1 − δ)·(e^ε₀ − e^ε)₊/(1 + e^ε₀) (Kairouz, Oh and Viswanath 2015, Theorem 2.1).
    delta, least, edge = _delta_but, _least_but, _edge_but


# --- Rényi ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ZeroConcentrated:
    """ρ-zero-concentrated privacy: D_α(P‖Q) ≤ ρ·α for all α > 1 (Bun and Steinke 2016, Definition 1.1).

    The orders are a grid, so that an event is allowed a little more than it should be: `least` is at most
    0.05 % too small, and a δ(ε) of 1e-12 or more at most 0.3 % too large.
    """

    rho: float
    unit = "ρ"
    value, at = _first, _with_first

    def __post_init__(self) -> None:
        non_negative(rho=self.rho)

    def delta(self, epsilon: float) -> float:
        return _largest(self, epsilon)

    def least(self, p: ArrayLike, q: ArrayLike) -> Array:
        p, q = np.broadcast_arrays(*_pair(p, q))
        orders = _deciding_orders(p, q)
        return np.max(_divergences(orders, p, q) / orders[..., None, :], axis=(-2, -1))

    def edge(self, q: ArrayLike) -> tuple[Array, Array]:
        q = np.asarray(q, dtype=np.float64)
        orders = _deciding_orders(_renyi_edge(ORDERS, self.rho * ORDERS, q)[0], q)
        return _renyi_edge(orders, self.rho * orders, q)


@dataclass(frozen=True, slots=True, init=False)
class ApproximateZeroConcentrated:
    """δ-approximate ρ-zCDP (Bun and Steinke 2016, Definition 8.1); `failure` is its δ.

    With probability 1 − δ each, the outputs have laws that are ρ-zCDP, and nothing is said of the rest: P is
    (1 − δ)·P₁ + δ·P₂ and Q is (1 − δ)·Q₁ + δ·Q₂, with ρ-zCDP between P₁ and Q₁.
    """

    rho: float
    failure: float
    unit = "ρ"
    value, at = _first, _with_first

    def __init__(self, rho: float, delta: float) -> None:
        object.__setattr__(self, "rho", ZeroConcentrated(rho).rho)
        object.__setattr__(self, "failure", _failure(delta))

    @property
    def certain(self) -> ZeroConcentrated:
        """What holds where the claim does not fail."""
        return ZeroConcentrated(self.rho)

    delta, least, edge = _delta_but, _least_but, _edge_but


@dataclass(frozen=True, slots=True)
class Renyi:
    """D_α(P‖Q) ≤ ε in both orders, of one order α > 1 or of several (Mironov 2017, Definition 4).

    Of several orders the value is the factor by which every ε is multiplied; 1 is claimed.

    >>> Renyi(8.0, 0.5).unit, Renyi((2.0, 8.0), (0.1, 0.5)).value
    ('D_8', 1.0)
    """

    order: float | tuple[float, ...]
    epsilon: float | tuple[float, ...]

    def __post_init__(self) -> None:
        order, epsilon = numbers("order", self.order), numbers("epsilon", self.epsilon, low=0.0)
        if order.ndim > 1 or order.size == 0 or order.shape != epsilon.shape:
            raise ValueError(f"order and epsilon must be as many, got {self.order!r} and {self.epsilon!r}")
        if not (order > 1.0).all():
            raise ValueError(f"order must be > 1, got {float(order.min())}")
        if len(np.unique(order)) < order.size:
            raise ValueError(f"order must not repeat, got {self.order!r}")
        if order.ndim and not epsilon.any():
            raise ValueError(f"epsilon must be > 0 at one order at least, got {self.epsilon!r}")
        for name, value in ("order", order), ("epsilon", epsilon):
            object.__setattr__(self, name, tuple(value.tolist()) if value.ndim else float(value))

    @property
    def unit(self) -> str:
        return "factor" if isinstance(self.order, tuple) else f"D_{self.order:g}"

    @property
    def value(self) -> float:
        return 1.0 if isinstance(self.epsilon, tuple) else self.epsilon

    def at(self, value: float) -> Renyi:
        several = isinstance(self.epsilon, tuple)
        # Of factors 0 stands for the least.
        scaled = (max(value, 1e-9) * e for e in np.atleast_1d(self.epsilon).tolist())
        return Renyi(self.order, tuple(scaled) if several else value)

    def delta(self, epsilon: float) -> float:
        return _largest(self, epsilon)

    def least(self, p: ArrayLike, q: ArrayLike) -> Array:
        p, q = _pair(p, q)
        found = np.max(_divergences(np.atleast_1d(self.order), p, q), axis=-2)
        if isinstance(self.epsilon, tuple):
            found = np.divide(found, self.epsilon, where=found > 0.0, out=np.zeros_like(found))
        return np.max(found, axis=-1)

    def edge(self, q: ArrayLike) -> tuple[Array, Array]:
        return _renyi_edge(np.atleast_1d(self.order), np.atleast_1d(self.epsilon), q)


# --- Trade-off curves -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GaussianDP:
    """μ-Gaussian privacy: P and Q are as hard to tell apart as N(μ, 1) and N(0, 1), or harder (Dong, Roth
    and Su 2022, Definition 2.6)."""

    mu: float
    unit = "μ"
    value, at = _first, _with_first

    def __post_init__(self) -> None:
        non_negative(mu=self.mu)

    def delta(self, epsilon: float) -> float:
        """Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) (Dong, Roth and Su 2022, Corollary 2.13)."""
        non_negative(epsilon=epsilon)
        return float(gaussian_delta(epsilon, self.mu))

    def least(self, p: ArrayLike, q: ArrayLike) -> Array:
        from scipy.special import ndtri

        p, q = _pair(p, q)
        with np.errstate(invalid="ignore"):
            return np.where(p > q, ndtri(p) - ndtri(q), 0.0)

    def edge(self, q: ArrayLike) -> tuple[Array, Array]:
        from scipy.special import ndtr, ndtri

        z = ndtri(np.asarray(q, dtype=np.float64))
        return ndtr(z + self.mu), np.exp(-self.mu * (z + 0.5 * self.mu))


@dataclass(frozen=True, slots=True)
class Curve:
    """δ at several ε: a mapping, pairs (ε, δ), or a function, which is read at ε = 0, 0.05, … 10.

    Between its points, before the first and after the last, this is the largest privacy curve that the points
    allow: non-increasing and convex in e^ε, with δ(−ε) = 1 − e^(−ε)·(1 − δ(ε)), as the claim is on both
    orders of P and Q. The value is what is added to δ at every point; 0 is claimed.

    >>> Curve({0.0: 0.5, 1.0: 0.25}).delta(2.0)
    0.25
    """

    points: Any
    excess: float = 0.0
    unit = "δ"

    def __post_init__(self) -> None:
        non_negative(excess=self.excess)
        object.__setattr__(self, "points", _points(self.points))
        given, delta = self._arrays()
        if (np.diff(delta) > 0.0).any():
            place = int(np.argmax(np.diff(delta)))
            rise = f"from {delta[place]:g} to {delta[place + 1]:g} after ε = {given[place]:g}"
            raise ValueError(f"a privacy curve must not rise, but δ rises {rise}")
        implied = _hull(given, delta, given)
        if (delta > (1.0 + ROUNDED) * implied + 1e-12).any():
            place = int(np.argmax(delta / np.maximum(implied, 1e-300)))
            raise ValueError(
                f"δ = {delta[place]:g} at ε = {given[place]:g} is on no privacy curve, which is convex "
                f"in e^ε: the other points imply {implied[place]:.4g}; give that or leave the point out"
            )

    @property
    def value(self) -> float:
        return self.excess

    def at(self, value: float) -> Curve:
        return Curve(self.points, value)

    def delta(self, epsilon: float) -> float:
        non_negative(epsilon=epsilon)
        given, delta = self._arrays()
        return float(_hull(given, np.minimum(delta + self.excess, 1.0), np.array([epsilon]))[0])

    def least(self, p: ArrayLike, q: ArrayLike) -> Array:
        p, q = (np.asarray(part)[..., None] for part in _pair(p, q))
        given, delta = self._arrays()
        a = np.exp(given)
        return np.max(np.maximum(p - a * q, 1.0 - q - a * (1.0 - p)) - delta, axis=-1, initial=0.0)

    def edge(self, q: ArrayLike) -> tuple[Array, Array]:
        q = np.asarray(q, dtype=np.float64)
        given, delta = self._arrays()
        a = np.exp(given)
        slope = np.concatenate([a, 1.0 / a, [0.0]])
        height = np.concatenate([delta + self.excess, 1.0 - (1.0 - delta - self.excess) / a, [1.0]])
        lines = slope * q[..., None] + height
        least = np.argmin(lines, axis=-1)
        return np.take_along_axis(lines, least[..., None], -1)[..., 0], slope[least]

    def _arrays(self) -> tuple[Array, Array]:
        given, delta = np.array(self.points).T
        return given, delta


def _points(of: Any) -> tuple[tuple[float, float], ...]:
    """The points of a curve in order."""
    if callable(of):
        function = cast(Callable[[float], float], of)
        of = [(e, function(e)) for e in SAMPLED.tolist()]
    pairs = cast(Iterable[Any], of.items() if isinstance(of, Mapping) else of)
    points = numbers("curve", list(pairs))
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"curve must have one or more pairs (ε, δ), got an array of shape {points.shape}")
    points = np.unique(points, axis=0)
    epsilon = numbers("ε of a curve", points[:, 0], low=0.0, high=200.0)
    numbers("δ of a curve", points[:, 1], low=0.0, high=1.0)
    if (twice := np.flatnonzero(np.diff(epsilon) == 0.0)).size:
        raise ValueError(f"a curve must have one δ at each ε, but has two at ε = {epsilon[twice[0]]:g}")
    return tuple(map(tuple, points.tolist()))


def _hull(given: Array, delta: Array, epsilon: Array) -> Array:
    """The largest privacy curve through or below the points, at each `epsilon`: the lower convex hull over
    e^ε of the points, of their mirror images at −ε, and of δ = 1 at e^ε = 0; constant after the last."""
    a = np.exp(given)
    x = np.concatenate([[0.0], 1.0 / a[::-1], a])
    y = np.concatenate([[1.0], (1.0 - (1.0 - delta) / a)[::-1], np.minimum.accumulate(delta)])
    kept: list[int] = []
    for i in range(len(x)):
        while len(kept) > 1:
            j, k = kept[-2:]
            if (y[k] - y[j]) * (x[i] - x[k]) < (y[i] - y[k]) * (x[k] - x[j]):
                break
            kept.pop()
        kept.append(i)
    return np.interp(np.exp(np.minimum(epsilon, 300.0)), x[kept], y[kept])


CLAIMS = Pure, Approximate, ZeroConcentrated, ApproximateZeroConcentrated, Renyi, GaussianDP, Curve


# --- What several of them share -----------------------------------------------------------------------------

ORDERS = 1.0 + np.geomspace(1e-4, 1e4, 65)
"""Orders at which ρ-zCDP is held against an event, and then at some between the best of them and its
neighbours; the first stands for the limit 1."""


def _failure(delta: object) -> float:
    found = float(numbers("delta", delta, low=0.0))
    if not found < 1.0:
        raise ValueError(f"delta must be in [0, 1), got {found}")
    return found


def _deciding_orders(p: Array, q: Array) -> Array:
    """The orders of the grid, and 15 more around that where D_α/α is largest."""
    best = (_divergences(ORDERS, p, q) / ORDERS).max(axis=-2).argmax(axis=-1)
    low, high = (ORDERS[np.clip(best + move, 0, len(ORDERS) - 1), None] - 1.0 for move in (-1, 1))
    finer = 1.0 + low * (high / low) ** np.linspace(0.0, 1.0, 17)[1:-1]
    return np.concatenate([np.broadcast_to(ORDERS, (*best.shape, len(ORDERS))), finer], axis=-1)


def _divergences(orders: Array, p: Array, q: Array) -> Array:
    """D_α of the laws (p, 1 − p) and (q, 1 − q) in both orders, (…, 2, A) for A orders."""
    p, q = (part[..., None] for part in np.broadcast_arrays(p, q))
    with np.errstate(divide="ignore"):
        logs = np.log(p), np.log1p(-p), np.log(q), np.log1p(-q)

    def log_mean(p: Array, not_p: Array, q: Array, not_q: Array) -> Array:
        # Where an outcome has probability 0 under both laws, ∞ − ∞ is no part of the sum.
        with np.errstate(invalid="ignore"):
            terms = orders * p + (1.0 - orders) * q, orders * not_p + (1.0 - orders) * not_q
        return np.logaddexp(*(np.where(np.isnan(term), -np.inf, term) for term in terms))

    both = [log_mean(*logs), log_mean(*logs[2:], *logs[:2])]
    return np.maximum(np.stack(both, axis=-2), 0.0) / (orders[..., None, :] - 1.0)


def _renyi_edge(orders: Array, bounds: Array, q: ArrayLike) -> tuple[Array, Array]:
    """`edge` of D_α ≤ bounds at each of the orders.

    F = e^((α − 1)·D_α) is convex in (p, q): Newton's steps in p from beyond the edge stay beyond it, and the
    gradient there has all that is allowed below its line. With x = p/q, y = (1 − p)/(1 − q) and t = y/x

    D_α(p‖q): F/∂F = x·(q + (1 − q)·t^α)/(α·(1 − t^(α − 1))),  slope x·(1 − 1/α)·(1 − t^α)/(1 − t^(α − 1));
    D_α(q‖p): F/∂F = (1 − p + p·t^α)/((α − 1)·(1 − t^α)),      slope y·(1 − t^(α − 1))/(1 − t^α)/(1 − 1/α).
    """
    q = np.asarray(q, dtype=np.float64)[..., None]
    log_q, log_not_q, share = np.log(q), np.log1p(-q), 1.0 - 1.0 / orders
    # One term of each sum may not exceed the bound alone.
    beyond = share * (log_q + bounds), np.log(-np.expm1(log_not_q / share - bounds))
    p = np.exp(np.minimum(np.minimum(*beyond).min(axis=-1, keepdims=True), 0.0))
    p = np.maximum(p, q)
    for _ in range(100):
        step = _newton(orders, bounds, p, q)[0]
        p = np.maximum(p - step, q)
        if (step <= 1e-9 * p).all():
            break
    return p[..., 0], _newton(orders, bounds, p, q)[1]


def _newton(orders: Array, bounds: Array, p: Array, q: Array) -> tuple[Array, Array]:
    """The largest of Newton's steps of all constraints, and the slope of the one that is exceeded most."""
    share, x, y = 1.0 - 1.0 / orders, p / q, (1.0 - p) / (1.0 - q)
    over = _divergences(orders, p[..., 0], q[..., 0]) - bounds[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log_t = np.minimum(np.log(y) - np.log(x), -1e-300)
        top, rest = -np.expm1(orders * log_t), -np.expm1((orders - 1.0) * log_t)
        parts = x * (1.0 - (1.0 - q) * top) / (orders * rest), (1.0 - p * top) / ((orders - 1.0) * top)
        slopes = np.concatenate([x * share * top / rest, y * rest / top / share], axis=-1)
        steps = np.stack(parts, axis=-2) * -np.expm1((1.0 - orders[..., None, :]) * over)
    step = np.where(over > 0.0, steps, 0.0).max(axis=(-2, -1))
    active = np.concatenate([over[..., 0, :], over[..., 1, :]], axis=-1).argmax(axis=-1)
    return step[..., None], np.take_along_axis(slopes, active[..., None], -1)[..., 0]


def _largest(claim: Claim, epsilon: float) -> float:
    """δ(ε) from the edge: the largest p − e^ε·q, which has one maximum in q, as the edge is concave."""
    from scipy.optimize import minimize_scalar
    from scipy.special import expit

    non_negative(epsilon=epsilon)
    a = math.exp(min(epsilon, 700.0))

    def lost(z: float) -> float:
        q = np.array([expit(z)])
        return float(a * q[0] - claim.edge(q)[0][0])

    return max(-minimize_scalar(lost, bounds=(-700.0, 30.0), method="bounded").fun, 0.0)
