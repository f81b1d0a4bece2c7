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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.laws import Finite, Gaussian, Laplace, Law, Mixture
from implementations.checks import numbers
from implementations.privacy import LOG_SQRT_2PI, bisect, fold, gaussian_delta, shaped

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

# P-mass outside ± this many standard deviations (scales) is below 1e-320, hence nothing in a double.
_GAUSSIAN_REACH = 39.0
_LAPLACE_REACH = 745.0
_MOST_CELLS = 2_000_000


@overload
def hockey_stick(P: Law, Q: Law, epsilon: float) -> float: ...
@overload
def hockey_stick(P: Law, Q: Law, epsilon: ArrayLike) -> Any: ...
def hockey_stick(P: Law, Q: Law, epsilon: ArrayLike) -> Any:
    """H_ε(P‖Q) = sup_S P(S) − e^ε Q(S), elementwise over epsilon (any finite numbers, any shape).

    Gaussians of one sd, Laplace laws of one scale and finite laws: closed form. All others: the set where
    the log-likelihood ratio exceeds ε, by subdivision with bounds of its second derivative (so no root is
    missed), then the masses of its intervals. Rounding is below 1e-12 of P(S), S being that set.

    Returns a float for a number, else an array. Raises ValueError where the two laws do not live on one
    space (finite against continuous, vectors of two lengths), and for vectors with two standard deviations.

    >>> hockey_stick(Finite({"yes": 0.75, "no": 0.25}), Finite({"yes": 0.25, "no": 0.75}), 0.0)
    0.5
    >>> round(hockey_stick(Laplace(0.0, 1.0), Laplace(1.0, 1.0), 0.5), 6)
    0.221199
    """
    e = numbers("epsilon", epsilon)
    flat = e.ravel()
    if isinstance(P, Finite) or isinstance(Q, Finite):
        if not (isinstance(P, Finite) and isinstance(Q, Finite)):
            raise ValueError(f"both laws must be Finite or neither, got {P!r} and {Q!r}")
        result = _finite_delta(P, Q, flat)
    elif isinstance(P, Gaussian) and isinstance(Q, Gaussian) and P.sd == Q.sd:
        result = np.asarray(gaussian_delta(flat, _distance(P, Q) / P.sd))
    elif isinstance(P, Laplace) and isinstance(Q, Laplace) and P.scale == Q.scale:
        # H_ε = 1 − e^{(ε−Δ)/2} for 0 ≤ ε ≤ Δ, the distance in scales; 0 above.
        distance = abs(P.mean - Q.mean) / P.scale
        result = fold(flat, 0.0 - np.expm1(np.minimum(np.abs(flat) - distance, 0.0) / 2.0))
    elif P == Q:
        result = np.maximum(-np.expm1(flat), 0.0)
    else:
        result = _subdivided_delta(_parts(P), _parts(Q), flat)
    return shaped(result.reshape(e.shape))


def _distance(P: Gaussian, Q: Gaussian) -> float:
    a, b = np.atleast_1d(np.asarray(P.mean)), np.atleast_1d(np.asarray(Q.mean))
    if a.shape != b.shape:
        raise ValueError(f"means must have one length, got {a.size} and {b.size}")
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
    gaussian = -0.5 * z**2 - LOG_SQRT_2PI
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
    """log density and its slope at the middle of cells, and bounds of its second derivative on each cell."""

    value: Array
    slope: Array
    low: Array
    high: Array


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
    return _Local(top + np.log(total), slope, low, high)


def _subdivided_delta(P: _Parts, Q: _Parts, epsilon: Array) -> Array:
    """Subdivide until each cell holds log p/q > ε throughout, nowhere, or on one side of a single root."""
    reach = np.where(P.gaussian, _GAUSSIAN_REACH, _LAPLACE_REACH) * P.spread
    ends = float((P.mean - reach).min()), float((P.mean + reach).max())
    kinks = np.concatenate([P.mean[~P.gaussian], Q.mean[~Q.gaussian]])
    knots = np.unique(np.concatenate([ends, kinks[(kinks > ends[0]) & (kinks < ends[1])]]))
    grid = np.unique(np.concatenate([np.linspace(a, b, 33) for a, b in itertools.pairwise(knots)]))

    owner = np.repeat(np.arange(epsilon.size), grid.size - 1)
    left, right = np.tile(grid[:-1], epsilon.size), np.tile(grid[1:], epsilon.size)
    found: list[tuple[NDArray[np.int64], Array, Array]] = []
    while owner.size:
        middle, half = 0.5 * (left + right), 0.5 * (right - left)
        p, q = _local(P, middle, half), _local(Q, middle, half)
        value, slope = p.value - q.value - epsilon[owner], p.slope - q.slope
        low, high = p.low - q.high, p.high - q.low  # bounds of (log p/q)''
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

    root = bisect(like_left, left, right)[0]
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
