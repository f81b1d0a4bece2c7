"""What every test by sampling assumes: outputs are independent, and a mechanism leaves its data as they are.

Noise that is drawn once a call and shared by all of its outputs, the classic slip of vectorising, makes a
private mechanism look as if it were not: where outputs are dependent, no audit can say anything. So a number
of short calls is made before the first bet. Were the outputs on a dataset independent, any order of them
would be as likely as any other: a permutation test is then exact, whatever kind the outputs are of. Where it
finds something, a second test of twice as many fresh outputs has to find something as well: of a million
mechanisms with independent outputs one is called dependent. Nothing is betted on these
samples, so they cost nothing of α; where outputs are dear the audit learns from them.

The statistics look at outputs of one call (sums over a call, lags within it, outputs that are equal), at
calls (outputs at the same place, calls one after the other, first against second half) and at both datasets
(outputs at the same place). Short calls cannot show what begins later in a call, as when a pool of draws is
used again: before a claim is called refuted, two calls about as long as those of the audit are tested too.
Each is standardised by its mean and its spread over all permutations, and the largest counts (Westfall and
Young 1993, maxT). Of sums of squares, about χ² distributed, the cube root is taken, which is about normal
(Wilson and Hilferty 1931): statistics that are compared with each other must have tails alike.
"""

from __future__ import annotations

import math
from functools import partial
from typing import cast

import numpy as np

from audits.privacy.draws import Drawer, joined, named
from audits.privacy.leaves import LARGE
from audits.privacy.method import Job
from audits.privacy.outputs import Encoded, Floats, Ints, Raw, row_keys
from audits.privacy.pace import Plan, planned

LEVEL = 0.001
"""Probability that one test calls independent outputs dependent; a second on fresh outputs must agree."""
FIRST, FURTHER = 99, 900
"""Permutations that the data must beat, and further ones where they do: 1/(1 + FIRST + FURTHER) is the
level."""
CALLS, CALL = 32, 32
"""Calls on each dataset, and outputs of each of them."""
LONG_CALLS, LONG = 2, 2048
"""The same of long calls; so many outputs at most."""
ONE_BY_ONE, SHARE = 64, 8
"""Outputs on each dataset of a mechanism that is called for each of them anyway: at most so many, and at most
one of so many samples of the budget."""
FEW = 4
"""Outputs of such a mechanism that are drawn between two looks at the clock."""
TIME = 0.25
"""Share of the time limit that all tests together take; the first test of a pair takes a third of what is
left of it. Where that is not enough for calls of several outputs, each output is drawn by a call of its own,
and the audit learns from the outputs of its tests, without betting on them."""
LAGS = 3
OFTEN = 0.05
"""Symbols of at least this share of the outputs are looked at."""
FEATURES = 24

BROKEN = {
    "call": "the outputs of one call are not independent of each other, as when they share a draw of noise",
    "calls": "the outputs of a call are not independent of the calls before it, as when a seed is set again",
    "datasets": "outputs on the two datasets are not independent of each other, as when a seed is set again",
    "data": "the mechanism changes its data, so that outputs of one call need not be outputs on one dataset",
}
REMEDY = "audit it with one output a call: audits.each(lambda data, rng: mechanism(data, 1, rng)[0])"


