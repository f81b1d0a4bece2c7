"""Which draws the record that differs reaches through random subsets alone: that is tried, and not assumed.

Subsampling amplifies privacy only where a draw depends on a record through one fresh coin, and where nobody
sees how that coin fell. So coins are made to fall otherwise for the record, on D and on D′, with everything
that was released as it was: with its own coin on "is not in the subset" a draw must be the same on D and D′.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .run import Run
from .shifts import Pair
from .values import unlike_places
from .withdraw import moved_draws

MOST_COINS = 256
"""Coins of one run that are tried."""


class Coin:
    """What decides whether a record takes part: at, the number of draws before; key, as in `Session.flips`;
    taken and left, the outcomes with the record and without it."""

    def __init__(self, at: int, key: Tuple[str, Any], taken: Any, left: Any) -> None:
        self.at, self.key, self.taken, self.left = at, key, taken, left


def coins_of(session: Any, records: Tuple[int, int, int]) -> List[Coin]:
    """The random subsets of a run, in order."""
    have, _, place = records
    found: List[Coin] = []
    single: Dict[Any, List[Dict[str, Any]]] = {}
    for event in session.compared:
        if event["what"] != "compare":
            continue
        shape = np.shape(event["outcome"])
        if shape[:1] == (have,):
            outcomes = [_with(event["outcome"], place, value) for value in (True, False)]
            found.append(Coin(event["at"], ("outcome", event["key"]), *outcomes))
        elif shape == ():
            single.setdefault(event["where"], []).append(event)
    for events in single.values():
        for k in range(0, len(events) - have + 1, have):
            # One number for each record, in a loop over the records.
            last = events[k + have - 1]
            found.append(Coin(last["at"], ("outcome", events[k + place]["key"]), True, False))
    for row in session.draws:
        value, key = np.asarray(row["value"]), ("draw", row["index"])
        if row["law"] == "choice" and row["params"].get("replace") is False and value.ndim == 1:
            if row["params"].get("a") == have and 0 < value.size < have:
                found.append(Coin(row["index"] + 1, key, *_members(value, place)))
        elif row["law"] == "binomial" and value.shape[:1] == (have,):
            found.append(Coin(row["index"] + 1, key, _with(value, place, 1), _with(value, place, 0)))
    return sorted(found, key=lambda coin: coin.at)[:MOST_COINS]


def _with(values: Any, place: int, value: Any) -> Any:
    changed = np.array(values)
    changed[place] = value
    return changed


def _members(value: Any, place: int) -> Tuple[Any, Any]:
    """A subset with a record, and without it."""
    others = np.setdiff1d(np.arange(value.size + 2), np.append(value, place))
    if place in value:
        return value, np.where(value == place, others[0], value)
    return np.append(place, value[1:]), value


def sampled_lines(pair: Pair, records: Tuple[int, int, int]) -> Optional[List[List[Any]]]:
    """[file, line, factor] of draws that the record reaches through one fresh coin alone; None where there
    are no coins.

    factor   by how much farther than the records of D and D′ are apart, the argument is moved when the
             record is left out (0 where D′ lacks it): the distance that amplification goes by
             (Balle, Barthe and Gaboardi 2018, Theorem 2).
    """
    coins = coins_of(pair.recorded.session, records)
    if not coins:
        return None
    known = {}
    for bit in range(max(1, (len(coins) - 1).bit_length())):
        for parity in (0, 1):
            outs = [(i >> bit) & 1 == parity for i in range(len(coins))]
            known[bit, parity] = (outs, *_runs(pair, coins, outs))
    reached, spoilt = set(), set()
    for outs, first, second in known.values():
        if first is None or second is None:
            return []
        if unlike_places(pair.recorded.output, first.output, 0.0):
            return []  # the output shows how the coins have fallen
        for index in moved_draws(first, second):
            own = _own(coins, index, pair.recorded.session)
            (spoilt if own is None or outs[own] else reached).add(index)
    lines = {}
    every = dict(pair.recorded.session.functions)
    every.update(pair.recorded.session.rows)
    for index in sorted(reached - spoilt):
        row = every[index]
        lines[tuple(row["where"][:2])] = 1.0
    for index in spoilt:
        row = every[index]
        lines.pop(tuple(row["where"][:2]), None)
    return [[file, line, _factor(known, (file, line))] for file, line in lines]


def _runs(pair: Pair, coins: Sequence[Coin], outs: Sequence[bool]) -> Tuple[Optional[Run], Optional[Run]]:
    """The runs on D and on D′ with the record left out by some coins and taken by the others."""
    flips = {coin.key: coin.left if out else coin.taken for coin, out in zip(coins, outs)}
    runs = [run(flips=flips) for run in (pair.again, pair.replay)]
    fine = all(run.error is None and run.session.diverged is None for run in runs)
    return (runs[0], runs[1]) if fine else (None, None)


def _own(coins: Sequence[Coin], index: int, session: Any) -> Optional[int]:
    """The last coin before a draw."""
    row = session.functions.get(index)
    at = index if row is None else row["at"]
    before = [i for i, coin in enumerate(coins) if coin.at <= at]
    return before[-1] if before else None


def _factor(known: Dict[Any, Any], line: Tuple[str, int]) -> float:
    """max(|a − r|, |b − r|, |a − b|)/|a − b| of the arguments a on D, b on D′ and r without the record, in
    the worst of the norms L1 and L2."""
    runs = [[_arguments(run, line) for run in known[0, parity][1:]] for parity in (0, 1)]
    worst = 1.0
    for (with_first, with_second), (without, _) in (runs, runs[::-1]):
        for key, a in with_first.items():
            b, r = with_second.get(key), without.get(key)
            if b is None or r is None or not a.shape == b.shape == r.shape:
                return np.inf
            for norm in (1, 2):
                sizes = [float(np.linalg.norm(x, norm)) for x in (a - b, a - r, b - r)]
                if sizes[0] > 1e-12 * float(np.linalg.norm(a, norm)):
                    worst = max(worst, max(sizes) / sizes[0])
    return worst


def _arguments(run: Run, line: Tuple[str, int]) -> Dict[Any, Any]:
    return {
        use["key"]: np.ravel(use["argument"]) for use in run.session.uses if tuple(use["where"][:2]) == line
    }
