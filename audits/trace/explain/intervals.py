"""A uniform number from an interval that was chosen, as in private quantiles: one draw of a known density.

The exponential mechanism chooses one of the gaps between records, and a uniform number fills it (Smith 2011,
Algorithm 2). The gaps on D are not those on D′, so that neither draw has a cost of its own: together they are
a draw of the density that is p_i/|I_i| on the gap I_i. All choices are run, so that all gaps are known.
"""

from __future__ import annotations

import bisect
from typing import Any, Callable, Dict, FrozenSet, List, Sequence, Set, Tuple, Union

import numpy as np

from ..record.run import Run
from ..record.session import places_of
from ..record.values import SAME, differences, flat, unlike_places
from ..records import Comparison, Draw, Lost, Row
from ..replay.shifts import Pair
from .rows import comparison

MOST = 256
"""Choices that are run."""
FILLED = (
    "a uniform number fills an interval whose ends depend on the data, after a choice among such intervals: "
    "the density of that is not known"
)
Choice = Union[Draw, Comparison]
"""The draw of a place, or the comparison that shows one."""


def filling(one: Any, other: Any, again: Callable[..., Run]) -> List[Tuple[Draw, Choice]]:
    """Uniform numbers that fill an interval, with the choice made last before, of sessions on D and on D′.

    Their ends differ on D′, or on D with another choice: that is tried for the first number after a choice.
    """
    if other.diverged is not None:
        return []
    drawn = [r for r in one.draws if r.kind == "mechanism" or (r.law == "choice" and np.size(r.value) == 1)]
    made: List[Tuple[int, Choice]] = [(event.at, event) for event in one.compared]
    made = sorted([*made, *((row.index + 1, row) for row in drawn)], key=lambda choice: choice[0])
    times = [at for at, _ in made]
    found: List[Tuple[Draw, Choice]] = []
    tried: Set[Any] = set()
    for row in one.draws:
        before = bisect.bisect_right(times, row.index)
        if row.law == "uniform" and row.shape == () and before:
            ends, choice = _ends(one, row.index), made[before - 1][1]
            fills = bool(differences(ends, _ends(other, row.index), SAME))
            if not fills and _name(choice) not in tried and (isinstance(choice, Draw) or choice.size):
                tried.add(_name(choice))
                runs = [again(flips=_flip(choice, place)) for place in (0, 1)]
                fills = any(differences(ends, _ends(run.session, row.index), SAME) for run in runs)
            if fills:
                found.append((row, choice))
    return found


def _name(choice: Choice) -> Any:
    """The index of a draw, the key of a comparison."""
    return choice.index if isinstance(choice, Draw) else choice.key


def _flip(choice: Choice, place: int) -> Dict[Any, Any]:
    """A choice with another outcome, as in `Changes.flips`."""
    if isinstance(choice, Draw):
        return {("draw", choice.index): np.full(np.shape(choice.value), place)[()]}
    return {("outcome", choice.key): place}


def filled(pair: Pair, found: Sequence[Tuple[Draw, Choice]]) -> Union[Lost, Tuple[List[Row], FrozenSet[Any]]]:
    """(a row for each uniform number that fills an interval, the names of the draws and comparisons that
    these rows price), or the line of a uniform number whose density is not known."""
    rows: List[Row] = []
    names: Set[Any] = set()
    for uniform, choice in found:
        name = _name(choice)
        ends = [None if name in names else _all_ends(*side, uniform, choice) for side in pair.sides()]
        if ends[0] is None or ends[1] is None:
            return Lost(uniform.where, FILLED)
        names |= {name, uniform.index}
        rows.append(_row(pair, uniform, choice, ends))
    return rows, frozenset(names)


def _ends(session: Any, index: int) -> List[Any]:
    """The bounds of a uniform draw, and what it is multiplied by and added to first."""
    row = session.rows.get(index)
    sums = [use for use in session.uses if np.size(use.ids) == 1 and index in places_of(use.ids)]
    found = [] if row is None else [flat(row.params[name]) for name in ("low", "high")]
    return found + [flat(x) for use in sums[:1] for x in (use.factor, use.argument)]


def _all_ends(run: Run, again: Callable[..., Run], uniform: Draw, choice: Choice) -> Any:
    """The ends of all intervals, a row for each, where the output shows nothing of the choice but the uniform
    number; None elsewhere."""
    if isinstance(choice, Draw):
        row = run.session.rows.get(choice.index)
        count = None if row is None else row.params.get("a")
    else:
        event = next((event for event in run.session.compared if event.key == choice.key), choice)
        count = event.size + 1 if event.size and choice.what == "search" else event.size
    if count is None or count > MOST:
        return None
    found: List[Any] = []
    for place in range(count):
        now = again(flips=_flip(choice, place))
        if not now.whole or unlike_places(run.output, now.output, 0.0):
            return None
        low, high, *sums = map(float, np.ravel(_ends(now.session, uniform.index)))
        found.append(sorted(x * sums[0] + sums[1] if sums else x for x in (low, high)))
    return np.array(found)


def _row(pair: Pair, uniform: Draw, choice: Choice, ends: List[Any]) -> Row:
    """The row of the two draws as one."""
    params: List[Any] = [{"low": low, "high": high} for low, high in (both.T for both in ends)]
    compared, law, origin = None, "", uniform.origin
    if isinstance(choice, Draw):
        law, origin = choice.law, origin or choice.origin
        for given, run in zip(params, (pair.recorded, pair.frozen)):
            given["p"] = flat(run.session.rows[choice.index].params.get("p"))
    else:
        law = choice.what
        other = next(event for event in pair.frozen.session.compared if event.key == choice.key)
        compared = comparison(choice, other).compared
    name = -5 - uniform.index
    return Row(name, law, "filled", uniform.where, (), *params, origin=origin, compared=compared)
