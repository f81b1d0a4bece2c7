"""Noise that is drawn on D alone, for a key or a record that D′ lacks: what it may show, and how likely.

A histogram over the keys that occur has a noisy count more on D. Where that count stays below a threshold,
the output is as on D′, so that only the event that it passes costs anything: its probability is a δ. The run
on D′ leaves out what only D draws (a gap); everything else is then as in any other replay.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import drawn_by
from ..record.values import flat, unlike_places
from ..records import BITS, Compared, Comparison, Part, Row
from .derived import terms
from .sampling import is_coin

MOST_STARTS, MOST_LEFT_OUT = 64, 16
"""Places of a gap that are tried, and draws in one."""
NOT_FOLLOWED = (
    "noise is drawn for a key or record that only one dataset has, and cannot be followed: with what "
    "probability the output shows it is not known"
)
Replay = Callable[..., Run]


@dataclass(frozen=True)
class Gap:
    """How D′ is run without what only D draws.

    recorded  the run on D that gives the output of D′, if need be with other outcomes of comparisons.
    frozen    the replay on D′; replay: a function that makes others.
    rows      of the ledger, one for each comparison that decides whether the output shows that noise.
    """

    recorded: Run
    frozen: Run
    replay: Replay
    rows: Tuple[Row, ...] = ()


def longer(one: Any, other: Any) -> bool:
    """Whether a run draws something, or an entry, that the other one does not."""
    place = one.diverged if other.diverged is None else other.diverged
    if len(one.draws) != len(other.draws):
        return len(one.draws) > len(other.draws)
    if place is None or place >= len(one.draws):
        return False
    shapes = one.draws[place].shape, other.draws[place].shape
    return all(shapes) and shapes[0][0] == shapes[1][0] + 1


def closed(runs: Tuple[Run, Run], again: Replay, second: Replay, place: Optional[int]) -> Optional[Gap]:
    """The gap that makes the run on D′ that on D; None where there is none.

    again   (**options) → a replay on D; second: (session of D, **options) → one on D′.
    """
    recorded, frozen = runs
    many = len(recorded.session.draws) - len(frozen.session.draws)
    if many > MOST_LEFT_OUT:
        return None
    ways = _scalar(recorded.session, many, place) if many else _entries(recorded.session, frozen.session)
    for flip in (False, True):
        found: Optional[Tuple[float, Way, Gap]] = None
        for way in ways[:MOST_STARTS]:
            gap = _tried(recorded, way, flip, again, second)
            moved = math.inf if gap is None else _moved(way, gap)
            if gap is not None and (found is None or moved < found[0]):
                found = moved, way, gap
            if moved == 0.0:
                break
        if found is not None:
            _, way, gap = found
            rows = _rows(recorded, gap.recorded, way, (again, second), place is not None)
            return replace(gap, rows=tuple(rows))
    return None


def _moved(way: Way, gap: Gap) -> float:
    """By how much what is compared differs on D and on D′, without what is left out.

    Outputs in which no key shows are the same whatever is left out. The key that only D has is the one
    without which all others are compared as on D′.
    """
    kept = [e for e in gap.recorded.session.compared if not (way.many and way.places(e))]
    pairs = zip(kept, gap.frozen.session.compared)
    parts = ((one, other) for pair in pairs for one, other in zip(pair[0].parts, pair[1].parts))
    return sum(_distance(one.argument, other.argument) for one, other in parts)


def _distance(one: Any, other: Any) -> float:
    one, other = (np.nan_to_num(np.asarray(0.0 if x is None else x, dtype=float)) for x in (one, other))
    return float(np.abs(one - other).sum()) if one.shape == other.shape else math.inf


@dataclass(frozen=True)
class Way:
    """What is left out: draws from a start on, or an entry of each of several draws."""

    start: int = 0
    many: int = 0
    entries: Mapping[int, int] = field(default_factory=dict)

    def holds(self, element: int) -> bool:
        """Whether an element is left out."""
        index, entry = element >> BITS, element & ((1 << BITS) - 1)
        return self.start <= index < self.start + self.many or self.entries.get(index) == entry

    def events(self, session: Any) -> List[Comparison]:
        """The comparisons of what is left out."""
        return [e for e in session.compared if e.what == "compare" and self.places(e)]

    def flipped(self, event: Comparison) -> Any:
        """The other outcome of a comparison, for what is left out."""
        outcome = np.array(event.outcome)
        for place in self.places(event):
            outcome.reshape(-1)[place] = not outcome.reshape(-1)[place]
        return outcome if outcome.ndim else bool(outcome)

    def places(self, event: Comparison) -> Tuple[int, ...]:
        """The entries of a comparison that are of what is left out."""
        ids = [np.ravel(part.ids).tolist() for part in event.parts if part.ids is not None]
        return tuple(k for k, column in enumerate(zip(*ids)) if any(e >= 0 and self.holds(e) for e in column))

    def replay(self, recorded: Run, second: Replay) -> Tuple[Run, Replay]:
        """The run on D as it is compared, and how D′ is replayed."""
        if self.many:
            gap = (self.start, self.many)
            return recorded, lambda **options: second(recorded.session, gap=gap, **options)
        run = copy.copy(recorded)
        run.session = without(recorded.session, self.entries)
        return run, lambda **options: second(run.session, **options)


def _scalar(session: Any, many: int, place: Optional[int]) -> List[Way]:
    """Starts of draws of one line that may be left out, first that of the record that differs."""
    first = -1 if place is None else place * many
    starts = range(len(session.draws) - many + 1)
    return [Way(start, many) for start in sorted(starts, key=lambda start: start != first)]


def _entries(one: Any, other: Any) -> List[Way]:
    """Entries of vectors that D has more of."""
    longest = one.draws[other.diverged or 0].shape[0]
    rows = [*one.draws, *one.functions.values()]
    indices = [row.index for row in rows if row.shape[:1] == (longest,)]
    return [Way(entries=dict.fromkeys(indices, entry)) for entry in range(longest)]


def _tried(recorded: Run, way: Way, flip: bool, again: Replay, second: Replay) -> Optional[Gap]:
    run = recorded
    if flip:
        events = way.events(recorded.session)
        if not events:
            return None
        run = again(flips={("outcome", event.key): way.flipped(event) for event in events})
        if run.error is not None:
            return None
    run, replay = way.replay(run, second)
    other = replay()
    left = len(run.session.draws) - way.many
    same = run.error is None and other.whole and len(other.session.draws) == left
    return Gap(run, other, replay) if same and not unlike_places(run.output, other.output, 0.0) else None


def _rows(recorded: Run, run: Run, way: Way, runs: Tuple[Replay, Replay], coin: bool) -> List[Row]:
    """A row for each comparison of what is left out whose other outcome the output shows.

    runs   replays on D and on D′;  coin: whether runs are made in which the record takes part.
    """
    rows: List[Row] = []
    again, second = runs
    events = way.events(recorded.session)
    kept = {event.key: event for event in run.session.compared} if way.many else {}
    for event in events:
        turned = not np.array_equal(kept.get(event.key, event).outcome, event.outcome)
        # That of D was not the outcome of D′.
        flips = {("outcome", e.key): way.flipped(e) for e in events} if turned else {}
        flips[("outcome", event.key)] = event.outcome if turned else way.flipped(event)
        shown = again(flips=flips, release="none")
        if shown.error is None:
            seen, replay = way.replay(shown, second)
            plain, noised = replay(release="none"), replay()
            if plain.error is None and not unlike_places(seen.output, plain.output, 0.0):
                continue
            if noised.error is None and not unlike_places(seen.output, noised.output, 0.0):
                # Noise hides what the outcome lets in. Its cost is that of runs in which the record takes
                # part, which are made for the coin of a record that is known, and for nothing else.
                if not (coin and is_coin(recorded.session, event)):
                    rows.append(Row(-4, "threshold", "threshold", event.where, unknown=NOT_FOLLOWED))
                continue
        drawn = tuple(_drawn(recorded.session, index) for index in sorted(drawn_by(event)))
        compared = Compared(
            event.name, event.outcome, event.parts, event.parts, way.places(event), turned, drawn
        )
        shape = tuple(np.shape(event.outcome))
        rows.append(Row(-4, "threshold", "threshold", event.where, shape, compared=compared))
    if not events:
        where = recorded.session.rows[way.start if way.many else next(iter(way.entries))].where
        rows.append(Row(-4, "threshold", "threshold", where, unknown=NOT_FOLLOWED))
    return rows


def _drawn(session: Any, index: int) -> Row:
    """The law of noise that is compared."""
    row = session.row(index)
    params = {name: flat(value) for name, value in row.params.items()}
    held = () if row.recipe is None else terms(session.row, row.recipe)
    return Row(index, row.law, row.kind, row.where, row.shape, params, terms=held)


def without(session: Any, entries: Mapping[int, int]) -> Any:
    """A run as it would have been without an entry of some draws."""
    found = copy.copy(session)
    gone: Set[int] = {(index << BITS) + entry for index, entry in entries.items()}
    used: Dict[Tuple[Any, int], int] = {}

    def name(element: int) -> int:
        entry = entries.get(element >> BITS)
        return element - 1 if entry is not None and (element & ((1 << BITS) - 1)) > entry else element

    def shorter(ids: Any, array: Any) -> Any:
        """An array without the places whose elements are left out."""
        if array is None or not np.ndim(array) or np.shape(array) != np.shape(ids):
            return array
        return np.asarray(array)[~np.isin(np.asarray(ids), list(gone))]

    def renamed(ids: Any) -> Any:
        kept = np.asarray(shorter(ids, ids))
        return np.array([name(int(e)) for e in np.ravel(kept)], dtype=np.int64).reshape(np.shape(kept))

    def part(piece: Part, ids: Any) -> Part:
        if piece.ids is None:
            return replace(piece, argument=shorter(ids, piece.argument))
        factor, argument = (shorter(piece.ids, x) for x in (piece.factor, piece.argument))
        return Part(renamed(piece.ids), factor, argument)

    def left(ids: Any) -> bool:
        return not (np.size(ids) and np.all(np.isin(np.ravel(ids), list(gone))))

    def key(what: Any, ids: Any) -> Tuple[Any, ...]:
        first = int(ids.flat[0]) if ids.size else -1
        used[what, first] = used.get((what, first), 0) + 1
        return first, what, used[what, first] - 1

    found.draws = []
    for row in session.draws:
        entry = entries.get(row.index)
        if entry is not None:
            size = row.shape[0]
            params = {k: _less(v, entry, size) for k, v in row.params.items()}
            value = np.delete(row.value, entry, axis=0)
            more = {"value": value, "params": params, "argument": _less(row.argument, entry, size)}
            row = replace(row, shape=(size - 1, *row.shape[1:]), **more)
        found.draws.append(row)
    found.rows = {row.index: row for row in found.draws}
    found.uses = []
    for use in session.uses:
        if left(use.ids):
            kept = {k: shorter(use.ids, getattr(use, k)) for k in ("factor", "argument", "value")}
            ids = renamed(use.ids)
            found.uses.append(replace(use, ids=ids, key=key(use.key[1], ids), **kept))
    found.compared = []
    for event in session.compared:
        if left(event.ids):
            second = None if event.second is None else part(event.second, event.ids)
            ids, outcome = renamed(event.ids), shorter(event.ids, event.outcome)
            more = {"ids": ids, "outcome": outcome, "first": part(event.first, event.ids), "second": second}
            found.compared.append(replace(event, key=key("compare", ids), **more))
    return found


def _less(value: Any, entry: int, size: int) -> Any:
    return np.delete(value, entry, axis=0) if np.shape(value)[:1] == (size,) else value
