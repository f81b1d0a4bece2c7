"""Other outcomes of coins on D′ that give the output of D, and their probabilities."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..record.laws import MIRRORED, reach
from ..record.run import Run
from ..record.session import drawn_by
from ..records import BITS, Comparison, Draw, Row
from ..replay.shifts import Pair, Release, unlike_output

MOST_ALIKE = 4
"""Draws of one line up to which another outcome of one of them costs the ratio of probabilities."""
MOST_FLIPS = 80
"""Other outcomes of coins that are tried."""
MOST_OUTCOMES = 16
"""Outcomes of a draw, and entries of a comparison, that are tried."""
Flips = Dict[Any, Any]


def flipped(pair: Pair, found: Release) -> Optional[Release]:
    """Other outcomes of coins on D′ that give the output of D, found one after the other."""
    flips: Flips = {}
    current = pair.replay(flips={("nothing", 0): 0})
    if current.error is not None or not found.unlike:
        return None
    left = unlike_output(pair, current)
    tries = MOST_FLIPS
    while left:
        for key, outcome in _other_outcomes(current.session, pair.place):
            tries -= 1
            trial = {**flips, key: outcome}
            run = pair.replay(flips=trial)
            if run.error is None and unlike_output(pair, run) < left:
                flips, current, left = trial, run, unlike_output(pair, run)
                break
            if tries <= 0:
                return None
        else:
            return None
    one, other = chances(pair.recorded.session), chances(current.session)
    counted = not _many_alike(pair, flips) and not _loops(pair.recorded.session, current.session)
    logs = (one, other) if one is not None and other is not None and counted else ()
    rows = _rows(pair, current, flips)
    row = Row(-1, "coins", "coins", rows[0].where, logs=logs, origin=getattr(rows[-1], "origin", None))
    return Release(found.run, found.shifts, coins=row)


def _rows(pair: Pair, current: Run, flips: Flips) -> Sequence[Any]:
    """The first coin that falls otherwise, else the first that there is: its comparison, if it is one, and
    its draw."""
    sessions = (current.session, pair.recorded.session)
    for what, key in flips:
        events = [e for e in current.session.compared if what == "outcome" and e.key == key]
        drawn = drawn_by(events[0]) if events else {key}
        rows = [row for row in sessions[1].draws if row.index in drawn]
        if events or rows:
            return [*events[:1], *rows[:1]]
    return [*current.session.compared[:1], *(row for session in sessions for row in session.draws)]


def _many_alike(pair: Pair, flips: Flips) -> bool:
    """Whether one of many coins of a line falls otherwise: the output may be a sum of them, whose law is not
    that of one coin."""
    lines = [row.where for row in pair.recorded.session.draws]
    rows = pair.recorded.session.rows
    changed = [rows[key].where for what, key in flips if what == "draw" and key in rows]
    return any(lines.count(where) > MOST_ALIKE for where in changed)


def _loops(one: Any, other: Any) -> bool:
    """Whether coins decide how often a line draws or compares. Then several paths lead to an output, whose
    probability is the sum of theirs."""

    def passed(session: Any) -> List[Any]:
        return [Counter(row.where for row in rows) for rows in (session.compared, session.draws)]

    return passed(one) != passed(other)


def _other_outcomes(session: Any, place: Optional[int]) -> List[Tuple[Any, Any]]:
    """Outcomes that coins could have had: each a key of `Changes.flips`, and the outcome."""
    found: List[Tuple[Any, Any]] = []
    for event in session.compared:
        if event.what != "compare":
            continue
        entries = np.array(event.outcome).reshape(-1)
        first = [place] if place is not None and place < entries.size and np.ndim(event.outcome) else []
        for one in first + [i for i in range(min(entries.size, MOST_OUTCOMES)) if i not in first]:
            other = np.array(event.outcome)
            other.reshape(-1)[one] = not entries[one]
            found.append((("outcome", event.key), other if other.ndim else np.bool_(other)))
    for row in session.draws:
        bounds = reach(row.law, row.params) if row.kind == "coin" and np.ndim(row.value) == 0 else None
        if bounds is not None and bounds[1] - bounds[0] <= MOST_OUTCOMES:
            values = (type(row.value)(value) for value in range(*bounds) if value != row.value)
            found += [(("draw", row.index), value) for value in values]
    return found


def chances(session: Any) -> Optional[float]:
    """log-probability of the outcomes of all coins of a run; None where the law of one is not known."""
    total = 0.0
    for event in session.compared:
        found = outcomes(session, event)
        if found is None or min(found, default=1.0) <= 0.0:
            return None
        total += float(np.sum(np.log(found)))
    for row in session.draws:
        p = row.params.get("p")
        if row.kind == "coin" and row.law == "choice" and np.ndim(row.value) == 0 and p is not None:
            total += float(np.log(max(np.asarray(p, dtype=float)[int(row.value)], 1e-300)))
    return total


def outcomes(session: Any, event: Comparison) -> Optional[List[float]]:
    """The probabilities of the outcomes of one comparison, entry by entry; None where one is not known."""
    if event.second is None or (event.first.ids is None) == (event.second.ids is None):
        return None
    turned = event.first.ids is None
    noise, other = (event.second, event.first) if turned else (event.first, event.second)
    name = MIRRORED.get(event.name, event.name) if turned else event.name
    shape = np.shape(noise.ids)
    columns = [
        noise.ids,
        noise.factor,
        noise.argument,
        np.asarray(other.argument, dtype=float),
        event.outcome,
    ]
    found: List[float] = []
    for e, f, a, t, seen in zip(*(np.ravel(np.broadcast_to(column, shape)) for column in columns)):
        row = session.rows.get(int(e) >> BITS)
        if row is None or f == 0.0:
            return None
        chance = chance_of(row, name if f > 0 else MIRRORED.get(name, name), (t - a) / f)
        if chance is None:
            return None
        found.append(chance if seen else 1.0 - chance)
    return found


def chance_of(row: Draw, name: str, level: float) -> Optional[float]:
    """P(noise `name` level) for a uniform number, a whole number of a range, or a bit."""
    params: Mapping[str, Any] = row.params
    if row.law == "uniform" and np.ndim(params["low"]) == 0 and np.ndim(params["high"]) == 0:
        below = min(1.0, max(0.0, float((level - params["low"]) / (params["high"] - params["low"]))))
        return None if name not in MIRRORED else below if name.startswith("less") else 1.0 - below
    bounds = reach(row.law, params) if row.law == "integers" else None
    if bounds is not None and bounds[1] - bounds[0] <= 1_000_000:
        return float(np.mean(getattr(np, name)(np.arange(*bounds), level)))
    if row.law == "binomial" and np.ndim(params["p"]) == 0 and params["n"] == 1:
        weights: Sequence[Tuple[int, float]] = ((0, 1.0 - float(params["p"])), (1, float(params["p"])))
        return float(sum(w for value, w in weights if getattr(np, name)(value, level)))
    return None
