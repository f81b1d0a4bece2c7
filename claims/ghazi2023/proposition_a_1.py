r"""Proposition A.1 (Sambale and Sinulis 2022): a bounded-difference inequality on random permutations.

If |f(π) − f(π^{i↔j})| ≤ c_ij for all π, then P(f − E f ≥ t) ≤ exp(−N·t²/(4Σ_{i<j} c_ij²)).

For a given N the statement is finite. An event A = {f − E f ≥ t} of k permutations has probability k/N!, so
the statement for A says: whenever f − E f ≥ 1 on A (scale f by 1/t), Σ c_ij² ≥ N/(4 ln(N!/k)). The least Σ c²
for a given A is a convex quadratic program in (f, c). N = 2 has 3 events and N = 3 has 63: all are solved,
hence all functions f and all c are decided for N ≤ 3. For larger N exact laws of many functions can only
refute.

How it is checked. The quadratic programs for N = 2 and 3, each with its optimality certified by the dual
(a lower bound of Σ c² from the multipliers); for N = 4 to 6 the exact laws of linear statistics, of norms
of partial sums, of indicators and of random functions with their exact c_ij.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, grid, reported
from claims.ghazi2023 import PAPER


def swaps(size: int) -> tuple[list[tuple[int, ...]], dict[tuple[int, int], np.ndarray]]:
    """All permutations, and for each pair i < j the index of π^{i↔j} for each π."""
    all_of = list(permutations(range(size)))
    index = {p: k for k, p in enumerate(all_of)}
    partner = {}
    for i, j in combinations(range(size), 2):
        rows = []
        for p in all_of:
            q = list(p)
            q[i], q[j] = q[j], q[i]
            rows.append(index[tuple(q)])
        partner[i, j] = np.array(rows)
    return all_of, partner


def least_squares_bound(size: int, event: tuple[int, ...]) -> float:
    """A lower bound of Σ c_ij² over all f with f − E f ≥ 1 on `event`, from a dual solution.

    Primal: min Σ c² over (f, c) with B·f ≥ 1 (rows of the event, B = I − 1/N!) and ±(f(π) − f(π^{i↔j})) ≤
    c_ij. For multipliers λ ≥ 0 of the event and signed flows y on the exchanges with Bᵀλ = div(y), weak
    duality gives Σ c² ≥ Σλ − Σ_ij (Σ|y_ij|)²/4. Any feasible (λ, y) is a certificate; the best is found by
    a linear solve in the symmetric form below and then checked for feasibility.
    """
    from scipy.optimize import minimize

    all_of, partner = swaps(size)
    count = len(all_of)
    pairs = sorted(partner)
    edges = [(a, b, k) for k, ij in enumerate(pairs) for a, b in enumerate(partner[ij]) if a < b]
    divergence = np.zeros((count, len(edges)))
    for e, (a, b, _) in enumerate(edges):
        divergence[a, e], divergence[b, e] = 1.0, -1.0
    rows = np.eye(count)[list(event)] - 1.0 / count
    group = np.array([k for _, _, k in edges])
    # λ is scaled out: for a flow with Bᵀλ = div(y), scaling both by s gives s·Σλ − s²·Q, largest at s =
    # Σλ/(2Q). With Σλ = 1 the bound is 1/(4Q), Q = Σ_ij (Σ|y_ij|)²/4, so Q is to be made small.
    k = len(event)

    def split(z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return z[:k], z[k : k + len(edges)], z[k + len(edges) :]

    def cost(z: np.ndarray) -> float:
        _, plus, minus = split(z)
        return float((np.bincount(group, plus + minus, minlength=len(pairs)) ** 2).sum()) / 4.0

    def gradient(z: np.ndarray) -> np.ndarray:
        _, plus, minus = split(z)
        slope = np.bincount(group, plus + minus, minlength=len(pairs))[group] / 2.0
        return np.concatenate((np.zeros(k), slope, slope))

    equal = np.block(
        [
            [rows.T, -divergence, divergence],
            [np.ones((1, k)), np.zeros((1, 2 * len(edges)))],
        ]
    )
    right = np.concatenate((np.zeros(count), [1.0]))
    start = np.concatenate((np.full(k, 1.0 / k), np.full(2 * len(edges), 0.1)))
    constraints: Any = [
        {"type": "eq", "fun": lambda z: equal[:-2] @ z - right[:-2], "jac": lambda z: equal[:-2]},
        {"type": "eq", "fun": lambda z: equal[-1:] @ z - 1.0, "jac": lambda z: equal[-1:]},
    ]
    found = minimize(
        cost, start, jac=gradient, bounds=[(0.0, None)] * start.size, method="SLSQP",
        constraints=constraints,
        options={"ftol": 1e-13, "maxiter": 300},
    )  # fmt: skip
    z = np.maximum(found.x, 0.0)
    residual = float(np.abs(equal @ z - right).max())
    assert residual < 1e-7, residual
    # A residual r in the flow equations costs at most r·count·max|f|; f may be taken within [−4·count,
    # 4·count].
    return (1.0 - residual * 4.0 * count**2) / (4.0 * cost(z))


def exponent_share(values: np.ndarray, partner: dict[tuple[int, int], np.ndarray], size: int) -> float:
    """The largest N·t²/(4Σc²)/ln(1/P(f − E f ≥ t)) over t: at most 1 if the inequality holds for f."""
    squares = sum(float(np.abs(values - values[to]).max()) ** 2 for to in partner.values())
    above = np.sort(values - values.mean())[::-1]
    worst = 0.0
    for k, t in enumerate(above[:-1], start=1):
        if t <= 1e-12:
            break
        at_least_k = int((above >= t - 1e-12).sum())
        if at_least_k < len(above):
            worst = max(worst, size * t**2 / (4.0 * squares) / math.log(len(above) / at_least_k))
        del k
    return worst


def functions(size: int, all_of: list[tuple[int, ...]], rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Values over all permutations of statistics of several kinds."""
    p = np.array(all_of)
    for _ in range(6):
        a, b = rng.normal(size=size), rng.normal(size=size)
        yield b[p] @ a
        m = int(rng.integers(1, size))
        vectors = rng.normal(size=(size, 2))
        yield np.linalg.norm(vectors[p[:, :m]].sum(axis=1), axis=1)
        yield rng.normal(size=len(p))
        yield (p[:, 0] < m).astype(float)
    first = np.zeros(len(p))
    first[0] = 1.0
    yield first
    yield -first
    yield (p == np.arange(size)).sum(axis=1).astype(float)
    yield np.array([sum(x > y for x, y in combinations(row, 2)) for row in all_of], dtype=float)


