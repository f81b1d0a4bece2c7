"""Whether what differs between D and D′ may be chance: draws that nobody saw released could have noised it.

"Never noised" is said of a value only where it stays as it is when every such draw is made anew.
"""

from __future__ import annotations

import time
from typing import Any, Collection, Dict, FrozenSet, List, Optional, Sequence, Union

from ..record.laws import reach
from ..record.values import ROUNDING, covers, differences, flat, shown, unlike_places
from ..records import Draw, Lost, Where
from ..replay.shifts import MOST_PLACES, Difference, Pair, Release, in_comparisons
from .derived import drawn_in, parents_of

COINS = "coins of few outcomes may be what noises the output"
COMPARED = "the outcome of a comparison with noise may be what noises the output"
ANEW, FEWEST_ANEW = 64, {True: 3, False: 24}
"""Runs on D in which draws are made anew, and the fewest that tell anything: of continuous noise, and of
coins, whose sum is what it was with a probability that may be near 1."""
FINE = 1024
"""Outcomes from which on a whole number may be what a library makes its noise of."""
SECONDS = 1.0
"""Processor time that runs with coins made anew may take."""


def never_noised(pair: Pair, found: Release, sure: Collection[str] = ()) -> Union[Difference, Lost]:
    """The first place of the output that differs and depends on no draw that may have noised it, or what is
    not known.

    sure   places of which an earlier run has told that: they are not looked at again.
    """
    places = unlike_places(pair.recorded.output, found.run.output, 0.0, most=MOST_PLACES) or found.unlike
    if places and places[0][0] in sure:
        return places[0]
    rows = unfollowed(pair)
    still = _still(pair, places, indices(rows))
    if not still:
        row = rows[0]
        what = "the noise of %s was turned into plain numbers before it was added to anything"
        if row.kind == "coin":
            what = "what the program makes of a draw of %s cannot be followed, and may be noise"
        return Lost(row.where, what % row.law + "; " + unlike_words(places[0]))
    coins = _plain_coins(pair.recorded.session)
    unmoved = _still(pair, still, frozenset(coins))
    if unmoved:
        return unmoved[0]
    row = pair.recorded.session.rows[min(coins)]
    words = (COINS if row.kind == "coin" else COMPARED) + "; " + unlike_words(still[0])
    return Lost(row.where, words)


def unlike_words(place: Difference) -> str:
    """What is said of a place of the output that differs."""
    path, a, b = place
    name = path if path.startswith("the ") else "output" + path
    words = "%s is %s on D and %s on D′, with every release the same: it was never noised"
    return words % (name, shown(a), shown(b))


def unfollowed(pair: Pair) -> List[Draw]:
    """Draws, and calls that may return noise, of which nobody saw where their values went.

    Mechanisms that are given the same on both datasets may return noise that is added later.
    """
    other = pair.frozen.session.rows
    called = [
        row
        for row in pair.recorded.session.draws
        if row.kind == "mechanism"
        and row.index in other
        and not differences(flat(row.argument), flat(other[row.index].argument), 0.0)
    ]
    # Noise that is drawn about a number on either dataset is part of a sum.
    alone = [
        r for r in _unreleased(pair.recorded.session) if r.kind == "coin" or not _about(other.get(r.index))
    ]
    return alone + called


def _about(row: Optional[Draw]) -> bool:
    return row is not None and row.argument is not None


def _unreleased(session: Any) -> List[Draw]:
    """Draws that were neither added to data nor only compared: they may have become noise of any kind."""
    released = in_comparisons(session)
    for use in session.uses:
        released |= set() if use.soft else drawn_in(session.row, use.ids)
    return [
        row
        for row in session.draws
        if row.index not in released | session.changes.fixed
        and ((row.kind == "noise" and row.argument is None) or (row.kind == "coin" and _fine(row)))
    ]


def of_coins(session: Any, index: int) -> bool:
    """Whether noise is made of coins of few outcomes alone: where a number cannot be what it hides, other
    outcomes of theirs may be."""
    rows = [session.rows.get(parent) for parent in parents_of(session.row, index)]
    return all(row is not None and row.kind == "coin" and not _fine(row) for row in rows)


def _fine(row: Draw) -> bool:
    """Whether a coin has outcomes enough to make noise of it."""
    if row.law in ("bytes", "randbytes", "token_bytes", "token_hex", "token_urlsafe", "raw", "getrandbits"):
        return True
    bounds = reach(row.law, row.params) if row.law == "integers" else None
    return bounds is not None and bounds[1] - bounds[0] >= FINE


def indices(rows: Sequence[Draw]) -> FrozenSet[int]:
    """The names of draws."""
    return frozenset(row.index for row in rows)


def _still(pair: Pair, places: Sequence[Difference], redrawn: FrozenSet[int]) -> List[Difference]:
    """The places of the output on D that stay as they are when draws are made anew; none where too few runs
    can be made."""
    left, began, runs = list(places), time.process_time(), 0
    while redrawn and left and runs < ANEW and time.process_time() - began < SECONDS:
        runs += 1
        run = pair.again(redraw=redrawn, variant=runs)
        if run.error is None:
            changed = unlike_places(pair.recorded.output, run.output, ROUNDING, most=10 * MOST_PLACES)
            left = [place for place in left if not any(covers(path, place[0]) for path, _, _ in changed)]
    smooth = all(row.kind == "noise" for row in pair.recorded.session.draws if row.index in redrawn)
    return left if not redrawn or runs >= FEWEST_ANEW[smooth] else []


def _plain_coins(session: Any) -> Dict[int, Where]:
    """Lines of draws of few outcomes, and of those that are compared, by their names.

    Orders, and a single choice by probabilities, are released as they are; several such choices in one draw
    may be the bits of unary encoding, into which data are written afterwards.
    """
    coins = {
        row.index: row.where
        for row in session.draws
        if row.kind == "coin"
        and row.law != "permutation"
        and (row.params.get("p") is None or row.shape != ())
    }
    compared = {index: session.rows.get(index) for index in in_comparisons(session)}
    coins.update({index: row.where for index, row in compared.items() if row is not None})
    return coins
