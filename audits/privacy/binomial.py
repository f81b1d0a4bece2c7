"""Two binomial counts against p ≤ e^ε·q + δ: e-values, exact bounds, and the tests they give.

p is the probability of an event on one dataset, q on its neighbour. The null set
Θ₀(ε) = {(p, q) ∈ [0, 1]²: p ≤ e^ε·q + δ} is convex and grows with ε.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def project(p1: Floats, q1: Floats, epsilon: Floats, delta: float) -> tuple[Floats, Floats]:
    """The point (p₀, q₀) of Θ₀(ε) that is nearest to (p₁, q₁) in KL(p₁‖p₀) + KL(q₁‖q₀); broadcasts.

    Points of Θ₀ are their own projection. Elsewhere p₀ = a·q₀ + δ with a = e^ε, and q₀ is the root between q₁
    and (p₁ − δ)/a of the increasing function

        h(q) = a·(p − p₁)/(p(1 − p)) + (q − q₁)/(q(1 − q)),     p = a·q + δ.

    For δ = 0 that is the smaller root of 2a·q² − (1 + a + p₁ + a·q₁)·q + (p₁ + q₁) = 0.
    """
    p1, q1, epsilon = (np.asarray(v, dtype=np.float64) for v in (p1, q1, epsilon))
    a = np.exp(epsilon)
    violates = p1 > a * q1 + delta
    b = 1.0 + a + p1 + a * q1
    # The smaller root, written without cancellation.
    q0 = 2.0 * (p1 + q1) / (b + np.sqrt(np.maximum(b * b - 8.0 * a * (p1 + q1), 0.0)))
    if delta > 0.0:
        low, high = q1 + 0.0 * a, (p1 - delta) / a + 0.0 * q1
        safe_low = np.where(violates, low, 0.25)
        safe_high = np.where(violates, high, 0.5)
        q0 = _root(safe_low, safe_high, np.clip(q0, safe_low, safe_high), p1, q1, a, delta)
    p0 = np.where(violates, a * q0 + delta, p1)
    return p0, np.where(violates, q0, q1)


def _root(
    low: Floats, high: Floats, start: Floats, p1: Floats, q1: Floats, a: Floats, delta: float
) -> Floats:
    # Newton on h·p(1−p)q(1−q), a cubic, kept inside a shrinking bracket.
    q = np.where((start > low) & (start < high), start, 0.5 * (low + high))
    for _ in range(60):
        p = a * q + delta
        left, right = p * (1.0 - p), q * (1.0 - q)
        value = a * (p - p1) * right + (q - q1) * left
        slope = a * a * right + a * (p - p1) * (1.0 - 2.0 * q) + left + (q - q1) * a * (1.0 - 2.0 * p)
        low = np.where(value < 0.0, q, low)
        high = np.where(value < 0.0, high, q)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = q - value / slope
        new = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        done = np.abs(new - q) <= 4e-16 * np.abs(q)
        q = new
        if done.all():
            break
    return q


def log_e_value(x: Any, n: Any, y: Any, m: Any, p1: Any, q1: Any, epsilon: Any, delta: float) -> Floats:
    """Log of an e-value against p ≤ e^ε·q + δ from x of n hits on one side and y of n on the other.

    (p₁, q₁) is the alternative betted on: any point chosen before the counts were seen. The e-value is the
    likelihood ratio to its projection (p₀, q₀). It has mean ≤ 1 at *every* point of the null: with
    f(p) = E_p[p₁(X)/p₀(X)] and g(q) likewise (linear functions), F = n·log f + n·log g is concave, F(p₀, q₀) = 0, and
    its gradient there is minus that of n·KL + n·KL, which points into the null by the optimality of the
    projection; so F ≤ 0 on the convex set Θ₀. (Blocks of Turner, Ly and Grünwald, 2024, for a convex null.)
    A root that is off by rounding tilts F by at most n·|h(q₀)|, which is taken off.

    The two sides must have equal numbers of samples (n = m), as the projection weighs them equally.
    """
    x, n, y, m, p1, q1, epsilon = (np.asarray(v, dtype=np.float64) for v in (x, n, y, m, p1, q1, epsilon))
    p0, q0 = project(p1, q1, epsilon, delta)
    from scipy.special import xlogy

    with np.errstate(divide="ignore", invalid="ignore"):
        log_e = (
            xlogy(x, p1 / p0)
            + xlogy(n - x, (1.0 - p1) / (1.0 - p0))
            + xlogy(y, q1 / q0)
            + xlogy(m - y, (1.0 - q1) / (1.0 - q0))
        )
        tilt = np.exp(epsilon) * (p0 - p1) / (p0 * (1.0 - p0)) + (q0 - q1) / (q0 * (1.0 - q0))
    bets = p1 > np.exp(epsilon) * q1 + delta
    return np.where(bets, log_e - n * np.abs(tilt), 0.0)


def divergence(p: Any, q: Any, epsilon: Any, delta: float) -> Floats:
    """KL distance of (p, q) from the null set, per sample of each side; 0 inside."""
    from scipy.special import rel_entr

    p, q, epsilon = (np.asarray(v, dtype=np.float64) for v in (p, q, epsilon))
    p0, q0 = project(p, q, epsilon, delta)
    return np.asarray(
        rel_entr(p, p0) + rel_entr(1.0 - p, 1.0 - p0) + rel_entr(q, q0) + rel_entr(1.0 - q, 1.0 - q0)
    )


def clopper_pearson(x: Any, n: int, alpha: float) -> tuple[Floats, Floats]:
    """Lower and upper confidence bounds of a binomial probability, each at level alpha (exact, one-sided)."""
    from scipy.special import betaincinv

    x = np.asarray(x, dtype=np.float64)
    low = np.where(x > 0, betaincinv(np.maximum(x, 1.0), n - x + 1.0, alpha), 0.0)
    high = np.where(x < n, betaincinv(x + 1.0, np.maximum(n - x, 1.0), 1.0 - alpha), 1.0)
    return low, high


def two_bounds(x: Any, y: Any, n: int, delta: float, alpha: float) -> Floats:
    """Lower bound on ε from two Clopper–Pearson bounds at α/2 each: log((p̲ − δ)/q̄), 0 where that is negative."""
    low, _ = clopper_pearson(x, n, alpha / 2.0)
    _, high = clopper_pearson(y, n, alpha / 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        epsilon = np.log(np.maximum(low - delta, 0.0) / high)
    return np.maximum(epsilon, 0.0)
