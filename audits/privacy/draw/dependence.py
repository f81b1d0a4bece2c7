"""A permutation test of whether the outputs of calls are independent.

Were the outputs on a dataset independent, any order of them would be as likely as any other, so a permutation
test is exact, whatever kind the outputs are of. The statistics look at outputs of one call (sums over a call,
lags within it, outputs that are equal), at calls (outputs at the same place, calls one after the other, first
against second half) and at both datasets (outputs at the same place). Each is standardised by its mean and
its spread over all permutations, and the largest counts (Westfall and Young 1993, maxT). Of sums of squares,
about χ² distributed, the cube root is taken, which is about normal (Wilson and Hilferty 1931): statistics
that are compared with each other must have tails alike.
"""

from __future__ import annotations

import numpy as np

from audits.privacy.outputs.outputs import LARGE, Encoded, Floats, Ints, row_keys
from audits.privacy.tuning import TUNING

FIRST, FURTHER = 99, 900
"""The data must beat 99 permutations, and then 900 more: the level is 1/1000."""
LAGS = 3
FEATURES = 24


def dependence(first: Encoded, second: Encoded, call: int, rng: np.random.Generator) -> str:
    """What outputs of calls of `call` outputs each depend on, "call", "calls" or "datasets"; "" for nothing.

    The outputs on each dataset stand in the order in which they were drawn, calls in turn on both datasets.
    Independent outputs are called dependent with probability at most 1/(1 + FIRST + FURTHER).
    """
    a, b = features(first, rng), features(second, rng)
    if a.size == b.size == 0:
        return ""
    # Sums along the last axis are fast.
    a, b = (np.ascontiguousarray(side.T) for side in (a, b))
    keys = [row_keys(side) for side in (first, second)]
    tied = len(first) > call > 1 and any(len(np.unique(side)) < len(side) for side in keys)

    def statistics(one: Ints, other: Ints) -> tuple[list[str], Floats]:
        # `take` is eight times as fast as an index in brackets.
        names, found = _statistics(np.take(a, one, axis=1), np.take(b, other, axis=1), call)
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
    """Statistics (orders, S) in units of their spread over `orders`, by default all, without their sign."""
    orders = every if orders is None else orders
    spread = orders.std(axis=0)
    z = np.abs(every - orders.mean(axis=0)) / np.where(spread > 1e-12, spread, np.inf)
    # Rounding must not tell equal statistics apart.
    return np.round(z, 9)


def _statistics(a: Floats, b: Floats, call: int) -> tuple[list[str], Floats]:
    """Statistics (orders, S) of outputs in several orders, (features, orders, n), and which dependence each
    of them shows: within a call, between calls or between datasets."""
    found: list[tuple[str, Floats]] = []
    for outputs in (a, b):
        width, orders, n = outputs.shape
        calls = outputs.reshape(width, orders, n // call, call)
        # A product with ones sums four times as fast as `sum` does.
        sums = calls @ np.ones(call)
        several = n > call
        if call > 1 and several:
            found.append(("call", np.cbrt(_dot(sums, sums))))
        for lag in range(1, min(LAGS, call - 1) + 1):
            found.append(("call", _dot(calls[..., lag:], calls[..., :-lag]).sum(axis=-1)))
        if several:
            places = np.ones(n // call) @ calls
            found.append(("calls", np.cbrt(_dot(places, places))))
            found.append(("calls", _dot(sums[..., 1:], sums[..., :-1])))
        found.append(("calls" if several else "call", outputs[..., : n // 2] @ np.ones(n // 2)))
    width = min(len(a), len(b))
    if width:
        found.append(("datasets", _dot(a[:width], b[:width])))
    if len(a) > 1:
        # What all features show together.
        found += [(name, part.sum(axis=0, keepdims=True)) for name, part in found if len(part) == len(a)]
    names = [name for name, part in found for _ in part]
    return names, np.concatenate([part for _, part in found]).T


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
            columns /= np.where(scale > 0.0, scale, 1.0)
        columns = np.hstack([some, np.clip(columns, -1e3, 1e3, out=columns) @ signs])
    ranks = np.asarray(stats.rankdata(columns, axis=0)) if columns.shape[1] else columns
    centred = ranks - ranks.mean(axis=0) if len(ranks) else ranks
    marks: list[Floats] = []
    for j in range(min(e.codes.shape[1], 4)):
        unique, counts = np.unique(e.codes[:, j], return_counts=True)
        # Of symbols that hardly repeat, the order in which they were drawn would say which are chosen.
        often = counts >= TUNING.little * len(e)
        common = unique[often][np.argsort(counts[often])[::-1][:3]]
        marks.append((e.codes[:, j, None] == common).astype(np.float64))
    parts = np.hstack([centred, np.abs(centred), *marks])
    parts = parts - parts.mean(axis=0)
    spread = parts.std(axis=0)
    return parts[:, spread > 1e-9] / spread[spread > 1e-9]


def _dot(a: Floats, b: Floats) -> Floats:
    """Scalar products over the last axis, as `numpy.vecdot`, which NumPy 1 lacks (maps are checked there)."""
    return np.einsum("...i,...i->...", a, b)
