"""Rényi accountants, each for the adjacency and the sampling that it names."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ORDERS: tuple[float, ...] = (
    *(1.0 + x / 10.0 for x in range(1, 100)),
    *(float(x) for x in range(11, 64)),
    128.0,
    256.0,
    512.0,
)
"""Rényi orders that the accountants minimise over."""


def without_replacement_rdp(q: float, sigma: float, orders: Sequence[int]) -> Array:
    """Upper bounds of the Rényi divergences of a Gaussian step on a random subset, one record replaced.

    Wang, Balle and Kasiviswanathan (2019), Theorem 9, with base divergences ε(j) = j·(2/σ)²/2: a replacement
    moves the sum of gradients of norm ≤ 1 by up to 2. Integer orders ≥ 2.
    """
    from scipy.special import gammaln

    values: list[float] = []
    for order in orders:
        j = np.arange(2, int(order) + 1, dtype=float)
        log_binomial = gammaln(order + 1.0) - gammaln(j + 1.0) - gammaln(order - j + 1.0)
        base = 2.0 * j / sigma**2
        terms = log_binomial + j * math.log(q) + (j - 1.0) * base + math.log(2.0)
        second = float(base[0])
        terms[0] = float(log_binomial[0]) + 2.0 * math.log(q)
        terms[0] += min(math.log(4.0) + math.log(math.expm1(second)), math.log(2.0) + second)
        values.append(float(np.logaddexp(0.0, np.logaddexp.reduce(terms))) / (order - 1.0))
    return np.array(values)


def rdp_epsilon(orders: Sequence[float], divergences: Array, delta: float, *, conversion: str) -> float:
    """The least ε at δ that the Rényi divergences imply.

    conversion  "classic": ε(α) + log(1/δ)/(α − 1) (Mironov 2017, Proposition 3);
                "improved": ε(α) + log((α − 1)/α) − (log δ + log α)/(α − 1) (Canonne, Kamath and Steinke 2020,
                Proposition 12).
    """
    a = np.asarray(orders, dtype=np.float64)
    if conversion == "classic":
        values = divergences + math.log(1.0 / delta) / (a - 1.0)
    else:
        values = divergences + np.log1p(-1.0 / a) - (math.log(delta) + np.log(a)) / (a - 1.0)
    return max(0.0, float(values.min()))
