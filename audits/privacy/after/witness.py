"""The witness of a refutation, the simplest event that shows it: a symbol or value, a threshold, a sum.

The event that carries a refutation is often one of a learned score, which nobody can check by hand. So the
outputs that the audit drew are searched for events that can: the best event of each simple kind is chosen on
them, and all of these are counted on fresh outputs. The first kind whose event is nearly as strong as the
audit's bound, or as the strongest event counted, is the witness. The last kind is an event of the number that
carried the refutation, where that was a single number that can be read off an output.

How the figures are valid. With K events and α in all, each of the 2K probabilities has its Clopper–Pearson
interval at level α/(2K), so that all of them hold at once with probability 1 − α, whichever event is named
afterwards. From p ≥ p_low and q ≤ q_high follows what anyone can work out: ε ≥ log((p_low − δ)/q_high).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audits import values
from audits.privacy.bet import binomial
from audits.privacy.learners.fits import shrinkage
from audits.privacy.outputs import leaves
from audits.privacy.outputs.describe import SHOWN, Column, Interval, Mark, Symbol, weighted
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.leaves import EXACT
from audits.privacy.outputs.outputs import Encoded, Floats, Ints, Raw, Reading, number_words, value_words
from audits.privacy.tuning import BOUND, TUNING

LEAST, FEW, MANY = 256, 2048, 100_000
"""Fresh outputs of a dataset: at least LEAST; four times those of the audit up to FEW, twice up to MANY, as
two intervals need more of them than its test; then MANY, or a quarter of the audit's."""
CHUNK = 1 << 15
LEVELS = np.unique(np.concatenate([np.linspace(0.02, 0.98, 49), [0.001, 0.003, 0.01, 0.99, 0.997, 0.999]]))
CELLS = 24
SPARED = 200
"""A threshold may move by this part of the searched outputs, for the sake of fewer digits."""
HOPEFUL = 0.25
"""Share of the claimed ε that the best event must be expected to show to be counted."""
CAUTION = 1.0
"""Standard errors by which shares are thought to be weaker than the searched outputs have them."""


SUMS = {"sum": "the sum of the coordinates", "largest": "the largest size of a coordinate"}
ZERO = " (what is no number counts as 0)"
Weights = tuple[tuple[int, float], ...]
WHOLE = list, tuple, set, frozenset, dict


@dataclass(frozen=True, slots=True)
class Share:
    """The probability of an event on a dataset: its share of fresh outputs, and a confidence interval."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The simplest event that shows the violation, counted on outputs that had no part in choosing it.

    event       in words of the output; every number in them is exact.
    kind        "symbol", "value", "output" (all of it), "threshold", "interval", "sum", "largest", "weighted"
                or "reading".
    first, second   its probabilities on the two datasets of the pair, intervals included.
    epsilon     shown by them: log((low − δ)/high) of the greater and the lesser probability.
    confidence  with which both intervals, and so `epsilon`, hold.
    samples     fresh outputs of each dataset; not among the audit's `samples`.
    alike       whether it is of like power: it exceeds the claim by at least 0.9 of what the audit's bound
                does. Otherwise it shows a violation, but a smaller one.
    """

    event: str
    kind: str
    first: Share
    second: Share
    epsilon: float
    confidence: float
    samples: int
    alike: bool

    def __str__(self) -> str:
        weaker = "" if self.alike else "; weaker than the event that was found"
        return (
            f"{self.event}: probability {self.first} on the first dataset, {self.second} on the second, so "
            f"ε ≥ {self.epsilon:.4g} ({self.samples:,} fresh outputs of each{weaker})"
        )


