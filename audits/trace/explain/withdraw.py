"""Takes back what may be the work of noise that the trace could not follow.

A library may turn its noise into plain numbers before it adds them to anything. What a program makes of such
a sum is post-processing, and still differs between D and D′ when their draws are the same. So all draws of
that kind are made anew: what then changes on one dataset alone is no proof, and is called lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Collection, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import places_of
from ..record.values import CLOSE, SAME, differences, flat
from ..records import About, Draw, Finding, Lost, Row
from ..replay.shifts import Pair, Release
from .chance import indices, unfollowed
from .derived import drawn_in

RUNS = 24
"""Runs on each dataset in which the draws are made anew. A fair coin repeats its first outcome in all runs on
both datasets with probability 2⁻⁴⁸. An event that is rare on D and on D′, and has happened on D alone, is
absent from the first new run on D with a probability near 1."""
FEW = 4
"""Runs in which arguments are looked at: continuous noise moves them in the first."""
MAY_BE = "%s may depend on noise that cannot be followed, such as %s drawn at line %d"
"""Said of what is taken back."""
NAMES = {
    "path": "which draws follow",
    "exception": "whether the program raises an exception",
    "scale": "the scale of the noise",
    "nan": "whether the argument is finite",
    "parameter": "the parameter",
}
"""Kinds of findings that noise which nobody followed may explain."""
BOUND = "noise that cannot be followed, or that the program starts from, may hide the data, too"
"""Why the cost of a row is no more than an upper bound."""
Key = Tuple[str, str, int]
Said = Tuple[List[Row], List[Finding], List[Lost]]
"""Rows of the ledger, findings, and what is lost."""


def withdrawn(pair: Pair, release: Release, said: Said, told: Collection[Key]) -> Said:
    """Rows, findings and what is lost without what changes where draws that nobody followed are made anew.
    Costs are upper bounds where they depend on draws of which nobody saw anything.

    Findings on outputs are not looked at: `chance.never_noised` has looked at them before they were made.

    told   findings of earlier runs: they are not doubted again.
    """
    rows, findings, lost = said
    loose, session = unfollowed(pair), pair.recorded.session
    kept = _unchanged(pair, [f for f in findings if key(f) not in told and f.kind in NAMES], loose)
    taken = [f for f in findings if f.kind in NAMES and key(f) not in told and f not in kept]
    for finding in taken:
        words = NAMES[finding.kind], loose[0].law.replace("mechanism ", ""), loose[0].where[1]
        lost = [*lost, Lost(finding.where, MAY_BE % words)]
    unseen = indices(loose).difference(*(drawn_in(session.row, use.ids) for use in session.uses))
    if taken or session.changes.fixed:
        rows = [replace(row, bound=BOUND) for row in rows]
    elif unseen and release.mode != "coupled":
        moved = _moved(pair, unseen)
        # A comparison has no draw of its own.
        rows = [replace(r, bound=BOUND) if r.index in moved or (moved and r.index < 0) else r for r in rows]
    return rows, [finding for finding in findings if finding not in taken], lost


def _moved(pair: Pair, draws: FrozenSet[int]) -> Set[int]:
    """The draws whose arguments depend on draws, which are made anew."""
    both = [(one, run(redraw=draws, variant=k + 1)) for one, run in pair.sides() for k in range(FEW)]
    return set().union(*(moved_draws(*runs) for runs in both))


def key(finding: Finding) -> Key:
    """What one finding is told from another by."""
    return (finding.kind, *finding.where[:2])


def _unchanged(pair: Pair, doubted: List[Finding], loose: Sequence[Draw]) -> List[Finding]:
    """The findings that stay where draws are made anew."""
    redrawn, left = indices(loose), list(doubted)
    for k in range(RUNS if loose else 0):
        if left:
            sides = [(before, run(redraw=redrawn, variant=k + 1)) for before, run in pair.sides()]
            left = [f for f in left if not any(_changes(f, *side) for side in sides)]
    return left


def _changes(finding: Finding, before: Run, run: Run) -> bool:
    """Whether what was found is otherwise in a run on the same data with draws made anew."""
    about = finding.about
    if finding.kind == "exception":
        return (run.error is None) != (before.error is None)
    if finding.kind == "path":
        return _path(run) != _path(before)
    if about is None or about.what == "moved":
        return False
    now, known = observed(run, about), observed(before, about)
    return now is not None and known is not None and bool(differences(known, now, SAME))


def observed(run: Run, about: About) -> Any:
    """What differs between D and D′, as it is in a run; None where the run does not have it."""
    session, name = run.session, about.key
    if about.what == "seed":
        return session.seeds[name][1] if name < len(session.seeds) else None
    if about.what == "parameter":
        row = session.rows.get(name[0])
        return None if row is None else flat(row.params.get(name[1]))
    return next((flat(getattr(use, about.what)) for use in session.uses if use.key == name), None)


def _path(run: Run) -> Tuple[Optional[int], int]:
    """Where the draws of a run leave those of the first run on D, and how many there are."""
    return run.session.diverged, len(run.session.draws)


def moved_draws(recorded: Run, run: Run) -> Set[int]:
    """Draws whose argument or parameters have changed in a second run on the same data."""
    known = {use.key: use for use in recorded.session.uses}
    found: Set[int] = set()
    for use in run.session.uses:
        other = known.get(use.key)
        # A sum in single precision has that precision on every path to it.
        tolerance = CLOSE if np.asarray(use.value).dtype == np.float32 else SAME
        if other is not None and differences(flat(other.argument), flat(use.argument), tolerance):
            found |= places_of(use.ids)
    return found | {row.index for row in _otherwise_drawn(recorded, run)}


def _otherwise_drawn(recorded: Run, run: Run) -> List[Draw]:
    """Draws that are given something else in a second run on the same data."""
    both = [(row, run.session.rows.get(row.index)) for row in recorded.session.draws]
    return [row for row, now in both if now is not None and differences(_given(row), _given(now), SAME)]


def _given(row: Draw) -> Any:
    """What a draw is given: its parameters and, of a mechanism, its argument."""
    return [flat(dict(row.params)), flat(row.argument) if row.kind == "mechanism" else None]
