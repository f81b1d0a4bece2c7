"""How large a violation must be to be caught, on events of known shares."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from audits.privacy.bet import binomial, nulls
from audits.privacy.claims import Claim
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


def smallest_violation(q: Floats, growth: float, claim: Claim) -> Resolution:
    """The least value of the claim's parameter that events show, and by how much they exceed the nearest of
    the claim's lines, at which expected log wealth grows by `growth` per sample; over events whose
    probability on the lesser dataset is one of q, (n,).

    The fastest growth on (p, q) is its KL distance from the null. With a = e^ε and p₀ = a·x + δ, the nearest
    null point is (p₀, x) where a·(p₀ − p)/(p₀(1 − p₀)) + (x − q)/(x(1 − x)) = 0, which gives p. The x at
    which the distance is `growth` is sought.
    """
    from scipy.optimize.elementwise import find_root

    epsilon, delta = (part[:, None] for part in nulls.lines(claim))
    if len(epsilon) > 1:
        # For each of many events every line would be tried.
        q = np.unique(np.quantile(q, np.linspace(0.0, 1.0, 101), method="nearest"))
    a, delta, q = (part.ravel() for part in np.broadcast_arrays(np.exp(epsilon), delta, q))
    some = a * q + delta < 1.0
    a, delta, q = a[some], delta[some], q[some]
    if len(q) == 0:
        return Resolution()

    def greater(x: Floats, q: Floats, a: Floats, delta: Floats) -> Floats:
        null = a * x + delta
        return np.minimum(null + null * (1.0 - null) * (x - q) / (a * x * (1.0 - x)), 1.0)

    def missing(x: Floats, q: Floats, a: Floats, delta: Floats) -> Floats:
        return binomial.relative_entropy(greater(x, q, a, delta), q, a * x + delta, x) - growth

    with np.errstate(invalid="ignore"):
        found = find_root(missing, (q, (1.0 - delta) / a * (1.0 - 1e-9)), args=(q, a, delta))
    p = np.where(found.success, greater(found.x, q, a, delta), 1.0)
    some = (p < 1.0) & (p > q)
    p, q, null = p[some], q[some], (a * q + delta)[some]
    if len(epsilon) > 1:
        null = claim.edge(q)[0]
    return Resolution(*(float(x.min(initial=math.inf)) for x in (claim.least(p, q), p - null)))
