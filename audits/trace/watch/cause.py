"""Where what leaks comes from: the line at which a number first differs, and that at which a scale was set.

A variable is named as a cause only after a trial: the program is run on D′ once more, with that variable as
it is on D, and what was found must then be gone. Where no variable passes, nothing is said.
"""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from .explain import alike_factors, factor_of
from .report import observed
from .run import Run
from .session import BITS
from .shifts import Pair
from .steps import MORE_LINES, Key, Step, Steps, number, same
from .values import CLOSE, SAME, alike, count, differences, flat, numbers, shown, unlike_places

MOST_TRIED, SECONDS = 60, 10.0
"""Variables that are tried, and the processor time that this may take."""
SENSITIVITIES = ("sensitivity", "l1_sensitivity", "l2_sensitivity", "scale", "sigma", "std", "stddev", "b")
"""Parameters that say how much a number may move, the first that there is."""

Runner = Callable[..., Run]
"""(data of D: True, of D′: False; tracer) → a replay with what D released."""


class Cause:
    """What is known of a pair for the search: its runs on D and on D′, and what differs in them.

    about   what differs, see `report.finding`, and the "file" in which that is seen.
    """

    def __init__(self, pair: Pair, runner: Runner, data: Tuple[Any, Any], about: Dict[str, Any]) -> None:
        self.pair, self.runner, self.data, self.about = pair, runner, data, about
        self.first, self.second = Steps(), Steps()

    def record(self) -> None:
        """Note the steps of both runs."""
        self.runner(True, self.first)
        self.runner(False, self.second)

    def altered(self, key: Key, given: Dict[int, Any]) -> Steps:
        """A watcher that gives a variable other values, and ends a run that takes much longer for it."""
        steps = Steps(key, given)
        steps.limit = 2 * max(len(self.first.lines), len(self.second.lines)) + MORE_LINES
        return steps


def causes_of(
    pair: Pair,
    runner: Runner,
    data: Tuple[Any, Any],
    findings: Sequence[Dict[str, Any]],
    explain: Sequence[Any],
) -> List[Dict[str, Any]]:
    """The cause of a finding (kind, file, line), or of what a draw costs, where the kind is ""."""
    kind, place = explain[0], tuple(explain[1:3])
    if kind:
        named = [f["about"] for f in findings if (f["kind"], *f["where"][:2]) == (kind, *place)]
        if not named or named[0] is None:
            return []
        return causes(Cause(pair, runner, data, dict(named[0], file=place[0])))
    found = [(_argument(pair, row), row) for row in pair.recorded.session.draws if row["where"][:2] == place]
    moved = [(about, row) for about, row in found if about is not None]
    if not moved:
        return []
    about, row = max(moved, key=lambda item: _share(*item))
    return origins(Cause(pair, runner, data, dict(about, file=place[0])), row)


def causes(cause: Cause) -> List[Dict[str, Any]]:
    """The steps that lead to what differs, in the order in which they are executed."""
    about = cause.about
    cause.record()
    found = [_first(cause)]
    if about["what"] == "path" and about["one"] != about["other"]:
        found.append(_parting(cause))
    if about["what"] in ("parameter", "factor", "argument", "given"):
        found.append(_computed(cause))
    return _once(found)


