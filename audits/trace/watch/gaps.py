"""Noise that is drawn on D alone, for a key or a record that D′ lacks: what it may show, and how likely.

A histogram over the keys that occur has a noisy count more on D. Where that count stays below a threshold,
the output is as on D′, so that only the event that it passes costs anything: its probability is a δ. The run
on D′ leaves out what only D draws (a gap); everything else is then as in any other replay.
"""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

import numpy as np

from .derived import simple
from .rows import bare_row, pieces
from .run import Run
from .session import BITS, Session, Tape
from .shifts import event_ids
from .values import flat, unlike_places

MOST_STARTS, MOST_LEFT_OUT = 64, 16
"""Places of a gap that are tried, and draws in one."""
Replay = Callable[..., Run]


class Gap:
    """How D′ is run without what only D draws.

    recorded  the run on D that gives the output of D′, if need be with other outcomes of comparisons.
    frozen    the replay on D′; replay: a function that makes others.
    rows      of the ledger, one for each comparison that decides whether the output shows that noise.
    """

    def __init__(self, recorded: Run, frozen: Run, replay: Replay, rows: List[Dict[str, Any]]) -> None:
        self.recorded, self.frozen, self.replay, self.rows = recorded, frozen, replay, rows


def longer(one: Session, other: Session, place: Optional[int]) -> bool:
    """Whether a run draws something, or an entry, that the other one does not; they part at a place."""
    if len(one.draws) != len(other.draws):
        return len(one.draws) > len(other.draws)
    if place is None or place >= len(one.draws):
        return False
    shapes = one.draws[place]["shape"], other.draws[place]["shape"]
    return all(shapes) and shapes[0][0] == shapes[1][0] + 1


def closed(recorded: Run, frozen: Run, again: Replay, second: Replay, place: Optional[int]) -> Optional[Gap]:
    """The gap that makes the run on D′ that on D; None where there is none.

    again   (**options) → a replay on D; second: (tape, **options) → one on D′.
    """
    many = len(recorded.session.draws) - len(frozen.session.draws)
    if many > MOST_LEFT_OUT:
        return None
    ways = _scalar(recorded.session, many, place) if many else _entries(recorded.session, frozen.session)
    for flip in (False, True):
        for way in ways[:MOST_STARTS]:
            found = _tried(recorded, way, flip, again, second)
            if found is not None:
                run, replay, other = found
                return Gap(run, other, replay, _rows(recorded, run, way, again, second))
    return None


class Way:
    """What is left out: draws from a start on, or an entry of each of several draws."""

    def __init__(self, start: int = 0, many: int = 0, entries: Optional[Dict[int, int]] = None) -> None:
        self.start, self.many, self.entries = start, many, entries or {}

    def holds(self, element: int) -> bool:
        """Whether an element is left out."""
        index, entry = element >> BITS, element & ((1 << BITS) - 1)
        return self.start <= index < self.start + self.many or self.entries.get(index) == entry

    def events(self, session: Session) -> List[Dict[str, Any]]:
        """The comparisons of what is left out."""
        return [
            event
            for event in session.compared
            if event["what"] == "compare"
            and any(self.holds(int(e)) for ids in event_ids(event) for e in np.ravel(ids) if e >= 0)
        ]

    def flipped(self, event: Dict[str, Any]) -> Any:
        """The other outcome of a comparison, for what is left out."""
        outcome = np.array(event["outcome"])
        for place in self.places(event):
            outcome.reshape(-1)[place] = not outcome.reshape(-1)[place]
        return outcome if outcome.ndim else bool(outcome)

    def places(self, event: Dict[str, Any]) -> List[int]:
        """The entries of a comparison that are of what is left out."""
        ids = [np.ravel(ids) for ids in event_ids(event)]
        return [k for k in range(len(ids[0])) if any(e[k] >= 0 and self.holds(int(e[k])) for e in ids)]

    def replay(self, recorded: Run, second: Replay) -> Tuple[Run, Replay]:
        """The run on D as it is compared, and how D′ is replayed."""
        if self.many:
            tape = Tape(recorded.session)
            return recorded, lambda **options: second(tape, gap=(self.start, self.many), **options)
        run = copy.copy(recorded)
        run.session = without(recorded.session, self.entries)
        return run, lambda **options: second(Tape(run.session), **options)


def _scalar(session: Session, many: int, place: Optional[int]) -> List[Way]:
    """Starts of draws of one line that may be left out, first that of the record that differs."""
    rows = session.draws
    starts = range(len(rows) - many + 1)
    first = -1 if place is None else place * many
    return [Way(start, many) for start in sorted(starts, key=lambda start: start != first)]


def _entries(one: Session, other: Session) -> List[Way]:
    """Entries of vectors that D has more of."""
    longest = one.draws[other.diverged or 0]["shape"][0]
    indices = [row["index"] for row in one.draws if row["shape"][:1] == (longest,)]
    indices += [index for index, row in one.functions.items() if row["shape"][:1] == (longest,)]
    return [Way(entries=dict.fromkeys(indices, entry)) for entry in range(longest)]


def _tried(
    recorded: Run, way: Way, flip: bool, again: Replay, second: Replay
) -> Optional[Tuple[Run, Replay, Run]]:
    run = recorded
    if flip:
        events = way.events(recorded.session)
        if not events:
            return None
        run = again(flips={("outcome", event["key"]): way.flipped(event) for event in events})
        if run.error is not None:
            return None
    run, replay = way.replay(run, second)
    other = replay()
    left = len(run.session.draws) - way.many
    fine = run.error is None and other.error is None and other.session.diverged is None
    same = fine and len(other.session.draws) == left and not unlike_places(run.output, other.output, 0.0)
    return (run, replay, other) if same else None


