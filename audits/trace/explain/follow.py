"""Whether the output follows the noise of a draw: the noise is moved, and the output is looked at.

A number of the output follows noise by little steps, or without end; a choice among noisy numbers (their
order, the place of the largest) does neither. So the ledger's cost of a noised number is an upper bound only
where the output does not follow its noise: for Gumbel noise it has no bound in the tail, and the choice is
the exponential mechanism's.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import drawn_by, places_of
from ..record.values import numbers, unlike_places
from ..records import Draw
from ..replay.shifts import Pair, loose_draws, size_of
from .derived import parents_of

LITTLE = 1e-3
"""How little of its own size noise is moved, twice: a choice changes both times with a probability as small
as the square of that."""
FAR = 1e3
"""How many times its own size noise is moved to see whether the output follows it everywhere."""
STARTS = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)
"""How far it is moved first where its own place tells nothing, as where a sum is cut off."""
FACTOR = 1e-3
"""Relative difference above which two factors of noise are different: tensors have single precision."""
PLACED = 4
"""Runs in which scores are drawn anew. Of three scores with one far above, either of the others is the second
in all of these runs with probability 2⁻³."""
MOST_SHOWN = 24
"""Draws that are compared of which it is tried whether the output shows them."""
MOST_SCALED = 16
"""Draws of plain noise whose factors are compared: each takes up to four runs."""


class Response:
    """The numbers of an output while noise is moved; run: (shifts) → a run with the same draws."""

    def __init__(self, run: Callable[..., Run], **options: Any) -> None:
        self.run = functools.partial(run, **options)
        self.base = _numbers(self.run())

    def moved(self, row: Draw, step: Any) -> Any:
        """The numbers with a draw moved by a step; None where there are not as many as before."""
        values = _numbers(self.run(shifts={row.index: np.broadcast_to(step, row.shape)}))
        return None if values is None or np.shape(values) != np.shape(self.base) else values

    def factor(self, row: Draw) -> Tuple[int, float]:
        """(the number that moves most, its factor), where all move in proportion with the first entry of a
        draw; a factor of 0 elsewhere."""
        size = size_of(row) or 1.0
        steps = [self.moved(row, _first_entry(row, times * size)) for times in (1.0, 2.0)]
        if steps[0] is None or steps[1] is None or np.array_equal(self.base, steps[0]):
            return 0, 0.0
        with np.errstate(invalid="ignore"):
            once, twice = (values - self.base for values in steps)
        close = np.allclose(twice, 2.0 * once, rtol=FACTOR, atol=1e-6 * size)
        place = int(np.argmax(np.abs(once)))
        return place, float(once[place] / size) if close and np.all(np.isfinite(twice)) else 0.0

    def by(self, row: Draw, place: int, step: Any) -> float:
        """By how much a number moves with a draw; infinite where that is not known."""
        values = self.moved(row, step)
        return np.inf if values is None else float(values[place] - self.base[place])


def _numbers(run: Run) -> Any:
    return None if run.error is not None else numbers(run.output)


def _first_entry(row: Draw, by: float) -> Any:
    step = np.zeros(row.shape)
    step.reshape(-1)[0] = by
    return step


def follows(
    run: Callable[..., Run], row: Optional[Draw], far: bool = False, entry: Optional[int] = None
) -> bool:
    """Whether the output follows the noise of a draw by little steps; True where that cannot be tried.

    far     it may do so without end, or from elsewhere, too: whole numbers are moved far alone.
    entry   of the draw, that alone is moved; None: all are.
    """
    if row is None or (row.kind == "noise" and row.value is None):
        return True
    values = np.asarray(1.0 if row.value is None else row.value, dtype=float)
    whole = far and row.value is not None and np.asarray(row.value).dtype.kind in "iu"
    # Entries move by different amounts: a choice among all of them does not see one that is common to all.
    spread = (1.0 + np.arange(values.size) / max(1, values.size)).reshape(values.shape)
    moves = 1.0 if entry is None else np.arange(values.size).reshape(values.shape) == entry
    weights = max(1.0, size_of(row)) * spread * moves
    little = [(start, start + LITTLE, start + 2.0 * LITTLE) for start in (0.0, *STARTS)]
    ends = [(0.0, FAR, 2.0 * FAR), (0.0, -FAR, -2.0 * FAR)]
    tried = ends if whole else [little[0], *ends, *little[1:]] if far else little[:1]
    return any(
        _each_step_shows(run, row, [np.rint(t * weights) if whole else t * weights for t in x]) for x in tried
    )


def _each_step_shows(run: Callable[..., Run], row: Draw, steps: Sequence[Any]) -> bool:
    """Whether the output is another one after each of the steps of the noise."""
    before: Any = None
    for step in steps:
        now = run(release="none", shifts={row.index: np.broadcast_to(step, row.shape)})
        if now.error is not None:
            return False
        if before is not None and not unlike_places(before.output, now.output, 0.0):
            return False
        before = now
    return True


def shown_draws(recorded: Run, again: Callable[..., Run]) -> FrozenSet[int]:
    """The draws that are added to data, compared, and shown by the output: they are released, and what they
    are compared with is made of what is released."""
    session = recorded.session
    compared = set().union(*map(drawn_by, session.compared))
    added = set().union(*(places_of(use.ids) for use in session.uses if not use.soft))
    rows = [session.rows[index] for index in sorted(compared & added) if index in session.rows]
    return frozenset(row.index for row in rows[:MOST_SHOWN] if follows(again, row))


def placed(pair: Pair) -> FrozenSet[Any]:
    """Keys of comparisons of noisy scores with each other, of which the output shows no more than a place.

    Where a score lies far above (or below) all others, the output is the same whatever the others are.
    """
    session = pair.recorded.session
    groups: List[Tuple[Set[int], Set[Any]]] = []
    for event in session.compared:
        if event.what == "compare" and np.shape(event.outcome) == () and event.second is not None:
            drawn, keys = drawn_by(event), {event.key}
            for group in [group for group in groups if group[0] & drawn]:
                groups.remove(group)
                drawn, keys = drawn | group[0], keys | group[1]
            groups.append((drawn, keys))
    shown = (keys for drawn, keys in groups if len(drawn) > 2 and _is_place(pair, drawn))
    return frozenset().union(*shown)


def _is_place(pair: Pair, drawn: Set[int]) -> bool:
    """Whether the output is the same with one score, the first or the last, moved far and the others drawn
    anew."""
    return any(all(_is_the_same(pair, drawn, k, sign) for k in (min(drawn), max(drawn))) for sign in (1, -1))


def _is_the_same(pair: Pair, drawn: Set[int], index: int, sign: int) -> bool:
    session = pair.recorded.session
    row, mine = session.row(index), parents_of(session.row, index)
    others = frozenset().union(*(parents_of(session.row, other) for other in drawn if other != index))
    if row is None or others & mine:
        return False
    shifts = {index: np.full(row.shape, sign * FAR * FAR * max(1.0, size_of(row)))}
    anew = others | (drawn - {index})  # outcomes of comparisons of these are computed, too
    runs = [pair.again(redraw=anew, shifts=shifts, variant=k + 1) for k in range(PLACED)]
    return all(run.whole and not unlike_places(runs[0].output, run.output, 0.0) for run in runs)


# --- Noise of two scales ----------------------------------------------------------------------------------


Scaled = Tuple[Draw, float, float]
"""A draw, and what its noise is multiplied by on D and on D′."""


def scaled(pair: Pair, released: bool = False) -> Optional[Scaled]:
    """Noise that became plain numbers, or was released, and has another factor on D′; None where none is
    seen."""
    session = pair.recorded.session
    if not released:
        return _unlike_factors(pair, loose_draws(session, pair.frozen.session)[:MOST_SCALED])
    places = sorted(set().union(*(places_of(use.ids) for use in session.uses)))[:MOST_SCALED]
    rows = [session.row(index) for index in places]
    return _unlike_factors(pair, [row for row in rows if row is not None], release="none")


def _unlike_factors(pair: Pair, rows: Sequence[Draw], **options: Any) -> Optional[Scaled]:
    """The first draw whose noise has another factor on D′ in a number of the output that no other noise
    hides.

    Where y = c(D)·z + z′, the product c(D)·z is an argument of z′ as any other: with z′ multiplied by the
    same number on D and on D′, the difference is a cost of z′ and not noise of another scale. So it is in
    every step of a noisy gradient descent but the last.
    """
    both = [Response(run, **options) for run in (pair.again, pair.replay)] if rows else []
    for row in rows:
        (place, one), (_, other) = (response.factor(row) for response in both)
        if one and other and not _alike(one, other) and not _hidden(pair, row, place):
            return row, one, other
    return None


def _hidden(pair: Pair, row: Draw, place: int) -> bool:
    """Whether noise of another draw has one factor on D and D′ in a number of the output."""
    both = [Response(run, release="none") for run in (pair.again, pair.replay)]
    for other in [r for r in _noise(pair) if r is not row][-MOST_SCALED:]:
        one, two = (response.by(other, place, max(1.0, size_of(other))) for response in both)
        if one and np.isfinite(one) and np.isfinite(two) and _alike(one, two):
            return True
    return False


def _noise(pair: Pair) -> Sequence[Draw]:
    return [row for row in pair.recorded.session.draws if row.kind == "noise"]


def _alike(one: float, other: float) -> bool:
    """Whether two factors are the same in single precision."""
    return abs(one - other) <= FACTOR * max(abs(one), abs(other))
