r"""Lemma B.3: (ε, δ)-close laws have close means.

Let U and V be supported on an interval of half-width Δ and U ≈_{ε,δ} V (each event's probability under one is
at most e^ε times that under the other plus δ). Then |E U − E V| ≤ (e^ε − 1)·E|V − μ| + 2δΔ
(Song et al. 2021, appendix B; from Feldman and Steinke 2017). Both printed uses of the lemma take the
absolute moment of the variable that does not see the record; U and V play symmetric parts, so either may be
taken.

The centre of the interval is lost in the scan: it is [μ − Δ, μ + Δ], or [−Δ, Δ] and μ is any number. Both are
checked.

How it is checked. The worst case over *all* pairs of laws is a small linear program. Replacing a point z by a
random neighbour among the three atoms (left end, μ, right end) with the same mean is post-processing, hence
keeps U ≈ V; it keeps both means, and E|V − μ| too because |· − μ| is linear between neighbouring atoms. So
the supremum of |E U − E V| − (e^ε − 1)·E|V − μ| − 2δΔ over all laws is that over laws on three atoms: a
linear objective on a polytope in four dimensions, all of whose vertices are enumerated. Vertices that come
within 1e-7 of the top are recomputed in rational arithmetic (e^ε, δ, μ rational), so the result is exact.
Where |μ| > Δ two atoms are enough. The proof in one line: with u = U − μ, E u⁺ − E v⁺ ≤ (e^ε − 1)·E v⁺ +
δ·sup v⁺ and E v⁻ − E u⁻ ≤ (1 − e^{−ε})·E v⁻ + e^{−ε}·δ·sup v⁻. With δ = 0 the bound is attained.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Plot, Point, at_most, grid
from claims.song2021 import PAPER

F = Fraction
Row = list[Fraction]


def half_spaces(factor: Fraction, delta: Fraction, atoms: int) -> tuple[list[Row], Row]:
    """Ax ≤ b of the pairs (u, v) of laws on `atoms` atoms with u ≈ v; the last atom's mass is eliminated.

    The variables are u₁..u_{k−1}, v₁..v_{k−1}; `factor` is e^ε.
    """
    free = atoms - 1
    rows: list[Row] = []
    right: Row = []

    def mass(event: tuple[int, ...], offset: int) -> tuple[Row, Fraction]:
        row, constant = [F(0)] * (2 * free), F(0)
        for atom in event:
            if atom < free:
                row[offset + atom] += 1
            else:
                constant += 1
                for k in range(free):
                    row[offset + k] -= 1
        return row, constant

    for size in range(1, atoms):
        for event in combinations(range(atoms), size):
            for first, second in ((0, free), (free, 0)):
                (p, p0), (q, q0) = mass(event, first), mass(event, second)
                rows.append([a - factor * b for a, b in zip(p, q, strict=True)])
                right.append(delta + factor * q0 - p0)
    for atom in range(atoms):
        for offset in (0, free):
            row, constant = mass((atom,), offset)
            rows.append([-a for a in row])
            right.append(constant)
    return rows, right


def solve(rows: list[Row], right: Row) -> Row | None:
    """The exact solution of a square rational system; None where it is singular."""
    table = [[*row, value] for row, value in zip(rows, right, strict=True)]
    size = len(table)
    for column in range(size):
        pivot = next((r for r in range(column, size) if table[r][column] != 0), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [v / table[column][column] for v in table[column]]
        for r in range(size):
            if r != column and table[r][column] != 0:
                scale = table[r][column]
                table[r] = [a - scale * b for a, b in zip(table[r], table[column], strict=True)]
    return [row[-1] for row in table]


def worst(factor: Fraction, delta: Fraction, atoms: list[Fraction], centre: Fraction) -> tuple[Fraction, Row]:
    """Exact maximum of |E U − E V| − (factor − 1)·E|V − centre| over u ≈ v on `atoms`, and where it is
    attained.
    """
    free = len(atoms) - 1
    rows, right = half_spaces(factor, delta, len(atoms))
    a, b = np.array(rows, dtype=float), np.array(right, dtype=float)
    chosen = np.array(list(combinations(range(len(rows)), 2 * free)))
    systems = a[chosen]
    regular = np.abs(np.linalg.det(systems)) > 1e-9
    chosen = chosen[regular]
    points = np.linalg.solve(systems[regular], b[chosen][..., None])[..., 0]
    feasible = (points @ a.T <= b + 1e-9).all(axis=1)
    chosen, points = chosen[feasible], points[feasible]
    best, where = F(-10), [F(0)] * (2 * free)
    for sign in (1, -1):
        # sign·(E U − E V) − (factor − 1)·E|V − centre| = constant + weights·(u, v), last atom eliminated.
        weights = [sign * (z - atoms[-1]) for z in atoms[:-1]]
        last = abs(atoms[-1] - centre)
        weights += [
            -w - (factor - 1) * (abs(z - centre) - last) for w, z in zip(weights, atoms[:-1], strict=True)
        ]
        constant = -(factor - 1) * last
        values = points @ np.array(weights, dtype=float)
        seen: set[tuple[Fraction, ...]] = set()
        for index in np.flatnonzero(values > values.max() - 1e-7):
            exact = solve([rows[i] for i in chosen[index]], [right[i] for i in chosen[index]])
            if exact is None or tuple(exact) in seen:
                continue
            seen.add(tuple(exact))
            if any(
                sum(r * x for r, x in zip(row, exact, strict=True)) > c
                for row, c in zip(rows, right, strict=True)
            ):
                continue
            value = constant + sum((w * x for w, x in zip(weights, exact, strict=True)), F(0))
            if value > best:
                best, where = value, exact
    return best, where


def evidence(point: Point, atoms: list[Fraction], centre: Fraction) -> Evidence:
    """The worst case over all laws at one (e^ε, δ, μ), Δ = 1, compared in rational arithmetic."""
    factor, delta = F(point.factor), F(point.delta)
    excess, pair = worst(factor, delta, atoms, centre)
    return at_most(
        "largest |E U − E V| − (e^ε − 1)·E|V − μ|, Δ = 1", excess, 2 * delta,
        point={**point, "epsilon": math.log(factor)},
        method="linear program over all laws, vertices in rational arithmetic",
        note=f"worst pair (u, v without the last atom): {' '.join(str(w) for w in pair)}",
    )  # fmt: skip


def check(point: Point) -> Iterator[Evidence]:
    """The interval [μ − 1, μ + 1], or [−1, 1] where the point has a centre μ."""
    centre = F(point.get("centre", "0"))
    yield evidence(point, sorted({F(-1), F(1), min(max(centre, F(-1)), F(1))}), centre)


# Rational e^ε and δ, written as text so that they stay exact.
FACTORS = ("1", "1001/1000", "11/10", "3/2", "27/10", "10", "150")
DELTAS = ("0", "1/1000000", "1/100", "1/10", "1/3", "1")
CENTRES = ("0", "1/3", "-9/10", "1", "-3/2")

CLAIM = Claim(
    PAPER,
    "Lemma B.3",
    "appendix B",
    kind=Kind.IDENTITY,
    title="Means of (ε, δ)-close variables",
    statement=r"If $U,V$ are supported on $[\mu-\Delta,\mu+\Delta]$ and $U\approx_{\varepsilon,\delta}V$, "
    r"then $|\mathbb E U-\mathbb E V|\le(e^\varepsilon-1)\,\mathbb E|V-\mu|+2\delta\Delta$; "
    r"the same for the interval $[-\Delta,\Delta]$ and every real $\mu$.",
    expected=CONFIRMED,
    check=check,
    smoke=[
        *grid(factor=FACTORS[2:5], delta=DELTAS[:4]),
        *grid(factor=FACTORS[2:5:2], delta=DELTAS[:4:3], centre=CENTRES),
    ],
    ci=[
        *grid(factor=FACTORS, delta=DELTAS),
        *grid(factor=FACTORS[1:6], delta=DELTAS[:5:2], centre=CENTRES),
    ],
    full=[
        *grid(factor=[str(1 + F(k * k, 16)) for k in range(30)], delta=DELTAS),
        *grid(factor=FACTORS, delta=DELTAS, centre=[str(F(k, 8)) for k in range(-16, 17)]),
    ],
    plots=[
        Plot(
            kind="curve",
            title="Lemma B.3: worst case over all laws",
            x="epsilon",
            y="value",
            x_label="ε",
            y_label="largest |E U − E V| − (e^ε − 1) E|V − μ|",
            claimed="claimed",
            series="delta",
        )
    ],
)
