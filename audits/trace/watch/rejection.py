"""Noise that is drawn again until a sum with it lies where it should: the law of what is kept is another one.

What is rejected is not released, and costs nothing by itself. What is kept has the law of the sum, given that
it was accepted; the probability of that depends on the data, too.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

import numpy as np

from .coins import MIRRORED
from .run import Run
from .session import BITS, INSERTED, Session, drawn_by, same
from .shifts import Explanation, Pair
from .values import unlike_places

MOST_TRIED = 24
"""Draws that are tried."""
UNKNOWN = "noise is drawn again until it is accepted, by a rule that cannot be followed: its law is not known"


class Redrawn:
    """rejected: draws that were rejected. kept: what is known of those that were accepted, by their places:
    the "factor", the bounds "low" and "high" of the sum, and its arguments on D and D′; None where it is not
    known."""

    def __init__(self) -> None:
        self.rejected: Set[int] = set()
        self.kept: Dict[int, Optional[Dict[str, Any]]] = {}


def redrawn(pair: Pair, found: Explanation) -> Redrawn:
    """What is drawn again on the recorded path, or would be with another outcome of a comparison."""
    result, session = Redrawn(), pair.recorded.session
    rows = [row for row in session.draws if row["kind"] == "noise" and row["shape"] == ()]
    moved = [row for row in rows if np.any(found.shifts.get(row["index"], 0.0) != 0.0)]
    for row in moved[:MOST_TRIED]:
        after = session.rows.get(row["index"] + 1)
        if (
            after is not None
            and _same_draw(session, row, session, after)
            and _is_rejected(pair, row["index"])
        ):
            result.rejected.add(row["index"])
            result.kept.setdefault(after["index"], None)
    for row in moved[:MOST_TRIED]:
        if row["index"] in result.rejected:
            continue
        events = [event for event in session.compared if _of(event, row["index"])]
        if not events or not is_shown(pair.again, row):
            continue
        rules = [event for event in events if _is_rule(pair, row, event)]
        if rules:
            result.kept[row["index"]] = _region(pair, found, row["index"], rules)
    for index in result.rejected:
        result.kept.pop(index, None)
    return result


def _same_draw(one: Session, row: Dict[str, Any], other: Session, after: Dict[str, Any]) -> bool:
    """Whether two draws of one line hide the same number."""
    if row["law"] != after["law"] or row["where"] != after["where"]:
        return False
    first, second = _use(one, row["index"]), _use(other, after["index"])
    return first is not None and second is not None and same(first["argument"], second["argument"])


def _use(session: Session, index: int) -> Optional[Dict[str, Any]]:
    """The first sum with a number that the noise of a draw is a part of."""
    return next((use for use in session.uses if _element(use["ids"]) == index << BITS), None)


def _element(ids: Any) -> Optional[int]:
    return int(np.ravel(ids)[0]) if ids is not None and np.size(ids) == 1 else None


def _is_rejected(pair: Pair, index: int) -> bool:
    """Whether the run on D is the same without a draw, one draw shorter."""
    run = pair.again(gap=(index, 1))
    ended = run.error is None and run.session.diverged is None
    shorter = len(run.session.draws) == len(pair.recorded.session.draws) - 1
    return ended and shorter and not unlike_places(pair.recorded.output, run.output, 0.0)


def is_shown(again: Callable[..., Run], row: Dict[str, Any]) -> bool:
    """Whether the output moves with the least change of the noise of a draw."""
    size = 1e-7 * max(1.0, float(np.max(np.abs(np.asarray(row["value"], dtype=float)), initial=0.0)))
    steps = [np.full(row["shape"], step) for step in (0.0, size)]
    runs = [again(release="none", shifts={row["index"]: step}) for step in steps]
    return all(run.error is None for run in runs) and bool(unlike_places(runs[0].output, runs[1].output, 0.0))


def shown_draws(recorded: Run, again: Callable[..., Run]) -> FrozenSet[int]:
    """The draws that are added to data, compared, and shown by the output: they are released, and what they
    are compared with is made of what is released."""
    session = recorded.session
    compared = set().union(*(drawn_by(event["ids"], event) for event in session.compared))
    added = {
        int(e) >> BITS for use in session.uses if not use["soft"] for e in np.ravel(use["ids"]) if e >= 0
    }
    rows = [session.rows[index] for index in sorted(compared & added) if index in session.rows]
    return frozenset(row["index"] for row in rows[:MOST_TRIED] if is_shown(again, row))


def _is_rule(pair: Pair, row: Dict[str, Any], event: Dict[str, Any]) -> bool:
    """Whether the same noise is drawn again where a comparison ends otherwise."""
    run = pair.again(flips={("outcome", event["key"]): not event["outcome"]})
    new = [r for r in run.session.draws if r["index"] >= INSERTED and r["where"] == row["where"]]
    return bool(new) and _same_draw(pair.recorded.session, row, run.session, new[0])


def _of(event: Dict[str, Any], index: int) -> bool:
    """Whether a comparison is of the noise of a draw with a plain number."""
    if event["what"] != "compare" or np.ndim(event["outcome"]):
        return False
    elements = [_element(event[part]["ids"]) for part in ("first", "second")]
    return None in elements and index << BITS in elements


def _region(
    pair: Pair, found: Explanation, index: int, rules: List[Dict[str, Any]]
) -> Optional[Dict[str, Any]]:
    """What is known of the draw that was accepted."""
    sums = [_use(session, index) for session in (pair.recorded.session, found.run.session)]
    bounds = [_bounds(rules), _bounds([e for e in found.run.session.compared if e["key"] in _keys(rules)])]
    if sums[0] is None or sums[1] is None or bounds[0] is None or bounds[0] != bounds[1]:
        return None
    known = [use for use in sums if use is not None]
    factors, arguments = ([float(np.ravel(use[name])[0]) for use in known] for name in ("factor", "argument"))
    if factors[0] != factors[1]:
        return None
    low, high = bounds[0]
    return {"factor": factors[0], "low": low, "high": high, "arguments": arguments}


def _keys(rules: List[Dict[str, Any]]) -> Set[Any]:
    return {event["key"] for event in rules}


def _bounds(events: List[Dict[str, Any]]) -> Optional[Tuple[float, float]]:
    """The interval in which all comparisons end as they did."""
    low, high = -np.inf, np.inf
    for event in events:
        first, second = event["first"], event["second"]
        name = event["name"] if first["ids"] is not None else MIRRORED.get(event["name"], "")
        level = float(np.ravel((second if first["ids"] is not None else first)["value"])[0])
        if name not in MIRRORED:
            return None
        if name.startswith("greater") == bool(event["outcome"]):
            low = max(low, level)
        else:
            high = min(high, level)
    return (low, high) if events and low < high else None