@dataclass(frozen=True, slots=True)
class _Event:
    """{low ≤ x < high} of a number x of the output, or a symbol in a place; `outside` for the complement.

    place    a column, or of a weighted sum pairs of a column and its weight.
    whole    the key or the numbers of an output that it is equal to; written: that output in words.
    reading  the words for x, where that is the number that carried the refutation.
    """

    kind: str
    place: int | Weights
    low: float
    high: float
    outside: bool
    expected: float
    reading: str = ""
    whole: Any = ()
    written: str = ""

    def holds(self, outputs: Encoded) -> NDArray[np.bool_]:
        x = _looked_at(outputs, self.kind, self.place)
        inside = (x == self.low) if self.kind in ("symbol", "value") else (x >= self.low) & (x < self.high)
        return ~inside if self.outside else inside

    def equals(self, outputs: Raw) -> NDArray[np.bool_]:
        """Whether each output equals `whole`, or differs from it where the event is the complement."""
        if _is_vector(outputs):
            inside = (outputs.reshape(len(outputs), -1) == self.whole).all(axis=1)
        else:
            inside = np.array([_key(_unpacked(output)) == self.whole for output in outputs])
        return ~inside if self.outside else inside

    def words(self, encoder: Encoder) -> str:
        sign = "≠" if self.outside else "="
        if self.kind == "output":
            return f"output {sign} {self.written}"
        if self.reading:
            what = self.reading
        elif isinstance(self.place, tuple):
            what = weighted((Column(j), w) for j, w in self.place)
        else:
            what = SUMS.get(self.kind) or (Mark if self.kind == "symbol" else Column)(self.place)
        if self.kind == "symbol" and int(self.low) == encoder.absent:
            said = f" is {encoder.absent_words(cast(int, self.place), self.outside)}"
        elif self.kind == "symbol":
            said = f" {sign} ", Symbol(int(self.low))
        elif self.kind == "value":
            place = None if self.reading else encoder.place(cast(int, self.place))
            look = place.look if place else None
            character = f", which is {chr(int(self.low))!r}" if look and look.characters else ""
            said = f" {sign} {value_words(self.low)}{character}"
            if self.low in (names := encoder.names(look)):
                # The number of a name is none of the user's.
                what, said = str(place), f" {sign} {names[int(self.low)]}"
        elif math.isinf(self.high):
            said = f" {'<' if self.outside else '≥'} {number_words(self.low)}"
        else:
            within = Interval(number_words(self.low), number_words(self.high))
            said = f" {'is not' if self.outside else 'is'} in ", within
        looked_at = {j for j, _ in self.place} if isinstance(self.place, tuple) else {self.place}
        symbols = (
            encoder.number_columns if self.kind in SUMS else looked_at.intersection(encoder.number_columns)
        )
        beside = ZERO if symbols and not self.reading and self.kind not in ("symbol", "value") else ""
        return encoder.said((what, said, beside), most=60)


def _looked_at(outputs: Encoded, kind: str, place: int | Weights) -> Raw:
    """The number of each output that an event of this kind looks at."""
    if isinstance(place, tuple):
        return sum((w * outputs.values[:, j] for j, w in place), start=np.zeros(len(outputs)))
    if kind == "sum":
        return outputs.values.sum(axis=1)
    if kind == "largest":
        return np.abs(outputs.values).max(axis=1)
    return (outputs.codes if kind == "symbol" else outputs.values)[:, place]


@dataclass(frozen=True, slots=True)
class Refuted:
    """A claim (ε, δ) that was refuted at the error level `alpha`, and the audit's lower bound on ε."""

    epsilon: float
    delta: float
    alpha: float
    bound: float


