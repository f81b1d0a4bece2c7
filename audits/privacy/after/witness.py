"""The witness of a refutation, the simplest event that shows it: a symbol or value, a threshold, a sum.

The event that carries a refutation is often one of a learned score, which nobody can check by hand. So the
outputs that the audit drew are searched for events that can: the best event of each kind is chosen on them,
the simplest kind first, and all of these are counted on fresh outputs. The first that is nearly as strong as
the audit's bound, or as the strongest of them, is the witness. The last kind is an event of the number that
carried the refutation, where that was a single number that can be read off an output.

How the figures are valid. With K events and α in all, each of the 2K probabilities has its Clopper–Pearson
interval at level α/(2K), so that all of them hold at once with probability 1 − α, whichever event is named
afterwards. From p ≥ p_low and q ≤ q_high follows the least value whose claim allows the event, such as
ε ≥ log((p_low − δ)/q_high).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from audits.privacy.bet import binomial
from audits.privacy.claims import Claim
from audits.privacy.draw.draws import joined
from audits.privacy.outputs.describe import SHOWN, column_words, place_words, weighted
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.leaves import EXACT
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Raw
from audits.privacy.outputs.score import Event, View
from audits.privacy.result import Share, Witness
from audits.privacy.tuning import BOUND, TUNING

LEAST, FEW, MANY = 256, 2048, 100_000
"""Fresh outputs of a dataset: four times those of the audit up to FEW, twice up to MANY, as two intervals
need more of them than its test; then MANY, or a quarter of the audit's. At least LEAST, or twice as many as
tested the assumptions, which are few where outputs are costly."""
CHUNK = 1 << 15
LEVELS = np.unique(np.concatenate([np.linspace(0.02, 0.98, 49), [0.001, 0.003, 0.01, 0.99, 0.997, 0.999]]))
"""Quantiles of the searched outputs that are thresholds."""
MIDDLE, FINE = (LEVELS >= 0.02) & (LEVELS <= 0.98), 100.0
"""Thresholds are rounded to a hundredth, or less, of the range of those in the middle."""
HOPEFUL = 0.25
"""Share of the claimed ε that the best event must be expected to show to be counted."""
HALF = 0.5
"""Columns of a sum differ by at least this part of the largest difference, in standard deviations."""


@dataclass(frozen=True, slots=True)
class Rated:
    """An event of a kind of views, and the value that it is expected to show on the fresh outputs."""

    event: Event
    expected: float


def find_witness(
    seen: Sequence[Raw],
    draw: Callable[[int, int], Raw],
    *,
    claim: Claim,
    alpha: float,
    bound: float,
    samples: int,
    encoder: Encoder,
    view: View | None = None,
) -> Witness | None:
    """The simplest event that shows more than is claimed; None where none of the simple events does.

    seen      outputs on both datasets that the event is chosen on.
    draw      ``draw(side, size)``: fresh outputs on dataset 0 or 1.
    claim, alpha, bound   the claim, the error level of what is said here, and the audit's bound.
    samples   outputs of each dataset that are drawn afresh; see `fresh_samples`.
    encoder   what turned the outputs of the audit into columns.
    view      the number of an output that carried the refutation, if there is one.
    """
    if min(map(len, seen)) < 2:
        return None
    # Of very wide outputs fewer are searched.
    rows = max(64, TUNING.most_bytes // (2 * np.float64().nbytes) // max(math.prod(seen[0].shape[1:]), 1))
    raw = [outputs[:rows] for outputs in seen]

    def encode(outputs: Raw, side: int) -> Encoded:
        return encoder.encode(outputs, f"dataset {side}")

    if not encoder.drawn:
        encoder.draw(joined(raw))
    sides = [encode(outputs, side) for side, outputs in enumerate(raw)]
    rate = Rate(claim, alpha, samples, (len(raw[0]), len(raw[1])))
    claimed = claim.value
    # Of two equal events the one that is said without "not" is simpler.
    best = (
        max(events, key=lambda one: (one.expected, not one.event.outside), default=None)
        for events in _events(sides, raw, view, rate)
    )
    rated = [one for one in best if one is not None]
    found = [one for one in rated if one.expected > claimed]
    if not found:
        # What is expected errs on the safe side: the best event is worth its draws where it comes near.
        found = [one for one in rated if one.expected > HOPEFUL * claimed]
        if not found:
            return None
        found = [max(found, key=lambda one: one.expected)]
    hits = np.zeros((2, len(found)), dtype=np.int64)
    for start in range(0, samples, CHUNK):
        for side in (0, 1):
            fresh = encode(draw(side, min(CHUNK, samples - start)), side)
            hits[side] += [np.count_nonzero(one.event.holds(fresh)) for one in found]
    return _named([encoder.said(one.event.words, most=60) for one in found], hits, rate, bound)


def fresh_samples(samples: int, tested: int = 0) -> int:
    """How many outputs of each dataset are drawn afresh after an audit of `samples`, before which `tested`
    outputs of each dataset tested its assumptions.

    >>> [fresh_samples(n, 1024) for n in (48, 5_000, 80_000, 1_000_000)], fresh_samples(100)
    ([2048, 10000, 100000, 250000], 400)
    """
    wanted = min(4 * samples, max(FEW, 2 * samples), max(MANY, samples // 4))
    return max(LEAST, min(2 * tested, FEW), wanted)


def _named(events: Sequence[str], hits: Ints, rate: Rate, bound: float) -> Witness | None:
    """The first event that is nearly as strong as the bound, or as the strongest; from how many of the fresh
    outputs of both datasets lie in each."""
    # Each of the 2K intervals has two ends, each of which fails with probability at most α/(4K).
    ends = binomial.clopper_pearson(hits, rate.samples, rate.alpha / (4.0 * len(events)))
    every = np.stack([hits / rate.samples, *ends], axis=-1)
    named, claimed = list[Witness](), rate.claim.value
    for event, shares in zip(events, every.swapaxes(0, 1).tolist(), strict=True):
        first, second = (Share(*share) for share in shares)
        more, less = sorted((first, second), key=lambda share: -share.estimate)
        shown = float(binomial.shown(more.low, less.high, rate.claim))
        alike = shown - claimed >= TUNING.nearly * (bound - claimed)
        named.append(
            Witness(event, first, second, shown, 1.0 - rate.alpha, rate.samples, alike, rate.claim.unit)
        )
    shown = [one for one in named if one.epsilon > claimed]
    most = max([one.epsilon for one in shown], default=bound)
    enough = claimed + TUNING.nearly * (min(most, bound) - claimed)
    return next((one for one in shown if one.epsilon >= enough), None)


# --- What is expected of an event ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rate:
    """The claim, and how an event is rated: by the value that it is expected to show on the fresh outputs.

    seen  searched outputs of both datasets.
    """

    claim: Claim
    alpha: float
    samples: int
    seen: tuple[int, int]

    def expected(self, first: Any, second: Any) -> Floats:
        """The value from counts of an event on the seen outputs, in the better one of the two directions."""
        from scipy.special import ndtri

        z = -float(ndtri(self.alpha / 40.0))  # of ten events
        sides = zip((first, second), self.seen, strict=True)
        (p_low, p_high), (q_low, q_high) = (
            (binomial.limit(hits, n, self.samples, -z), binomial.limit(hits, n, self.samples, z))
            for hits, n in sides
        )
        return np.fmax(binomial.shown(p_low, q_high, self.claim), binomial.shown(q_low, p_high, self.claim))

    def rated(self, view: View, x: Sequence[Raw], lows: Raw, highs: Raw) -> Iterator[Rated]:
        """The best of some intervals [low, high) of a view's numbers on both datasets, or of some values,
        where all ends are equal; and the best of their complements."""
        if len(lows) == 0:
            return
        side = "right" if np.array_equal(lows, highs) else "left"
        ordered = [np.sort(numbers) for numbers in x]
        inside = [np.searchsorted(o, highs, side=side) - np.searchsorted(o, lows) for o in ordered]
        others = [n - hits for n, hits in zip(self.seen, inside, strict=True)]
        for outside, counts in ((False, inside), (True, others)):
            expected = self.expected(*counts)
            best = int(np.argmax(expected))
            low, high = lows[best].item(), highs[best].item()
            yield Rated(Event(view, low, high, outside), float(expected[best]))


# --- The events of each kind --------------------------------------------------------------------------------


def _events(
    sides: Sequence[Encoded], raw: Sequence[Raw], carrier: View | None, rate: Rate
) -> Iterator[Iterable[Rated]]:
    """The events of each kind, the simplest kind first."""
    numbers, places = sides[0].shape
    columns = [View(column_words(j), lambda e, j=j: e.values[:, j]) for j in range(numbers)]
    # Beside symbols the number 0 stands for what is none.
    zeros = () if any(side.codes.any() for side in sides) else (0.0,)
    marks = [View(place_words(j), lambda e, j=j: e.codes[:, j], symbol=True) for j in range(places)]
    yield _each(marks, _values, sides, rate)
    yield _each(columns, partial(_values, also=zeros), sides, rate)
    yield _each(columns, _thresholds, sides, rate)
    for view in _sums(sides, raw):
        yield _thresholds(view, sides, rate)
    if carrier is not None:
        yield [*_values(carrier, sides, rate, (0.0,)), *_thresholds(carrier, sides, rate)]


def _each(
    views: Sequence[View], events: Callable[..., Iterator[Rated]], sides: Sequence[Encoded], rate: Rate
) -> Iterator[Rated]:
    for view in views:
        yield from events(view, sides, rate)


def _numbers(view: View, sides: Sequence[Encoded]) -> list[Raw]:
    return [np.asarray(view.of(side)) for side in sides]


def _frequent(x: Sequence[Raw]) -> Raw:
    """The values that repeat whose counts on both datasets differ most, in units of their errors."""
    some = np.concatenate([side[: TUNING.glance] for side in x])
    if len(np.unique(some)) == len(some):
        return some[:0]
    found, which = np.unique(np.concatenate(x), return_inverse=True)
    a, b = (np.bincount(side, minlength=len(found)) for side in np.split(which, [len(x[0])]))
    order = np.argsort(-np.square(a / len(x[0]) - b / len(x[1])) / (a + b), kind="stable")
    chosen = order[: TUNING.most_chosen]
    return found[chosen][(a + b)[chosen] > 1]


def _values(view: View, sides: Sequence[Encoded], rate: Rate, also: Sequence[float] = ()) -> Iterator[Rated]:
    """Single values that repeat, or symbols; 0 is among them only where it is in `also`."""
    x = _numbers(view, sides)
    found = _frequent(x)
    # A double stands for several of the integers that are larger.
    found = found[(np.abs(found) < EXACT) & ((found != 0) | (0.0 in also))]
    return rate.rated(view, x, found, found)


def _sums(sides: Sequence[Encoded], raw: Sequence[Raw]) -> Iterator[View]:
    """What several numbers tell together: of vectors of numbers the sum and the largest size; and the sum of
    the few columns whose means are farthest apart, each with the sign of its difference."""
    if sides[0].shape[0] > 1 and all(side.ndim > 1 and side.dtype.kind in "biuf" for side in raw):
        yield View("the sum of the coordinates", lambda e: e.values.sum(axis=1))
        yield View("the largest size of a coordinate", lambda e: np.abs(e.values).max(axis=1))
    x = [np.clip(side.values, -BOUND, BOUND) for side in sides]
    apart = x[0].mean(axis=0) - x[1].mean(axis=0)
    spread = np.concatenate(x).std(axis=0)
    size = np.divide(np.abs(apart), spread, out=np.zeros(len(spread)), where=spread > 0.0)
    most = np.argsort(-size, kind="stable")[:SHOWN]
    chosen = np.sort(most[size[most] >= HALF * size.max(initial=0.0)])
    signs = [(j, math.copysign(1.0, apart[j])) for j in chosen.tolist()]
    if len(signs) > 1:
        words = weighted((column_words(j), sign) for j, sign in signs)
        yield View(words, lambda e: sum((sign * e.values[:, j] for j, sign in signs), np.zeros(len(e))))


def _thresholds(view: View, sides: Sequence[Encoded], rate: Rate) -> Iterator[Rated]:
    """That the number is at least some quantile, rounded to fewer digits."""
    x = _numbers(view, sides)
    pooled = np.sort(np.concatenate(x))
    cuts = pooled[np.round(LEVELS * (len(pooled) - 1)).astype(np.int64)].astype(np.float64)
    spread = float(cuts[MIDDLE].max() - cuts[MIDDLE].min())
    if spread > 0.0:
        digits = math.ceil(math.log10(FINE / spread))
        cuts = np.array([round(cut, digits) + 0.0 for cut in cuts.tolist()])
    cuts = np.unique(cuts[(cuts > pooled[0]) & (cuts <= pooled[-1])])
    yield from rate.rated(view, x, cuts, np.full(len(cuts), np.inf))