def check(point: Point) -> Iterator[Evidence]:
    size = point.entries
    all_of, partner = swaps(size)
    if size <= 3:
        tightest = math.inf
        for k in range(1, len(all_of)):
            for event in combinations(range(len(all_of)), k):
                asked = size / (4.0 * math.log(len(all_of) / k))
                tightest = min(tightest, least_squares_bound(size, event) / asked)
        note = "the least over all events, hence over all f and c"
        yield at_least("Σ c² over N/(4 ln(1/P))", tightest, 1.0, note=note)
    share = max(exponent_share(values, partner, size) for values in functions(size, all_of, point.rng))
    yield at_most("N·t²/(4Σc²) over ln(1/P), the largest", share, 1.0, decides=False)
    yield reported("factor that the exponent could gain on these functions", 1.0 / share)


CLAIM = Claim(
    PAPER,
    "Proposition A.1",
    "appendix A",
    kind=Kind.BOUND,
    title="Bounded differences on random permutations",
    statement=r"If $|f(\pi)-f(\pi^{i\leftrightarrow j})|\le c_{ij}$ for all $\pi\in S_N$, then "
    r"$\Pr[f(\pi)-\mathbb E f\ge t]\le\exp(-Nt^2/(4\sum_{i<j}c_{ij}^2))$ for $t\ge0$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(entries=(2, 3)),
    ci=grid(entries=(2, 3, 4, 5, 6)),
)
