"""How the output on D can be that on D′: which noise moves, which coins fall otherwise.

Each explanation is a function (pair, what is known) → `Release`, or None where it leaves a difference. They
are tried in order, the plainest first.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import FUNCTIONS, places_of
from ..record.values import numbers, unlike_places
from ..records import BITS, Draw, Part, Recipe, Shown
from ..replay.shifts import (
    Pair,
    Release,
    coupled,
    first_of,
    in_comparisons,
    loose_draws,
    shifts_of,
    size_of,
    unlike_output,
    without_parents,
)
from .coins import flipped

FACTOR = 1e-3
"""Relative difference above which two factors of noise are different: tensors have single precision."""
ONE_SIDED = ("geometric", "exponential", "gamma", "poisson", "negative_binomial", "chisquare", "binomial")
"""Laws of numbers ≥ 0: noise is made of two of them."""
FAR = 1e3
"""How many times its own size noise is moved to see whether the output follows it everywhere."""
MOST_SOLVED = 40
"""Entries of plain noise that are solved for."""
MOST_SCALED = 16
"""Draws of plain noise whose factors are compared: each takes up to four runs."""
Explainer = Callable[[Pair, Release], Optional[Release]]


def explained(pair: Pair, found: Release) -> Release:
    """The first explanation that leaves no difference of the outputs."""
    unlike = tuple(unlike_places(pair.recorded.output, pair.frozen.output, 0.0))
    found = replace(found, unlike=unlike)
    for explainer in EXPLAINERS:
        release = explainer(pair, found)
        if release is not None:
            return replace(release, filled=found.filled)
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


def _moved(pair: Pair, found: Release) -> Optional[Release]:
    """Noise is released where its argument is first another one on D′."""
    if not found.unlike and not found.several:
        return None
    run = pair.replay(release="moved")
    if not run.whole or unlike_places(pair.recorded.output, run.output, 0.0):
        return None
    shifts, several = shifts_of(pair.recorded.session, run.session)
    return None if several else Release(run, shifts, mode="moved")


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
    columns = [_derivative(pair, rows[index], place, base) for index, place in entries]
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
    return Release(run, {**sums, **shifts}, mode="coupled", joined=joined)


def _derivative(pair: Pair, row: Draw, place: int, base: Any) -> Any:
    """The derivative of the output on D′ by an entry of a draw; None where it has another shape."""
    step = np.zeros(row.shape)
    size = 1e-4 * max(1.0, size_of(row))
    size = 1.0 if np.asarray(row.value).dtype.kind in "iu" else size  # what is whole stays whole
    step.reshape(-1)[place] = size
    moved = pair.replay(shifts={row.index: step})
    values = None if moved.error is not None else numbers(moved.output)
    if values is None or values.shape != base.shape:
        return None
    with np.errstate(invalid="ignore"):
        return (values - base) / size


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


EXPLAINERS: Tuple[Explainer, ...] = (_only_compared, _as_released, _moved, _last, solved, flipped)


# --- Noise of two scales ----------------------------------------------------------------------------------


Scaled = Tuple[Draw, float, float]
"""A draw, and what its noise is multiplied by on D and on D′."""


def scaled(pair: Pair) -> Optional[Scaled]:
    """Noise that became plain numbers and has another factor on D′; None where that cannot be seen."""
    return _unlike_factors(pair, loose_draws(pair.recorded.session, pair.frozen.session)[:MOST_SCALED])


def rescaled(pair: Pair) -> Optional[Scaled]:
    """As `scaled`, of noise that was released: the noisy sum is multiplied by a number of the data."""
    released = sorted(set().union(*(places_of(use.ids) for use in pair.recorded.session.uses)))
    rows = [pair.recorded.session.row(index) for index in released[:MOST_SCALED]]
    return _unlike_factors(pair, [row for row in rows if row is not None], release="none")


def _unlike_factors(pair: Pair, rows: Sequence[Draw], **options: Any) -> Optional[Scaled]:
    """The first draw whose noise has another factor on D′ in a number of the output that no other noise
    hides.

    Where y = c(D)·z + z′, the product c(D)·z is an argument of z′ as any other: with z′ multiplied by the
    same number on D and on D′, the difference is a cost of z′ and not noise of another scale. So it is in
    every step of a noisy gradient descent but the last.
    """
    runs = [functools.partial(run, **options) for run in (pair.again, pair.replay)]
    unmoved = [run() for run in runs] if rows else []
    for row in rows:
        one, other = (line_of_noise(run, row, base) for run, base in zip(runs, unmoved))
        if one is None or other is None or not one[1] or not other[1]:
            continue
        if not alike_factors(one[1], other[1]) and not _hidden(pair, row, one[0]):
            return row, one[1], other[1]
    return None


def _hidden(pair: Pair, row: Draw, place: int) -> bool:
    """Whether noise of another draw has one factor on D and D′ in a number of the output."""
    noise = [r for r in pair.recorded.session.draws if r.kind == "noise" and r.index != row.index]
    runs = [functools.partial(run, release="none") for run in (pair.again, pair.replay)]
    before = [numbers(run().output) for run in runs] if noise else []
    for other in noise[-MOST_SCALED:]:
        step = np.full(other.shape, max(1.0, size_of(other)))
        after = [numbers(run(shifts={other.index: step}).output) for run in runs]
        if any(x is None or place >= x.size for x in before + after):
            continue
        one, two = (float(b[place] - a[place]) for a, b in zip(before, after))
        if one and alike_factors(one, two):
            return True
    return False


def factor_of(replay: Any, row: Draw) -> Optional[float]:
    """How far the output moves with the first entry of a draw; None where it is not in proportion, and where
    it does not move."""
    found = line_of_noise(replay, row)
    return None if found is None else found[1]


def line_of_noise(
    replay: Any, row: Draw, unmoved: Optional[Run] = None
) -> Optional[Tuple[int, float, float]]:
    """(place of a number of the output, factor, rest), where that number is factor · noise + rest, the noise
    being the first entry of a draw; None where the output does not move in proportion with it."""
    size = size_of(row) or 1.0
    base = _values(replay() if unmoved is None else unmoved)
    moved: List[Any] = []
    for times in (1.0, 2.0):
        moved.append(_values(replay(shifts={row.index: _first_entry(row, times * size)})))
        if (
            base is None
            or moved[-1] is None
            or moved[-1].shape != base.shape
            or np.array_equal(base, moved[0])
        ):
            return None
    with np.errstate(invalid="ignore"):
        once, twice = moved[0] - base, moved[1] - base
    place = int(np.argmax(np.abs(once)))
    if not np.all(np.isfinite(twice)) or not np.allclose(twice, 2.0 * once, rtol=FACTOR, atol=1e-6 * size):
        return None
    factor = float(once[place] / size)
    return place, factor, float(base[place]) - factor * first_of(row)


def _values(run: Run) -> Any:
    return None if run.error is not None else numbers(run.output)


def _first_entry(row: Draw, by: float) -> Any:
    step = np.zeros(row.shape)
    step.reshape(-1)[0] = by
    return step


def shows(pair: Pair, index: int) -> Optional[Shown]:
    """A number of the output that is the noise of a draw times a factor, plus a rest that no other noise
    moves; None where there is none."""
    row = pair.recorded.session.row(index)
    noise = [r for r in pair.recorded.session.draws if r.kind == "noise"]
    if row is None or row.kind != "noise" or len(noise) > MOST_SCALED:
        return None
    lines: List[Tuple[int, float, float]] = []
    now = first_of(row)
    low, high = -np.inf, np.inf
    for run in (pair.again, pair.replay):
        replay = functools.partial(run, release="none")
        unmoved = replay()
        line = line_of_noise(replay, row, unmoved)
        if line is None or (lines and line[0] != lines[0][0]):
            return None
        low = low if _in_proportion(replay, row, line, -FAR) else now
        high = high if _in_proportion(replay, row, line, FAR) else now
        base = np.asarray(numbers(unmoved.output))[line[0]]
        for other in noise:
            step = np.full(other.shape, 1.0 + size_of(other))
            if other is row:
                step.reshape(-1)[0] = 0.0
            values = _values(replay(shifts={other.index: step}))
            if values is None or line[0] >= values.size or values[line[0]] != base:
                return None
        lines.append(line)
    return Shown((lines[0][1], lines[1][1]), lines[1][2] - lines[0][2], (low, high))


def _in_proportion(replay: Any, row: Draw, line: Tuple[int, float, float], times: float) -> bool:
    """Whether the output moves with noise that is moved far."""
    place, factor, rest = line
    by = times * max(1.0, size_of(row))
    noise = first_of(row) + by
    values = _values(replay(shifts={row.index: _first_entry(row, by)}))
    return (
        values is not None and place < values.size and bool(np.isclose(values[place], factor * noise + rest))
    )


def alike_factors(one: float, other: float) -> bool:
    """Whether two factors are the same in single precision."""
    return abs(one - other) <= FACTOR * max(abs(one), abs(other))
