"""Which draws the record that differs reaches through random subsets alone: that is tried, and not assumed.

Subsampling amplifies privacy only where a draw depends on a record through one fresh coin, and where nobody
sees how that coin fell. So coins are made to fall otherwise for the record, on D and on D′, with everything
that was released as it was: with its own coin on "is not in the subset" a draw must be the same on D and D′.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import drawn_by
from ..record.values import unlike_places
from ..records import BITS, Batch, Comparison, Draw, Seed, Where
from ..replay.shifts import Pair
from .coins import outcomes
from .withdraw import moved_draws

MOST_COINS = 256
"""Coins of one run that are tried."""
Line = Tuple[str, int]
Runs = Tuple[Run, Run]


@dataclass(frozen=True)
class Coin:
    """What decides whether a record takes part: at, the number of draws before, where a loop begins to toss
    coins; key, as in `Changes.flips`; taken and left, the outcomes with the record and without it; rate, the
    probability to take part, None where it is unknown or differs between records; origin, as of a draw."""

    at: int
    key: Tuple[str, Any]
    taken: Any
    left: Any
    rate: Optional[float]
    origin: Optional[Seed] = None


def batches(pair: Pair, records: Tuple[int, int, int]) -> Tuple[Batch, ...]:
    """The random subsets of a run whose rate is known. A rate that differs between D and D′ is not known, but
    where a subset has a fixed size: then the larger rate counts. A dataset without records has no subsets."""
    have, want, _ = records
    sessions = (pair.recorded.session, (have, want, 0)), (pair.frozen.session, (want, have, 0))
    coins = [coins_of(session, sizes) for session, sizes in sessions if sizes[0]]
    found: List[Batch] = []
    for one, other in zip(coins[0], coins[-1]) if coins else ():
        if one.rate is not None and other.rate is not None:
            if one.key[0] == "draw" or abs(one.rate - other.rate) <= 1e-12:
                found.append(Batch(one.at, max(one.rate, other.rate), one.origin))
    return tuple(found)


def coins_of(session: Any, records: Tuple[int, int, int]) -> List[Coin]:
    """The random subsets of a run, in order."""
    have, _, place = records
    found: List[Coin] = []
    for event in session.compared:
        if event.what == "compare" and np.shape(event.outcome)[:1] == (have,):
            taken, left = (_with(event.outcome, place, value) for value in (True, False))
            key, rate = ("outcome", event.key), _rate(session, [event])
            found.append(Coin(event.at, key, taken, left, rate, _origin(session, event)))
    for events in _in_turn(session, have):
        key, rate = ("outcome", events[place].key), _rate(session, events)
        found.append(Coin(events[0].at, key, True, False, rate, _origin(session, events[place])))
    for row in session.draws:
        value, key = np.asarray(row.value), ("draw", row.index)
        subset = row.law == "choice" and row.params.get("replace") is False and value.ndim == 1
        if subset and row.params.get("a") == have and 0 < value.size < have:
            rate = value.size / have if row.params.get("p") is None else None
            found.append(Coin(row.index + 1, key, *_members(value, place), rate, row.origin))
        elif row.law == "binomial" and value.shape[:1] == (have,):
            one = np.size(row.params["p"]) == 1 and np.all(np.asarray(row.params["n"]) == 1)
            rate = float(np.ravel(row.params["p"])[0]) if one else None
            members = _with(value, place, 1), _with(value, place, 0)
            found.append(Coin(row.index + 1, key, *members, rate, row.origin))
    return sorted(found, key=lambda coin: coin.at)


def _rate(session: Any, events: Sequence[Comparison]) -> Optional[float]:
    """The probability that a comparison, made for each record, is True ("takes part"); None where it is
    unknown or differs between records."""
    found: List[float] = []
    for event in events:
        chances = outcomes(session, event)
        if chances is None:
            return None
        found += [p if seen else 1.0 - p for p, seen in zip(chances, np.ravel(event.outcome))]
    return found[0] if found and np.ptp(found) <= 1e-12 else None


def _in_turn(session: Any, have: int) -> List[List[Comparison]]:
    """Comparisons of one number for each record, in a loop over the records."""
    single: Dict[Where, List[Comparison]] = {}
    for event in session.compared:
        if event.what == "compare" and np.shape(event.outcome) == ():
            single.setdefault(event.where, []).append(event)
    return [
        events[k : k + have] for events in single.values() for k in range(0, len(events) - have + 1, have)
    ]


def coins_in_loops(session: Any, records: Tuple[int, int, int]) -> Dict[Any, int]:
    """Lines and laws of coins that loops over the records toss, with how often, as in `Changes.loops`."""
    have = records[0]
    times = Counter((row.where[:2], row.law) for row in session.draws if row.shape == ())
    coins = [row for event in session.compared if is_coin(session, event) for row in _drawn(session, event)]
    lines = {(row.where[:2], row.law) for row in coins if float(row.params["low"]) == 0.0}
    return {line: times[line] for line in lines if have and times[line] % have == 0 and times[line]}


def is_coin(session: Any, event: Comparison) -> bool:
    """Whether a uniform number is compared with a number that has no noise."""
    rows = _drawn(session, event)
    return len(rows) == 1 and rows[0].law == "uniform"


def first_used(session: Any) -> Dict[int, int]:
    """How many draws there were before something was added to the noise of a draw, which may be drawn before
    the coins of those that are added."""
    return {use.key[0] >> BITS: use.at for use in reversed(session.uses) if not use.soft}


def _drawn(session: Any, event: Comparison) -> List[Draw]:
    """The draws that are compared."""
    return [session.rows[index] for index in drawn_by(event) if index in session.rows]


def _origin(session: Any, event: Comparison) -> Optional[Seed]:
    return next((row.origin for row in _drawn(session, event)), None)


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


def sampled_lines(pair: Pair, records: Tuple[int, int, int]) -> Optional[Tuple[Tuple[str, int, float], ...]]:
    """(file, line, factor) of draws that the record reaches through one fresh coin alone; None where there
    are no coins.

    factor   by how much farther than the records of D and D′ are apart, the argument is moved when the
             record is left out (0 where D′ lacks it): the distance that amplification goes by
             (Balle, Barthe and Gaboardi 2018, Theorem 2).
    """
    session = pair.recorded.session
    coins = coins_of(session, records)[:MOST_COINS]
    if not coins:
        return None
    found: Dict[Tuple[int, int], Runs] = {}
    used = first_used(session)
    reached, spoilt = set(), set()
    for bit in range(max(1, (len(coins) - 1).bit_length())):
        for parity in (0, 1):
            outs = [(i >> bit) & 1 == parity for i in range(len(coins))]
            runs = _runs(pair, coins, outs)
            if runs is None:
                return ()
            found[bit, parity] = runs
            for index in moved_draws(*runs):
                row = session.row(index)
                if row is None:
                    return ()  # a draw that is only made where these coins fall otherwise
                drawn: int = row.at
                at = used.get(index, drawn)
                before = [i for i, coin in enumerate(coins) if coin.at <= at]
                (spoilt if not before or outs[before[-1]] else reached).add(index)
    lines = {tuple(session.row(index).where[:2]) for index in reached - spoilt}
    lines -= {tuple(session.row(index).where[:2]) for index in spoilt}
    return tuple((file, line, _factor(found, (file, line))) for file, line in sorted(lines))


def _runs(pair: Pair, coins: Sequence[Coin], outs: Sequence[bool]) -> Optional[Runs]:
    """The runs on D and on D′ with the record left out by some coins and taken by the others; None where the
    output shows how the coins have fallen, whether noise is released in its first sum or in its last one."""
    flips = {coin.key: coin.left if out else coin.taken for coin, out in zip(coins, outs)}
    for release in ("first", "last"):
        first, second = (run(flips=flips, release=release) for run in (pair.again, pair.replay))
        if first.whole and second.whole and not unlike_places(pair.recorded.output, first.output, 0.0):
            return first, second
    return None


def _factor(known: Dict[Tuple[int, int], Runs], line: Line) -> float:
    """max(|a − r|, |b − r|, |a − b|)/|a − b| of the arguments a on D, b on D′ and r without the record, in
    the worst of the norms L1 and L2."""
    runs = [[_arguments(run, line) for run in known[0, parity]] for parity in (0, 1)]
    worst = 1.0
    for (with_first, with_second), (without, _) in (runs, runs[::-1]):
        for key, a in with_first.items():
            # Where a batch is empty, nothing is added.
            b, r = (known.get(key, np.zeros_like(a)) for known in (with_second, without))
            if not a.shape == b.shape == r.shape:
                return np.inf
            for norm in (1, 2):
                sizes = [float(np.linalg.norm(x, norm)) for x in (a - b, a - r, b - r)]
                if sizes[0] > 1e-12 * float(np.linalg.norm(a, norm)):
                    worst = max(worst, max(sizes) / sizes[0])
    return worst


def _arguments(run: Run, line: Line) -> Dict[Any, Any]:
    """What the noise of a line is added to: the last sum of each operation."""
    rows = {use.key[:2]: run.session.row(use.key[0] >> BITS) for use in run.session.uses}
    lines = {name: row.where[:2] for name, row in rows.items() if row is not None}
    return {u.key[:2]: np.ravel(u.argument) for u in run.session.uses if lines.get(u.key[:2]) == line}
