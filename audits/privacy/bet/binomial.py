"""Two binomial counts against p ≤ e^ε·q + δ: e-values, exact bounds, and the tests they give.

p is the probability of an event on one dataset, q on its neighbour. The null set
Θ₀(ε) = {(p, q) ∈ [0, 1]²: p ≤ e^ε·q + δ} is convex and grows with ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from audits.bounds import clopper_pearson_limits as clopper_pearson
from audits.privacy.claims import Claim
from audits.privacy.outputs.outputs import Floats
from audits.privacy.tuning import TINY


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

    def row(self, i: int) -> Bet:
        """The bets of one row of the arrays."""
        return Bet(self.f_rest[i], self.f_u[i], self.f_l[i], self.g_rest[i], self.g_u[i], self.g_l[i])

    def log_e_value(self, n: int, x_u: Any, x_l: Any, y_u: Any, y_l: Any) -> Floats:
        """Log e-value of n samples of each dataset, of which x_u, x_l and y_u, y_l lie in U and L."""
        return (
            n * (self.f_rest + self.g_rest)
            + x_u * (self.f_u - self.f_rest)
            + x_l * (self.f_l - self.f_rest)
            + y_u * (self.g_u - self.g_rest)
            + y_l * (self.g_l - self.g_rest)
        )


def bet(p_u: Floats, q_u: Floats, p_l: Floats, q_l: Floats, epsilon: Floats, delta: Any) -> Bet:
    """The bet on P(U) > e^ε·Q(U) + δ and, at once, Q(L) > e^ε·P(L) + δ, for disjoint events U and L.

    (p_u, q_u) and (p_l, q_l) are the shares of P and Q betted on; the part that does not violate the claim,
    or is (0, 0), is left out. With a = e^ε, u, v, ν, κ ≥ 0 put

        f = ν + u·1_U − a·v·1_L,     g = κ − a·u·1_U + v·1_L,     ν + κ + δ·(u + v) = 2,     f, g ≥ 0.

    Under the claim E f(X) + E g(Y) = ν + κ + u·(P(U) − a·Q(U)) + v·(Q(L) − a·P(L)) ≤ 2, and X, Y are
    independent, so E f(X)·g(Y) = E f(X) · E g(Y) ≤ (2/2)² = 1: an e-value, whatever u, v, ν, κ are. They are
    chosen for the fastest growth on the shares betted on: f and g are then the likelihood ratios to
    the point of the null that is nearest in KL (the e-variables of Turner, Ly and Grünwald, 2024, for a
    convex null, here for both directions together), found by Newton's method on the two free probabilities.
    """
    p_u, q_u, p_l, q_l, a, delta = np.broadcast_arrays(p_u, q_u, p_l, q_l, np.exp(epsilon), delta)
    delta = delta.ravel()
    # Here and below row 0 is about U, row 1 about L, or about P, then Q: swapping P with Q swaps the rows.
    more, less = (np.stack(sides).reshape(2, a.size) for sides in ([p_u, q_l], [q_u, p_l]))
    used = more > a.ravel() * less + delta
    some = np.flatnonzero(used.any(axis=0))
    fields: Floats = np.zeros((6, a.size))
    if len(some):
        more, less = (np.where(used, side, 0.0)[:, some] for side in (more, less))
        fields[:, some] = _best_bet(more, less, a.ravel()[some], delta[some])
    return Bet(*fields.reshape(6, *a.shape))


def _best_bet(more: Floats, less: Floats, a: Floats, delta: Floats) -> Floats:
    """The six fields of `Bet`; where `more` is 0 nothing is betted on that event."""
    rest, won = _multipliers(more, less, a, delta)
    # A direction whose bet would be negative is implied by the other one: it is dropped. Should both look
    # idle for lack of convergence, the weaker goes.
    idle = np.flatnonzero((more > 0.0).all(axis=0) & (won <= 0.0).any(axis=0))
    if len(idle):
        p, q, a0, (u, v) = more[:, idle], less[:, idle], a[idle], won[:, idle]
        excess = p - a0 * q
        drop_u = (u <= 0.0) & ((v > 0.0) | (excess[0] <= excess[1]))
        kept = np.stack([~drop_u, drop_u])
        p, q = (np.where(kept, side, 0.0) for side in (p, q))
        rest[:, idle], won[:, idle] = _multipliers(p, q, a0, delta[idle])
    # From here on nothing rests on how well Newton converged: u, v are cut to keep f, g ≥ 0, all is scaled
    # to 2.
    won = np.clip(won, 0.0, (1.0 - 1e-9) * rest[::-1] / a)
    scale = 2.0 / (rest.sum(axis=0) + delta * won.sum(axis=0))
    (nu, kappa), (u, v) = rest * scale, won * scale
    return np.log(np.stack([nu, nu + u, nu - a * v, kappa, kappa - a * u, kappa + v]))


def _left(more: Floats, less: Floats) -> Floats:
    """Probabilities of the rest under P and under Q."""
    return 1.0 - np.stack([more[0], less[0]]) - np.stack([less[1], more[1]])


def _rest(more: Floats, less: Floats) -> Floats:
    # U and L may be all there is; a little mass on the rest keeps the optimum inside.
    return np.maximum(_left(more, less), 1e-3)


def _multipliers(more: Floats, less: Floats, a: Floats, delta: Floats) -> tuple[Floats, Floats]:
    """(ν, κ) and (u, v) of the best bet, from the nearest null point."""
    used = more > 0.0
    lesser = _nearest_null(more, less, a, delta)
    greater = np.where(used, a * lesser + delta, 0.0)
    rest = _rest(more, less) / _left(greater, lesser)
    return rest, np.where(used, more / np.where(used, greater, 1.0) - rest, 0.0)


def _nearest_null(more: Floats, less: Floats, a: Floats, delta: Floats) -> Floats:
    """Q₀(U) and P₀(L) of the nearest null point with P₀(U) = a·Q₀(U) + δ, Q₀(L) = a·P₀(L) + δ."""
    rest, used = _rest(more, less), more > 0.0
    both = used[0] & used[1]
    offset = np.where(used, delta, 0.0)
    # The nearest point for variances held fixed, kept within the interval that it must lie in.
    v_more, v_less = more * (1.0 - more), less * (1.0 - less)
    start = less + a * v_less * (more - a * less - delta) / (v_more + a * a * v_less + TINY)
    start = np.where(used, np.clip(start, less * 1.0001, np.maximum((more - delta) / a, less)), 0.0)
    # The two may be more than there is room for together: pull them towards 0 until the rest has some.
    spare = offset - offset.max(axis=0)
    crowded = (a * start + start[::-1] + spare).max(axis=0)
    pull = np.minimum(1.0, 0.9 * (1.0 - offset.max(axis=0)) / np.maximum(crowded, TINY))
    x = start * np.where(pull < 1.0, 0.9 * pull, 1.0)
    for _ in range(50):
        # Placeholders 1 keep the cells that are left out from dividing by zero; their weights are 0.
        inside = np.where(used, x, 1.0)
        big, rest0 = a * inside + delta, 1.0 - offset - a * x - x[::-1]
        weight, ratio, share = rest / rest0, more / big, less / inside
        slope = np.where(used, a * (weight - ratio) + weight[::-1] - share, 0.0)
        c = weight / rest0
        h = np.where(used, a * a * (ratio / big + c) + share / inside + c[::-1], 1.0)
        cross = np.where(both, a * (c[0] + c[1]), 0.0)
        step = (cross * slope[::-1] - h[::-1] * slope) / (h[0] * h[1] - cross * cross)
        # No quantity may shrink to less than a tenth in one step: the logarithms' barriers hold.
        change = np.stack([step / inside, -(a * step + step[::-1]) / rest0])
        length = np.minimum(1.0, 0.9 / np.maximum(-change.min(axis=(0, 1)), TINY))
        x = x + length * step
        # The error left is about the square of the last step; the bet is valid whatever it is. Where the rest
        # is small a step that is small beside q may not be small beside it.
        if np.abs(change).max(initial=0.0) <= 1e-2:
            break
    return x


def relative_entropy(p: Floats, q: Floats, p0: Floats, q0: Floats) -> Floats:
    """KL(p‖p₀) + KL(q‖q₀) of Bernoulli laws."""
    from scipy.special import rel_entr

    found = rel_entr(p, p0) + rel_entr(1.0 - p, 1.0 - p0) + rel_entr(q, q0) + rel_entr(1.0 - q, 1.0 - q0)
    # Of equal laws the four terms cancel but for rounding.
    return np.maximum(found, 0.0)


def shown(p: Any, q: Any, claim: Claim) -> Floats:
    """The least value whose claim allows an event of probabilities p and q, less than 0 where p < q."""
    p, q = np.clip(p, 0.0, 1.0), np.clip(q, 0.0, 1.0)
    return np.where(p > q, claim.least(np.maximum(p, q), q), np.minimum(p - q, 0.0))


def two_bounds(x: int, y: int, n: int, claim: Claim, alpha: float) -> float:
    """Lower confidence bound at level 1 − alpha, in the unit of the claim, from x and y hits of n samples
    each: two Clopper–Pearson bounds at α/2 each; 0 where p is not seen to be the greater."""
    low, high = clopper_pearson(x, n, alpha / 2)[0], clopper_pearson(y, n, alpha / 2)[1]
    return max(float(shown(low, high, claim)), 0.0)


def limit(hits: Any, seen: int, fresh: int, z: float, care: float = 1.0) -> Floats:
    """The limit of Wilson's interval, |z| standard errors away on the side of z's sign, that `fresh` samples
    are expected to give for an event with `hits` of `seen` earlier ones. The share is taken one standard
    error off, on the safe side: an event that was chosen is a lucky one."""
    share = (np.asarray(hits, dtype=np.float64) + 0.5) / (seen + 1.0)
    p = np.clip(share + care * np.sign(z) * np.sqrt(share * (1.0 - share) / seen), 0.0, 1.0)
    root = np.sqrt(p * (1.0 - p) / fresh + z * z / (4.0 * fresh * fresh))
    return (p + z * z / (2.0 * fresh) + z * root) / (1.0 + z * z / fresh)
