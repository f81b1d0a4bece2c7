"""Other outcomes of coins on D′ that give the output of D, and their probabilities."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, Optional, Set, Tuple

import numpy as np

from .run import Run
from .session import BITS, Session, Where
from .shifts import Explanation, Pair, unlike_output

MOST_ALIKE = 4
"""Draws of one line up to which another outcome of one of them costs the ratio of probabilities."""
MOST_FLIPS = 80
"""Other outcomes of coins that are tried."""
MIRRORED = {
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
"""Comparisons with their operands exchanged."""


def flipped(pair: Pair, found: Explanation) -> Explanation:
    """Other outcomes of coins on D′ that give the output of D, found one after the other."""
    flips: Dict[Any, Any] = {}
    current = pair.replay(flips={("nothing", 0): 0})
    if current.error is not None:
        return found
    left = unlike_output(pair, current)
    tries = MOST_FLIPS
    while left and tries > 0:
        for key, outcome in _other_outcomes(current.session, pair.place):
            tries -= 1
            better = _better(pair, _with(flips, key, outcome), left)
            if better is not None:
                flips, current = better
                left = unlike_output(pair, current)
                break
            if tries <= 0:
                break
        else:
            break
    if left:
        return found
    one, other = chances(pair.recorded.session), chances(current.session)
    coins = {
        "logs": None,
        "where": list(current.session.compared[0]["where"]) if current.session.compared else None,
    }
    for session in (current.session, pair.recorded.session):
        for row in session.draws:
            if coins["where"] is None:
                coins["where"] = list(row["where"])
    if flips:
        key = next(iter(flips))
        events = [e for e in current.session.compared if ("outcome", e["key"]) == key]
        if events:
            coins["where"] = list(events[0]["where"])
        elif key[0] == "draw":
            coins["where"] = list(pair.recorded.session.draws[key[1]]["where"])
    counted = not _many_alike(pair, flips) and not _loops(pair.recorded.session, current.session)
    if one is not None and other is not None and counted:
        coins["logs"] = [one, other]
    result = Explanation(found.run, found.shifts, {}, [])
    result.coins = coins
    return result


def _many_alike(pair: Pair, flips: Dict[Any, Any]) -> bool:
    """Whether one of many coins of a line falls otherwise: the output may be a sum of them, whose law is not
    that of one coin."""
    draws = pair.recorded.session.draws
    for key in flips:
        if key[0] == "draw":
            where = next((row["where"] for row in draws if row["index"] == key[1]), None)
            if sum(row["where"] == where for row in draws) > MOST_ALIKE:
                return True
    return False


def _loops(one: Session, other: Session) -> bool:
    """Whether coins decide how often a line with a coin is passed.

    A loop that coins end is a sampler, of a geometric law for instance: an output is reached on more than one
    path, and the probability of a path is not that of the output.
    """
    return _ended_by_coins(
        [[event["where"] for event in session.compared] for session in (one, other)]
    ) or _ended_by_coins([[row["where"] for row in session.draws] for session in (one, other)])


def _ended_by_coins(runs: List[List[Where]]) -> bool:
    """Whether a line is passed by one run more often than by the other, and twice with nothing in between
    that both pass equally often, as they pass the head of a loop over the records."""
    counts = [Counter(run) for run in runs]
    steady = {where for where in counts[0] if counts[0][where] == counts[1][where]}
    for run in runs:
        passed: Set[Where] = set()
        for where in run:
            if where in steady:
                passed.clear()
            elif where in passed:
                return True
            else:
                passed.add(where)
    return False


def _better(pair: Pair, flips: Dict[Any, Any], left: int) -> Optional[Tuple[Dict[Any, Any], Run]]:
    """The flips, perhaps with one more of a coin that they bring about, and the run, if fewer entries
    differ."""
    known = {event["key"] for event in pair.frozen.session.compared}
    for align in ("insert", "skip"):
        trial = _with(flips, ("align", 0), align)
        run = pair.replay(flips=trial)
        if run.error is not None:
            continue
        if unlike_output(pair, run) < left:
            return trial, run
        for key, outcome in _other_outcomes(run.session, pair.place):
            if key[0] == "outcome" and key[1] not in known and key not in flips:
                further = _with(trial, key, outcome)
                second = pair.replay(flips=further)
                if second.error is None and unlike_output(pair, second) < left:
                    return further, second
    return None


def _with(flips: Dict[Any, Any], key: Any, outcome: Any) -> Dict[Any, Any]:
    found = dict(flips)
    found[key] = outcome
    return found


def _other_outcomes(session: Session, place: Optional[int]) -> List[Tuple[Any, Any]]:
    """Outcomes that coins could have had: each a key of `flips`, and the outcome."""
    found: List[Tuple[Any, Any]] = []
    for event in session.compared:
        outcome = event["outcome"]
        if event["what"] != "compare":
            continue
        if np.ndim(outcome) == 0:
            found.append((("outcome", event["key"]), np.bool_(not outcome)))
        else:
            flat_places = [place] if place is not None and place < np.size(outcome) else []
            flat_places += [i for i in range(min(np.size(outcome), 16)) if i != place]
            for one in flat_places:
                other = np.array(outcome)
                other.reshape(-1)[one] = not other.reshape(-1)[one]
                found.append((("outcome", event["key"]), other))
    for row in session.draws:
        if (
            row["kind"] == "coin"
            and np.ndim(row["value"]) == 0
            and row["law"] in ("choice", "integers", "randint")
        ):
            size = reach(row)
            if size is not None and size[1] - size[0] <= 16:
                for value in range(size[0], size[1]):
                    if value != row["value"]:
                        found.append((("draw", row["index"]), type(row["value"])(value)))
    return found


def reach(row: Dict[str, Any]) -> Optional[Tuple[int, int]]:
    """(low, high) of a draw of a place, high excluded."""
    params = row["params"]
    try:
        if "a" in params:
            return 0, int(params["a"])
        low, high = params.get("low"), params.get("high")
        return (0, int(low)) if high is None else (int(low), int(high))
    except (TypeError, ValueError):
        return None


def chances(session: Session) -> Optional[float]:
    """log-probability of the outcomes of all coins of a run; None where the law of one is not known."""
    total = 0.0
    draws = session.rows
    for event in session.compared:
        if event["what"] != "compare":
            return None
        first, second = event["first"], event["second"]
        if (first["ids"] is None) == (second["ids"] is None):
            return None
        noise, other = (first, second) if first["ids"] is not None else (second, first)
        name = str(event["name"])
        if first["ids"] is None:
            name = MIRRORED.get(name, name)
        levels = np.broadcast_to(np.asarray(other["value"], dtype=float), np.shape(noise["ids"]))
        for e, f, a, t, seen in zip(
            *map(
                np.ravel,
                (
                    noise["ids"],
                    noise["factor"],
                    noise["argument"],
                    levels,
                    np.broadcast_to(event["outcome"], np.shape(noise["ids"])),
                ),
            )
        ):
            row = draws.get(int(e) >> BITS)
            chance = (
                None
                if row is None or f == 0.0
                else chance_of(row, str(name if f > 0 else MIRRORED.get(str(name), name)), (t - a) / f)
            )
            if chance is None:
                return None
            chance = chance if seen else 1.0 - chance
            if chance <= 0.0:
                return None
            total += float(np.log(chance))
    for row in session.draws:
        if row["kind"] == "coin" and row["law"] == "choice" and np.ndim(row["value"]) == 0:
            p = row["params"].get("p")
            if p is not None:
                total += float(np.log(max(np.asarray(p, dtype=float)[int(row["value"])], 1e-300)))
    return total


def chance_of(row: Dict[str, Any], name: str, level: float) -> Optional[float]:
    """P(noise `name` level) for a uniform number, a whole number of a range, or a bit."""
    params = row["params"]
    if row["law"] == "uniform" and np.ndim(params["low"]) == 0 and np.ndim(params["high"]) == 0:
        below = (level - params["low"]) / (params["high"] - params["low"])
        below = min(1.0, max(0.0, float(below)))
        return {"less": below, "less_equal": below, "greater": 1 - below, "greater_equal": 1 - below}.get(
            name
        )
    if row["law"] in ("integers", "randint"):
        size = reach(row)
        if size is None or size[1] - size[0] > 1_000_000:
            return None
        values = np.arange(size[0], size[1])
        return float(np.mean(getattr(np, name)(values, level)))
    if row["law"] == "binomial" and np.ndim(params["p"]) == 0 and params["n"] == 1:
        p = float(params["p"])
        return float(sum(w for v, w in ((0, 1 - p), (1, p)) if getattr(np, name)(v, level)))
    return None
