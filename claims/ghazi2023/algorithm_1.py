r"""Algorithm 1 (DelOutputPert), line by line: parameters, the test, the chosen subset, the noise, ⊥.

Theorem 3.3 is decided from the law "⊥ with probability P(R₁ < s), else N(f(x₋S), σ²I)". This claim says that
the function which computes the law, and the program that draws, do what lines 3 to 10 say.

Line 5 asks for Δ̄_{4κ−|S|} f(x₋S) ≤ Δ, "at most", for |S| ≤ R₁ ≤ 2κ; line 9 takes a smallest such S, ties
broken arbitrarily; line 7 returns ⊥ where there is none; line 10 adds N(0, σ²I) to f(x₋S), not to f(x).

How it is checked. Lines 5 to 9 by going through all datasets below x and, for each, through all datasets
within the deletions that remain, for random functions with jumps of 0, exactly Δ, 1.5Δ or more: the least |S|
and the values of all ties. The law on datasets with 0 to 2κ + 2 outliers, so that each value of R₁ decides
once, against line 3 and Definition 3.4 written down again. The program, run with a generator of the same
seed: from its uniform numbers R₁ follows by inversion, from its normal numbers the noise, and every output, ⊥
or a vector in ℝ², must be the one that lines 4 to 10 make of them. So the program has the law, in each trial
by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Plot, Point, at_most, equals, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023._guards import accepted
from claims.ghazi2023._oracle import datasets
from implementations.ghazi2023 import del_output_pert
from implementations.ghazi2023.deletion_sensitivity import count_table, smallest_stable

ANSWER = "P(answer) on this many outliers"
Choice = tuple[int, np.ndarray] | None


def kappa_and_sigma(epsilon: float, delta: float, target: float) -> tuple[int, float]:
    """κ and σ of line 3 for Δ = target."""
    half = epsilon / 2.0
    delta_bar = delta / (math.exp(half) + 2.0)
    kappa = 1 + math.ceil(math.log(1.0 / delta_bar) / half)
    return kappa, 2.0 * math.sqrt(math.log(2.0 / delta_bar)) * 8.0 * kappa * target / half


def line_3(epsilon: float, delta: float, target: float) -> tuple[int, float, np.ndarray]:
    """(κ, σ, the cumulative distribution function of R₁ on 0, …, 2κ)."""
    kappa, sigma = kappa_and_sigma(epsilon, delta, target)
    mass = np.exp(-epsilon / 2.0 * np.abs(np.arange(-kappa, kappa + 1)))
    return kappa, sigma, np.cumsum(mass) / mass.sum()


def lines_5_to_9(
    values: np.ndarray, counts: tuple[int, ...], target: float, kappa: int, empty: bool
) -> Choice:
    """The least |S| ≤ 2κ with Δ̄_{4κ−|S|} f(x₋S) ≤ Δ and f of all ties, by going through all datasets below
    x.

    values (…, d): f at every vector of counts up to `counts`.
    """
    sizes = tuple(c + 1 for c in counts)
    jump = np.zeros(sizes)
    for y in np.ndindex(sizes):
        for t in range(len(y)):
            z = tuple(c - (k == t) for k, c in enumerate(y))
            if y[t] > 0 and (empty or sum(z) > 0):
                jump[y] = max(jump[y], float(np.linalg.norm(values[y] - values[z])))
    gone = sum(counts) - np.indices(sizes).sum(axis=0)
    found: dict[int, list[np.ndarray]] = {}
    for y in np.ndindex(sizes):
        if gone[y] <= 2 * kappa:
            below = tuple(slice(c + 1) for c in y)  # Δ̄_{4κ−|S|} f(x₋S) looks at all of these
            if jump[below][gone[below] <= 4 * kappa].max() <= target:
                found.setdefault(int(gone[y]), []).append(values[y])
    return None if not found else (min(found), np.array(found[min(found)]))


def differs(mine: Choice, theirs: Choice) -> bool:
    """Whether two choices differ in |S| or in the values of the ties, whatever their order."""
    if mine is None or theirs is None:
        return mine is not theirs
    one, other = (v[np.lexsort(v.T)] for v in (mine[1], theirs[1]))
    return mine[0] != theirs[0] or one.shape != other.shape or bool(np.abs(one - other).max() > 1e-12)


def random_values(n: int, kappa: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """A function of three counts up to n: steps of 0, Δ = 1 and above; one bump of 1.5Δ; one jump of 1.5Δ.

    The jump is at a number of users that is 4κ deletions away, or one more or less: at the end of the reach.
    """
    if number % 3 == 0:
        along = np.cumsum(rng.choice([0.0, 1.0, 5.0], p=[0.55, 0.38, 0.07], size=(n + 1,) * 3), axis=2)
    elif number % 3 == 1:
        along = np.zeros((n + 1,) * 3)
        along[tuple(rng.integers(0, max(2, n // 2), size=3))] = 1.5
    else:
        users = max(1, n - 4 * kappa + (number // 3) % 3 - 1)
        along = 1.5 * (np.indices((n + 1,) * 3).sum(axis=0) < users)
    return np.stack((along, np.zeros_like(along)), axis=-1)


def random_choices(n: int, tables: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """(choices that differ from lines 5 to 9, choices of S ≠ ∅, datasets without a choice)."""
    wrong = moved = without = 0
    for number in range(tables):
        kappa, empty = 1 + number % 2, bool(rng.integers(2))
        values = random_values(n, kappa, number, rng)

        def statistic(c: np.ndarray, v: np.ndarray = values) -> np.ndarray:
            return v[tuple(np.moveaxis(c.astype(int), -1, 0))]

        for counts in datasets(n, 3):
            below = values[tuple(slice(c + 1) for c in counts)]
            mine = lines_5_to_9(below, counts, 1.0, kappa, empty)
            theirs = smallest_stable(count_table(statistic, counts, empty=empty), 1.0, kappa)
            wrong += differs(mine, theirs)
            moved += mine is not None and mine[0] > 0
            without += mine is None
    return wrong, moved, without


def ties_kept(p: del_output_pert.Parameters, trials: int, rng: np.random.Generator) -> Iterator[Evidence]:
    """Two clusters of κ + 1 users, either of which may go: both ties are answers of law and program."""
    own = np.array([[3.0, 0.0], [-1.0, 2.0]]) * 1e6 * p.target
    half = p.kappa + 1
    table = count_table(
        lambda c: c @ own / np.maximum(c.sum(axis=-1, keepdims=True), 1.0), (half, half), empty=False
    )
    seen: list[int] = []
    for tie in (0, -1):
        seed = int(rng.integers(2**31))
        out = del_output_pert.del_output_pert(table, p, trials, np.random.default_rng(seed), tie=tie)
        again = np.random.default_rng(seed)
        again.random(trials)
        centres = (out - p.sigma * again.standard_normal((trials, 2)))[~np.isnan(out).any(axis=1)]
        centres = np.vstack((centres, del_output_pert.output_law(table, p, tie=tie).centre))
        away = np.linalg.norm(centres[:, None] - own, axis=2) / p.sigma
        yield at_most(
            "distance of the centre to a cluster that may stay, in σ", float(away.min(axis=1).max()), 1e-6
        )
        seen += set(away.argmin(axis=1).tolist())
    yield equals("clusters that stay, first and last tie", len(seen), 2)


def check_law(point: Point) -> Iterator[Evidence]:
    """The law and the program on n users of which 0 to 2κ + 2 are outliers."""
    target, n, trials = 0.7, point.users, 400
    p = del_output_pert.parameters(point.epsilon, point.delta, target)
    asked = {"ε": (p.epsilon, point.epsilon), "δ": (p.delta, point.delta), "Δ": (p.target, target)}
    for name, (carried, wanted) in asked.items():
        yield equals(f"{name} that the parameters carry", carried, wanted)
    kappa, sigma, below = line_3(point.epsilon, point.delta, target)
    # outliers and ordinary users in the plane: an outlier moves their mean by 1.5Δ
    own = np.array([[1.2 * n * target, -0.9 * n * target], [0.0, 0.0]])

    def mean(counts: np.ndarray) -> np.ndarray:
        return counts @ own / np.maximum(counts.sum(axis=-1, keepdims=True), 1.0)

    answer = centre = drawn = 0.0
    bottoms = 0
    for outliers in range(2 * kappa + 3):
        table = count_table(mean, (outliers, n - outliers))
        law = del_output_pert.output_law(table, p)
        expected = 1.0 - (below[outliers - 1] if 0 < outliers <= 2 * kappa + 1 else float(outliers > 0))
        here = {"epsilon": point.epsilon, "delta": point.delta, "outliers": outliers}
        yield reported(ANSWER, law.answer, claimed=float(expected), point=here)
        answer = max(answer, abs(law.answer - expected), abs(law.sigma / sigma - 1.0))
        if outliers <= 2 * kappa:
            centre = max(centre, float(np.abs(law.centre - own[1]).max()) / sigma)
        seed = int(point.rng.integers(2**31))
        out = del_output_pert.del_output_pert(table, p, trials, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        allowed = np.searchsorted(below, rng.random(trials), side="right")
        noise = rng.standard_normal((trials, 2))
        lines = np.where((allowed >= outliers)[:, None], own[1] + sigma * noise, np.nan)
        same = np.isnan(out) == np.isnan(lines)
        bottoms += int((~same).sum())
        drawn = max(drawn, float(np.nan_to_num(np.abs(out - lines)).max()) / sigma)
    beyond = max(
        del_output_pert.answer_probability(s, p) for s in (2 * kappa + 1, 2 * kappa + 2, 4 * kappa + 1)
    )
    yield at_most("P(answer) where more than 2κ users must go", beyond, 0.0)
    yield from ties_kept(p, trials, point.rng)
    outside = [(1.1, 0.1, 1.0), (0.5, 0.51, 1.0), (0.0, 0.1, 1.0), (0.5, 0.0, 1.0), (0.5, 0.1, 0.0)]
    taken = accepted(*(partial(del_output_pert.parameters, *one) for one in outside))
    yield equals("(ε, δ, Δ) outside the text that are taken", taken, 0)
    yield at_most("P(answer) and σ of the law against lines 3 to 10", answer, 1e-9)
    yield at_most("centre of the law against f(x₋S), in σ", centre, 1e-9)
    yield at_most("outputs that are ⊥ in the program or by the text, not in both", bottoms, 0)
    yield at_most("distance of the program's outputs to lines 4 to 10, in σ", drawn, 1e-9)


def check(point: Point) -> Iterator[Evidence]:
    if "tables" in point:
        wrong, moved, without = random_choices(point.users, point.tables, point.rng)
        note = f"{moved:,} datasets where somebody is deleted, {without:,} where nothing is stable"
        yield at_most("datasets whose S or ties differ from lines 5 to 9", wrong, 0, note=note)
        yield equals("all kinds of datasets were met", int(moved > 0 and without > 0), 1)
    else:
        yield from check_law(point)


CLAIM = Claim(
    PAPER,
    "Algorithm 1",
    "section 3.1",
    kind=Kind.IDENTITY,
    title="DelOutputPert: law and program are lines 3 to 10",
    statement=r"Algorithm 1 draws $R_1\sim\mathsf{TDLap}(\bar\varepsilon,\bar\delta)$, takes a smallest $S$ "
    r"with $\bar\Delta_{4\kappa-|S|}f(x_{-S})\le\Delta$, and returns $f(x_{-S})+\mathcal N(0,\sigma^2I)$ if "
    r"$|S|\le R_1$, else $\perp$.",
    role="program",
    expected=CONFIRMED,
    check=check,
    plots=[
        Plot(
            kind="curve",
            title="The law of Algorithm 1: an answer against ⊥, ε = 1, δ = 1/2",
            x="outliers",
            y="value",
            x_label="users that must be deleted, |S|",
            y_label="probability of an answer",
            claimed="claimed",
            select={"quantity": ANSWER, "epsilon": 1.0, "delta": 0.5},
        )
    ],
    smoke=[{"users": 6, "tables": 18}, {"users": 200, "epsilon": 1.0, "delta": 0.5}],
    ci=[
        *({"users": n, "tables": 18} for n in (4, 6, 9)),
        *({"users": 1000, "epsilon": e, "delta": d} for e, d in ((1.0, 0.5), (0.4, 0.1), (1.0, 1e-6))),
    ],
)
