"""Where two runs part by themselves: errors, seeds, other draws, and programs that are not deterministic."""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..record.ended import told
from ..record.run import Run, last_line
from ..record.session import places_of, same
from ..record.values import SAME, alike, shown, unlike_places
from ..records import BITS, NOWHERE, About, Draw, Finding, Lost, Seed, Where
from ..replay.shifts import made_of
from .derived import drawn_in, elements_of, parents_of, radial

OPAQUE = "%s adds noise to a function (objective perturbation): what that costs is not known"
LOOP = "a loop adds numbers to noise one by one: which of its sums is released is not known"
REUSED = (
    "the noise of %s is part of several sums, which are not independent: what they cost together is not known"
)
UNSURE = "the program is not deterministic given its draws: "


def undetermined(recorded: Run, again: Run) -> Optional[Lost]:
    """The line at which a second run on the same data with the same draws does otherwise; None where it does
    the same."""
    one, other = recorded.session, again.session
    if other.diverged is not None or len(other.draws) != len(one.draws):
        short = min(len(one.draws), len(other.draws))
        place = short if other.diverged is None else other.diverged
        rows = other.draws if place < len(other.draws) else one.draws
        where = rows[place].where if place < len(rows) else NOWHERE
        return Lost(where, UNSURE + "with the same data and draws its draws differ")
    if (recorded.error is None) != (again.error is None):
        return Lost(recorded.where or again.where or NOWHERE, UNSURE + "an error comes and goes")
    known = {use.key: use for use in one.uses}
    for use in other.uses:
        if use.key in known and not same(known[use.key].argument, use.argument):
            why = "(threads, time, hash order, or a source that is not watched)"
            words = "with the same data and draws, noise is added to another number " + why
            return Lost(use.where, UNSURE + words)
    unlike = unlike_places(recorded.output, again.output, 0.0) if recorded.error is None else []
    if not unlike:
        return None
    what = "draws from a source that is not watched, or"
    if one.draws:
        what = "draws from a source that is not watched, is not deterministic (threads, time, hashes), or"
    text = "the program %s changes what it is given: with the same data and draws output%s is %s and %s"
    return Lost(last_line(recorded), text % (what, unlike[0][0], shown(unlike[0][1]), shown(unlike[0][2])))


def seeds(recorded: Run, frozen: Run) -> List[Finding]:
    """Generators that start from another number on D′."""
    found = []
    for k, ((where, one), (_, other)) in enumerate(zip(recorded.session.seeds, frozen.session.seeds)):
        if one != other:
            text = "a generator is seeded with %s on D and with %s on D′: its noise depends on the data"
            about = About("seed", k, one, other)
            found.append(Finding("parameter", where, text % (one[:60], other[:60]), about))
    return found


def twins(recorded: Run) -> List[Lost]:
    """Generators that draw and start from the same number: their noise is not independent, so that costs do
    not add up."""
    drawing: Dict[int, Seed] = {
        id(r.origin): r.origin for r in recorded.session.draws if r.origin is not None
    }
    first: Dict[str, Where] = {}
    found = []
    for where, seed in drawing.values():
        if seed in first:
            place = "%s:%d" % (os.path.basename(first[seed][0]), first[seed][1])
            text = "this generator starts from the same number as that of %s: their noise is the same"
            found.append(Lost(where, text % place))
        first.setdefault(seed, where)
    return found


def close(one: float, other: float) -> bool:
    """Whether two numbers are the same but for rounding."""
    return math.isclose(one, other, rel_tol=SAME)


def reused(recorded: Run, frozen: Run) -> List[Lost]:
    """Noise that hides what differs and is part of several sums, as it is or in functions that share draws:
    they are not independent, and their differences may have no noise."""
    one, now = recorded.session, frozen.session.sums_by_key()
    inner = set().union(*(made_of(one, index) for index in one.functions))
    uses = [use for use in one.uses if use.fresh and not places_of(use.ids) & inner]
    often = Counter(draw for use in uses for draw in drawn_in(one.row, use.ids))
    seen: Dict[int, Tuple[float, float]] = {}
    moved: Set[int] = set()
    several: Dict[int, Where] = {}
    for use in uses:
        if not (places_of(use.ids) & set(one.functions) or any(often[d] > 1 for d in places_of(use.ids))):
            continue
        columns = [np.broadcast_to(x, use.ids.shape).ravel() for x in (use.argument, use.value)]
        other = np.broadcast_to(now.get(use.key, use).argument, use.ids.shape).ravel()
        unlike = ~alike(columns[0], other, SAME)
        whole = any(radial(one, index) is not None for index in places_of(use.ids))
        numbers = zip(*(column.tolist() for column in columns))
        for element, number, differs in zip(np.ravel(use.ids).tolist(), numbers, unlike):
            parts = (element,) if whole else elements_of(one, element)
            for draw in parts if element >= 0 else ():
                moved |= {draw} if differs else set()
                # One number may stand twice, as in a symmetric matrix.
                if not all(map(close, seen.setdefault(draw, number), number)):
                    several.setdefault(draw, use.where)
    found = [draw for draw in several if draw in moved][:1]
    laws = [one.rows[min(parents_of(one.row, draw >> BITS))].law for draw in found]
    return [Lost(several[draw], REUSED % law) for draw, law in zip(found, laws)]


def told_apart(recorded: Run, frozen: Run) -> List[Finding]:
    """An error that comes on one dataset alone tells which it is."""
    run, name = (recorded, "D") if recorded.error is not None else (frozen, "D′")
    if run.error is None:
        return []
    kind, _, words = told(run.error).partition(": ")
    text = "%s is raised on %s and not on the other dataset: %s" % (kind, name, words)
    return [Finding("exception", run.where or NOWHERE, text)]


def sequence(recorded: Run, frozen: Run) -> List[Finding]:
    """Where the runs draw other laws, or in another order."""
    one, other = recorded.session.draws, frozen.session.draws
    place = frozen.session.diverged
    if place is None and len(one) != len(other) and frozen.error is None:
        place = min(len(one), len(other))
    if place is None:
        return []
    row = other[place] if place < len(other) else one[place]
    words = "which draws are made depends on the data and not on released values alone: "
    return [Finding("path", row.where, words + _parting(one, other, place))]


def _parting(one: Sequence[Draw], other: Sequence[Draw], place: int) -> str:
    """Where two runs draw differently, in words."""
    counts = [Counter(row.where for row in rows) for rows in (one, other)]
    now = [rows[place] for rows in (one, other) if place < len(rows)]
    if len(now) == 1 or now[0].where != now[1].where:
        for row in now:
            times = [count[row.where] for count in counts]
            if times[0] != times[1]:
                words = ["once" if n == 1 else "never" if n == 0 else "%d times" % n for n in times]
                return "line %d draws %s on D and %s on D′" % (row.where[1], *words)
    return "%s is drawn on D, %s on D′" % (_drawn(now[0]), _drawn(now[-1]))


def _drawn(row: Draw) -> str:
    shape = "" if row.shape == () else " of shape %s" % (row.shape,)
    return "%s%s in line %d" % (row.law, shape, row.where[1])


def strange(one: Any, other: Any) -> Optional[Lost]:
    """What may draw, or add noise, in a way that is not followed: what differs may be its work."""
    for where, name in one.strangers + other.strangers:
        return Lost(where, "%s draws by a law that is not followed" % name)
    for where, name in one.opaque:
        return Lost(where, OPAQUE % name)
    where = one.loop or other.loop
    return where and Lost(where, LOOP)
