"""A uniform number in an interval that a private draw chose: its density is known where the choice is.

The exponential mechanism over the gaps between records, then a uniform number in the gap, releases a
quantile. Its density on D is Σ pᵢ·1[x in gap i]/width of gap i. The gaps on both datasets are read off runs
in which the choice falls on each of them.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ..record.session import places_of
from ..record.values import SAME, alike, flat, unlike_places
from ..records import BITS, Chosen, Draw, Use
from ..replay.shifts import Filled, Pair, Release

MOST_INTERVALS = 256
"""Intervals among which is chosen."""


def filled(pair: Pair, found: Release) -> Dict[int, Filled]:
    """The uniform draws, by their places, whose interval depends on the data and was chosen before."""
    known: Dict[int, Filled] = {}
    recorded, session = pair.recorded.session, found.run.session
    selected = any(event.what != "compare" for event in recorded.compared)
    for row in recorded.draws:
        choosers = [r for r in recorded.draws[: row.index] if _chooses(r)]
        if row.law != "uniform" or row.shape != () or not (choosers or selected):
            continue
        summed = any(_sum(run, row.index) is not None for run in (recorded, session))
        one, two = (_interval(run, row.index, summed) for run in (recorded, session))
        if not summed and (one is None or two is None):
            continue
        chooser = choosers[-1].index if choosers else -1
        laws = _laws(pair, row.index, chooser, summed) if choosers else ()
        # An interval of one dataset may have no width on the other one.
        if (
            one is None
            or two is None
            or not np.all(alike(one, two, SAME))
            or len({i for law in laws for i in law.intervals}) > 1
        ):
            known[row.index] = Filled(chooser, laws)
    return known


def _chooses(row: Draw) -> bool:
    return row.kind == "mechanism" or (row.law == "choice" and np.ndim(row.value) == 0)


def _sum(session: Any, index: int) -> Optional[Use]:
    """The sum that a draw is first a part of, alone."""
    return next((u for u in session.uses if np.size(u.ids) == 1 and index in places_of(u.ids)), None)


def _interval(session: Any, index: int, summed: bool) -> Optional[Tuple[float, float]]:
    """What a uniform draw fills: from its bounds, or from its first sum; None where that is not known.

    summed   the draw is part of a sum: where it is not, it was multiplied by a width of 0.
    """
    row = session.rows.get(index)
    if row is None or any(np.ndim(row.params.get(name)) for name in ("low", "high")):
        return None
    low, high = float(row.params["low"]), float(row.params["high"])
    use = _sum(session, index)
    if use is None and summed:
        return None
    if use is None or int(np.ravel(use.ids)[0]) != index << BITS:
        return low, high
    factor, argument = float(np.ravel(use.factor)[0]), float(np.ravel(use.argument)[0])
    ends = sorted((argument + factor * low, argument + factor * high))
    return ends[0], ends[1]


def _laws(pair: Pair, index: int, chooser: int, summed: bool) -> Tuple[Chosen, ...]:
    """The laws of a uniform draw on D and on D′; () where they cannot be read off."""
    laws = []
    for which, (known, run) in enumerate(pair.sides()):
        drawn = known.session.rows.get(chooser)
        if drawn is None or drawn.law != "choice" or int(drawn.params["a"]) > MOST_INTERVALS:
            return ()
        count, p = int(drawn.params["a"]), drawn.params.get("p")
        chances = np.full(count, 1.0 / count) if p is None else np.asarray(flat(p), dtype=float)
        intervals: List[Tuple[float, float]] = []
        for place in np.flatnonzero(chances):
            one = run(flips={("draw", chooser): type(drawn.value)(place)})
            interval = _interval(one.session, index, summed) if one.whole else None
            if interval is None or not interval[0] < interval[1]:
                return ()
            # Whoever sees which interval was chosen sees more than the number in it.
            if which == 0 and unlike_places(pair.recorded.output, one.output, 0.0):
                return ()
            intervals.append(interval)
        laws.append(Chosen(tuple(chances[chances > 0.0].tolist()), tuple(intervals)))
    return tuple(laws)
