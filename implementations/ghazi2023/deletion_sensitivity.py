"""Local deletion sensitivity Δ̄ and Δ̄_r (Definition 3.2), and the smallest stable deletions of Algorithm 1.

Δ̄ f(x) = max_i ‖f(x) − f(x₋ᵢ)‖ and Δ̄_r f(x) = max over |S| ≤ r of Δ̄ f(x₋S). The text writes f on 𝒳^{*×m}, so f
has a value on the dataset without users. Where f(∅) has no value (an average over nobody), the deletion of
the last user cannot be counted; `empty=False` is that reading. The two readings differ only for n ≤ 4κ + 1.

Line 5 of Algorithm 1 asks whether Δ̄_{4κ−|S|} f(x₋S) ≤ Δ. The budgets of S and of the further deletions add up
to 4κ, so x₋S is stable exactly if no dataset y ⊆ x₋S with |x| − |y| ≤ 4κ has Δ̄ f(y) > Δ. `CountTable`
evaluates that at once for all datasets between x and the empty dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from implementations.checks import numbers, positive, whole_number
from implementations.interfaces import Array

Statistic = Callable[[tuple[Any, ...]], Array]
"""f: a tuple of users → a vector (d,)."""


def local_deletion_sensitivity(f: Statistic, users: Sequence[Any], *, empty: bool = True) -> float:
    """Δ̄ f(x): the largest change when one user is deleted; 0 where no deletion counts.

    empty  whether f has a value on the empty dataset, so that the last user's deletion counts.
    """
    x = tuple(users)
    if not x or (len(x) == 1 and not empty):
        return 0.0
    value = np.asarray(f(x))
    return max(float(np.linalg.norm(value - f(x[:i] + x[i + 1 :]))) for i in range(len(x)))


def brute_force(f: Statistic, users: Sequence[Any], r: int, *, empty: bool = True) -> float:
    """Δ̄_r f(x) by enumeration of all subsets S of at most r users: n^r evaluations, so n ≲ 12.

    >>> brute_force(lambda x: np.array([sum(x)]), (1.0, 3.0), 1)
    3.0
    """
    x = tuple(users)
    whole_number(0, r=r)
    return max(
        local_deletion_sensitivity(f, [x[i] for i in range(len(x)) if i not in gone], empty=empty)
        for size in range(min(r, len(x)) + 1)
        for gone in map(set, combinations(range(len(x)), size))
    )


@dataclass(frozen=True, slots=True)
class CountTable:
    """All datasets below one dataset of few types of users.

    counts  (k,) how many users of each type; n their sum.
    values  (c₁ + 1, …, c_k + 1, d) the statistic at every vector of counts up to `counts`.
    step    (c₁ + 1, …, c_k + 1) Δ̄ f at every vector of counts.
    """

    counts: tuple[int, ...]
    values: Array
    step: Array

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def deleted(self) -> Any:
        """How many users are gone at every vector of counts, shape of `step`."""
        return self.n - np.indices(self.step.shape).sum(axis=0)


def count_table(f: Callable[[Array], Array], counts: Sequence[int], *, empty: bool = True) -> CountTable:
    """The table of a statistic that depends on the numbers of users of each type only.

    f       counts (…, k) → values (…, d); called once, on all vectors of counts up to `counts`.
    empty   whether f has a value where all counts are 0; if not, its value there is ignored.
    Raises ValueError for counts that are no whole numbers ≥ 0, or a value that is not finite.
    """
    for i, count in enumerate(counts):
        whole_number(0, **{f"counts[{i}]": count})
    sizes = tuple(int(c) + 1 for c in counts)
    grid = np.moveaxis(np.indices(sizes), 0, -1).astype(float)
    values = np.array(f(grid), dtype=float)
    if values.shape[:-1] != sizes:
        raise ValueError(
            f"f must map counts (…, k) to values (…, d), got shape {values.shape} for {grid.shape}"
        )
    if not empty:
        values[(0,) * len(sizes)] = 0.0
    numbers("f(counts)", values)
    step = np.zeros(sizes)
    for axis in range(len(sizes)):
        jump = np.linalg.norm(np.diff(values, axis=axis), axis=-1)
        if not empty and sizes[axis] > 1:  # the dataset of one user of this type: its deletion leaves nobody
            jump[(0,) * len(sizes)] = 0.0
        later: list[slice] = [slice(None)] * len(sizes)
        later[axis] = slice(1, None)
        step[tuple(later)] = np.maximum(step[tuple(later)], jump)
    return CountTable(tuple(int(c) for c in counts), values, step)


def table_sensitivity(table: CountTable, r: int) -> float:
    """Δ̄_r f of the dataset of the table: the largest Δ̄ f over all datasets with at most r users deleted."""
    whole_number(0, r=r)
    return float(table.step[table.deleted <= r].max())


def smallest_stable(
    table: CountTable, target: float, kappa: int, *, most: int | None = None
) -> tuple[int, Array] | None:
    """Lines 5 and 9 of Algorithm 1 at R₁ = 2κ: the least |S| with x₋S stable, and f of every tied choice.

    At R₁ = r the algorithm answers if and only if the least |S| is at most r, and it then chooses among the
    same ties. Returns (|S|, values (ties, d)), ties in the order of their counts; None where nothing is
    stable.

    most  the largest |S| looked at: 2κ by default, since R₁ never exceeds it.

    Raises ValueError for a target that is not positive.
    """
    positive(target=target)
    whole_number(kappa=kappa)
    deleted = table.deleted
    bad = (deleted <= 4 * kappa) & (table.step > target)
    for axis in range(bad.ndim):  # bad below: some dataset y ⊆ x₋S within reach has Δ̄ f(y) > Δ
        bad = np.logical_or.accumulate(bad, axis=axis)
    stable = ~bad & (deleted <= (2 * kappa if most is None else most))
    if not stable.any():
        return None
    least = int(deleted[stable].min())
    return least, table.values[stable & (deleted == least)]


def mean_sensitivity(x: Array, r: int) -> Array:
    """Δ̄_r of the mean of n numbers in closed form: x (…, n) → (…), for r ≤ n − 2.

    The jump when user i leaves x₋S is |xᵢ − mean(x₋S)|/(n − |S| − 1). For each |S| = s it is largest when i
    is the greatest (least) number and S holds the s next greatest (least): an exchange argument, because xᵢ
    enters the mean with weight below 1. Raises ValueError where r > n − 2, since then the last user would be
    deleted.
    """
    whole_number(0, r=r)
    ordered = np.sort(numbers("x", x), axis=-1)
    n = ordered.shape[-1]
    if r > n - 2:
        raise ValueError(f"r must be at most n - 2 = {n - 2}, so that somebody remains, got {r}")
    best = np.zeros(ordered.shape[:-1])
    for y in (ordered[..., ::-1], -ordered):  # extreme user first
        y = y - y[..., -1:]  # the same constant everywhere: less rounding
        removed = np.concatenate(
            (np.zeros((*y.shape[:-1], 1)), np.cumsum(y[..., 1 : r + 1], axis=-1)), axis=-1
        )
        left = n - np.arange(r + 1)
        mean = (y.sum(axis=-1, keepdims=True) - removed) / left
        best = np.maximum(best, ((y[..., :1] - mean) / (left - 1)).max(axis=-1))
    return best


def table_counts(n: int, kappa: int) -> tuple[int, int]:
    """(|S| ≤ 2κ subsets that line 5 tests, datasets within 4κ + 1 deletions that these tests evaluate)."""
    from math import comb

    whole_number(n=n, kappa=kappa)
    tested = sum(comb(n, s) for s in range(min(2 * kappa, n) + 1))
    return tested, sum(comb(n, s) for s in range(min(4 * kappa + 1, n) + 1))
