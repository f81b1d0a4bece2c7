"""What the noise of each draw must move by for a sum on D′ to be that on D."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Set, Tuple

import numpy as np

from ..explain.derived import parents_of
from ..record.run import Run
from ..record.session import ONE_SIDED, drawn_by, places_of
from ..record.values import CLOSE, SAME, alike, moved_half, unlike_entries, unlike_places
from ..records import BITS, Draw, Lost, Where

MOST_PASSES = 4
"""Coupled replays until the shifts stay as they are."""
MOST_PLACES = 200
"""Places of an array that are looked at."""
SHOWN = (
    "output%s shows the noise of %s of this line, which hides the data elsewhere: what both cost is not known"
)
Difference = Tuple[str, Any, Any]
"""A place of the output, and its values on D and on D′."""


class Pair:
    """What is known of a pair: the runs on D and on D′, and how to run more.

    unlike_frozen   places of the output at which the run on D′ differs from that on D, with its values.
    replay   (**options) → a replay on D′ with what D released; again: the same on D.
    """

    def __init__(
        self,
        replay: Callable[..., Run],
        again: Callable[..., Run],
        runs: Tuple[Run, Run],
    ) -> None:
        self.replay, self.again = replay, again
        self.recorded, self.frozen = runs
        places = unlike_places(runs[0].output, runs[1].output, 0.0, most=MOST_PLACES)
        self.unlike_frozen = {path: other for path, _, other in places}

    def sides(self) -> Tuple[Tuple[Run, Callable[..., Run]], Tuple[Run, Callable[..., Run]]]:
        """(the run, how to make others) on D and on D′."""
        return (self.recorded, self.again), (self.frozen, self.replay)


@dataclass(frozen=True)
class Release:
    """How the output on D can be that on D′.

    run       the replay on D′ that it rests on.
    shifts    what each draw's noise has moved by; several: draws of which that is contradictory.
    unlike    differences of the outputs that are left.
    compared  draws that were compared and not released.
    mode      how noise was released in the run, as for `Changes`; "coupled" where the noise was moved, too.
    joined    functions of noise that are several draws which the output shows as one.
    solved    draws of plain noise that are moved.
    """

    run: Run
    shifts: Mapping[int, Any] = field(default_factory=dict)
    several: Mapping[int, Tuple[Where, Where]] = field(default_factory=dict)
    unlike: Tuple[Difference, ...] = ()
    compared: FrozenSet[int] = frozenset()
    mode: str = "first"
    joined: Mapping[int, Draw] = field(default_factory=dict)
    solved: FrozenSet[int] = frozenset()


def shifts_of(recorded: Any, frozen: Any) -> Tuple[Dict[int, Any], Dict[int, Tuple[Where, Where]]]:
    """(shift of each draw, draws whose noise stands in values that move differently) of two sessions.

    A shift is the change of the noise that makes the last sum in which an element stands the same on D′ as on
    D: (argument on D − argument on D′)/factor.
    """
    known = recorded.sums_by_key()
    shifts: Dict[int, Any] = {}
    several: Dict[int, Tuple[Where, Where]] = {}
    before: Dict[int, Tuple[float, Where]] = {}
    for use in frozen.uses:
        other = known.get(use.key)
        if other is None or not np.array_equal(other.ids, use.ids):
            continue
        with np.errstate(all="ignore"):
            moved = (np.asarray(other.argument, float) - use.argument) / np.asarray(use.factor, float)
            size = np.abs(other.argument) / np.abs(use.factor)
            moved = np.where(np.abs(moved) <= 1e-15 * size, 0.0, moved)
        amounts = np.ravel(np.broadcast_to(moved, np.shape(use.ids)))
        for element, amount in zip(np.ravel(use.ids).tolist(), amounts.tolist()):
            index, place = element >> BITS, element & ((1 << BITS) - 1)
            row = frozen.row(index) if element >= 0 else None
            if row is None:
                continue
            last = before.get(element)
            if last is not None and abs(last[0] - amount) > 1e-6 * max(abs(last[0]), abs(amount)) + 1e-9:
                several[index] = (last[1], use.where)
            if not use.soft or amount != 0.0:
                before[element] = (amount, use.where)
            shifts.setdefault(index, np.zeros(row.shape)).reshape(-1)[place] = amount
    return shifts, several


def size_of(row: Draw) -> float:
    """The size of the largest entry of a draw; 1 where it has no value."""
    value = 1.0 if row.value is None else row.value
    return float(np.max(np.abs(np.asarray(value, dtype=float)), initial=0.0))


def without_parents(session: Any, shifts: Mapping[int, Any]) -> Dict[int, Any]:
    """The shifts without those of noise that is part of a larger noise with a shift of its own."""
    larger = [index for index in shifts if np.any(shifts[index] != 0.0)]
    parts = set().union(*(made_of(session, index) for index in larger))
    return {index: shift for index, shift in shifts.items() if index not in parts}


def made_of(session: Any, index: int) -> Set[int]:
    """The draws that a function of noise is made of directly; none of a draw."""
    row = session.functions.get(index)
    return set() if row is None else set().union(*(places_of(part.ids) for part in row.recipe.parts))


def _parents(session: Any, shifts: Mapping[int, Any]) -> Set[int]:
    """Functions of noise whose own noise has a shift: moved with it."""
    moved = {index for index in shifts if np.any(np.asarray(shifts[index]) != 0.0)}
    return {index for index in shifts if made_of(session, index) & moved}


def in_comparisons(session: Any) -> Set[int]:
    """Draws that take part in comparisons."""
    return set().union(*map(drawn_by, session.compared))


def coupled(pair: Pair, shifts: Mapping[int, Any]) -> Optional[Run]:
    """A replay on D′ whose sums are computed, with noise moved by the shifts, if its output is that on D.

    Shifts are found anew a few times: later arguments may depend on earlier sums.
    """
    used = dict(shifts)
    parents = _parents(pair.recorded.session, used)
    for _ in range(MOST_PASSES):
        found = pair.replay(release="none", shifts={k: s for k, s in used.items() if k not in parents})
        if not found.whole:
            return None
        if not unlike_output(pair, found):
            return found
        now, _ = shifts_of(pair.recorded.session, found.session)
        now = {k: s for k, s in now.items() if k in shifts}
        if all(np.shape(s) == np.shape(used[k]) and np.all(alike(s, used[k], SAME)) for k, s in now.items()):
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


def shown_again(pair: Pair, found: Release) -> Optional[Lost]:
    """Noise that hides data in one number of the output and is shown by another one; None for none.

    The noise is moved so that the sums with data on D′ are those on D, and draws that functions of noise are
    made of are made anew with these sums as they were: nothing else of the output may change.
    """
    session = pair.recorded.session
    parents = _parents(session, found.shifts) | found.compared
    used = {k: s for k, s in found.shifts.items() if np.any(s != 0.0) and k not in parents}
    if not used or found.mode != "first":
        return None
    made = frozenset(k for k in used if k in session.functions)
    draws = frozenset().union(*(parents_of(session.row, index) for index in made))
    ways = [(next(iter(used)), {"shifts": used})]
    ways += [(min(made), {"redraw": draws, "variant": 1})] if made else []
    for index, changes in ways:
        moved, row = pair.replay(release=found.mode, **changes), session.row(index)
        unlike = unlike_places(pair.recorded.output, moved.output, CLOSE) if moved.whole else []
        if row is not None and unlike:
            drawn = session.rows[min(parents_of(session.row, index))]
            return Lost(row.where, SHOWN % (unlike[0][0], drawn.law))
    return None


def loose_draws(recorded: Any, frozen: Any) -> List[Draw]:
    """Draws of noise of which nothing is known: never added, compared, or made into other noise."""
    known: Set[int] = set()
    for session in (recorded, frozen):
        known |= in_comparisons(session).union(*(places_of(use.ids) for use in session.uses))
        known |= set().union(*(made_of(session, index) for index in session.functions))
    return [row for row in recorded.draws if row.kind == "noise" and row.index not in known]


def initial(recorded: Any, frozen: Any) -> Tuple[FrozenSet[int], bool]:
    """(draws that may be where a program starts from, such as random weights, and not what hides the data;
    whether one of them is multiplied with an array, which may be data, or added to two numbers and more).

    Given such draws, whatever their values, the cost of the others is a bound of the cost of all.
    """
    added = Counter(index for use in recorded.uses if not use.soft for index in places_of(use.ids))
    made = [row.recipe.parts for row in recorded.functions.values()]
    beside = [parts for parts in made if any(part.ids is None and np.ndim(part.argument) for part in parts)]
    multiplied = set().union(*(places_of(part.ids) for parts in beside for part in parts))
    known = recorded.alone | multiplied | {row.index for row in loose_draws(recorded, frozen)}
    rows = [recorded.rows[index] for index in known if index in recorded.rows]
    found = frozenset(row.index for row in rows if row.kind == "noise" and row.law not in ONE_SIDED)
    return found, any(added[index] > 1 or index in multiplied for index in found)
