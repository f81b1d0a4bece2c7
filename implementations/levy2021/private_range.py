"""PrivateRange: an interval of length proportional to τ that holds the bulk of the data (Algorithm 6).

Reconstructed: the appendix with Algorithm 6 was not at hand. The main text says that it is the approximate
median of Feldman and Steinke (2017): [−B, B] is cut into bins of width proportional to τ, each point is
rounded to the centre of its bin, and a centre x is drawn with probability ∝ exp(−ε c(x)/2), c(x) =
max(#{Xᵢ′ < x}, #{Xᵢ′ > x}). Replacing one user changes c by at most 1, hence ε-DP. The printed β of Theorem
1, (B/τ) exp(−nε/8) after half of ε, fixes the number of bins at B/τ, hence their width at 2τ, and Algorithm
1 fixes the length of the interval at 4τ.

With these constants the interval can miss data: a point at the right edge of the chosen bin may have a
neighbour at distance 2τ, which lies 3τ from the centre. The interval must reach half a bin beyond 2τ
(`constants="corrected"`).

The bins are never materialised: c is constant on the gaps between occupied bins, so at most 2n + 1 segments
carry the whole law, whatever B/τ."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from implementations.checks import positive, within
from implementations.interfaces import Array
from implementations.levy2021.constants import Constants, Variant, constants_of

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bins:
    """⌈2B/w⌉ bins of width w, centred at 0; bin r has the centre (r + shift)·w.

    Bins are counted from 0 outwards (first … last, both included), so that B/τ = 2⁶⁰ costs no digits near 0.
    """

    count: int
    width: float

    @property
    def first(self) -> int:
        return -(self.count // 2)

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    @property
    def shift(self) -> float:
        """An even number of bins meets at 0, an odd one has a bin around 0."""
        return 0.0 if self.count % 2 else 0.5

    def index(self, x: Array) -> Indices:
        """The bin of each point; an edge belongs to the bin on its right, but B to the last bin."""
        r = np.floor(x / self.width + (0.5 - self.shift)).astype(np.int64)
        return np.clip(r, self.first, self.last, out=r)

    def centre(self, r: Indices) -> Array:
        return (r.astype(np.float64) + self.shift) * self.width


def bins_for(tau: float, bound: float, constants: Variant | Constants = "paper") -> Bins:
    """The bins of PrivateRange for radius τ on [−bound, bound].

    Raises ValueError where τ or the bound is not positive, or more than 2⁶² bins would be needed.

    >>> bins_for(1.0, 4.0)
    Bins(count=4, width=2.0)
    """
    positive(tau=tau, bound=bound)
    width = constants_of(constants).bin_width * tau
    if 2.0 * bound / width > 2.0**62:
        raise ValueError(f"bound/tau must be at most {2.0**61 * width / tau:g}, got {bound / tau:g}")
    return Bins(max(1, math.ceil(2.0 * bound / width)), width)


@dataclass(frozen=True, slots=True)
class RangeLaw:
    """The exact law of the chosen bin: segments of bins of equal probability, for one dataset.

    start, count (s,)     first bin and number of bins of each segment, empty segments left out, from left to
                          right.
    log_probability (s,)  natural logarithm of the probability of each single bin of the segment.
    """

    bins: Bins
    start: Indices
    count: Indices
    log_probability: Array

    def enumerate(self) -> tuple[Array, Array]:
        """Centres and log-probabilities of all bins; for at most 2²⁰ bins."""
        if self.bins.count > 2**20:
            raise ValueError(f"enumerate() needs at most 2**20 bins, got {self.bins.count}")
        bins = np.arange(self.bins.first, self.bins.last + 1)
        return self.bins.centre(bins), np.repeat(self.log_probability, self.count)


def range_law(
    x: Array, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> RangeLaw:
    """The exact law of PrivateRange with budget ε on one dataset x (n,) in [−bound, bound].

    Raises ValueError for bad parameters or points outside [−bound, bound].
    """
    positive(epsilon=epsilon)
    bins = bins_for(tau, bound, constants)
    within(bound, x=x)
    n = x.size
    occupied, users = np.unique(bins.index(np.asarray(x, dtype=np.float64)), return_counts=True)
    left = np.concatenate(([0], np.cumsum(users)))  # users left of each gap
    at_bin = np.maximum(left[:-1], n - left[1:])
    in_gap = np.maximum(left, n - left)
    gap_start = np.concatenate(([bins.first], occupied + 1))
    gap_count = np.concatenate((occupied, [bins.last + 1])) - gap_start
    # Segments alternate: gap, bin, gap, bin, …, gap.
    start = np.empty(2 * occupied.size + 1, dtype=np.int64)
    count, cost = np.ones_like(start), np.empty(start.size)
    start[0::2], count[0::2], cost[0::2] = gap_start, gap_count, in_gap
    start[1::2], cost[1::2] = occupied, at_bin
    keep = count > 0
    start, count, cost = start[keep], count[keep], cost[keep]
    log_weight = -0.5 * epsilon * cost
    log_mass = log_weight + np.log(count.astype(np.float64))
    peak = float(log_mass.max())
    total = peak + math.log(float(np.exp(log_mass - peak).sum()))
    return RangeLaw(bins, start, count, log_weight - total)


def draw_centres(
    x: Array,
    epsilon: float,
    tau: float,
    bound: float,
    rng: np.random.Generator,
    constants: Variant | Constants = "paper",
) -> Array:
    """One draw of the centre of PrivateRange for each dataset of a batch: x (…, n) → (…).

    The interval is the centre ± half_length·τ. Raises ValueError for bad parameters or points outside
    [−bound, bound].
    """
    positive(epsilon=epsilon)
    bins = bins_for(tau, bound, constants)
    within(bound, x=x)
    n = x.shape[-1]
    rows = x.size // n
    # Sorted, with one bin beyond the last at the end, which no user is in.
    r = np.empty((rows, n + 1), dtype=np.int64)
    r[:, :n] = bins.index(x).reshape(rows, n)
    r[:, :n].sort(axis=-1)
    r[:, n] = bins.last + 1
    fresh = np.ones(r.shape, dtype=bool)
    np.not_equal(r[:, 1:], r[:, :-1], out=fresh[:, 1:])
    # From here on one entry for each occupied bin of each dataset, with the gap before it.
    place = np.flatnonzero(fresh)
    row, left = np.divmod(place, n + 1)  # `left` users lie left of the bin
    occupied = r.ravel()[place]
    beyond = left == n
    before = np.concatenate(([0], occupied[:-1]))
    before[left == 0] = bins.first - 1
    gap = occupied - before - 1
    right = n - left - np.diff(place, append=r.size)
    cost = np.where(beyond, n, np.maximum(left, right))
    first = np.flatnonzero(left == 0)
    least = np.minimum.reduceat(cost, first)[row]  # a gap never costs less than the median bin
    decay = -0.5 * epsilon
    weight = np.empty((place.size, 2))
    weight[:, 0] = gap * np.exp(decay * (np.maximum(left, n - left) - least))
    weight[:, 1] = np.where(beyond, 0.0, np.exp(decay * (cost - least)))
    # Each dataset has weight 1, so that one sum over all of them loses no digits.
    total = np.add.reduceat(weight.sum(axis=1), first)[row]
    cumulative = np.cumsum(weight / total[:, None])
    chosen = np.searchsorted(cumulative, np.arange(rows) + rng.random(rows), side="right")
    entry, in_bin = np.divmod(np.clip(chosen, 2 * first, 2 * np.append(first[1:], place.size) - 1), 2)
    in_gap = before[entry] + 1 + rng.integers(0, np.maximum(gap[entry], 1))
    picked = np.minimum(np.where(in_bin, occupied[entry], in_gap), bins.last)
    return bins.centre(picked).reshape(x.shape[:-1])


def private_range(
    x: Array,
    epsilon: float,
    tau: float,
    bound: float,
    rng: np.random.Generator,
    constants: Variant | Constants = "paper",
) -> tuple[Array, Array]:
    """The ends (a, b) of the interval of PrivateRange, ε-DP in one user; x (…, n) → two arrays (…).

    b − a = 2·half_length·τ (4τ as printed).
    Raises ValueError for bad parameters or points outside [−bound, bound].
    """
    centre = draw_centres(x, epsilon, tau, bound, rng, constants)
    reach = constants_of(constants).half_length * tau
    return centre - reach, centre + reach


def miss_probability(
    n: int, epsilon: float, tau: float, bound: float, constants: Variant | Constants = "paper"
) -> float:
    """Bound K exp(−nε/4) on the probability that the chosen bin lies beside all the data, K = number of bins.

    A bin beside the data costs n, the median bin at most n/2 (proof of Theorem 1; exp(−nε/8) there is this
    with ε/2).
    """
    positive(epsilon=epsilon)
    return min(1.0, bins_for(tau, bound, constants).count * math.exp(-n * epsilon / 4.0))
