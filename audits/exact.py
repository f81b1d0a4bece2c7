# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
"""Hockey-stick divergences of laws known in closed form: no sampling, no tolerance to choose.

A mechanism is (ε, δ)-DP for the pair of output laws P, Q exactly where the hockey-stick divergence
``H_ε(P‖Q) = sup_S P(S) − e^ε Q(S)`` and ``H_ε(Q‖P)`` are both ≤ δ (Barthe and Olmedo 2013). The supremum is
reached on the set where the privacy loss log(dP/dQ) exceeds ε, so it is enough to find that set.

Everything is computed from logarithms: δ keeps its leading digits down to 1e-300, and ε in the hundreds
does not overflow. Measured against 60-digit arithmetic in the tests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_SQRT_HALF_PI = math.sqrt(math.pi / 2.0)
# P-mass outside ± this many standard deviations (scales) is below 1e-320, hence nothing in a double.
_GAUSSIAN_REACH = 39.0
_LAPLACE_REACH = 745.0
_MOST_CELLS = 2_000_000


# --- Laws --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gaussian:
    """N(mean, sd²·I): a number or a vector of numbers as mean, one standard deviation for all coordinates.

    Raises ValueError for a mean or sd that is not finite, and for sd ≤ 0.
    """

    mean: float | Sequence[float]
    sd: float

    def __post_init__(self) -> None:
        mean = _numbers("mean", self.mean)
        if mean.ndim > 1 or mean.size == 0:
            raise ValueError(f"mean must be a number or a vector, got shape {mean.shape}")
        _positive("sd", self.sd)
        plain = float(mean) if mean.ndim == 0 else tuple(float(v) for v in mean)
        object.__setattr__(self, "mean", plain)
        object.__setattr__(self, "sd", float(self.sd))


@dataclass(frozen=True, slots=True)
class Laplace:
    """The Laplace law with density exp(−|x − mean|/scale) / (2·scale).

    Raises ValueError for a mean or scale that is not finite, and for scale ≤ 0.
    """

    mean: float
    scale: float

    def __post_init__(self) -> None:
        if _numbers("mean", self.mean).ndim:
            raise ValueError(f"mean must be one number, got {self.mean!r}")
        _positive("scale", self.scale)
        object.__setattr__(self, "mean", float(self.mean))
        object.__setattr__(self, "scale", float(self.scale))


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
            values = _numbers("probabilities", list(probabilities.values()))
        else:
            values = _numbers("probabilities", probabilities)
            outcomes = tuple(range(values.size))
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"probabilities must be a non-empty list, got shape {values.shape}")
        if values.min() < 0.0:
            raise ValueError(f"probabilities must be ≥ 0, got {values.min()}")
        total = math.fsum(values)
        if abs(total - 1.0) > 1e-9:
            raise ValueError(f"probabilities must add up to 1, got {total}")
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
        weights = _numbers("weights", self.weights)
        if weights.ndim != 1 or weights.size == 0 or weights.size != len(self.components):
            raise ValueError(
                "weights and components must have one length ≥ 1, "
                f"got {weights.shape} and {len(self.components)}"
            )
        if weights.min() < 0.0 or abs(math.fsum(weights) - 1.0) > 1e-9:
            raise ValueError(f"weights must be ≥ 0 and add up to 1, got {self.weights!r}")
        parts = cast(Sequence[object], self.components)
        for part in parts:
            if not isinstance(part, Gaussian | Laplace) or isinstance(part.mean, tuple):
                raise ValueError(f"components must be scalar Gaussian or Laplace laws, got {part!r}")
        object.__setattr__(self, "weights", tuple(float(w) for w in weights))
        object.__setattr__(self, "components", tuple(self.components))


Law = Gaussian | Laplace | Finite | Mixture


# --- Input -------------------------------------------------------------------------------------------


def _numbers(name: str, value: object) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {value!r}") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {value!r}")
    return array


def _positive(name: str, value: float) -> None:
    if _numbers(name, value).ndim or value <= 0.0:
        raise ValueError(f"{name} must be one number > 0, got {value!r}")


def _at_least(name: str, value: object, low: float) -> Array:
    array = _numbers(name, value)
    if array.size and array.min() < low:
        raise ValueError(f"{name} must be ≥ {low:g}, got {array.min()}")
    return array


def _delta(value: object) -> Array:
    array = _numbers("delta", value)
    if array.size and (array.min() < 0.0 or array.max() > 1.0):
        raise ValueError(f"delta must be in [0, 1], got {value!r}")
    return array


def _shaped(values: Array) -> Any:
    """A float for scalar input, the array otherwise."""
    return float(values) if values.ndim == 0 else values


# --- The Gaussian trade-off ----------------------------------------------------------------------------


@np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore")
def _log_gaussian_delta(epsilon: Array, mu: Array) -> Array:
    """log δ(ε, μ) for ε ≥ 0 and μ > 0, elementwise.

    With x = ε/μ − μ/2 and y = ε/μ + μ/2, e^ε φ(y) = φ(x), so that δ = φ(x)·(R(x) − R(y)) with Mills' ratio
    R(t) = Φ(−t)/φ(t): the two large terms share their factor and only R is subtracted. For small μ, R(x)
    and R(y) agree in most digits, and R(x) − R(y) = ∫_x^y (1 − tR(t)) dt has no difference left. Where ε/μ
    overflows δ is 0, log δ = −inf.
    """
    from scipy.special import erfcx, log_ndtr

    x, y = epsilon / mu - mu / 2.0, epsilon / mu + mu / 2.0
    result = np.empty_like(x)

    small = mu < 0.5
    if small.any():
        nodes, weights = np.polynomial.legendre.leggauss(12)
        t = (epsilon / mu)[small][:, None] + 0.5 * mu[small][:, None] * nodes
        integral = 0.5 * mu[small] * (_one_minus_t_mills(t) @ weights)
        result[small] = -0.5 * x[small] ** 2 - _LOG_SQRT_2PI + np.log(integral)

    ordinary = ~small & (x > -5.0)
    u, v = x[ordinary], y[ordinary]
    difference = _SQRT_HALF_PI * (erfcx(u / math.sqrt(2.0)) - erfcx(v / math.sqrt(2.0)))
    result[ordinary] = -0.5 * u**2 - _LOG_SQRT_2PI + np.log(difference)

    large = ~small & ~ordinary  # Φ(−x) is 1 up to 3e-7 here, and the second term is far below it
    e, u, v = epsilon[large], x[large], y[large]
    result[large] = np.log1p(-np.exp(log_ndtr(u)) - np.exp(e + log_ndtr(-v)))
    return result


def _one_minus_t_mills(t: Array) -> Array:
    """1 − t·R(t) for t ≥ −1: from erfcx, and from its asymptotic series where that would cancel."""
    from scipy.special import erfcx

    near = 1.0 - t * _SQRT_HALF_PI * erfcx(np.minimum(t, 30.0) / math.sqrt(2.0))
    s = 1.0 / np.maximum(t, 30.0) ** 2
    # 1 − tR(t) = 1/t² − 3/t⁴ + 15/t⁶ − …; the first term left out is below 1e-15 of the first at t = 30.
    far = s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s * (1 - 11 * s * (1 - 13 * s))))))
    return np.where(t < 30.0, near, far)


def gaussian_delta(epsilon: ArrayLike, mu: ArrayLike) -> Any:
    """H_ε(N(μ, 1)‖N(0, 1)) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), broadcast over both arguments.

    epsilon is any finite number, mu ≥ 0 (sensitivity over standard deviation). Returns a float, or an array
    where an argument is one. Raises ValueError for NaN, infinity or a negative mu.
    Source: Balle and Wang (2018), Theorem 8; Dong, Roth and Su (2022), Corollary 2.13.

    >>> round(gaussian_delta(1.0, 1.0), 6)
    0.126937
    """
    e, m = np.broadcast_arrays(_numbers("epsilon", epsilon), _at_least("mu", mu, 0.0))
    flat_e, flat_m = e.ravel(), m.ravel()
    result = np.zeros(flat_e.shape)
    some = flat_m > 0.0
    with np.errstate(over="ignore"):
        result[some] = np.exp(_log_gaussian_delta(np.abs(flat_e[some]), flat_m[some]))
    return _shaped(_fold(flat_e, result).reshape(e.shape))


def _fold(epsilon: Array, delta_of_abs: Array) -> Array:
    """H_ε(P‖Q) for negative ε from H_{−ε}(Q‖P): 1 − e^ε + e^ε·H_{−ε}(Q‖P), a sum without cancellation."""
    low = np.minimum(epsilon, 0.0)
    return np.where(epsilon < 0.0, -np.expm1(low) + np.exp(low) * delta_of_abs, delta_of_abs)


def _bisect(holds: Callable[[Array], Bools], low: Array, high: Array) -> tuple[Array, Array]:
    """Elementwise bisection to neighbouring doubles: `holds` is true at low, false at high."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if ((middle <= low) | (middle >= high)).all():
            break
        ok = holds(middle)
        low, high = np.where(ok, middle, low), np.where(ok, high, middle)
    return low, high


