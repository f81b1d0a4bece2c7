"""How the output on D can be that on D′: which noise moves, which coins fall otherwise."""

from __future__ import annotations

import functools
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .coins import flipped
from .run import Run
from .session import BITS
from .shifts import (
    Explanation,
    Pair,
    coupled,
    in_comparisons,
    loose_draws,
    row_of,
    shifts_of,
    unlike_output,
    without_parents,
)
from .values import numbers, unlike_places

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


def explained(pair: Pair, found: Explanation) -> Explanation:
    """The first explanation that leaves no difference of the outputs.

    In order: draws that are compared are not released otherwise; noise is released where data are first added
    to it; where its argument is first another one on D′; where it is last changed; noise that was turned into
    plain numbers is moved; coins fall otherwise.
    """
    recorded, frozen = pair.recorded, pair.frozen
    found.unlike = unlike_places(recorded.output, frozen.output, 0.0)
    fine = not found.unlike and not found.several
    compared = in_comparisons(frozen.session) & {k for k, s in found.shifts.items() if np.any(s != 0.0)}
    if compared:
        rest = {k: s for k, s in found.shifts.items() if k not in compared}
        if coupled(pair, rest) is not None:
            found.compared, found.unlike, found.several = sorted(compared), [], {}
            found.release = "coupled"
            return found
    if fine and not recorded.session.sums:
        return found
    if not fine:
        moved = pair.replay(release="moved")
        if moved.error is None and moved.session.diverged is None:
            shifts, several = shifts_of(recorded.session, moved.session)
            if not several and not unlike_places(recorded.output, moved.output, 0.0):
                explanation = Explanation(moved, shifts, {}, [])
                explanation.release = "moved"
                return explanation
    last = pair.replay(release="last")
    if last.error is None and last.session.diverged is None:
        shifts, several = shifts_of(recorded.session, last.session)
        if coupled(pair, shifts) is not None:
            explanation = Explanation(last, without_parents(recorded.session, shifts), {}, [])
            explanation.release = "coupled"
            return explanation
    if fine:
        return found
    if not found.unlike:
        # Every sum has its value of D, but no noise gives all of them.
        found.unlike = [("", "one sum", "another sum")]
        return found
    plain_noise = solved(pair, found)
    if plain_noise is not None:
        return plain_noise
    return flipped(pair, found)


def solved(pair: Pair, found: Explanation) -> Optional[Explanation]:
    """Noise that was turned into plain numbers: how it must move on D′ for the output to be that on D.

    The derivative of the output by each of its entries is taken by moving it a little.
    """
    loose = loose_draws(pair.recorded.session, pair.frozen.session)
    entries = [(row["index"], place) for row in loose for place in range(int(np.prod(row["shape"] or (1,))))]
    if not entries or len(entries) > MOST_SOLVED or scaled(pair) is not None:
        return None
    base, wanted = numbers(pair.frozen.output), numbers(pair.recorded.output)
    if base is None or wanted is None or base.shape != wanted.shape:
        return None
    rows = {row["index"]: row for row in loose}
    columns = []
    for index, place in entries:
        step = np.zeros(rows[index]["shape"])
        size = 1e-4 * max(1.0, float(np.max(np.abs(np.asarray(rows[index]["value"], dtype=float)))))
        if np.asarray(rows[index]["value"]).dtype.kind in "iu":
            size = 1.0  # what is whole stays whole
        step.reshape(-1)[place] = size
        moved = pair.replay(shifts={index: step})
        values = None if moved.error is not None else numbers(moved.output)
        if values is None or values.shape != base.shape:
            return None
        with np.errstate(invalid="ignore"):
            columns.append((values - base) / size)
    jacobian = np.stack(columns, axis=1)
    if not np.all(np.isfinite(jacobian)) or not np.all(np.isfinite(wanted - base)):
        return None
    solution = np.linalg.lstsq(jacobian, wanted - base, rcond=1e-9)[0]
    shifts = {index: np.zeros(row["shape"]) for index, row in rows.items()}
    groups = _parallel(jacobian)
    for group in groups:
        # Noise that moves the output in the same direction is one noise: the first is moved for all.
        amount = float(jacobian[:, group] @ solution[group] @ jacobian[:, group[0]])
        amount /= max(float(np.sum(jacobian[:, group[0]] ** 2)), 1e-300)
        index, place = entries[group[0]]
        whole = np.asarray(rows[index]["value"]).dtype.kind in "iu"
        amount = np.rint(amount) if whole and abs(amount - np.rint(amount)) < 1e-6 else amount
        shifts[index].reshape(-1)[place] = amount if abs(amount) > 1e-9 else 0.0
    still = np.any(np.linalg.norm(jacobian, axis=0) == 0.0)
    alone = [entries[group[0]][0] for group in groups if len(group) == 1]
    if still and any(rows[k]["law"] in ONE_SIDED and np.any(shifts[k] != 0.0) for k in alone):
        return None  # its partner may be hidden here, as where the output is cut off at 0
    moved = pair.replay(shifts=shifts)
    ended = moved.error is None and moved.session.diverged is None
    if not ended or unlike_output(pair, moved):
        return None
    # What is made of plain noise moves with it: sums and parameters are those of this run.
    sums, several = shifts_of(pair.recorded.session, moved.session)
    if several:
        return None
    for group in groups:
        _joined(pair, jacobian, [entries[k] for k in group], group, shifts)
    explanation = Explanation(moved, {**sums, **shifts}, {}, [])
    explanation.release = "coupled"
    return explanation


