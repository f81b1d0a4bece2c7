"""The nearest purely private mechanism (Lemma 4.5 of asi2024), by linear programming on finite mechanisms.

A finite mechanism is a table: row = dataset, column = output, entries its probabilities. The lemma says
that an (ε, δ)-private table has a (2ε, 0)-private one within total variation δ of it on every dataset.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from implementations.checks import positive
from implementations.interfaces import Array

Pairs = Sequence[tuple[int, int]]


def all_pairs(rows: int) -> list[tuple[int, int]]:
    """Every two different datasets are neighbours: one user, the local model."""
    return list(itertools.permutations(range(rows), 2))


def chain_pairs(rows: int) -> list[tuple[int, int]]:
    """Dataset c of `rows` − 1 users has c ones: neighbours differ by one in c, the central model."""
    return [pair for c in range(rows - 1) for pair in ((c, c + 1), (c + 1, c))]


def hockey_stick(p: Array, q: Array, epsilon: float) -> Array:
    """sup over events of P(S) − e^ε·Q(S): rows of p against rows of q."""
    return np.maximum(np.asarray(p) - math.exp(epsilon) * np.asarray(q), 0.0).sum(axis=-1)


def privacy_delta(table: Array, pairs: Pairs, epsilon: float) -> float:
    """The least δ at which the table is (ε, δ)-private."""
    return max(float(hockey_stick(table[i], table[j], epsilon)) for i, j in pairs)


def nearest_pure(table: Array, pairs: Pairs, epsilon: float) -> float:
    """Least over all (ε, 0)-private tables of the largest total variation distance to a row of `table`."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    rows, outputs = table.shape
    positive(rows=rows, outputs=outputs)
    cells = rows * outputs
    # variables: entries x of the pure table, their excess e ≥ x − table, and the distance v ≥ Σ e of each row
    i, j, value, right = [], [], [], []

    def constraint(entries: list[tuple[int, float]], bound: float) -> None:
        for column, weight in entries:
            i.append(len(right))
            j.append(column)
            value.append(weight)
        right.append(bound)

    for a, b in pairs:
        for y in range(outputs):
            constraint([(a * outputs + y, 1.0), (b * outputs + y, -math.exp(epsilon))], 0.0)
    for c in range(cells):
        constraint([(c, 1.0), (cells + c, -1.0)], float(table.ravel()[c]))
    for a in range(rows):
        constraint([(cells + a * outputs + y, 1.0) for y in range(outputs)] + [(2 * cells, -1.0)], 0.0)
    inequality: Any = coo_array((value, (i, j)), shape=(len(right), 2 * cells + 1))
    sums = np.zeros((rows, 2 * cells + 1))
    for a in range(rows):
        sums[a, a * outputs : (a + 1) * outputs] = 1.0
    cost = np.zeros(2 * cells + 1)
    cost[-1] = 1.0
    found: Any = linprog(
        cost, A_ub=inequality, b_ub=right, A_eq=sums, b_eq=np.ones(rows), bounds=(0.0, None), method="highs"
    )
    if not found.success:
        raise ValueError(f"the linear programme has no solution: {found.message}")
    return float(found.x[-1])


def clipped_to(reference: Array, row: Array, epsilon: float) -> Array:
    """The row moved into [e^−ε, e^ε]·reference at the least total variation: the construction for one user.

    Clip the row; if the mass is then above 1, scale down what lies above the lower edge, else scale up what
    lies
    below the upper edge. The distance is the larger of what was cut and what was added, at most δ if the
    two rows
    are (ε, δ)-indistinguishable. Two rows clipped to one reference are (2ε, 0)-indistinguishable.
    """
    low, high = math.exp(-epsilon) * reference, math.exp(epsilon) * reference
    clipped = np.clip(row, low, high)
    excess = float(clipped.sum()) - 1.0
    room = clipped - low if excess > 0.0 else high - clipped
    total = float(room.sum())
    return clipped if total == 0.0 else clipped - excess * room / total


def drifting_chain(users: int, epsilon: float, delta: float) -> Array:
    """The (ε, δ)-private table of two outputs that drifts fastest, shape (users + 1, 2).

    P(1 | no ones) = 0, and each further one raises P(1) as far as privacy of either output allows:
    p ← min(e^ε·p + δ, 1 − e^{−ε}(1 − δ − p), 1).
    """
    positive(users=users)
    p = [0.0]
    for _ in range(users):
        last = p[-1]
        p.append(min(math.exp(epsilon) * last + delta, 1.0 - math.exp(-epsilon) * (1.0 - delta - last), 1.0))
    return np.stack([1.0 - np.array(p), np.array(p)], axis=1)
