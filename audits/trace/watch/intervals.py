"""A uniform number in an interval that a private draw chose: its density is known where the choice is.

The exponential mechanism over the gaps between records, then a uniform number in the gap, releases a
quantile. Its density on D is Σ pᵢ·1[x in gap i]/width of gap i. The gaps on both datasets are read off runs
in which the choice falls on each of them.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .run import Run
from .session import BITS, Session
from .shifts import Explanation, Pair
from .values import SAME, alike, flat, unlike_places

MOST_INTERVALS = 256
"""Intervals among which is chosen."""


class Filled:
    """A uniform draw in a chosen interval. chooser: the draw that chose; laws: of D and of D′, each with the
    "chances" and the "intervals" (low, high); None where they cannot be read off."""

    def __init__(self, chooser: int, laws: Optional[List[Dict[str, Any]]]) -> None:
        self.chooser, self.laws = chooser, laws


def filled(pair: Pair, found: Explanation) -> Dict[int, Filled]:
    """The uniform draws, by their places, whose interval depends on the data and was chosen before."""
    known: Dict[int, Filled] = {}
    for row in pair.recorded.session.draws:
        other = found.run.session.rows.get(row["index"])
        if row["law"] != "uniform" or other is None or row["shape"] != ():
            continue
        one, two = (
            _interval(session, row["index"]) for session in (pair.recorded.session, found.run.session)
        )
        choosers = [r for r in pair.recorded.session.draws[: row["index"]] if _chooses(r)]
        selected = any(event["what"] != "compare" for event in pair.recorded.session.compared)
        if one is None or two is None or not (choosers or selected):
            continue
        moved = not bool(np.all(alike(one, two, SAME)))
        chooser = choosers[-1]["index"] if choosers else -1
        laws = _laws(pair, row["index"], chooser) if choosers else None
        if moved or (laws is not None and len({i for law in laws for i in law["intervals"]}) > 1):
            known[row["index"]] = Filled(chooser, laws)
    return known


def _chooses(row: Dict[str, Any]) -> bool:
    return row["kind"] == "mechanism" or (row["law"] == "choice" and np.ndim(row["value"]) == 0)


def _interval(session: Session, index: int) -> Optional[Tuple[float, float]]:
    """What a uniform draw fills: from its bounds, or from the sum that it is first a part of."""
    row = session.rows.get(index)
    if row is None or any(np.ndim(row["params"].get(name)) for name in ("low", "high")):
        return None
    low, high = float(row["params"]["low"]), float(row["params"]["high"])
    for use in session.uses:
        if np.size(use["ids"]) == 1 and int(np.ravel(use["ids"])[0]) == index << BITS:
            factor, argument = (float(np.ravel(use[name])[0]) for name in ("factor", "argument"))
            low, high = sorted((argument + factor * low, argument + factor * high))
            break
    return low, high


def _laws(pair: Pair, index: int, chooser: int) -> Optional[List[Dict[str, Any]]]:
    laws = []
    for which, run in enumerate((pair.again, pair.replay)):
        drawn = (pair.recorded if which == 0 else pair.frozen).session.rows.get(chooser)
        if drawn is None or drawn["law"] != "choice" or int(drawn["params"]["a"]) > MOST_INTERVALS:
            return None
        count = int(drawn["params"]["a"])
        chances = drawn["params"].get("p")
        chances = np.full(count, 1.0 / count) if chances is None else np.asarray(flat(chances), dtype=float)
        intervals = []
        for place in np.flatnonzero(chances):
            one: Run = run(flips={("draw", chooser): type(drawn["value"])(place)})
            if one.error is not None or one.session.diverged is not None:
                return None
            # Whoever sees which interval was chosen sees more than the number in it.
            if which == 0 and unlike_places(pair.recorded.output, one.output, 0.0):
                return None
            interval = _interval(one.session, index)
            if interval is None or not interval[0] < interval[1]:
                return None
            intervals.append(interval)
        laws.append({"chances": chances[chances > 0.0].tolist(), "intervals": intervals})
    return laws