def _parallel(jacobian: Any) -> List[List[int]]:
    """Groups of columns that have one direction; those of zeros are left out."""
    sizes = np.linalg.norm(jacobian, axis=0)
    groups: List[List[int]] = []
    for k in np.flatnonzero(sizes > 0.0):
        for group in groups:
            cosine = abs(float(jacobian[:, k] @ jacobian[:, group[0]])) / (sizes[k] * sizes[group[0]])
            if cosine > 1.0 - 1e-9:
                group.append(int(k))
                break
        else:
            groups.append([int(k)])
    return groups


def _joined(
    pair: Pair, jacobian: Any, entries: List[Tuple[int, int]], group: List[int], shifts: Dict[int, Any]
) -> None:
    """Noise of several draws that is added up, as one noise with the shift of the first of them."""
    first, place = entries[0]
    if len(entries) < 2 or np.size(shifts[first]) != 1:
        return
    session, amount = pair.recorded.session, float(np.ravel(shifts[first])[0])
    directions = jacobian[:, group].T @ jacobian[:, group[0]] / np.sum(jacobian[:, group[0]] ** 2)
    ids, factor = np.asarray((first << BITS) + place), 1.0
    for (index, other), weight in zip(entries[1:], directions[1:]):
        parents = [ids, np.asarray((index << BITS) + other)]
        factors = [np.asarray(factor), np.asarray(float(np.round(weight, 9)))]
        recipe = {
            "function": "add",
            "method": "__call__",
            "parents": parents,
            "constants": [None, None],
            "options": {},
            "factors": factors,
            "arguments": [None, None],
        }
        joined = session.function(0.0, recipe, parents)
        session.functions[joined]["where"] = session.rows[first]["where"]
        ids, factor = np.asarray(joined << BITS), 1.0
    for index, _ in entries:
        shifts.pop(index, None)
    shifts[int(ids) >> BITS] = np.asarray(amount)


def scaled(pair: Pair) -> Optional[Tuple[Dict[str, Any], float, float]]:
    """(a draw, its factor on D, on D′) of noise that became plain numbers and has another factor on D′; None
    where that cannot be seen.

    An entry of the draw is moved once and twice as far: the output must move in proportion on both datasets.
    """
    rows = loose_draws(pair.recorded.session, pair.frozen.session)[:MOST_SCALED]
    return _unlike_factors(pair, rows)


def _unlike_factors(
    pair: Pair, rows: Sequence[Dict[str, Any]], **options: Any
) -> Optional[Tuple[Dict[str, Any], float, float]]:
    """The first draw whose noise has another factor on D′ in a number of the output that no other noise
    hides, with both factors.

    Where y = c(D)·z + z′, the product c(D)·z is an argument of z′ as any other: with z′ multiplied by the
    same number on D and on D′, the difference is a cost of z′ and not noise of another scale. So it is in
    every step of a noisy gradient descent but the last.
    """
    runs = [functools.partial(run, **options) for run in (pair.again, pair.replay)]
    unmoved = [run() for run in runs] if rows else []
    for row in rows:
        lines = [line_of_noise(run, row, base) for run, base in zip(runs, unmoved)]
        if lines[0] is None or lines[1] is None or not lines[0][1] or not lines[1][1]:
            continue
        if not alike_factors(lines[0][1], lines[1][1]) and not _hidden(pair, row, lines[0][0]):
            return row, lines[0][1], lines[1][1]
    return None


def _hidden(pair: Pair, row: Dict[str, Any], place: int) -> bool:
    """Whether noise of another draw has one factor on D and D′ in a number of the output."""
    noise = [r for r in pair.recorded.session.draws if r["kind"] == "noise" and r is not row]
    runs = [functools.partial(run, release="none") for run in (pair.again, pair.replay)]
    before = [numbers(run().output) for run in runs]
    for other in noise[-MOST_SCALED:]:
        step = np.full(other["shape"], max(1.0, float(np.max(np.abs(other["value"]), initial=0.0))))
        after = [numbers(run(shifts={other["index"]: step}).output) for run in runs]
        if any(x is None or place >= x.size for x in before + after):
            continue
        one, two = (float(b[place] - a[place]) for a, b in zip(before, after))
        if one and alike_factors(one, two):
            return True
    return False