def mu_star(epsilon: ArrayLike, delta: ArrayLike) -> Any:
    """The largest μ for which μ-Gaussian DP implies (ε, δ)-DP: the largest μ with gaussian_delta(ε, μ) ≤ δ.

    epsilon ≥ 0 and delta in [0, 1], broadcast; 0 where delta = 0 and inf where delta = 1. The value is
    rounded down, so gaussian_delta(ε, μ*) ≤ δ. Raises ValueError for arguments out of range or not finite.

    >>> round(mu_star(1.0, 1e-5), 6)
    0.268051
    """
    e, d = np.broadcast_arrays(_at_least("epsilon", epsilon, 0.0), _delta(delta))
    flat_e, flat_d = e.ravel(), d.ravel()
    result = np.where(flat_d >= 1.0, np.inf, 0.0)
    some = (flat_d > 0.0) & (flat_d < 1.0)
    if some.any():
        eps, target = flat_e[some], np.log(flat_d[some])

        def holds(mu: Array) -> Bools:
            return _log_gaussian_delta(eps, mu) <= target

        high = np.full(eps.shape, 1.0)
        while not (~holds(high)).all():
            high = np.where(holds(high), 2.0 * high, high)
        low = 0.5 * high
        while not (ok := holds(low)).all():
            low, high = np.where(ok, low, 0.5 * low), np.where(ok, high, low)
        result[some] = _bisect(holds, low, high)[0]
    return _shaped(result.reshape(e.shape))


