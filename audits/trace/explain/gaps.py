"""Noise that is drawn on D alone, for a key or a record that D′ lacks: what it may show, and how likely.

A histogram over the keys that occur has a noisy count more on D. Where that count stays below a threshold,
the output is as on D′, so that only the event that it passes costs anything: its probability is a δ. The run
on D′ leaves out what only D draws (a gap); everything else is then as in any other replay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Callable, FrozenSet, List, Optional, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import drawn_by
from ..record.values import flat, unlike_places
from ..records import BITS, Compared, Comparison, Lost, Row
from ..replay.shifts import in_comparisons
from .derived import parents_of, resampled, terms
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
    """Whether the first run makes more draws than the second."""
    return len(one.draws) > len(other.draws)


def keyed(one: Any, other: Any) -> Optional[Lost]:
    """A vector of noise, an entry for each key that occurs, that is compared; None where there is none."""
    place = other.diverged
    if place is None or place >= len(one.draws) or place >= len(other.draws):
        return None
    rows = one.draws[place], other.draws[place]
    vectors = rows[0].where == rows[1].where and all(row.kind == "noise" and row.shape for row in rows)
    return Lost(rows[0].where, NOT_FOLLOWED) if vectors and place in in_comparisons(one) else None


def closed(runs: Tuple[Run, Run], again: Replay, second: Replay, place: Optional[int]) -> Optional[Gap]:
    """The gap that makes the run on D′ that on D; None where there is none.

    again   (**options) → a replay on D; second: (session of D, **options) → one on D′.
    """
    recorded, frozen = runs
    many = len(recorded.session.draws) - len(frozen.session.draws)
    if many > MOST_LEFT_OUT:
        return None
    ways = _ways(recorded.session, many, place)
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
    kept = [e for e in gap.recorded.session.compared if not way.places(e)]
    if len(kept) != len(gap.frozen.session.compared):
        return math.inf
    pairs = zip(kept, gap.frozen.session.compared)
    parts = ((one, other) for pair in pairs for one, other in zip(pair[0].parts, pair[1].parts))
    return sum(_distance(one.argument, other.argument) for one, other in parts)


def _distance(one: Any, other: Any) -> float:
    one, other = (np.nan_to_num(np.asarray(0.0 if x is None else x, dtype=float)) for x in (one, other))
    return float(np.abs(one - other).sum()) if one.shape == other.shape else math.inf


@dataclass(frozen=True)
class Way:
    """The draws that are left out: `many` of them, from `start` on.

    made   the functions of noise that any of these draws is part of.
    """

    start: int
    many: int
    made: FrozenSet[int]

    def holds(self, element: int) -> bool:
        """Whether an element is left out."""
        index = element >> BITS
        return self.start <= index < self.start + self.many or index in self.made

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

    def replay(self, recorded: Run, second: Replay) -> Replay:
        """How D′ is replayed."""
        gap = (self.start, self.many)
        return lambda **options: second(recorded.session, gap=gap, **options)


def _ways(session: Any, many: int, place: Optional[int]) -> List[Way]:
    """Starts of draws of one line that may be left out, first that of the record that differs."""
    first = -1 if place is None else place * many
    starts = range(len(session.draws) - many + 1)
    of = {index: parents_of(session.row, index) for index in session.functions}
    ways: List[Way] = []
    for start in sorted(starts, key=lambda start: start != first):
        left = set(range(start, start + many))
        ways.append(Way(start, many, frozenset(index for index in of if of[index] & left)))
    return ways


def _tried(recorded: Run, way: Way, flip: bool, again: Replay, second: Replay) -> Optional[Gap]:
    run = recorded
    if flip:
        events = way.events(recorded.session)
        if not events:
            return None
        run = again(flips={("outcome", event.key): way.flipped(event) for event in events})
        if run.error is not None:
            return None
    replay = way.replay(run, second)
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
    kept = {event.key: event for event in run.session.compared}
    for event in events:
        turned = not np.array_equal(kept.get(event.key, event).outcome, event.outcome)
        # That of D was not the outcome of D′.
        flips = {("outcome", e.key): way.flipped(e) for e in events} if turned else {}
        flips[("outcome", event.key)] = event.outcome if turned else way.flipped(event)
        shown = again(flips=flips, release="none")
        if shown.error is None:
            replay = way.replay(shown, second)
            plain, noised = replay(release="none"), replay()
            if plain.error is None and not unlike_places(shown.output, plain.output, 0.0):
                continue
            if noised.error is None and not unlike_places(shown.output, noised.output, 0.0):
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
        where = recorded.session.rows[way.start].where
        rows.append(Row(-4, "threshold", "threshold", where, unknown=NOT_FOLLOWED))
    return rows


def _drawn(session: Any, index: int) -> Row:
    """The law of noise that is compared."""
    row = session.row(index)
    params = {name: flat(value) for name, value in row.params.items()}
    held = () if row.recipe is None else terms(session.row, row.recipe)
    samples = None if row.recipe is None or held else resampled(session.row, row)
    return Row(index, row.law, row.kind, row.where, row.shape, params, terms=held, samples=samples)
