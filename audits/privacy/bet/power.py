"""How large a violation must be to be caught, on events of known shares."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from audits.privacy.bet import binomial
from audits.privacy.outputs.outputs import Floats
from audits.privacy.result import Resolution
from audits.privacy.tuning import TUNING

QUANTILE = NormalDist().inv_cdf(TUNING.nearly)


def growth_needed(bar: float) -> float:
    """The expected log wealth that exceeds `bar` with probability 0.9, log wealth being about N(g, 2g)."""
    root = (QUANTILE * math.sqrt(2.0) + math.sqrt(2.0 * QUANTILE**2 + 4.0 * bar)) / 2.0
    return root * root


def on_either_dataset(shares: Floats, epsilon: float) -> Floats:
    """The shares (2n,) that events may have on the dataset where they are less likely: the shares (n,)
    themselves, or e^−ε times them where they are those on the other dataset."""
    return np.append(shares, shares * math.exp(-epsilon))


def smallest_violation(q: Floats, growth: float, epsilon: float, delta: float) -> Resolution:
    """The least log((p − δ)/q), and the least p − e^ε·q − δ, at which expected log wealth grows by `growth`
    per sample, over events whose probability on the lesser dataset is one of q, (n,).

    The fastest growth on (p, q) is its KL distance from the null. The equation of `binomial.project` gives
    the p whose nearest null point is (a·x + δ, x), a = e^ε. The x at which the distance is `growth` is
    sought.
    """
    from scipy.optimize.elementwise import find_root

    a, q = math.exp(epsilon), np.asarray(q, dtype=np.float64)
    q = q[a * q + delta < 1.0]
    if len(q) == 0:
        return Resolution()

    def greater(x: Floats, q: Floats) -> Floats:
        null = a * x + delta
        return np.minimum(null + null * (1.0 - null) * (x - q) / (a * x * (1.0 - x)), 1.0)

    def missing(x: Floats, q: Floats) -> Floats:
        return binomial.relative_entropy(greater(x, q), q, a * x + delta, x) - growth

    found = find_root(missing, (q, np.full_like(q, (1.0 - delta) / a * (1.0 - 1e-9))), args=(q,))
    p = np.where(found.success, greater(found.x, q), 1.0)
    q, p = q[p < 1.0], p[p < 1.0]
    return Resolution(*(float(x.min(initial=math.inf)) for x in (np.log((p - delta) / q), p - a * q - delta)))
