"""Two binomial counts against p ≤ e^ε·q + δ: e-values, exact bounds, and the tests they give.

p is the probability of an event on one dataset, q on its neighbour. The null set
Θ₀(ε) = {(p, q) ∈ [0, 1]²: p ≤ e^ε·q + δ} is convex and grows with ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


def project(p1: Floats, q1: Floats, epsilon: Floats, delta: float) -> tuple[Floats, Floats]:
    """The point (p₀, q₀) of Θ₀(ε) that is nearest to (p₁, q₁) in KL(p₁‖p₀) + KL(q₁‖q₀); broadcasts.

    Points of Θ₀ are their own projection. Elsewhere p₀ = a·q₀ + δ with a = e^ε, and q₀ is the root between q₁
    and (p₁ − δ)/a of the increasing function

        h(q) = a·(p − p₁)/(p(1 − p)) + (q − q₁)/(q(1 − q)),     p = a·q + δ.

    For δ = 0 that is the smaller root of 2a·q² − (1 + a + p₁ + a·q₁)·q + (p₁ + q₁) = 0.
    """
    p1, q1, a = np.broadcast_arrays(
        np.asarray(p1, dtype=np.float64), np.asarray(q1, dtype=np.float64), np.exp(epsilon)
    )
    p0, q0 = p1.copy(), q1.copy()
    outside = p1 > a * q1 + delta
    p, q, slope = p1[outside], q1[outside], a[outside]
    found = _root(p, q, slope, delta) if delta > 0.0 else _quadratic(p, q, slope)
    q0[outside] = found
    p0[outside] = np.minimum(slope * found + delta, p)
    return p0, q0


def _quadratic(p1: Floats, q1: Floats, a: Floats) -> Floats:
    # The smaller root, written without cancellation.
    b = 1.0 + a + p1 + a * q1
    return 2.0 * (p1 + q1) / (b + np.sqrt(np.maximum(b * b - 8.0 * a * (p1 + q1), 0.0)))


def _root(p1: Floats, q1: Floats, a: Floats, delta: float) -> Floats:
    # Newton on h·p(1−p)q(1−q), a cubic, kept inside a shrinking bracket. The start is the root for variances held
    # fixed, which is close where (p₁, q₁) is close to the null.
    low, high = q1, (p1 - delta) / a
    vp, vq = p1 * (1.0 - p1) + 1e-300, q1 * (1.0 - q1) + 1e-300
    q = np.clip(q1 + a * vq * (p1 - a * q1 - delta) / (vp + a * a * vq), low, high)
    for _ in range(80):
        p = a * q + delta
        left, right = p * (1.0 - p), q * (1.0 - q)
        gap_p, gap_q = a * (p - p1), q - q1
        value = gap_p * right + gap_q * left
        slope = a * a * right + gap_p * (1.0 - 2.0 * q) + left + gap_q * a * (1.0 - 2.0 * p)
        low, high = np.where(value < 0.0, q, low), np.where(value < 0.0, high, q)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = q - value / slope
        new = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        # Away from rounding Newton has converged; at it, the bracket is as small as it gets.
        if np.all((np.abs(new - q) <= 1e-14 * q) | (high - low <= 1e-14 * q)):
            return new
        q = new
    return q


@dataclass(frozen=True, slots=True)
class Bet:
    """Two functions f, g that are constant on three cells U, L and the rest; arrays broadcast over bets.

    The e-value of samples X₁…X_n of P and Y₁…Y_n of Q is ∏ f(Xᵢ)·g(Yᵢ). Fields are logarithms.
    """

    f_rest: Floats
    f_u: Floats
    f_l: Floats
    g_rest: Floats
    g_u: Floats
    g_l: Floats

    def log_e_value(self, n: int, x_u: Any, x_l: Any, y_u: Any, y_l: Any) -> Floats:
        """Log e-value of n samples of each side, of which x_u, x_l and y_u, y_l lie in U and L."""
        return (
            n * (self.f_rest + self.g_rest)
            + x_u * (self.f_u - self.f_rest)
            + x_l * (self.f_l - self.f_rest)
            + y_u * (self.g_u - self.g_rest)
            + y_l * (self.g_l - self.g_rest)
        )


def bet(p_u: Floats, q_u: Floats, p_l: Floats, q_l: Floats, epsilon: Floats, delta: float) -> Bet:
    """The bet on P(U) > e^ε·Q(U) + δ and, at once, Q(L) > e^ε·P(L) + δ, for disjoint events U and L.

    (p_u, q_u) and (p_l, q_l) are the shares of P and Q betted on; the part that does not violate the claim, or
    is (0, 0), is left out. With a = e^ε, u, v, ν, κ ≥ 0 put

        f = ν + u·1_U − a·v·1_L,     g = κ − a·u·1_U + v·1_L,     ν + κ + δ·(u + v) = 2,     f, g ≥ 0.

    Under the claim E f(X) + E g(Y) = ν + κ + u·(P(U) − a·Q(U)) + v·(Q(L) − a·P(L)) ≤ 2, and X, Y are
    independent, so E f(X)·g(Y) = E f(X) · E g(Y) ≤ (2/2)² = 1: an e-value, whatever u, v, ν, κ are. They are
    chosen for the fastest growth on the shares betted on: f and g are then the likelihood ratios to
    the point of the null that is nearest in KL (the e-variables of Turner, Ly and Grünwald, 2024, for a convex
    null, here for both directions together), found by Newton's method on the two free probabilities.
    """
    a = np.exp(epsilon)
    p_u, q_u, p_l, q_l, a = np.broadcast_arrays(p_u, q_u, p_l, q_l, a)
    with_u, with_l = p_u > a * q_u + delta, q_l > a * p_l + delta
    some = with_u | with_l
    fields = [np.zeros(a.shape) for _ in range(6)]
    if some.any():
        found = _best_bet(
            np.where(with_u, p_u, 0.0)[some],
            np.where(with_u, q_u, 0.0)[some],
            np.where(with_l, p_l, 0.0)[some],
            np.where(with_l, q_l, 0.0)[some],
            a[some],
            delta,
        )
        for array, value in zip(fields, found, strict=True):
            array[some] = value
    return Bet(*fields)


def _best_bet(
    p_u: Floats, q_u: Floats, p_l: Floats, q_l: Floats, a: Floats, delta: float
) -> tuple[Floats, ...]:
    with_u, with_l = p_u > 0.0, q_l > 0.0
    # U and L may be all there is; a little mass on the rest keeps the optimum inside.
    p_rest, q_rest = np.maximum(1.0 - p_u - p_l, 1e-3), np.maximum(1.0 - q_u - q_l, 1e-3)
    q, r = _nearest_null(p_u, q_u, p_l, q_l, a, delta)
    # Where the nearest point for both constraints as equations pulls on one of them from the wrong side, that one
    # is implied by the other: drop it and solve again.
    idle_u = with_u & with_l & (p_u / np.maximum(a * q + delta, 1e-300) < p_rest / (1.0 - a * q - delta - r))
    idle_l = with_u & with_l & (q_l / np.maximum(a * r + delta, 1e-300) < q_rest / (1.0 - q - a * r - delta))
    idle = idle_u | idle_l
    if idle.any():
        # The weaker of the two, should both look idle for lack of convergence.
        drop_u = idle & ~(idle_l & (p_u - a * q_u > q_l - a * p_l))
        p_u, q_u = np.where(drop_u, 0.0, p_u), np.where(drop_u, 0.0, q_u)
        p_l, q_l = np.where(idle & ~drop_u, 0.0, p_l), np.where(idle & ~drop_u, 0.0, q_l)
        return _best_bet(p_u, q_u, p_l, q_l, a, delta)
    p0_u, q0_l = np.where(with_u, a * q + delta, 0.0), np.where(with_l, a * r + delta, 0.0)
    nu, kappa = p_rest / (1.0 - p0_u - r), q_rest / (1.0 - q - q0_l)
    u = np.where(with_u, p_u / np.where(with_u, p0_u, 1.0) - nu, 0.0)
    v = np.where(with_l, q_l / np.where(with_l, q0_l, 1.0) - kappa, 0.0)
    # From here on nothing rests on how well Newton converged: u, v are cut to keep f, g ≥ 0, all is scaled to 2.
    u = np.clip(u, 0.0, (1.0 - 1e-9) * kappa / a)
    v = np.clip(v, 0.0, (1.0 - 1e-9) * nu / a)
    scale = 2.0 / (nu + kappa + delta * (u + v))
    nu, kappa, u, v = nu * scale, kappa * scale, u * scale, v * scale
    return (
        np.log(nu),
        np.log(nu + u),
        np.log(nu - a * v),
        np.log(kappa),
        np.log(kappa - a * u),
        np.log(kappa + v),
    )


def _nearest_null(
    p_u: Floats, q_u: Floats, p_l: Floats, q_l: Floats, a: Floats, delta: float
) -> tuple[Floats, Floats]:
    """Q₀(U) and P₀(L) of the nearest null point, P₀(U) = a·Q₀(U) + δ, Q₀(L) = a·P₀(L) + δ; 0 where left out."""
    with_u, with_l = p_u > 0.0, q_l > 0.0
    p_rest, q_rest = np.maximum(1.0 - p_u - p_l, 1e-3), np.maximum(1.0 - q_u - q_l, 1e-3)
    d_u, d_l = np.where(with_u, delta, 0.0), np.where(with_l, delta, 0.0)

    def start(more: Floats, less: Floats, used: Any) -> Floats:
        # The nearest point for variances held fixed, kept within the interval that it must lie in.
        v_more, v_less = more * (1.0 - more), less * (1.0 - less)
        gap = more - a * less - delta
        point = less + a * v_less * gap / (v_more + a * a * v_less + 1e-300)
        return np.where(used, np.clip(point, less * 1.0001, np.maximum((more - delta) / a, less)), 0.0)

    q, r = start(p_u, q_u, with_u), start(q_l, p_l, with_l)
    # The two starts may be more than there is room for together: pull them towards 0 until the rest has some.
    room = 1.0 - np.maximum(d_u, d_l)
    crowded = np.maximum(a * q + r + d_u - np.maximum(d_u, d_l), q + a * r + d_l - np.maximum(d_u, d_l))
    pull = np.minimum(1.0, 0.9 * room / np.maximum(crowded, 1e-300))
    pull = np.where(pull < 1.0, 0.9 * pull, 1.0)
    q, r = q * pull, r * pull
    for _ in range(50):
        # Placeholders 1 keep the cells that are left out from dividing by zero; their weights are 0.
        sq, sr = np.where(with_u, q, 1.0), np.where(with_l, r, 1.0)
        big_u, big_l = a * sq + delta, a * sr + delta
        rest_p, rest_q = 1.0 - d_u - a * q - r, 1.0 - d_l - a * r - q
        wp, wq = p_rest / rest_p, q_rest / rest_q
        slope_q = np.where(with_u, a * wp + wq - a * p_u / big_u - q_u / sq, 0.0)
        slope_r = np.where(with_l, wp + a * wq - p_l / sr - a * q_l / big_l, 0.0)
        cp, cq = wp / rest_p, wq / rest_q
        both = with_u & with_l
        h_qq = np.where(with_u, a * a * p_u / big_u**2 + q_u / sq**2 + a * a * cp + cq, 1.0)
        h_rr = np.where(with_l, p_l / sr**2 + a * a * q_l / big_l**2 + cp + a * a * cq, 1.0)
        h_qr = np.where(both, a * (cp + cq), 0.0)
        det = h_qq * h_rr - h_qr * h_qr
        step_q = -(h_rr * slope_q - h_qr * slope_r) / det
        step_r = -(h_qq * slope_r - h_qr * slope_q) / det
        # No quantity may shrink to less than a tenth in one step: the logarithms' barriers hold.
        length = np.ones_like(q)
        for now, change in (
            (sq, np.where(with_u, step_q, 0.0)),
            (sr, np.where(with_l, step_r, 0.0)),
            (rest_p, -a * step_q - step_r),
            (rest_q, -step_q - a * step_r),
        ):
            length = np.minimum(length, np.where(change < 0.0, -0.9 * now / np.minimum(change, -1e-300), 1.0))
        q, r = q + length * step_q, r + length * step_r
        if np.all(np.abs(step_q) <= 1e-9 * sq) and np.all(np.abs(step_r) <= 1e-9 * sr):
            break
    return q, r


def divergence(p: Floats, q: Floats, epsilon: Any, delta: float) -> Floats:
    """KL distance of (p, q) from the null set, per sample of each side; 0 inside."""
    return relative_entropy(p, q, *project(p, q, epsilon, delta))


def relative_entropy(p: Floats, q: Floats, p0: Floats, q0: Floats) -> Floats:
    """KL(p‖p₀) + KL(q‖q₀) of Bernoulli laws."""
    from scipy.special import rel_entr

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
