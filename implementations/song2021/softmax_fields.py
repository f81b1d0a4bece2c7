"""Clipped gradient fields of softmax regression (Theorems 5.3 and D.5 of Song et al. 2021), exact.

For one sample (x, y = 1) of a K-class problem the gradient of the cross-entropy loss at θ = [θ⁽¹⁾, …, θ⁽ᴷ⁾]
has block k equal to c_k·x with c₁ = −S/Z and c_k = E_k/Z for k ≥ 2, where E_k = exp(⟨θ⁽ᵏ⁾, x⟩), S = Σ_{k≥2}
E_k and Z = E₁ + S (equations 15 and 16). A field G = [G₁·x, …, G_K·x] whose coefficients depend on the logits
z_k = ⟨θ⁽ᵏ⁾, x⟩ is a gradient on an open set only if ∂G_j/∂z_k = ∂G_k/∂z_j there. Points are given by rational
E = (E₁, …, E_K) > 0, so these derivatives are rational up to one square root and can be told from zero
exactly. Clipping levels are given as b = B/‖x‖.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from implementations.interfaces import Array

Point = Sequence[Fraction]


@dataclass(frozen=True, slots=True)
class Curl:
    """∂G_j/∂z_k − ∂G_k/∂z_j = scale·numerator/root, with an exact numerator and a positive scale/root."""

    numerator: Fraction
    scale: float

    @property
    def value(self) -> float:
        """The curl in floating point; zero exactly where the numerator is."""
        return float(self.numerator) * self.scale


def _check(point: Point) -> None:
    if len(point) < 2 or any(e <= 0 for e in point):
        raise ValueError(f"point must hold at least two positive exponentials, got {list(point)}")


def coefficients(point: Point) -> list[Fraction]:
    """c₁, …, c_K of the gradient at E (equations 15 and 16, in units of x)."""
    _check(point)
    total = sum(point, Fraction(0))
    return [(point[0] - total) / total, *(e / total for e in point[1:])]


def is_clipped(point: Point, b: Fraction) -> bool:
    """Whether ‖∇ℓ‖ > B, i.e. θ is in the Θ of Theorem 5.3: Σ c_k² > b²."""
    return sum(c * c for c in coefficients(point)) > b * b


def clipped_classes(point: Point, b: Fraction) -> list[bool]:
    """Which blocks per-class clipping scales down: |c_k| > b; Θ of Theorem D.5 is where any is."""
    return [abs(c) > b for c in coefficients(point)]


def clipped_curl(point: Point, b: Fraction, j: int, k: int) -> Curl:
    """Curl of the jointly clipped gradient between classes j and k at a point of Θ (equation 18).

    There G₁ = −b·S/√D, G_k = b·E_k/√D with D = S² + Σ_{k≥2} E_k². By the chain rule with
    N₁ = −S, N_k = E_k: ∂G_j/∂z_k = b·(D·∂N_j/∂z_k − N_j·½·∂D/∂z_k)/D^{3/2}.
    Raises ValueError outside Θ.
    """
    if not is_clipped(point, b):
        raise ValueError(f"point must be in Θ (norm above B), got E = {list(point)}, b = {b}")
    s = sum(point[1:], Fraction(0))
    d = s * s + sum((e * e for e in point[1:]), Fraction(0))

    def numerator_derivative(a: int, c: int) -> Fraction:
        if c == 0:
            return Fraction(0)
        if a == 0:
            return -point[c]
        return point[c] if a == c else Fraction(0)

    def half_d_derivative(c: int) -> Fraction:
        return Fraction(0) if c == 0 else point[c] * (s + point[c])

    def top(a: int, c: int) -> Fraction:
        value = -s if a == 0 else point[a]
        return d * numerator_derivative(a, c) - value * half_d_derivative(c)

    return Curl(top(j, k) - top(k, j), float(b) / float(d) ** 1.5)


def per_class_curl(point: Point, b: Fraction, j: int, k: int) -> Curl:
    """Curl of the per-class clipped gradient between classes j ≠ k: clipped blocks are constant.

    The other blocks are those of ∇ℓ, with ∂c_j/∂z_k = −p_j·p_k = ∂c_k/∂z_j, p = E/Z.
    """
    clipped = clipped_classes(point, b)
    total = sum(point, Fraction(0))
    return Curl(point[j] * point[k] / total**2 * (clipped[j] - clipped[k]), 1.0)


def field(logits: Array, b: float, *, per_class: bool) -> Array:
    """Coefficients G_k of the clipped field at logits z (…, K), in floating point."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    c = shifted / shifted.sum(axis=-1, keepdims=True)
    c = np.concatenate([-c[..., 1:].sum(axis=-1, keepdims=True), c[..., 1:]], axis=-1)
    if per_class:
        return np.clip(c, -b, b)
    return c * np.minimum(1.0, b / np.linalg.norm(c, axis=-1, keepdims=True))


def loop_integral(
    corner: Array, j: int, k: int, side: float, b: float, *, per_class: bool
) -> tuple[float, float]:
    """∮ G·dz around the square corner + [0, side]² of the plane (z_j, z_k), and an error estimate.

    Gauss–Legendre with 24 and 48 nodes a side; the estimate is their difference plus rounding. Anything but
    zero rules out a potential on a set that holds the square. In θ-space the same loop, run along x/‖x‖², has
    the same integral.
    """

    def integral(nodes: int) -> float:
        t, w = np.polynomial.legendre.leggauss(nodes)
        t, w = 0.5 * side * (t + 1.0), 0.5 * side * w
        total = 0.0
        for axis, other, shift, sign in ((j, k, 0.0, 1), (k, j, side, 1), (j, k, side, -1), (k, j, 0.0, -1)):
            path = np.repeat(corner[None, :].astype(float), nodes, axis=0)
            path[:, axis] += t
            path[:, other] += shift
            total += sign * float(w @ field(path, b, per_class=per_class)[:, axis])
        return total

    coarse, fine = integral(24), integral(48)
    return fine, abs(fine - coarse) + 1e-15
