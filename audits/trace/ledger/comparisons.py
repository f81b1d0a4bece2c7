"""What comparisons with noise cost: bits, places, transcripts that share a noisy threshold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from audits.trace.ledger.entries import Entry
from audits.trace.ledger.laws import Array, Moved, frozen, is_sampled, law_of
from audits.trace.ledger.losses import Loss, between, compose, finite
from audits.trace.records import BITS, Compared, Row, Where

GRID = 2001
"""Points of the quadrature over shared noise."""
CELLS = 20_001
"""Points of the quadrature over the largest score."""
IN_TURN = "scores are compared in turn: whether more is shown than which is the largest is not known"
"""Said where `max` of noisy scores keeps the claim if only the place is shown, and not otherwise."""
UNKNOWN = "the law of the noise that is compared is not known"
Laws = Mapping[int, Any]
"""Laws of elements of draws."""


@dataclass(frozen=True, slots=True)
class Term:
    """factor · noise + argument, the argument on D and on D′; noise is an element, None for a number."""

    noise: int | None
    factor: float
    arguments: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bit:
    """One comparison; above: the first was seen to be the larger; place: as of `Compared`."""

    where: Where
    above: bool
    first: Term
    second: Term
    place: bool = False

    @property
    def noises(self) -> tuple[int, ...]:
        """The elements that are compared."""
        return tuple(term.noise for term in (self.first, self.second) if term.noise is not None)


def comparisons(rows: Sequence[Row], draws: Mapping[int, Row]) -> list[Entry]:
    """The entries of comparisons of noise that is not released."""
    found: list[Entry] = []
    bits: list[Bit] = []
    for row in rows:
        if row.compared is None or row.law not in ("argmax", "argmin", "search"):
            bits += bits_of(row)
            continue
        entry = (_cell if row.law == "search" else _place)(row, row.compared, draws)
        ids = {int(e) >> BITS for part in row.compared.parts for e in np.ravel(part.ids) if e >= 0}
        found += [] if entry is None else [_of(entry, ids, draws)]
    for group in _connected(bits):
        if all(is_same(bit) for bit in group):
            continue
        group = [bit for bit in group if not _is_certain(bit, draws)]
        if not all(is_same(bit) for bit in group):
            ids = {element >> BITS for bit in group for element in bit.noises}
            found.append(_of(_transcript(group, draws), ids, draws))
    return found


def _of(entry: Entry, ids: set[int], draws: Mapping[int, Row]) -> Entry:
    """The entry, of noise of these draws."""
    sampled = any(is_sampled(draws[index]) for index in ids if index in draws)
    return replace(entry, draws=tuple(sorted(ids)), sampled=sampled)


def bits_of(row: Row) -> list[Bit]:
    """The comparisons of a row, entry by entry."""
    compared = row.compared
    assert compared is not None
    shape = np.shape(compared.outcome)

    def ravel(values: Any) -> list[Any]:
        return np.ravel(np.broadcast_to(np.asarray(values), shape)).tolist()

    terms: list[list[Term]] = []
    for one, other in zip(compared.parts, compared.others, strict=True):
        plain = one.ids is None
        ids, factors = ravel(-1 if plain else one.ids), ravel(0.0 if plain else one.factor)
        columns = ids, factors, ravel(one.argument), ravel(other.argument)
        terms.append(
            [
                Term(i if i >= 0 else None, f, (float(x), float(y)))
                for i, f, x, y in zip(*columns, strict=True)
            ]
        )
    greater = compared.name.startswith("greater")
    above = [bool(outcome) == greater for outcome in ravel(compared.outcome)]
    first, second = terms
    columns = zip(above, first, second, strict=True)
    return [Bit(row.where, up, one, other, compared.place) for up, one, other in columns]


def _is_certain(bit: Bit, draws: Mapping[int, Row]) -> bool:
    """Whether a number is so far from noise that the outcome is certain, as where a search for the largest
    begins."""
    laws = laws_in([bit], draws) if len(bit.noises) == 1 else None
    return laws is not None and {probability(bit, laws, side) for side in (0, 1)} in ({0.0}, {1.0})


def is_same(bit: Bit) -> bool:
    """Whether a comparison is the same on D and D′."""
    (a, b), (c, d) = bit.first.arguments, bit.second.arguments
    return abs((a - b) - (c - d)) <= 1e-12 * max(1.0, abs(a), abs(c))


def laws_in(bits: Sequence[Bit], draws: Mapping[int, Row]) -> Laws | None:
    """The laws of all noise that is compared; None where one is not known."""
    elements = list({element: None for bit in bits for element in bit.noises})
    laws = dict(zip(elements, _laws_of(elements, draws), strict=True))
    return None if any(law is None for law in laws.values()) else laws


def threshold(row: Row) -> Entry:
    """A comparison that shows, with a probability that counts as δ, what only one dataset has."""
    name, compared = "noise against a threshold", row.compared
    if row.unknown or compared is None:
        return Entry(row.where, name, "", None, row.unknown)
    bits, known = bits_of(row), {drawn.index: _least_wide(drawn) for drawn in compared.drawn}
    total = 0.0
    for place in compared.places:
        bit = bits[place] if compared.turned else replace(bits[place], above=not bits[place].above)
        laws = laws_in([bit], known)
        if len(bit.noises) != 1 or laws is None:
            why = "the law of noise that is compared with a threshold is not known"
            return Entry(row.where, name, "", None, why)
        above = probability(replace(bit, above=True), laws, 0)
        total += above if bit.above else 1.0 - above
    words = f"shows what one dataset lacks with probability {total:.3g}"
    return Entry(row.where, name, words, (Loss("pure", 0.0, total),))


def _least_wide(row: Row) -> Row:
    """The row, its samples a hundredth less wide: a scale that is recognised is known as well as that."""
    return row if row.samples is None else replace(row, samples=0.99 * row.samples)


def _connected(bits: Sequence[Bit]) -> list[list[Bit]]:
    """Comparisons that share noise, directly or through others."""
    groups: list[tuple[set[int], list[Bit]]] = []
    for bit in (bit for bit in bits if bit.noises):
        joined = [group for group in groups if group[0] & set(bit.noises)]
        groups = [group for group in groups if not group[0] & set(bit.noises)]
        elements = set(bit.noises).union(*(group[0] for group in joined))
        groups.append((elements, [*(b for group in joined for b in group[1]), bit]))
    return [group for _, group in groups]


def _transcript(group: Sequence[Bit], draws: Mapping[int, Row]) -> Entry:
    """The log-ratio of the outcomes seen, given D and given D′, of comparisons that share noise."""
    last, many = group[-1], len(group)
    uses = Counter(element for bit in group for element in bit.noises)
    laws, words = laws_in(group, draws), f"{many} comparison{'s' if many > 1 else ''} with noise"
    if laws is None:
        return Entry(last.where, "comparison", "", None, UNKNOWN)
    hub = max(uses, key=lambda element: uses[element])
    if many == 1 and max(uses.values()) == 1:
        # The other outcome is as likely as 1 − p says, whether a run has shown it or not.
        above = replace(last, above=True)
        p, q = (
            probability(above, laws, side)
            if len(uses) == 1
            else math.exp(_log_transcript([above], laws, hub, side))
            for side in (0, 1)
        )
        losses = (finite([p, 1 - p], [q, 1 - q]),)
        return Entry(last.where, words, f"probability {p:.4g} on D, {q:.4g} on D′", losses)
    if len(uses) == 1:
        one, two = (_interval(group, laws, side) for side in (0, 1))
        loss = abs(math.log(one / two)) if min(one, two) > 0.0 else math.inf
        distance = f"probability {one:.4g} on D, {two:.4g} on D′"
        return Entry(last.where, f"{many} comparisons of one noise", distance, (Loss("pure", loss),))
    others = (times for element, times in uses.items() if element != hub)
    one_threshold = all(bit.noises.count(hub) == 1 for bit in group) and max(others) == 1
    only = all(bit.place for bit in group)
    if one_threshold and not only:
        one, two = (_log_transcript(group, laws, hub, side) for side in (0, 1))
        loss = abs(one - two) if math.isfinite(one) or math.isfinite(two) else 0.0
        return Entry(last.where, words, f"log-ratio of the outcomes {one - two:.4g}", (Loss("pure", loss),))
    running = _running_extreme(group)
    if running is None:
        return Entry(last.where, words, "", None, "the comparisons share more than one noise")
    law, terms = running
    entry = _extreme(last.where, law, terms, [laws[term.noise] for term in terms if term.noise is not None])
    shown = tuple(_released(term, laws) for term in terms)
    if only or entry.losses is None or compose(shown, 0.0) <= compose(entry.losses, 0.0):
        return entry
    return replace(entry, losses=shown, least=entry.losses, why=IN_TURN)


def _released(term: Term, laws: Laws) -> Loss:
    """What a noisy score costs that is released itself."""
    assert term.noise is not None
    one, two = (Moved(laws[term.noise], argument, abs(term.factor)) for argument in term.arguments)
    return Loss("pure", 0.0) if term.arguments[0] == term.arguments[1] else between(one, two)


def _running_extreme(group: Sequence[Bit]) -> tuple[str, list[Term]] | None:
    """The scores of which a program keeps the largest (smallest) so far, as `max` does; None for others."""
    for law, largest in (("argmax", True), ("argmin", False)):
        terms: dict[int | None, Term] = {}
        kept: int | None = None
        for bit in group:
            pair = (bit.first, bit.second)
            fresh = [term for term in pair if term.noise not in terms]
            held = [term for term in pair if term.noise == kept or not terms]
            if not fresh or not held or any(terms.setdefault(t.noise, t) != t for t in pair):
                break
            kept = pair[bit.above != largest].noise
        else:
            return (law, list(terms.values())) if None not in terms else None
    return None


def probability(bit: Bit, laws: Laws, side: int) -> float:
    """P(the first is the larger) where one of the two is noise."""
    # factor·z + argument > other  ⇔  z > (other − argument)/factor, for a positive factor
    level = bit.second.arguments[side] - bit.first.arguments[side]
    term, sign = (bit.first, 1.0) if bit.first.noise is not None else (bit.second, -1.0)
    assert term.noise is not None
    factor, law = sign * term.factor, laws[term.noise]
    if factor == 0.0:
        return float(level < 0.0)
    return float(law.sf(level / factor)) if factor > 0.0 else float(law.cdf(level / factor))


def _interval(group: Sequence[Bit], laws: Laws, side: int) -> float:
    """P(all outcomes) of comparisons of one noise with numbers: it lies in an interval."""
    low, high = -math.inf, math.inf
    for bit in group:
        turned = bit.first.noise is None
        term, other = (bit.second, bit.first) if turned else (bit.first, bit.second)
        if term.factor == 0.0:
            continue
        level = (other.arguments[side] - term.arguments[side]) / term.factor
        if (bit.above != turned) == (term.factor > 0.0):
            low = max(low, level)
        else:
            high = min(high, level)
    law = laws[group[0].noises[0]]
    return max(0.0, float(law.cdf(high) - law.cdf(low))) if high > low else 0.0


def _log_transcript(group: Sequence[Bit], laws: Laws, hub: int, side: int) -> float:
    """log P(outcomes) of comparisons of one noise, as of a threshold, each with another noise or a number."""
    edges, logs = _cells(laws[hub])
    points = 0.5 * (edges[1:] + edges[:-1])
    with np.errstate(divide="ignore"):
        for bit in group:
            logs = logs + np.log(np.maximum(_given(bit, laws, hub, side, points), 0.0))
    return float(np.logaddexp.reduce(logs))


def _cells(law: Any) -> tuple[Array, Array]:
    """Edges of cells that hold the law but for 2·10⁻⁹ of it, and the logarithms of their probabilities."""
    tail = np.logspace(-9, -2, 300)
    levels = np.concatenate([tail, np.linspace(0.01, 0.99, GRID), 1 - tail[::-1]])
    edges = np.asarray(law.ppf(levels), dtype=float)
    return edges, np.log(np.maximum(np.diff(np.asarray(law.cdf(edges))), 1e-300))


def _given(bit: Bit, laws: Laws, mine_is: int, side: int, points: Array) -> Array:
    """P(outcome of a comparison | this noise), at points of it."""
    turned = bit.first.noise != mine_is
    mine, other = (bit.second, bit.first) if turned else (bit.first, bit.second)
    level = mine.factor * points + mine.arguments[side] - other.arguments[side]
    larger = bit.above != turned
    if other.noise is None or other.factor == 0.0:
        return ((level > 0.0) == larger).astype(float)
    law = laws[other.noise]
    return np.asarray(
        (law.cdf if larger == (other.factor > 0.0) else law.sf)(level / other.factor), dtype=float
    )


def _cell(row: Row, compared: Compared, draws: Mapping[int, Row]) -> Entry | None:
    """A place among edges that depend on the data: its probabilities on D and on D′."""
    name = "draw by cumulative probabilities"
    first, second = _arguments(compared)
    if first.shape == second.shape and np.allclose(first, second, rtol=1e-12, atol=0.0):
        return None
    both = _in_cells(compared, draws)
    if both is None:
        return Entry(row.where, name, "", None, "its law is not known")
    p, q = both
    words = f"probabilities differ by up to {float(np.max(np.abs(p - q))):.4g}"
    losses = (finite(np.where(p < 1e-12, 0.0, p), np.where(q < 1e-12, 0.0, q)),)
    return Entry(row.where, name, words, losses)


def _arguments(compared: Compared) -> tuple[Array, Array]:
    """The edges, or the scores, on D and on D′."""
    first, second = (np.ravel(np.asarray(p[0].argument, float)) for p in (compared.parts, compared.others))
    return first, second


def _in_cells(compared: Compared, draws: Mapping[int, Row]) -> tuple[Array, Array] | None:
    """The probabilities of the cells between edges on D and on D′; None where the law is not known."""
    element = int(np.ravel(compared.parts[0].ids)[0])
    law = _laws_of([element], draws)[0]
    if law is None:
        return None
    p, q = (np.diff(np.concatenate([[0.0], np.asarray(law.cdf(x)), [1.0]])) for x in _arguments(compared))
    return p, q


def _laws_of(elements: Sequence[int], draws: Mapping[int, Row]) -> list[Any]:
    """The law of each element of a draw, None where it is not known."""
    rows = [(draws.get(e >> BITS) if e >= 0 else None, e & ((1 << BITS) - 1)) for e in elements]
    return [row and frozen(*law_of(row), place, row.shape) for row, place in rows]


def _place(row: Row, compared: Compared, draws: Mapping[int, Row]) -> Entry | None:
    """The place of the largest of noisy scores: its law on D and on D′ by quadrature."""
    if np.array_equal(*_arguments(compared)):
        return None
    terms, laws = _scores(compared, draws)
    return _extreme(row.where, row.law, terms, laws)


def _scores(compared: Compared, draws: Mapping[int, Row]) -> tuple[list[Term], list[Any]]:
    """Noisy scores, and the laws of their noise."""
    part = compared.parts[0]
    elements = np.ravel(part.ids).tolist()
    columns = zip(elements, np.ravel(part.factor), *_arguments(compared), strict=True)
    terms = [Term(element, float(f), (float(a), float(b))) for element, f, a, b in columns]
    return terms, _laws_of(elements, draws)


def filled(row: Row, draws: Mapping[int, Row]) -> Entry:
    """A uniform number in a chosen interval: its density on D and on D′ is constant between all ends."""
    name = "uniform number in a chosen interval"
    both: tuple[Any, Any] | None = row.params.get("p"), row.others.get("p")
    if row.compared is not None and row.law == "search":
        both = _in_cells(row.compared, draws)
    elif row.compared is not None:
        both = _chances(row.law, *_scores(row.compared, draws))
    if both is None:
        return Entry(row.where, name, "", None, UNKNOWN)
    every = [given[end] for given in (row.params, row.others) for end in ("low", "high")]
    edges = np.unique(np.concatenate(every))
    masses: list[Array] = []
    for chances, given in zip(both, (row.params, row.others), strict=True):
        low, high = given["low"], given["high"]
        p = np.full(low.size, 1.0 / low.size) if chances is None else np.asarray(chances, dtype=float)
        if np.any(p[low == high] > 1e-12):
            return Entry(row.where, name, "", None, "an interval of no length is chosen")
        some = low < high
        inside = np.minimum.outer(high[some], edges[1:]) - np.maximum.outer(low[some], edges[:-1])
        masses.append((p[some] / (high - low)[some]) @ np.maximum(inside, 0.0))
    words = f"densities on {edges.size - 1} intervals"
    return Entry(row.where, name, words, (finite(*masses),))


def _extreme(where: Where, law: str, terms: Sequence[Term], laws: Sequence[Any]) -> Entry:
    """The entry of the place of the largest (argmin: smallest) of noisy scores."""
    words = f"scores differ by up to {max(abs(a - b) for a, b in (t.arguments for t in terms)):.6g}"
    both = _chances(law, terms, laws)
    if both is None:
        return Entry(where, law, words, None, UNKNOWN)
    return Entry(where, f"{law} of {len(laws)} noisy scores", words, (finite(*both),))


def _chances(law: str, terms: Sequence[Term], laws: Sequence[Any]) -> tuple[Array, Array] | None:
    """The probabilities of each place, on D and on D′; None where a law is not known."""
    if any(known is None for known in laws):
        return None
    sign = -1.0 if law == "argmin" else 1.0
    factors = sign * np.array([term.factor for term in terms])
    p, q = (_largest(laws, factors, row) for row in sign * np.array([t.arguments for t in terms]).T)
    return p, q


def _largest(laws: Sequence[Any], factors: Array, scores: Array) -> Array:
    """P(i has the largest of factor·noise + score) for each i."""
    widths = [float(law.ppf(1 - 1e-9) - law.ppf(1e-9)) * abs(f) for law, f in zip(laws, factors, strict=True)]
    edges = np.linspace(float(np.min(scores)) - max(widths), float(np.max(scores)) + max(widths), CELLS)
    triples = zip(laws, factors, scores, strict=True)
    below = np.array([(law.cdf if f > 0 else law.sf)((edges - s) / f) for law, f, s in triples])
    logs = np.log(np.maximum(below, 1e-300))
    middle = 0.5 * (logs[:, 1:] + logs[:, :-1])
    mass = np.diff(below, axis=1)
    found = np.array([(mass[i] * np.exp(middle.sum(axis=0) - middle[i])).sum() for i in range(len(laws))])
    return found / found.sum()