def gaussian_epsilon(delta: ArrayLike, mu: ArrayLike) -> Any:
    """The smallest ε ≥ 0 for which μ-Gaussian DP implies (ε, δ)-DP; inf where delta = 0 and mu > 0.

    delta in [0, 1] and mu ≥ 0, broadcast. The value is rounded up, so gaussian_delta(ε, μ) ≤ δ.
    Raises ValueError for arguments out of range or not finite.

    >>> round(gaussian_epsilon(1e-5, 1.0), 4)
    4.3772
    """
    d, m = np.broadcast_arrays(_delta(delta), _at_least("mu", mu, 0.0))
    flat_d, flat_m = d.ravel(), m.ravel()
    result = np.where((flat_d == 0.0) & (flat_m > 0.0), np.inf, 0.0)
    some = (flat_d > 0.0) & (gaussian_delta(0.0, flat_m) > flat_d)
    if some.any():
        mu_some, target = flat_m[some], np.log(flat_d[some])

        def holds(eps: Array) -> Bools:
            return _log_gaussian_delta(eps, mu_some) > target

        low, high = np.zeros(mu_some.shape), np.maximum(mu_some, mu_some**2)
        while holds(high).any():
            high = np.where(holds(high), 2.0 * high, high)
        result[some] = _bisect(holds, low, high)[1]
    return _shaped(result.reshape(d.shape))


# --- The divergence ------------------------------------------------------------------------------------


@overload
def hockey_stick(P: Law, Q: Law, epsilon: float) -> float: ...
@overload
def hockey_stick(P: Law, Q: Law, epsilon: ArrayLike) -> Any: ...
def hockey_stick(P: Law, Q: Law, epsilon: ArrayLike) -> Any:
    """H_ε(P‖Q) = sup_S P(S) − e^ε Q(S), elementwise over epsilon (any finite numbers, any shape).

    Gaussians of one sd, Laplace laws of one scale and finite laws: closed form. Gaussians of two sds: the
    roots of the quadratic log-likelihood ratio. Mixtures, and Gaussian against Laplace: the set where the
    log-likelihood ratio exceeds ε, by subdivision with bounds of its second derivative (so no root is
    missed), then the masses of its intervals. Rounding is below 1e-12 of P(S), S being that set.

    Returns a float for a number, else an array. Raises ValueError where the two laws do not live on one
    space (finite against continuous, vectors of two lengths), and for vectors with two standard deviations.

    >>> hockey_stick(Finite({"yes": 0.75, "no": 0.25}), Finite({"yes": 0.25, "no": 0.75}), 0.0)
    0.5
    >>> round(hockey_stick(Laplace(0.0, 1.0), Laplace(1.0, 1.0), 0.5), 6)
    0.221199
    """
    e = _numbers("epsilon", epsilon)
    flat = e.ravel()
    if isinstance(P, Finite) or isinstance(Q, Finite):
        if not (isinstance(P, Finite) and isinstance(Q, Finite)):
            raise ValueError(f"both laws must be Finite or neither, got {_kind(P)} and {_kind(Q)}")
        result = _finite_delta(P, Q, flat)
    elif isinstance(P, Gaussian) and isinstance(Q, Gaussian):
        distance = _distance(P, Q)
        if P.sd == Q.sd:
            result = np.asarray(gaussian_delta(flat, distance / P.sd))
        else:
            result = _two_sd_delta(distance, P.sd, Q.sd, flat)
    elif isinstance(P, Laplace) and isinstance(Q, Laplace) and P.scale == Q.scale:
        # H_ε = 1 − e^{(ε−Δ)/2} for 0 ≤ ε ≤ Δ, the distance in scales; 0 above.
        distance = abs(P.mean - Q.mean) / P.scale
        result = _fold(flat, 0.0 - np.expm1(np.minimum(np.abs(flat) - distance, 0.0) / 2.0))
    else:
        result = _subdivided_delta(_parts(P), _parts(Q), flat)
    return _shaped(result.reshape(e.shape))