def dependence(first: Encoded, second: Encoded, call: int, rng: np.random.Generator) -> str:
    """Which of `BROKEN` the outputs of calls of `call` outputs each show; "" for none.

    The outputs on each dataset stand in the order in which they were drawn, calls in turn on both datasets.
    Independent outputs are called dependent with probability at most `LEVEL`.
    """
    a, b = features(first, rng), features(second, rng)
    if a.size == b.size == 0:
        return ""
    # Sums along the last axis are fast.
    a, b = (np.ascontiguousarray(side.T) for side in (a, b))
    keys = [row_keys(side) for side in (first, second)]
    tied = len(first) > call > 1 and any(len(np.unique(side)) < len(side) for side in keys)

    def statistics(one: Ints, other: Ints) -> tuple[list[str], Floats]:
        names, found = _statistics(a[:, one], b[:, other], call)
        if not tied:
            return names, found
        equal = [_equal(side[order], call) for side, order in zip(keys, (one, other), strict=True)]
        return [*names, "call", "call"], np.column_stack([found, *equal])

    as_drawn = np.arange(len(first))[None]
    names, seen = statistics(as_drawn, as_drawn)

    def permuted(count: int) -> Floats:
        one, other = (rng.permuted(np.tile(as_drawn, (count, 1)), axis=1) for _ in range(2))
        return statistics(one, other)[1]

    block = max(1, 2**22 // (a.size + b.size))
    every = seen
    for counts in ([FIRST], [min(block, FURTHER - start) for start in range(0, FURTHER, block)]):
        every = np.concatenate([every, *map(permuted, counts)])
        z = _standardised(every)
        if not bool((z[0].max() > z[1:].max(axis=1)).all()):
            return ""
    if tied:
        # Fewer equal outputs in a call than by chance: they are in several calls.
        names[-2:] = np.where(seen[0, -2:] < every[1:, -2:].mean(axis=0), "calls", "call").tolist()
    # One statistic may be far out by the dependence that others speak of, so that their means count.
    z = _standardised(every, every[1:])
    return max(dict.fromkeys(names), key=lambda name: float(z[0, np.array(names) == name].mean()))


def _equal(keys: Ints, call: int) -> Floats:
    """The root of how many pairs of a call are equal, for outputs (orders, n) in several orders."""
    ordered = np.sort(keys.reshape(len(keys), -1, call), axis=2)
    new = np.ones(ordered.shape, dtype=bool)
    new[:, :, 1:] = ordered[:, :, 1:] != ordered[:, :, :-1]
    starts = np.flatnonzero(new)
    times = np.diff(starts, append=ordered.size)
    return np.sqrt(np.bincount(starts // keys.shape[1], times * (times - 1) / 2, len(keys)))


def _standardised(every: Floats, orders: Floats | None = None) -> Floats:
    """Statistics (orders, S) in units of their spread over all orders, or over these, without their sign."""
    orders = every if orders is None else orders
    spread = orders.std(axis=0)
    z = np.abs(every - orders.mean(axis=0)) / np.where(spread > 1e-12, spread, np.inf)
    # Rounding must not tell equal statistics apart.
    return np.round(z, 9)


def _statistics(a: Floats, b: Floats, call: int) -> tuple[list[str], Floats]:
    """Statistics (orders, S) of outputs in several orders, (features, orders, n), and what each tells."""
    found: list[tuple[str, Floats]] = []

    def products(one: Floats, other: Floats) -> Floats:
        axes = "foij"[: one.ndim]
        return np.einsum(f"{axes},{axes}->of", one, other)

    for side in (a, b):
        width, orders, n = side.shape
        calls = side.reshape(width, orders, n // call, call)
        # A product with ones sums four times as fast as `sum` does.
        sums = calls @ np.ones(call)
        several = n > call
        if call > 1 and several:
            found.append(("call", np.cbrt(products(sums, sums))))
        for lag in range(1, min(LAGS, call - 1) + 1):
            found.append(("call", products(calls[..., lag:], calls[..., :-lag])))
        if several:
            places = np.ones(n // call) @ calls
            found.append(("calls", np.cbrt(products(places, places))))
            found.append(("calls", products(sums[..., 1:], sums[..., :-1])))
        found.append(("calls" if several else "call", (side[..., : n // 2] @ np.ones(n // 2)).T))
    width = min(len(a), len(b))
    if width:
        found.append(("datasets", products(a[:width], b[:width])))
    if len(a) > 1:
        # What all features show together.
        found += [(name, part.sum(axis=1, keepdims=True)) for name, part in found if part.shape[1] == len(a)]
    names = [name for name, part in found for _ in range(part.shape[1])]
    return names, np.hstack([part for _, part in found])


def features(e: Encoded, rng: np.random.Generator) -> Floats:
    """Columns (n, F) of mean 0 and spread 1 that show where outputs depend on each other: ranks, distances of
    ranks from the middle (noise of a common scale), commonest symbols. Constant columns are left out."""
    from scipy import stats

    columns = np.clip(e.values, -LARGE, LARGE)
    if columns.shape[1] > FEATURES // 2:
        # Many columns: some of them, and sums of all with random signs.
        some = columns[:, np.unique(np.linspace(0, columns.shape[1] - 1, FEATURES // 4).astype(np.int64))]
        scale = np.median(np.abs(columns - np.median(columns, axis=0)), axis=0)
        signs = rng.choice([-1.0, 1.0], size=(columns.shape[1], FEATURES // 4))
        with np.errstate(over="ignore"):
            scaled = np.clip(columns / np.where(scale > 0.0, scale, 1.0), -1e3, 1e3)
        columns = np.hstack([some, scaled @ signs])
    ranks = np.asarray(stats.rankdata(columns, axis=0)) if columns.shape[1] else columns
    centred = ranks - ranks.mean(axis=0) if len(ranks) else ranks
    marks: list[Floats] = []
    for j in range(min(e.codes.shape[1], 4)):
        unique, counts = np.unique(e.codes[:, j], return_counts=True)
        # Of symbols that hardly repeat, the order in which they were drawn would say which are chosen.
        often = counts >= OFTEN * len(e)
        common = unique[often][np.argsort(counts[often])[::-1][:3]]
        marks.append((e.codes[:, j, None] == common).astype(np.float64))
    parts = np.hstack([centred, np.abs(centred), *marks])
    parts = parts - parts.mean(axis=0)
    spread = parts.std(axis=0)
    return parts[:, spread > 1e-9] / spread[spread > 1e-9]


class Assumptions:
    """The tests of an audit's assumptions, within their share of its time.

    broken  the assumption that fails, in a sentence; "" where none does.
    tested  outputs of each dataset that the tests took.
    """

    def __init__(self, job: Job, rng: np.random.Generator) -> None:
        self.job, self.rng = job, rng
        self.drawer = cast(Drawer, job.drawer)
        self.broken, self.tested = "", 0
        self.first, self.spent, self.limit = 0.0, 0.0, job.options.time_limit or math.inf
        self.plan: Plan | None = None

    def test(self, index: int, long: int = 0) -> bool:
        """Whether the assumptions hold on a pair.

        long  look at long calls, of so many outputs or of `LONG`, in place of short ones.
        """
        start, name, drawn = self._drawing(), "", 0
        if self.plan is None and not self.drawer.one_by_one and self.job.options.time_limit is not None:
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

    def _draw(self, index: int, side: int, size: int) -> Raw:
        is_first = self.drawer.first_output is None
        outputs = self.drawer.draw(self.job.pairs[index][side], size, self.rng, named(side, index))
        if is_first:
            self.first = self.drawer.seconds
        return outputs

    def _measure(self, index: int) -> None:
        """What calls cost; where a test of calls would take too long, every output is drawn by a call of its
        own from now on, so that outputs of one call need not be independent."""
        self.plan, seen = planned(partial(self._draw, index), TIME * self.limit / 3.0)
        self.tested += len(seen[0])
        if self.plan.calls == 0:
            self.drawer.alone()
        if self.plan.learn:
            self.job.seen[index] = seen

    def _found(self, index: int, times: int, long: int, seconds: float) -> tuple[str, int]:
        """Which of `BROKEN` fresh outputs show, or "", and how many a dataset gave: `times` as many as at
        first, as far as the seconds go.

        What independent outputs show by luck, twice as many fresh outputs hardly show again.
        """
        drawer, start = self.drawer, self._drawing()
        outputs: tuple[list[Raw], list[Raw]] = ([], [])
        cut = False
        # How many calls are made on each dataset, and how many outputs each of them draws.
        calls, call = (times * LONG_CALLS, min(long, LONG)) if long else (times * CALLS, CALL)
        if drawer.one_by_one:
            most = times * max(2, min(ONE_BY_ONE, self.job.options.max_samples // SHARE))
            calls, call = -(-most // FEW), min(FEW, most)
        elif self.plan is not None:
            if long:
                call = min(call, self.plan.affordable(calls, seconds))
                if call <= CALL:
                    return "", 0
            else:
                calls, call = times * self.plan.calls, self.plan.call
        for done in range(call, calls * call + 1, call):
            for side, kept in enumerate(outputs):
                kept.append(self._draw(index, side, call))
            if drawer.changed and not drawer.one_by_one:
                return "data", done
            if cut := self._drawing() - start > seconds:
                break
        if (cut or (self.plan is not None and self.plan.learn)) and not long:
            earlier = self.job.seen.get(index, (outputs[0][0][:0], outputs[1][0][:0]))
            parts = (joined([*([a] if len(a) else []), *b]) for a, b in zip(earlier, outputs, strict=True))
            self.job.seen[index] = (next(parts), next(parts))
        first, second = _encoded(drawer, outputs, index)
        with self.job.threads.limit(limits=1):
            return dependence(first, second, len(first) if drawer.one_by_one else call, self.rng), len(first)


def _encoded(drawer: Drawer, outputs: tuple[list[Raw], list[Raw]], index: int) -> tuple[Encoded, Encoded]:
    """The outputs on both datasets as columns, which are chosen from all of them at once: columns that the
    first of them chose would look different there."""
    try:
        every = drawer.encoder().encode(joined([*outputs[0], *outputs[1]]), f"pair {index}")
    except ValueError:
        # The same outputs one call after the other, for the name of the dataset.
        encoder = drawer.encoder()
        for side, calls in enumerate(outputs):
            for part in calls:
                encoder.encode(part, named(side, index))
        raise
    size = sum(map(len, outputs[0]))
    return every.take(slice(size)), every.take(slice(size, None))


def sentence(name: str, one_by_one: bool = False) -> str:
    """What is to be said of an assumption that fails; nothing where none does."""
    if not name:
        return ""
    remedy = "" if one_by_one or name == "datasets" else f"; {REMEDY}"
    return f"An assumption fails: {BROKEN[name]}; nothing can be said of its privacy{remedy}."
