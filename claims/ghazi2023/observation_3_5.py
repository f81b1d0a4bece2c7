r"""Observation 3.5: if r deletions can leave a stable dataset for x′, then r + 1 deletions can for its
neighbour x.

Write a dataset as unstable if Δ̄ f > Δ on it. x₋S is kept in line 5 of Algorithm 1 exactly if no dataset y
⊆ x₋S with at most 4κ users deleted from x is unstable. Whether the observation holds depends on f only
through the set of unstable datasets. If S′ works for x′ and i is the replaced user, S′ ∪ {i} works for x,
because x₋(S′∪{i}) ⊆ x′₋S′. This needs no value of f on the empty dataset, so both readings of f(∅) satisfy
it.

How it is checked. Exhaustively: two neighbouring datasets of n different users share all subsets without the
replaced one; every one of the sets of unstable datasets below both is tried, as bits, hence every f, at all
r₁ ≥ 0 (n = 3: 4,096 sets; n = 4: 16,777,216). And the implementation, on random statistics of three types of
users with jumps on either side of Δ, over all neighbouring datasets of n users, with and without f(∅).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._oracle import datasets, neighbours
from implementations.ghazi2023 import deletion_sensitivity

Patterns = NDArray[np.uint32]
NEVER = 99


def least_deletions(
    users: tuple[int, ...], bit: dict[frozenset[int], int], patterns: Patterns
) -> NDArray[np.int8]:
    """For every set of unstable datasets (as bits) the least |S| with no unstable dataset below x₋S."""
    least = np.full(patterns.size, NEVER, dtype=np.int8)
    for size in range(len(users), -1, -1):
        for kept in combinations(users, len(users) - size):
            below = [frozenset(y) for k in range(len(kept) + 1) for y in combinations(kept, k)]
            mask = np.uint32(sum(1 << bit[y] for y in below))
            least[(patterns & mask) == 0] = size
    return least


def exhaustive(n: int) -> tuple[int, int]:
    """(sets of unstable datasets that were tried, those for which the observation fails in a direction)."""
    first, second = tuple(range(n)), (*range(n - 1), n)
    names = {frozenset(y) for x in (first, second) for k in range(n + 1) for y in combinations(x, k)}
    bit = {y: i for i, y in enumerate(sorted(names, key=sorted))}
    total, failures = 1 << len(bit), 0
    for start in range(0, total, 1 << 20):
        patterns = np.arange(start, min(total, start + (1 << 20)), dtype=np.uint32)
        x, other = least_deletions(first, bit, patterns), least_deletions(second, bit, patterns)
        failures += int((np.abs(x - other) > 1)[(x < NEVER) | (other < NEVER)].sum())
    return total, failures


def random_statistics(n: int, count: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """(pairs of neighbours, failures, pairs with different least deletions) for random tables of f."""
    pairs = failures = moved = 0
    for _ in range(count):
        values = np.cumsum(rng.choice([0.0, 0.9, 5.0], p=[0.6, 0.37, 0.03], size=(n + 1,) * 3), axis=2)
        empty = bool(rng.integers(2))

        def statistic(counts: np.ndarray, values: np.ndarray = values) -> np.ndarray:
            i = counts.astype(int)
            return values[i[..., 0], i[..., 1], i[..., 2]][..., None]

        found = {}
        for counts in datasets(n, 3):
            table = deletion_sensitivity.count_table(statistic, counts, empty=empty)
            stable = deletion_sensitivity.smallest_stable(table, 1.0, max(1, n // 4), most=n)
            found[counts] = NEVER if stable is None else stable[0]
        for counts, least in found.items():
            for other in neighbours(counts):
                pairs += 1
                moved += least != found[other]
                failures += least < NEVER and found[other] > least + 1
    return pairs, failures, moved


def check(point: Point) -> Iterator[Evidence]:
    if point.users <= 4:
        total, failures = exhaustive(point.users)
        note = f"all {total:,} sets of unstable datasets below two neighbouring datasets"
        yield at_most("sets for which the observation fails", failures, 0, note=note)
    pairs, failures, moved = random_statistics(point.users, point.tables, point.rng)
    note = (
        f"{pairs:,} ordered pairs of neighbouring datasets, {moved:,} of them with different least deletions"
    )
    yield at_most("pairs for which it fails in the implementation", failures, 0, decides=False, note=note)
    yield at_most("no pair with different least deletions was met", int(moved == 0), 0, decides=False)


CLAIM = Claim(
    PAPER,
    "Observation 3.5",
    "section 3.1",
    kind=Kind.PRIVACY,
    title="One more deletion is enough for a neighbouring dataset",
    statement=r"For neighbouring $x,x'$ and all $r_1\ge0$: if $\mathcal X^{r_1}_{\mathrm{stable}}(x')\ne"
    r"\emptyset$, then $\mathcal X^{r_1+1}_{\mathrm{stable}}(x)\ne\emptyset$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(users=3, tables=5),
    ci=[{"users": 3, "tables": 40}, {"users": 4, "tables": 20}],
    full=[{"users": 3, "tables": 40}, {"users": 4, "tables": 40}],
)