@overload
def hockey_stick_both(P: Law, Q: Law, epsilon: float) -> float: ...
@overload
def hockey_stick_both(P: Law, Q: Law, epsilon: ArrayLike) -> Any: ...
def hockey_stick_both(P: Law, Q: Law, epsilon: ArrayLike) -> Any:
    """max(H_ε(P‖Q), H_ε(Q‖P)): the smallest δ for which the pair is (ε, δ)-indistinguishable.

    >>> hockey_stick_both(Finite([1.0, 0.0]), Finite([0.5, 0.5]), 1.0)
    0.5
    """
    return _shaped(
        np.maximum(np.asarray(hockey_stick(P, Q, epsilon)), np.asarray(hockey_stick(Q, P, epsilon)))
    )


def _kind(law: object) -> str:
    return type(law).__name__


def _distance(P: Gaussian, Q: Gaussian) -> float:
    a, b = np.atleast_1d(np.asarray(P.mean)), np.atleast_1d(np.asarray(Q.mean))
    if a.shape != b.shape:
        raise ValueError(f"means must have one length, got {a.size} and {b.size}")
    if P.sd != Q.sd and a.size > 1:
        raise ValueError(f"vector Gaussians must have one sd, got {P.sd} and {Q.sd}")
    # ⟨x, b − a⟩ is sufficient for N(a, s²I) against N(b, s²I), hence one dimension is enough.
    return math.dist(a.tolist(), b.tolist())


def _aligned(P: Finite, Q: Finite) -> tuple[Array, Array]:
    """Both laws as vectors over the union of their outcomes."""
    if P.outcomes == Q.outcomes:
        return np.asarray(P.probabilities), np.asarray(Q.probabilities)
    p, q = (dict(zip(law.outcomes, law.probabilities, strict=True)) for law in (P, Q))
    outcomes = list(dict.fromkeys((*P.outcomes, *Q.outcomes)))
    return np.array([p.get(o, 0.0) for o in outcomes]), np.array([q.get(o, 0.0) for o in outcomes])


