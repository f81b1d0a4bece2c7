"""Norm-sub-Gaussian vectors (Definition 2.6 and Lemma 2.7 of asi2024): the heaviest law and what its sums
obey.

Of all laws with P(‖X‖ ≥ t) ≤ 2·exp(−t²/2) the norm of one is stochastically largest: it has exactly this tail
from √(2 log 2) on. Every increasing function of a norm has its largest mean there.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from implementations.interfaces import Array

LEAST = math.sqrt(2.0 * math.log(2.0))
"""The heaviest norm of parameter 1 is never below √(2·log 2), where its tail is 1."""

VARIANCE = 2.0 + 2.0 * math.log(2.0)
"""Second moment of the heaviest norm of parameter 1."""


def heaviest_tail(t: ArrayLike) -> Array:
    """P(‖X‖ ≥ t) = min(1, 2·exp(−t²/2))."""
    return np.minimum(1.0, 2.0 * np.exp(-0.5 * np.maximum(np.asarray(t, dtype=float), 0.0) ** 2))


def excess_exponential(rate: ArrayLike) -> Array:
    """E[exp(λN) − 1 − λN] for the heaviest norm N of parameter 1 and rates λ ≥ 0.

    It is ∫ λ(e^{λt} − 1)·P(N ≥ t) dt, which is e^{λa} − 1 − λa up to a = √(2·log 2) and beyond it Gaussian
    integrals: 2λ·√(2π)·(e^{λ²/2}·Φ(λ − a) − Φ(−a)).
    """
    from scipy.special import ndtr

    x = np.asarray(rate, dtype=float)
    head = np.expm1(x * LEAST) - x * LEAST
    tail = 2.0 * x * math.sqrt(2.0 * math.pi) * (np.exp(0.5 * x**2) * ndtr(x - LEAST) - ndtr(-LEAST))
    return head + tail


def variance_proxy(rates: ArrayLike) -> Array:
    """2·log(1 + E[exp(λN) − 1 − λN])/λ² at each λ > 0.

    With K its supremum over λ, E exp(λX) ≤ exp(Kλ²/2) for every centred X with this tail, because
    e^x ≤ 1 + x + (e^{|x|} − 1 − |x|). The same bound holds, as a matrix inequality, for the dilation of a
    vector,
    so ‖ΣXᵢ‖ ≤ √(2K·Σσᵢ²·log((d + 1)/δ)) with probability ≥ 1 − δ (Tropp 2012, Theorem 3.6): Lemma 2.7 holds
    with
    c = √(2K). As λ → 0 the proxy tends to the variance 2 + 2·log 2.
    """
    x = np.asarray(rates, dtype=float)
    if not (np.isfinite(x).all() and (x > 0.0).all()):
        raise ValueError(f"rates must be positive and finite, got {rates}")
    return 2.0 * np.log1p(excess_exponential(x)) / x**2
