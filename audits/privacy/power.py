"""How large a violation must be to be caught, on events of known shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy import binomial
from audits.privacy.result import Resolution

Floats = NDArray[np.floating[Any]]


def growth_needed(bar: float, quantile: float = 1.2816) -> float:
    """The expected log wealth that exceeds `bar` with probability 0.9, log wealth being about N(g, 2g)."""
    root = (quantile * math.sqrt(2.0) + math.sqrt(2.0 * quantile**2 + 4.0 * bar)) / 2.0
    return root * root


def smallest_violation(q: Floats, growth: float, epsilon: float, delta: float) -> Resolution:
    """Over events of lesser share q: the least ε, and the least excess, that grow this fast a sample."""
    q = np.asarray(q, dtype=np.float64)
    low = np.minimum(math.exp(epsilon) * q + delta, 1.0)
    high = np.ones_like(low)
    possible = (low < 1.0) & (binomial.divergence(np.full_like(q, 1.0 - 1e-12), q, epsilon, delta) > growth)
    if not possible.any():
        return Resolution(math.inf, math.inf)
    q, low, high = q[possible], low[possible], high[possible]
    # Only the events that look best by their variance are worth the exact distance.
    rough = np.sqrt(2.0 * growth * (low * (1.0 - low) + math.exp(2.0 * epsilon) * q * (1.0 - q)))
    by_epsilon, by_delta = np.argsort(rough / q)[:8], np.argsort(rough)[:8]
    some = np.unique(np.concatenate([by_epsilon, by_delta]))
    q, low, high = q[some], low[some], high[some]
    null = low.copy()
    # What is sought lies near the rough guess; where it does not, anywhere above.
    near = np.minimum(low + 2.0 * rough[some], 1.0)
    high = np.where(binomial.divergence(near, q, epsilon, delta) >= growth, near, high)
    for _ in range(40):
        middle = 0.5 * (low + high)
        enough = binomial.divergence(middle, q, epsilon, delta) >= growth
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        if np.all(high - low <= 1e-4 * (high - null)):
            break
    return Resolution(float(np.log((high - delta) / q).min()), float((high - null).min()))
