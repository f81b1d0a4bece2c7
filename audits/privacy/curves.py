"""Bets on all of a ladder at once, for δ = 0.

The thresholds of a ladder cut the outputs into *bins*. An event bets on whole unions of bins; where the
likelihood ratio λ = P/Q is known bin by bin, each can have the bet that suits it. With a = e^ε and any
functions h, k ≥ 0 of the bins put

    f = ν + h − a·k,     g = κ − a·h + k,     ν + κ = 2,     f, g ≥ 0.

Under the claim E f(X) + E g(Y) = 2 + Σ h·(P − a·Q) + Σ k·(Q − a·P) ≤ 2, so E f(X)·g(Y) ≤ 1: an e-value,
whatever ν, h and k were chosen from earlier samples. The best ones are f = P/P₀, g = Q/Q₀ with (P₀, Q₀) the
point of the null that is nearest in KL. It has P₀ = a·Q₀ where λ > a·ν/κ, Q₀ = a·P₀ where λ < ν/(a·κ), and

    f = λ·(a·ν + κ)/(a·(1 + λ)),     g = (a·ν + κ)/(1 + λ)             in the first bins,
    f = λ·(ν + a·κ)/(1 + λ),         g = (ν + a·κ)/(a·(1 + λ))         in the second,
    f = ν,                           g = κ                             in between.

λ is learned from the counts of both sides in the bins: a curve that is smooth but where the counts say that
it jumps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy import betting, events
from audits.privacy.calibration import logistic

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]

STEP = 0.4
"""Spread of the steps of log λ from bin to bin, before any data."""
TAILS = 3.0
"""Degrees of freedom of these steps: few, so that a jump that the counts insist on is allowed."""
CLOSE = 0.1
"""Spread of the steps away from those of a score that estimates log λ itself."""
SLOPE = 0.7, 0.2
"""Mean and spread, before any data, of the factor from such a score to log λ: fitted scores are too large."""
LEAST = 16
"""Samples that a tail of the score must hold for its scale to be believed there."""
CHANCE = 2.0
"""What a curve that keeps close to no score wins in hindsight by following chance, about."""
MOST_LOG = 30.0


@dataclass(frozen=True, slots=True)
class Curves:
    """Bets on one batch, for P places of the grid of ε.

    log_f, log_g  for each ladder the logs (bins, P) of f and g.
    log_share     logs (ladders + 1, P) of the shares of the wealth, which sum to 1; the last one is kept.
    """

    places: Ints
    log_f: tuple[Floats, ...]
    log_g: tuple[Floats, ...]
    log_share: Floats

    def log_factor(self, counts: Sequence[tuple[Ints, Ints]], size: int) -> Floats:
        """Log of the factor (P,) that the wealth is multiplied by; `counts` say for each ladder how many
        samples of either side have score ≥ each threshold."""
        won = [
            events.in_bins(x, size) @ f + events.in_bins(y, size) @ g
            for f, g, (x, y) in zip(self.log_f, self.log_g, counts, strict=True)
        ]
        return betting.log_sum(self.log_share + np.stack([*won, np.zeros(len(self.places))]))


def choose(ladders: Sequence[events.Ladder], size: int, epsilon: Floats, places: Ints) -> Curves:
    """Bets for the `places` of the grid `epsilon`, from `size` samples a side so far.

    A ladder's share goes by what its bet would have won on these samples. Where scores were fitted to be
    log λ, as much as the mean of those that would have won nothing is not betted.
    """
    a = np.exp(epsilon[places])
    fitted = any(ladder.score.log_ratio for ladder in ladders)
    log_f: list[Floats] = []
    log_g: list[Floats] = []
    won: list[Floats] = []
    for ladder in ladders:
        x, y = ladder.bins()
        close = ladder.score.log_ratio
        log_ratio = fit(x, y, middles(ladder) if close else None)
        f, g = log_bets(log_ratio, multiplier(log_ratio, (x + y) / ladder.size, a), a)
        log_f.append(f)
        log_g.append(g)
        hindsight = (x @ f + y @ g) * (size / ladder.size)
        won.append(hindsight - math.log(len(ladders)) - (CHANCE if fitted and not close else 0.0))
    shares = np.stack([*won, np.full(len(places), 0.0 if fitted else -np.inf)])
    return Curves(places, tuple(log_f), tuple(log_g), shares - betting.log_sum(shares))


def middles(ladder: events.Ladder) -> Floats:
    """The score in the middle of each bin; at the threshold in the first and the last one."""
    t = ladder.thresholds
    return np.concatenate([t[:1], 0.5 * (t[:-1] + t[1:]), t[-1:]])


def fit(first: Ints, second: Ints, expected: Floats | None = None) -> Floats:
    """log λ (bins,) from the counts (bins,) of both sides, of as many samples each.

    The most probable curve where steps from bin to bin have Student's t law with `TAILS` and the spread
    `STEP`, by Newton's method; the law of the steps enters by the normal law that touches it (a tridiagonal
    system). With `expected`, which estimates log λ but for its spread, the steps are those away from β times
    this one's, with the spread `CLOSE`, and β has the normal law `SLOPE` before any data.
    """
    from scipy.linalg.lapack import dptsv

    count = first + second
    drift = np.zeros(len(count) - 1) if expected is None else np.diff(_within(expected, count))
    spread, (slope, error) = (STEP, (0.0, 1.0)) if expected is None else (CLOSE, SLOPE)
    curve, middle = np.zeros(len(count)), slope
    for _ in range(60):
        w = logistic(curve)
        step = np.diff(curve) - slope * drift
        weight = (TAILS + 1.0) / (TAILS * spread**2 + step * step)
        diagonal = count * w * (1.0 - w) + 1e-9
        gradient = first - count * w
        # The column of the system that belongs to β.
        border = np.zeros(len(count))
        for place, sign in ((slice(None, -1), 1.0), (slice(1, None), -1.0)):
            diagonal[place] += weight
            gradient[place] += sign * weight * step
            border[place] += sign * weight * drift
        solved = dptsv(diagonal, -weight, np.column_stack([gradient, border]))[2]
        bend = float((weight * drift * step).sum()) - (slope - middle) / error**2
        corner = float((weight * drift * drift).sum()) + error**-2.0
        turn = (bend - float(border @ solved[:, 0])) / (corner - float(border @ solved[:, 1]))
        change = solved[:, 0] - turn * solved[:, 1]
        largest = float(np.abs(change).max())
        # Newton's steps overshoot where the sides are nearly separable.
        share = min(1.0, 2.0 / (largest + 1e-300))
        curve = np.clip(curve + share * change, -MOST_LOG, MOST_LOG)
        slope += share * turn
        if largest < 0.03:
            break
    return curve


def _within(expected: Floats, count: Ints) -> Floats:
    """What is expected, flat beyond the bins where a tail has `LEAST` samples: a score learned from few runs
    wild in the tails."""
    below, above = np.cumsum(count), np.cumsum(count[::-1])[::-1]
    known = expected[(below >= LEAST) & (above >= LEAST)]
    return np.clip(expected, known.min(), known.max()) if len(known) else np.zeros_like(expected)


def multiplier(log_ratio: Floats, mass: Floats, a: Floats) -> Floats:
    """ν (P,) of the best bet for each a = e^ε (P,), where bins have this likelihood ratio and P + Q = mass.

    The dual, but for a constant, is concave in ν:

        Σ P·log ν + Q·log(2 − ν) in between,  + Σ (P + Q)·log(2 + (a − 1)·ν) in the first bins,
        + Σ (P + Q)·log(2a − (a − 1)·ν) in the second.
    """
    # In the order of λ the second bins come first and the first ones last: sums over them are differences.
    order = np.argsort(log_ratio)
    ordered, both = log_ratio[order], mass[order]
    p = both / (1.0 + np.exp(-ordered))
    sums = np.concatenate([[[0.0, 0.0]], np.cumsum(np.column_stack([p, both - p]), axis=0)])
    # Both laws sum to 1 but for the smoothing.
    sum_p, sum_q = (sums / sums[-1]).T
    log_a, b = np.log(a), a - 1.0
    nu, low, high = np.ones_like(a), np.zeros_like(a), np.full_like(a, 2.0)
    for _ in range(30):
        kappa = 2.0 - nu
        centre = np.log(nu / kappa)
        start = np.searchsorted(ordered, centre - log_a, side="left")
        stop = np.maximum(np.searchsorted(ordered, centre + log_a, side="right"), start)
        rest_p, rest_q = sum_p[stop] - sum_p[start], sum_q[stop] - sum_q[start]
        first, second = 2.0 - sum_p[stop] - sum_q[stop], sum_p[start] + sum_q[start]
        one, other = 2.0 + b * nu, 2.0 * a - b * nu
        slope = rest_p / nu - rest_q / kappa + b * (first / one - second / other)
        curve = rest_p / nu**2 + rest_q / kappa**2 + b * b * (first / one**2 + second / other**2)
        low, high = np.where(slope > 0.0, nu, low), np.where(slope < 0.0, nu, high)
        new = nu + slope / np.maximum(curve, 1e-300)
        new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
        # The growth lost is of the order of the square of this error.
        done = bool(np.all(np.abs(new - nu) <= 1e-2 * np.minimum(nu, kappa)))
        nu = new
        if done:
            break
    return nu


def log_bets(log_ratio: Floats, nu: Floats, a: Floats) -> tuple[Floats, Floats]:
    """log f and log g (bins, P) for the places with these ν and a = e^ε (P,)."""
    kappa, log_a = 2.0 - nu, np.log(a)
    centre = np.log(nu / kappa)
    first, second = log_ratio[:, None] > centre + log_a, log_ratio[:, None] < centre - log_a
    # log λ/(1 + λ) and log 1/(1 + λ).
    upper, lower = (-np.logaddexp(0.0, sign * log_ratio)[:, None] for sign in (-1.0, 1.0))
    one, other = np.log(a * nu + kappa), np.log(nu + a * kappa)
    f = np.where(first, upper + one - log_a, np.where(second, upper + other, np.log(nu)))
    g = np.where(first, lower + one, np.where(second, lower + other - log_a, np.log(kappa)))
    return f, g
