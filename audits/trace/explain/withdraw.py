"""Takes back what may be the work of noise that the trace could not follow.

A library may turn its noise into plain numbers before it adds them to anything. What a program makes of such
a sum is post-processing, and still differs between D and D′ when their draws are the same. So all draws of
that kind are made anew: what then changes on one dataset alone is no proof, and is called lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import places_of
from ..record.values import CLOSE, SAME, differences, flat
from ..records import About, Draw, Finding, Lost, Row
from ..replay.shifts import Pair, Release
from .chance import indices, unfollowed

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
DEPENDS = "its argument depends on noise that cannot be followed"
BOUND = "its argument depends on noise that cannot be followed, which may hide the data, too"
STARTS = "its argument depends on noise that the program starts from, which may hide the data, too"
PARTED = "the runs on D and D′ draw differently, as it may be by noise that cannot be followed"
"""Why a row of the ledger has no cost."""
Key = Tuple[str, str, int]
Said = Tuple[List[Row], List[Finding], List[Lost]]
"""Rows of the ledger, findings, and what is lost."""


def withdrawn(pair: Pair, release: Release, said: Said, proved: Set[Key]) -> Said:
    """Rows, findings and what is lost without what changes where draws that nobody followed are made anew.

    Findings on outputs are not looked at: `chance.never_noised` has looked at them before they were made.

    proved   findings that earlier runs kept: they are not doubted again, and costs do not matter beside them.
             Findings that this run keeps are added.
    """
    rows, findings, lost = said
    loose = unfollowed(pair)
    doubted = [f for f in findings if key(f) not in proved and f.kind in NAMES]
    sure = any(key(f) in proved for f in findings) or release.mode == "coupled"
    costs = [] if sure else [row for row in rows if _costs(row)]
    if not loose or not (doubted or costs):
        return said
    kept, moved, apart = _unchanged(pair, doubted, costs, loose)
    proved |= set(map(key, kept))
    taken = [finding for finding in doubted if finding not in kept]
    words = loose[0].law.replace("mechanism ", ""), loose[0].where[1]
    lost = lost + [Lost(finding.where, MAY_BE % (NAMES[finding.kind], *words)) for finding in taken]
    parted = any(finding.kind == "path" for finding in taken)
    said_of = {row.index: _why(row.index, parted, moved, apart) for row in costs}
    rows = [replace(row, **said_of.get(row.index, {})) for row in rows]
    return rows, [finding for finding in findings if finding not in taken], lost


def _why(index: int, parted: bool, moved: Set[int], apart: Set[int]) -> Dict[str, str]:
    """Why the cost of a draw is not known, or is a bound: its arguments on D and on D′ move alike."""
    if parted or index in apart:
        return {"unknown": PARTED if parted else DEPENDS}
    return {"bound": BOUND} if index in moved else {}


def bounded(pair: Pair, rows: List[Row], fixed: FrozenSet[int]) -> List[Row]:
    """The rows, of which those are upper bounds whose arguments depend on draws that are taken as fixed."""
    moved: Set[int] = set()
    for k in range(FEW if fixed and any(map(_costs, rows)) else 0):
        for before, run in pair.sides():
            moved |= moved_draws(before, run(redraw=fixed, variant=k + 1))
    return [replace(row, bound=STARTS) if row.index in moved and _costs(row) else row for row in rows]


def _shifted(row: Row) -> bool:
    return row.shift is not None and bool(np.any(np.asarray(row.shift) != 0.0))


def key(finding: Finding) -> Key:
    """What one finding is told from another by."""
    return (finding.kind, *finding.where[:2])


def _unchanged(
    pair: Pair, doubted: List[Finding], costs: Sequence[Row], loose: Sequence[Draw]
) -> Tuple[List[Finding], Set[int], Set[int]]:
    """The findings that stay where draws are made anew, the draws whose arguments do not, and those of which
    the difference between the arguments on D and on D′ does not."""
    moved: Set[int] = set()
    apart: Set[int] = set()
    redrawn, left = indices(loose), list(doubted)
    for k in range(RUNS):
        open_costs = k < FEW and any(row.index not in moved for row in costs)
        if not left and not open_costs:
            break
        sides = [(before, run(redraw=redrawn, variant=k + 1)) for before, run in pair.sides()]
        left = [f for f in left if not any(_changes(f, *side) for side in sides)]
        if open_costs:
            moved = moved.union(*(moved_draws(*side) for side in sides))
            apart |= _moved_apart(*zip(*sides))
    return left, moved, apart


def _moved_apart(before: Tuple[Run, Run], after: Tuple[Run, Run]) -> Set[int]:
    """Draws whose arguments on D and on D′ are another distance apart than before, or have other
    parameters."""
    found = {row.index for run, now in zip(before, after) for row in _otherwise_drawn(run, now)}
    known = [{use.key: use for use in run.session.uses} for run in (*before, *after)]
    for name in set(known[0]).intersection(*known[1:]):
        a, b, c, d = (np.asarray(uses[name].argument, dtype=float) for uses in known)
        close = CLOSE if np.asarray(known[0][name].value).dtype == np.float32 else SAME
        alike = a.shape == b.shape == c.shape == d.shape
        with np.errstate(invalid="ignore"):  # an argument may be infinite
            if not alike or not np.all(np.abs((a - b) - (c - d)) <= close * _size(a, b, c, d)):
                found |= places_of(known[0][name].ids)
    return found


def _size(*arguments: Any) -> Any:
    return np.maximum(1.0, sum(map(np.abs, arguments)))


def _costs(row: Row) -> bool:
    """Whether the argument of a row, or a parameter, differs between D and D′."""
    if row.unlike:
        return True
    if row.kind == "mechanism":
        return bool(differences(row.given[0], row.given[1], SAME))
    return _shifted(row)


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
