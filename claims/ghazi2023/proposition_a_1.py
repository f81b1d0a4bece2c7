r"""Proposition A.1 (Sambale and Sinulis 2022): a bounded-difference inequality on random permutations.

If |f(π) − f(π^{i↔j})| ≤ c_ij for all π, then P(f − E f ≥ t) ≤ exp(−N·t²/(4Σ_{i<j} c_ij²)).

A proof for all N, with 1 for the 4. Uncover π at the positions in some order; M_k is the expectation of f
given the first k values, so that f − E f is the sum of the differences M_k − M_{k−1}. Let i be the kth
position and let the first k − 1 values be given. As a function of the value of π(i), M_k takes values that
lie within d_i := (1/(N − k))·Σ_{j later} c_ij of each other: exchanging the values a = π(i) and b = π(j) maps
the completions with π(i) = a onto those with π(i) = b, one to one, the position j of b is uniform over the
N − k later ones, and each pair differs by π^{i↔j}. A variable of mean 0 in an interval of length d has
E e^{θX} ≤ e^{θ²d²/8} (Hoeffding), so P(f − E f ≥ t) ≤ exp(−2t²/Σ d_i²), and by Cauchy and Schwarz
d_i² ≤ (1/(N − k))·Σ_{j later} c_ij². In a random order the earlier position of i and j is the kth with
probability (N − k)/C(N, 2), so the expectation of Σ_i d_i² is at most

    Σ_{i<j} c_ij² · Σ_{k<N} (N − k)/C(N, 2) · 1/(N − k) = (2/N)·Σ_{i<j} c_ij²,

and some order has no more than that: P(f − E f ≥ t) ≤ exp(−N·t²/Σ_{i<j} c_ij²). With N = 2 and t = c/2 the
probability is 1/2, so no constant below 1/(2 ln 2) = 0.72 will do.

How it is checked. The steps of the proof, exactly, in fractions: the sum over k for N up to 2,000; the
probability of the earlier position over all orders for N ≤ 6; for integer functions of all permutations of
N ≤ 6 that values of M_k given the past lie within d_i, and the least Σ d_i² over the orders against (2/N)Σ
c_ij². Independently of the proof, for N up to 6 the exact laws of linear
statistics, norms of partial sums, indicators and random functions with their exact c_ij; for N up to 2,000
the hypergeometric law of the number of marked items at the first m positions, for which c_ij = 1 across the
border. All of them against the constants 4 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
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


def earlier_position(size: int, k: int) -> Fraction:
    """P(the earlier of two positions is the kth in a random order of N), by counting pairs of places."""
    pairs = [(a, b) for a in range(1, size + 1) for b in range(1, size + 1) if a != b]
    return Fraction(sum(min(pair) == k for pair in pairs), len(pairs))


def averaged_weight(size: int) -> Fraction:
    """The weight of c_ij² in the expectation of Σ d_i² over the orders: Σ_k P(earlier is the kth)/(N − k)."""
    return sum(
        (Fraction(size - k, math.comb(size, 2)) * Fraction(1, size - k) for k in range(1, size)), Fraction(0)
    )


def within_steps(size: int, values: np.ndarray, costs: dict[tuple[int, int], Fraction]) -> Fraction:
    """The largest distance between two values of M_k given the past, over d_i, in the order 1, …, N."""
    all_of = list(permutations(range(size)))
    worst = Fraction(0)
    for k in range(1, size):
        later = [costs[k - 1, j] for j in range(k, size)]
        d = sum(later, Fraction(0)) / (size - k)
        sums: dict[tuple[int, ...], int] = {}
        for row, value in zip(all_of, values, strict=True):
            sums[row[:k]] = sums.get(row[:k], 0) + int(value)
        each = math.factorial(size - k)
        for past in permutations(range(size), k - 1):
            found = [Fraction(sums[(*past, a)], each) for a in range(size) if a not in past]
            if (spread := max(found) - min(found)) > 0:
                worst = max(worst, spread / d)
    return worst


def least_order(size: int, costs: dict[tuple[int, int], Fraction]) -> Fraction:
    """min over the orders of Σ d_i², over (2/N)·Σ c_ij²."""
    least = None
    for order in permutations(range(size)):
        total = Fraction(0)
        for k, i in enumerate(order[:-1], start=1):
            later = sum((costs[min(i, j), max(i, j)] for j in order[k:]), Fraction(0))
            total += (later / (size - k)) ** 2
        least = total if least is None else min(least, total)
    squares = sum((c**2 for c in costs.values()), Fraction(0))
    return Fraction(0) if least is None or squares == 0 else least / (Fraction(2, size) * squares)


def marked_share(total: int, marked: int, m: int, constant: float) -> float:
    """The largest exponent over ln(1/P) for f = number of marked items at the first m of N positions."""
    from scipy.stats import hypergeom

    law = hypergeom(total, marked, m)
    k = np.arange(max(0, m + marked - total), min(m, marked) + 1)
    t = k - m * marked / total
    tail = law.logsf(k - 1)
    open_ = (t > 1e-9) & (tail < -1e-12) & (tail > -600.0)
    squares = m * (total - m)  # c_ij = 1 for i among the first m positions and j among the others
    return float((total * t[open_] ** 2 / (constant * squares) / -tail[open_]).max(initial=0.0))


def check_steps(size: int, rng: np.random.Generator) -> Iterator[Evidence]:
    """The steps of the proof for one N ≤ 6, in fractions."""
    gap = max(abs(earlier_position(size, k) - Fraction(size - k, math.comb(size, 2))) for k in range(1, size))
    yield equals("P(earlier position is the kth) − (N − k)/C(N, 2), largest", float(gap), 0.0)
    _, partner = swaps(size)
    spread = order = Fraction(0)
    for number in range(4):
        values = rng.integers(-50, 51, size=math.factorial(size))
        if number % 2:  # few values, so that c_ij are not all alike
            values = values * (np.arange(len(values)) % (number + 2) == 0)
        costs = {ij: Fraction(int(np.abs(values - values[to]).max())) for ij, to in partner.items()}
        spread = max(spread, within_steps(size, values, costs))
        order = max(order, least_order(size, costs))
    yield at_most("distance of two values of M_k given the past, over d_i", float(spread), 1.0)
    yield at_most("least Σ d_i² over (2/N)·Σ c_ij²", float(order), 1.0)


def marked_shares(size: int, constant: float) -> float:
    """`marked_share`, the largest over a few numbers of marked items and of positions."""
    counts = sorted({1, 2, size // 10, size // 2, size - 1} - {0})
    return max(marked_share(size, marked, m, constant) for marked in counts for m in counts)


def check(point: Point) -> Iterator[Evidence]:
    size = point.entries
    weight = float(averaged_weight(size) * size / 2)
    yield equals("weight of c_ij² in the mean of Σ d_i² times N/2", weight, 1.0)
    if size > 6:
        for constant in (4.0, 1.0):
            words = f"exponent with constant {constant:g} over ln(1/P), marked items"
            yield at_most(words, marked_shares(size, constant), 1.0)
        return
    yield from check_steps(size, point.rng)
    all_of, partner = swaps(size)
    share = max(exponent_share(values, partner, size) for values in functions(size, all_of, point.rng))
    yield at_most("N·t²/(4Σc²) over ln(1/P), the largest", share, 1.0)
    yield at_most("N·t²/Σc² over ln(1/P), the largest", 4.0 * share, 1.0)


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
    summary="and with 1 for 4, by a martingale over a random order of the positions",
    smoke=grid(entries=(2, 3, 4, 40)),
    ci=grid(entries=(2, 3, 4, 5, 6, *range(7, 41), 60, 100, 300, 2000)),
)