def _log(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(values)


def _finite_delta(P: Finite, Q: Finite, epsilon: Array) -> Array:
    p, q = _aligned(P, Q)
    p, q = p[p > 0.0], q[p > 0.0]
    loss = _log(p) - _log(q)
    return np.array([math.fsum(p[loss > e] * -np.expm1(e - loss[loss > e])) for e in epsilon])


def _two_sd_delta(distance: float, sd_p: float, sd_q: float, epsilon: Array) -> Array:
    """N(0, sd_p²) against N(distance, sd_q²): log p/q − ε is the quadratic a·x² + b·x + c."""
    a = (sd_p - sd_q) * (sd_p + sd_q) / (2.0 * sd_p**2 * sd_q**2)
    b = -distance / sd_q**2
    c = distance**2 / (2.0 * sd_q**2) + math.log(sd_q / sd_p) - epsilon
    P, Q = _parts(Gaussian(0.0, sd_p)), _parts(Gaussian(distance, sd_q))
    result = np.zeros(epsilon.shape)
    for i, e in enumerate(epsilon):
        discriminant = b * b - 4.0 * a * c[i]
        if discriminant <= 0.0:  # the ratio stays on one side of ε
            result[i] = max(-math.expm1(e), 0.0) if a > 0.0 else 0.0
            continue
        q = -0.5 * (b - math.sqrt(discriminant))  # b ≤ 0: no cancellation
        left, right = sorted((q / a, c[i] / q))
        inside = [(left, right)]
        outside = [(-math.inf, left), (right, math.inf)]
        result[i] = _excess(P, Q, e, outside if a > 0.0 else inside)
    return result


# --- Mixtures ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Parts:
    """Components as arrays: log weight, mean, sd or scale, and which of them are Gaussian."""

    log_weight: Array
    mean: Array
    spread: Array
    gaussian: Bools


def _parts(law: Law) -> _Parts:
    if isinstance(law, Finite):
        raise ValueError("a Finite law has no density")
    weights, laws = (law.weights, law.components) if isinstance(law, Mixture) else ((1.0,), (law,))
    kept = [(w, part) for w, part in zip(weights, laws, strict=True) if w > 0.0]
    means = [np.atleast_1d(np.asarray(part.mean)) for _, part in kept]
    if any(m.size > 1 for m in means):
        raise ValueError(f"vector means need two Gaussians of one sd, got {law!r}")
    return _Parts(
        log_weight=np.log([w for w, _ in kept]),
        mean=np.concatenate(means),
        spread=np.array([part.sd if isinstance(part, Gaussian) else part.scale for _, part in kept]),
        gaussian=np.array([isinstance(part, Gaussian) for _, part in kept]),
    )


def _log_terms(parts: _Parts, x: Array) -> Array:
    """log(weight·density) of every component, shape (components, len(x))."""
    z = (x - parts.mean[:, None]) / parts.spread[:, None]
    gaussian = -0.5 * z**2 - _LOG_SQRT_2PI
    laplace = -np.abs(z) - math.log(2.0)
    shape = np.where(parts.gaussian[:, None], gaussian, laplace)
    return shape + (parts.log_weight - np.log(parts.spread))[:, None]


def _log_density(parts: _Parts, x: Array) -> Array:
    from scipy.special import logsumexp

    return np.asarray(logsumexp(_log_terms(parts, x), axis=0))


def _scores(parts: _Parts, x: Array) -> Array:
    """(log density)' of every component, (components, len(x)); x must not be the mean of a Laplace law."""
    gaussian = -(x - parts.mean[:, None]) / parts.spread[:, None] ** 2
    laplace = -np.sign(x - parts.mean[:, None]) / parts.spread[:, None]
    return np.where(parts.gaussian[:, None], gaussian, laplace)


@dataclass(frozen=True, slots=True)
class _Local:
    """log density at the middle of cells, its slope there, and on each cell bounds of its second derivative;
    `variance` and `turn` are what bounds that: of Var[s] and of |E[s'] − s'_d|, see `_local`."""

    value: Array
    slope: Array
    low: Array
    high: Array
    variance: Array
    turn: Array


def _local(parts: _Parts, middle: Array, half: Array) -> _Local:
    """Bounds on cells middle ± half that hold no Laplace mean inside.

    (log Σ f_i)'' = E[s_i'] + Var[s_i] over the posterior r of the component, with scores s_i = (log f_i)'.
    With d the component that dominates at the middle, r_i ≤ R_i = max f_i/f_d on the cell (log f_i − log f_d
    is quadratic), Var[s] ≤ Σ R_i·max(s_i − s_d)² and |E[s'] − s'_d| ≤ Σ R_i·|s'_i − s'_d|; and
    Var[s] ≤ (range)²/4.
    """
    terms, scores = _log_terms(parts, middle), _scores(parts, middle)
    curvature = np.where(parts.gaussian, -1.0 / parts.spread**2, 0.0)[:, None]
    top = terms.max(axis=0)
    relative = np.exp(terms - top)
    total = relative.sum(axis=0)
    slope = (relative * scores).sum(axis=0) / total

    lead = terms.argmax(axis=0)
    score_gap = scores - np.take_along_axis(scores, lead[None, :], axis=0)
    turn_gap = curvature - curvature[lead, 0]
    exponent = terms - top + np.abs(score_gap) * half + 0.5 * np.maximum(turn_gap, 0.0) * half**2
    weight = np.exp(np.minimum(exponent, 0.0))
    furthest = np.abs(score_gap) + np.abs(turn_gap) * half
    spread = (scores - curvature * half).max(axis=0) - (scores + curvature * half).min(axis=0)
    variance = np.minimum((weight * furthest**2).sum(axis=0), spread**2 / 4.0)
    if parts.mean.size == 1:
        variance = np.zeros(middle.shape)
    turn = (weight * np.abs(turn_gap)).sum(axis=0)
    low = np.maximum(curvature[lead, 0] - turn, curvature.min())
    high = np.minimum(curvature[lead, 0] + turn, curvature.max()) + variance
    return _Local(top + np.log(total), slope, low, high, variance, turn)


def _weight_ratios(P: _Parts, Q: _Parts) -> tuple[float, float] | None:
    """Least and largest ratio of the weights in P and in Q of a component; None where one has it alone."""

    def totals(parts: _Parts) -> dict[tuple[float, float, bool], float]:
        result: dict[tuple[float, float, bool], float] = {}
        columns = zip(parts.mean.tolist(), parts.spread.tolist(), parts.gaussian.tolist(), strict=True)
        for key, weight in zip(columns, np.exp(parts.log_weight).tolist(), strict=True):
            result[key] = result.get(key, 0.0) + weight
        return result

    p, q = totals(P), totals(Q)
    if p.keys() != q.keys():
        return None
    ratios = [p[key] / q[key] for key in p]
    return min(ratios), max(ratios)


def _curvature(p: _Local, q: _Local, ratios: tuple[float, float] | None) -> tuple[Array, Array]:
    """Bounds of (log p/q)'' on the cells.

    Where both laws mix the same components, p/q = u = E[ρ] over Q's posterior, ρ the ratio of weights. Then
    u' = Cov(ρ, s) and u'' = E[(ρ − u)(s − E s)²] + Cov(ρ, s'), all small when the weights are alike: two
    nearly equal mixtures would otherwise be subdivided without end.
    """
    low, high = p.low - q.high, p.high - q.low
    if ratios is None:
        return low, high
    least, most = ratios
    spread = (most - least) / least
    first = 0.5 * spread * np.sqrt(q.variance)
    second = spread * (q.variance + q.turn)
    return np.maximum(low, -second - first**2), np.minimum(high, second)


def _subdivided_delta(P: _Parts, Q: _Parts, epsilon: Array) -> Array:
    """Subdivide until each cell holds log p/q > ε throughout, nowhere, or on one side of a single root."""
    reach = np.where(P.gaussian, _GAUSSIAN_REACH, _LAPLACE_REACH) * P.spread
    ends = float((P.mean - reach).min()), float((P.mean + reach).max())
    kinks = np.concatenate([P.mean[~P.gaussian], Q.mean[~Q.gaussian]])
    knots = np.unique(np.concatenate([ends, kinks[(kinks > ends[0]) & (kinks < ends[1])]]))
    grid = np.unique(np.concatenate([np.linspace(a, b, 33) for a, b in itertools.pairwise(knots)]))

    owner = np.repeat(np.arange(epsilon.size), grid.size - 1)
    left, right = np.tile(grid[:-1], epsilon.size), np.tile(grid[1:], epsilon.size)
    ratios = _weight_ratios(P, Q)
    found: list[tuple[NDArray[np.int64], Array, Array]] = []
    while owner.size:
        middle, half = 0.5 * (left + right), 0.5 * (right - left)
        p, q = _local(P, middle, half), _local(Q, middle, half)
        value, slope = p.value - q.value - epsilon[owner], p.slope - q.slope
        low, high = _curvature(p, q, ratios)
        least = value - np.abs(slope) * half + 0.5 * np.minimum(low, 0.0) * half**2
        most = value + np.abs(slope) * half + 0.5 * np.maximum(high, 0.0) * half**2
        above = least > 0.0
        # log p/q within 1e-13 of ε throughout contributes less than 1e-13 of the mass: leave it out.
        below = (most <= 0.0) | (np.maximum(np.abs(least), np.abs(most)) < 1e-13)
        below |= (half <= 4e-16 * np.maximum(np.abs(left), np.abs(right))) & ~above
        monotone = ~above & ~below & (np.abs(slope) > np.maximum(np.abs(low), np.abs(high)) * half)
        found.append((owner[above], left[above], right[above]))
        if monotone.any():
            found.append(_cut(P, Q, epsilon, owner[monotone], left[monotone], right[monotone]))
        rest = ~above & ~below & ~monotone
        if rest.sum() > _MOST_CELLS:
            raise ArithmeticError(
                "the likelihood ratio is too flat or too rough to find where it exceeds e^ε"
            )
        owner = np.repeat(owner[rest], 2)
        left, right = (
            np.column_stack([left[rest], middle[rest]]).ravel(),
            np.column_stack([middle[rest], right[rest]]).ravel(),
        )
    owners = np.concatenate([f[0] for f in found])
    lefts, rights = np.concatenate([f[1] for f in found]), np.concatenate([f[2] for f in found])
    return np.array(
        [
            _excess(P, Q, float(e), _joined(lefts[owners == i], rights[owners == i]))
            for i, e in enumerate(epsilon)
        ]
    )


def _cut(
    P: _Parts, Q: _Parts, epsilon: Array, owner: NDArray[np.int64], left: Array, right: Array
) -> tuple[NDArray[np.int64], Array, Array]:
    """The part of each cell, on which log p/q is monotone, where it exceeds ε."""

    def exceeds(x: Array) -> Bools:
        return _log_density(P, x) - _log_density(Q, x) > epsilon[owner]

    at_left, at_right = exceeds(left), exceeds(right)

    def like_left(x: Array) -> Bools:
        return exceeds(x) == at_left

    root = _bisect(like_left, left, right)[0]
    new_left = np.where(at_left | (at_left == at_right), left, root)
    new_right = np.where(at_right | (at_left == at_right), right, root)
    some = at_left | at_right
    return owner[some], new_left[some], new_right[some]


def _joined(left: Array, right: Array) -> list[tuple[float, float]]:
    """Disjoint cells joined where one ends at the point at which the next begins."""
    result: list[tuple[float, float]] = []
    for a, b in sorted(zip(left.tolist(), right.tolist(), strict=True)):
        if result and a <= result[-1][1]:
            result[-1] = (result[-1][0], b)
        elif b > a:
            result.append((a, b))
    return result


def _log_mass(parts: _Parts, left: float, right: float) -> float:
    """log P([left, right]), from the tail on whose side the interval lies."""
    from scipy.special import log_ndtr, logsumexp

    a, b = (left - parts.mean) / parts.spread, (right - parts.mean) / parts.spread
    flip = a + b > 0.0  # by symmetry: measure from the lower tail
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)

    def log_cdf(z: Array) -> Array:
        laplace = np.where(
            z < 0.0, np.minimum(z, 0.0) - math.log(2.0), np.log1p(-0.5 * np.exp(-np.maximum(z, 0.0)))
        )
        return np.where(parts.gaussian, log_ndtr(z), laplace)

    lower, upper = log_cdf(a), log_cdf(b)
    with np.errstate(divide="ignore"):
        terms = parts.log_weight + upper + np.log(-np.expm1(np.minimum(lower - upper, 0.0)))
    return float(np.asarray(logsumexp(terms)))