def _rows(recorded: Run, run: Run, way: Way, again: Replay, second: Replay) -> List[Dict[str, Any]]:
    """A row for each comparison of what is left out whose other outcome the output shows."""
    rows: List[Dict[str, Any]] = []
    events = way.events(recorded.session)
    kept = {event["key"]: event for event in run.session.compared} if way.many else {}
    for event in events:
        was = kept.get(event["key"], event)["outcome"]
        turned = not np.array_equal(was, event["outcome"])  # that of D was not the outcome of D′
        flips = {("outcome", e["key"]): way.flipped(e) for e in events} if turned else {}
        flips[("outcome", event["key"])] = event["outcome"] if turned else way.flipped(event)
        shown = again(flips=flips)
        if shown.error is None:
            seen, replay = way.replay(shown, second)
            other = replay()
            if other.error is None and not unlike_places(seen.output, other.output, 0.0):
                continue
        row = bare_row(-4, "threshold", "threshold", event["where"], np.shape(event["outcome"]))
        places = way.places(event)
        row.update(name=event["name"], places=places, turned=turned, outcome=event["outcome"])
        row["pieces"] = row["pieces_other"] = pieces(event)
        row["drawn"] = _drawn(recorded.session, event)
        rows.append(row)
    if not events:
        index = way.start if way.many else next(iter(way.entries))
        drawn = recorded.session.rows[index]
        row = bare_row(-4, "threshold", "threshold", drawn["where"])
        row["unknown"] = (
            "noise is drawn for a key or record that only one dataset has, and cannot be followed: with what "
            "probability the output shows it is not known"
        )
        rows.append(row)
    return rows


def _drawn(session: Session, event: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The laws of the noise that is compared."""
    indices = {int(e) >> BITS for ids in event_ids(event) for e in np.ravel(ids) if e >= 0}
    rows = [session.rows.get(index) or session.functions[index] for index in sorted(indices)]
    found = []
    for row in rows:
        recipe = simple(session, row) if row["kind"] == "derived" else None
        params = {name: flat(value) for name, value in row["params"].items()}
        more = {"params": params, "shape": list(row["shape"]), "recipe": recipe, "samples": None}
        found.append(dict(more, index=row["index"], law=row["law"], kind=row["kind"]))
    return found


def without(session: Session, entries: Dict[int, int]) -> Session:
    """A run as it would have been without an entry of some draws."""
    found = copy.copy(session)
    gone: Set[int] = {(index << BITS) + entry for index, entry in entries.items()}

    def name(element: int) -> int:
        entry = entries.get(element >> BITS)
        return element - 1 if entry is not None and (element & ((1 << BITS) - 1)) > entry else element

    def shorter(ids: Any, array: Any) -> Any:
        """An array without the places whose elements are left out."""
        if array is None or not np.ndim(array) or np.shape(array) != np.shape(ids):
            return array
        keep = ~np.isin(np.asarray(ids), list(gone))
        return array if np.all(keep) else np.asarray(array)[keep]

    def renamed(ids: Any) -> Any:
        kept = np.asarray(shorter(ids, ids))
        return np.array([name(int(e)) for e in np.ravel(kept)], dtype=np.int64).reshape(np.shape(kept))

    def part(piece: Any) -> Any:
        if piece is None or piece["ids"] is None:
            return piece
        return {k: renamed(v) if k == "ids" else shorter(piece["ids"], v) for k, v in piece.items()}

    def whole(ids: Any) -> bool:
        return not (np.size(ids) and np.all(np.isin(np.ravel(ids), list(gone))))

    used: Dict[Tuple[str, int], int] = {}

    def key(what: str, ids: Any) -> Tuple[int, int]:
        first = int(ids.flat[0]) if ids.size else -1
        used[what, first] = used.get((what, first), 0) + 1
        return first, used[what, first] - 1

    found.draws = [dict(row) for row in session.draws]
    for row in found.draws:
        entry = entries.get(row["index"])
        if entry is not None:
            row["shape"] = (row["shape"][0] - 1, *row["shape"][1:])
            row["value"] = np.delete(row["value"], entry, axis=0)
            row["params"] = {k: _less(v, entry, row["shape"][0] + 1) for k, v in row["params"].items()}
            row["argument"] = _less(row["argument"], entry, row["shape"][0] + 1)
    found.rows = {row["index"]: row for row in found.draws}
    found.uses = []
    for use in session.uses:
        if whole(use["ids"]):
            kept = {k: shorter(use["ids"], use[k]) for k in ("factor", "argument", "value")}
            ids = renamed(use["ids"])
            found.uses.append(dict(use, ids=ids, key=key("use", ids), **kept))
    found.compared = []
    for event in session.compared:
        if whole(event["ids"]):
            more = {name_: part(event[name_]) for name_ in ("first", "second") if name_ in event}
            for piece in more.values():
                if piece["ids"] is None:
                    piece["value"] = shorter(event["ids"], piece["value"])
            ids = renamed(event["ids"])
            outcome = shorter(event["ids"], event["outcome"])
            found.compared.append(dict(event, ids=ids, key=key("compare", ids), outcome=outcome, **more))
    return found


def _less(value: Any, entry: int, size: int) -> Any:
    return np.delete(value, entry, axis=0) if np.shape(value)[:1] == (size,) else value
