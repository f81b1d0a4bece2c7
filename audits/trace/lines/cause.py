"""Where what leaks comes from: the line at which a number first differs, and that at which a scale was set.

A variable is named as a cause only after a trial: the program is run on D′ once more, with that variable as
it is on D, and what was found must then be gone. Where no variable passes, nothing is said.
"""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..explain.follow import Response, alike_factors
from ..explain.withdraw import key, observed
from ..record.noise import number
from ..record.run import Run
from ..record.session import places_of
from ..record.values import CLOSE, SAME, alike, count, differences, flat, numbers, shown, unlike_places
from ..records import About, Draw, Finding, Step, Where
from ..replay.shifts import Difference, Pair
from .watch import Change, Changes, Holders, Key, same

MOST_TRIED, SECONDS = 60, 10.0
"""Variables that are tried, and the processor time that this may take."""
MORE_LINES = 2_000
"""Lines that a run with another value of a variable may have beyond twice those of the run as it is."""
SENSITIVITIES = ("sensitivity", "l1_sensitivity", "l2_sensitivity", "scale", "sigma", "std", "stddev", "b")
"""Parameters that say how much a number may move, the first that there is."""

Runner = Callable[..., Run]
"""(data of D: True, of D′: False; tracer) → a replay with what D released."""


def line_of(runner: Runner, unlike: Difference) -> Optional[Where]:
    """The line that first holds the differing value of an output, on D as on D′.

    Both runs are watched line by line: a local variable, or an attribute of `self`, that comes to hold the
    value of the output on D in the one and that on D′ in the other, at the same line.
    """
    path, a, b = unlike
    found = [Holders(wanted, path.startswith("the ")) for wanted in (a, b)]
    for on_first, holders in zip((True, False), found):
        runner(on_first, holders.watcher)
    common = [where for where in found[0].exact if where in found[1].exact]
    common += [where for where in found[0].lines if where in found[1].lines]
    return next(iter(common + found[0].lines), None)


def causes_of(
    pair: Pair,
    runner: Runner,
    data: Tuple[Any, Any],
    findings: Sequence[Finding],
    asked: Tuple[str, str, int],
) -> Tuple[Step, ...]:
    """The steps to a finding (kind, file, line), or to what a draw costs, where the kind is "": in the order
    in which they are executed."""
    if asked[0]:
        about = next((finding.about for finding in findings if key(finding) == asked), None)
        return () if about is None else Search(pair, runner, data, about, asked[1]).of_a_finding()
    rows = [row for row in pair.recorded.session.draws if row.where[:2] == asked[1:]]
    moved = [(about, row) for row in rows for about in [_argument(pair, row)] if about is not None]
    if not moved:
        return ()
    about, row = max(moved, key=lambda item: _share(*item))
    return Search(pair, runner, data, about, asked[1]).of_a_cost(row)


def _share(about: About, row: Draw) -> float:
    """How far an argument moves, in units of what a draw allows for."""
    name = _parameter(row)
    allowed = abs(float(row.params[name])) if name is not None else 1.0
    return abs(about.one - about.other) / allowed if allowed > 0.0 else np.inf


def _parameter(row: Draw) -> Optional[str]:
    """The name of the parameter that says how much an argument may move; None where a draw has none."""
    return next((name for name in SENSITIVITIES if number(row.params.get(name))), None)


def _argument(pair: Pair, row: Draw) -> Optional[About]:
    """The number that a draw is added to, or a score, which differs; None where none does."""
    other = pair.frozen.session.rows.get(row.index)
    values: List[Tuple[str, Any, Any, Any]] = []
    if other is not None:
        for a, b in (
            (row.argument, other.argument),
            (row.params.get("utility"), other.params.get("utility")),
        ):
            values.append(("given", row.index, numbers(flat(a)), numbers(flat(b))))
    known = {use.key: use for use in pair.frozen.session.uses}
    for use in pair.recorded.session.uses:
        if use.key in known and row.index in places_of(use.ids):
            sums = np.ravel(use.argument), np.ravel(known[use.key].argument)
            values.append(("argument", use.key, *sums))
    for what, name, a, b in values:
        if a is not None and b is not None and a.shape == b.shape and not np.all(alike(a, b, SAME)):
            place = int(np.flatnonzero(~alike(a, b, SAME))[0])
            return About(what, name, float(a[place]), float(b[place]))
    return None


