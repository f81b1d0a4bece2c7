"""Noise that is drawn again until a sum with it lies where it should: the law of what is kept is not the law
that was drawn from, and depends on the probability of acceptance."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ..record.session import INSERTED, same
from ..record.values import unlike_places
from ..records import BITS, Comparison, Draw, Lost, Use
from ..replay.shifts import Pair, Release
from .follow import follows

MOST_TRIED = 24
"""Draws that are tried."""
UNKNOWN = "noise is drawn again for the same number, by a noisy rule: the law of what is kept is not known"


def redrawn(pair: Pair, found: Release) -> Optional[Lost]:
    """Noise that hides data and is drawn again on the recorded path, or would be with another outcome of a
    comparison; None where there is none."""
    session = pair.recorded.session
    rows = [row for row in session.draws if row.kind == "noise" and row.shape == ()]
    for row in [row for row in rows if np.any(found.shifts.get(row.index, 0.0) != 0.0)][:MOST_TRIED]:
        after = session.rows.get(row.index + 1)
        again = after is not None and _same_draw((session, row), (session, after))
        events = [event for event in session.compared if _of(event, row.index)]
        ruled = bool(events) and follows(pair.again, row)
        if (again and _is_rejected(pair, row.index)) or (
            ruled and any(_is_rule(pair, row, e) for e in events)
        ):
            return Lost(row.where, UNKNOWN)
    return None


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
