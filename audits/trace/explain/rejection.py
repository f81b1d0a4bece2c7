"""Noise that is drawn again until a sum with it lies where it should: the law of what is kept is another one.

What is rejected is not released, and costs nothing by itself. What is kept has the law of the sum, given that
it was accepted; the probability of that depends on the data, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..record.laws import MIRRORED
from ..record.run import Run
from ..record.session import INSERTED, drawn_by, places_of, same
from ..record.values import unlike_places
from ..records import BITS, Comparison, Draw, Kept, Use
from ..replay.shifts import Pair, Release
from .follow import follows

MOST_TRIED = 24
"""Draws that are tried."""
UNKNOWN = "noise is drawn again until it is accepted, by a rule that cannot be followed: its law is not known"


def redrawn(pair: Pair, found: Release) -> Release:
    """The release with what is drawn again on the recorded path, or would be with another outcome of a
    comparison."""
    session = pair.recorded.session
    rows = [row for row in session.draws if row.kind == "noise" and row.shape == ()]
    moved = [row for row in rows if np.any(found.shifts.get(row.index, 0.0) != 0.0)][:MOST_TRIED]
    rejected: Set[int] = set()
    kept: Dict[int, Optional[Kept]] = {}
    for row in moved:
        after = session.rows.get(row.index + 1)
        if (
            after is not None
            and _same_draw((session, row), (session, after))
            and _is_rejected(pair, row.index)
        ):
            rejected.add(row.index)
            kept.setdefault(after.index, None)
    for row in moved:
        events = [event for event in session.compared if _of(event, row.index)]
        if row.index in rejected or not events or not follows(pair.again, row):
            continue
        rules = [event for event in events if _is_rule(pair, row, event)]
        if rules:
            kept[row.index] = _region(pair, found, row.index, rules)
    left = {index: what for index, what in kept.items() if index not in rejected}
    return replace(found, rejected=frozenset(rejected), kept=left)


def _same_draw(one: Tuple[Any, Draw], other: Tuple[Any, Draw]) -> bool:
    """Whether two draws, each with its session, are of one line and hide the same number."""
    if (one[1].law, one[1].where) != (other[1].law, other[1].where):
        return False
    first, second = (_use(session, row.index) for session, row in (one, other))
    return first is not None and second is not None and same(first.argument, second.argument)


def _use(session: Any, index: int) -> Optional[Use]:
    """The first sum with a number that the noise of a draw is a part of."""
    return next((use for use in session.uses if _element(use.ids) == index << BITS), None)


def _element(ids: Any) -> Optional[int]:
    return int(np.ravel(ids)[0]) if ids is not None and np.size(ids) == 1 else None


def _is_rejected(pair: Pair, index: int) -> bool:
    """Whether the run on D is the same without a draw, one draw shorter."""
    run = pair.again(gap=(index, 1))
    shorter = len(run.session.draws) == len(pair.recorded.session.draws) - 1
    return run.whole and shorter and not unlike_places(pair.recorded.output, run.output, 0.0)


def shown_draws(recorded: Run, again: Callable[..., Run]) -> FrozenSet[int]:
    """The draws that are added to data, compared, and shown by the output: they are released, and what they
    are compared with is made of what is released."""
    session = recorded.session
    compared = set().union(*map(drawn_by, session.compared))
    added = set().union(*(places_of(use.ids) for use in session.uses if not use.soft))
    rows = [session.rows[index] for index in sorted(compared & added) if index in session.rows]
    return frozenset(row.index for row in rows[:MOST_TRIED] if follows(again, row))


def _is_rule(pair: Pair, row: Draw, event: Comparison) -> bool:
    """Whether the same noise is drawn again where a comparison ends otherwise."""
    run = pair.again(flips={("outcome", event.key): not event.outcome})
    new = [r for r in run.session.draws if r.index >= INSERTED and r.where == row.where]
    return bool(new) and _same_draw((pair.recorded.session, row), (run.session, new[0]))


def _of(event: Comparison, index: int) -> bool:
    """Whether a comparison is of the noise of a draw with a plain number."""
    elements = [_element(part.ids) for part in event.parts]
    compares = event.what == "compare" and not np.ndim(event.outcome)
    return compares and None in elements and index << BITS in elements


def _region(pair: Pair, found: Release, index: int, rules: Sequence[Comparison]) -> Optional[Kept]:
    """What is known of the draw that was accepted."""
    keys = {event.key for event in rules}
    sums = [_use(session, index) for session in (pair.recorded.session, found.run.session)]
    bounds, others = _bounds(rules), _bounds([e for e in found.run.session.compared if e.key in keys])
    known = [use for use in sums if use is not None]
    if len(known) < 2 or bounds is None or bounds != others:
        return None
    factors = [float(np.ravel(use.factor)[0]) for use in known]
    arguments = tuple(float(np.ravel(use.argument)[0]) for use in known)
    return Kept(factors[0], *bounds, arguments) if factors[0] == factors[1] else None


def _bounds(events: Sequence[Comparison]) -> Optional[Tuple[float, float]]:
    """The interval in which all comparisons end as they did."""
    low, high = -np.inf, np.inf
    for event in events:
        levels: List[Any] = [part.argument for part in event.parts if part.ids is None]
        name = event.name if event.first.ids is not None else MIRRORED.get(event.name, "")
        if name not in MIRRORED or len(levels) != 1:
            return None
        level = float(np.ravel(levels[0])[0])
        if name.startswith("greater") == bool(event.outcome):
            low = max(low, level)
        else:
            high = min(high, level)
    return (low, high) if events and low < high else None
