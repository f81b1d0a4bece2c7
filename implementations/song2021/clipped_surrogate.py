"""The surrogate that clipping optimises (Lemma 5.1 of Song et al. 2021): g, the Huberised link of a convex f.

Clipping the subgradients of θ ↦ f(⟨θ, x⟩) to Euclidean norm B gives subgradients of θ ↦ g(⟨θ, x⟩), where g
follows f as long as its slopes stay within ±B/‖x‖ and goes on in a straight line of slope ±B/‖x‖ beyond.
Piecewise-linear functions are kept in exact rational arithmetic; losses in floating point.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from implementations.checks import positive
from implementations.interfaces import Array, Loss

Level = Fraction | float
"""A finite rational level, or ±inf."""


@dataclass(frozen=True, slots=True)
class PiecewiseLinear:
    """A convex piecewise-linear function on the line, exact.

    breaks  strictly increasing kinks b₁ < … < b_k (k ≥ 0).
    slopes  strictly increasing slopes s₀ < … < s_k of the k + 1 pieces.
    offset  the value at 0.

    Raises ValueError where the numbers of kinks and slopes do not fit or are not strictly increasing.

    >>> f = PiecewiseLinear((Fraction(0),), (Fraction(-1), Fraction(1)))   # |y|
    >>> f.value(Fraction(-3)), f.subdifferential(Fraction(0))
    (Fraction(3, 1), (Fraction(-1, 1), Fraction(1, 1)))
    """

    breaks: tuple[Fraction, ...]
    slopes: tuple[Fraction, ...]
    offset: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if len(self.slopes) != len(self.breaks) + 1:
            raise ValueError(
                f"slopes must be one more than breaks, got {len(self.slopes)}, {len(self.breaks)}"
            )
        for name, values in (("breaks", self.breaks), ("slopes", self.slopes)):
            if any(a >= b for a, b in pairwise(values)):
                raise ValueError(f"{name} must be strictly increasing, got {values}")

    def value(self, y: Fraction) -> Fraction:
        """f(y): the offset plus the exact integral of the slope from 0 to y."""
        low, high, sign = (Fraction(0), y, 1) if y >= 0 else (y, Fraction(0), -1)
        knots = [low, *(b for b in self.breaks if low < b < high), high]
        area = Fraction(0)
        for left, right in pairwise(knots):
            area += (right - left) * self.slopes[bisect.bisect_right(self.breaks, left)]
        return self.offset + sign * area

    def subdifferential(self, y: Fraction) -> tuple[Fraction, Fraction]:
        """∂f(y) as the closed interval (left slope, right slope)."""
        left = self.slopes[bisect.bisect_left(self.breaks, y)]
        return left, self.slopes[bisect.bisect_right(self.breaks, y)]


def clip_levels(f: PiecewiseLinear, bound: Fraction) -> tuple[Level, Level]:
    """(y₁, y₂) of Lemma 5.1 for the slope bound B/‖x‖: where clipping from below ends and from above begins.

    y₁ = sup{y : every u ∈ ∂f(y) is < −bound}, −inf where there is none and +inf where it is all of ℝ;
    y₂ = inf{y : every u ∈ ∂f(y) is > bound}, +inf where there is none and −inf where it is all of ℝ.
    Raises ValueError for bound ≤ 0.
    """
    positive(bound=bound)
    below = sum(s < -bound for s in f.slopes)
    above = sum(s > bound for s in f.slopes)
    pieces = len(f.slopes)
    y1: Level = -math.inf if below == 0 else math.inf if below == pieces else f.breaks[below - 1]
    y2: Level = math.inf if above == 0 else -math.inf if above == pieces else f.breaks[pieces - above - 1]
    return y1, y2


def surrogate(f: PiecewiseLinear, bound: Fraction | None) -> Callable[[Fraction], Fraction]:
    """g of Lemma 5.1; `bound` is B/‖x‖, None for x = 0 (nothing to clip: g = f).

    Where all slopes of f are below −bound (y₁ = +inf) or above bound (y₂ = −inf), g is linear of slope −bound
    or +bound through (0, f(0)): the choice that the printed proof makes, up to the constant.

    >>> surrogate(PiecewiseLinear((), (Fraction(-2),)), Fraction(1))(Fraction(5))
    Fraction(-5, 1)
    """
    if bound is None:
        return f.value
    y1, y2 = clip_levels(f, bound)
    if y1 == math.inf:
        return lambda y: f.offset - bound * y
    if y2 == -math.inf:
        return lambda y: f.offset + bound * y

    def g(y: Fraction) -> Fraction:
        if isinstance(y1, Fraction) and y < y1:
            return -bound * (y - y1) + f.value(y1)
        if isinstance(y2, Fraction) and y > y2:
            return bound * (y - y2) + f.value(y2)
        return f.value(y)

    return g


def one_sided_slopes(
    g: Callable[[Fraction], Fraction], y: Fraction, kinks: tuple[Fraction, ...]
) -> tuple[Fraction, Fraction]:
    """Left and right derivative of a piecewise-linear g at y from its values alone.

    `kinks` must hold all points where g may bend; the difference quotients stop short of the nearest one.
    """
    gap = min((abs(y - k) for k in kinks if k != y), default=Fraction(1)) / 2
    here = g(y)
    return (here - g(y - gap)) / gap, (g(y + gap) - here) / gap


def clip(values: Array, bound: float) -> Array:
    """Rows v (…, p) scaled to Euclidean norm at most `bound`: v·min(1, bound/‖v‖) (equation 7).

    >>> clip(np.array([[3.0, 4.0], [0.0, 0.0]]), 1.0).tolist()
    [[0.6000000000000001, 0.8], [0.0, 0.0]]
    """
    positive(bound=bound)
    norms = np.linalg.norm(values, axis=-1, keepdims=True)
    return values * (bound / np.maximum(norms, bound))


def surrogate_loss(loss: Loss, bound: float, *, reach: float = 1e6) -> Loss:
    """The clipped link of a convex loss as a Loss: Lemma 5.1 in floating point, `bound` = B/‖x‖.

    The levels y₁(y), y₂(y) are found by bisection of the slope in z over [−reach, reach]; a level outside
    counts as infinite. Where the whole slope is beyond the clip the value is ∓bound·z.
    Raises ValueError for bound ≤ 0 and for a loss that is not convex.
    """
    positive(bound=bound)
    if not loss.convex:
        raise ValueError(f"loss must be convex, got {loss.name!r}: Lemma 5.1 speaks of convex links")
    if bound >= loss.lipschitz:
        return loss

    def level(y: Array, target: float) -> Array:
        # The smallest z whose slope is ≥ target (within reach): the slope is monotone in z.
        low, high = np.full(np.shape(y), -reach), np.full(np.shape(y), reach)
        for _ in range(100):
            middle = 0.5 * (low + high)
            below = loss.slope(middle, y) < target
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high

    def value(z: Array, y: Array) -> Array:
        y = np.asarray(y, dtype=float)
        y1 = level(y, -bound)
        y2 = level(y, math.nextafter(bound, math.inf))
        never_up, always_up = y1 >= reach, y2 <= -reach * (1 - 1e-9)
        low = np.where(never_up, 0.0, y1)
        high = np.where(always_up, 0.0, np.maximum(y2, low))
        inside = np.clip(z, low, high)
        follow = loss.value(inside, y) - bound * np.minimum(z - low, 0.0) + bound * np.maximum(z - high, 0.0)
        return np.where(never_up, -bound * z, np.where(always_up, bound * z, follow))

    return Loss(
        name=f"{loss.name}, slope clipped at {bound:g}",
        value=value,
        slope=lambda z, y: np.clip(loss.slope(z, y), -bound, bound),
        lipschitz=bound,
        smoothness=loss.smoothness,
        convex=True,
    )
