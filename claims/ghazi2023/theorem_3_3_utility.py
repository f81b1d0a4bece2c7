r"""Theorem 3.3, utility: where Δ̄_{4κ} f(x) ≤ Δ, Algorithm 1 never returns ⊥ and returns f(x) + N(0, σ²I).

By definition: |S| = 0 ≤ R₁ always, and x itself passes line 5 when Δ̄_{4κ} f(x) ≤ Δ; it has the smallest
|S|. So the law is N(f(x), σ²I) with answer probability P(R₁ ≥ 0) = 1. The theorem asks for some r =
O(log(1/δ)/ε): r = 4κ ≤ 34.5·log(1/δ)/ε for ε ≤ 1, δ ≤ 1/2 (shown with theorem-3.3-noise).

How it is checked. Exactly, on every dataset of n users of three types under statistics whose Δ̄_{4κ} lies on
either side of Δ, Δ̄_{4κ} by the enumeration of all subsets for n ≤ 6 (which does not share code with the
test of Algorithm 1) and by the table of counts beyond: whenever Δ̄_{4κ} ≤ Δ the law is exactly N(f(x),
σ²I), and the program's draws contain no ⊥. Datasets on both sides must occur.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._oracle import datasets, statistics
from implementations.ghazi2023 import del_output_pert
from implementations.ghazi2023.deletion_sensitivity import brute_force, count_table, table_sensitivity


def disagreements(n: int, rng: np.random.Generator) -> int:
    """Datasets of n users for which Δ̄_r of the table and of the enumeration differ, for random "
    "statistics."""
    wrong = 0
    for counts in datasets(n, 3):
        values = rng.normal(size=(n + 1, n + 1, n + 1, 2))

        def of_counts(c: np.ndarray, values: np.ndarray = values) -> np.ndarray:
            i = c.astype(int)
            return values[i[..., 0], i[..., 1], i[..., 2]]

        def of_users(x: tuple[int, ...], values: np.ndarray = values) -> np.ndarray:
            return values[x.count(0), x.count(1), x.count(2)]

        users = tuple(t for t, c in enumerate(counts) for _ in range(c))
        for empty in (True, False):
            table = count_table(of_counts, counts, empty=empty)
            for r in range(3):
                enumerated = brute_force(of_users, users, r, empty=empty)
                wrong += abs(enumerated - table_sensitivity(table, r)) > 1e-9
    return wrong


def check(point: Point) -> Iterator[Evidence]:
    p = del_output_pert.parameters(point.epsilon, point.delta, 1.0)
    held = other = wrong = bottoms = disagree = 0
    if point.n <= 6:
        disagree += disagreements(point.n, point.rng)
    for statistic in statistics(p.target).values():
        for counts in datasets(point.n, 3):
            table = count_table(statistic, counts)
            sensitivity = table_sensitivity(table, 4 * p.kappa)
            if point.n <= 6:

                def of_users(x: tuple[int, ...], statistic=statistic) -> np.ndarray:
                    return statistic(np.array([x.count(t) for t in range(3)], dtype=float))

                users = tuple(t for t, c in enumerate(counts) for _ in range(c))
                enumerated = brute_force(of_users, users, min(4 * p.kappa, point.n))
                disagree += abs(enumerated - sensitivity) > 1e-9 * (1.0 + enumerated)
                sensitivity = enumerated
            if sensitivity > p.target * (1.0 + 1e-12):
                other += 1
                continue
            held += 1
            law = del_output_pert.output_law(table, p, tie=-1)
            value = statistic(np.array(counts, dtype=float))
            wrong += not (
                law.answer >= 1.0 - 1e-12 and np.allclose(law.centre, value, atol=1e-12, rtol=1e-12)
            )
            wrong += law.sigma != p.sigma
            bottoms += int(np.isnan(del_output_pert.del_output_pert(table, p, 200, point.rng)).sum())
    note = f"{held:,} datasets with Δ̄ at 4κ of at most Δ, {other:,} above"
    yield at_most("datasets whose law is not N(f(x), σ²I)", wrong, 0, note=note)
    yield at_most("⊥ among 200 draws on each of these datasets", bottoms, 0)
    yield at_most("datasets whose Δ̄ differs from the enumeration", disagree, 0)
    yield at_most("no dataset at all below Δ, or none above", int(held == 0 or other == 0), 0)


CLAIM = Claim(
    PAPER,
    "Theorem 3.3",
    "section 3.1, Algorithm 1",
    name="theorem-3.3-utility",
    kind=Kind.BOUND,
    title="DelOutputPert never returns ⊥ on stable datasets",
    statement=r"If $\bar\Delta_{4\kappa}f(x)\le\Delta$, Algorithm 1 never returns $\perp$ and returns "
    r"$f(x)+\mathcal N(0,\sigma^2I)$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(epsilon=1.0, delta=0.5, n=(2, 3)),
    ci=grid(epsilon=1.0, delta=0.5, n=(1, 2, 3, 4, 5, 6, 16, 24)),
)