def find_witness(
    seen: Sequence[Raw],
    draw: Callable[[int, int], Raw],
    *,
    refuted: Refuted,
    samples: int,
    encoder: Encoder,
    reading: Reading | None = None,
) -> Witness | None:
    """The simplest event that shows ε above the claimed one; None where none of the simple events does.

    seen      outputs on both datasets that the event is chosen on.
    draw      ``draw(side, size)``: fresh outputs on dataset 0 or 1.
    refuted   the claim, the error level of what is said here, and the audit's bound.
    samples   outputs of each dataset that are drawn afresh; see `fresh_samples`.
    encoder   what turns outputs into columns; a new one.
    reading   the number of an output that carried the refutation, if there is one.
    """
    if min(map(len, seen)) < 2:
        return None
    # Of very wide outputs fewer are searched.
    rows = max(64, TUNING.most_bytes // (2 * np.float64().nbytes) // max(math.prod(seen[0].shape[1:]), 1))
    raw = [outputs[:rows] for outputs in seen]
    # What is looked at of texts is chosen from few outputs, as in the audit; which keys have columns is
    # chosen from few outputs of both datasets.
    few = [part[: TUNING.first_batch] for part in raw]
    keyed = all(part.dtype == object for part in few)
    encoder.encode(np.concatenate(few) if keyed else few[0], "dataset 0")
    sides = [encoder.encode(part, f"dataset {side}") for side, part in enumerate(raw)]
    if sides[0].shape != encoder.shape:
        # Columns that the second dataset brought tell as much of the first.
        sides[0] = encoder.encode(raw[0], "dataset 0")
    epsilon = refuted.epsilon
    rate = _Rate(epsilon, refuted.delta, refuted.alpha, samples, (len(raw[0]), len(raw[1])))
    events = list(_best_of_each_kind(sides, raw, rate))
    if reading is not None:
        read = [_read(reading, part) for part in raw]
        best = max(_best_of_each_kind(read, (), rate), key=lambda event: event.expected, default=None)
        events += [] if best is None else [replace(best, reading=reading[0])]
    found = [event for event in events if event.expected > epsilon]
    if not found:
        # What is expected errs on the safe side: the best event is worth its draws where it comes near.
        best = max(events, key=lambda event: event.expected, default=None)
        if best is None or not best.expected > HOPEFUL * epsilon:
            return None
        found = [best]
    hits = np.zeros((2, len(found)), dtype=np.int64)
    for start in range(0, samples, CHUNK):
        for side in (0, 1):
            fresh = draw(side, min(CHUNK, samples - start))
            known = encoder.encode(fresh, f"dataset {side}").narrow(sides[0].shape)
            looked_at = known if reading is None else _read(reading, fresh)
            hits[side] += [
                np.count_nonzero(
                    event.equals(fresh)
                    if event.kind == "output"
                    else event.holds(looked_at if event.reading else known)
                )
                for event in found
            ]
    return _named(found, hits, rate, refuted.bound, encoder)


def _read(reading: Reading, outputs: Raw) -> Encoded:
    """The reading of each output, as if that were the output."""
    numbers = np.asarray(reading[1](outputs), dtype=np.float64)
    return Encoded(numbers[:, None], np.zeros((len(numbers), 0), dtype=np.int64))


def fresh_samples(samples: int) -> int:
    """How many outputs of each dataset are drawn afresh after an audit of so many.

    >>> [fresh_samples(n) for n in (48, 500, 5_000, 80_000, 1_000_000)]
    [256, 2000, 10000, 100000, 250000]
    """
    return max(LEAST, min(4 * samples, max(FEW, 2 * samples), max(MANY, samples // 4)))


def _named(
    found: Sequence[_Event], hits: Ints, rate: _Rate, bound: float, encoder: Encoder
) -> Witness | None:
    # Each of the 2K intervals has two ends, each of which fails with probability at most α/(4K).
    ends = binomial.clopper_pearson(hits, rate.samples, rate.alpha / (4.0 * len(found)))
    every = np.stack([hits / rate.samples, *ends], axis=-1)
    named: list[Witness] = []
    for event, shares in zip(found, every.swapaxes(0, 1).tolist(), strict=True):
        first, second = (Share(*share) for share in shares)
        more, less = sorted((first, second), key=lambda share: -share.estimate)
        shown = binomial.shown(more.low, less.high, rate.delta)
        named.append(
            Witness(
                event=event.words(encoder),
                kind="reading" if event.reading else event.kind,
                first=first,
                second=second,
                epsilon=shown,
                confidence=1.0 - rate.alpha,
                samples=rate.samples,
                alike=shown - rate.epsilon >= TUNING.nearly * (bound - rate.epsilon),
            )
        )
    shown = [one for one in named if one.epsilon > rate.epsilon]
    most = max([one.epsilon for one in shown], default=bound)
    enough = rate.epsilon + TUNING.nearly * (min(most, bound) - rate.epsilon)
    return next((one for one in shown if one.epsilon >= enough), None)


# --- What is expected of an event ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rate:
    """The claim, and how an event is rated: by the ε that it is expected to show on the fresh outputs."""

    epsilon: float
    delta: float
    alpha: float
    samples: int
    seen: tuple[int, int]

    def expected(self, first: Any, second: Any) -> Floats:
        """ε from counts of an event on the seen outputs, in the better one of the two directions."""
        from scipy.special import ndtri

        z = -float(ndtri(self.alpha / 40.0))  # of ten events
        ends: list[tuple[Floats, Floats]] = []
        for hits, n in zip((first, second), self.seen, strict=True):
            share = (np.asarray(hits, dtype=np.float64) + 0.5) / (n + 1.0)
            error = CAUTION * np.sqrt(share * (1.0 - share) / n)
            low, high = (np.clip(share + sign * error, 0.0, 1.0) for sign in (-1.0, 1.0))
            ends.append((_wilson(low, self.samples, -z), _wilson(high, self.samples, z)))
        (p_low, p_high), (q_low, q_high) = ends
        with np.errstate(divide="ignore", invalid="ignore"):
            forward = np.log(np.maximum(p_low - self.delta, 0.0) / q_high)
            backward = np.log(np.maximum(q_low - self.delta, 0.0) / p_high)
        return np.fmax(forward, backward)


def _wilson(p: Floats, n: int, z: float) -> Floats:
    """An end of Wilson's interval for a share p of n samples, z standard errors away."""
    return (p + z * z / (2 * n) + z * np.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))) / (1.0 + z * z / n)


# --- The best event of each kind ----------------------------------------------------------------------------


def _best_of_each_kind(outputs: Sequence[Encoded], raw: Sequence[Raw], rate: _Rate) -> Iterator[_Event]:
    """From the simplest kind on, in columns and in the raw outputs: vectors of numbers also have a sum and a
    largest size."""
    codes, x = [side.codes for side in outputs], [side.values for side in outputs]
    numbers = range(x[0].shape[1])
    telling = _telling(x)
    kinds: list[tuple[str, Iterable[int | Weights]]] = [("threshold", numbers), ("interval", telling)]
    if len(numbers) > 1 and raw and all(map(_is_vector, raw)):
        kinds += [("sum", [0]), ("largest", [0])]
    weights = _weights(x, sorted(telling))
    # A sum and a difference are simpler than coefficients.
    kinds += [("weighted", [some]) for some in (_signs(weights), weights) if some]
    for events in (
        _alone("symbol", codes, True, rate),
        _alone("value", x, codes[0].shape[1] > 0, rate),
        _whole(raw, rate),
        *(_within(kind, places, outputs, rate) for kind, places in kinds),
    ):
        # Of two equal events the one that is said without "not" is simpler.
        best = max(events, key=lambda event: (event.expected, not event.outside), default=None)
        if best is not None:
            yield best


def _alone(kind: str, columns: Sequence[Raw], without_zero: bool, rate: _Rate) -> Iterator[_Event]:
    """Single symbols, or values that repeat; 0 is left out where it stands for what is none."""
    for place in range(columns[0].shape[1]):
        sides = [side[:, place] for side in columns]
        for value in _frequent(*sides):
            # A double stands for several of the integers that are larger.
            if (without_zero and value == 0) or not abs(value) < EXACT:
                continue
            hits = [np.count_nonzero(side == value) for side in sides]
            others = [n - h for n, h in zip(rate.seen, hits, strict=True)]
            for outside, counts in ((False, hits), (True, others)):
                yield _Event(kind, place, float(value), math.inf, outside, float(rate.expected(*counts)))


def _is_vector(outputs: Raw) -> bool:
    return outputs.ndim > 1 and outputs.dtype.kind in "biuf"


def _whole(raw: Sequence[Raw], rate: _Rate) -> Iterator[_Event]:
    """Whole outputs that repeat: of a few numbers, or short lists, tuples, sets, dictionaries and records."""
    if not raw or raw[0].dtype != raw[1].dtype:
        return
    known: list[tuple[Any, str]]
    if _is_vector(raw[0]):
        rows = np.concatenate([side.reshape(len(side), -1) for side in raw])
        some = rows[: TUNING.glance]
        if rows.shape[1] > TUNING.most_joint or len(np.unique(some, axis=0)) == len(some):
            return
        found, which = np.unique(rows, axis=0, return_inverse=True)
        known = [(tuple(row), _written(row)) for row in found.tolist()]
    elif raw[0].ndim > 1 or raw[0].dtype.kind in "OV":
        every = [_unpacked(output) for output in chain.from_iterable(raw)]
        keys = [*map(_key, every)]
        # Of equal outputs, (1, 2) and (1.0, 2), the last is shown.
        shown = dict(zip(keys, every, strict=True))
        places = {key: place for place, key in enumerate(shown)}
        known = [(key, values.text(output) if key else "") for key, output in shown.items()]
        which = np.array([places[key] for key in keys])
    else:
        return
    sides = [side[:, None] for side in np.split(which.ravel(), [len(raw[0])])]
    for event in _alone("output", sides, False, rate):
        whole, written = known[int(event.low)]
        # Nobody could count an output of which the witness shows a part only.
        if whole and 1 < len(written) <= 120:
            yield replace(event, place=0, whole=whole, written=written)


def _unpacked(output: Any) -> Any:
    """Lists and tuples in place of arrays and records."""
    return output.tolist() if isinstance(output, (np.ndarray, np.generic)) else output


def _key(output: Any) -> Hashable:
    """The key of a short list, tuple, set or dictionary of plain items; None for any other output."""
    kind: type = type(output)
    items = [*output, *output.values()] if kind is dict else [*output] if kind in WHOLE else []
    return values.key(output) if leaves.row([*map(_unpacked, items)]) else None


def _written(row: Sequence[float]) -> str:
    """A vector; −0.0 is equal to 0. Integers are exact, as doubles they would not be."""
    return f"({', '.join(str(x) if isinstance(x, int) else value_words(x + 0.0) for x in row)})"


def _frequent(first: Raw, second: Raw) -> Raw:
    """The values that repeat whose counts on both datasets differ most, in units of their errors."""
    some = np.concatenate([first[:128], second[:128]])
    if len(np.unique(some)) == len(some):
        return some[:0]
    found, which = np.unique(np.concatenate([first, second]), return_inverse=True)
    a, b = (np.bincount(side, minlength=len(found)) for side in np.split(which, [len(first)]))
    order = np.argsort(-np.square(a / len(first) - b / len(second)) / (a + b), kind="stable")
    some = order[: TUNING.most_chosen]
    return found[some][(a + b)[some] > 1]


def _telling(x: Sequence[Floats]) -> list[int]:
    """Columns whose halves and tails differ most between the datasets."""
    centre = np.median(np.concatenate(x), axis=0)
    wide = np.median(np.abs(np.concatenate(x) - centre), axis=0)
    gaps = [
        np.abs((x[0] > centre).mean(axis=0) - (x[1] > centre).mean(axis=0)),
        np.abs((abs(x[0] - centre) > wide).mean(axis=0) - (abs(x[1] - centre) > wide).mean(axis=0)),
    ]
    return np.argsort(-np.maximum(*gaps), kind="stable")[: TUNING.most_chosen].tolist()


def _weights(x: Sequence[Floats], some: Sequence[int]) -> Weights:
    """Weights of a few of some columns whose sum tells the datasets apart: those of Fisher's discriminant,
    with two digits and at most 1; nothing where there are no two columns."""
    if len(some) < 2:
        return ()
    a, b = (np.clip(side[: TUNING.retained_rows, some], -BOUND, BOUND) for side in x)
    scale = np.concatenate([a, b]).std(axis=0)
    scale[scale == 0.0] = np.inf

    def fitted(chosen: Ints) -> Floats:
        first, second = (side[:, chosen] / scale[chosen] for side in (a, b))
        spread = np.cov(first, rowvar=False) + np.cov(second, rowvar=False)
        # A sum of two covariances takes twice the ridge of their average, which `families.spreads` has.
        ridge = 4.0 * shrinkage(first, second) / len(first)
        return np.linalg.solve(spread + ridge * np.eye(len(chosen)), first.mean(axis=0) - second.mean(axis=0))

    chosen = np.sort(np.argsort(-np.abs(fitted(np.arange(len(some)))), kind="stable")[:SHOWN])
    weights = fitted(chosen) / scale[chosen]
    largest = np.abs(weights).max()
    if not largest > 0.0:
        return ()
    rounded = (float(f"{w:.2g}") for w in weights / largest)
    return tuple((some[j], w) for j, w in zip(chosen.tolist(), rounded, strict=True) if w != 0.0)


def _signs(weights: Weights) -> Weights:
    """1 or −1 in place of each weight that is large; nothing for less than two."""
    signs = tuple((j, math.copysign(1.0, w)) for j, w in weights if abs(w) >= 0.5)
    return signs if len(signs) > 1 else ()


def _within(
    kind: str, places: Iterable[int | Weights], outputs: Sequence[Encoded], rate: _Rate
) -> Iterator[_Event]:
    """For each number the best event that it lies in one of some intervals, or that it does not."""
    for place in places:
        sides = [np.sort(_looked_at(side, kind, place)) for side in outputs]
        pooled = np.sort(np.concatenate(sides))
        lows, highs = _intervals(kind, pooled)
        if len(lows) == 0:
            continue
        inside = [np.searchsorted(side, highs) - np.searchsorted(side, lows) for side in sides]
        outside = [n - i for n, i in zip(rate.seen, inside, strict=True)]
        expected = np.stack([rate.expected(*inside), rate.expected(*outside)])
        negated, which = np.unravel_index(int(np.argmax(expected)), expected.shape)
        low, high = (short(end, _before(pooled, end)) for end in (float(lows[which]), float(highs[which])))
        yield _Event(kind, place, low, high, bool(negated), float(expected[negated, which]))


def _intervals(kind: str, pooled: Floats) -> tuple[Floats, Floats]:
    """The intervals [low, high) between some of the sorted outputs; those of a threshold have no end."""
    if kind == "interval":
        cuts = np.unique(pooled[np.linspace(0, len(pooled) - 1, CELLS + 1).astype(np.int64)])
        start, stop = np.triu_indices(len(cuts) if len(cuts) >= 4 else 0, k=1)
        return cuts[start], cuts[stop]
    cuts = np.unique(pooled[np.round(LEVELS * (len(pooled) - 1)).astype(np.int64)])
    cuts = cuts[cuts > pooled[0]]
    return cuts, np.full(len(cuts), np.inf)


def _before(ordered: Floats, value: float) -> float:
    """A number that few of the ordered ones lie between and the value; −∞ where none lies below it."""
    place = int(np.searchsorted(ordered, value, side="left"))
    return float(ordered[max(place - 1 - len(ordered) // SPARED, 0)]) if place > 0 else -math.inf


def short(value: float, after: float) -> float:
    """The number of fewest digits in (after, value].

    >>> short(0.4183, 0.3961), short(0.4183, 0.41829), short(3.0, 2.0), short(-0.0434, -0.0452)
    (0.4, 0.4183, 3.0, -0.044)
    """
    if not 1e-200 < abs(value) < 1e200:
        return value
    size = math.floor(math.log10(abs(value)))
    for digits in range(1, 17):
        step = 10.0 ** (size + 1 - digits)
        found = float(f"{math.floor(value / step) * step:.{digits}g}")
        if after < found <= value:
            return found
    return value