class Search:
    """The search for the cause of what differs, which is seen in a file, with both runs as they are."""

    def __init__(self, pair: Pair, runner: Runner, data: Tuple[Any, Any], about: About, file: str) -> None:
        self.pair, self.runner, self.data, self.about = pair, runner, data, about
        self.home, self.first, self.second = _package(file), Changes(), Changes()
        runner(True, self.first.watcher)
        runner(False, self.second.watcher)
        self.before: Dict[Tuple[Key, int], Change] = {(s.key, s.time): s for s in self.first.found}

    def of_a_finding(self) -> Tuple[Step, ...]:
        """The first variable that decides, and where the number is computed."""
        about, found = self.about, [self._first()]
        if about.what in ("parameter", "factor", "argument", "given"):
            found.append(self._computed())
        return _once(found)

    def of_a_cost(self, row: Draw) -> Tuple[Step, ...]:
        """Where the sensitivity of a draw, or its scale, was set, and where its argument was computed."""
        return _once([self._set(row), self._computed()])

    def _with(self, on_first: bool, name: Key, given: Mapping[int, Any], **options: Any) -> Run:
        """A run with other values of a variable, which ends where it takes much longer for it."""
        limit = 2 * max(each.watcher.lines for each in (self.first, self.second)) + MORE_LINES
        return self.runner(on_first, Changes(name, given, limit).watcher, **options)

    def _tried(self, found: Sequence[Any], name: Callable[[Any], Key]) -> Iterator[Any]:
        """What is tried, as long as the time for it lasts: first what stands in the package of the line that
        leaks, then what stands elsewhere, each in order."""
        began = time.process_time()
        nearest = sorted(found, key=lambda item: _package(name(item)[0][0]) != self.home)
        for item in nearest[:MOST_TRIED]:
            if time.process_time() - began > SECONDS:
                return
            yield item

    # --- What differs ---

    def _first(self) -> Optional[Step]:
        """The first variable that differs and without whose difference nothing is found."""
        for one, other in self._tried(self._candidates(), lambda pair: pair[0].key):
            if self._vanishes(one.key):
                return _step("first", one.key, one.value, other.value, one.sized)
        return None

    def _candidates(self) -> List[Tuple[Change, Change]]:
        """Variables that differ, with their first values that do, in order; those that hold records are left
        out."""
        records = [numbers(flat(data)) for data in self.data]
        sizes = [count(data) for data in self.data]
        found: Dict[Key, Tuple[Change, Change]] = {}
        for other in self.second.found:
            one = self.before.get((other.key, other.time))
            if one is None or other.key in found or not other.key[1] or one.sized != other.sized:
                continue
            if same(one.value, other.value) or (one.sized and [one.value, other.value] == sizes):
                continue
            found[other.key] = (one, other)
        return [pair for name, pair in found.items() if pair[0].sized or not self._records(name, records)]

    def _records(self, name: Key, records: Sequence[Any]) -> bool:
        """Whether a variable runs through the numbers of the data."""
        values = [
            np.asarray([s.value for s in steps.found if s.key == name and not s.sized], dtype=float)
            for steps in (self.first, self.second)
        ]
        inside = all(known is not None and np.all(np.isin(v, known)) for v, known in zip(values, records))
        return self.second.times[name] >= 2 and inside

    def _vanishes(self, name: Key) -> bool:
        """Whether nothing is found any more with a variable on D′ as it is on D."""
        keeper = Changes(name)
        self.runner(True, keeper.watcher)
        if self.about.what != "moved":
            return self._gone(self._with(False, name, keeper.kept))
        row = self.pair.recorded.session.rows[self.about.key]
        line = Response(lambda **options: self._with(False, name, keeper.kept, **options)).line(row)
        return line is not None and alike_factors(line.factor, self.about.one)

    def _gone(self, run: Run) -> bool:
        """Whether a run does not show what was found; an error after the draw is no matter."""
        about, recorded = self.about, self.pair.recorded
        if about.what == "path":
            now = run.session.diverged
            ended = min(len(run.session.draws), len(recorded.session.draws)) > about.key
            return ended and (now is None or now > about.key)
        if about.what == "output":
            return run.whole and not unlike_places(recorded.output, run.output, CLOSE)
        one, other = observed(recorded, about), observed(run, about)
        return one is not None and other is not None and not differences(one, other, SAME)

    def _computed(self) -> Optional[Step]:
        """The line at which a variable first gets the number that differs, and decides it."""
        one, other = self.about.one, self.about.other
        if not number(one) or not number(other):
            return None
        found = self.second.found
        places = [
            place
            for place, step in enumerate(found)
            if step.key[1]
            and not step.sized
            and same(step.value, other)
            and (step.key, step.time) in self.before
        ]
        known = [self.before[found[place].key, found[place].time] for place in places]
        places = [p for p, step in zip(places, known) if not step.sized and same(step.value, one)]
        for place in self._tried(places, lambda p: found[p].key):
            step = found[place]
            given = {step.time: self.before[step.key, step.time].value}
            if self._gone(self._with(False, step.key, given)):
                # A function that returns the number has computed it.
                last = found[place - 1] if place else step
                returned = not last.key[1] and not last.sized and same(last.value, other)
                where = (last if returned else step).key[0]
                return _step("computed", (where, step.key[1]), one, other)
        return None

    # --- What does not differ ---

    def _set(self, row: Draw) -> Optional[Step]:
        """The first variable that the sensitivity or the scale of a draw follows when it is changed."""
        name = _parameter(row)
        if name is None:
            return None
        value = float(row.params[name])
        # The last change of each variable before the draw, where it holds the value.
        last = {step.key: step for step in self.first.found if step.drawn <= row.index and step.key[1]}
        holding = [step for step in last.values() if not step.sized and same(step.value, value)]
        holding.sort(key=self.first.found.index)
        for step in self._tried(holding, lambda step: step.key):
            other: Any = int(value) + 1 if isinstance(step.value, (int, np.integer)) else 1.5 * value + 0.25
            now = self._with(True, step.key, {step.time: other}).session.rows.get(row.index)
            if now is not None and number(now.params.get(name)) and same(now.params[name], other):
                return Step("set", step.key[0], step.key[1], shown(value), shown(value), parameter=name)
        return None


def _once(found: Sequence[Optional[Step]]) -> Tuple[Step, ...]:
    """The steps that were found, each line once."""
    steps = [step for step in found if step is not None]
    return tuple(
        {step.where: step for step in reversed(steps)}[where]
        for where in dict.fromkeys(s.where for s in steps)
    )


def _step(role: str, name: Key, one: Any, other: Any, sized: bool = False) -> Step:
    return Step(role, name[0], name[1], shown(one), shown(other), sized)


def _package(file: str) -> str:
    """The folder of an installed package, or that of a file."""
    for mark in ("site-packages", "dist-packages"):
        head, found, tail = file.partition(mark + os.sep)
        if found:
            return head + tail.split(os.sep)[0]
    return os.path.dirname(file)
