r"""Lemma A.1: P(X ≥ (1 + λ)μ) ≤ exp(−λ²μ/(2 + λ)) for sums of independent Bernoulli variables, for all λ > 0.

By Chernoff's method $\Pr[X\ge(1+\lambda)\mu]\le\exp(-\mu h(\lambda))$ with
$h(\lambda)=(1+\lambda)\log(1+\lambda)-\lambda$, and $h(\lambda)\ge\lambda^2/(2+\lambda)$, since
$\log(1+\lambda)\ge2\lambda/(2+\lambda)$.

How it is checked. Exactly: the elementary inequality on a grid of λ over twenty decades, with a series
where digits cancel, which decides; and binomial and unequal Bernoulli sums at every jump of their
distribution function, by the exact law.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.asi2024 import PAPER
from claims.asi2024.lemma_3_4 import bernoulli_tail
from implementations.interfaces import Array


def exponent(rate: Array) -> Array:
    """(1 + λ)·log(1 + λ) − λ, by its series below 10⁻³."""
    series = rate**2 / 2.0 - rate**3 / 6.0 + rate**4 / 12.0
    return np.where(rate < 1e-3, series, (1.0 + rate) * np.log1p(rate) - rate)


def worst_ratio(p: Array) -> float:
    """Largest log P(X ≥ k) + λ²μ/(2 + λ) over all k = (1 + λ)μ above the mean."""
    mean = float(p.sum())
    at_least_k = np.concatenate([[1.0], bernoulli_tail(p)[:-1]])
    k = np.arange(p.size + 1)
    some = (k > mean * (1.0 + 1e-12)) & (at_least_k > 0.0)
    rate = k[some] / mean - 1.0
    return float((np.log(at_least_k[some]) + rate**2 * mean / (2.0 + rate)).max(initial=-np.inf))


def check(point: Point) -> Iterator[Evidence]:
    """The inequality between exponents, and exact laws."""
    rate = np.geomspace(1e-10, 1e10, 20_001)
    ratio = rate**2 / (2.0 + rate) / exponent(rate)
    yield at_most("largest λ²/(2 + λ) over Chernoff's exponent", float(ratio.max()), 1.0)
    n, p = point.n, point.p
    shapes = {"equal": np.full(n, p), "graded": np.linspace(0.0, min(1.0, 2.0 * p), n)}
    for name, chances in shapes.items():
        if chances.sum() > 0.0:
            found = worst_ratio(chances)
            if np.isfinite(found):
                quantity = f"largest log P(X ≥ k) minus the log of the bound, {name} chances"
                yield at_most(quantity, found, 1e-9, decides=False)


CLAIM = Claim(
    PAPER,
    "Lemma A.1",
    "appendix A",
    kind=Kind.BOUND,
    title="Chernoff's bound for Bernoulli sums",
    statement=r"For independent Bernoulli $X_i$, $\mu=\mathbb E\sum X_i$ and all $\lambda>0$, "
    r"$\Pr[\sum X_i\ge(1+\lambda)\mu]\le\exp(-\lambda^2\mu/(2+\lambda))$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=(1, 10), p=(0.3,)),
    ci=grid(n=(1, 2, 5, 20, 100, 400), p=(0.001, 0.1, 0.5, 0.99)),
)
