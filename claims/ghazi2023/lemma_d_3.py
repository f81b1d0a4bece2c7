r"""Lemma D.3: a user-level private algorithm on Gaussian users is an item-level private one on their means.

Given one item zᵢ ~ N(χ, (σ²/m)I), set x_ij = zᵢ + σ(w_ij − w̄ᵢ) with independent standard normal w. Then
the x_ij are jointly Gaussian with mean χ and covariance (σ²/m)·J + σ²(I − J/m) = σ²I (J all ones), so
𝒜_item = 𝒜_user after this step has exactly the law of 𝒜_user on 𝒟^{n×m}; and changing item i changes user i
only, so privacy carries over.

The step uses σ and m, not χ. "For any Gaussian distribution" must mean any χ at a known σ, as where the
lemma is used. If one 𝒜_item had to serve all σ, it would be false at n = 1: 𝒜_user may report a bit that
depends on the spread within the user, whose law depends on σ alone; 𝒜_item sees one draw z of N(χ, σ²/m),
and a function of z whose mean is the same for all χ is constant (completeness), so the bit could not depend
on σ.

How it is checked. The covariance identity in rational arithmetic for m up to 60; the implementation as a
linear map: its matrix is read off by feeding unit vectors, so that its output law on Gaussian items is N(χ,
σ²I) exactly; and that changing one item changes one user.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.ghazi2023 import PAPER
from implementations.ghazi2023 import truncated_gaussian


class Fed:
    """Stands in for a generator: `standard_normal` returns the array that it was given."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def standard_normal(self, shape: Any) -> np.ndarray:
        if tuple(shape) == self.values.shape:
            return self.values
        return np.resize(self.values, shape)  # other numbers than are meant: the samples tell


def matrix(m: int, sigma: float) -> np.ndarray:
    """The linear map (z, w₁, …, w_m) → (x₁, …, x_m) of the implementation for one user in one dimension."""
    columns = []
    for unit in np.eye(m + 1):
        fed: Any = Fed(unit[1:].reshape(1, m, 1))
        columns.append(truncated_gaussian.user_from_item(unit[:1].reshape(1, 1), m, sigma, fed).ravel())
    return np.array(columns).T


def check(point: Point) -> Iterator[Evidence]:
    m, sigma = point.m, point.sigma
    wrong = sum(
        Fraction(1, m) + (1 if i == j else 0) - Fraction(1, m) != (1 if i == j else 0)
        for i in range(m)
        for j in range(m)
    )
    yield at_most("entries of J/m + (I − J/m) that differ from I", wrong, 0)
    a = matrix(m, sigma)
    input_covariance = np.diag([sigma**2 / m, *([1.0] * m)])
    covariance = a @ input_covariance @ a.T
    distance = float(np.abs(covariance - sigma**2 * np.eye(m)).max()) / sigma**2
    yield at_most("distance of the output covariance to σ²I, relative", distance, 1e-10)
    yield at_most(
        "weight of the item in each sample, distance to 1", float(np.abs(a[:, 0] - 1.0).max()), 1e-12
    )
    items = point.rng.normal(size=(5, 2))
    other = items.copy()
    other[3] += 7.0
    fed: Any = Fed(point.rng.normal(size=(5, m, 2)))
    one = truncated_gaussian.user_from_item(items, m, sigma, fed)
    two = truncated_gaussian.user_from_item(other, m, sigma, fed)
    changed = int((np.abs(one - two).max(axis=(1, 2)) > 0).sum())
    yield at_most("users that change with one item", changed, 1)
    noise = one - items[:, None, :]
    own = fed.values - fed.values.mean(axis=1, keepdims=True)
    yield at_most(
        "distance of a user's noise to her own, centred", float(np.abs(noise - sigma * own).max()), 1e-9
    )
    yield at_most(
        "their samples move by 7, distance", float(np.abs(two[3] - one[3] - 7.0).max()), 1e-9 * math.sqrt(m)
    )


CLAIM = Claim(
    PAPER,
    "Lemma D.3",
    "appendix D.1",
    kind=Kind.IDENTITY,
    title="From users with Gaussian samples to items with their means",
    statement=r"For $\sigma,m$ given and every user-level $(\varepsilon,\delta)$-DP $\mathcal "
    r"A_{\mathrm{user}}$ there is an item-level $(\varepsilon,\delta)$-DP $\mathcal A_{\mathrm{item}}$ with "
    r"$\mathcal A_{\mathrm{item}}(\mathcal N(\chi,\frac{\sigma^2}mI)^n)\sim\mathcal "
    r"A_{\mathrm{user}}(\mathcal N(\chi,\sigma^2I)^{n\times m})$ for all $\chi$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(m=(1, 3), sigma=2.0),
    ci=grid(m=(1, 2, 3, 10, 60), sigma=(0.01, 1.0, 30.0)),
)