def _excess(P: _Parts, Q: _Parts, epsilon: float, intervals: Sequence[tuple[float, float]]) -> float:
    """P(S) − e^ε Q(S) for a union of disjoint intervals."""
    total: list[float] = []
    for left, right in intervals:
        log_p, log_q = _log_mass(P, left, right), _log_mass(Q, left, right)
        if log_p > -math.inf and epsilon + log_q < log_p:
            total.append(-math.exp(log_p) * math.expm1(epsilon + log_q - log_p))
    return math.fsum(total)


# --- ε from δ, composition ---------------------------------------------------------------------------------


def max_divergence(P: Law, Q: Law) -> float:
    """sup_S log P(S)/Q(S): the pure-DP ε of this direction, inf where there is none.

    Raises ValueError for mixtures and for Gaussian against Laplace, whose supremum has no closed form here.

    >>> max_divergence(Laplace(0.0, 2.0), Laplace(1.0, 2.0))
    0.5
    """
    if isinstance(P, Finite) and isinstance(Q, Finite):
        p, q = _aligned(P, Q)
        return float((_log(p[p > 0.0]) - _log(q[p > 0.0])).max())
    if isinstance(P, Gaussian) and isinstance(Q, Gaussian):
        distance = _distance(P, Q)
        if P.sd == Q.sd:
            return math.inf if distance > 0.0 else 0.0
        if P.sd > Q.sd:
            return math.inf
        # the vertex of the quadratic log p/q
        return math.log(Q.sd / P.sd) + distance**2 / (2.0 * (Q.sd - P.sd) * (Q.sd + P.sd))
    if isinstance(P, Laplace) and isinstance(Q, Laplace):
        if P.scale > Q.scale:
            return math.inf
        # log p/q is linear between the means and falls (or is constant) outside: the top is at P's mean.
        return math.log(Q.scale / P.scale) + abs(P.mean - Q.mean) / Q.scale
    raise ValueError(f"max_divergence has no closed form for {_kind(P)} against {_kind(Q)}; use epsilon_of")


