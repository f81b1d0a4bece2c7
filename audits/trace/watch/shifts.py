"""What the noise of each draw must move by for a sum on D′ to be that on D."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .run import Run
from .session import BITS, Session
from .values import CLOSE, SAME, alike, moved_half, unlike_entries, unlike_places

MOST_LEFT_OUT = 40
"""Elements of noise whose sums the output may not show, tried one by one."""
MOST_PASSES = 4
"""Coupled replays until the shifts stay as they are."""
MOST_PLACES = 200
"""Places of an array that are looked at."""


class Pair:
    """What is known of a pair: the runs on D and on D′, the place of the record that differs, and how to run
    more.

    unlike_frozen   places of the output at which the run on D′ differs from that on D, with its values.
    replay   (**options) → a replay on D′ with what D released; again: the same on D.
    fresh    (0 for D or 1 for D′, number) → a run with draws of its own.
    """

    def __init__(
        self, runs: Dict[str, Callable[..., Run]], recorded: Run, frozen: Run, place: Optional[int]
    ) -> None:
        self.replay, self.again, self.fresh = runs["replay"], runs["again"], runs["fresh"]
        self.recorded, self.frozen, self.place = recorded, frozen, place
        frozen_places = unlike_places(recorded.output, frozen.output, 0.0, most=MOST_PLACES)
        self.unlike_frozen = {path: other for path, _, other in frozen_places}


class Explanation:
    """How the output on D can be that on D′.

    run       the replay on D′ that it rests on.
    shifts    what each draw's noise has moved by; several: draws of which that is contradictory.
    unlike    differences of the outputs that are left.
    compared  draws that were compared and not released.
    release   how noise was released in the run, as for `Session`; "coupled" where the noise was moved, too.
    filled    uniform draws in intervals that a private draw chose, see `intervals`.
    redrawn   noise that is drawn again until it is accepted, see `rejection`.
    coins     log-probabilities of other outcomes of coins, on D and on D′; None where none had to change.
    """

    def __init__(
        self, run: Run, shifts: Dict[int, Any], several: Dict[int, Any], unlike: Sequence[Any] = ()
    ) -> None:
        self.run, self.shifts, self.several, self.unlike = run, shifts, several, list(unlike)
        self.compared: List[int] = []
        self.coins: Optional[Dict[str, Any]] = None
        self.filled: Dict[int, Any] = {}
        self.redrawn: Any = None
        self.release = "first"


def shifts_of(recorded: Session, frozen: Session) -> Tuple[Dict[int, Any], Dict[int, Tuple[Any, Any]]]:
    """(shift of each draw, draws whose noise stands in values that move differently).

    A shift is the change of the noise that makes the last sum in which an element stands the same on D′ as on
    D: (argument on D − argument on D′)/factor.
    """
    known = {use["key"]: use for use in recorded.uses}
    shifts: Dict[int, Any] = {}
    several: Dict[int, Tuple[Any, Any]] = {}
    before: Dict[int, Tuple[float, Any]] = {}
    for use in frozen.uses:
        other = known.get(use["key"])
        if other is None or not np.array_equal(other["ids"], use["ids"]):
            continue
        with np.errstate(all="ignore"):
            moved = (np.asarray(other["argument"], float) - use["argument"]) / np.asarray(
                use["factor"], float
            )
            size = np.abs(other["argument"]) / np.abs(use["factor"])
            moved = np.where(np.abs(moved) <= 1e-15 * size, 0.0, moved)
        for element, amount in zip(
            np.ravel(use["ids"]), np.ravel(np.broadcast_to(moved, np.shape(use["ids"])))
        ):
            if element < 0:
                continue
            index, place = int(element) >> BITS, int(element) & ((1 << BITS) - 1)
            if index not in shifts:
                row = row_of(frozen, index)
                if row is None:
                    continue
                shifts[index] = np.zeros(row["shape"])
            last = before.get(int(element))
            if last is not None and abs(last[0] - amount) > 1e-6 * max(abs(last[0]), abs(amount)) + 1e-9:
                several[index] = (last[1], use["where"])
            if not use["soft"] or amount != 0.0:
                before[int(element)] = (float(amount), use["where"])
            vector = shifts[index].reshape(-1)
            vector[place] = amount
            shifts[index] = vector.reshape(np.shape(shifts[index]))
    return shifts, several


def row_of(session: Session, index: int) -> Optional[Dict[str, Any]]:
    """The row of a draw, or of a function of noise."""
    if index in session.functions:
        return session.functions[index]
    return session.rows.get(index)


def without_parents(session: Session, shifts: Dict[int, Any]) -> Dict[int, Any]:
    """The shifts without those of noise that is part of a larger noise with a shift of its own."""
    kept = dict(shifts)
    for index in shifts:
        row = session.functions.get(index)
        if row is not None and np.any(shifts[index] != 0.0):
            for ids in row["recipe"]["parents"]:
                for element in np.ravel(ids) if ids is not None else ():
                    kept.pop(int(element) >> BITS, None)
    return kept


def _parents(session: Session, shifts: Dict[int, Any]) -> Any:
    """Functions of noise whose own noise has a shift: moved with it."""
    found = set()
    for index in shifts:
        row = session.functions.get(index)
        if row is not None:
            for ids in row["recipe"]["parents"]:
                for element in np.ravel(ids) if ids is not None else ():
                    if np.any(np.asarray(shifts.get(int(element) >> BITS, 0.0)) != 0.0):
                        found.add(index)
    return found


def in_comparisons(session: Session) -> Any:
    """Draws that take part in comparisons."""
    found = set()
    for event in session.compared:
        for ids in event_ids(event):
            found |= {int(e) >> BITS for e in np.ravel(ids) if e >= 0}
    return found


def event_ids(event: Dict[str, Any]) -> List[Any]:
    parts = [event["ids"]]
    for part in (event.get("first"), event.get("second")):
        if part is not None and part["ids"] is not None:
            parts.append(part["ids"])
    return parts


def coupled(pair: Pair, shifts: Dict[int, Any]) -> Optional[Run]:
    """A replay on D′ whose sums are computed, with noise moved by the shifts, if its output is that on D.

    Shifts are found anew a few times: later arguments may depend on earlier sums.
    """
    used = dict(shifts)
    parents = _parents(pair.recorded.session, used)
    for _ in range(MOST_PASSES):
        applied = {k: s for k, s in used.items() if k not in parents}
        found = pair.replay(release="none", shifts=applied)
        if found.error is not None or found.session.diverged is not None:
            return None
        if not unlike_output(pair, found):
            return found
        now, _ = shifts_of(pair.recorded.session, found.session)
        now = {k: s for k, s in now.items() if k in shifts}
        if not now or all(
            np.shape(s) == np.shape(used[k]) and np.all(alike(s, used[k], SAME)) for k, s in now.items()
        ):
            return None
        used.update(now)
    return None


def unlike_output(pair: Pair, moved: Run) -> int:
    """How many entries of the output on D′, with other noise or coins, are not those on D.

    Sums that are computed anew are so but for a millionth. A number that is another one on D′ must come
    nearer, too: an exact count of millions of records differs by less.
    """
    recorded, before = pair.recorded.output, pair.unlike_frozen
    after = unlike_places(recorded, moved.output, 0.0, most=MOST_PLACES) if before else []
    far = [path for path, one, other in after if path in before and not moved_half(one, before[path], other)]
    return unlike_entries(recorded, moved.output) + len(far)


def shown_again(pair: Pair, found: Explanation) -> Optional[Tuple[Dict[str, Any], Tuple[str, Any, Any]]]:
    """(a draw, a place of the output) that shows noise which hides data elsewhere; None where there is none.

    The noise is moved so that the sums with data on D′ are those on D: nothing else of the output may change.
    """
    parents = _parents(pair.recorded.session, found.shifts)
    used = {
        k: s
        for k, s in found.shifts.items()
        if np.any(s != 0.0) and k not in parents and k not in found.compared
    }
    if not used or found.release not in ("first", "moved"):
        return None
    moved = pair.replay(release=found.release, shifts=used)
    if moved.error is not None or moved.session.diverged is not None:
        return None
    unlike = unlike_places(pair.recorded.output, moved.output, CLOSE)
    row = row_of(pair.recorded.session, next(iter(used)))
    if not unlike or row is None:
        return None
    fewer = _fewer(pair, used)
    if fewer is not None:
        found.shifts.update(fewer)
        return None
    return row, unlike[0]


def _fewer(pair: Pair, shifts: Dict[int, Any]) -> Optional[Dict[int, Any]]:
    """The shifts without those of sums that the output does not show, if they give the output of D."""

    def unlike(trial: Dict[int, Any]) -> float:
        run = pair.replay(release="none", shifts=trial)
        if run.error is not None or run.session.diverged is not None:
            return np.inf
        return unlike_output(pair, run)

    kept = {index: np.array(shift) for index, shift in shifts.items()}
    least = unlike(kept)
    entries = [(index, place) for index in kept for place in np.flatnonzero(kept[index])]
    for index, place in entries[:MOST_LEFT_OUT]:
        trial = dict(kept)
        trial[index] = np.array(kept[index])
        trial[index].reshape(-1)[place] = 0.0
        now = unlike(trial)
        if now < least:
            kept, least = trial, now
        if least == 0:
            return kept
    return None


def loose_draws(recorded: Session, frozen: Session) -> List[Dict[str, Any]]:
    """Draws of noise of which nothing is known: never added, compared, or made into other noise."""
    known = set()
    for session in (recorded, frozen):
        known |= in_comparisons(session)
        for use in session.uses:
            known |= {int(e) >> BITS for e in np.ravel(use["ids"]) if e >= 0}
        for row in session.functions.values():
            for parents in row["recipe"]["parents"]:
                if parents is not None:
                    known |= {int(e) >> BITS for e in np.ravel(parents) if e >= 0}
    rows = list(recorded.draws) + list(recorded.functions.values())
    return [row for row in rows if row["kind"] == "noise" and row["index"] not in known]