def origins(cause: Cause, row: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Of a draw that costs too much: where its sensitivity, or its scale, was set, and where its argument was
    computed."""
    cause.record()
    return _once([_set(cause, row), _computed(cause)])


def _once(found: Sequence[Optional[Dict[str, Any]]]) -> List[Dict[str, Any]]:
    """The steps that were found, each line once."""
    kept: List[Dict[str, Any]] = []
    for step in found:
        if step is not None and step["where"] not in [other["where"] for other in kept]:
            kept.append(step)
    return kept


def _share(about: Dict[str, Any], row: Dict[str, Any]) -> float:
    """How far an argument moves, in units of what a draw allows for."""
    moved, name = abs(about["one"] - about["other"]), _parameter(row)
    allowed = abs(float(row["params"][name])) if name is not None else 1.0
    return moved / allowed if allowed > 0.0 else np.inf


def _parameter(row: Dict[str, Any]) -> Optional[str]:
    """The name of the parameter that says how much an argument may move; None where a draw has none."""
    return next((name for name in SENSITIVITIES if number(row["params"].get(name))), None)


def _argument(pair: Pair, row: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The number that a draw is added to, or a score, which differs; None where none does."""
    other = pair.frozen.session.rows.get(row["index"])
    values: List[Tuple[str, Any, Any, Any]] = []
    if other is not None:
        for name in ("argument", "utility"):
            a, b = (r["argument"] if name == "argument" else r["params"].get(name) for r in (row, other))
            values.append(("given", row["index"], numbers(flat(a)), numbers(flat(b))))
    known = {use["key"]: use for use in pair.frozen.session.uses}
    for use in pair.recorded.session.uses:
        if use["key"] in known and int(np.ravel(use["ids"])[0]) >> BITS == row["index"]:
            sums = (np.ravel(use["argument"]), np.ravel(known[use["key"]]["argument"]))
            values.append(("argument", use["key"], *sums))
    for what, key, a, b in values:
        if a is not None and b is not None and a.shape == b.shape and not np.all(alike(a, b, SAME)):
            place = int(np.flatnonzero(~alike(a, b, SAME))[0])
            return {"what": what, "key": key, "one": float(a[place]), "other": float(b[place])}
    return None


# --- What differs ------------------------------------------------------------------------------------------


def _first(cause: Cause) -> Optional[Dict[str, Any]]:
    """The first variable that differs and without whose difference nothing is found."""
    for one, other in _tried(cause, _candidates(cause), lambda pair: pair[0].key):
        if _vanishes(cause, one.key):
            return dict(_step("first", one.key, one.value, other.value), sized=one.sized)
    return None


def _candidates(cause: Cause) -> List[Tuple[Step, Step]]:
    """Variables that differ, with their first values that do, in order; those that hold records are left
    out."""
    before: Dict[Tuple[Key, int], Step] = {(s.key, s.time): s for s in cause.first.found}
    records = [numbers(flat(data)) for data in cause.data]
    sizes = [count(data) for data in cause.data]
    found: Dict[Key, Tuple[Step, Step]] = {}
    for other in cause.second.found:
        one = before.get((other.key, other.time))
        if one is None or other.key in found or not other.key[1] or one.sized != other.sized:
            continue
        if same(one.value, other.value) or (one.sized and [one.value, other.value] == sizes):
            continue
        found[other.key] = (one, other)
    return [pair for key, pair in found.items() if not _records(cause, key, pair, records)]


def _records(cause: Cause, key: Key, pair: Tuple[Step, Step], records: List[Any]) -> bool:
    """Whether a variable runs through the numbers of the data."""
    if pair[0].sized or cause.second.times[key] < 2:
        return False
    for steps, known in zip((cause.first, cause.second), records):
        values = [s.value for s in steps.found if s.key == key and not s.sized]
        if known is None or not np.all(np.isin(np.asarray(values, dtype=float), known)):
            return False
    return True


def _vanishes(cause: Cause, key: Key) -> bool:
    """Whether nothing is found any more with a variable on D′ as it is on D."""
    keeper = Steps(key)
    cause.runner(True, keeper)
    if cause.about["what"] == "moved":
        row = cause.pair.recorded.session.rows[cause.about["key"]]
        factor = factor_of(
            lambda **options: cause.runner(False, cause.altered(key, keeper.kept), **options), row
        )
        return factor is not None and alike_factors(factor, cause.about["one"])
    run = cause.runner(False, cause.altered(key, keeper.kept))
    return _gone(cause, run)


def _gone(cause: Cause, run: Run) -> bool:
    """Whether a run does not show what was found; an error after the draw is no matter."""
    about, recorded = cause.about, cause.pair.recorded
    if about["what"] == "path":
        place, now = about["key"], run.session.diverged
        ended = min(len(run.session.draws), len(recorded.session.draws)) > place
        return ended and (now is None or now > place)
    if about["what"] == "output":
        ended = run.error is None and run.session.diverged is None
        return ended and not unlike_places(recorded.output, run.output, CLOSE)
    values = [observed(each, about) for each in (recorded, run)]
    return values[0] is not None and values[1] is not None and not differences(values[0], values[1], SAME)


def _parting(cause: Cause) -> Optional[Dict[str, Any]]:
    """The last line that both runs execute before they go different ways to the draw that differs."""
    place = cause.about["key"]
    runs = [[w for drawn, w in s.lines if drawn == place] for s in (cause.first, cause.second)]
    last = None
    for one, other in zip(*runs):
        if one != other:
            break
        last = one
    else:
        if runs[0] and len(runs[0]) == len(runs[1]):
            return None  # the same lines: it is the shape that differs
    if last is None:
        # They part at the line of the draw before.
        before = cause.pair.recorded.session.draws[:place]
        last = before[-1]["where"] if before else None
    return None if last is None else _step("branch", (tuple(last), ""), None, None)


def _computed(cause: Cause) -> Optional[Dict[str, Any]]:
    """The line at which a variable first gets the number that differs, and decides it."""
    one, other = cause.about["one"], cause.about["other"]
    if not number(one) or not number(other):
        return None
    before = {(s.key, s.time): s for s in cause.first.found}
    places = [
        place
        for place, step in enumerate(cause.second.found)
        if step.key[1] and not step.sized and same(step.value, other) and (step.key, step.time) in before
    ]
    places = [p for p in places if _has(before[_at(cause.second.found[p])], one)]
    for place in _tried(cause, places, lambda p: cause.second.found[p].key):
        step = cause.second.found[place]
        run = cause.runner(False, cause.altered(step.key, {step.time: before[_at(step)].value}))
        if _gone(cause, run):
            # A function that returns the number has computed it.
            last = cause.second.found[place - 1] if place else step
            returned = not last.key[1] and not last.sized and same(last.value, other)
            return dict(_step("computed", last.key if returned else step.key, one, other), name=step.key[1])
    return None


def _at(step: Step) -> Tuple[Key, int]:
    return step.key, step.time


def _has(step: Step, value: Any) -> bool:
    return not step.sized and same(step.value, value)


def _tried(cause: Cause, found: Sequence[Any], key: Callable[[Any], Key]) -> Iterator[Any]:
    """What is tried, as long as the time for it lasts: first what stands in the package of the line that
    leaks, then what stands elsewhere, each in order."""
    home, began = _package(cause.about["file"]), time.process_time()
    nearest = sorted(found, key=lambda item: _package(key(item)[0][0]) != home)
    for item in nearest[:MOST_TRIED]:
        if time.process_time() - began > SECONDS:
            return
        yield item


def _package(file: str) -> str:
    """The folder of an installed package, or that of a file."""
    for mark in ("site-packages", "dist-packages"):
        head, found, tail = file.partition(mark + os.sep)
        if found:
            return head + tail.split(os.sep)[0]
    return os.path.dirname(file)


# --- What does not differ ----------------------------------------------------------------------------------


def _set(cause: Cause, row: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The first variable that the sensitivity or the scale of a draw follows when it is changed."""
    name = _parameter(row)
    if name is None:
        return None
    value = float(row["params"][name])
    holding = _holding(cause.first.found, value, row["index"])
    for step in _tried(cause, holding, lambda step: step.key):
        other: Any = int(value) + 1 if isinstance(step.value, (int, np.integer)) else 1.5 * value + 0.25
        run = cause.runner(True, cause.altered(step.key, {step.time: other}))
        now = run.session.rows.get(row["index"])
        if now is not None and number(now["params"].get(name)) and same(now["params"][name], other):
            return dict(_step("set", step.key, value, value), parameter=name)
    return None


def _holding(steps: Sequence[Step], value: float, draw: int) -> List[Step]:
    """The last step of each variable before a draw, in order, where it holds a value."""
    last = {step.key: step for step in steps if step.drawn <= draw and step.key[1]}
    kept = {id(step) for step in last.values() if not step.sized and same(step.value, value)}
    return [step for step in steps if id(step) in kept]


def _step(role: str, key: Key, one: Any, other: Any) -> Dict[str, Any]:
    return {
        "role": role,
        "where": list(key[0]),
        "name": key[1],
        "sized": False,
        "first": None if one is None else shown(one),
        "second": None if other is None else shown(other),
    }
