r"""Definition 3.2: local deletion sensitivity, and three ways to evaluate it.

Δ̄ f(x) = max_i ‖f(x) − f(x₋ᵢ)‖ and Δ̄_r f(x) = max over |S| ≤ r of Δ̄ f(x₋S). The implementation enumerates
all subsets, or all vectors of counts where users come in a few types, or uses the closed form for the mean of
n numbers. f(∅) counts where it has a value (the text writes f on 𝒳^{*×m}); the other reading is checked as
well. Everything about Algorithm 1 rests on these three functions, so they are held against the definition
itself.

How it is checked. The definition is written down once more, as a recursion: Δ̄_r f(x) is the larger of Δ̄
f(x) and of Δ̄_{r−1} f(x₋ᵢ) over all i. Random functions of up to seven users, of which some are equal, in one
and two dimensions, every r up to n + 1, both readings of f(∅): the largest distance to each of the three
evaluations. Means of equal, two-valued, skewed and random numbers; every r ≤ n − 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.ghazi2023 import PAPER
from implementations.ghazi2023 import deletion_sensitivity

Users = tuple[int, ...]
Statistic = Callable[[Users], np.ndarray]


def by_definition(f: Statistic, users: Users, r: int, empty: bool) -> float:
    """Δ̄_r f(x) by recursion over the deletions; the deletion of the last user counts where `empty`."""
    if not users:
        return 0.0
    smaller = [users[:i] + users[i + 1 :] for i in range(len(users))]
    counted = smaller if empty else [y for y in smaller if y]
    moves = [float(np.linalg.norm(f(users) - f(y))) for y in counted]
    below = [by_definition(f, y, r - 1, empty) for y in smaller] if r > 0 else []
    return max([0.0, *moves, *below])


def distances(n: int, d: int, rng: np.random.Generator) -> tuple[float, float]:
    """The largest distance to the definition of the enumeration, and of the table of counts."""
    enumerated = tabulated = 0.0
    for counts in ((n, 0), (1, n - 1), (n // 2, n - n // 2)):
        values = rng.normal(size=(n + 1, n + 1, d))  # of how many users there are of each of two types

        def f(x: Users, v: np.ndarray = values) -> np.ndarray:
            return v[x.count(0), x.count(1)]

        users = tuple(t for t, c in enumerate(counts) for _ in range(c))
        for empty in (True, False):
            table = deletion_sensitivity.count_table(
                lambda c, v=values: v[tuple(np.moveaxis(c.astype(int), -1, 0))], counts, empty=empty
            )
            for r in range(min(n, 4) + 2):
                exact = by_definition(f, users, r, empty)
                other = deletion_sensitivity.brute_force(f, users, r, empty=empty)
                enumerated = max(enumerated, abs(other - exact))
                tabulated = max(tabulated, abs(deletion_sensitivity.table_sensitivity(table, r) - exact))
    return enumerated, tabulated


def mean_distance(values: Sequence[float]) -> float:
    """The largest distance of the closed form for means to the definition, over all r ≤ n − 2."""

    def mean(rows: Users) -> np.ndarray:
        return np.array([np.mean([values[i] for i in rows])])

    n = len(values)
    return max(
        abs(
            float(deletion_sensitivity.mean_sensitivity(np.array(values), r))
            - by_definition(mean, tuple(range(n)), r, False)
        )
        for r in range(n - 1)
    )


def check(point: Point) -> Iterator[Evidence]:
    n, rng = point.n, point.rng
    for d in (1, 2):
        enumerated, tabulated = distances(n, d, rng)
        yield at_most(f"distance of the enumeration of subsets, values in ℝ^{d}", enumerated, 1e-12)
        yield at_most(f"distance of the table of counts, values in ℝ^{d}", tabulated, 1e-12)
    skewed = [1.0] + [0.0] * (n - 1)
    families = [skewed, [-v for v in skewed], [0.3] * n, [1.0, 1.0] + [-0.2] * (n - 2)]
    families += [list(sign * rng.exponential(size=n)) for sign in (1.0, -1.0)]
    worst = max(mean_distance(values) for values in families)
    together = deletion_sensitivity.mean_sensitivity(np.array([families]), n // 2 - 1)
    for values, found in zip(families, together[0], strict=True):
        alone = float(deletion_sensitivity.mean_sensitivity(np.array(values), n // 2 - 1))
        worst = max(worst, abs(found - alone))
    yield at_most("distance of the closed form for means", worst, 1e-12)


CLAIM = Claim(
    PAPER,
    "Definition 3.2",
    "section 3.1",
    kind=Kind.IDENTITY,
    title="Local deletion sensitivity: enumeration, counts and closed form agree with the definition",
    statement=r"$\bar\Delta_rf(x)=\max_{|S|\le r}\max_i\|f(x_{-S})-f(x_{-S\cup\{i\}})\|$; the enumeration, "
    r"the table of counts and, for means, the closed form give this number.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=(2, 4)),
    ci=grid(n=(2, 3, 4, 5, 6)),
)
