"""How the output on D can be that on D′: which noise moves.

Each explanation is a function (pair, what is known) → `Release`, or None where it leaves a difference. They
are tried in order, the plainest first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ..record.session import FUNCTIONS, ONE_SIDED
from ..record.values import numbers, unlike_places
from ..records import BITS, Draw, Part, Recipe
from ..replay.shifts import (
    Pair,
    Release,
    coupled,
    in_comparisons,
    loose_draws,
    shifts_of,
    size_of,
    unlike_output,
    without_parents,
)
from .follow import Response, scaled

MOST_SOLVED = 40
"""Entries of plain noise that are solved for."""
Explainer = Callable[[Pair, Release], Optional[Release]]


def explained(pair: Pair, found: Release) -> Release:
    """The first explanation that leaves no difference of the outputs."""
    unlike = tuple(unlike_places(pair.recorded.output, pair.frozen.output, 0.0))
    found = replace(found, unlike=unlike)
    for explainer in EXPLAINERS:
        release = explainer(pair, found)
        if release is not None:
            return release
    # Every sum may have its value of D, though no noise gives all of them.
    return found if found.unlike else replace(found, unlike=(("", "one sum", "another sum"),))


def _only_compared(pair: Pair, found: Release) -> Optional[Release]:
    """Draws that are compared are not released otherwise."""
    moved = {k for k, s in found.shifts.items() if np.any(s != 0.0)}
    compared = frozenset(in_comparisons(pair.frozen.session) & moved)
    rest = {k: s for k, s in found.shifts.items() if k not in compared}
    if not compared or coupled(pair, rest) is None:
        return None
    return replace(found, compared=compared, unlike=(), several={}, mode="coupled")


def _as_released(pair: Pair, found: Release) -> Optional[Release]:
    """Noise is released where data are first added to it."""
    return None if found.unlike or found.several or pair.recorded.session.sums else found


def _last(pair: Pair, found: Release) -> Optional[Release]:
    """Noise is released where its argument is last changed."""
    run = pair.replay(release="last")
    shifts = shifts_of(pair.recorded.session, run.session)[0] if run.whole else {}
    if run.whole and coupled(pair, shifts) is not None:
        return Release(run, without_parents(pair.recorded.session, shifts), mode="coupled")
    return None if found.unlike or found.several else found


def solved(pair: Pair, found: Release) -> Optional[Release]:
    """Noise that was turned into plain numbers moves: by how much is solved for.

    The derivative of the output by each of its entries is taken by moving it a little.
    """
    rows = {row.index: row for row in loose_draws(pair.recorded.session, pair.frozen.session)}
    entries = [(k, place) for k, row in rows.items() for place in range(int(np.prod(row.shape or (1,))))]
    if not found.unlike or not entries or len(entries) > MOST_SOLVED or scaled(pair) is not None:
        return None
    base, wanted = numbers(pair.frozen.output), numbers(pair.recorded.output)
    if base is None or wanted is None or base.shape != wanted.shape:
        return None
    response = Response(pair.replay)
    columns = [_derivative(response, rows[index], place) for index, place in entries]
    if any(column is None for column in columns):
        return None
    jacobian = np.stack(columns, axis=1)
    if not np.all(np.isfinite(jacobian)) or not np.all(np.isfinite(wanted - base)):
        return None
    solution = np.linalg.lstsq(jacobian, wanted - base, rcond=1e-9)[0]
    shifts = {index: np.zeros(row.shape) for index, row in rows.items()}
    groups = _parallel(jacobian)
    for group in groups:
        # Noise that moves the output in the same direction is one noise: the first is moved for all.
        amount = float(jacobian[:, group] @ solution[group] @ jacobian[:, group[0]])
        amount /= max(float(np.sum(jacobian[:, group[0]] ** 2)), 1e-300)
        index, place = entries[group[0]]
        whole = np.asarray(rows[index].value).dtype.kind in "iu" and abs(amount - np.rint(amount)) < 1e-6
        amount = float(np.rint(amount)) if whole else amount
        shifts[index].reshape(-1)[place] = amount if abs(amount) > 1e-9 else 0.0
    still = np.any(np.linalg.norm(jacobian, axis=0) == 0.0)
    alone = [entries[group[0]][0] for group in groups if len(group) == 1]
    if still and any(rows[k].law in ONE_SIDED and np.any(shifts[k] != 0.0) for k in alone):
        return None  # its partner may be hidden here, as where the output is cut off at 0
    run = pair.replay(shifts=shifts)
    if not run.whole or unlike_output(pair, run):
        return None
    # What is made of plain noise moves with it: sums and parameters are those of this run.
    sums, several = shifts_of(pair.recorded.session, run.session)
    if several:
        return None
    joined: Dict[int, Draw] = {}
    for group in groups:
        _join(pair, jacobian, [entries[k] for k in group], group, (shifts, joined))
    moved = frozenset(entries[k][0] for group in groups for k in group)
    return Release(run, {**sums, **shifts}, mode="coupled", joined=joined, solved=moved)


def _derivative(response: Response, row: Draw, place: int) -> Any:
    """The derivative of the output on D′ by an entry of a draw; None where it has another shape."""
    step = np.zeros(row.shape)
    size = 1e-4 * max(1.0, size_of(row))
    size = 1.0 if np.asarray(row.value).dtype.kind in "iu" else size  # what is whole stays whole
    step.reshape(-1)[place] = size
    values = response.moved(row, step)
    with np.errstate(invalid="ignore"):
        return None if values is None else (values - response.base) / size


def _parallel(jacobian: Any) -> List[List[int]]:
    """Groups of columns that have one direction; those of zeros are left out."""
    sizes = np.linalg.norm(jacobian, axis=0)
    groups: List[List[int]] = []
    for k in np.flatnonzero(sizes > 0.0).tolist():
        for group in groups:
            cosine = abs(float(jacobian[:, k] @ jacobian[:, group[0]])) / (sizes[k] * sizes[group[0]])
            if cosine > 1.0 - 1e-9:
                group.append(k)
                break
        else:
            groups.append([k])
    return groups


def _join(
    pair: Pair,
    jacobian: Any,
    entries: List[Tuple[int, int]],
    group: List[int],
    found: Tuple[Dict[int, Any], Dict[int, Draw]],
) -> None:
    """Noise of several draws that is added up becomes one noise with the shift of the first of them."""
    shifts, joined = found
    first, place = entries[0]
    if len(entries) < 2 or np.size(shifts[first]) != 1:
        return
    where, amount = pair.recorded.session.rows[first].where, float(np.ravel(shifts[first])[0])
    directions = jacobian[:, group].T @ jacobian[:, group[0]] / np.sum(jacobian[:, group[0]] ** 2)
    one = Part(np.asarray((first << BITS) + place), np.asarray(1.0), None)
    index = first
    for (other, at), weight in zip(entries[1:], directions[1:]):
        factor = np.asarray(float(np.round(weight, 9)))
        recipe = Recipe("add", (one, Part(np.asarray((other << BITS) + at), factor, None)))
        index = 4 * FUNCTIONS + len(joined)
        joined[index] = Draw(index, "derived", "derived", where, recipe=recipe)
        one = Part(np.asarray(index << BITS), np.asarray(1.0), None)
    for other, _ in entries:
        shifts.pop(other, None)
    shifts[index] = np.asarray(amount)


EXPLAINERS: Tuple[Explainer, ...] = (_only_compared, _as_released, _last, solved)