def rescaled(pair: Pair) -> Optional[Tuple[Dict[str, Any], float, float]]:
    """As `scaled`, of noise that was released: the noisy sum is multiplied by a number of the data."""
    released = {int(e) >> BITS for use in pair.recorded.session.uses for e in np.ravel(use["ids"]) if e >= 0}
    rows = [row_of(pair.recorded.session, index) for index in sorted(released)[:MOST_SCALED]]
    return _unlike_factors(pair, [row for row in rows if row is not None], release="none")


def factor_of(replay: Any, row: Dict[str, Any], unmoved: Optional[Run] = None) -> Optional[float]:
    """How far the output moves with the first entry of a draw; None where it is not in proportion, and where
    it does not move."""
    found = line_of_noise(replay, row, unmoved)
    return None if found is None else found[1]


def line_of_noise(
    replay: Any, row: Dict[str, Any], unmoved: Optional[Run] = None
) -> Optional[Tuple[int, float, float]]:
    """(place of a number of the output, factor, rest), where that number is factor · noise + rest, the noise
    being the first entry of a draw; None where the output does not move in proportion with it."""
    first = float(np.ravel(np.asarray(row["value"], dtype=float))[0]) if "value" in row else 0.0
    size = float(np.max(np.abs(np.asarray(row.get("value", 1.0), dtype=float)), initial=0.0)) or 1.0
    run = replay() if unmoved is None else unmoved
    moved: List[Any] = [None if run.error is not None else numbers(run.output)]
    for times in (1.0, 2.0):
        step = np.zeros(row["shape"])
        step.reshape(-1)[0] = times * size
        run = replay(shifts={row["index"]: step})
        moved.append(None if run.error is not None else numbers(run.output))
        if moved[1] is None or np.array_equal(moved[0], moved[1]):
            return None
    if any(values is None or values.shape != moved[0].shape for values in moved):
        return None
    with np.errstate(invalid="ignore"):
        once, twice = moved[1] - moved[0], moved[2] - moved[0]
    place = int(np.argmax(np.abs(once)))
    if not np.all(np.isfinite(twice)) or not np.allclose(twice, 2.0 * once, rtol=FACTOR, atol=1e-6 * size):
        return None
    factor = float(once[place] / size)
    return place, factor, float(moved[0][place]) - factor * first


def shows(pair: Pair, index: int) -> Optional[Dict[str, Any]]:
    """{"factors", "by", "sides"} where a number of the output is the noise of a draw times a factor, plus a
    rest that no other noise moves: both factors, the rest on D′ less that on D, and the values of the noise
    between which that is so, which is cut off where a program clips. None where there is none."""
    row = row_of(pair.recorded.session, index)
    noise = [r for r in pair.recorded.session.draws if r["kind"] == "noise"]
    if row is None or row["kind"] != "noise" or len(noise) > MOST_SCALED:
        return None
    lines, now_at = [], float(np.ravel(np.asarray(row["value"], dtype=float))[0])
    low, high = -np.inf, np.inf
    for run in (pair.again, pair.replay):
        replay = functools.partial(run, release="none")
        line = line_of_noise(replay, row)
        if line is None or (lines and line[0] != lines[0][0]):
            return None
        low = low if _in_proportion(replay, row, line, -FAR) else now_at
        high = high if _in_proportion(replay, row, line, FAR) else now_at
        base = np.asarray(numbers(replay().output))[line[0]]
        for other in noise:
            size = float(np.max(np.abs(np.asarray(other["value"], dtype=float)), initial=0.0))
            step = np.full(other["shape"], 1.0 + size)
            if other is row:
                step.reshape(-1)[0] = 0.0
            moved = replay(shifts={other["index"]: step})
            now = None if moved.error is not None else numbers(moved.output)
            if now is None or line[0] >= now.size or now[line[0]] != base:
                return None
        lines.append(line)
    by = lines[1][2] - lines[0][2]
    return {"factors": [lines[0][1], lines[1][1]], "by": by, "sides": [low, high]}


def _in_proportion(replay: Any, row: Dict[str, Any], line: Tuple[int, float, float], times: float) -> bool:
    """Whether the output moves with noise that is moved far."""
    place, factor, rest = line
    step = np.zeros(row["shape"])
    step.reshape(-1)[0] = times * float(np.max(np.abs(np.asarray(row["value"], dtype=float)), initial=1.0))
    noise = float(np.ravel(np.asarray(row["value"], dtype=float) + step)[0])
    run = replay(shifts={row["index"]: step})
    now = None if run.error is not None else numbers(run.output)
    return now is not None and place < now.size and bool(np.isclose(now[place], factor * noise + rest))


def alike_factors(one: float, other: float) -> bool:
    """Whether two factors are the same in single precision."""
    return abs(one - other) <= FACTOR * max(abs(one), abs(other))
