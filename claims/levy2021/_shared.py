"""Shared by the claims of levy2021: the reference, exact divergences of Laplace mixtures of one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from audits import reported
from audits.evidence import Evidence, Verdict, exact_evidence
from claims.harness.claim import Source

if TYPE_CHECKING:
    from implementations.interfaces import Array
    from implementations.levy2021.private_range import RangeLaw
    from implementations.levy2021.winsorized_mean_1d import LaplaceMixture

ROUNDING = 1e-9
"""Relative slack of exact comparisons: double precision leaves far less than this."""


def source(result: str, place: str) -> Source:
    """Where a result of the paper is printed."""
    return Source(
        paper="levy2021",
        result=result,
        place=place,
        reference="Levy, Sun, Amin, Kale, Kulesza, Mohri, Suresh (2021). Learning with User-Level Privacy. "
        "NeurIPS 34.",
    )


def at_most(
    quantity: str, value: float, bound: float, point: dict[str, Any], note: str = "", *, decides: bool = True
) -> Evidence:
    """Exact evidence that value ≤ bound: CONFIRMED, or REFUTED where it is above by more than rounding.

    With `decides=False` (a search over part of the domain) only a violation carries a verdict.
    """
    holds = value <= bound + ROUNDING * abs(bound) + 1e-300
    verdict = Verdict.REFUTED if not holds else Verdict.CONFIRMED if decides else None
    return exact_evidence(quantity, float(value), bound=float(bound), verdict=verdict, point=point, note=note)


def sample_mean(
    quantity: str,
    mean: float,
    error: float,
    samples: int,
    *,
    point: dict[str, Any] | None = None,
    note: str = "",
) -> Evidence:
    """A reported sample mean with its standard error; it carries no verdict."""
    return reported.extreme_mean(quantity, [mean], [error], [samples], [point or {}], note=note)


def extreme_mean(
    quantity: str, means: Any, errors: Any, samples: int, *, least: bool = False, note: str = ""
) -> Evidence:
    """The largest (or least) of several sample means, `samples` runs each; it carries no verdict."""
    cells = len(means)
    return reported.extreme_mean(
        quantity, means, errors, [samples] * cells, [{}] * cells, least=least, note=note
    )


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


def range_divergence(p: RangeLaw, q: RangeLaw) -> float:
    """max over bins of |log p − log q|, exact for any number of bins: both laws are constant on segments."""
    starts = np.union1d(p.start, q.start)
    log_p = p.log_probability[np.searchsorted(p.start, starts, side="right") - 1]
    log_q = q.log_probability[np.searchsorted(q.start, starts, side="right") - 1]
    return float(np.abs(log_p - log_q).max())


def mixture_divergence(p: LaplaceMixture, q: LaplaceMixture) -> float:
    """sup |log p(x)/q(x)| for two Laplace mixtures of one scale b, exactly.

    Between two neighbouring centres both densities are A e^{x/b} + C e^{−x/b}, so their ratio is a Möbius
    function
    of e^{2x/b}: monotone. Outside all centres it is constant. Hence the supremum is reached at a centre.
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

    On each interval between centres the difference of the densities is A e^x + C e^{−x} (in scales), with
    at most
    one root, so ½∫|difference| is a finite sum.
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