def epsilon_of(P: Law, Q: Law, delta: float) -> float:
    """The smallest ε ≥ 0 with hockey_stick(P, Q, ε) ≤ delta, rounded up; inf where there is none.

    delta in [0, 1]. Raises ValueError for a delta out of range, and for delta = 0 where `max_divergence`
    does.

    >>> round(epsilon_of(Finite([0.75, 0.25]), Finite([0.25, 0.75]), 0.0), 6)
    1.098612
    >>> epsilon_of(Finite([0.5, 0.5]), Finite([1.0, 0.0]), 0.1)
    inf
    """
    level = _delta(delta)
    if level.ndim:
        raise ValueError(f"delta must be one number, got shape {level.shape}")
    if delta == 0.0:
        return max(max_divergence(P, Q), 0.0)
    if hockey_stick(P, Q, 0.0) <= delta:
        return 0.0
    if isinstance(P, Gaussian) and isinstance(Q, Gaussian) and P.sd == Q.sd:
        return gaussian_epsilon(float(delta), _distance(P, Q) / P.sd)
    if isinstance(P, Finite) and isinstance(Q, Finite):
        p, q = _aligned(P, Q)
        if math.fsum(p[q == 0.0]) > delta:  # these outcomes tell P from Q whatever ε is
            return math.inf

    def holds(eps: Array) -> Bools:
        return np.asarray(hockey_stick(P, Q, eps)) > delta

    low, high = np.zeros(1), np.ones(1)
    while holds(high).any():
        low, high = high, 2.0 * high
        if high[0] > 1e15:  # δ is within rounding of the mass that no ε covers
            return math.inf
    return float(_bisect(holds, low, high)[1][0])


