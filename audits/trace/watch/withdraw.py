"""Takes back what may be the work of noise that the trace could not follow.

A library may turn its noise into plain numbers before it adds them to anything. What a program makes of such
a sum is post-processing, and still differs between D and D′ when their draws are the same. So all draws of
that kind are made anew: what then changes on one dataset alone is no proof, and is called lost.
"""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np

from .chance import indices, unfollowed
from .explain import alike_factors, factor_of
from .report import lost, observed
from .run import Run
from .session import BITS
from .shifts import Explanation, Pair
from .values import SAME, differences, flat

RUNS = 24
"""Runs on each dataset in which the draws are made anew. A fair coin repeats its first outcome in all runs on
both datasets with probability 2⁻⁴⁸. An event that is rare on D and on D′, and has happened on D alone, is
absent from the first new run on D with a probability near 1."""
FEW = 4
"""Runs in which arguments are looked at: continuous noise moves them in the first."""
MAY_BE = "%s may depend on noise that cannot be followed, such as %s"
"""Said of what is taken back."""
NAMES = {
    "path": "which draws follow",
    "exception": "whether the program raises an exception",
    "scale": "the scale of the noise",
    "nan": "whether the argument is finite",
}
DOUBTED = (*NAMES, "parameter")
"""Kinds of findings that noise which nobody followed may explain."""
DEPENDS = "its argument depends on noise that cannot be followed"
PARTED = "the runs on D and D′ draw differently, as it may be by noise that cannot be followed"
"""Why a row of the ledger has no cost."""


def withdraw(pair: Pair, found: Explanation, report: Dict[str, Any], proved: Set[Tuple[Any, ...]]) -> None:
    """Take back the findings, and the costs, that change where draws that nobody followed are made anew.

    Findings on outputs are not looked at: `chance.never_noised` has looked at them before they were made.

    proved   (kind, file, line) of findings that earlier runs kept: they are not doubted again, and costs do
             not matter beside them. Findings that this run keeps are added.
    """
    rows = unfollowed(pair)
    kept = [f for f in report["findings"] if _key(f) in proved]
    doubted = [f for f in report["findings"] if _key(f) not in proved and f["kind"] in DOUBTED]
    costs = [] if kept or found.release == "coupled" else [row for row in report["draws"] if _costs(row)]
    if not rows or not (doubted or costs):
        return
    taken, moved = _changed(pair, doubted, costs, indices(rows))
    for finding in taken:
        name = NAMES.get(finding["kind"], "the parameter")
        lost(report, finding["where"], MAY_BE % (name, _first(rows)))
    report["findings"] = [f for f in report["findings"] if not _among(f, taken)]
    proved |= {_key(finding) for finding in doubted if not _among(finding, taken)}
    parted = any(finding["kind"] == "path" for finding in taken)
    for row in costs:
        if parted or row["index"] in moved:
            row["unknown"] = PARTED if parted else DEPENDS


def _changed(
    pair: Pair, doubted: List[Dict[str, Any]], costs: Sequence[Dict[str, Any]], redrawn: FrozenSet[int]
) -> Tuple[List[Dict[str, Any]], Set[int]]:
    """The findings that are otherwise where draws are made anew, and the rows whose arguments are."""
    left, moved = list(doubted), set()
    for k in range(RUNS):
        open_costs = k < FEW and any(row["index"] not in moved for row in costs)
        if not left and not open_costs:
            break
        sides = [
            (pair.recorded, pair.again(redraw=redrawn, variant=k + 1)),
            (pair.frozen, pair.replay(redraw=redrawn, variant=k + 1)),
        ]
        left = [f for f in left if not any(_changes(f, *side) for side in sides)]
        if open_costs:
            moved |= moved_draws(*sides[0]) | moved_draws(*sides[1])
    left = [f for f in left if not _factor_moves(pair, f, redrawn)]
    return [f for f in doubted if not _among(f, left)], moved


def _among(finding: Dict[str, Any], findings: Sequence[Dict[str, Any]]) -> bool:
    return any(finding is other for other in findings)


def _key(finding: Dict[str, Any]) -> Tuple[Any, ...]:
    return (finding["kind"], *finding["where"][:2])


def _first(rows: Sequence[Dict[str, Any]]) -> str:
    """The first draw in words."""
    first = rows[0]
    return "%s drawn at line %d" % (first["law"].replace("mechanism ", ""), first["where"][1])


def _costs(row: Dict[str, Any]) -> bool:
    """Whether the argument of a row, or a parameter, differs between D and D′."""
    if row["unlike"]:
        return True
    if row["kind"] == "mechanism":
        return bool(differences(row["argument"], row["argument_other"], SAME))
    return row.get("shift") is not None and bool(np.any(np.asarray(row["shift"]) != 0.0))


def _changes(finding: Dict[str, Any], before: Run, run: Run) -> bool:
    """Whether what was found is otherwise in a run on the same data with draws made anew."""
    about = finding["about"]
    if finding["kind"] == "exception":
        return (run.error is None) != (before.error is None)
    if finding["kind"] == "path":
        return _path(run) != _path(before)
    if about is None or about["what"] == "moved":
        return False
    now, known = observed(run, about), observed(before, about)
    return now is not None and known is not None and bool(differences(known, now, SAME))


def _path(run: Run) -> Tuple[Optional[int], int]:
    """Where the draws of a run leave those of the first run on D, and how many there are."""
    return run.session.diverged, len(run.session.draws)


def _factor_moves(pair: Pair, finding: Dict[str, Any], redrawn: FrozenSet[int]) -> bool:
    """Whether the factor of plain noise on D changes with the other draws."""
    about = finding["about"]
    if about is None or about["what"] != "moved":
        return False
    rest = redrawn - {about["key"]}
    if not rest:
        return False
    row = pair.recorded.session.rows[about["key"]]
    factor = factor_of(lambda **options: pair.again(redraw=rest, variant=1, **options), row)
    return factor is not None and not alike_factors(factor, about["one"])


def moved_draws(recorded: Run, run: Run) -> Set[int]:
    """Draws whose argument or parameters have changed in a second run on the same data."""
    known = {use["key"]: use for use in recorded.session.uses}
    found: Set[int] = set()
    for use in run.session.uses:
        other = known.get(use["key"])
        if other is not None and differences(flat(other["argument"]), flat(use["argument"]), SAME):
            found |= {int(e) >> BITS for e in np.ravel(use["ids"]) if e >= 0}
    for row in recorded.session.draws:
        now = run.session.rows.get(row["index"])
        if now is not None and differences(_given(row), _given(now), SAME):
            found.add(row["index"])
    return found


def _given(row: Dict[str, Any]) -> Any:
    """What a draw is given: its parameters and, of a mechanism, its argument."""
    return [flat(row["params"]), flat(row["argument"]) if row["kind"] == "mechanism" else None]
