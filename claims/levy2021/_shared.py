"""Shared by the claims of levy2021: count vectors and their neighbours, linear programs over private laws,
and divergences of the output laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.levy2021 import private_range
from implementations.levy2021.constants import PAPER, Constants

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from implementations.interfaces import Array
    from implementations.levy2021.private_range import RangeLaw
    from implementations.levy2021.winsorized_mean_1d import LaplaceMixture


def count_vectors(users: int, bins: int) -> Array:
    """All ways to put `users` equal users into `bins` bins: integers (C(users + bins − 1, users), bins)."""
    if bins == 1:
        return np.array([[users]])
    blocks = []
    for first in range(users + 1):
        rest = count_vectors(users - first, bins - 1)
        blocks.append(np.column_stack((np.full(len(rest), first), rest)))
    return np.concatenate(blocks)


def neighbours(counts: Array) -> list[tuple[int, int]]:
    """Index pairs of count vectors that differ by moving one user (each unordered pair once)."""
    index = {tuple(row): k for k, row in enumerate(counts.tolist())}
    pairs: list[tuple[int, int]] = []
    for k, row in enumerate(counts.tolist()):
        for i, held in enumerate(row):
            if not held:
                continue
            for j in range(len(row)):
                if j == i:
                    continue
                moved = list(row)
                moved[i] -= 1
                moved[j] += 1
                other = index[tuple(moved)]
                if other > k:
                    pairs.append((k, other))
    return pairs


SOLVED = 1e-6
"""Relative accuracy of `least`: far above its feasibility tolerance of 1e-10."""


def least(cost: Array, rows: NDArray[Any], limits: Sequence[float], laws: NDArray[Any]) -> float:
    """The least cost·x over all x ≥ 0 with rows·x ≤ limits and laws·x = 1, by linear programming."""
    from scipy.optimize import linprog

    solution = linprog(
        cost, A_ub=rows, b_ub=limits, A_eq=laws, b_eq=np.ones(len(laws)), bounds=(0.0, None),
        method="highs-ds", options={"primal_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if solution.status != 0:
        raise RuntimeError(f"the linear program failed: {solution.message}")
    return float(np.asarray(solution.fun, dtype=np.float64))


def beside(n: int, epsilon: float, ratio: float, constants: Constants = PAPER) -> float:
    """Largest probability of a bin beside the data, over the splits of n users over two neighbouring bins.

    Where there are very many bins, three positions of the pair stand for all; `ratio` is B/τ.
    """
    bins = private_range.bins_for(1.0, ratio, constants)
    starts = {bins.first, -1, bins.last - 1} if bins.count > 64 else range(bins.first, bins.last)
    worst = 0.0
    for start in starts:
        for right in range(n + 1):
            x = np.repeat(bins.centre(np.array([start, start + 1])), [n - right, right])
            law = private_range.range_law(x, epsilon, 1.0, ratio, constants)
            occupied = bins.index(x)
            inside = (law.start <= occupied.max()) & (law.start + law.count > occupied.min())
            mass = np.exp(law.log_probability + np.log(law.count.astype(float)))
            worst = max(worst, float(mass[~inside].sum()))
    return worst


def range_divergence(p: RangeLaw, q: RangeLaw) -> float:
    """max over bins of |log p − log q|, exact for any number of bins: both laws are constant on segments."""
    starts = np.union1d(p.start, q.start)
    log_p = p.log_probability[np.searchsorted(p.start, starts, side="right") - 1]
    log_q = q.log_probability[np.searchsorted(q.start, starts, side="right") - 1]
    return float(np.abs(log_p - log_q).max())


def mixture_divergence(p: LaplaceMixture, q: LaplaceMixture) -> float:
    """sup |log p(x)/q(x)| for two Laplace mixtures of one scale b, exactly.

    Between two neighbouring centres both densities are A e^{x/b} + C e^{−x/b}, so their ratio is a Möbius
    function of e^{2x/b}: monotone. Outside all centres it is constant. The supremum is reached at a centre.
    """
    from scipy.special import logsumexp

    if p.scale != q.scale:
        raise ValueError(f"the scales must agree, got {p.scale} and {q.scale}")
    x = np.concatenate((p.centres, q.centres))

    def log_density(law: LaplaceMixture) -> Array:
        return np.asarray(
            logsumexp(np.log(law.weights) - np.abs(x[:, None] - law.centres) / law.scale, axis=1)
        )

    return float(np.abs(log_density(p) - log_density(q)).max())


def mixture_tv(law: LaplaceMixture, centre: float) -> float:
    """Total variation between a Laplace mixture and one Laplace of the same scale at `centre`, exactly.

    On each interval between centres the difference of the densities is A e^x + C e^{−x} (in scales), with at
    most one root, so ½∫|difference| is a finite sum.
    """
    t = np.concatenate((law.centres, [centre])) / law.scale
    v = np.concatenate((law.weights, [-1.0]))
    order = np.argsort(t, kind="stable")
    t, v = t[order], v[order]
    distance = np.abs(t[:, None] - t[None, :])
    decay = np.exp(-distance) * v
    left = np.tril(decay).sum(axis=1)[:-1]  # weight of the centres up to i, seen from i
    right = np.triu(decay).sum(axis=1)[1:]  # weight of the centres from i + 1 on, seen from i + 1
    width = np.diff(t)
    shrunk = right * np.exp(-width)  # the same seen from i
    # difference(s) = ½(shrunk e^s + left e^{−s}) for s in [0, width]
    with np.errstate(divide="ignore", invalid="ignore"):
        root = 0.5 * np.log(-left / shrunk)
    root = np.where(np.isfinite(root), np.clip(root, 0.0, width), 0.0)
    head = 0.5 * (shrunk * np.expm1(root) - left * np.expm1(-root))
    whole = 0.5 * (shrunk * np.expm1(width) - left * np.expm1(-width))
    outside = 0.5 * (abs(decay[0].sum()) + abs(decay[-1].sum()))
    return float(0.5 * (outside + np.abs(head).sum() + np.abs(whole - head).sum()))