def product(*laws: Finite) -> Finite:
    """The joint law of independent finite laws; outcomes are tuples.

    Raises ValueError for more than 10⁷ outcomes: `privacy_loss_distribution` composes those.

    >>> coin = Finite({"h": 0.5, "t": 0.5})
    >>> product(coin, coin).outcomes[1]
    ('h', 't')
    """
    if not laws:
        raise ValueError("laws must hold at least one Finite law, got none")
    size = math.prod(len(law.outcomes) for law in laws)
    if size > 10**7:
        raise ValueError(f"the product must have at most 10000000 outcomes, got {size}")
    keys = itertools.product(*(law.outcomes for law in laws))
    values = itertools.product(*(law.probabilities for law in laws))
    return Finite({key: math.prod(value) for key, value in zip(keys, values, strict=True)})


def group_privacy(epsilon: float, delta: float, size: int) -> tuple[float, float]:
    """(ε, δ)-DP for one record gives (kε, δ·(1 + e^ε + … + e^{(k−1)ε}))-DP for groups of k = size records.

    The second value is capped at 1. Raises ValueError for epsilon < 0, delta outside [0, 1] or size < 1.
    Source: Vadhan (2017), Lemma 2.2.

    >>> group_privacy(0.0, 0.01, 3)
    (0.0, 0.03)
    """
    _at_least("epsilon", epsilon, 0.0)
    _delta(delta)
    if size != int(size) or size < 1:
        raise ValueError(f"size must be a whole number ≥ 1, got {size}")
    if delta == 0.0 or epsilon == 0.0:
        return size * epsilon, min(size * delta, 1.0)
    # the sum is e^{(k−1)ε}·(1 − e^{−kε})/(1 − e^{−ε}); in logs, so that a large kε does not overflow
    log_sum = (size - 1) * epsilon + math.log(-math.expm1(-size * epsilon)) - math.log(-math.expm1(-epsilon))
    return size * epsilon, math.exp(min(math.log(delta) + log_sum, 0.0))


def privacy_loss_distribution(P: Law, Q: Law, *, interval: float = 1e-4) -> Any:
    """The pair as a `dp_accounting` privacy-loss distribution, for composition by convolution.

    Pessimistic at the given discretisation of the privacy loss: its δ and ε are never too small, and hold
    for the worse of the two directions. Supported: two finite laws, two Gaussians of one sd, two Laplace laws
    of one scale; another pair is a ValueError. Needs the extra `interop` (ImportError that says so).
    """
    _positive("interval", interval)
    try:
        from dp_accounting.pld import privacy_loss_distribution as pld
    except ImportError as error:
        raise ImportError(
            "privacy_loss_distribution needs dp-accounting: pip install 'dpclaims[interop]'"
        ) from error
    step: dict[str, Any] = {"value_discretization_interval": interval}
    if isinstance(P, Finite) and isinstance(Q, Finite):
        p, q = (
            {o: math.log(v) for o, v in zip(f.outcomes, f.probabilities, strict=True) if v > 0}
            for f in (P, Q)
        )
        return pld.from_two_probability_mass_functions(q, p, symmetric=False, **step)
    if isinstance(P, Gaussian) and isinstance(Q, Gaussian) and P.sd == Q.sd:
        return pld.from_gaussian_mechanism(P.sd, sensitivity=_distance(P, Q), **step)
    if isinstance(P, Laplace) and isinstance(Q, Laplace) and P.scale == Q.scale:
        return pld.from_laplace_mechanism(P.scale, sensitivity=abs(P.mean - Q.mean), **step)
    raise ValueError(f"no privacy-loss distribution for {P!r} against {Q!r}")
