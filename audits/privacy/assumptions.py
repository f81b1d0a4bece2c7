"""What every test by sampling assumes: outputs are independent, and a mechanism leaves its data as they are.

Noise that is drawn once a call and shared by all of its outputs, the classic slip of vectorising, makes a
private mechanism look as if it were not: where outputs are dependent, no audit can say anything. So a number
of short calls is made before the first bet and tested (see `dependence`). Where the test finds something, a
second test of twice as many fresh outputs has to find something as well: of a million mechanisms with
independent outputs one is called dependent. Short calls cannot show what begins later in a call, as when a
pool of draws is used again: before a claim is called refuted, two calls about as long as those of the audit
are tested too. Nothing is betted on any of these outputs, so they cost nothing of α.

Where outputs are costly, calls are timed first, the test is as large as its share of the time limit
allows, and the audit learns from its outputs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from audits.privacy.bet.method import Job
from audits.privacy.draw.dependence import dependence
from audits.privacy.draw.draws import Drawer, joined, named
from audits.privacy.outputs.outputs import Encoded, Raw
from audits.privacy.tuning import TUNING

PLANS = (32, 32), (16, 32), (8, 32), (32, 8), (4, 64), (2, 64)
"""Calls on each dataset and outputs of each of them, the best tests first."""
CALLS, CALL = PLANS[0]
LONG_CALLS, LONG, WIDE = 2, 8192, 2048
"""Long calls on each dataset, and outputs of each of them at most; of outputs that take much memory no fewer
than the last number."""
ONE_BY_ONE, SHARE = 64, 8
"""A mechanism that is called for each output anyway is tested on at most 64 outputs of each dataset, and at
most an eighth of the budget."""
TIME = 0.25
"""Share of the time limit that all tests together take; the first test of a pair takes a third of what is
left of it. Where that is not enough for calls of several outputs, each output is drawn by a call of its own,
so that outputs of one call need not be independent."""
TRIED, PARTS = TUNING.first_batch, 4
"""Outputs of the longest call that is timed, at most: on each dataset it takes a quarter of the time."""
COSTLY = 8.0
"""A call that by itself costs as much as eight outputs is not made for each output: then the last plan is
kept to, and cut off by the clock."""

BROKEN = {
    "call": "the outputs of one call are not independent of each other, as when they share a draw of noise",
    "calls": "the outputs of a call are not independent of the calls before it, as when a seed is set again",
    "datasets": "outputs on the two datasets are not independent of each other, as when a seed is set again",
    "data": "the mechanism changes its data, so that outputs of one call need not be outputs on one dataset",
}
REMEDY = "audit it with one output a call: audits.each(lambda data, rng: mechanism(data, 1, rng)[0])"


def sentence(name: str, one_by_one: bool = False) -> str:
    """What is to be said of an assumption that fails; nothing where none does."""
    if not name:
        return ""
    remedy = "" if one_by_one or name in ("calls", "datasets") else f"; {REMEDY}"
    return f"An assumption fails: {BROKEN[name]}; nothing can be said of its privacy{remedy}."


@dataclass(frozen=True, slots=True)
class Plan:
    """Calls on each dataset, and outputs of each call; no calls where none of `PLANS` can be afforded and
    outputs are what is costly. A call costs `fixed` seconds and each of its outputs `output` seconds.

    learn  whether outputs are so costly that the audit learns from those of its tests.
    """

    calls: int = CALLS
    call: int = CALL
    fixed: float = 0.0
    output: float = 0.0
    learn: bool = False

    def affordable(self, calls: int, seconds: float) -> int:
        """Outputs of each long call, where `calls` of them on both datasets may take this time."""
        return int(min((seconds / (2.0 * calls) - self.fixed) / max(self.output, 1e-12), LONG))


Parts = tuple[list[Raw], list[Raw]]
"""Outputs of several calls on the first and on the second dataset."""


def planned(draw: Callable[[int, int], Raw], seconds: float) -> tuple[Plan, Parts]:
    """The plan for a test within this time, and the outputs that were drawn to measure what calls cost.

    draw  ``draw(dataset, size)``: outputs of a call on the first dataset, 0, or the second, 1.
    """
    seen: Parts = ([], [])

    def timed(place: int, size: int) -> float:
        start = time.perf_counter()
        seen[place].append(draw(place, size))
        return time.perf_counter() - start

    timed(0, 1)  # the first call may import a library
    one = timed(1, 1)
    if one < seconds / (2 * PARTS):
        # Beside other programs a call may take long by chance, but hardly two.
        one = min(one, timed(0, 1), timed(1, 1))
    size = int(min(max(seconds / PARTS / max(one, 1e-9), 2.0), TRIED))
    several = min(timed(0, size), timed(1, size))
    output = max(several - one, 0.0) / (size - 1)
    fixed = max(one - output, 0.0)
    for calls, call in PLANS:
        if 2.0 * calls * (fixed + call * output) <= seconds:
            return Plan(calls, call, fixed, output, (calls, call) != PLANS[0]), seen
    calls, call = PLANS[-1] if fixed > COSTLY * output else (0, 0)
    return Plan(calls, call, fixed, output, True), seen


class Assumptions:
    """The tests of an audit's assumptions, within their share of its time.

    broken  the assumption that fails, in a sentence; "" where none does.
    tested  outputs of each dataset that the tests took.
    """

    def __init__(self, job: Job, rng: np.random.Generator) -> None:
        self.job, self.rng, self.drawer = job, rng, job.drawer
        self.broken, self.tested = "", 0
        self.first, self.spent, self.limit = 0.0, 0.0, job.options.time_limit or math.inf
        self.plan = Plan()
        self.measured = job.options.time_limit is None

    def test(self, index: int, long: int = 0) -> bool:
        """Whether the assumptions hold on a pair.

        long  outputs of a long call, `LONG` at most, in place of short calls; 0 for short calls.
        """
        start, name, drawn = self._drawing(), "", 0
        if not self.measured and not self.drawer.one_by_one:
            self._measure(index)
        for times in (1, 2):
            allowed = TIME * self.limit - self.spent - (self._drawing() - start)
            again, size = self._found(index, times, long, allowed if times == 2 else allowed / 3.0)
            if times == 1 or size > drawn:
                name = again
            drawn += size
            if name in ("", "data"):
                break
        self.tested += drawn
        self.spent += self._drawing() - start
        self.broken = sentence(name, self.drawer.one_by_one)
        return not self.broken

    def _drawing(self) -> float:
        """Seconds that were spent on drawing after the first call, which may have to import a library."""
        return self.drawer.seconds - self.first

    def _draw(self, index: int, place: int, size: int) -> Raw:
        is_first = self.drawer.first_output is None
        outputs = self.drawer.draw(self.job.pairs[index][place], size, self.rng, named(place, index))
        if is_first:
            self.first = self.drawer.seconds
        return outputs

    def _measure(self, index: int) -> None:
        """Time some calls, and plan the tests."""
        self.plan, outputs = planned(partial(self._draw, index), TIME * self.limit / 3.0)
        self.measured = True
        self.tested += sum(map(len, outputs[0]))
        if self.plan.calls == 0:
            self.drawer.alone()
        if self.plan.learn:
            self._learn_from(index, outputs)

    def _learn_from(self, index: int, outputs: Parts) -> None:
        for seen, parts in zip(self.job.seen.setdefault(index, ([], [])), outputs, strict=True):
            seen.extend(parts)

    def _calls(self, times: int, long: int, seconds: float) -> tuple[int, int]:
        """How many calls are made on each dataset, and how many outputs each of them draws."""
        if self.drawer.one_by_one:
            return times * max(2, min(ONE_BY_ONE, self.job.options.max_samples // SHARE)), 1
        if long:
            calls = times * LONG_CALLS
            room = max(WIDE, TUNING.most_bytes // (4 * LONG_CALLS * self.drawer.row_bytes))
            return calls, min(long, room, self.plan.affordable(calls, seconds))
        return times * self.plan.calls, self.plan.call

    def _found(self, index: int, times: int, long: int, seconds: float) -> tuple[str, int]:
        """Which of `BROKEN` fresh outputs show, or "", and how many a dataset gave: `times` as many as at
        first, as far as the seconds go.

        What independent outputs show by luck, twice as many fresh outputs hardly show again.
        """
        drawer, start, cut = self.drawer, self._drawing(), False
        outputs: Parts = ([], [])
        calls, call = self._calls(times, long, seconds)
        if seconds <= 0.0 or (long and call <= CALL):
            return "", 0
        done = 0
        while done < calls * call and not cut:
            for place, kept in enumerate(outputs):
                kept.append(self._draw(index, place, call))
            done += call
            if drawer.changed and not drawer.one_by_one:
                return "data", done
            cut = self._drawing() - start > seconds
        if (cut or self.plan.learn) and not long:
            self._learn_from(index, outputs)
        first, second = _encoded(drawer, outputs, index)
        del outputs
        with self.job.threads.limit(limits=1):
            return dependence(first, second, len(first) if drawer.one_by_one else call, self.rng), len(first)


def _encoded(drawer: Drawer, outputs: Parts, index: int) -> tuple[Encoded, Encoded]:
    """The outputs on both datasets as columns, which are chosen from all of them at once: columns that the
    first of them chose would look different there."""
    try:
        every = drawer.encoder().encode(joined([*outputs[0], *outputs[1]]), f"pair {index}")
    except ValueError:
        # The same outputs one call after the other, for the name of the dataset.
        encoder = drawer.encoder()
        for place, calls in enumerate(outputs):
            for part in calls:
                encoder.encode(part, named(place, index))
        raise
    size = sum(map(len, outputs[0]))
    return every.take(slice(size)), every.take(slice(size, None))
